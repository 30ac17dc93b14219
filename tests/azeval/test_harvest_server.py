"""A server that misbehaves, its answers on disk, and whom it can write to."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace

import pytest
import sparql_server as server
from harvest_kit import CAPITAL, CAPITALS, FACTS, QUICK, added, drafted
from sparql_server import serving

from alifba.azeval.harvest import Endpoint, Patience, harvest, sparql, user_agent, write_harvest
from alifba.azeval.harvest.files import labels_path, read_labels
from alifba.errors import InputError
from alifba.items import read_items

# --- a server that misbehaves ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        server.status(429),
        server.status(500),
        server.status(503),
        server.slow(1.5),
        server.cut,
        server.typed("text/html", b"<h1>maintenance</h1>"),
        server.typed("text/csv"),
        server.typed("application/sparql-results+json", b"{}"),
        server.typed("application/json", b'{"results": {"bindings": [{"item": "x"}]}}'),
        server.typed("application/json", b'{"results": {"bindings": [{"item": {"value": 5}}]}}'),
        server.typed("application/json", b"\xff\xfe"),
    ],
)
def test_a_passing_trouble_is_asked_about_again(fault, tmp_path):
    whole, _ = drafted(FACTS, tmp_path / "whole")
    result, endpoint = drafted(FACTS, tmp_path, fault)
    assert result.drafts == whole.drafts
    assert len(endpoint.queries) >= 2


def test_trouble_that_does_not_pass_is_told_and_leaves_nothing_behind(tmp_path):
    with pytest.raises(InputError, match="after 4 attempts: HTTP 503"):
        drafted(FACTS, tmp_path, *[server.status(503)] * 9)
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize("code", [400, 403, 404, 410])
def test_a_refusal_is_not_asked_about_again(code, tmp_path):
    with serving(FACTS) as endpoint:
        endpoint.faults = [server.status(code)] * 3
        with pytest.raises(InputError, match="endpoint"):
            harvest(CAPITAL, Endpoint(endpoint.url, tmp_path, QUICK), 5)
        assert len(endpoint.queries) == 1


def test_an_endpoint_that_is_not_there_is_told(tmp_path):
    with serving(FACTS) as endpoint:
        url = endpoint.url
    with pytest.raises(InputError, match="no answer from the endpoint after 4 attempts"):
        harvest(CAPITAL, Endpoint(url, tmp_path, QUICK), 5)


def recorded(monkeypatch) -> list[float]:
    """Sleeps of the client are noted and not slept."""
    slept: list[float] = []
    monkeypatch.setattr(sparql, "time", SimpleNamespace(monotonic=time.monotonic, sleep=slept.append))
    return slept


@pytest.mark.parametrize("when", ["7", "date"])
def test_retry_after_is_honoured_in_both_its_forms(when, tmp_path, monkeypatch):
    slept = recorded(monkeypatch)
    header = format_datetime(datetime.now(UTC) + timedelta(seconds=7), usegmt=True) if when == "date" else when
    patience = Patience(pause=0, attempts=3, deadline=60)
    said: list[str] = []
    with serving(FACTS) as endpoint:
        endpoint.faults = [server.status(429, Retry_After=header)]
        harvest(CAPITAL, Endpoint(endpoint.url, tmp_path, patience, tell=said.append), 5)
    # A date has whole seconds, so up to one of the seven may be gone.
    assert 5 <= max(slept) <= 7
    assert "attempt 1 of 3 failed: HTTP 429" in said[0]


def test_a_wait_beyond_the_deadline_is_not_waited(tmp_path, monkeypatch):
    slept = recorded(monkeypatch)
    with serving(FACTS) as endpoint:
        endpoint.faults = [server.status(429, Retry_After="36000")]
        with pytest.raises(InputError, match="it asks to wait 36000 s"):
            harvest(CAPITAL, Endpoint(endpoint.url, tmp_path, QUICK), 5)
    assert max(slept) == 0


@pytest.mark.parametrize("header", ["", "soon", "-5", "Thu, 99 Foo 2026"])
def test_a_retry_after_that_says_nothing_is_as_none(header, tmp_path):
    result, _ = drafted(FACTS, tmp_path, server.status(503, Retry_After=header))
    assert len(result.drafts) == len(CAPITALS)


def test_between_two_requests_passes_the_pause(tmp_path):
    with serving(FACTS) as endpoint:
        patience = Patience(pause=0.3, longest=0)
        harvest(CAPITAL, Endpoint(endpoint.url, tmp_path, patience), 100, page=3)
    gaps = [after - before for before, after in zip(endpoint.times, endpoint.times[1:], strict=False)]
    assert gaps
    assert min(gaps) >= 0.3


# --- cache, contact, files -------------------------------------------------------------------------------------------


def test_what_was_answered_is_not_asked_again(tmp_path):
    with serving(FACTS) as endpoint:
        first = harvest(CAPITAL, Endpoint(endpoint.url, tmp_path / "cache", QUICK), 100, page=3)
        asked = len(endpoint.queries)
        again = harvest(CAPITAL, Endpoint(endpoint.url, tmp_path / "cache", QUICK), 100, page=3)
        assert (again, len(endpoint.queries)) == (first, asked)
        harvest(CAPITAL, Endpoint(endpoint.url, tmp_path / "cache", QUICK, refresh=True), 100, page=3)
        assert len(endpoint.queries) == 2 * asked
    assert (tmp_path / "cache" / ".gitignore").read_text() == "*\n"


def test_a_harvest_goes_on_where_it_broke_off(tmp_path):
    with serving(FACTS) as endpoint:
        endpoint.faults = [server.fine, *[server.status(500)] * 4]
        with pytest.raises(InputError):
            harvest(CAPITAL, Endpoint(endpoint.url, tmp_path, QUICK), 100, page=3)
        before = len(endpoint.queries)
        harvest(CAPITAL, Endpoint(endpoint.url, tmp_path, QUICK), 100, page=3)
        assert "OFFSET 0" not in "".join(endpoint.queries[before:])


def test_another_endpoint_has_answers_of_its_own(tmp_path):
    drafted(FACTS, tmp_path)
    other, _ = drafted(added(("Q20", {"az": "Norveç", "en": "Norway"}, "Q585", {"az": "Oslo", "en": "Oslo"})), tmp_path)
    assert len(other.drafts) == len(CAPITALS) + 1


def test_a_spoilt_answer_on_disk_is_asked_for_again(tmp_path):
    with serving(FACTS) as endpoint:
        first = harvest(CAPITAL, Endpoint(endpoint.url, tmp_path, QUICK), 100)
        for path in tmp_path.glob("*.json"):
            path.write_text('{"rows": ')
        assert harvest(CAPITAL, Endpoint(endpoint.url, tmp_path, QUICK), 100) == first


def test_a_public_endpoint_is_told_whom_to_write_to(monkeypatch, tmp_path):
    monkeypatch.delenv("ALIFBA_CONTACT", raising=False)
    with pytest.raises(InputError, match="ALIFBA_CONTACT"):
        Endpoint(sparql.WIKIDATA, tmp_path)
    monkeypatch.setenv("ALIFBA_CONTACT", "somebody@example.org")
    assert "somebody@example.org" in user_agent(sparql.WIKIDATA)
    _, endpoint = drafted(FACTS, tmp_path)
    assert all("alifba/" in agent and "somebody@example.org" in agent for agent in endpoint.agents)
    monkeypatch.setenv("ALIFBA_CONTACT", "a\r\nX-Evil: 1")
    with pytest.raises(InputError, match="one line"):
        user_agent(sparql.WIKIDATA)


def test_drafts_that_are_there_stay_as_they_are(tmp_path):
    path = tmp_path / "wikidata.jsonl"
    result, _ = drafted(FACTS, tmp_path, n=3)
    write_harvest(path, result)
    edited = path.read_text().replace("Fransanın", "Fransa Respublikasının")
    path.write_text(edited)
    present = {draft.id for draft in read_items(path)}
    more, _ = drafted(FACTS, tmp_path, n=5, present=present)
    assert more.left_out["drafted before"] == 3
    write_harvest(path, more)
    kept = {draft.note("concept"): draft for draft in read_items(path)}
    assert "Fransa Respublikasının" in kept["Q142"].question_az
    assert len(kept) == 5
    before = path.read_bytes()
    write_harvest(path, drafted(FACTS, tmp_path, n=5)[0])
    assert path.read_bytes() == before


def test_the_labels_of_both_concepts_are_kept_beside_the_drafts(tmp_path):
    result, _ = drafted(FACTS, tmp_path)
    write_harvest(tmp_path / "wikidata.jsonl", result)
    labels = read_labels(labels_path(tmp_path / "wikidata.jsonl"))
    assert labels["Q1524"] == {"az": "Afina", "en": "Athens", "tr": "Athens", "ru": "Город"}
    assert labels["Q41"] == {"az": "Yunanıstan", "en": "Greece"}


def test_a_text_that_a_person_rejected_is_not_drafted_again(tmp_path):
    result, _ = drafted(FACTS, tmp_path, refused=lambda draft: draft.answer == "Paris")
    assert result.left_out == {"refused before": 1}
