"""What a build reads and writes: what people accepted becomes a dataset, the same bytes each time, and its commands."""

from __future__ import annotations

import json
import random
import string
from datetime import date
from pathlib import Path
from typing import Any

import mlcroissant
import pytest
import yaml
from gate_kit import PILOT_ROWS, decide, places
from scipy.stats import binomtest
from typer.testing import CliRunner

from alifba.azeval.dataset.build import build, rejected_texts
from alifba.azeval.dataset.commands import app
from alifba.azeval.dataset.drafts import draft_files, read_drafts
from alifba.azeval.dataset.mathematics import generate
from alifba.azeval.dataset.verdicts import UNDECIDED
from alifba.decisions import DecisionLog, text_sha
from alifba.errors import InputError
from alifba.items import read_items
from samples import PILOT, item_row, write_rows

# --- files -----------------------------------------------------------------------------------------------------------


def project(tmp_path: Path, n: int = 6) -> list[dict[str, Any]]:
    rows = [item_row(number) for number in range(n)]
    write_rows(tmp_path / "raw" / "drafts.jsonl", rows)
    return rows


def test_without_an_accepted_row_nothing_is_built(tmp_path):
    project(tmp_path)
    done = build(places(tmp_path))
    assert not done.gate.items
    assert not (tmp_path / "built").exists()
    assert not (tmp_path / "raw" / "rejected.jsonl").exists()
    assert list(done.gate.refusals) == [UNDECIDED]


def test_a_dataset_goes_when_its_last_row_is_taken_back(tmp_path):
    rows = project(tmp_path)
    logs = tmp_path / "raw" / "decisions"
    decide(logs, rows[0])
    build(places(tmp_path))
    assert [item.id for item in read_items(tmp_path / "built" / "azeval.jsonl")] == ["t-000"]
    log = DecisionLog(logs, "review", "anna")
    log.undo(seen=log.replay.last.id)
    done = build(places(tmp_path))
    assert len(done.removed) == 3
    assert not list((tmp_path / "built").iterdir())


def test_a_built_dataset_reads_as_items_that_people_verified(tmp_path):
    rows = project(tmp_path)
    for row in rows[:4]:
        decide(tmp_path / "raw" / "decisions", row)
    build(places(tmp_path))
    items = read_items(tmp_path / "built" / "azeval.jsonl")
    assert len(items) == items.n_verified == 4
    assert items.notice is None
    assert {item.model_dump()["question_az"] for item in items} == {row["question_az"] for row in rows[:4]}


def test_the_same_drafts_in_any_order_build_the_same_bytes(tmp_path):
    rows = [row for row in PILOT_ROWS if row["notes"].startswith(("template=math_", "template=country_"))][:120]
    built = []
    for seed in range(2):
        folder = tmp_path / str(seed)
        mixed = random.Random(seed).sample(rows, len(rows))
        write_rows(folder / "raw" / "one.jsonl", mixed[:50])
        write_rows(folder / "raw" / "two.jsonl", mixed[50:])
        write_rows(
            folder / "raw" / "decisions" / "review" / "anna.jsonl",
            [
                {
                    "id": f"d{place}",
                    "task": "review",
                    "item_id": row["id"],
                    "decision": "accept",
                    "annotator": "anna",
                    "time": "2026-12-01T10:00:00+04:00",
                    "text_sha": text_sha("review", row),
                }
                for place, row in enumerate(rows)
            ],
        )
        build(places(folder))
        built.append({path.name: path.read_bytes() for path in (folder / "built").iterdir()})
    assert built[0] == built[1]
    assert set(built[0]) == {"azeval.jsonl", "azeval.md", "azeval.croissant.json"}


