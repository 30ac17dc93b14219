"""Which weights exactly: a commit, or the bytes themselves; what can move is refused where a paper rests on it."""

from __future__ import annotations

import hashlib
import shutil
from types import SimpleNamespace

import pytest

hub = pytest.importorskip("huggingface_hub", reason="needs the extra 'local'")

from alifba.backends.sources import locate  # noqa: E402
from alifba.config import Source  # noqa: E402
from alifba.errors import InputError  # noqa: E402

COMMIT = "0123456789abcdef0123456789abcdef01234567"
NOW = "f" * 40


@pytest.fixture
def asked(monkeypatch):
    """A hub on which every revision of Org/Model is the commit NOW; what it was asked."""
    questions = []

    def model_info(repo_id, *, revision=None, timeout=None):
        questions.append((repo_id, revision))
        return SimpleNamespace(sha=NOW)

    monkeypatch.setattr(hub, "model_info", model_info)
    return questions


def test_a_commit_is_taken_as_it_is_and_nobody_is_asked(asked):
    for floating in (True, False):
        weights = locate(Source(hub="Org/Model", revision=COMMIT), floating)
        assert (weights.folder, weights.gguf, weights.revision) == ("Org/Model", None, COMMIT)
    assert asked == []


@pytest.mark.parametrize("revision", [None, "main", "v1.0", COMMIT[:8], COMMIT.upper()])
def test_what_can_move_is_refused_and_the_commit_of_now_is_offered(asked, revision):
    with pytest.raises(InputError, match=r"the revision of Org/Model can move") as caught:
        locate(Source(hub="Org/Model", revision=revision))
    assert f"write 'revision: {NOW}'" in str(caught.value)
    assert asked == [("Org/Model", revision)]


@pytest.mark.parametrize("revision", [None, "main", "v1.0"])
def test_while_exploring_it_is_resolved_to_the_commit_of_now(asked, revision):
    assert locate(Source(hub="Org/Model", revision=revision), floating=True).revision == NOW
    assert asked == [("Org/Model", revision)]


@pytest.fixture
def unreachable(monkeypatch):
    def model_info(*args, **kwargs):
        raise ConnectionError("Name or service not known")

    monkeypatch.setattr(hub, "model_info", model_info)


def test_without_the_hub_a_copy_on_this_machine_knows_its_commit(unreachable, monkeypatch, tmp_path):
    copy = tmp_path / "models--Org--Model" / "snapshots" / COMMIT / "config.json"
    monkeypatch.setattr(
        hub, "hf_hub_download", lambda *args, **kwargs: str(copy) if kwargs["local_files_only"] else None
    )
    assert locate(Source(hub="Org/Model"), floating=True).revision == COMMIT


def test_without_hub_and_copy_it_is_told(unreachable, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(InputError, match="no copy of Org/Model-that-is-nowhere"):
        locate(Source(hub="Org/Model-that-is-nowhere"), floating=True)
    with pytest.raises(InputError, match="can move") as caught:
        locate(Source(hub="Org/Model-that-is-nowhere"))
    assert "write the full commit" in str(caught.value)


def test_a_refusing_hub_is_told_with_what_it_said(monkeypatch):
    from huggingface_hub.errors import RepositoryNotFoundError

    def model_info(*args, **kwargs):
        answer = SimpleNamespace(request=None, status_code=404, headers={}, text="")
        raise RepositoryNotFoundError("404 Client Error.\nRepository Not Found", response=answer)

    monkeypatch.setattr(hub, "model_info", model_info)
    with pytest.raises(InputError, match="does not give out Org/Typo") as caught:
        locate(Source(hub="Org/Typo"), floating=True)
    assert "Repository Not Found" in str(caught.value)


def test_a_folder_that_is_none_is_no_hub_id_either():
    with pytest.raises(InputError, match="no such folder, and no hub id"):
        locate(Source(hub="models/of/mine"), floating=True)


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "model"
    path.mkdir()
    for name, text in (("config.json", "{}"), ("model.safetensors", "w"), ("tokenizer.json", "t"), ("README.md", "r")):
        (path / name).write_text(text)
    return path


def test_a_folder_is_known_by_the_bytes_that_decide_an_answer(folder):
    first = locate(Source(hub=str(folder))).revision
    told = "".join(
        f"{name} {hashlib.sha256(text).hexdigest()}\n"
        for name, text in (("config.json", b"{}"), ("model.safetensors", b"w"), ("tokenizer.json", b"t"))
    )
    assert first == f"sha256:{hashlib.sha256(told.encode()).hexdigest()[:16]}"
    (folder / "README.md").write_text("another")
    assert locate(Source(hub=str(folder))).revision == first


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json", "chat_template.jinja"])
def test_another_byte_is_another_revision(folder, tmp_path, name):
    other = shutil.copytree(folder, tmp_path / "other")
    (other / name).write_text("changed")
    assert locate(Source(hub=str(other))).revision != locate(Source(hub=str(folder))).revision


def test_a_folder_without_a_model_is_told(tmp_path):
    with pytest.raises(InputError, match=r"no config\.json"):
        locate(Source(hub=str(tmp_path)))


def test_a_gguf_file_is_known_by_its_bytes(tmp_path):
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF and more")
    weights = locate(Source(gguf=str(path)))
    assert (weights.folder, weights.gguf) == (str(tmp_path), "m.gguf")
    assert weights.revision == f"sha256:{hashlib.sha256(b'GGUF and more').hexdigest()[:16]}"
    assert not weights.on_hub
    with pytest.raises(InputError, match="no such GGUF file"):
        locate(Source(gguf=str(tmp_path / "other.gguf")))


def test_a_package_that_is_not_installed_is_told():
    with pytest.raises(InputError, match="'no-such-model-gguf' that ships this model is not installed"):
        locate(Source(package="no-such-model-gguf"))


@pytest.mark.parametrize("n", [0, 2])
def test_a_package_must_ship_one_file(tmp_path, monkeypatch, n):
    package = tmp_path / f"ships_{n}"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for number in range(n):
        (package / f"{number}.gguf").write_bytes(b"")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match=f"ships {n} GGUF files"):
        locate(Source(package=f"ships-{n}"))


def test_weights_that_changed_within_one_process_are_another_revision(folder):
    before = locate(Source(hub=str(folder))).revision
    (folder / "model.safetensors").write_bytes(b"trained again")
    assert locate(Source(hub=str(folder))).revision != before
