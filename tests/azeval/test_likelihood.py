"""A likelihood run: raw rows like any run's, resumed exactly, never taken for answers."""

from __future__ import annotations

import json
import shutil

import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'local'")
pytest.importorskip("transformers", reason="needs the extra 'local'")

import transformers  # noqa: E402
from adaptation_kit import arm, declared, study_of  # noqa: E402

from alifba.azeval.adaptation.outcomes import nats_per_character  # noqa: E402
from alifba.azeval.likelihood import likelihood_folder, plan_likelihood, run_likelihood  # noqa: E402
from alifba.azeval.prompts import item_prompt  # noqa: E402
from alifba.azeval.running import open_backend, run_model  # noqa: E402
from alifba.azeval.scorebook import scored  # noqa: E402
from alifba.backends.likelihood import LikelihoodBackend  # noqa: E402
from alifba.config import Model  # noqa: E402
from alifba.errors import InputError  # noqa: E402
from alifba.items import read_items  # noqa: E402
from alifba.runs import read_run, read_runs  # noqa: E402
from samples import item_row, write_rows  # noqa: E402
from tiny_models import make_model  # noqa: E402

N = 7


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("tiny"), "gemma3")


@pytest.fixture(scope="module")
def model(folder):
    told = {"slug": "tiny", "name": "org/tiny", "label": "Tiny", "precision": "float32", "batch_size": 2}
    return Model.model_validate(told | {"source": {"hub": str(folder)}})


@pytest.fixture(scope="module")
def backend(model):
    return LikelihoodBackend(model)


@pytest.fixture(scope="module")
def items(tmp_path_factory):
    rows = [item_row(i, answer_en="A very much longer answer" if i == 4 else "Paris") for i in range(N)]
    return read_items(write_rows(tmp_path_factory.mktemp("items") / "d.jsonl", rows))


@pytest.fixture(scope="module")
def whole(backend, model, items, tmp_path_factory):
    """An undisturbed run in English."""
    report = run_likelihood(backend, model, items, "en", tmp_path_factory.mktemp("raw") / "likelihood")
    assert (report.n_items, report.n_before, report.n_answered, report.n_failed) == (N, 0, N, 0)
    return report.path


def rows_of(path):
    """Rows by id, but for the moment they were written."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {row["id"]: {name: value for name, value in row.items() if name != "timestamp"} for row in rows}


def test_a_row_tells_what_was_shown_and_how_likely_it_was(whole, folder, items):
    rows = rows_of(whole)
    assert rows.keys() == items.by_id.keys()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    for item in items:
        row = rows[item.id]
        assert row["prompt"] == item_prompt(item, items, "en", "default")
        assert (row["raw_response"], row["n_chars"]) == (item.answer_en, len(item.answer_en))
        # The definition, with all logits of all positions and no batch.
        question = tokenizer(row["prompt"]).input_ids
        ids = tokenizer(f"{row['prompt']} {item.answer_en}").input_ids
        with torch.inference_mode():
            logs = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0].log_softmax(-1)
        nll = -sum(float(logs[place - 1, ids[place]]) for place in range(len(question), len(ids)))
        assert row["nll"] == pytest.approx(nll, abs=1e-3)
        assert row["completion_tokens"] == len(ids) - len(question)
        assert row["prompt_tokens"] == len(question)


def test_the_signature_says_that_answers_were_forced(whole, items):
    signature = read_run(whole).signature
    assert signature.decoding == "forced,gold"
    assert "unknown" not in str(signature)
    assert (signature.lang, signature.data, signature.batch) == ("en", items.sha256[:12], "2")
    assert "max_new_tokens" not in next(iter(rows_of(whole).values()))["generation"]


@pytest.mark.parametrize("k", [0, 1, 4, N - 1, N])
def test_a_run_that_was_stopped_after_k_rows_ends_as_an_undisturbed_one(whole, backend, model, items, tmp_path, k):
    path = tmp_path / whole.name
    lines = whole.read_text(encoding="utf-8").splitlines(keepends=True)
    # And half a row of the next, as a kill leaves it.
    path.write_text("".join(lines[:k]) + (lines[k][:40] if k < N else ""), encoding="utf-8")
    report = run_likelihood(backend, model, items, "en", tmp_path)
    assert (report.n_before, report.n_answered) == (k, N - k)
    assert rows_of(path) == rows_of(whole)
    assert len(path.read_text(encoding="utf-8").splitlines()) == N


def test_azerbaijani_is_asked_for_the_azerbaijani_answer(backend, model, items, tmp_path):
    done = []
    report = run_likelihood(backend, model, items, "az", tmp_path, lambda *progress: done.append(progress))
    rows = rows_of(report.path)
    assert {id_: row["raw_response"] for id_, row in rows.items()} == {item.id: item.answer for item in items}
    assert done == [(number, N) for number in range(1, N + 1)]


def test_a_likelihood_run_does_not_go_on_in_a_file_of_answers(backend, model, items, tmp_path):
    fake = Model.model_validate({"slug": "f", "name": "org/tiny", "label": "f", "backend": "fake"})
    run_model(open_backend(fake), fake, items, "en", "default", tmp_path)
    with pytest.raises(InputError, match=r"holds another run: it differs in .*decoding"):
        run_likelihood(backend, model, items, "en", tmp_path)


def test_nats_per_character_are_nats_by_characters(whole, items):
    found = nats_per_character(read_run(whole))
    for item in items:
        row = rows_of(whole)[item.id]
        assert found[item.id] == pytest.approx(row["nll"] / len(item.answer_en))


def test_answers_are_no_likelihoods_and_likelihoods_are_no_answers(whole, items, tmp_path):
    fake = Model.model_validate({"slug": "f", "name": "org/f", "label": "f", "backend": "fake"})
    report = run_model(open_backend(fake), fake, items, "en", "default", tmp_path)
    with pytest.raises(InputError, match=r"no likelihood run(.|\n)*raw outputs in the folder of likelihoods"):
        nats_per_character(read_run(report.path))
    scored(read_run(report.path), items)
    # All gold answers: scored, it would be right everywhere.
    shutil.copy(whole, tmp_path / "raw.jsonl")
    (mixed,) = (run for run in read_runs(tmp_path) if run.key[0] == "org/tiny")
    with pytest.raises(InputError, match="likelihood run holds no answers of a model"):
        scored(mixed, items)


def test_every_model_of_an_adapting_study_is_planned_in_every_language(items, whole, folder, tmp_path):
    content = declared(arms=[arm("kk", seeds=2)], source=str(folder))
    study = study_of(tmp_path, content | {"languages": ["az", "en"]})
    runs = tmp_path / "raw_outputs"
    planned = list(plan_likelihood(study, items, runs))
    assert [(run.model.slug, run.language) for run in planned] == [
        (slug, language) for slug in ("base", "kk-1", "kk-2") for language in ("az", "en")
    ]
    assert {run.path.parent for run in planned} == {likelihood_folder(runs)} == {tmp_path / "likelihood"}
    assert not any(run.complete for run in planned)
    likelihood_folder(runs).mkdir()
    shutil.copy(whole, likelihood_folder(runs) / "org__base__en.jsonl")
    assert [run.n_answered for run in plan_likelihood(study, items, runs)] == [0, N, 0, 0, 0, 0]
    assert list(plan_likelihood(study_of(tmp_path, content | {"adaptation": None}), items, runs)) == []
