"""Execute a notebook with papermill: strict parameters, nothing secret kept, the old copy replaced only on success."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from alifba.backends.environment import Scrubber
from alifba.errors import InputError, closest
from alifba.paths import repo_root, shown, write_atomic

# Start and end times would make every diff of an executed copy a page long; the paths name the user's folders.
_VOLATILE = ("start_time", "end_time", "duration", "input_path", "output_path")
_START_ATTEMPTS = 3


def execute(notebook: Path, parameters: dict[str, Any], output: Path) -> None:
    """Run `notebook` from the repository root with `parameters` and write the executed copy to `output`.

    Raises:
        InputError: an unknown parameter, a parameter assigned again by a later cell, a failing cell (its error is
            told, and the copy so far is kept as ``<output>.failed.ipynb``), or a kernel that died.
    """
    import papermill
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    _check_parameters(notebook, parameters)
    output.parent.mkdir(parents=True, exist_ok=True)
    draft = output.with_suffix(".failed.ipynb")
    settings = {
        "cwd": str(repo_root()),
        "progress_bar": False,
        "kernel_name": "python3",
        "language": "python",
        # A kernel on this machine alone need not warn that its sockets are plain.
        "extra_arguments": ["--log-level=CRITICAL"],
    }
    for attempt in range(1, _START_ATTEMPTS + 1):
        try:
            papermill.execute_notebook(str(notebook), str(draft), parameters, **settings)
            break
        except PapermillExecutionError as fault:
            raise InputError(
                Scrubber().clean(f"cell {fault.exec_count} failed: {fault.ename}: {fault.evalue}"),
                file=shown(notebook),
                next_step=f"open {shown(draft)} to see it, or run the notebook in JupyterLab",
            ) from None
        except DeadKernelError:
            raise InputError(
                "the kernel was killed, most likely out of memory",
                file=shown(notebook),
                next_step="close other programs, run fewer notebooks at once (make -j1), or a smaller batch",
            ) from None
        except RuntimeError:
            # Kernels that start together can race for a port. Only the start is tried again, never a cell.
            if attempt == _START_ATTEMPTS:
                raise
        finally:
            _scrub_file(draft)
    draft.replace(output)


def study_parameters(notebook: Path, offered: dict[str, Any]) -> dict[str, Any]:
    """Those of the `offered` parameters that `notebook` has: not every notebook needs a dataset."""
    _, tagged = _code_cells(notebook)
    known = set(_assigned(tagged.source))
    return {name: value for name, value in offered.items() if name in known}


def _code_cells(notebook: Path) -> tuple[list[NotebookNode], NotebookNode]:
    """All code cells, and the one tagged ``parameters``."""
    try:
        cells = nbformat.read(notebook, as_version=4).cells
    except FileNotFoundError:
        raise InputError("no such notebook", file=notebook, next_step="see notebooks/") from None
    except Exception as fault:
        # nbformat has no error of its own for what is no notebook.
        raise InputError(f"not a notebook ({fault})", file=notebook) from None
    code = [cell for cell in cells if cell.cell_type == "code"]
    tagged = [cell for cell in code if "parameters" in cell.metadata.get("tags", [])]
    if len(tagged) != 1:
        raise InputError(f"{len(tagged)} cells are tagged 'parameters', one is needed", file=shown(notebook))
    return code, tagged[0]


def _check_parameters(notebook: Path, parameters: dict[str, Any]) -> None:
    code, tagged = _code_cells(notebook)
    known = set(_assigned(tagged.source))
    for name in parameters:
        if name not in known:
            raise InputError(
                f"unknown parameter {name!r}",
                file=shown(notebook),
                likely=closest(name, known),
                next_step="known: " + ", ".join(sorted(known)),
            )
    for number, cell in enumerate(code, 1):
        if cell is not tagged and (again := known & set(_assigned(cell.source))):
            raise InputError(
                f"code cell {number} assigns the parameter {min(again)!r} again, so what is injected would be lost",
                file=shown(notebook),
                next_step="use another name in that cell",
            )


def _assigned(source: str) -> Iterator[str]:
    """Every name that `source` binds, magics left out; of a cell that is no Python, none: running it will tell."""
    from IPython.core.inputtransformer2 import TransformerManager

    try:
        tree = ast.parse(TransformerManager().transform_cell(source))  # type: ignore[no-untyped-call]
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.split(".")[0]


def _scrub_file(path: Path) -> None:
    if path.exists():
        write_atomic(path, nbformat.writes(scrub(nbformat.read(path, as_version=4))) + "\n")


def scrub(notebook: NotebookNode) -> NotebookNode:
    """Take out run times, this machine's folders and every secret of the environment, in place."""
    for part in (notebook, *notebook.cells):
        record = part.metadata.get("papermill", {})
        for name in _VOLATILE:
            record.pop(name, None)
        part.metadata.pop("execution", None)
    cleaned: NotebookNode = _cleaned(notebook, Scrubber(), _folders())
    return cleaned


def _folders() -> list[tuple[str, str]]:
    """(folder, what to write for it), longest first so that a folder inside another is named from the nearer one."""
    folders = [(str(repo_root()), "."), (str(Path.home()), "~")]
    return sorted((pair for pair in folders if len(pair[0]) > 1), key=lambda pair: -len(pair[0]))


def _cleaned(value: Any, secrets: Scrubber, folders: list[tuple[str, str]]) -> Any:
    if isinstance(value, str):
        value = secrets.clean(value)
        for what, by in folders:
            value = value.replace(what, by)
    elif isinstance(value, dict):
        for key in list(value):
            value[secrets.clean(key)] = _cleaned(value.pop(key), secrets, folders)
    elif isinstance(value, list):
        value[:] = [_cleaned(part, secrets, folders) for part in value]
    return value
