"""What a study file says of a controlled adaptation: one base, one recipe, one text, many target languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from alifba.config.comparison import Script
from alifba.config.models import Model, Slug, Strict, Text


class ParallelText(Strict):
    """An npm package of one text in many languages. `characters` of it are used of every language, the same number."""

    package: Text
    version: Text
    integrity: str = Field(pattern=r"^sha(256|384|512)-[A-Za-z0-9+/]+=*$")
    """What the registry says the packed file hashes to (``sha512-…``), checked after it is fetched."""
    characters: int = Field(ge=1)


class Recipe(Strict):
    """How every arm is trained: AdamW on all weights but the embeddings.

    A step reads `batch` blocks of `block` characters. Blocks are cut by characters, so every arm takes the same steps
    over the same number of characters, whatever its tokens.
    """

    learning_rate: float = Field(gt=0)
    weight_decay: float = Field(default=0.0, ge=0)
    steps: int = Field(ge=1)
    batch: int = Field(ge=1)
    block: int = Field(ge=1)
    embeddings: bool = False
    """Train the embeddings too; they are shared with the output layer."""


class Arm(Strict):
    """One target of adaptation. `language` None is the base, saved and loaded again untouched."""

    slug: Slug
    label: Text
    language: Text | None
    text: Text | None = None
    """The language's code in the package."""
    transliterate: Text | None = None
    """A scheme of `alifba.text.transliteration` that the text is put through."""
    shuffle: bool = False
    """Put the words in random order: the words without the language."""
    script: Script = "Latin"
    role: Literal["target", "control", "sensitivity"] = "target"
    """Only targets take part in contrasts."""
    related: bool = False
    """Whether the language is Turkic, as Azerbaijani is."""
    contrast: Slug | None = None
    """Two arms of the same name are the same language in two scripts."""
    seeds: int = Field(default=1, ge=1)
    steps: int | None = Field(default=None, ge=1)
    embeddings: bool | None = None

    @model_validator(mode="after")
    def _text_of_a_language(self) -> Arm:
        if (self.language is None) != (self.text is None):
            raise ValueError(f"arm {self.slug!r}: 'language' and 'text' go together")
        return self


class Hypothesis(Strict):
    """One declared test. Its p is corrected (Holm) within its `family`."""

    contrast: Literal["script", "relatedness", "interaction"]
    """script: Cyrillic arm minus Latin arm of the same language, over the languages that have both. relatedness: Turkic
    minus other targets within each script, both scripts averaged. interaction: the script contrast of Turkic languages
    minus that of the others. Azerbaijani itself takes part in the first only."""
    outcome: Literal["excess_nll", "excess_em", "cyrillic", "other_language"]
    family: Literal["primary", "secondary"]
    account: Text
    """Which account of the damage predicts what."""
    predicts: Literal["above zero", "below zero", "not zero"]


class Adaptation(Strict):
    """The grid: every arm and seed is a model of the study, and with the base a pair."""

    base: Slug
    text: ParallelText
    recipe: Recipe
    weights: Text
    """Folder for the trained weights, outside git."""
    arms: list[Arm] = Field(min_length=1)
    hypotheses: list[Hypothesis] = Field(default=[])

    @model_validator(mode="after")
    def _arms_differ(self) -> Adaptation:
        slugs = [arm.slug for arm in self.arms]
        if repeated := {slug for slug in slugs if slugs.count(slug) > 1}:
            raise ValueError(f"arm used twice: {', '.join(sorted(repeated))}")
        for name in {arm.contrast for arm in self.arms} - {None}:
            scripts = sorted(arm.script for arm in self.arms if arm.contrast == name)
            if scripts != ["Cyrillic", "Latin"]:
                raise ValueError(f"contrast {name!r} needs a Cyrillic and a Latin arm, it has {scripts}")
        return self

    @model_validator(mode="after")
    def _text_fills_a_block(self) -> Adaptation:
        if self.text.characters < self.recipe.block:
            raise ValueError(f"{self.text.characters} characters fill no block of {self.recipe.block}")
        return self

    def trainings(self) -> Iterator[Training]:
        """Every arm with every seed: all arms with the first seed before any with the second."""
        for seed in range(1, max(arm.seeds for arm in self.arms) + 1):
            for arm in self.arms:
                if seed <= arm.seeds:
                    yield Training(arm, seed, self)

    def training(self, slug: str) -> Training | None:
        """The training that made the model `slug`; None if that was not adapted here."""
        return next((training for training in self.trainings() if training.slug == slug), None)


class Training:
    """One arm with one seed."""

    def __init__(self, arm: Arm, seed: int, of: Adaptation) -> None:
        self.arm, self.seed = arm, seed
        self.slug = f"{arm.slug}-{seed}"
        self.folder = Path(of.weights) / self.slug
        changed = {name: getattr(arm, name) for name in ("steps", "embeddings")}
        self.recipe = of.recipe.model_copy(update={name: v for name, v in changed.items() if v is not None})


def expanded(content: dict[str, Any]) -> dict[str, Any]:
    """A study's content with the models and pairs that its adaptation makes.

    What is no sound part of a study is left as it is: the study's own fields say what is wrong, and where.
    """
    given, models, pairs = (content.get(key) for key in ("adaptation", "models", "pairs"))
    try:
        adaptation = Adaptation.model_validate(given)
    except ValidationError:
        return content
    if not isinstance(models, list) or not isinstance(pairs or [], list):
        return content
    declared = [model for model in models if isinstance(model, dict) and model.get("slug") == adaptation.base]
    if not declared:
        raise ValueError(f"adaptation: the base {adaptation.base!r} is not among the models")
    base = declared[0]
    try:
        checked = Model.model_validate(base)
    except ValidationError:
        return content
    if checked.source is None or checked.precision == "nf4":
        raise ValueError(f"adaptation: the base {adaptation.base!r} needs a 'source', and another precision than nf4")
    made, made_pairs = [], []
    for training in adaptation.trainings():
        arm, name = training.arm, f"alifba/{adaptation.base}-{training.slug}"
        label = arm.label if arm.seeds == 1 else f"{arm.label}, seed {training.seed}"
        told = {"slug": training.slug, "name": name, "label": label, "source": {"hub": str(training.folder)}}
        made.append({key: value for key, value in base.items() if key != "released"} | told)
        made_pairs.append(
            {"name": training.slug, "base": base["name"], "tuned": name, "target": arm.language or "none"}
            | {"related": arm.related, "script": arm.script, "base_family": base["label"]}
        )
    return content | {
        "adaptation": adaptation,
        "models": models + made,
        "pairs": [*(pairs or []), *made_pairs],
    }
