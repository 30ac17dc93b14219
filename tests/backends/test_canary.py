"""A key that may be found nowhere: the whole way of a study behind an API, and every error that could carry the key."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

pytest.importorskip("openai")
pytest.importorskip("anthropic")
pytest.importorskip("tenacity")

from api_kit import ask, declared, everything_under
from api_server import Act, ApiServer, chat
from pypdf import PdfReader

from alifba.backends.base import UnsupportedSetting
from alifba.cli import main
from alifba.errors import InputError
from alifba.paths import repo_root
from samples import CAPITALS, analyse, item_row, write_rows, write_study

CANARY = 'sk-canary-4f1e/9b+7d"2c\\a8-zq'
"""With signs that JSON and URLs write in another way."""
PIECE = 10
"""So much of it in one place is a leak."""


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("CANARY_API_KEY", CANARY)


def leaks(text: str) -> list[str]:
    """Pieces of the key in `text`, however often JSON, Python or a URL has escaped it."""
    once = json.dumps(CANARY)[1:-1]
    forms = {
        CANARY,
        quote(CANARY, safe=""),
        *(form[1:-1] for word in (CANARY, once) for form in (repr(word), json.dumps(word))),
    }
    pieces = {form[start : start + PIECE] for form in forms for start in range(len(form) - PIECE + 1)}
    return sorted(piece for piece in pieces if piece in text)


def test_the_search_finds_a_leak():
    for text in (f"Bearer {CANARY}", json.dumps({"a": CANARY}), CANARY[:PIECE], repr(CANARY)):
        assert leaks(text)
    assert not leaks("sk-canary")


def echo(request) -> dict[str, object]:
    """What a careless server says: the headers that it got."""
    sent = request.headers.get("authorization", "") + request.headers.get("x-api-key", "")
    assert CANARY in sent
    return {"error": {"message": f"denied: {sent}", "headers": {"Authorization": sent}, "param": "reasoning_effort"}}


ECHOES = {
    "as JSON": lambda request, status: Act(echo(request), status),
    "as text": lambda request, status: Act(json.dumps(echo(request)).encode(), status, {"content-type": "text/plain"}),
    "at the cut of a long message": lambda request, status: Act(
        {"error": {"message": "x" * (500 - 30) + str(echo(request)["error"])}}, status
    ),
}


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("status", [400, 401, 403, 429, 500])
@pytest.mark.parametrize("form", ECHOES)
def test_no_error_carries_the_key(provider, status, form, capfd, caplog):
    told: list[str] = []

    def act(request):
        return Act() if request.attempt > 2 else ECHOES[form](request, status)

    with ApiServer(act) as server, caplog.at_level(logging.DEBUG):
        try:
            reply = ask(
                server.url,
                ["item-0"],
                told=told,
                provider=provider,
                key_env="CANARY_API_KEY",
                reasoning="off",
            )[0]
            said = f"{reply}"
        except UnsupportedSetting as fault:
            said = f"{fault}{fault.said}"
        except InputError as fault:
            said = f"{fault}{fault!r}"
    printed = capfd.readouterr()
    assert "secret" in said + "".join(told) or form == "at the cut of a long message"
    assert leaks(said + "".join(told) + printed.out + printed.err + caplog.text) == []


def test_a_key_in_env_is_as_safe(monkeypatch, tmp_path):
    monkeypatch.delenv("CANARY_API_KEY")
    monkeypatch.setenv("ALIFBA_ROOT", str(tmp_path))
    (tmp_path / ".env").write_text(f"CANARY_API_KEY='{CANARY}'\n")
    with ApiServer(lambda request: Act(echo(request), 403)) as server:
        reply = ask(server.url, ["item-0"], key_env="CANARY_API_KEY")[0]
    assert "[secret]" in reply.error
    assert leaks(str(reply)) == []


def careless(request):
    """It echoes the key in a status, in a try that is tried again, in an answer, and in the name of the model."""
    place = next(n for n, names in enumerate(CAPITALS) if any(name in request.item for name in names[:2]))
    answer = chat(CAPITALS[place][2], model=f"served for {request.headers['authorization']}")
    if place == 1:
        return Act(echo(request) | {"error": {"message": "no: " + request.headers["authorization"]}}, 403)
    if place == 2 and request.attempt == 1:
        return Act(
            {"error": {"message": "slow down, " + request.headers["authorization"]}}, 429, {"retry-after": "1.1"}
        )
    if place == 3:
        return Act(chat(f"Your key is {CANARY}."))
    return Act(answer)


@pytest.fixture
def alifba(monkeypatch):
    """Call the program; gives its exit status."""

    def call(*words: object) -> int:
        monkeypatch.setattr(sys, "argv", ["alifba", *map(str, words)])
        try:
            main()
        except SystemExit as end:
            return int(end.code or 0)
        return 0

    monkeypatch.chdir(repo_root())
    return call


def planned(folder: Path, url: str, **study: object) -> list[object]:
    """Options of a study of one model behind the server at `url`."""
    folder.mkdir()
    dataset = write_rows(folder / "d.jsonl", [item_row(i) for i in range(6)])
    one = declared(url, provider="openai", key_env="CANARY_API_KEY", reasoning="off")
    path = write_study(folder, models=[one], bootstrap={"resamples": 200}, acknowledged_extremes=["*"], **study)
    return ["--study", path, "--dataset", dataset, "--runs", folder / "study" / "raw", "--out", folder / "out"]


def in_items(prompt: str) -> str:
    return prompt.rsplit("\n", 2)[-2]


def test_a_run_that_is_denied_leaves_no_key(tmp_path, alifba, capfd):
    with ApiServer(lambda request: Act(echo(request), 401), in_items) as server:
        assert alifba("runs", *planned(tmp_path / "s", server.url, languages=["az"])) == 1
    (copy,) = (tmp_path / "s" / "out" / "notebooks").iterdir()
    assert copy.name == "10_run__org__one__az.failed.ipynb"
    assert "the key is refused" in copy.read_text(encoding="utf-8")
    printed = capfd.readouterr()
    assert leaks(printed.out + printed.err) == []
    for path, data in everything_under(tmp_path).items():
        assert leaks(data.decode("utf-8")) == [], path


def test_no_artefact_of_a_whole_study_carries_the_key(tmp_path, alifba, capfd):
    with ApiServer(careless, in_items) as server:
        given = planned(tmp_path / "s", server.url)
        assert alifba("runs", *given, "--dry-run") == 0
        assert not server.requests
        assert alifba("runs", *given) == 0
    raw, out = tmp_path / "s" / "study" / "raw", tmp_path / "s" / "out"
    rows = [json.loads(line) for line in (raw / "org__one__az.jsonl").read_text(encoding="utf-8").splitlines()]
    by_id = {row["id"]: row for row in rows}
    assert {id_ for id_, row in by_id.items() if row["raw_response"] is None} == {"t-001", "t-003"}
    assert "[secret]" in by_id["t-001"]["error"]
    assert by_id["t-003"]["error"].startswith("the reply repeats the key")
    assert "[secret]" in by_id["t-000"]["served_model"]
    assert "slow down, Bearer [secret]" in (out / "notebooks/10_run__org__one__az.ipynb").read_text(encoding="utf-8")

    assert alifba("score", *given) == 0
    analyse(given[1], given[3], raw, out)
    assert alifba("notebook", "notebooks/azeval/25_figures.ipynb", *given) == 0
    assert alifba("facts", "--study", given[1], "--out", out) == 0
    assert alifba("paper", "--study", given[1], "--out", out, "--pdf", out / "paper.pdf") == 0
    found = everything_under(tmp_path)
    assert {"gap.csv", "facts.json", "gap.png", "paper.pdf", "org__one__az.csv"} <= {path.name for path in found}
    for path, data in found.items():
        assert leaks(data.decode("utf-8", "replace")) == [], path
    assert leaks("\n".join(page.extract_text() for page in PdfReader(out / "paper.pdf").pages)) == []
    printed = capfd.readouterr()
    assert leaks(printed.out + printed.err) == []
