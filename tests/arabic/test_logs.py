"""The logs: what fits, what is refused, what survives a kill."""

from __future__ import annotations

import json

import pytest
from arabic_kit import (
    TOOL,
    agree,
    attempt_of,
    give,
    item_row,
    log_attempts,
    make_project,
    review,
    six_sections,
    write_log,
)

from alifba.arabic.aggregate import aggregate
from alifba.arabic.logs import append_attempt, append_record, next_replacement, read_attempts, read_logs
from alifba.arabic.records import PrescoreRequest
from alifba.arabic.seats import NoSeat, seat
from alifba.errors import InputError


@pytest.fixture
def project(tmp_path):
    return six_sections(tmp_path)


def log_of(project):
    return project.logs / "attempts" / "zarqa-2026-11.jsonl"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"prompt_sha": "0" * 16}, "an edited prompt is a new version"),
        ({"tool": "zarka"}, "did you mean 'zarqa'"),
        ({"test_set": "0.9"}, "not asked of a chat tool in test set 0.9"),
        ({"plan": "paid"}, "run zarqa-2026-11 has plan 'free', not 'paid': another setting is another run"),
        ({"model_version": "z-2"}, "another setting is another run"),
    ],
)
def test_an_attempt_that_does_not_fit_is_refused_and_leaves_no_trace(project, changes, said):
    log_attempts(project, "MSA-01", (1,))
    before = log_of(project).read_bytes()
    with pytest.raises(InputError, match=said):
        append_attempt(project, attempt_of(project, "MSA-01", 2, **changes))
    assert log_of(project).read_bytes() == before


def test_a_place_is_taken_once(project):
    log_attempts(project)
    with pytest.raises(InputError, match="was logged before"):
        log_attempts(project, "MSA-01", (2,))


def test_a_replacement_stands_and_the_old_one_stays_in_the_log(project):
    log_attempts(project)
    place = ("zarqa-2026-11", "MSA-01", 2)
    name = next_replacement(read_attempts(project).known, place)
    better = attempt_of(
        project, "MSA-01", 2, id=name, replaces="zarqa-2026-11/MSA-01/2", note="Pasted wrongly.", output="جواب"
    )
    append_attempt(project, better)
    book = read_attempts(project)
    assert (len(book.known), len(book.standing)) == (4, 3)
    assert book.standing[name].output == "جواب"
    assert next_replacement(book.known, place).endswith("/2+2")
    with pytest.raises(InputError, match="replace that"):
        append_attempt(
            project, attempt_of(project, "MSA-01", 2, id=next_replacement(book.known, place), replaces="x", note="y")
        )


def test_examples_and_items_without_samples_have_no_attempts(tmp_path):
    waiting = item_row(status="needs_sample", missing=["a poem"], missing_ar=["قصيدة"])
    project = make_project(tmp_path, [waiting])
    with pytest.raises(InputError, match="cannot be run yet, it needs: a poem"):
        append_attempt(project, attempt_of(project))
    project = make_project(tmp_path, [item_row()], tools=[TOOL | {"example": True}])
    with pytest.raises(InputError, match="no tool: it has no runs"):
        append_attempt(project, attempt_of(project))
    review(project)
    with pytest.raises(InputError, match="has no review"):
        read_logs(project)


def test_what_a_tool_does_not_offer_is_refused(tmp_path):
    project = make_project(tmp_path, [item_row()], tools=[TOOL | {"plans": ["pro"], "versions": ["z-1"]}])
    with pytest.raises(InputError, match="zarqa has no plan 'free', only pro"):
        append_attempt(project, attempt_of(project))


@pytest.mark.parametrize("cut", [1, 30, 200])
def test_a_torn_last_line_is_left_out_and_mended(project, cut):
    log_attempts(project)
    path = log_of(project)
    path.write_bytes(path.read_bytes()[:-cut])
    n_whole = 3 if cut == 1 else 2
    assert len(read_attempts(project).standing) == n_whole
    log_attempts(project, "GLF-01", (1,))
    assert len(read_attempts(project).standing) == n_whole + 1
    assert all(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())


def test_a_line_edited_by_hand_is_told_with_its_place(project):
    log_attempts(project)
    rows = [json.loads(line) for line in log_of(project).read_text(encoding="utf-8").splitlines()]
    write_log(log_of(project), [rows[0], rows[1] | {"plan": "paid"}, rows[2]])
    with pytest.raises(InputError, match=r"zarqa-2026-11\.jsonl:2: .*plan"):
        read_logs(project)
    write_log(log_of(project).with_name("other.jsonl"), rows)
    log_of(project).unlink()
    with pytest.raises(InputError, match="does not belong here"):
        read_logs(project)


