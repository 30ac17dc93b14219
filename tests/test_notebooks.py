"""Notebooks: strict parameters, a clear death, nothing secret kept; and those that ship keep the house rules."""

from __future__ import annotations

import ast
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from alifba.errors import InputError
from alifba.notebooks import execute, scrub, study_parameters
from alifba.paths import repo_root

SHIPPED = sorted((repo_root() / "notebooks").rglob("*.ipynb"))


def make(folder: Path, *cells: str, parameters: str = 'study = "a"\nout = ""') -> Path:
    """A notebook whose first cell is tagged ``parameters``."""
    tagged = new_code_cell(parameters, metadata={"tags": ["parameters"]})
    path = folder / "made.ipynb"
    nbformat.write(new_notebook(cells=[new_markdown_cell("# Made"), tagged, *map(new_code_cell, cells)]), path)
    return path


def outputs(path: Path) -> str:
    cells = nbformat.read(path, as_version=4).cells
    return "".join(output.get("text", "") for cell in cells for output in cell.get("outputs", []))


def test_what_is_injected_is_what_the_cells_see(tmp_path):
    notebook = make(tmp_path, "print(type(study).__name__, study)")
    execute(notebook, {"study": "nan"}, tmp_path / "done" / "made.ipynb")
    assert outputs(tmp_path / "done" / "made.ipynb") == "str nan\n"
    # The notebook itself stays as it was, and nothing else is left behind.
    assert outputs(notebook) == ""
    assert [path.name for path in (tmp_path / "done").iterdir()] == ["made.ipynb"]


def test_an_unknown_parameter_is_an_error_with_the_known_ones(tmp_path):
    with pytest.raises(InputError, match="unknown parameter 'studdy'") as caught:
        execute(make(tmp_path), {"studdy": "b"}, tmp_path / "out.ipynb")
    assert caught.value.likely == "did you mean 'study'?"
    assert not (tmp_path / "out.ipynb").exists()


@pytest.mark.parametrize(
    "cell",
    [
        'study = "b"',
        "study: str = 'b'",
        "study += 'b'",
        "(study, other) = 1, 2",
        "for study in ('b',): pass",
        "with open('/dev/null') as study: pass",
        "if (study := 'b'): pass",
        "import os as study",
        "def study(): pass",
        "class study: pass",
    ],
)
def test_a_parameter_that_a_later_cell_assigns_again_is_an_error(tmp_path, cell):
    with pytest.raises(InputError, match="code cell 3 assigns the parameter 'study' again"):
        execute(make(tmp_path, "x = 1", cell), {"study": "b"}, tmp_path / "out.ipynb")


def test_magics_and_mere_uses_are_no_assignment(tmp_path):
    cells = [
        "%matplotlib inline\nx = 1",
        "!true",
        "%%bash\nstudy=b",
        "x = !ls",
        "study == 'b'",
        "?print",
        "x = [study]",
    ]
    execute(make(tmp_path, *cells), {"study": "b"}, tmp_path / "out.ipynb")


def test_a_cell_that_is_no_python_fails_as_a_cell(tmp_path):
    with pytest.raises(InputError, match="SyntaxError"):
        execute(make(tmp_path, "x = = 1"), {"study": "b"}, tmp_path / "out.ipynb")


def test_only_what_a_notebook_has_is_offered_to_it(tmp_path):
    assert study_parameters(make(tmp_path), {"study": "b", "dataset": "c"}) == {"study": "b"}


@pytest.mark.parametrize("tagged", [0, 2])
def test_one_cell_is_tagged_parameters(tmp_path, tagged):
    cells = [new_code_cell("study = 1", metadata={"tags": ["parameters"]}) for _ in range(tagged)]
    nbformat.write(new_notebook(cells=cells), tmp_path / "n.ipynb")
    with pytest.raises(InputError, match=f"{tagged} cells are tagged"):
        execute(tmp_path / "n.ipynb", {}, tmp_path / "out.ipynb")


