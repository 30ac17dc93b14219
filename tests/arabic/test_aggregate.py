"""From logs to scores: what the rules allow, what every null waits for, and that a new score moves no old one."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from arabic_kit import SECTIONS, agree, attempt_of, give, item_row, log_attempts, make_project, review, six_sections
from hypothesis import given, settings
from hypothesis import strategies as st

from alifba.arabic.aggregate import aggregate
from alifba.arabic.logs import append_attempt, read_logs
from alifba.arabic.records import attempt_id


def result(project):
    return aggregate(project, read_logs(project))[0]


def waits(project):
    return [one.text("en") for one in result(project).missing]


def section(project, name="msa"):
    return next(one for one in result(project).sections if one.name == name)


@pytest.fixture
def project(tmp_path):
    return six_sections(tmp_path)


def test_nothing_is_known_before_anything_was_done(project):
    found = result(project)
    assert (found.run, found.composite, found.review) == (None, None, None)
    assert [one.score for one in found.sections] == [None] * 6
    assert waits(project) == ["a first run", "Directory review: all five criteria"]


def test_six_sections_of_the_protocol(project):
    # Check value of the protocol: MSA 80, Gulf 60, Egyptian 70, Levantine 50, direction 90, diacritics 40 -> 68.5714.
    wanted = {"MSA": [4, 4], "GLF": [3, 3], "EGY": [4, 3], "LEV": [3, 2], "DIR": [5, 4], "DIA": [2, 2]}
    for prefix, points in wanted.items():
        agree(project, f"{prefix}-01", [points] * 3)
    found = result(project)
    expected = {"msa": 80, "gulf": 60, "egyptian": 70, "levantine": 50, "direction": 90, "diacritics": 40}
    assert {one.name: one.score for one in found.sections} == expected
    assert round(float(found.composite), 4) == 68.5714
    # The two layers do not touch: without a review there is a composite, and the other way round.
    assert found.review is None
    assert waits(project) == ["Directory review: all five criteria"]
    review(project)
    assert (result(project).review, result(project).composite) == (72, found.composite)


def test_a_section_without_a_score_leaves_the_composite_null(project):
    for prefix in list(SECTIONS)[:-1]:
        agree(project, f"{prefix}-01", [[4, 4]] * 3)
    assert result(project).composite is None
    assert [text for text in waits(project) if "DIA-01" in text] == [
        "Diacritics: DIA-01 attempt 1",
        "Diacritics: DIA-01 attempt 2",
        "Diacritics: DIA-01 attempt 3",
    ]


def test_the_median_of_three_attempts(project):
    agree(project, "MSA-01", [[0, 0], [5, 5], [3, 3]])
    assert section(project).score == 60


def test_it_says_who_is_missing(project):
    log_attempts(project, "GLF-01")
    give(project, "demo-noura", "GLF-01", 1, [3, 3])
    give(project, "demo-noura", "GLF-01", 3, [3, 3])
    give(project, "demo-hani", "GLF-01", 1, [4, 3], "second")
    said = [text for text in waits(project) if text.startswith("Gulf")]
    assert said == ["Gulf: both scorers for GLF-01 attempt 2", "Gulf: second scorer for GLF-01 attempt 3"]
    arabic = [one.text("ar") for one in result(project).missing if one.need == "second"]
    assert arabic == ["الخليجية: المقيّم الثاني للمحاولة ٣ من \u2066GLF-01\u2069"]


def test_a_gulf_item_needs_a_gulf_scorer(project):
    agree(project, "GLF-01", [[4, 4]] * 3, pair=("demo-layth", "demo-hani"))
    assert section(project, "gulf").score is None
    assert "Gulf: a Gulf scorer for GLF-01 attempt 1" in waits(project)
    # The same pair will do for an item of another variety.
    agree(project, "EGY-01", [[4, 4]] * 3, pair=("demo-layth", "demo-hani"))
    assert section(project, "egyptian").score == 80


def test_a_gap_waits_for_a_third_who_decides_that_criterion_alone(project):
    agree(project, "MSA-01", [[4, 4]] * 3)
    give(project, "demo-hani", "MSA-01", 2, [4, 1], "second")
    assert section(project).score is None
    assert [text for text in waits(project) if "MSA" in text] == [
        "MSA: third scorer for MSA-01 attempt 2 (gap on Sounds natural)"
    ]
    give(project, "demo-layth", "MSA-01", 2, [0, 2], "third")
    attempt = section(project).items[0].attempts[1]
    # Accuracy stays the mean of two, 4; naturalness is the median of 4, 1, 2.
    assert attempt.points == {"accuracy": 4, "naturalness": 2}
    assert attempt.score == 60


def test_a_refusal_counts_as_nought_and_as_an_attempt(project):
    log_attempts(project, "MSA-01", (1,), outcome="refusal", output="", note="It declined.")
    append_attempt(project, attempt_of(project, "MSA-01", 2, outcome="error", output="", note="The app closed."))
    assert [one.score for one in section(project).items[0].attempts] == [0, 0, None]
    log_attempts(project, "MSA-01", (3,))
    for scorer, role in (("demo-noura", "first"), ("demo-hani", "second")):
        give(project, scorer, "MSA-01", 3, [5, 5], role)
    assert section(project).score == 0


def test_a_refusal_that_a_scorer_sees(project):
    log_attempts(project, "MSA-01")
    for number in (1, 2, 3):
        give(project, "demo-noura", "MSA-01", number, [0, 0], refusal=True, note="It declines politely.")
        give(project, "demo-hani", "MSA-01", number, [0, 0], "second")
    assert section(project).score == 0


def test_an_undone_score_is_gone(project):
    from alifba.arabic.records import Score
    from alifba.decisions import DecisionLog

    agree(project, "MSA-01", [[4, 4]] * 3)
    log = DecisionLog(project.logs, "score", "demo-hani", kind=Score)
    log.undo(log.replay.last.id)
    assert section(project).score is None
    assert "MSA: second scorer for MSA-01 attempt 3" in waits(project)


def test_items_that_wait_for_a_sample_hold_their_section_back(tmp_path):
    waiting = item_row("MSA-02", status="needs_sample", missing=["a news text"], missing_ar=["نص إخباري"], prompt=None)
    project = make_project(tmp_path, [item_row("MSA-01"), waiting])
    agree(project, "MSA-01", [[4, 4]] * 3)
    assert section(project).score is None
    assert "MSA: sample for MSA-02: a news text" in waits(project)
    assert "الفصحى: عيّنة \u2066MSA-02\u2069: نص إخباري" in [one.text("ar") for one in result(project).missing]
    assert "Egyptian: an item; none is asked of this kind of tool" in waits(project)


def test_of_several_runs_the_project_says_which_counts(tmp_path):
    from arabic_kit import TOOL

    project = make_project(tmp_path, [item_row()])
    agree(project, "MSA-01", [[4, 4]] * 3)
    log_attempts(project, "MSA-01", (1,), run="zarqa-2026-12")
    assert section(project).score is None
    assert waits(project)[0].startswith("which of the runs counts (zarqa-2026-11, zarqa-2026-12)")
    project = make_project(tmp_path, [item_row()], tools=[TOOL | {"run": "zarqa-2026-11"}])
    assert section(project).score == 80


def test_a_new_version_of_an_item_leaves_the_scores_of_the_old_set(tmp_path):
    old = item_row("MSA-01", status="replaced")
    new = item_row("MSA-01", version="b", prompt="سؤال خيالي آخر", reason="memorised", test_sets=["0.2"])
    project = make_project(tmp_path, [old, new], test_set="0.2")
    assert [item.key for item in project.items_for(project.tools[0])] == ["MSA-01.b"]
    agree(project, "MSA-01", [[4, 4]] * 3)
    assert section(project).score == 80


def test_a_score_of_another_text_does_not_count(tmp_path):
    project = make_project(tmp_path, [item_row()])
    agree(project, "MSA-01", [[4, 4]] * 3)
    project = make_project(tmp_path, [item_row(criteria=["accuracy", "grammar"])])
    logs = read_logs(project)
    assert logs.scores == {}
    assert "another text" in logs.said[0]


def all_numbers(found):
    """Every number of a result by its place."""
    yield ("composite",), found.composite
    for section in found.sections:
        yield (section.name,), section.score
        for item in section.items:
            yield (section.name, item.item.key), item.score
            for attempt in item.attempts:
                yield (section.name, item.item.key, attempt.number), attempt.score
                for name, points in attempt.points.items():
                    yield (section.name, item.item.key, attempt.number, name), points


NAMES = [one["id"] for one in __import__("arabic_kit").SCORERS]


@settings(max_examples=12)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["GLF-01", "MSA-01"]),
            st.sampled_from([1, 2, 3]),
            st.sampled_from(NAMES),
            st.tuples(st.integers(0, 5), st.integers(3, 5)),
        ),
        max_size=14,
        unique_by=lambda entry: entry[:3],
    )
)
def test_one_more_score_moves_no_number_that_was_there(entries):
    """The protocol's exception, a third who replaces a mean, does not even arise: a gap gives no mean meanwhile."""
    from alifba.arabic.seats import NoSeat, seat

    with tempfile.TemporaryDirectory() as folder:
        items = [item_row("GLF-01"), item_row("MSA-01")]
        project = make_project(Path(folder), items)
        for key in ("GLF-01", "MSA-01"):
            log_attempts(project, key)
        logs = read_logs(project)
        before = dict(all_numbers(aggregate(project, logs)[0]))
        for key, number, scorer, points in entries:
            attempt = logs.attempts[attempt_id("zarqa-2026-11", key, number)]
            try:
                role = seat(project, attempt, scorer, logs.scores.get(attempt.id, {}))
            except NoSeat:
                continue
            give(project, scorer, key, number, list(points), role)
            logs = read_logs(project)
            after = dict(all_numbers(aggregate(project, logs)[0]))
            assert {place: after[place] for place, value in before.items() if value is not None} == {
                place: value for place, value in before.items() if value is not None
            }
            before = after
