"""The seal: a private text is found wherever it is planted, and ordinary files are left in peace."""

from __future__ import annotations

import base64
import bz2
import gzip
import html
import io
import json
import lzma
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import quote

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from vision_kit import SECRET, checkout, git, png, record_row, sealed_row, write_items, write_run

from alifba.hieratic.fake_vision import FakeVision
from alifba.hieratic.items import load_items
from alifba.hieratic.planning import plan
from alifba.hieratic.privacy import public_parsed
from alifba.hieratic.records import ModelInfo
from alifba.hieratic.running import Places, run
from alifba.hieratic.scoring import score_identify
from alifba.hieratic.seal_check import findings
from alifba.hieratic.traces import Traces

ROOT = Path(__file__).parents[2]
STUDY = Path("studies/hieratic.yaml")
HALF = " ".join(SECRET.split()[3:11])
WHOLE = f"I read it so.\n\nTRANSLATION: {SECRET}"


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A small checkout of its own; its inbox holds the answer `WHOLE`."""
    folder = checkout(tmp_path / "checkout")
    monkeypatch.setenv("ALIFBA_ROOT", str(folder))
    monkeypatch.chdir(folder)
    return folder


def broken(root: Path, **more) -> list[str]:
    found, _ = findings(root, STUDY, **more)
    return [str(finding) for finding in found]


def plant(root: Path, name: str, content: str | bytes) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def packed(text: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("sheet", text)
    return buffer.getvalue()


def test_a_sound_checkout_is_left_in_peace(root):
    assert broken(root) == []


@pytest.mark.parametrize(
    "content",
    [
        WHOLE,
        SECRET,
        HALF,
        SECRET.upper(),
        SECRET.replace(" ", "\n"),
        SECRET.replace(" ", "  **"),
        "".join(f"> {word}\r\n" for word in SECRET.split()),
        json.dumps({"cells": [{"source": [WHOLE]}]}),
        json.dumps(json.dumps(json.dumps({"text": WHOLE}))),
        json.dumps("Ⲁ " + WHOLE),
        "".join(f"\\u{ord(sign):04x}" for sign in SECRET),
        json.dumps("".join(f"\\u{ord(sign):04X}" for sign in SECRET)),
        html.escape(WHOLE).replace(" ", "&nbsp;"),
        "".join(f"&#{ord(sign)};" for sign in SECRET),
        quote(WHOLE),
        f'id,answer\n1,"{SECRET}"\n',
        WHOLE.encode("utf-16"),
        gzip.compress(WHOLE.encode()),
        packed(WHOLE),
        b"\0\1\2" + WHOLE.encode() + b"\xff\xfe",
        b"%PDF-1.4\n" + WHOLE.encode(),
        png().replace(b"number", SECRET.encode()),
        WHOLE.encode("utf-16-le"),
        WHOLE.encode("utf-16-be"),
        WHOLE.encode("utf-32"),
        bz2.compress(WHOLE.encode()),
        lzma.compress(WHOLE.encode()),
        gzip.compress(packed(WHOLE)),
        f'<a href="data:text/plain;base64,{base64.b64encode(WHOLE.encode()).decode()}">',
        base64.encodebytes(WHOLE.encode()),
        " ".join(f"{word[:2]}\u00ad{word[2:]}\u200b" for word in SECRET.split()),
    ],
)
@pytest.mark.parametrize("name", ["results/hieratic/tables/x.csv", "results/other/notebooks/deep/x.ipynb"])
def test_a_text_of_the_inbox_is_found_however_it_is_written(root, name, content):
    (root / ".gitignore").write_text("inbox/\nresults/*/notebooks/\n", encoding="utf-8")
    plant(root, name, content)
    found = broken(root)
    assert found
    assert all(line.startswith(name) for line in found)
    assert "baker" not in "".join(found), "what is found is not repeated"


@given(begin=st.integers(0, 40), length=st.integers(8, 30))
def test_any_eight_words_of_a_private_text_are_found(begin, length):
    said = [f"word{n}" for n in range(60)]
    traces = Traces()
    traces.add("r.jsonl:1", " ".join(said), 8)
    text = "before\n" * 3 + " ".join(said[begin : begin + length]) + "\nafter"
    (found,) = traces.find(text)
    assert (found.line, found.n_words, found.origin) == (4, min(length, 60 - begin), "r.jsonl:1")
    assert traces.find(" ".join(said[begin : begin + 7])) == []


def test_a_text_in_the_name_of_a_file_is_found_and_not_repeated(root):
    plant(root, f"notes/{SECRET.replace(' ', '-')}.md", "")
    (found,) = broken(root)
    assert "the name of a file" in found
    assert "baker" not in found


def test_a_text_outside_results_is_found_where_git_could_commit_it(root):
    plant(root, "notes/a b.md", SECRET)
    assert [line.partition(":")[0] for line in broken(root)] == ["notes/a b.md"]
    plant(root, ".gitignore", "inbox/\nnotes/\n")
    assert broken(root) == []


def test_a_text_that_is_staged_but_no_longer_in_the_folder_is_found(root):
    plant(root, "notes.md", SECRET)
    git(root, "add", "notes.md")
    plant(root, "notes.md", "nothing")
    (found,) = broken(root)
    assert found.startswith("notes.md (as staged):1: ")
    (root / "notes.md").unlink()
    assert broken(root) == [found]


def test_a_response_planted_in_the_record_of_an_open_item_is_found(root):
    plain = record_row(response="It is hieratic.\nSCRIPT: Hieratic")
    for response in (WHOLE, f"{SECRET}\nSCRIPT: Hieratic", f"Well, {' '.join(SECRET.split()[2:14])}."):
        write_run(root / "results/hieratic/runs/r.jsonl", plain, record_row(sample=1, response=response))
        assert any(line.startswith("results/hieratic/runs/r.jsonl:2: ") for line in broken(root)), response


def test_phrases_that_models_use_of_open_items_too_are_no_trace(root):
    phrase = "This is hieratic, a cursive form of the writing of ancient Egypt that was used on papyrus."
    sealed = record_row(itemId="pilot-sealed", response=f"{phrase} {SECRET}", privateCopy=True)
    write_run(root / "results/hieratic/inbox/r.jsonl", sealed)
    write_run(root / "results/hieratic/runs/r.jsonl", record_row(response=f"{phrase}\nSCRIPT: Hieratic"))
    plant(root, "results/hieratic/gallery.html", phrase)
    assert broken(root) == []
    (root / "results/hieratic/runs/r.jsonl").unlink()
    assert [line.partition(":")[0] for line in broken(root)] == ["results/hieratic/gallery.html"]
    plant(root, "data/hieratic/commonplaces.txt", phrase + "\n")
    assert broken(root) == []


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"itemId": "pilot-sealed", "response": "Short."}, "a public record of a sealed item holds a response"),
        ({"itemId": "hb-002", "response": "Short."}, "a public record of a sealed item holds a response"),
        (
            {"itemId": "pilot-sealed", "rung": "signs", "response": "", "parsed": "G17"},
            "a public record of a sealed rung holds an answer line",
        ),
        ({"itemId": "pilot-sealed", "response": "", "privateCopy": True}, "a private copy outside the inbox"),
    ],
)
def test_a_public_record_of_a_sealed_item_holds_no_text(root, changes, what):
    write_run(root / "results/elsewhere/x.jsonl", record_row(), record_row(**changes))
    assert broken(root) == [f"results/elsewhere/x.jsonl:2: {what}"]
    plant(root, "results/elsewhere/x.jsonl", "")
    plant(root, "site/runs.json", json.dumps({"runs": [record_row(**changes)]}, indent=1))
    assert broken(root) == [f"site/runs.json: {what}"]


@pytest.mark.parametrize("name", ["r.jsonl.gz", "r.txt", "r.zip", "r"])
def test_such_a_record_is_found_in_any_file_and_without_an_inbox(root, name):
    for path in (root / "results/hieratic/inbox").iterdir():
        path.unlink()
    line = json.dumps({"itemId": "hb-001", "response": "Short."})
    content = {".gz": gzip.compress(line.encode()), ".zip": packed(line)}
    plant(root, f"results/other/{name}", content.get(Path(name).suffix, line))
    (found,) = broken(root)
    assert "a public record of a sealed item holds a response" in found


def test_an_inbox_that_is_committed_or_not_ignored_is_told(root):
    git(root, "add", "-f", "results/hieratic/inbox/r.jsonl")
    assert broken(root) == ["results/hieratic/inbox/r.jsonl: a file of an inbox could be committed"]
    git(root, "rm", "-q", "--cached", "results/hieratic/inbox/r.jsonl")
    plant(root, ".gitignore", "")
    assert "results/hieratic/inbox: git does not ignore the inbox" in broken(root)


def test_a_key_and_an_inbox_elsewhere_are_compared_too(root, tmp_path):
    other = "seven scribes of the harbour quarter measured barley"
    key = tmp_path / "key.json"
    key.write_text(
        json.dumps({"pilot-sealed": {"translation": [other], "signs": [["N35", "G17", "X1", "D21", "Aa1"]]}})
    )
    plant(root, "results/a.txt", other)
    plant(root, "results/b.txt", "N35-G17:X1 D21*AA1")
    assert broken(root) == []
    assert [line.partition(":")[0] for line in broken(root, key=key)] == ["results/a.txt", "results/b.txt"]
    write_run(tmp_path / "inbox/r.jsonl", record_row(itemId="hb-001", rung="translate", response=other, parsed=other))
    assert [line.partition(":")[0] for line in broken(root, more_inboxes=[tmp_path / "inbox"])] == ["results/a.txt"]


def test_every_answer_of_a_run_about_a_sealed_item_is_found_when_planted(root):
    """The whole way: a run is made, and each private response planted in a file."""
    items = load_items(write_items(root / "data/hieratic/pilot", sealed_row("pilot-sealed"), sealed_row("pilot-two")))
    fake = FakeVision("fake-1")
    places = Places.below(root / "results/hieratic")
    run(fake.generate, ModelInfo(key="f"), plan(items), items, places)
    assert broken(root) == []
    (path,) = (path for path in places.inbox.glob("*.jsonl") if path.name != "r.jsonl")
    responses = [json.loads(line)["response"] for line in path.read_text(encoding="utf-8").splitlines()]
    spoken = [text for text in responses if text]
    assert len(spoken) > 20
    for number, response in enumerate(spoken):
        plant(root, f"results/hieratic/tables/{number:03}.csv", f'"{response}"')
    found = {line.partition(":")[0] for line in broken(root)}
    assert found == {f"results/hieratic/tables/{number:03}.csv" for number in range(len(spoken))}


@pytest.mark.parametrize(
    ("parsed", "public"),
    [
        (None, None),
        ("Hieratic", "Hieratic"),
        ("Ancient Egyptian (hieratic) script", "Ancient Egyptian (hieratic) script"),
        ("UNKNOWN", "UNKNOWN"),
        (f"Hieratic: {SECRET}", "hieratic"),
        ("Abnormal hieratic, about bread", "abnormal-hieratic"),
        ("Cursive hieroglyphs of a baker", "cursive-hieroglyphic"),
        ("bread", "other"),
        ("unknown, perhaps a baker", "unknown"),
        ("Egyptian bread", "egyptian"),
    ],
)
def test_of_an_answer_line_about_a_sealed_item_only_the_script_is_published(parsed, public):
    assert public_parsed(parsed) == public
    for script in ("hieratic", "hieroglyphic", "demotic", "coptic", "other"):
        assert score_identify(public, script) == score_identify(parsed, script)


@given(
    st.lists(
        st.sampled_from(
            ["hieratic", "demotic", "abnormal", "-", " ", "hieroglyph", "cursive ", "egypt", "baker", "none", "("]
        )
    )
)
def test_the_published_line_scores_as_the_private_one(parts):
    said = "".join(parts).strip() or None
    for script in ("hieratic", "hieroglyphic", "demotic", "coptic", "other"):
        assert score_identify(public_parsed(said), script) == score_identify(said, script)


def test_git_refuses_a_commit_that_holds_a_sealed_answer(root):
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    (root / ".pre-commit-config.yaml").write_bytes((ROOT / ".pre-commit-config.yaml").read_bytes())
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(root.parent / "cache"),
        **{f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }

    def try_to(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, cwd=root, env=environment, capture_output=True, text=True, check=False)

    assert try_to(sys.executable, "-m", "pre_commit", "install").returncode == 0
    plant(root, "notes.md", f"He says: {HALF}")
    git(root, "add", "-A")
    refused = try_to("git", "commit", "-m", "notes")
    assert refused.returncode == 1
    assert "notes.md:1: " in refused.stdout + refused.stderr
    plant(root, "notes.md", "He says nothing.")
    git(root, "add", "-A")
    done = try_to("git", "commit", "-m", "notes")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_seal_of_this_checkout_holds_and_its_inbox_is_ignored():
    root = ROOT
    if not (root / ".git").exists():
        pytest.skip("not a git checkout")
    study = yaml.safe_load((root / "studies/hieratic.yaml").read_text(encoding="utf-8"))
    probe = root / study["results"] / "inbox" / "any.jsonl"
    done = subprocess.run(["git", "-C", str(root), "check-ignore", "-q", str(probe)], check=False)
    assert done.returncode == 0
    assert git(root, "ls-files", "*inbox/*") == ""
    assert [str(finding) for finding in findings(root, root / STUDY)[0]] == []
