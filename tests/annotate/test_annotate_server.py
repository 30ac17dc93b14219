"""The server as a process: what it listens on, what it prints, and what it does on the wire."""

from __future__ import annotations

import http.client
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from annotate_kit import drafts, make_project, serving

from alifba.annotate.guard import BODY_LIMIT
from alifba.annotate.server import inside_project, prepare
from alifba.decisions import read_decisions
from alifba.errors import InputError


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    make_project(folder, drafts(3))
    return folder


@pytest.fixture(scope="module")
def server(project):
    with serving(project) as (_, address, said):
        yield address, said


def ask(address, method="GET", path="/", body=b"", **headers):
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=10)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode("utf-8")
    finally:
        connection.close()


def enter(address):
    _, headers, _ = ask(address, path=f"{address.path}?{address.query}")
    return headers["set-cookie"].split(";")[0]


def test_it_listens_on_the_loopback_alone(server):
    address, _ = server
    assert address.hostname == "127.0.0.1"
    other = [info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    for host in {name for name in other if not name.startswith("127.")}:
        with pytest.raises(OSError), socket.create_connection((host, address.port), timeout=2):
            pass


def test_the_link_opens_the_work_and_nothing_else_does(server):
    address, _ = server
    assert ask(address)[0] == 403
    assert ask(address, path="/?token=guess")[0] == 403
    cookie = enter(address)
    status, headers, text = ask(address, path="/item/1", cookie=cookie)
    assert status == 200
    assert "paytaxtı" in text
    assert "server" not in {name.lower() for name in headers}
    assert ask(address, path="/item/1", cookie=cookie, host="evil.example")[0] == 403


def test_an_oversized_post_is_cut_off_on_the_wire(server, project):
    address, _ = server
    body = b"csrf=" + b"x" * (BODY_LIMIT + 1)
    kind = "application/x-www-form-urlencoded"
    own = f"http://{address.netloc}"
    status, _, _ = ask(address, "POST", "/item/1", body, cookie=enter(address), origin=own, content_type=kind)
    assert status == 413
    assert read_decisions(project / "data/raw/decisions", "review") == {}


def test_two_servers_at_once_do_not_end_each_other_s_session(server, project):
    address, _ = server
    with serving(project, annotator="rauf") as (_, other, _):
        jar = f"{enter(address)}; {enter(other)}"
        for one in (address, other):
            assert ask(one, path="/item/1", cookie=jar)[0] == 200


def test_ctrl_c_ends_it_and_says_where_the_decisions_are(project):
    with serving(project, annotator="ctrl") as (process, _, _):
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == 0
        rest = process.stderr.read()
    assert "0 decisions in" in rest
    assert "Traceback" not in rest


def test_a_used_port_and_a_wrong_file_are_errors_without_a_trace(project, server):
    address, _ = server
    for options, message in (
        (["--port", str(address.port)], "cannot listen there"),
        (["--host", "0.0.0.0"], "could not be checked"),
        (["--host", "example.org"], "not an address"),
        (["--annotator", "../x"], "annotator"),
        (["--decisions", "/"], "only inside the project folder"),
    ):
        with pytest.raises(AssertionError, match=message) as caught, serving(project, *options):
            pass
        assert "Traceback" not in str(caught.value)


@pytest.mark.parametrize("path", ["../outside.jsonl", "/etc/hosts", "data/../../outside.jsonl", "data/link.jsonl"])
def test_files_outside_the_project_are_refused(tmp_path, monkeypatch, path):
    root = tmp_path / "project"
    root.mkdir()
    make_project(root, drafts(1))
    (tmp_path / "outside.jsonl").touch()
    (root / "data" / "link.jsonl").symlink_to(tmp_path / "outside.jsonl")
    monkeypatch.setenv("ALIFBA_ROOT", str(root))
    monkeypatch.chdir(root)
    with pytest.raises(InputError, match="only inside the project folder"):
        inside_project(Path(path))


def test_another_address_is_listened_on_only_when_asked_and_with_a_warning(tmp_path, monkeypatch):
    path = make_project(tmp_path, drafts(1))
    monkeypatch.setenv("ALIFBA_ROOT", str(tmp_path))
    for host, warned in (("127.0.0.1", False), ("127.0.0.2", False), ("localhost", False)):
        ready = prepare("review", [path], "ayla", tmp_path / "decisions", host)
        # The condition on which asyncio switches Nagle's delay off (asyncio.base_events._set_nodelay).
        assert ready.listening.proto == socket.IPPROTO_TCP
        ready.listening.close()
        assert any("WARNING" in line for line in ready.said) == warned
    own = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for host in [name for name in own if not name.startswith("127.")]:
        ready = prepare("review", [path], "ayla", tmp_path / "decisions", host)
        ready.listening.close()
        assert any("not encrypted" in line for line in ready.said)


def test_without_its_packages_the_command_says_how_to_get_them():
    code = (
        "import sys\nsys.modules['uvicorn'] = None\n"
        "sys.argv = ['alifba', 'annotate', 'review', 'x', '--annotator', 'a']\n"
        "from alifba.cli import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "uvicorn is not installed" in done.stderr
    assert "pip install -e '.[annotate]'" in done.stderr
    assert "Traceback" not in done.stderr
