"""Study files: frozen, strictly validated."""

from alifba.config.adaptation import Adaptation, Arm, Hypothesis, ParallelText, Recipe, Training
from alifba.config.comparison import Account, Gates, Pair, Resampling, Script
from alifba.config.loading import load_study
from alifba.config.models import Api, Command, Model, Price, Retry, Slug, Source, Strict, Style, Text
from alifba.config.study import Decoding, Study

__all__ = [
    "Account",
    "Adaptation",
    "Api",
    "Arm",
    "Command",
    "Decoding",
    "Gates",
    "Hypothesis",
    "Model",
    "Pair",
    "ParallelText",
    "Price",
    "Recipe",
    "Resampling",
    "Retry",
    "Script",
    "Slug",
    "Source",
    "Strict",
    "Study",
    "Style",
    "Text",
    "Training",
    "load_study",
]
