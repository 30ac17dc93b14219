"""Start the app: only on this machine, only on files of the project, one annotator a server."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import uvicorn

from alifba.annotate.guard import Guard, Session
from alifba.annotate.pages import build_app
from alifba.annotate.tasks import load_task, load_work
from alifba.annotate.worklist import Worklist
from alifba.decisions import DecisionLog, log_path
from alifba.errors import InputError
from alifba.items import read_items
from alifba.paths import repo_root

LOOPBACK = "127.0.0.1"
# Native speakers of Arabic work on such a project; a link leads to the other languages.
_PROJECT_LANGUAGE = "ar"


@dataclass(frozen=True)
class Prepared:
    """A server that listens and has not answered yet. `said` is for the terminal: what was noticed or repaired;
    `summary` says at the end what there is."""

    app: Guard
    listening: socket.socket
    address: str
    said: list[str]
    summary: Callable[[], str]

    def run(self) -> None:
        """Answer until interrupted."""
        # The access log would print the token.
        config = uvicorn.Config(
            self.app,
            http="h11",
            ws="none",
            lifespan="off",
            access_log=False,
            log_level="warning",
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
        )
        uvicorn.Server(config).run(sockets=[self.listening])


def prepare(
    task: str,
    files: Iterable[Path],
    annotator: str,
    decisions: Path,
    host: str = LOOPBACK,
    port: int = 0,
    items: Path | None = None,
) -> Prepared:
    """Read the work and the annotator's log and listen; port 0 takes a free one. The questions of `items` (an item
    file) are shown with errors, whose table holds only their ids. One YAML file is a project of `alifba.arabic`: its
    answers are scored (task "score") or logged by hand ("log"), into the folder of logs that it names.

    Raises:
        InputError: an unknown task, a bad name, a file outside the project or one that cannot be read, a damaged
            log, or an address that cannot be listened on.
    """
    given = list(files)
    if len(given) == 1 and given[0].suffix in (".yaml", ".yml"):
        job = _project_job(task, inside_project(given[0]), annotator)
    else:
        job = _file_job(task, given, annotator, decisions, items)
    door = _door(host, port)
    return Prepared(
        job.build(door.session, door.hosts), door.listening, door.address, door.said + job.said, job.summary
    )


class _Job(NamedTuple):
    """One person's work: the app once its door is known, what was noticed, and what there is at the end."""

    build: Callable[[Session, set[str]], Guard]
    said: list[str]
    summary: Callable[[], str]


def _file_job(task: str, files: list[Path], annotator: str, decisions: Path, items: Path | None) -> _Job:
    asked = load_task(task)
    questions = {item.id: item.question_az for item in read_items(inside_project(items))} if items else None
    works, said = load_work(asked, [inside_project(path) for path in files], questions)
    log = DecisionLog(inside_project(decisions), task, annotator)
    return _work_job(Worklist(asked, works, log), said)


def _work_job(worklist: Worklist, said: list[str], language: str = "") -> _Job:
    log = worklist.log
    return _Job(
        lambda session, hosts: build_app(worklist, session, hosts, language),
        [*said, *log.mended],
        lambda: f"{len(log.replay.in_force)} decisions in {log.path}",
    )


def _project_job(task: str, path: Path, person: str) -> _Job:
    """What a person does for a project of `alifba.arabic`, whose rooms no other task needs."""
    from alifba.annotate.blind import blind_worklist
    from alifba.annotate.run_pages import build_run_app
    from alifba.annotate.runlog import RunLog
    from alifba.arabic.project import load_project

    project = load_project(path)
    inside_project(project.logs)
    log_path(project.logs, task, person)
    if task == "score":
        return _work_job(*blind_worklist(project, person), _PROJECT_LANGUAGE)
    if task == "log":
        log = RunLog(project, person)
        return _Job(
            lambda session, hosts: build_run_app(log, session, hosts, _PROJECT_LANGUAGE),
            log.said,
            lambda: f"{len(log.standing())} attempts in {project.logs / 'attempts'}",
        )
    raise InputError("no such task for a project file", value=task, next_step="choose score or log")


def inside_project(path: Path) -> Path:
    """`path`, made absolute, links followed. Raises `InputError` where it leads out of the project folder."""
    root = repo_root().resolve()
    found = (path if path.is_absolute() or path.exists() else root / path).resolve()
    if not found.is_relative_to(root):
        raise InputError(
            "the app reads and writes only inside the project folder",
            value=str(path),
            next_step="copy the file into data/raw/ first",
        )
    return found


class _Door(NamedTuple):
    """Where a server listens, and what opens it."""

    listening: socket.socket
    session: Session
    hosts: set[str]
    address: str
    said: list[str]


def _door(host: str, port: int) -> _Door:
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    names = {host, "localhost"} if _is_loopback(host) else {host}
    session = Session(port)
    said = []
    if not _is_loopback(host):
        said.append(
            f"WARNING: everybody who can reach {host} can reach this server, and what they send is not encrypted. "
            "Give the link only to the annotator."
        )
    address = f"http://{_bracketed(host)}:{port}/?token={session.token}"
    return _Door(listening, session, {f"{_bracketed(name)}:{port}" for name in names}, address, said)


def _is_loopback(host: str) -> bool:
    return host == "localhost" or ipaddress.ip_address(host).is_loopback


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _listen(host: str, port: int) -> socket.socket:
    try:
        address = ipaddress.ip_address(LOOPBACK if host == "localhost" else host)
    except ValueError:
        raise InputError("not an address", value=host, next_step="give the address itself, such as 127.0.0.1") from None
    if address.is_unspecified:
        raise InputError(
            "listening on every address is refused: the name that a browser uses could not be checked",
            value=host,
            next_step="give the one address that the annotator will use",
        )
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    # Named as TCP, because asyncio switches Nagle's delay (40 ms a page) off only on such a socket.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((str(address), port))
        listening.listen()
        return listening
    except OSError as fault:
        listening.close()
        raise InputError(
            f"cannot listen there: {os.strerror(fault.errno or 0)}",
            value=f"{_bracketed(host)}:{port}",
            next_step="give another --port, or leave it out to take a free one",
        ) from None
