"""A program as a model: what it sees, how long it may take, what it leaves behind, and what counts as its answer."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from alifba.azeval.running import open_backend, run_model
from alifba.backends.command import CommandBackend
from alifba.config import Model
from alifba.errors import InputError
from alifba.items import read_items
from alifba.runs import read_run
from samples import item_row, write_rows


@pytest.fixture
def program(tmp_path):
    """Writes a Python program that may be executed and gives its path."""

    def write(code: str, name: str = "program") -> str:
        path = tmp_path / name
        path.write_text(f"#!{sys.executable}\nimport os, subprocess, sys, time\n{code}\n", encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    return write


def backend(*argv: str, **declared: object) -> CommandBackend:
    command = {"argv": list(argv)} | declared
    row = {"slug": "one", "name": "org/one", "label": "one", "backend": "command", "command": command}
    opened = open_backend(Model.model_validate(row))
    assert isinstance(opened, CommandBackend)
    return opened


def ask(opened: CommandBackend, *prompts: str) -> list[str | None]:
    replies = {reply.index: reply for reply in opened.generate(prompts, 32)}
    assert len(replies) == len(prompts)
    assert all((reply.text is None) == bool(reply.error) for reply in replies.values())
    return [replies[n].text if replies[n].text is not None else replies[n].error for n in range(len(prompts))]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A process that has ended and that nobody has waited for yet is not alive.
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def gone(pid: int) -> bool:
    deadline = time.monotonic() + 5
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not alive(pid)


def test_the_prompt_is_read_and_the_output_is_the_answer_word_for_word(program):
    echo = program("sys.stdout.write(sys.stdin.read() + ' \\n')")
    prompts = ["Paytaxt?\nə \U0001f642 --help; $(id)", "x" * 300_000, "-"]
    assert ask(backend(echo), *prompts) == [prompt + " \n" for prompt in prompts]


def test_the_prompt_is_never_among_the_arguments(program):
    seen = program("print(sys.argv[1:], open(f'/proc/{os.getppid()}/cmdline').read().count('secret question'))")
    assert ask(backend(seen, "--flag", "a b"), "secret question") == ["['--flag', 'a b'] 0\n"]


def test_the_program_sees_an_empty_folder_and_a_scrubbed_environment(program, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-programs")
    monkeypatch.setenv("PYTHONPATH", "somewhere")
    monkeypatch.setenv("LANG", "C.UTF-8")
    looks = program(
        "home = os.environ['HOME']\n"
        "print(sorted(os.environ), os.listdir('.'), os.listdir(home), home != os.path.expanduser('~root'))\n"
        "open('left', 'w'); open(home + '/left', 'w')"
    )
    first, second = ask(backend(looks, workers=1), "a", "b")
    # Python itself sets LC_CTYPE where the locale is C.
    names = first.split("]")[0].replace("'LC_CTYPE', ", "")
    assert names == "['HOME', 'LANG', 'PATH'"
    assert first.split("]", 1)[1] == " [] [] True\n"
    assert second == first


def test_a_variable_that_is_passed_is_seen_and_its_secret_gets_no_further(program, monkeypatch):
    monkeypatch.setenv("MADE_UP_KEY", "sk-123456789")
    tells = "print(os.environ['MADE_UP_KEY'])"
    complains = "sys.exit('bad key ' + os.environ['MADE_UP_KEY'])"
    passed = {"pass_env": ["MADE_UP_KEY"]}
    assert ask(backend(program("print(len(os.environ['MADE_UP_KEY']))"), **passed), "q") == ["12\n"]
    assert ask(backend(program(tells), **passed), "q") == ["the answer repeats a secret that the program was given"]
    assert ask(backend(program(complains), **passed), "q") == ["exit code 1: bad key [secret]"]
    # Only the end of a long complaint is kept; the key lies across the cut.
    at_the_cut = "sys.exit(os.environ['MADE_UP_KEY'] + 'x' * 295)"
    assert ask(backend(program(at_the_cut), **passed), "q") == [f"exit code 1: cret]{'x' * 295}"]
    monkeypatch.delenv("MADE_UP_KEY")
    with pytest.raises(InputError, match="MADE_UP_KEY is not set"):
        backend(program(tells), **passed)


def test_the_whole_group_is_gone_when_time_is_up(program, tmp_path):
    pids = tmp_path / "pids"
    code = (
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        "print('half an answer', flush=True)\n"
        "time.sleep(600)"
    )
    begun = time.monotonic()
    assert ask(backend(program(code), timeout_s=2.5), "q") == ["no end within 2.5 s"]
    assert time.monotonic() - begun < 10
    own, child = map(int, pids.read_text().split())
    assert gone(own)
    assert gone(child)


def test_a_grandchild_left_behind_keeps_nobody_waiting_and_is_gone_too(program):
    # It holds on to the program's own output.
    code = "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\nprint(child.pid)"
    begun = time.monotonic()
    (answer,) = ask(backend(program(code), timeout_s=60), "q")
    assert time.monotonic() - begun < 20
    assert gone(int(answer))


def test_a_program_that_ignores_the_polite_signals_is_gone_too(program, tmp_path):
    pid = tmp_path / "pid"
    code = (
        "import signal\nfor polite in (signal.SIGTERM, signal.SIGINT): signal.signal(polite, signal.SIG_IGN)\n"
        f"open({str(pid)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)"
    )
    assert ask(backend(program(code), timeout_s=2.5), "q") == ["no end within 2.5 s"]
    assert gone(int(pid.read_text()))


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("", "no output"),
        ("print()", "no output"),
        ("print('half'); sys.exit(3)", "exit code 3"),
        ("sys.exit('no such model')", "exit code 1: no such model"),
        ("os.kill(os.getpid(), 9)", "exit code -9"),
        ("sys.stdout.buffer.write(b'\\xff\\xfe')", "the output is not UTF-8"),
        ("print('x' * 1001)", "more than 1000 bytes of output"),
        ("while True: print('x' * 100_000)", "more than 1000 bytes of output"),
        ("while True: print('x' * 100_000, file=sys.stderr)", "more than 1000 bytes of output"),
        ("sys.exit(os.getcwd() + ' is broken')", "exit code 1: /work is broken"),
    ],
)
def test_what_is_no_answer_is_an_error_of_its_item(program, code, error):
    assert ask(backend(program(code), max_bytes=1000), "q") == [error]


def test_an_error_of_one_item_is_none_of_the_next(program):
    code = "word = sys.stdin.read()\nsys.exit(2) if word == 'bad' else print(word)"
    assert ask(backend(program(code)), "a", "bad", "b") == ["a\n", "exit code 2", "b\n"]


def test_no_more_run_at_once_than_there_are_workers(program, tmp_path):
    running = tmp_path / "running"
    running.mkdir()
    code = (
        f"own = {str(running)!r} + '/' + str(os.getpid())\nopen(own, 'w')\ntime.sleep(0.2)\n"
        f"print(len(os.listdir({str(running)!r})))\nos.remove(own)"
    )
    counts = [int(answer) for answer in ask(backend(program(code), workers=3), *"abcdefgh")]
    assert max(counts) <= 3
    assert max(counts) > 1


def test_nothing_is_left_in_the_temporary_folder(program, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "t"))
    (tmp_path / "t").mkdir()
    ask(backend(program("open('a', 'w'); os.mkdir('b'); print('x')")), "q", "q")
    assert list((tmp_path / "t").iterdir()) == []


def test_whoever_stops_taking_answers_stops_the_programs(program, tmp_path):
    started = tmp_path / "started"
    started.mkdir()
    code = (
        f"open({str(started)!r} + '/' + str(os.getpid()), 'w')\n"
        "word = sys.stdin.read()\ntime.sleep(0 if word == 'first' else 600)\nprint(word)"
    )
    replies = backend(program(code), workers=2).generate(["first"] + ["q"] * 50, 32)
    assert next(replies).text == "first\n"
    begun = time.monotonic()
    replies.close()
    assert time.monotonic() - begun < 10
    pids = [int(path.name) for path in started.iterdir()]
    assert len(pids) < 10
    assert all(gone(pid) for pid in pids)


def test_the_revision_is_the_program_and_its_words(program, tmp_path):
    def revision(*argv: str) -> str:
        return backend(*argv).description.revision

    one = program("print(1)", "one")
    same = revision(one, "--fast")
    assert revision(one, "--fast") == same
    assert revision(one, "--slow") != same
    script = tmp_path / "script.py"
    script.write_text("print(1)")
    first = revision(sys.executable, str(script))
    script.write_text("print(2)")
    assert revision(sys.executable, str(script)) != first
    Path(one).write_text(Path(one).read_text() + "# changed\n")
    assert revision(one, "--fast") != same


def test_no_such_program_is_said_before_anything_runs(tmp_path):
    with pytest.raises(InputError, match="no such program"):
        backend("no-program-of-this-name")
    (tmp_path / "plain").write_text("x")
    with pytest.raises(InputError, match="no such program"):
        backend(str(tmp_path / "plain"))


def test_a_file_that_is_no_program_is_an_error_of_the_item(tmp_path):
    path = tmp_path / "odd"
    path.write_bytes(b"\x7fELF broken")
    path.chmod(0o755)
    assert ask(backend(str(path)), "q") == ["cannot be started: Exec format error"]


def test_a_run_by_a_program_is_a_run_like_any_other(program, tmp_path):
    items = read_items(write_rows(tmp_path / "d.jsonl", [item_row(i) for i in range(6)]))
    code = "word = sys.stdin.read()\nsys.exit(1) if 'İtaliya' in word else print('Paris')"
    opened = backend(program(code), workers=3)
    row = {"slug": "one", "name": "org/one", "label": "one", "backend": "fake"}
    one = Model.model_validate(row)
    report = run_model(opened, one, items, "az", "default", tmp_path / "raw")
    assert (report.n_answered, report.n_failed) == (5, 1)
    run = read_run(report.path)
    assert "unknown" not in str(run.signature)
    assert run.rows["t-001"].error == "exit code 1"
    with pytest.raises(InputError, match="differs in revision"):
        run_model(backend(program("print(1)")), one, items, "az", "default", tmp_path / "raw")
