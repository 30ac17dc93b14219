"""Runs that an endpoint refuses under the declared settings: recorded, not run with other ones."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

from alifba.backends.base import UnsupportedSetting
from alifba.config import Api
from alifba.paths import write_atomic

_DECLARED = {"provider", "model", "base_url", "endpoint", "reasoning", "temperature", "seed", "extra_body"}


def record_path(raw_file: Path) -> Path:
    """Where the refusal of a run is recorded: ``unsupported/`` beside the folder of its raw file."""
    return raw_file.parent.parent / "unsupported" / f"{raw_file.stem}.json"


def record(raw_file: Path, api: Api, fault: UnsupportedSetting) -> Path:
    """Write down which setting was refused, and the refusal word for word."""
    path = record_path(raw_file)
    content = {
        "run": raw_file.stem,
        "reason": fault.what,
        "setting": fault.setting,
        "message": fault.said,
        "date": date.today().isoformat(),
        "declared": _declared(api),
    }
    write_atomic(path, json.dumps(content, ensure_ascii=False, indent=2) + "\n")
    return path


def is_recorded(raw_file: Path, api: Api | None) -> bool:
    """Whether the run was refused under the very settings that are declared now."""
    path = record_path(raw_file)
    if api is None or not path.is_file():
        return False
    try:
        return bool(json.loads(path.read_text(encoding="utf-8"))["declared"] == _declared(api))
    except (ValueError, KeyError, TypeError):
        return False


def _declared(api: Api) -> dict[str, Any]:
    return api.model_dump(mode="json", include=_DECLARED)
