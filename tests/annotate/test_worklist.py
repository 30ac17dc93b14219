"""Where an annotator stands: counts that add up, and a way through everything that is left."""

from __future__ import annotations

import pytest
from annotate_kit import make_project
from hypothesis import given
from hypothesis import strategies as st

from alifba.annotate.tasks import load_task, load_work
from alifba.annotate.worklist import DECIDED, SKIPPED, STATUSES, UNDECIDED, View, Worklist
from alifba.decisions import DecisionLog
from samples import item_row

N = 12
ROWS = [item_row(i, category="ab"[i % 2], notes=f"template=t{i % 3};variant=1") for i in range(N)]
views = st.builds(
    View, st.sampled_from(["", "a", "b", "none"]), st.sampled_from(["", "t0", "t2"]), st.sampled_from(["", *STATUSES])
)


def make_list(folder, rows=ROWS, decided=()):
    task = load_task("review")
    works, _ = load_work(task, [make_project(folder, rows)])
    worklist = Worklist(task, works, DecisionLog(folder / "decisions", "review", "ayla"))
    for position, decision in decided:
        decide(worklist, position, decision)
    return worklist


def decide(worklist, position, decision):
    work = worklist.work(position)
    logged = worklist.logged(work)
    reason = {"reason": "no"} if decision == "reject" else {}
    worklist.log.append(work.id, decision, work.sha, seen=logged.id if logged else None, **reason)


decisions = st.lists(st.tuples(st.integers(1, N), st.sampled_from(["accept", "reject", "skip"])), max_size=20)


@given(decisions, views)
def test_every_item_of_a_view_has_one_state_and_is_counted_once(tmp_path_factory, decided, view):
    worklist = make_list(tmp_path_factory.mktemp("p"), decided=decided)
    of_each = [worklist.positions(View(view.category, view.template, status)) for status in STATUSES]
    everything = worklist.positions(view.without_status)
    assert sorted(place for places in of_each for place in places) == everything
    latest = dict(decided)
    assert [place for place in everything if place not in latest] == of_each[STATUSES.index(UNDECIDED)]
    assert [place for place in everything if latest.get(place) == "skip"] == of_each[STATUSES.index(SKIPPED)]
    assert [place for place in everything if latest.get(place) in ("accept", "reject")] == of_each[
        STATUSES.index(DECIDED)
    ]
    assert worklist.counts(view).total() == len(everything)
    assert worklist.counts(view)["accept"] == sum(latest.get(place) == "accept" for place in everything)


@given(decisions, views, st.integers(1, N))
def test_going_on_from_anywhere_comes_by_everything_that_is_left(tmp_path_factory, decided, view, position):
    view = view.without_status
    worklist = make_list(tmp_path_factory.mktemp("p"), decided=decided)
    left = worklist.positions(View(view.category, view.template, UNDECIDED))
    visited = []
    while (position := worklist.next(position, view)) is not None:
        visited.append(position)
        decide(worklist, position, "accept")
    assert sorted(visited) == left
    assert worklist.resume(view) is None


@given(views, st.integers(1, N))
def test_the_arrows_are_each_other_s_way_back(tmp_path_factory, view, position):
    worklist = make_list(tmp_path_factory.mktemp("p"), decided=[(3, "accept"), (4, "skip"), (9, "reject")])
    before, after = worklist.neighbours(position, view)
    places = worklist.positions(view)
    assert before == max((place for place in places if place < position), default=None)
    assert after == min((place for place in places if place > position), default=None)
    if position in places and after:
        assert worklist.neighbours(after, view)[0] == position


def test_work_goes_on_after_the_last_decision_and_from_the_start_after_the_end(tmp_path):
    worklist = make_list(tmp_path, decided=[(1, "accept"), (5, "skip")])
    assert worklist.resume(View()) == 6
    assert worklist.resume(View(category="b")) == 6
    assert worklist.resume(View(category="a")) == 7
    assert worklist.resume(View(status=SKIPPED)) == 5
    decide(worklist, N, "reject")
    assert worklist.resume(View()) == 2
    assert worklist.next(1, View(status=DECIDED)) == N
    assert worklist.next(N, View(status=DECIDED)) is None


@pytest.mark.parametrize(
    ("change", "status"),
    [({"answer": "Lion"}, UNDECIDED), ({"question_en": "?"}, UNDECIDED), ({"notes": "template=x"}, DECIDED)],
)
def test_a_decision_holds_for_the_text_that_was_shown_and_no_other(tmp_path, change, status):
    make_list(tmp_path, decided=[(1, "accept")])
    again = make_list(tmp_path, [ROWS[0] | change, *ROWS[1:]])
    assert again.status(again.work(1)) == status
    assert again.logged(again.work(1)).decision == "accept"


def test_items_may_come_and_go_between_sessions(tmp_path):
    make_list(tmp_path, decided=[(2, "accept"), (N, "reject")])
    fewer = make_list(tmp_path, [item_row(70), *ROWS[:5]])
    assert fewer.counts(View()) == {"undecided": 5, "accept": 1}
    assert fewer.position_of_last() == 0
    assert fewer.resume(View()) == 1
