"""A small grid from nothing: a text is fetched, models are trained, run, recorded; what is done is not done again."""

from __future__ import annotations

import json
import shutil

import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'local'")
pytest.importorskip("transformers", reason="needs the extra 'local'")

from adaptation_kit import arm, declared, html, packed_text, study_of  # noqa: E402

from alifba.azeval.adaptation.grid import adapt, records_folder, to_train  # noqa: E402
from alifba.azeval.adaptation.records import curves_table, read_records, trainings_table  # noqa: E402
from alifba.azeval.likelihood import likelihood_folder, plan_likelihood, run_likelihood  # noqa: E402
from alifba.azeval.running import open_backend, plan, run_model  # noqa: E402
from alifba.backends.likelihood import LikelihoodBackend  # noqa: E402
from alifba.backends.sources import locate  # noqa: E402
from alifba.config import Source  # noqa: E402
from alifba.errors import InputError  # noqa: E402
from alifba.items import read_items  # noqa: E402
from alifba.runs import pack  # noqa: E402
from samples import item_row, write_rows  # noqa: E402
from tiny_models import make_model  # noqa: E402

TEXT = "All human beings are born free and equal in dignity and rights. They are endowed with reason. " * 2
LONG, BLOCKS = 120, 6


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("base"), "gemma3", tied=True)


@pytest.fixture
def place(tmp_path, base, monkeypatch):
    """(content of a study with two arms, folder of its raw outputs); everything it writes goes below tmp_path."""
    texts = tmp_path / ".build" / "texts"
    texts.mkdir(parents=True)
    _, integrity = packed_text(texts, {"eng": html(TEXT)})
    monkeypatch.setattr("alifba.azeval.adaptation.texts.repo_root", lambda: tmp_path)
    arms = [
        {"slug": "untouched", "label": "none", "language": None, "role": "control"},
        arm("en", text="eng", seeds=2, steps=2),
    ]
    content = declared(arms, source=str(base), text={"integrity": integrity, "characters": LONG})
    content["adaptation"]["weights"] = str(tmp_path / "models")
    return content, tmp_path / "raw_outputs"


def silent(_line):
    pass


def test_a_training_leaves_weights_and_a_record_that_comes_back(place, tmp_path):
    content, runs = place
    study = study_of(tmp_path, content)
    record = adapt(study, "en-2", runs, silent)
    assert json.loads((records_folder(runs) / "en-2.json").read_text(encoding="utf-8")) == record
    assert record["revision"] == locate(Source(hub=str(tmp_path / "models" / "en-2"))).revision
    assert (record["seed"], record["recipe"]["steps"], len(record["losses"])) == (2, 2, 2)
    # A token a letter, and a BOS for each block of 20 characters.
    assert (record["characters"], record["tokens"]) == (LONG, LONG + BLOCKS)
    assert str(tmp_path) not in json.dumps(record), "no path of this machine"
    assert [slug for slug, _ in read_records(study.adaptation, records_folder(runs))] == ["en-2"]


def test_records_become_tables(place, tmp_path):
    content, runs = place
    study = study_of(tmp_path, content)
    made = {slug: adapt(study, slug, runs, silent) for slug in ("en-1", "untouched-1")}
    folder = records_folder(runs)
    table = trainings_table(study.adaptation, folder).set_index("model")
    assert list(table.index) == ["untouched-1", "en-1"], "in the order of the grid"
    assert table.loc["en-1", ["steps", "characters", "tokens"]].tolist() == [2, LONG, LONG + BLOCKS]
    assert table.loc["en-1", "tokens_per_character"] == pytest.approx((LONG + BLOCKS) / LONG)
    assert table.loc["en-1", ["loss_first", "loss_last"]].tolist() == made["en-1"]["losses"]
    assert table.loc["untouched-1", "steps"] == 0
    assert table.loc["untouched-1", ["tokens_per_character", "loss_first", "loss_last"]].isna().all()
    curves = curves_table(study.adaptation, folder)
    assert curves["model"].tolist() == ["en-1"] * 2
    # Nats per token times tokens per character.
    expected = [loss * (LONG + BLOCKS) / LONG for loss in made["en-1"]["losses"]]
    assert curves["nats_per_character"].tolist() == pytest.approx(expected)
    assert curves["step"].tolist() == [1, 2]


