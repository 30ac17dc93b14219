"""To and from other harnesses: the same items and prompts out, their sample logs in as raw runs."""

from alifba.azeval.interop.exports import export_hugging_face, export_inspect, export_lm_eval
from alifba.azeval.interop.imports import import_inspect, import_lm_eval

__all__ = ["export_hugging_face", "export_inspect", "export_lm_eval", "import_inspect", "import_lm_eval"]
