"""The command line: the whole way of a study, and errors that a user can act on."""

from __future__ import annotations

import csv
import sys
import unicodedata
from pathlib import Path

import pytest

from alifba.cli import main
from alifba.paths import repo_root
from samples import CAPITALS, REFERENCE, answer_row, item_row, published, write_answers, write_rows, write_study

NOTHINGS = ["NA", "None", "nan", "null", "NaN", "N/A"]


@pytest.fixture
def alifba(monkeypatch, capsys):
    """Call the program; returns exit status and what it printed on stderr."""

    def call(*words: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["alifba", *map(str, words)])
        try:
            main()
        except SystemExit as end:
            return int(end.code or 0), capsys.readouterr().err
        return 0, capsys.readouterr().err

    return call


@pytest.fixture
def small(tmp_path) -> list[object]:
    """Options of a small study of two models: ``--study S --dataset D --runs R --out O``."""
    write_rows(tmp_path / "d.jsonl", [item_row(i) for i in range(6)])
    for model in ("org/one", "org/two"):
        write_answers(tmp_path / "raw", model, "az", [capital[2] for capital in CAPITALS[:4]])
        write_answers(tmp_path / "raw", model, "en", ["x", *(capital[3] for capital in CAPITALS[1:])])
    study = write_study(tmp_path, bootstrap={"resamples": 200})
    return ["--study", study, "--dataset", tmp_path / "d.jsonl", "--runs", tmp_path / "raw", "--out", tmp_path / "out"]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_scores_tell_their_counts(alifba, small, tmp_path):
    code, said = alifba("score", *small)
    assert code == 0
    assert "scored org/one az default: 4 of 6 items, 2 unscored, 0 rows of ids that the dataset lacks" in said
    assert len(list((tmp_path / "out" / "tables" / "items").iterdir())) == 8


def test_only_the_named_file_is_scored_again(alifba, small, tmp_path):
    alifba("score", *small)
    folder = tmp_path / "out" / "tables" / "items"
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    changed = write_answers(tmp_path / "raw", "org/one", "az", ["x"] * 6)
    code, said = alifba("score", *small, changed)
    assert code == 0
    assert said.count("scored ") == 1
    after = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert {name for name in after if after[name] != before[name]} == {"org__one__az.csv", "org__one__az.json"}


@pytest.mark.parametrize("name", ["plain.jsonl", "[red]a.jsonl"])
def test_repairs_are_told_with_file_and_line(alifba, small, tmp_path, name):
    nfd = unicodedata.normalize("NFD", "Gürcüstan")
    path = write_rows(tmp_path / "raw" / name, [answer_row(0, nfd, model="org/x"), answer_row(0, model="org/x")])
    path.write_bytes(path.read_bytes() + b'{"id": "t-00')
    code, said = alifba("score", *small)
    assert code == 0
    for line in (
        f"{path}:1: text brought to NFC (1 time)",
        f"{path}:2: duplicated id, the last row counts (1 time)",
        f"{path}:3: torn last line left out (1 time)",
    ):
        assert line in said


