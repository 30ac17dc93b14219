"""A SPARQL endpoint on this machine with a few Wikidata-shaped facts, answered by rdflib, that misbehaves on demand."""

from __future__ import annotations

import copy
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

from rdflib import RDF, RDFS, XSD, Graph, Literal, Namespace, URIRef

WD = Namespace("http://www.wikidata.org/entity/")
WDT = Namespace("http://www.wikidata.org/prop/direct/")
P = Namespace("http://www.wikidata.org/prop/")
PS = Namespace("http://www.wikidata.org/prop/statement/")
PSV = Namespace("http://www.wikidata.org/prop/statement/value/")
PQ = Namespace("http://www.wikidata.org/prop/qualifier/")
WIKIBASE = Namespace("http://wikiba.se/ontology#")

Rows = list[dict[str, dict[str, str]]]
_SPARQL_JSON = "application/sparql-results+json;charset=utf-8"


@dataclass
class Facts:
    """A graph in the shape of Wikidata's: statements with ranks and qualifiers, labels, sitelinks."""

    graph: Graph = field(default_factory=Graph)
    answered: dict[str, Rows] = field(default_factory=dict)

    def entity(self, id_: str, labels: dict[str, str], kind: str = "", sitelinks: int = 150) -> str:
        self.graph.add((WD[id_], WIKIBASE.sitelinks, Literal(sitelinks)))
        if kind:
            self.graph.add((WD[id_], WDT.P31, WD[kind]))
        for language, text in labels.items():
            self.graph.add((WD[id_], RDFS.label, Literal(text, lang=language)))
        return id_

    def says(self, id_: str, asked: str, value: str, **how: Any) -> None:
        """A statement. how: rank ("NormalRank"), ended (True), precision (of a date)."""
        statement = URIRef(f"http://www.wikidata.org/entity/statement/{id_}-{len(self.graph)}")
        literal = value if not value.startswith("Q") else WD[value]
        if how.get("precision"):
            node = URIRef(f"{statement}-value")
            self.graph.add((statement, PSV[asked], node))
            self.graph.add((node, WIKIBASE.timePrecision, Literal(how["precision"])))
            literal = Literal(value, datatype=XSD.dateTime)
        elif isinstance(literal, str) and not isinstance(literal, URIRef):
            literal = URIRef(value) if value.startswith("http") else Literal(value)
        self.graph.add((WD[id_], P[asked], statement))
        self.graph.add((statement, PS[asked], literal))
        self.graph.add((statement, WIKIBASE.rank, WIKIBASE[how.get("rank", "NormalRank")]))
        self.graph.add((statement, RDF.type, WIKIBASE.BestRank))
        if how.get("ended"):
            self.graph.add((statement, PQ.P582, Literal("2001-01-01T00:00:00Z")))


@dataclass
class Reply:
    """What goes back for one request."""

    rows: Rows
    status: int = 200
    content_type: str = _SPARQL_JSON
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None

    def encoded(self) -> bytes:
        if self.body is not None:
            return self.body
        names = sorted({name for row in self.rows for name in row})
        content = {"head": {"vars": names}, "results": {"bindings": self.rows}}
        return json.dumps(content, ensure_ascii=False).encode()


Fault = Callable[[Reply], None]


def status(code: int, **headers: str) -> Fault:
    def fault(reply: Reply) -> None:
        reply.status, reply.body, reply.content_type = code, b"busy", "text/plain"
        reply.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    return fault


def slow(seconds: float) -> Fault:
    return lambda reply: time.sleep(seconds)


def cut(reply: Reply) -> None:
    """The body ends in the middle, as when a query runs into the server's time limit while it is sent."""
    reply.body = reply.encoded()[: len(reply.encoded()) // 2]


def typed(content_type: str, body: bytes | None = None) -> Fault:
    def fault(reply: Reply) -> None:
        reply.content_type, reply.body = content_type, body

    return fault


def only(n: int) -> Fault:
    def fault(reply: Reply) -> None:
        reply.rows = reply.rows[:n]

    return fault


def twice(reply: Reply) -> None:
    reply.rows = [row for row in reply.rows for _ in range(2)]


def relabelled(old: str, new: str) -> Fault:
    """What a label service does that has no label: the identifier stands in its place."""

    def fault(reply: Reply) -> None:
        for row in reply.rows:
            for term in row.values():
                if term["value"] == old:
                    term["value"] = new

    return fault


def fine(reply: Reply) -> None:
    """No fault: for the requests before the one that goes wrong."""


@dataclass
class Endpoint:
    url: str
    faults: list[Fault] = field(default_factory=list)
    always: Fault = fine
    queries: list[str] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)


def _answer(facts: Facts, query: str) -> Rows:
    # Answered once: rdflib takes a third of a second. A graph does not change once it is served.
    if query not in facts.answered:
        found = facts.graph.query(query)
        facts.answered[query] = json.loads(found.serialize(format="json"))["results"]["bindings"]
    return copy.deepcopy(facts.answered[query])


@contextmanager
def serving(facts: Facts) -> Iterator[Endpoint]:
    """The endpoint while it runs. Each request takes the next of its `faults`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            (query,) = form["query"]
            endpoint.queries.append(query)
            endpoint.agents.append(self.headers["User-Agent"])
            endpoint.times.append(time.monotonic())
            reply = Reply(_answer(facts, query))
            endpoint.always(reply)
            (endpoint.faults.pop(0) if endpoint.faults else fine)(reply)
            body = reply.encoded()
            self.send_response(reply.status)
            for name, value in {"Content-Type": reply.content_type, **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

        def handle(self) -> None:
            with suppress(BrokenPipeError, ConnectionResetError):  # a client that did not wait
                super().handle()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    endpoint = Endpoint(f"http://127.0.0.1:{server.server_address[1]}/sparql")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
