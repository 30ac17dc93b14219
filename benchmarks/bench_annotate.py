"""The annotation app with 10,000 drafts, as a process on its own: start, page turn, memory."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from urllib.parse import SplitResult, urlencode, urlsplit

from alifba.paths import repo_root

DRAFTS, TURNS = 10_000, 200
PACKAGES = ("starlette", "uvicorn", "alifba")


def make_project(folder: Path) -> None:
    """A project folder with the pilot's items repeated under new ids until there are enough."""
    (folder / "studies").mkdir()
    (folder / "pyproject.toml").touch()
    pilot = (repo_root() / "data/azeval/pilot.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(pilot[i % len(pilot)]) | {"id": f"b-{i:05}"} for i in range(DRAFTS)]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / "drafts.jsonl").write_text(text, encoding="utf-8")


def start(folder: Path) -> tuple[subprocess.Popen[str], SplitResult]:
    """Start the command; returns when it says where it listens."""
    command = [sys.executable, "-m", "alifba.cli", "annotate", "review", "drafts.jsonl", "--annotator", "bench"]
    environment = os.environ | {"ALIFBA_ROOT": str(folder)}
    process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(r"Open (http://\S+)", line):
            return process, urlsplit(found[1])
    raise RuntimeError("the app did not start")


class Client:
    """A browser's requests over one kept connection."""

    def __init__(self, address: SplitResult) -> None:
        self._connection = http.client.HTTPConnection(address.netloc)
        self._headers = {"Origin": f"http://{address.netloc}", "Content-Type": "application/x-www-form-urlencoded"}
        _, headers, _ = self._ask("GET", f"/?{address.query}")
        self._headers["Cookie"] = headers["set-cookie"].split(";")[0]

    def _ask(self, method: str, path: str, body: str = "") -> tuple[int, dict[str, str], str]:
        self._connection.request(method, path, body, self._headers)
        answer = self._connection.getresponse()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, headers, answer.read().decode("utf-8")

    def get(self, path: str) -> str:
        """The page behind `path`, redirects followed."""
        status, headers, text = self._ask("GET", path)
        return self.get(headers["location"]) if status == 303 else text

    def accept(self, page: str) -> str:
        """Accept the item on `page`: a post that is on disk, and the next page."""
        path = re.search(r'action="(/item/\d+[^"]*)"', page)
        csrf = re.search(r'name="csrf" value="([^"]+)"', page)
        assert path
        assert csrf
        form = urlencode({"csrf": csrf[1], "seen": "", "decision": "accept"})
        _, headers, _ = self._ask("POST", path[1].replace("&amp;", "&"), form)
        return self.get(headers["location"])


def timed(step: Callable[[], object]) -> float:
    """Seconds that `step` takes."""
    began = time.perf_counter()
    step()
    return time.perf_counter() - began


def peak_memory(pid: int) -> float:
    """Largest resident memory so far, MiB."""
    text = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", text)
    assert found
    return int(found[1]) / 1024


def row(what: str, seconds: float, note: str) -> dict[str, object]:
    return {
        "what": f"annotate, {DRAFTS:,} drafts: {what}",
        "ours_s": seconds,
        "theirs_s": None,
        "ratio": None,
        "note": note,
    }


def measure() -> list[dict[str, object]]:
    """Rows: from the command to the first page; a decision with the next page; the last page of a filtered list."""
    with tempfile.TemporaryDirectory() as name:
        make_project(Path(name))
        began = time.perf_counter()
        process, address = start(Path(name))
        try:
            client = Client(address)
            page = client.get("/")
            started = time.perf_counter() - began
            turns = []
            for _ in range(TURNS):
                before = time.perf_counter()
                page = client.accept(page)
                turns.append(time.perf_counter() - before)
            lists = [timed(lambda: client.get("/list?category=mathematics&status=undecided&page=9")) for _ in range(20)]
            memory = peak_memory(process.pid)
        finally:
            process.kill()
            process.wait()
    slowest = f"slowest of {TURNS}: {max(turns) * 1000:.0f} ms; target: under 100 ms"
    return [
        row("from the command to the first page", started, "target: under 2 s"),
        row("decision on disk and next page, median", median(turns), slowest),
        row("filtered list, median", median(lists), f"peak memory of the server {memory:.0f} MiB; target: under 200"),
    ]


if __name__ == "__main__":
    for entry in measure():
        sys.stdout.write(f"{entry}\n")
