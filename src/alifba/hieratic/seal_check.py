"""Put together what the seal is checked against: every inbox of the checkout, and the items of the study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from alifba.errors import InputError
from alifba.hieratic.items import load_items
from alifba.hieratic.keys import load_key
from alifba.hieratic.sealing import INBOX, Finding, Private, check, read_private
from alifba.hieratic.settings import load_study
from alifba.paths import resolve


def findings(
    root: Path, study: Path, data: str = "", more_inboxes: Sequence[Path] = (), key: Path | None = None
) -> tuple[list[Finding], Private]:
    """Everything in the checkout `root` that breaks the seal, and what it was compared with.

    Raises:
        InputError: `root` is no git checkout, or one of `more_inboxes` is no folder.
    """
    spec = load_study(study)
    for inbox in more_inboxes:
        if not inbox.is_dir():
            raise InputError("no such inbox", file=inbox)
    own = [path for path in sorted((root / "results").rglob(INBOX)) if path.is_dir()]
    folders = [folder for folder in {spec.data, data} if folder and resolve(folder).is_dir()]
    sealed = [item.id for folder in folders for item in load_items(folder).items_only if item.split == "sealed"]
    readings = [text for answers in load_key(key).values() for text in answers.texts()]
    private = read_private([*own, *more_inboxes], sealed, readings)
    return check(root, private, [root / spec.results / INBOX, *own]), private
