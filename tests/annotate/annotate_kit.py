"""A project folder for the app, and a browser without a window: it keeps cookies and posts the forms of a page."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlencode, urlsplit

from alifba.annotate.guard import Guard, Session
from alifba.annotate.pages import build_app
from alifba.annotate.tasks import load_task, load_work
from alifba.annotate.worklist import Worklist
from alifba.decisions import DecisionLog
from samples import item_row, write_rows

PORT = 8000
HOST = f"127.0.0.1:{PORT}"
HOSTS = {HOST, f"localhost:{PORT}"}


def make_project(folder: Path, rows: Iterable[dict[str, Any]], name: str = "drafts.jsonl") -> Path:
    """A project folder with one file to judge in data/raw; returns that file."""
    (folder / "studies").mkdir(exist_ok=True)
    (folder / "pyproject.toml").touch()
    return write_rows(folder / "data" / "raw" / name, rows)


def drafts(n: int, **changes: Any) -> list[dict[str, Any]]:
    return [item_row(i, **changes) for i in range(n)]


@dataclass
class Page:
    """An answer of the server: its status, headers (lower case) and text, and the forms and ids of its HTML."""

    status: int
    headers: dict[str, str]
    cookies: list[str]
    text: str

    @property
    def forms(self) -> list[Form]:
        return _parsed(self.text).forms

    @property
    def attributes(self) -> list[tuple[str, str]]:
        """Name and value of every attribute of every tag."""
        return _parsed(self.text).attributes

    def form(self, **fields: str) -> Form:
        """The first form that posts and has all of `fields` as fields or as values of its buttons."""
        for form in self.forms:
            if form.method == "post" and all((name, value) in form.offers for name, value in fields.items()):
                return form
        raise AssertionError(f"no form offers {fields}")

    @property
    def shown(self) -> str:
        """What stands between the tags."""
        return " ".join(re.sub(r"<[^>]*>", " ", self.text).split())


@dataclass
class Form:
    """A form: where it goes, what it holds, and every value that its fields and buttons can send."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)
    offers: set[tuple[str, str]] = field(default_factory=set)


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.attributes: list[tuple[str, str]] = []
        self._text: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.attributes += given.items()
        if tag == "form":
            self.forms.append(Form(given.get("action", ""), given.get("method", "get")))
        elif tag in ("input", "button", "textarea") and self.forms and "name" in given:
            self.forms[-1].offers.add((given["name"], given.get("value", "")))
            if tag == "input" and (given.get("type") != "radio" or "checked" in given):
                self.forms[-1].fields[given["name"]] = given.get("value", "")
            self._text = given["name"] if tag == "textarea" else None
            if self._text:
                self.forms[-1].fields[self._text] = ""

    def handle_data(self, data: str) -> None:
        if self._text:
            # A browser drops the line end that follows the opening tag.
            self.forms[-1].fields[self._text] += data.removeprefix("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._text = None


def _parsed(text: str) -> _Forms:
    parser = _Forms()
    parser.feed(text)
    return parser


class Browser:
    """One annotator at one server, spoken to without a socket; every header is ours to forge."""

    def __init__(self, worklist: Worklist) -> None:
        self.worklist = worklist
        self._reach(lambda session: build_app(worklist, session, HOSTS))

    @classmethod
    def of_app(cls, build: Callable[[Session], Guard]) -> Browser:
        """A browser that has entered the app that `build` makes."""
        browser = cls.__new__(cls)
        browser._reach(build)
        browser.enter()
        return browser

    def _reach(self, build: Callable[[Session], Guard]) -> None:
        self.session = Session(PORT)
        self.app = build(self.session)
        self.cookies: dict[str, str] = {}

    def enter(self) -> Page:
        return self.get(f"/?token={self.session.token}")

    def send(self, method: str, path: str, body: bytes | Iterable[bytes] = b"", **headers: str | None) -> Page:
        """One request, no redirect followed; a header given as None is left out."""
        given: dict[str, str | None] = {"host": HOST}
        if self.cookies:
            given["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if method == "POST":
            given |= {"origin": f"http://{HOST}", "content-type": "application/x-www-form-urlencoded"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        parts = [body] if isinstance(body, bytes) else list(body)
        page = asyncio.run(_ask(self.app, method, path, given, parts))
        for cookie in page.cookies:
            name, _, value = cookie.split(";")[0].partition("=")
            self.cookies[name] = value
        return page

    def get(self, path: str, **headers: str | None) -> Page:
        page = self.send("GET", path, **headers)
        while page.status == 303:
            page = self.send("GET", page.headers["location"], **headers)
        return page

    def post(self, form: Form, **fields: str) -> Page:
        """Fill `form`, send it, and follow where it leads."""
        page = self.send("POST", form.action, urlencode(form.fields | fields).encode())
        return self.get(page.headers["location"]) if page.status == 303 else page

    def decide(self, page: Page, decision: str, **fields: str) -> Page:
        return self.post(page.form(decision=decision), decision=decision, **fields)

    def undo(self, page: Page) -> Page:
        (form,) = [form for form in page.forms if "last" in form.fields]
        return self.post(form)


async def _ask(app: Any, method: str, path: str, headers: dict[str, str | None], parts: list[bytes]) -> Page:
    split = urlsplit(path) if not path.startswith("//") else urlsplit("http:" + path)
    raw_path = split.path if not path.startswith("//") else path.split("?")[0]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": raw_path,
        "raw_path": raw_path.encode(),
        "root_path": "",
        "query_string": split.query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers.items() if value is not None],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", PORT),
    }
    coming = [{"type": "http.request", "body": part, "more_body": i < len(parts) - 1} for i, part in enumerate(parts)]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return coming.pop(0) if coming else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    try:
        await app(scope, receive, send)
    except Exception:
        # Starlette answers first and then raises, for the server's own log.
        if not sent or sent[-1].get("more_body"):
            raise
    start = sent[0]
    pairs = [(name.decode().lower(), value.decode("latin-1")) for name, value in start["headers"]]
    text = b"".join(message.get("body", b"") for message in sent[1:]).decode("utf-8")
    return Page(start["status"], dict(pairs), [value for name, value in pairs if name == "set-cookie"], text)


def open_browser(
    folder: Path, rows: Iterable[dict[str, Any]], task: str = "review", annotator: str = "ayla"
) -> Browser:
    """A browser that has entered the app for `rows`, in a fresh project in `folder`."""
    path = make_project(folder, rows)
    wanted = load_task(task)
    works, _ = load_work(wanted, [path])
    browser = Browser(Worklist(wanted, works, DecisionLog(folder / "decisions", task, annotator)))
    browser.enter()
    return browser


def log_rows(browser: Browser) -> list[dict[str, Any]]:
    """The lines of the log on disk."""
    path = browser.worklist.log.path
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


@contextmanager
def serving(
    project: Path, *options: str, task: str = "review", file: str = "drafts.jsonl", annotator: str = "ayla"
) -> Iterator[tuple[subprocess.Popen[str], SplitResult, str]]:
    """The command as a user starts it; yields the process, its address and what it said. It is killed at the end."""
    command = [
        sys.executable,
        "-m",
        "alifba.cli",
        "annotate",
        task,
        file if "/" in file else f"data/raw/{file}",
        "--annotator",
        annotator,
        *options,
    ]
    environment = os.environ | {"ALIFBA_ROOT": str(project)}
    # A test run in the background of a script has Ctrl+C switched off, and hands that on.
    heard = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(command, cwd=project, env=environment, stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGINT, heard)
    try:
        said: list[str] = []
        assert process.stderr is not None
        for line in process.stderr:
            said.append(line)
            if found := re.search(r"Open (http://\S+)", line):
                yield process, urlsplit(found[1]), "".join(said)
                return
        raise AssertionError("".join(said))
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
