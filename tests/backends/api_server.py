"""A small HTTP server on 127.0.0.1 that plays a model API: it answers, or fails in the way that it is told.

Run as a program it answers every request after a steady delay, for measurements:
``python tests/backends/api_server.py --delay 0.1`` prints its port.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Request:
    """A request as it came; `item` is what it asks for, `attempt` counts from 1 for each item, `at` is seconds."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    item: str
    attempt: int
    at: float


@dataclass(frozen=True)
class Act:
    """What the server does with a request. A `body` of None is the right answer in the protocol of its path."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: bool = False
    """Close the connection in the middle of the body."""
    drip: float = 0.0
    """Seconds between one byte of the body and the next."""


def answer_to(item: str) -> str:
    """The one right answer to an item; nothing else counts as one."""
    return "answer " + hashlib.sha256(item.encode()).hexdigest()[:12]


def chat(content: str | None, finish: str = "stop", **changes: Any) -> dict[str, Any]:
    """The body of a chat completion."""
    message = {"role": "assistant", "content": content}
    usage = {"prompt_tokens": 40, "completion_tokens": 5, "total_tokens": 45}
    choices = [{"index": 0, "finish_reason": finish, "message": message}]
    return {"id": "c", "object": "chat.completion", "created": 0, "model": "served-1", "choices": choices} | {
        "usage": usage,
        **changes,
    }


def completion(text: str) -> dict[str, Any]:
    """The body of a plain completion."""
    choices = [{"index": 0, "finish_reason": "stop", "text": text, "logprobs": None}]
    return chat(None, object="text_completion", choices=choices)


def message(text: str, stop: str = "end_turn", **changes: Any) -> dict[str, Any]:
    """The body of an Anthropic message."""
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "served-1",
        "content": [{"type": "text", "text": text}],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 40, "output_tokens": 5},
    } | changes


def _prompt(body: dict[str, Any]) -> str:
    if "prompt" in body:
        return str(body["prompt"])
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else str(content[-1]["text"])


class ApiServer:
    """Serves in a thread of its own; `requests` holds everything that came.

    `item_of` finds the item in a prompt: by default its last line.
    """

    def __init__(
        self,
        act: Callable[[Request], Act] = lambda request: Act(),
        item_of: Callable[[str], str] = lambda prompt: prompt.rsplit("\n", 1)[-1],
    ) -> None:
        self._act, self._item_of = act, item_of
        self._attempts: Counter[str] = Counter()
        self.requests: list[Request] = []
        self.most_at_once = self._at_once = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> ApiServer:
        self._thread.start()
        starting = asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=512)
        server = asyncio.run_coroutine_threadsafe(starting, self._loop).result(10)
        self.port = server.sockets[0].getsockname()[1]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _end(self) -> None:
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                first, *lines = head.decode("latin-1").strip().split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
                body = json.loads(await reader.readexactly(int(headers.get("content-length", 0))))
                self._at_once += 1
                self.most_at_once = max(self.most_at_once, self._at_once)
                try:
                    open_still = await self._reply(first.split()[1], headers, body, writer)
                finally:
                    self._at_once -= 1
                if not open_still:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        except asyncio.CancelledError:
            # The server ends; the stream's own callback would report the cancelled task.
            pass
        finally:
            writer.close()

    async def _reply(
        self, path: str, headers: dict[str, str], body: dict[str, Any], writer: asyncio.StreamWriter
    ) -> bool:
        item = self._item_of(_prompt(body))
        self._attempts[item] += 1
        request = Request(path, headers, body, item, self._attempts[item], time.monotonic())
        self.requests.append(request)
        act = self._act(request)
        await asyncio.sleep(act.delay)
        content = act.body
        if content is None:
            write = (
                message if path.endswith("/messages") else chat if path.endswith("/chat/completions") else completion
            )
            content = write(answer_to(item))
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        own = {"content-type": "application/json", "content-length": str(len(data))} | act.headers
        head = f"HTTP/1.1 {act.status} X\r\n" + "".join(f"{name}: {value}\r\n" for name, value in own.items())
        writer.write(head.encode() + b"\r\n")
        for place in range(len(data)) if act.drip else ():
            writer.write(data[place : place + 1])
            await writer.drain()
            await asyncio.sleep(act.drip)
        writer.write(b"" if act.drip else data[: len(data) // 2] if act.cut else data)
        await writer.drain()
        return not act.cut


def main() -> None:
    """Serve until standard input closes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--delay", type=float, default=0.1)
    delay = parser.parse_args().delay
    with ApiServer(lambda request: Act(delay=delay)) as server:
        print(server.port, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
