"""The log of decisions: nothing that was said is lost, doubled or taken from another annotator."""

from __future__ import annotations

import fcntl
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.decisions import (
    DECISIONS,
    JUDGED,
    Conflict,
    DecisionLog,
    as_decided,
    log_path,
    read_decisions,
    read_log,
    text_sha,
)
from alifba.errors import InputError
from alifba.items import Item
from samples import item_row, outcome, write_rows

SHA = "0" * 16


def line(number: int, item: str = "t-1", decision: str = "accept", **more):
    return {
        "id": f"d{number}",
        "task": "review",
        "item_id": item,
        "decision": decision,
        "annotator": "ayla",
        "time": "2026-01-02T03:04:05+04:00",
        "text_sha": SHA,
    } | more


def test_a_decision_is_on_disk_when_append_returns(tmp_path):
    log = DecisionLog(tmp_path, "review", "ayla")
    made = log.append("t-1", "reject", SHA, reason="gives_away", note="Əlifba")
    (row,) = map(json.loads, (tmp_path / "review" / "ayla.jsonl").read_text(encoding="utf-8").splitlines())
    assert row == {
        "id": made.id,
        "task": "review",
        "item_id": "t-1",
        "decision": "reject",
        "annotator": "ayla",
        "time": made.time,
        "text_sha": SHA,
        "reason": "gives_away",
        "note": "Əlifba",
    }


def test_undo_gives_back_what_was_in_force_before(tmp_path):
    log = DecisionLog(tmp_path, "review", "ayla")
    first = log.append("t-1", "accept", SHA)
    second = log.append("t-1", "reject", SHA, seen=first.id, reason="no")
    assert log.replay.in_force == {"t-1": second}
    log.undo(second.id)
    assert log.replay.in_force == {"t-1": first}
    log.undo(first.id)
    assert log.replay.in_force == {}
    assert log.replay.last is None
    assert len(log.replay) == 4


def test_who_has_not_seen_the_decision_in_force_does_not_replace_it(tmp_path):
    mine, other = (DecisionLog(tmp_path, "review", "ayla") for _ in range(2))
    made = other.append("t-1", "accept", SHA)
    for seen in (None, "another"):
        with pytest.raises(Conflict):
            mine.append("t-1", "reject", SHA, seen=seen, reason="no")
    with pytest.raises(Conflict):
        mine.undo("another")
    assert mine.replay.in_force == {"t-1": made}
    assert len(mine.path.read_text().splitlines()) == 1


def test_annotators_have_files_of_their_own(tmp_path):
    DecisionLog(tmp_path, "review", "ayla").append("t-1", "accept", SHA)
    DecisionLog(tmp_path, "review", "Şəhla").append("t-1", "skip", SHA)
    DecisionLog(tmp_path, "second", "ayla").append("t-1", "wrong", SHA, note="köhnə")
    found = read_decisions(tmp_path, "review")
    assert {name: {id_: one.decision for id_, one in log.items()} for name, log in found.items()} == {
        "ayla": {"t-1": "accept"},
        "Şəhla": {"t-1": "skip"},
    }
    assert read_decisions(tmp_path, "errors") == {}


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a\\b", ".hidden", "a b", "a\n", "x" * 65, "a\0b"])
def test_a_name_that_is_no_file_name_is_refused(tmp_path, name):
    with pytest.raises(InputError, match="annotator"):
        log_path(tmp_path, "review", name)


