"""What a study file says of an adaptation: the shipped one declares what it should, a wrong one is told where."""

from __future__ import annotations

from typing import Any

import pytest
from adaptation_kit import arm, declared, study_of

from alifba.config import load_study
from alifba.errors import InputError
from alifba.paths import repo_root


@pytest.fixture(scope="module")
def shipped():
    return load_study(repo_root() / "studies" / "controlled.yaml")


def test_the_shipped_study_declares_the_arms_that_it_promises(shipped):
    """The list of languages, scripts, controls and seeds that the experiment was announced with."""
    arms = shipped.adaptation.arms
    contrasts = {"Kazakh", "Turkish", "Turkmen", "Serbian", "Russian", "Azerbaijani"}
    both = [(one.language, one.script, one.seeds) for one in arms if one.contrast]
    assert sorted(both) == sorted((language, script, 3) for language in contrasts for script in ("Cyrillic", "Latin"))
    single = {one.language: one.script for one in arms if one.role == "target" and not one.contrast}
    cyrillic = dict.fromkeys(("Ukrainian", "Kyrgyz", "Tatar"), "Cyrillic")
    assert single == cyrillic | dict.fromkeys(("Norwegian", "French"), "Latin")
    controls = [one for one in arms if one.role == "control"]
    assert [(one.language, one.shuffle) for one in controls] == [(None, False), ("English", False), ("Turkish", True)]
    turkic = {"Kazakh", "Turkish", "Turkmen", "Azerbaijani", "Kyrgyz", "Tatar"}
    assert all(one.related == (one.language in turkic) for one in arms)


