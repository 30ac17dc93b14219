"""Command-line agents, each against a stand-in program that checks how it is called and misbehaves."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError
from tifinagh_kit import study_of

from alifba.backends.base import Prompt
from alifba.config import Api, Model
from alifba.tifinagh.agents import Unusable, as_command, final_text
from alifba.tifinagh.dictionaries import load_dictionaries
from alifba.tifinagh.harness import open_harness
from alifba.tifinagh.prompts import ask_text, schema, system_text
from alifba.tifinagh.records import read_item_records, read_run_record
from alifba.tifinagh.rounds import read_log
from alifba.tifinagh.running import open_study, run_contestant
from alifba.tifinagh.scorebook import score_run
from alifba.tifinagh.study import Agent

ADAPTERS = ("codex", "claude", "gemini", "generic")


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """`ask(adapter, behaviour)` runs a study of two questions; (items, rows, what the program saw)."""

    def run(adapter, behaviour="works", timeout_s=60):
        program = tmp_path / f"{adapter}-{behaviour}"
        source = (Path(__file__).parent / "agent_program.py").read_text(encoding="utf-8")
        program.write_text(f"#!{sys.executable}\n{source}", encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("SEEN_KEY", str(tmp_path / "seen.json"))
        monkeypatch.setenv("OPENAI_API_KEY", "sk-kept-out")
        called = {"argv": [str(program)]} if adapter == "generic" else {"program": str(program), "model": "m-1"}
        agent = Agent(
            slug=adapter, name=f"test/{adapter}", label="Stand-in", adapter=adapter, pass_env=["SEEN_KEY"],
            timeout_s=timeout_s, **called,
        )  # fmt: skip
        study = study_of(tmp_path, 2, tasks=["en-to-tif"], dialects=["kabyle"], retries=1, agents=[agent])
        folder = run_contestant(study, study.contestant(adapter)).folder
        score_run(folder, load_dictionaries(study.dictionaries))
        seen = json.loads((tmp_path / "seen.json").read_text())
        return list(read_item_records(folder)), read_log(folder / "replies.jsonl"), seen, study

    return run


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_agent_gets_the_prompt_an_empty_folder_and_a_scrubbed_environment(ask, adapter):
    items, rows, seen, study = ask(adapter)
    assert [item.answer for item in items] == ["ⴰⵎⴰⵏ", "ⴰⵎⴰⵏ"]
    assert len(rows) == 1
    user = ask_text(open_study(study)[2].groups[0])
    before = "" if adapter == "claude" else system_text("ask") + "\n\n"
    assert seen["prompt"] == before + user
    assert (seen["folder"], seen["home"]) == ([], [])
    assert set(seen["environment"]) <= {"PATH", "LANG", "HOME", "SEEN_KEY", "LC_CTYPE", "PWD"}
    # The prompt never stands among the arguments, where other users of the machine could read it.
    assert not any(user in word for word in seen["argv"])


def test_flags_close_the_book_and_ask_for_the_schema(ask):
    seen = {adapter: ask(adapter)[2] for adapter in ("codex", "claude", "gemini")}
    codex, claude, gemini = (seen[adapter]["argv"] for adapter in ("codex", "claude", "gemini"))
    assert json.loads(seen["codex"]["json"]) == schema("ask")
    assert {"--ephemeral", "--ignore-user-config", "--skip-git-repo-check", "shell_tool"} < set(codex)
    assert codex[codex.index("--sandbox") + 1] == "read-only"
    assert codex[codex.index("--model") + 1] == "m-1"
    assert 'web_search="disabled"' in codex
    assert json.loads(claude[claude.index("--json-schema") + 1]) == schema("ask")
    assert claude[claude.index("--system-prompt") + 1] == system_text("ask")
    assert {"--tools=", "--strict-mcp-config", "--disable-slash-commands", "--setting-sources="} < set(claude)
    assert 'toolName = "*"\ndecision = "deny"' in seen["gemini"]["toml"]
    assert gemini[gemini.index("--extensions") + 1] == "none"


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize(
    ("behaviour", "n_answered", "told"),
    [
        ("prose", 2, None),
        ("half", 1, "missing"),
        ("missing", None, "missing"),
        ("duplicated", None, "duplicated"),
        ("silent", 0, "no output"),
        ("fails", 0, "exit code 1: not logged in"),
        ("tool", 0, "used a tool"),
        ("error", 0, "reports an error"),
    ],
)
def test_an_agent_that_misbehaves_keeps_its_valid_rows_and_fails_in_words(ask, adapter, behaviour, n_answered, told):
    if adapter == "generic" and behaviour in ("tool", "error"):
        pytest.skip("a generic command reports neither")
    items, rows, _, _ = ask(adapter, behaviour)
    answered = [item for item in items if item.answer is not None]
    # Whose first row is always left out, or always repeated, is left with it in the second round: never answered.
    assert len(answered) == (1 if n_answered is None else n_answered)
    assert len(rows) == (1 if behaviour == "prose" else 2)
    for item in items:
        if item.answer is None:
            assert item.scored_by == "error"
            assert item.tries == 2
            assert told in item.note


def test_an_agent_that_hangs_is_broken_off(ask):
    items, _, _, _ = ask("generic", "hangs", timeout_s=0.5)
    assert {item.note for item in items} == {"no end within 0.5 s"}


def test_the_record_names_the_harness_and_no_folder_of_this_machine(ask):
    *_, study = ask("codex")
    record = read_run_record(Path(study.runs) / "codex")
    assert record.answerer.harness == "codex"
    assert record.answerer.revision.startswith("sha256:")
    schema_word = next(word for word in record.answerer.environment["argv"] if word.endswith(".schema.json"))
    assert not schema_word.startswith("/")


@pytest.mark.parametrize("adapter", ["codex", "claude", "gemini"])
@pytest.mark.parametrize("output", ["", "not json", "[]", '"text"', "{", '{"type": "other"}', "\x00"])
def test_output_without_a_reply_is_told_and_never_an_answer(adapter, output):
    with pytest.raises(Unusable):
        final_text(adapter, output)


def test_claude_puts_a_structured_reply_apart():
    output = json.dumps({"is_error": False, "result": "done", "structured_output": {"answers": [{"id": "1"}]}})
    assert json.loads(final_text("claude", output)) == {"answers": [{"id": "1"}]}


@pytest.mark.parametrize(
    "keys",
    [
        {"adapter": "generic"},
        {"adapter": "generic", "argv": ["a"], "model": "m"},
        {"adapter": "codex"},
        {"adapter": "codex", "model": "m", "argv": ["a"]},
        {"adapter": "other", "model": "m"},
    ],
)
def test_an_agent_is_declared_whole(keys):
    with pytest.raises(ValidationError):
        Agent(slug="a", name="a", label="a", **keys)


def test_every_placeholder_of_the_flags_is_filled():
    for adapter in ("codex", "claude", "gemini"):
        agent = Agent(slug="a", name="a", label="a", adapter=adapter, model="m-1")
        for kind in ("ask", "judge"):
            argv = as_command(agent, kind).command.argv
            assert not any(
                word in ("{model}", "{system}", "{schema}", "{schema_file}", "{policy_file}") for word in argv
            )


def test_an_api_is_asked_with_system_prompt_and_strict_schema(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-only")
    model = Model(slug="a", name="org/a", label="A", backend="api", api=Api(provider="openai", model="a-2026-01-01"))
    harness = open_harness(model, "ask", 100)
    assert harness.prompt("Dialect: ...") == Prompt("Dialect: ...", system=system_text("ask"), schema=schema("ask"))
    assert harness.answerer.harness == "api"
    judge = open_harness(model, "judge", 100)
    assert judge.prompt("x") == Prompt("x", system=system_text("judge"), schema=schema("judge"))
    assert judge.answerer.decoding["prompts"] != harness.answerer.decoding.get("prompts")


def test_a_local_model_reads_everything_in_one_prompt():
    model = Model(slug="a", name="org/a", label="A", backend="fake")
    assert open_harness(model, "ask", 100).prompt("user") == f"{system_text('ask')}\n\nuser"