def test_rejected_rows_are_kept_with_their_reasons_even_when_the_draft_is_gone(tmp_path):
    rows = project(tmp_path)
    logs, record = tmp_path / "raw" / "decisions", tmp_path / "raw" / "rejected.jsonl"
    decide(logs, rows[0], "reject", reason="the capital moved")
    decide(logs, rows[1])
    build(places(tmp_path))
    (kept,) = [json.loads(line) for line in record.read_text().splitlines()]
    assert kept == rows[0] | {"reasons": ["rejected by a person: anna: the capital moved"]}
    write_rows(tmp_path / "raw" / "drafts.jsonl", rows[1:])
    build(places(tmp_path))
    assert rejected_texts(record) == {("t-000", text_sha("review", rows[0]))}
    # The same text accepted after all: no longer rejected.
    write_rows(tmp_path / "raw" / "drafts.jsonl", rows)
    decide(logs, rows[0], "accept")
    build(places(tmp_path))
    assert record.read_text() == ""
    assert build(places(tmp_path)).gate.items


def test_a_torn_draft_file_stops_the_build_before_anything_is_written(tmp_path):
    rows = project(tmp_path)
    decide(tmp_path / "raw" / "decisions", rows[0])
    build(places(tmp_path))
    before = (tmp_path / "built" / "azeval.jsonl").read_bytes()
    with (tmp_path / "raw" / "drafts.jsonl").open("a") as stream:
        stream.write('{"id": "t-9')
    with pytest.raises(InputError, match=r"drafts.jsonl:7"):
        build(places(tmp_path))
    assert (tmp_path / "built" / "azeval.jsonl").read_bytes() == before


def test_decomposed_letters_are_composed_and_counted(tmp_path):
    row = item_row(0, question_az="Fransanın paytaxtı hansı s\u0327əhərdir?")
    write_rows(tmp_path / "raw" / "drafts.jsonl", [row])
    decide(tmp_path / "raw" / "decisions", row)
    done = build(places(tmp_path))
    assert read_items(tmp_path / "built" / "azeval.jsonl").items[0].question_az == item_row(0)["question_az"]
    assert "NFC" in done.notices[0]


def test_the_metadata_are_valid_and_lead_to_every_row(tmp_path):
    rows = project(tmp_path)
    for row in rows[:3]:
        decide(tmp_path / "raw" / "decisions", row)
    build(places(tmp_path))
    described = mlcroissant.Dataset(jsonld=tmp_path / "built" / "azeval.croissant.json")
    assert not described.metadata.ctx.issues.errors
    assert not described.metadata.ctx.issues.warnings
    found = list(described.records("items"))
    assert {record["items/answer"].decode() for record in found} == {row["answer"] for row in rows[:3]}
    assert {record["items/verified_by"] for record in found} == {b"human"}


def test_the_card_says_what_happened_to_the_drafts(tmp_path):
    rows = project(tmp_path)
    logs = tmp_path / "raw" / "decisions"
    decide(logs, rows[0])
    decide(logs, rows[1], "edit", who="bela", changes={"answer_en": "Roma"})
    decide(logs, rows[2], "reject", reason="x | y")
    build(places(tmp_path))
    card = (tmp_path / "built" / "azeval.md").read_text(encoding="utf-8")
    header = yaml.safe_load(card.split("---")[1])
    assert header["language"] == ["az", "en"]
    assert header["license"] == "cc-by-4.0"
    assert header["size_categories"] == ["n<1K"]
    assert header["configs"][0]["data_files"] == [{"split": "test", "path": "azeval.jsonl"}]
    assert "| items | 2 |" in card
    assert "| reviewers | 2 |" in card
    assert "| items that a person changed before accepting them | 1 |" in card
    assert "| rejected by a person | 1 |" in card
    # Two of the three that were decided.
    low, high = binomtest(2, 3).proportion_ci(0.95, method="wilson")
    assert f"| all | 6 | 1 | 1 | 1 | 0 | 3 | 0.667 | {low:.3f} | {high:.3f} |" in card
    assert "| nan |" not in card
    assert "$" not in card
    assert "anna" not in card


def test_a_folder_gives_every_draft_file_but_the_record(tmp_path):
    project(tmp_path)
    write_rows(tmp_path / "raw" / "rejected.jsonl", [item_row(9) | {"reasons": ["x"]}])
    drafts, _ = read_drafts(draft_files([tmp_path / "raw", tmp_path / "raw" / "drafts.jsonl"]))
    assert len(drafts) == 6
    with pytest.raises(InputError, match="no such file or folder"):
        draft_files([tmp_path / "nowhere"])


