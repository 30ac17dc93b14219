"""The command line, end to end with a model that answers nothing that can be read: every question fails, none is 0."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from tifinagh_kit import model_of, study_of
from typer.testing import CliRunner

from alifba.errors import InputError
from alifba.tifinagh.commands import app
from alifba.tifinagh.records import read_item_records, read_run_record, read_summary
from alifba.tifinagh.study import load_tifinagh_study
from alifba.tifinagh.tables import cells, dictionaries, failures, scores


@pytest.fixture
def study(tmp_path):
    spec = study_of(tmp_path, 4, models=[model_of("fake")], retries=1)
    path = tmp_path / "study.yaml"
    path.write_text(json.dumps(spec.model_dump(mode="json")))
    return path


def call(*words):
    result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_plan_preview_run_score(study, tmp_path):
    assert "36" in call("plan", "--study", study)
    assert "Dialect: Standard Moroccan Amazigh." in call("preview", "--study", study)
    call("runs", "--study", study)
    assert "fake" in call("score", "--study", study)
    folder = tmp_path / "runs" / "fake"
    summary, record = read_summary(folder), read_run_record(folder)
    assert (summary.overall.n_error, summary.overall.n_scored, summary.overall.accuracy) == (36, 0, None)
    # Everything failed and nothing is awaited: the score is 0, as for wrong answers.
    assert (summary.tifinaghbench, summary.script_score) == (0, 0)
    assert {item.note for item in read_item_records(folder)} == {"missing"}
    assert list(failures([folder])["n"]) == [12, 12, 12]
    assert len(cells([summary])) == 9
    assert list(dictionaries([record])["licence"]) == ["CC0-1.0"] * 3
    assert pd.isna(scores([summary])["overall_accuracy"][0])


def test_a_judge_must_be_declared(study):
    call("run", "--model", "fake", "--study", study)
    with pytest.raises(InputError, match="declares no judge"):
        call("judge", "--model", "fake", "--study", study)


def test_dictionary_tells_its_record(study):
    mapping = json.loads(study.read_text())["dictionaries"][0]
    assert json.loads(call("dictionary", mapping))["n_entries"] == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: [", "not valid YAML"),
        ("- a", "a mapping of keys"),
        ("name: a\ntitle: A\nruns: r\ndictionaries: [a]\nbatchsize: 5", "unknown field 'batchsize'"),
        ("name: a\ntitle: A\nruns: r\ndictionaries: [a]\nsample: some", "sample"),
        ("name: a\ntitle: A\nruns: r\ndictionaries: [a]\ndialects: [ircam, ircam]", "dialect given twice: ircam"),
        ("name: a\ntitle: A\nruns: r\ndictionaries: [a]\njudge: {}", "either 'model' or 'agent'"),
    ],
)
def test_a_broken_study_file_is_told_by_its_key(tmp_path, text, message):
    path = tmp_path / "study.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        load_tifinagh_study(path)


def test_the_shipped_study_loads_and_has_its_dictionaries():
    from alifba.tifinagh.running import open_study

    study = load_tifinagh_study("studies/tifinagh.yaml")
    questions = open_study(study)[2]
    assert set(questions.sampled.values()) == {study.sample}
    assert len(questions.questions) == 9 * study.sample
    with pytest.raises(InputError, match=r"no such model[\s\S]*declared: gemma"):
        study.contestant("gema")
