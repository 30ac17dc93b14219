"""The notebooks leave what they promise, and the committed board is what the committed runs give."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from alifba.paths import repo_root

ROOT = repo_root()


def run(name: str, **given: str) -> None:
    """Run the cells of a notebook in this process, with other values in its parameters cell."""
    scope: dict[str, object] = {}
    for cell in nbformat.read(ROOT / "notebooks" / "hieratic" / f"{name}.ipynb", as_version=4).cells:
        if cell.cell_type == "code":
            exec(cell.source, scope)
            if "parameters" in cell.metadata.get("tags", []):
                assert set(given) <= set(scope)
                scope |= given


def files(folder: Path, *patterns: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for pattern in patterns for path in sorted(folder.glob(pattern))}


def test_the_committed_board_is_what_the_runs_give(tmp_path):
    run("30_leaderboard", out=str(tmp_path))
    committed = ROOT / "results" / "hieratic"
    assert files(tmp_path, "*.json") == files(committed, "leaderboard.json")
    made = files(tmp_path / "tables", "*.csv")
    assert made
    assert made == {name: data for name, data in files(committed / "tables", "*.csv").items() if name in made}
    assert set(files(tmp_path / "figures", "*.png")) == set(files(ROOT / "figures" / "hieratic", "*.png"))
    notice = json.loads((tmp_path / "leaderboard.json").read_text(encoding="utf-8"))["entries"][0]["label"]
    assert notice.startswith("fake")
    for name, data in made.items():
        rows = data.decode("utf-8").splitlines()[1:]
        assert all("fake model: checks the pipeline, says nothing about any model" in row for row in rows), name


@pytest.mark.parametrize("show", ["right", "unread"])
def test_the_gallery_is_written(tmp_path, show):
    run("40_gallery", out=str(tmp_path), show=show, items_at_most="5")
    page = (tmp_path / "notebooks" / "gallery.html").read_text(encoding="utf-8")
    assert page.count("<figure>") == 5
    assert "pilot: rendered from a font, not comparable" in page
