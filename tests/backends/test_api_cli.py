"""Models behind an API from a study file and the command line: estimates, limits, and mistakes told with their line."""

from __future__ import annotations

import json
import sys

import pytest

pytest.importorskip("openai")
pytest.importorskip("tenacity")

from api_kit import declared
from api_server import ApiServer

from alifba.cli import main
from alifba.config import load_study
from alifba.errors import InputError
from alifba.paths import repo_root
from samples import item_row, write_rows, write_study

PRICE = {"input": 1000.0, "output": 10000.0}


@pytest.fixture
def alifba(monkeypatch, capsys):
    """Call the program; gives exit status and what it printed on stderr."""

    def call(*words: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["alifba", *map(str, words)])
        try:
            main()
        except SystemExit as end:
            return int(end.code or 0), capsys.readouterr().err
        return 0, capsys.readouterr().err

    monkeypatch.chdir(repo_root())
    return call


def planned(folder, url, *models: dict[str, object]) -> list[object]:
    dataset = write_rows(folder / "d.jsonl", [item_row(i) for i in range(6)])
    rows = [declared(url, **api) | {"slug": f"m{n}", "name": f"org/m{n}"} for n, api in enumerate(models)]
    study = write_study(folder, models=rows, languages=["az"])
    return ["--study", study, "--dataset", dataset, "--runs", folder / "raw", "--out", folder / "out"]


def test_a_dry_run_estimates_and_sends_nothing_and_needs_no_key(alifba, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with ApiServer() as server:
        code, said = alifba(
            "runs", *planned(tmp_path, server.url, {"price": PRICE, "provider": "openai"}, {}), "--dry-run"
        )
        assert not server.requests
    assert code == 0
    assert "m0 az default would send 6 items, " in said
    # 32 new tokens at 10,000 a million for each of 6 items are 1.92 dollars, to which the prompts are added.
    high = float(said.split(" US dollars")[0].rsplit(" ", 1)[1])
    assert 1.92 < high < 10
    assert "price unknown" in said
    assert not (tmp_path / "raw").exists()


def test_a_limit_with_an_unpriced_model_runs_nothing(alifba, tmp_path):
    with ApiServer() as server:
        code, said = alifba("runs", *planned(tmp_path, server.url, {"price": PRICE}, {}), "--max-cost", 5)
        assert not server.requests
    assert code == 1
    assert "the price of a model is not known" in said


def test_a_limit_reaches_the_notebook_and_keeps_what_came(alifba, tmp_path):
    item_of = {"item_of": lambda prompt: prompt.rsplit("\n", 2)[-2]}
    with ApiServer(**item_of) as server:
        options = planned(tmp_path, server.url, {"price": PRICE, "workers": 1})
        code, said = alifba("runs", *options, "--max-cost", 0.9)
        assert 1 <= len(server.requests) < 6
        asked = len(server.requests)
    assert code == 1
    assert "the cost limit of 0.9 US dollars is reached" in said
    (raw,) = (tmp_path / "raw").iterdir()
    rows = [json.loads(line) for line in raw.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == asked
    assert sum(row["cost_usd"] for row in rows) <= 0.9


def study_with(folder, api: str):
    path = folder / "study.yaml"
    path.write_text(
        f"name: s\ntitle: S\nmodels:\n  - slug: one\n    name: org/one\n    label: one\n    backend: api\n{api}",
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize(
    ("api", "line", "said"),
    [
        ("    api: {provider: openai, model: m, reasoning: off}\n", 8, "an unquoted yes, no, on or off"),
        ("    api: {provider: openai, model: m, modle: n}\n", 8, "unknown key 'models.0.api.modle'"),
        ("    api:\n      provider: opnai\n      model: m\n", 9, "provider"),
        ("    api:\n      provider: openai\n      model: m\n      base_url: http://host/v1?key=sk-1\n", 11, "base_url"),
        ("    api: {provider: openai}\n", 8, "'models.0.api.model' is missing"),
        ("", 4, "'backend: api' and the key 'api' go together"),
        ("    api: {provider: openai, model: m}\n    command: {argv: [x]}\n", 4, "go together"),
        ("    api: {provider: openai, model: m, workers: 0}\n", 8, "workers"),
        ("    api: {provider: openai, model: m, price: {input: 1}}\n", 8, "price.output"),
    ],
)
def test_a_mistake_in_a_study_file_is_told_with_its_line(tmp_path, api, line, said):
    with pytest.raises(InputError) as caught:
        load_study(study_with(tmp_path, api))
    assert said in str(caught.value)
    assert caught.value.line == line
