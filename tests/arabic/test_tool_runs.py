"""API tools: three fresh attempts an item, and a stopped run goes on."""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from arabic_kit import TOOL, item_row, make_project

from alifba.arabic.logs import read_attempts
from alifba.arabic.running import run_tool
from alifba.errors import InputError

FAKE = {"slug": "zarqa", "name": "invented/zarqa", "label": "Zarqa", "backend": "fake"}
# Refuses one prompt by saying nothing, breaks off at another, and tells every call apart by its process.
PROGRAM = """
import os, sys
asked = sys.stdin.read()
sys.exit(3) if "GLF-01" in asked and os.path.exists({flag!r}) else None
print("جواب خيالي", os.getpid())
"""


def project_with(folder, model):
    return make_project(folder, [item_row("MSA-01"), item_row("GLF-01")], tools=[TOOL | {"model": model}])


def program(folder):
    path = folder / "program.py"
    path.write_text(PROGRAM.format(flag=str(folder / "broken")), encoding="utf-8")
    command = {"argv": [sys.executable, str(path)]}
    return {"slug": "zarqa", "name": "invented/zarqa", "label": "Zarqa", "backend": "command", "command": command}


def test_three_attempts_at_every_item_that_can_be_run(tmp_path):
    project = project_with(tmp_path, FAKE)
    done = run_tool(project, "zarqa", "zarqa-api-1")
    assert (done.n_logged, done.n_failed, done.n_before) == (6, 0, 0)
    found = read_attempts(project).standing.values()
    assert {one.place for one in found} == {("zarqa-api-1", k, n) for k in ("MSA-01", "GLF-01") for n in (1, 2, 3)}
    assert {(one.interface, one.ui_language, one.logged_by, one.time[-6:]) for one in found} == {
        ("api", "none", "api", "+03:00")
    }
    again = run_tool(project, "zarqa", "zarqa-api-1")
    assert (again.n_logged, again.n_before) == (0, 6)


def test_a_failed_request_is_no_attempt_and_is_asked_again(tmp_path):
    project, told = project_with(tmp_path, program(tmp_path)), []
    (tmp_path / "broken").touch()
    done = run_tool(project, "zarqa", "zarqa-api-1", tell=told.append)
    assert (done.n_logged, done.n_failed) == (3, 3)
    assert all(line.startswith("GLF-01 attempt") for line in told)
    (tmp_path / "broken").unlink()
    done = run_tool(project, "zarqa", "zarqa-api-1")
    assert (done.n_logged, done.n_failed, done.n_before) == (3, 0, 3)
    # Six processes answered: nothing of one attempt can be known to the next.
    assert len({one.output for one in read_attempts(project).standing.values()}) == 6


class Endpoint(BaseHTTPRequestHandler):
    """A chat endpoint of OpenAI's protocol: declines Gulf items in a word, answers the others."""

    asked: list[dict] = []  # noqa: RUF012

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body)
        declines = "GLF" in body["messages"][-1]["content"]
        said = {"content": None if declines else "جواب", "refusal": "no" if declines else None, "role": "assistant"}
        choice = {"index": 0, "finish_reason": "stop", "message": said}
        usage = {"prompt_tokens": 4, "completion_tokens": 1, "total_tokens": 5}
        reply = {"id": "c", "object": "chat.completion", "created": 0, "model": "z-1-served", "choices": [choice]}
        data = json.dumps(reply | {"usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


def test_an_api_is_asked_each_prompt_alone_with_its_defaults(tmp_path):
    pytest.importorskip("openai", reason="needs the extra 'api'")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    api = {"provider": "vllm", "model": "z-1", "base_url": address, "temperature": None, "workers": 2}
    model = {"slug": "zarqa", "name": "z", "label": "Z", "backend": "api", "api": api}
    project = project_with(tmp_path, model)
    try:
        done = run_tool(project, "zarqa", "zarqa-api-1")
    finally:
        server.shutdown()
        server.server_close()
    assert (done.n_logged, done.n_failed) == (6, 0)
    prompts = [item.prompt for item in project.items]
    assert sorted(body["messages"][0]["content"] for body in Endpoint.asked) == sorted(prompts * 3)
    for body in Endpoint.asked:
        assert len(body["messages"]) == 1
        assert not {"temperature", "seed", "top_p"} & set(body)
    found = read_attempts(project).standing.values()
    assert {(one.item, one.output, one.outcome) for one in found} == {
        ("MSA-01", "جواب", "answer"),
        ("GLF-01", "no", "answer"),
    }
    # Whether words that decline are a refusal is for people to say; the endpoint's own word is kept beside them.
    assert {one.details["stop_reason"] for one in found if one.item == "GLF-01"} == {"refusal"}
    assert all(one.details["served_model"] == "z-1-served" and one.model_version == "z-1" for one in found)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (None, "not reached by an API"),
        (
            {"slug": "zarqa", "name": "z", "label": "Z", "backend": "api", "api": {"provider": "vllm", "model": "z"}},
            "write 'temperature: null'",
        ),
    ],
)
def test_what_cannot_be_asked_says_why(tmp_path, model, said):
    with pytest.raises(InputError, match=said):
        run_tool(project_with(tmp_path, model), "zarqa", "zarqa-api-1")


@pytest.mark.parametrize(
    ("run", "plan", "said"),
    [("Zarqa API", "api", "run: String should match"), ("zarqa-api-1", "gold", "has no plan 'gold', only free")],
)
def test_what_could_not_be_saved_is_told_before_anything_is_asked(tmp_path, run, plan, said):
    argv = [sys.executable, "-c", f"open({str(tmp_path / 'asked')!r}, 'w')"]
    tool = TOOL | {"plans": ["free"], "model": program(tmp_path) | {"command": {"argv": argv}}}
    project = make_project(tmp_path, [item_row("MSA-01")], tools=[tool])
    with pytest.raises(InputError, match=said):
        run_tool(project, "zarqa", run, plan)
    assert not (tmp_path / "asked").exists()