def recorded(folder, study, slug="en-1"):
    """A record of a training that was never done, as `adapt` writes one."""
    training = study.adaptation.training(slug)
    record = {"recipe": training.recipe.model_dump(mode="json"), "seed": training.seed, "losses": []}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{slug}.json").write_text(json.dumps(record))


@pytest.mark.parametrize("change", [{"learning_rate": 2e-3}, {"block": 30}, {"embeddings": True}])
def test_a_record_of_another_recipe_is_refused(place, tmp_path, change):
    content, runs = place
    recorded(records_folder(runs), study_of(tmp_path, content))
    content["adaptation"]["recipe"] |= change
    adaptation = study_of(tmp_path, content).adaptation
    with pytest.raises(
        InputError, match=r"another recipe than the study declares(.|\n)*en-1|en-1(.|\n)*another recipe"
    ):
        list(read_records(adaptation, records_folder(runs)))


@pytest.mark.parametrize("text", ["{", "[]", '{"seed": 1}'])
def test_what_is_no_record_is_named(place, tmp_path, text):
    content, runs = place
    study = study_of(tmp_path, content)
    recorded(records_folder(runs), study)
    (records_folder(runs) / "en-1.json").write_text(text)
    with pytest.raises(InputError, match="not a record of a training"):
        list(read_records(study.adaptation, records_folder(runs)))


def test_only_what_is_needed_is_trained(place, tmp_path):
    content, runs = place
    study = study_of(tmp_path, content)
    items = read_items(write_rows(tmp_path / "d.jsonl", [item_row(i) for i in range(3)]))

    def needed(again=False):
        return [training.slug for training in to_train(study, items, runs, again)]

    assert needed() == ["untouched-1", "en-1", "en-2"]
    adapt(study, "en-1", runs, silent)
    assert needed() == ["untouched-1", "en-2"]
    assert needed(again=True) == ["untouched-1", "en-1", "en-2"], "its runs are not complete"
    model = study.model("en-1")
    for language in study.languages:
        run_model(open_backend(model, study=study), model, items, language, "default", runs)
        run_likelihood(LikelihoodBackend(model), model, items, language, likelihood_folder(runs))
    shutil.rmtree(tmp_path / "models" / "en-1")
    assert needed(again=True) == ["untouched-1", "en-2"], "the weights of a model that is measured are not needed"
    for run in (*plan(study, items, runs), *plan_likelihood(study, items, runs)):
        if run.complete:
            pack(run.path)
    assert len(list(tmp_path.rglob("*.jsonl.gz"))) == 4
    assert needed(again=True) == ["untouched-1", "en-2"], "nor those of one whose runs are packed"


def test_the_same_training_twice_answers_the_same(place, tmp_path):
    """From text to raw row, in two places: same weights, same likelihoods, same answers."""
    content, _ = place
    seen = []
    for name in ("first", "second"):
        content["adaptation"]["weights"] = str(tmp_path / name / "models")
        study = study_of(tmp_path, content)
        record = adapt(study, "en-1", tmp_path / name / "raw", silent)
        model = study.model("en-1")
        prompts, answers = ["Q: a?", "Q: bc?"], ["a", "b c"]
        likely = [one.nll for one in LikelihoodBackend(model).score(prompts, answers)]
        told = [reply.text for reply in open_backend(model, study=study).generate(prompts, 8)]
        seen.append((record["revision"], record["losses"], record["text_sha256"], likely, told))
    assert seen[0] == seen[1]


def test_a_model_that_the_study_does_not_adapt_is_refused(place, tmp_path):
    content, runs = place
    with pytest.raises(InputError, match="adapts no such model"):
        adapt(study_of(tmp_path, content), "base", runs, silent)
    nothing = study_of(tmp_path, content | {"adaptation": None})
    with pytest.raises(InputError, match="adapts no such model"):
        adapt(nothing, "en-1", runs, silent)
    items = read_items(write_rows(tmp_path / "d.jsonl", [item_row()]))
    with pytest.raises(InputError, match="adapts no model"):
        list(to_train(nothing, items, runs))