def test_scores_must_fit(project):
    agree(project, "MSA-01", [[4, 4]] * 3)
    path = project.logs / "score" / "demo-noura.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    shown = {"id": "p2", "attempt": "zarqa-2026-11/MSA-01/2", "model": "m", "criteria": {"accuracy": 4}}
    write_log(project.logs / "prescores" / "m.jsonl", [shown | {"time": "2026-11-01T10:00:00+03:00"}])
    for change, said in (
        ({"item_id": "zarqa-2026-11/MSA-09/1"}, "no such attempt"),
        ({"criteria": {"accuracy": 4}}, "the criteria of MSA-01 are accuracy, naturalness"),
        ({"prescore": "p9"}, "no such pre-score"),
        ({"prescore": "p2"}, "no such pre-score of zarqa-2026-11/MSA-01/1"),
    ):
        write_log(path, [rows[0] | change, *rows[1:]])
        with pytest.raises(InputError, match=said):
            read_logs(project)
    path.rename(path.with_name("stranger.jsonl"))
    with pytest.raises(InputError, match="no such scorer"):
        read_logs(project)


def test_a_score_of_a_replaced_attempt_does_not_count(project):
    agree(project, "MSA-01", [[4, 4]] * 3)
    old = "zarqa-2026-11/MSA-01/1"
    append_attempt(project, attempt_of(project, "MSA-01", 1, id=f"{old}+1", replaces=old, note="Pasted wrongly."))
    logs = read_logs(project)
    assert old not in logs.scores
    assert sum("was replaced" in line for line in logs.said) == 2


def test_requests_and_reviews_are_kept(project):
    request = {"scorer": "demo-noura", "attempt": "a", "prescore": "p", "time": "2026-11-01T10:00:00+03:00"}
    append_record(project.logs / "prescore_requests" / "demo-noura.jsonl", PrescoreRequest.model_validate(request))
    review(project)
    review(project, date="2026-11-09", raw={"ease": 3})
    review(project, date="2026-11-07")
    logs = read_logs(project)
    assert [one.prescore for one in logs.requests] == ["p"]
    assert logs.reviews["zarqa"].raw == {"ease": 3}


def seats(project, key, number=1):
    logs = read_logs(project)
    attempt = logs.attempts[f"zarqa-2026-11/{key}/{number}"]
    found = {}
    for scorer in project.settings.scorers:
        try:
            found[scorer.id[5:]] = seat(project, attempt, scorer.id, logs.scores.get(attempt.id, {}))
        except NoSeat as none:
            found[scorer.id[5:]] = none.key
    return found


def test_who_may_sit_where(project):
    log_attempts(project, "GLF-01", (1,))
    assert set(seats(project, "GLF-01").values()) == {"first"}
    give(project, "demo-hani", "GLF-01", 1, [4, 4])
    assert seats(project, "GLF-01") == {"noura": "second", "hani": "first", "layth": "gulf", "salma": "second"}
    give(project, "demo-noura", "GLF-01", 1, [4, 3], "second")
    assert seats(project, "GLF-01") == {"noura": "second", "hani": "first", "layth": "full", "salma": "full"}
    give(project, "demo-noura", "GLF-01", 1, [4, 2], "second")
    assert seats(project, "GLF-01") == {"noura": "second", "hani": "first", "layth": "third", "salma": "third"}
    give(project, "demo-layth", "GLF-01", 1, [4, 3], "third")
    assert seats(project, "GLF-01")["salma"] == "full"
    log_attempts(project, "MSA-01", (1,), outcome="error", output="", note="The app closed.")
    assert set(seats(project, "MSA-01").values()) == {"decided"}


def test_a_gulf_scorer_takes_the_second_seat_where_two_others_scored_a_gulf_item_at_once(project):
    """Spec: "two native scorers, one of them Gulf for Gulf items". Logs of two machines can be put together."""
    agree(project, "GLF-01", [[5, 5]] * 3, pair=("demo-hani", "demo-layth"))
    assert seats(project, "GLF-01") == {"noura": "second", "hani": "first", "layth": "second", "salma": "second"}
    (gulf,) = (one for one in aggregate(project, read_logs(project))[0].sections if one.name == "gulf")
    assert gulf.score is None
    for number in (1, 2, 3):
        give(project, "demo-noura", "GLF-01", number, [4, 4], "second")
    (gulf,) = (one for one in aggregate(project, read_logs(project))[0].sections if one.name == "gulf")
    # The earliest, with 5, and the Gulf speaker, with 4; the other one is not of the pair.
    assert gulf.score == 90
    assert seats(project, "GLF-01") == {"noura": "second", "hani": "first", "layth": "second", "salma": "full"}