@pytest.mark.parametrize(
    ("rows", "message", "at"),
    [
        ([line(1), line(1)], "used before", 2),
        ([line(1, decision="undo", undoes="d9")], "no decision 'd9'", 1),
        ([line(1), line(2, "t-2", "undo", undoes="d1")], "no decision 'd1' on item 't-2'", 2),
        ([line(1), line(2, decision="undo", undoes="d1"), line(3, decision="undo", undoes="d1")], "no decision", 3),
        ([line(1, annotator="rauf")], "does not belong here", 1),
        ([line(1, task="second", decision="wrong")], "does not belong here", 1),
        ([line(1, decision="correct")], "unknown decision", 1),
        ([line(1, task="rewiev")], "unknown task", 1),
        ([line(1, decision="reject")], "needs 'reason'", 1),
        ([line(1, decision="reject", reason="")], "needs 'reason'", 1),
        ([line(1, decision="edit", changes={})], "needs 'changes'", 1),
        ([line(1, decision="undo")], "needs 'undoes'", 1),
        ([line(1, time="2026-01-02T03:04:05")], "offset", 1),
        ([line(1, time="yesterday")], "isoformat", 1),
        ([line(1, raeson="x")], "unknown field 'raeson'", 1),
        ([{name: value for name, value in line(1).items() if name != "text_sha"}], "'text_sha' is missing", 1),
    ],
)
def test_a_log_that_was_tampered_with_is_refused_by_line(tmp_path, rows, message, at):
    path = write_rows(tmp_path / "review" / "ayla.jsonl", rows)
    with pytest.raises(InputError, match=message) as caught:
        read_log(path)
    assert (caught.value.file, caught.value.line) == (path, at)


@pytest.mark.parametrize("points", [-1, 6, 2.5, "3", True, None])
def test_points_are_whole_and_from_0_to_5(tmp_path, points):
    log = DecisionLog(tmp_path, "score", "ayla")
    with pytest.raises(InputError):
        log.append("t-1", "score", SHA, criteria={"dialect": points})
    assert not log.path.exists() or not log.path.read_bytes()


def test_a_blank_is_an_answer(tmp_path):
    log = DecisionLog(tmp_path, "baseline", "ayla")
    log.append("t-1", "answer", SHA, answer="")
    with pytest.raises(InputError, match="needs 'answer'"):
        log.append("t-2", "answer", SHA)
    assert read_decisions(tmp_path, "baseline")["ayla"]["t-1"].answer == ""


# The expected digits come from sha256sum over the JSON text written out by hand.
@pytest.mark.parametrize(
    ("task", "row", "digits"),
    [
        ("baseline", {"question_az": " Əlifba nədir?\n", "answer": "x"}, "63d7d821cd8ab169"),
        (
            "review",
            {
                "id": "t-1",
                "question_az": "Paytaxt?",
                "question_en": "Capital?",
                "answer": "Bakı",
                "answer_en": "Baku",
                "answer_aliases": ["Bakıda"],
                "category": "world",
                "source": "https://example.org/1",
                "verified_by": "pending",
                "notes": "template=capital",
            },
            "81c70952b7e60b25",
        ),
    ],
)
def test_the_digits_of_a_text(task, row, digits):
    assert text_sha(task, row) == digits


def test_the_digits_hold_for_a_row_and_its_strict_reading_and_in_both_forms_of_unicode():
    row = item_row(2, answer_aliases=[" Tiflisdə "], source="")
    read = Item.model_validate(row).model_dump()
    decomposed = {
        name: unicodedata.normalize("NFD", value) if isinstance(value, str) else value for name, value in row.items()
    }
    assert text_sha("review", row) == text_sha("review", read) == text_sha("review", decomposed)


@given(name=st.sampled_from(sorted(item_row() | {"source": "", "provenance": ""})), text=st.text(min_size=1))
def test_the_digits_change_with_what_is_judged_and_with_nothing_else(name, text):
    row = item_row()
    changed = row | {name: [text] if name == "answer_aliases" else text}
    same = unicodedata.normalize("NFC", text.strip()) in (row.get(name, ""), "")
    for task in ("review", "second"):
        if name not in JUDGED[task]:
            assert text_sha(task, changed) == text_sha(task, row)
        elif not same:
            assert text_sha(task, changed) != text_sha(task, row)


