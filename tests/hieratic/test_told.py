"""Stand-ins that are told the labels: the board finds the share that was put in."""

from __future__ import annotations

import pytest

from alifba.backends.base import Prompt
from alifba.hieratic.items import PILOT, load_items
from alifba.hieratic.leaderboard import entries, leaderboard
from alifba.hieratic.parsing import parse
from alifba.hieratic.pilot.told import Told, told_models
from alifba.hieratic.planning import plan
from alifba.hieratic.records import RunRecord
from alifba.hieratic.runs import read_run_files
from alifba.hieratic.validation import record_faults
from alifba.paths import repo_root

FOLDER = load_items(repo_root() / PILOT)
ITEMS = {item.id: item for item in FOLDER.items_only}
RUNS = read_run_files(repo_root() / "results" / "hieratic" / "runs")
OPEN = [job for job in plan(FOLDER, ("identify", "signs"), samples=2) if not job.item.is_sealed(job.rung)]
PROMPTS = [Prompt("")] * len(OPEN)


def answers(told: Told) -> list[str]:
    return [reply.text for reply in told.answer(OPEN, PROMPTS, frozenset())]


def test_answers_follow_from_the_name_and_the_call():
    told = told_models()[0]
    assert answers(told) == answers(told)
    some = list(told.answer(OPEN, PROMPTS, frozenset(range(100))))
    assert [reply.text for reply in some] == answers(told)[100:]


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_who_is_told_all_is_right_and_who_is_told_nothing_is_wrong(share):
    told = Told("x", "x", share, ("signs",))
    for job, text in zip(OPEN, answers(told), strict=True):
        if job.rung == "signs":
            assert (parse(text, "signs") in job.item.gardiner) == bool(share)


def test_a_private_answer_shares_no_sentence_with_a_public_one():
    for told in told_models():
        for job, text in zip(OPEN, answers(told), strict=True):
            if job.item.split == "sealed":
                assert "\n" not in text
                assert text.startswith("SCRIPT: ")


def test_the_shipped_runs_keep_the_rules_and_say_that_they_are_fake():
    assert record_faults(RUNS, FOLDER) == []
    for run in RUNS:
        for record in run.records:
            assert record.model.provider == "fake"
            assert record.model.label.startswith("fake, ")
            assert record.withheld == (ITEMS[record.item_id].split == "sealed")


def test_the_board_finds_the_share_that_was_told():
    records: list[RunRecord] = [record for run in RUNS for record in run.in_force]
    board = leaderboard(ITEMS, records)
    told = {model.key: model.share for model in told_models()}
    for entry in board["entries"]:
        if entry["key"] in told and "signs" in entry["rungs"]:
            interval = entry["rungs"]["signs"]["interval"]
            assert interval["low"] <= told[entry["key"]] <= interval["high"]
    assert {entry["key"] for entry in board["entries"]} == {*told, "fake-blind"}
    assert [entry.failed for entry in entries(records, ITEMS)] == [0, 0, 0, 0]