def test_the_shipped_recipe_is_three_passes_over_equal_text_and_one_for_all(shipped):
    adaptation = shipped.adaptation
    recipe, characters = adaptation.recipe, adaptation.text.characters
    assert (recipe.learning_rate, recipe.batch, recipe.embeddings) == (5e-5, 4, False)
    assert characters % recipe.block == 0
    assert recipe.steps * recipe.batch * recipe.block == 3 * characters
    changed = {t.slug: t.recipe for t in adaptation.trainings() if t.recipe != recipe}
    assert {slug: (r.steps, r.embeddings) for slug, r in changed.items()} == {
        "kk-cyrl-embeddings-1": (recipe.steps, True),
        "kk-latn-embeddings-1": (recipe.steps, True),
        "kk-cyrl-half-1": (recipe.steps // 2, False),
        "kk-latn-half-1": (recipe.steps // 2, False),
    }
    assert all(adaptation.training(slug).arm.role == "sensitivity" for slug in changed)


def test_every_arm_and_seed_is_a_model_and_a_pair_with_the_base(shipped):
    # 12 arms of a contrast with 3 seeds; 3 controls, 5 single-script targets and 4 sensitivity arms with one.
    trained = [training.slug for training in shipped.adaptation.trainings()]
    assert len(trained) == len(set(trained)) == 12 * 3 + 3 + 5 + 4
    assert [model.slug for model in shipped.models] == ["gemma-3-270m", *trained]
    assert [pair.name for pair in shipped.pairs] == trained
    base = shipped.model("gemma-3-270m")
    assert {pair.base for pair in shipped.pairs} == {base.name}
    for slug in trained:
        model = shipped.model(slug)
        assert (model.precision, model.batch_size) == (base.precision, base.batch_size)
        assert model.source.hub == f"models/controlled/{slug}"
        assert model.released is None, "nobody else could get it"
        assert next(pair for pair in shipped.pairs if pair.tuned == model.name).name == slug


def test_all_arms_are_trained_once_before_any_again(shipped):
    seeds = [training.seed for training in shipped.adaptation.trainings()]
    assert seeds == sorted(seeds)
    assert seeds[0] == 1


def test_models_and_pairs_of_the_study_itself_stay(tmp_path):
    other = {"slug": "other", "name": "org/other", "label": "Other", "backend": "fake"}
    pair = {"name": "own", "base": "org/base", "tuned": "org/other", "target": "x", "related": False}
    content = declared(arms=[arm("en")])
    content["models"].append(other)
    content["pairs"] = [pair | {"script": "Latin", "base_family": "B"}]
    study = study_of(tmp_path, content)
    assert [model.slug for model in study.models] == ["base", "other", "en-1"]
    assert [pair.name for pair in study.pairs] == ["own", "en-1"]


def _twice(content: dict[str, Any]) -> None:
    content["adaptation"]["arms"] *= 2


def _one_script(content: dict[str, Any]) -> None:
    content["adaptation"]["arms"][0] |= {"contrast": "kazakh"}


def _both_latin(content: dict[str, Any]) -> None:
    content["adaptation"]["arms"] = [arm("a", contrast="x"), arm("b", contrast="x")]


def _no_base(content: dict[str, Any]) -> None:
    content["adaptation"]["base"] = "bass"


def _unknown_key(content: dict[str, Any]) -> None:
    content["adaptation"]["arms"][0]["sript"] = "Latin"


def _no_text(content: dict[str, Any]) -> None:
    del content["adaptation"]["arms"][0]["text"]


def _no_recipe(content: dict[str, Any]) -> None:
    del content["adaptation"]["recipe"]


def _steps_as_text(content: dict[str, Any]) -> None:
    content["adaptation"]["recipe"]["steps"] = "12"


def _no_block(content: dict[str, Any]) -> None:
    content["adaptation"]["text"]["characters"] = 9


def _odd_hash(content: dict[str, Any]) -> None:
    content["adaptation"]["text"]["integrity"] = "md5-AAAA"


def _nameless_base(content: dict[str, Any]) -> None:
    del content["models"][0]["name"]


def _models_no_list(content: dict[str, Any]) -> None:
    content["models"] = None


def _fake_base(content: dict[str, Any]) -> None:
    content["models"][0] = {"slug": "base", "name": "b", "label": "b", "backend": "fake"}


def _quantised_base(content: dict[str, Any]) -> None:
    content["models"][0]["precision"] = "nf4"


def _clash(content: dict[str, Any]) -> None:
    content["models"].append(content["models"][0] | {"slug": "en-1", "name": "other"})


def _other_outcome(content: dict[str, Any]) -> None:
    content["adaptation"]["hypotheses"][0]["outcome"] = "az_nll"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_twice, "arm used twice: en"),
        (_one_script, r"contrast 'kazakh' needs a Cyrillic and a Latin arm, it has \['Latin'\]"),
        (_both_latin, r"contrast 'x' needs .*\['Latin', 'Latin'\]"),
        (_no_base, "the base 'bass' is not among the models"),
        (_unknown_key, r"study.yaml:1: unknown key 'adaptation.arms.0.sript'\n  likely: did you mean 'script'"),
        (_no_text, "adaptation.arms.0: arm 'en': 'language' and 'text' go together"),
        (_no_recipe, "key 'adaptation.recipe' is missing"),
        (_steps_as_text, "adaptation.recipe.steps: .*integer"),
        (_no_block, "9 characters fill no block of 20"),
        (_odd_hash, "adaptation.text.integrity"),
        (_nameless_base, "key 'models.0.name' is missing"),
        (_models_no_list, "models: .*list"),
        (_fake_base, "the base 'base' needs a 'source'"),
        (_quantised_base, "another precision than nf4"),
        (_clash, "model slug used twice: en-1"),
        (_other_outcome, "adaptation.hypotheses.0.outcome"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, spoil, message):
    hypothesis = {"contrast": "script", "outcome": "excess_nll", "family": "f", "account": "a", "predicts": "not zero"}
    content = declared(arms=[arm("en")], hypotheses=[hypothesis | {"family": "primary"}])
    study_of(tmp_path, content)
    spoil(content)
    with pytest.raises(InputError, match=message):
        study_of(tmp_path, content)


def test_a_study_without_an_adaptation_is_left_as_it_is(tmp_path):
    content = declared(arms=[arm("en")]) | {"adaptation": None}
    study = study_of(tmp_path, content)
    assert [model.slug for model in study.models] == ["base"]
    assert study.pairs == []