@pytest.mark.parametrize("content", [None, "", "not JSON", "[]", '{"cells": 1}'])
def test_what_is_no_notebook_is_named(tmp_path, content):
    path = tmp_path / "n.ipynb"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError, match="notebook") as caught:
        execute(path, {}, tmp_path / "out.ipynb")
    assert "n.ipynb" in str(caught.value)


def test_a_failing_cell_keeps_the_old_copy_and_shows_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("MADE_UP_API_KEY", "sk-123456789")
    copy = tmp_path / "copy.ipynb"
    copy.write_text("the old copy")
    notebook = make(tmp_path, "import os\nprint(os.environ['MADE_UP_API_KEY'])", "1 / 0")
    with pytest.raises(InputError, match="ZeroDivisionError"):
        execute(notebook, {}, copy)
    assert copy.read_text() == "the old copy"
    failed = (tmp_path / "copy.failed.ipynb").read_text()
    assert "ZeroDivisionError" in failed
    assert "sk-123456789" not in failed


def test_a_kernel_that_dies_says_so_and_leaves_no_secret(tmp_path, monkeypatch):
    monkeypatch.setenv("MADE_UP_API_KEY", "sk-123456789")
    copy = tmp_path / "copy.ipynb"
    copy.write_text("the old copy")
    notebook = make(
        tmp_path,
        "import os\nprint(os.environ['MADE_UP_API_KEY'], flush=True)",
        "import signal\nos.kill(os.getpid(), signal.SIGKILL)",
    )
    with pytest.raises(InputError, match="killed, most likely out of memory"):
        execute(notebook, {}, copy)
    assert copy.read_text() == "the old copy"
    for path in tmp_path.iterdir():
        assert "sk-123456789" not in path.read_text()


def test_nothing_secret_and_no_folder_of_this_machine_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("SERVICE_TOKEN", "tok-abcdef")
    cell = "import os\nfrom pathlib import Path\nprint(os.environ['SERVICE_TOKEN'], Path.home(), Path.cwd())"
    execute(make(tmp_path, cell), {}, tmp_path / "out.ipynb")
    text = (tmp_path / "out.ipynb").read_text()
    assert not [hidden for hidden in ("tok-abcdef", str(repo_root()), str(tmp_path)) if hidden in text]
    assert outputs(tmp_path / "out.ipynb") == "[secret] ~ .\n"


def test_two_copies_differ_in_nothing_but_the_names_of_cells(tmp_path):
    notebook = make(tmp_path, "print(1)")
    copies = []
    for name in ("a", "b"):
        execute(notebook, {"out": "x"}, tmp_path / f"{name}.ipynb")
        copies.append(nbformat.read(tmp_path / f"{name}.ipynb", as_version=4))
        for cell in copies[-1].cells:
            del cell["id"]
    assert copies[0] == copies[1]


def test_a_short_value_of_a_secret_name_hides_nothing(monkeypatch):
    monkeypatch.setenv("MADE_UP_KEY", "a")
    assert scrub(new_notebook(cells=[new_code_cell("banana")])).cells[0].source == "banana"


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
class TestShipped:
    def test_a_title_and_a_reason_come_first(self, path):
        title, *reason = nbformat.read(path, as_version=4).cells[0].source.split("\n", 1)
        assert title.startswith(f"# {path.name[:2]} · ")
        assert len("".join(reason).split()) > 20

    def test_outputs_are_stripped(self, path):
        for cell in nbformat.read(path, as_version=4).cells:
            assert not cell.get("outputs")
            assert cell.get("execution_count") is None

    def test_parameters_are_plain_literals_in_one_cell(self, path):
        code = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        (tagged,) = [cell for cell in code if "parameters" in cell.metadata.get("tags", [])]
        assert tagged is code[0]
        for statement in ast.parse(tagged.source).body:
            assert isinstance(statement, ast.Assign)
            ast.literal_eval(statement.value)

    def test_it_is_thin_and_ends_with_what_it_promised(self, path):
        code = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        assert len(code) <= 15
        for cell in code:
            for node in ast.walk(ast.parse(cell.source)):
                if isinstance(node, ast.FunctionDef):
                    assert node.end_lineno - node.lineno < 5
        assert any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(code[-1].source)))


def test_there_are_notebooks():
    assert len(SHIPPED) >= 3