def test_an_edit_changes_its_fields_and_no_other(tmp_path):
    log = DecisionLog(tmp_path, "review", "ayla")
    row = item_row()
    edit = log.append("t-000", "edit", SHA, changes={"answer": "Lion", "answer_aliases": []})
    assert as_decided(row, edit) == row | {"answer": "Lion", "answer_aliases": []}
    accept = log.append("t-001", "accept", SHA)
    assert as_decided(row, accept) == row


# --- whatever happens to the file -----------------------------------------------------------------------------------

steps = st.one_of(
    st.tuples(st.just("append"), st.sampled_from(["t-1", "t-2", "t-3"]), st.sampled_from(["accept", "skip", "reject"])),
    st.tuples(st.just("undo")),
    st.tuples(st.just("reopen")),
    st.tuples(st.just("switch")),
    st.tuples(st.just("tear"), st.integers(2, 400)),
    st.tuples(st.just("torn append"), st.integers(1, 60)),
    st.tuples(st.just("cut newline")),
)


class Plain:
    """What the log should say, kept as a bare list: the last decision on an item that is not struck out."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, str, str]] = []

    def standing(self) -> list[tuple[str, str, str, str]]:
        struck = {undoes for _, _, _, undoes in self.lines}
        return [one for one in self.lines if not one[3] and one[0] not in struck]

    def in_force(self) -> dict[str, tuple[str, str]]:
        return {item: (id_, decision) for id_, item, decision, _ in self.standing()}


def damage(path, kind, amount) -> int:
    """Harm the file as a kill in mid-write would; returns how many whole lines are lost."""
    data = path.read_bytes() if path.exists() else b""
    last = data.rstrip(b"\n").rfind(b"\n") + 1
    if kind == "cut newline" and data:
        path.write_bytes(data[:-1])
    elif kind == "torn append" and path.exists():
        path.write_bytes(data + json.dumps(line(99)).encode()[:amount])
    elif kind == "tear" and data:
        path.write_bytes(data[: max(last, len(data) - amount)])
        return 1
    return 0


@given(st.lists(steps, max_size=25))
def test_any_order_of_decisions_undos_kills_and_tabs_replays_to_the_same_state(tmp_path_factory, wanted):
    folder = tmp_path_factory.mktemp("log")
    tabs = [DecisionLog(folder, "review", "ayla") for _ in range(2)]
    plain = Plain()
    for kind, *rest in wanted:
        log = tabs[0]
        if kind == "append":
            item, decision = rest
            seen = plain.in_force().get(item, (None,))[0]
            made = log.append(item, decision, SHA, seen=seen, reason="no" if decision == "reject" else None)
            plain.lines.append((made.id, item, decision, ""))
        elif kind == "undo":
            standing = plain.standing()
            if not standing:
                with pytest.raises(Conflict):
                    log.undo("")
                continue
            made = log.undo(standing[-1][0])
            plain.lines.append((made.id, made.item_id, "undo", standing[-1][0]))
        elif kind == "switch":
            tabs.reverse()
        elif kind == "reopen":
            tabs[0] = DecisionLog(folder, "review", "ayla")
        else:
            if damage(log.path, kind, *rest or [0]) and plain.lines:
                plain.lines.pop()
            tabs = [DecisionLog(folder, "review", "ayla") for _ in range(2)]
        for one in tabs:
            found = {item: (made.id, made.decision) for item, made in one.replay.in_force.items()}
            assert found == plain.in_force()
    if tabs[0].path.exists():
        assert [row["id"] for row in map(json.loads, tabs[0].path.read_text().splitlines())] == [
            one[0] for one in plain.lines
        ]


def test_what_was_cut_off_is_removed_and_said(tmp_path):
    log = DecisionLog(tmp_path, "review", "ayla")
    log.append("t-1", "accept", SHA)
    whole = log.path.read_bytes()
    log.path.write_bytes(whole + whole[:30])
    replay, notices = read_log(log.path)
    assert (list(replay.in_force), notices.counts["torn last line left out"]) == (["t-1"], 1)
    assert log.path.read_bytes() == whole + whole[:30], "reading alone changes nothing"
    again = DecisionLog(tmp_path, "review", "ayla")
    assert again.mended == [f"{log.path}:2: a last line that was cut off (30 bytes) is removed"]
    assert log.path.read_bytes() == whole


def test_a_line_torn_before_the_end_is_no_decision_of_ours_to_drop(tmp_path):
    path = write_rows(tmp_path / "review" / "ayla.jsonl", [line(1), line(2, "t-2")])
    path.write_bytes(path.read_bytes()[20:])
    before = path.read_bytes()
    with pytest.raises(InputError, match="not a JSON object"):
        _ = DecisionLog(tmp_path, "review", "ayla").replay
    assert path.read_bytes() == before


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("log") / "review" / "ayla.jsonl"
    path.parent.mkdir()
    path.write_bytes(data)
    outcome(lambda: read_log(path))


def decide_on_and_on(folder, told):
    log = DecisionLog(folder, "review", "ayla")
    number = 0
    while True:
        made = log.append(f"t-{os.getpid()}-{number}", "edit", SHA, changes={"answer": "x" * 3000})
        os.write(told, f"{made.id}\n".encode())
        number += 1


def test_killed_at_any_moment_no_decision_that_was_told_is_lost(tmp_path):
    rng = random.Random(9)
    told: set[str] = set()
    for _ in range(6):
        reading, writing = os.pipe()
        child = multiprocessing.get_context("fork").Process(target=decide_on_and_on, args=(tmp_path, writing))
        child.start()
        os.close(writing)
        time.sleep(rng.uniform(0.02, 0.08))
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        with os.fdopen(reading) as stream:
            told |= set(stream.read().split())
        log = DecisionLog(tmp_path, "review", "ayla")
        assert told <= {made.id for made in log.replay.in_force.values()}
    assert told


def decide(folder, name, n):
    log = DecisionLog(folder, "review", "ayla")
    for number in range(n):
        log.append(f"{name}-{number}", "accept", SHA)


def test_two_processes_of_one_annotator_write_one_whole_log(tmp_path):
    fork = multiprocessing.get_context("fork")
    children = [fork.Process(target=decide, args=(tmp_path, name, 40)) for name in "ab"]
    for child in children:
        child.start()
    for child in children:
        child.join()
        assert child.exitcode == 0
    assert set(read_decisions(tmp_path, "review")["ayla"]) == {f"{name}-{i}" for name in "ab" for i in range(40)}


def test_a_log_held_by_another_process_is_named_not_waited_for_forever(tmp_path):
    log = DecisionLog(tmp_path, "review", "ayla", patience=0.05)
    log.append("t-1", "accept", SHA)
    with log.path.open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="another process holds this log"):
            log.append("t-2", "accept", SHA)


def test_a_decision_that_cannot_be_written_whole_leaves_nothing(tmp_path):
    # A limit on the size of a file fails a write as a full disk does; it holds for the child alone.
    code = (
        "import resource, signal, sys\nfrom pathlib import Path\nfrom alifba.decisions import DecisionLog\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "log = DecisionLog(Path(sys.argv[1]), 'review', 'ayla')\n"
        "log.append('t-1', 'accept', '0' * 16)\n"
        "size = log.path.stat().st_size\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (size + 90, size + 90))\n"
        "log.append('t-2', 'accept', '0' * 16)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True)
    assert "the decision was not saved: File too large" in done.stderr
    log = DecisionLog(tmp_path, "review", "ayla")
    assert (list(log.replay.in_force), log.mended) == (["t-1"], [])
    log.append("t-2", "accept", SHA)


def test_every_task_that_is_judged_can_be_decided():
    assert set(DECISIONS) == set(JUDGED)