# --- commands --------------------------------------------------------------------------------------------------------


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def options(tmp_path: Path) -> list[object]:
    raw = tmp_path / "raw"
    return ["--drafts", raw, "--decisions", raw / "decisions", "--record", raw, "--out", tmp_path / "built"]


def test_build_says_how_many_drafts_a_person_accepted_and_names_the_refused(tmp_path):
    rows = project(tmp_path)
    empty = run("build", *options(tmp_path))
    assert empty.exit_code == 0
    assert "0 of 6 drafts accepted by a person; nothing is built" in empty.output
    decide(tmp_path / "raw" / "decisions", rows[0])
    decide(tmp_path / "raw" / "decisions", rows[1], "reject", reason="unnatural")
    built = run("build", *options(tmp_path))
    assert built.exit_code == 0
    assert "1 of 6 drafts accepted by a person, 1 of them sound" in built.output
    assert "refused, rejected by a person: 1" in built.output
    assert "t-001" in built.output
    # 1 of 2 decided: Wilson's interval by hand, z = 1.96: (0.5 + z²/4 ± z·sqrt(0.125 + z²/16)) / (1 + z²/2).
    assert "50% (9%-91%)" in built.output


def test_generate_math_writes_no_file_over(tmp_path):
    path = tmp_path / "raw" / "mathematics.jsonl"
    done = run("generate-math", "--out", path, "--created", "2027-02-01", "--per-family", 2, "--known", PILOT)
    assert done.exit_code == 0, done.output
    assert len(read_items(path)) == 40
    again = run("generate-math", "--out", path, "--created", "2027-02-01", "--known", PILOT)
    assert isinstance(again.exception, InputError)
    assert len(read_items(path)) == 40


def test_a_sample_is_blind_seeded_and_not_written_over(tmp_path):
    for task, hidden in (
        ("second", {"verified_by", "notes", "source", "provenance"}),
        ("baseline", {"answer", "answer_aliases", "answer_en", "source", "notes", "verified_by"}),
    ):
        paths = [tmp_path / f"{task}-{name}.jsonl" for name in "abc"]
        for path, seed in zip(paths, (1, 1, 2), strict=True):
            done = run("sample", "--n", 50, "--task", task, "--dataset", PILOT, "--seed", seed, "--out", path)
            assert done.exit_code == 0, done.output
        assert paths[0].read_bytes() == paths[1].read_bytes() != paths[2].read_bytes()
        rows = [json.loads(line) for line in paths[0].read_text(encoding="utf-8").splitlines()]
        assert len(rows) == 50
        assert not any(hidden & set(row) for row in rows)
        assert isinstance(run("sample", "--n", 50, "--dataset", PILOT, "--out", paths[0]).exception, InputError)


@pytest.mark.parametrize(("task", "n"), [("second", 200), ("baseline", 50)])
def test_a_sample_has_the_size_of_the_published_ones_unless_told_otherwise(task, n, tmp_path):
    run("sample", "--task", task, "--dataset", PILOT, "--out", tmp_path / "s.jsonl")
    assert len((tmp_path / "s.jsonl").read_text(encoding="utf-8").splitlines()) == n


def test_no_draft_at_all_is_no_dataset(tmp_path):
    (tmp_path / "raw").mkdir()
    done = run("build", *options(tmp_path))
    assert done.exit_code == 0
    assert "0 of 0 drafts accepted by a person; nothing is built" in done.output


def test_harvest_names_an_unknown_template(tmp_path):
    done = run("harvest", "--template", "country_capitol", "--out", tmp_path / "w.jsonl")
    assert "country_capital" in str(done.exception)


def test_no_letter_of_a_name_is_needed_to_know_a_draft():
    assert set("abcdef0123456789") >= set(generate(date(2027, 1, 1), 1)[0].id.removeprefix("az-"))
    assert not set(string.whitespace) & set(generate(date(2027, 1, 1), 1)[0].id)