def test_rows_that_were_asked_another_wording_are_told(alifba, small, tmp_path):
    asked = [item_row(i)["question_az"] for i in range(3)]
    path = write_rows(
        tmp_path / "raw" / "x.jsonl",
        [answer_row(i, model="org/x", prompt=f"Sual: {text}\nCavab:") for i, text in enumerate(asked)],
    )
    other = f"{path}: {{}} of 3 rows were asked another wording than the dataset has"
    assert other.format(1) not in alifba("score", *small)[1]
    write_rows(tmp_path / "d.jsonl", [item_row(i, **({"question_az": "Paytaxt?"} if i == 1 else {})) for i in range(6)])
    assert other.format(1) in alifba("score", *small)[1]
    # A row whose id the dataset lacks was asked no wording of it.
    write_rows(tmp_path / "d.jsonl", [item_row(i) for i in range(2)])
    assert "x.jsonl" not in alifba("score", *small)[1]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "d.jsonl").write_text('{"id": 1\n'), "d.jsonl:1: not a JSON object"),
        (lambda folder: (folder / "d.jsonl").write_text(""), "d.jsonl: the file is empty"),
        (lambda folder: (folder / "d.jsonl").unlink(), "d.jsonl: no such file"),
        (lambda folder: (folder / "study.yaml").write_text("nmae: x\n"), "study.yaml:1: unknown key 'nmae'"),
        (
            lambda folder: write_rows(folder / "d.jsonl", [item_row(0), item_row(0)]),
            "d.jsonl:2: this id was used before",
        ),
        (lambda folder: write_rows(folder / "d.jsonl", [item_row(0, answer=5)]), "d.jsonl:1: field 'answer'"),
        (lambda folder: write_rows(folder / "raw" / "x.jsonl", [answer_row()]), "two files hold the same run"),
        (
            lambda folder: write_rows(folder / "raw" / "x.jsonl", [{"id": "t-000"}]),
            "x.jsonl:1: field 'model' is missing",
        ),
        (lambda folder: (folder / "raw" / "x.jsonl").write_text(""), "x.jsonl: the file is empty"),
        (lambda folder: (folder / "raw").rename(folder / "elsewhere"), "no such folder of raw outputs"),
        (lambda folder: (folder / "out").write_text("a file"), "not a folder"),
    ],
)
def test_bad_input_is_one_clear_error_and_nothing_is_written(alifba, small, tmp_path, damage, message):
    damage(tmp_path)
    code, said = alifba("score", *small)
    assert code == 1
    assert message in said
    assert "Traceback" not in said
    assert not list((tmp_path / "out").rglob("*"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["facts", "--study", "STUDY", "--out", "OUT"], "make tables"),
        (["paper", "--study", "STUDY", "--out", "OUT"], "make tables"),
        (["compare", "OUT", "--study", "STUDY"], "out: no such folder, so nothing to compare"),
        (["runs", "--study", "STUDY", "--dataset", "DATASET", "--runs", "OUT"], "declares no models"),
        (["score", "--study", "STUDY", "--runs", "OUT"], "give DATASET="),
        (["notebook", "none.ipynb", "--study", "STUDY"], "no such notebook"),
        (["notebook", "notebooks/azeval/20_gap.ipynb", "-p", "studdy=x", "--study", "STUDY"], "did you mean 'study'"),
        (["notebook", "notebooks/azeval/20_gap.ipynb", "-p", "study", "--study", "STUDY"], "name=value"),
    ],
)
def test_a_step_that_cannot_begin_says_why(alifba, small, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(repo_root())
    places = {"STUDY": small[1], "DATASET": small[3], "OUT": small[7]}
    code, said = alifba(*(places.get(word, word) for word in words))
    assert code == 1
    assert message in said


def test_answers_that_look_like_nothing_reach_the_tables(alifba, tmp_path):
    write_rows(tmp_path / "d.jsonl", [item_row(i, answer=a, answer_en=a) for i, a in enumerate(NOTHINGS)])
    for language in ("az", "en"):
        write_answers(tmp_path / "raw", "org/one", language, NOTHINGS)
    study = write_study(tmp_path, bootstrap={"resamples": 200})
    given = ["--study", study, "--dataset", tmp_path / "d.jsonl", "--out", tmp_path / "out"]
    assert alifba("score", *given, "--runs", tmp_path / "raw")[0] == 0
    items = rows(tmp_path / "out" / "tables" / "items" / "org__one__az.csv")
    assert [row["answer"] for row in items] == NOTHINGS
    assert alifba("notebook", repo_root() / "notebooks/azeval/20_gap.ipynb", *given)[0] == 0
    scores = rows(tmp_path / "out" / "tables" / "scores.csv")
    assert {(row["n"], row["exact_match"]) for row in scores} == {("6", "1")}


@pytest.mark.reference
def test_the_published_study_from_raw_outputs_to_facts(alifba, tmp_path):
    out = tmp_path / "out"
    data = ["--dataset", REFERENCE / "az_eval_v0.jsonl"]
    study = ["--study", repo_root() / "studies" / "azeval-v0.yaml", "--out", out]
    code, said = alifba("score", *study, *data, "--runs", REFERENCE / "raw_outputs")
    assert code == 0
    assert said.count("23 rows of ids that the dataset lacks") == 4
    assert said.count("field 'difficulty' ignored (356 times)") == 1
    assert alifba("notebook", repo_root() / "notebooks/azeval/20_gap.ipynb", *study, *data)[0] == 0
    # The columns that others may rely on.
    scores, gaps = rows(out / "tables" / "scores.csv"), rows(out / "tables" / "gap.csv")
    promised = "model,language,prompt_style,chain,n,exact_match,token_f1"
    assert set(promised.split(",")) <= set(scores[0])
    promised = "model,prompt_style,chain,n,az,en,gap,ci_low,ci_high,p,p_holm"
    assert set(promised.split(",")) <= set(gaps[0])
    found = {(row["model"], row["language"], row["chain"]): float(row["exact_match"]) for row in scores}
    for row in published("modes"):
        for chain in ("strict", "morph", "lenient", "translit"):
            assert f"{100 * found[row['model'], row['language'], chain]:.1f}" == row[f"{chain}_pct"]
    found = {(row["model"], row["chain"]): 100 * float(row["gap"]) for row in gaps}
    for row in published("gap"):
        assert f"{found[row['model'], row['chain']]:.1f}" == row["gap_points"]


@pytest.mark.parametrize("step", ["score", "facts", "paper", "notebook", "compare"])
def test_every_step_has_help(alifba, step):
    assert alifba(step, "--help")[0] == 0
