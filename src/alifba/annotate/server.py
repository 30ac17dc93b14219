"""Start the app: only on this machine, only on files of the project, one annotator a server."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from alifba.annotate.guard import Guard, Session
from alifba.annotate.pages import build_app
from alifba.annotate.tasks import load_task, load_work
from alifba.annotate.worklist import Worklist
from alifba.decisions import DecisionLog
from alifba.errors import InputError
from alifba.items import read_items
from alifba.paths import repo_root

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Prepared:
    """A server that listens and has not answered yet. `said` is for the terminal: what was noticed or repaired."""

    app: Guard
    listening: socket.socket
    address: str
    log: DecisionLog
    said: list[str]

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
    file) are shown with errors, whose table holds only their ids.

    Raises:
        InputError: an unknown task, a bad name, a file outside the project or one that cannot be read, a damaged
            log, or an address that cannot be listened on.
    """
    asked = load_task(task)
    questions = {item.id: item.question_az for item in read_items(inside_project(items))} if items else None
    works, said = load_work(asked, [inside_project(path) for path in files], questions)
    log = DecisionLog(inside_project(decisions), task, annotator)
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    names = {host, "localhost"} if _is_loopback(host) else {host}
    hosts = {f"{_bracketed(name)}:{port}" for name in names}
    session = Session(port)
    app = build_app(Worklist(asked, works, log), session, hosts)
    address = f"http://{_bracketed(host)}:{port}/?token={session.token}"
    if not _is_loopback(host):
        said.append(
            f"WARNING: everybody who can reach {host} can reach this server, and what they send is not encrypted. "
            "Give the link only to the annotator."
        )
    return Prepared(app, listening, address, log, [*said, *log.mended])


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
