"""Language confusion: is a wrong answer the right concept in another language?

Usable on its own. ``detect(gold, answer)`` judges one answer, ``detect_table`` a table, ``detect_file`` a CSV file.
Another target language is another profile beside ``data/az.toml``: its alphabet, the languages it is confused with,
its word list and its spelling rules; ``data/tr.toml`` is the second one.
"""

from alifba.text.confusion.detection import (
    FLAGS,
    Detection,
    detect,
    detect_table,
    flag_alphabet,
    flag_concept,
    flag_lexicon,
    flag_lid,
    recovered,
)
from alifba.text.confusion.evaluation import Evaluation, evaluate, evaluate_table, label_counts, missed
from alifba.text.confusion.failure import MODES, failure_mode, recovering_chain
from alifba.text.confusion.files import detect_file, read_table
from alifba.text.confusion.scripts import is_g_q_hole, script_shares
from alifba.text.confusion.target import Target, known_targets, load_target
from alifba.text.cyrillic import contains_cyrillic

__all__ = [
    "FLAGS",
    "MODES",
    "Detection",
    "Evaluation",
    "Target",
    "contains_cyrillic",
    "detect",
    "detect_file",
    "detect_table",
    "evaluate",
    "evaluate_table",
    "failure_mode",
    "flag_alphabet",
    "flag_concept",
    "flag_lexicon",
    "flag_lid",
    "is_g_q_hole",
    "known_targets",
    "label_counts",
    "load_target",
    "missed",
    "read_table",
    "recovered",
    "recovering_chain",
    "script_shares",
]
