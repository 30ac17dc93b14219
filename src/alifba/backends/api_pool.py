"""Ask many things at once from ordinary code: an event loop in a thread of its own, a bounded number of workers.

A notebook has an event loop already, so ours cannot run in its thread.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
Ask = Callable[[int], Awaitable[T]]
_LEAD = 4
"""Answers that may wait, for each worker: if nobody takes them, because a disk is full, nobody should pay for more."""


@dataclass(frozen=True)
class _End:
    fault: BaseException | None


class Pool(Generic[T]):
    """Asks for the numbers 0 to `n` - 1, at most `workers` at a time, and yields the answers as they come.

    `session` opens what is shared and gives the function that asks. An exception of that function ends all: requests
    in flight get `patience_s` to come home, their answers are yielded, then the exception is raised.
    """

    def __init__(
        self, session: Callable[[], AbstractAsyncContextManager[Ask[T]]], n: int, workers: int, patience_s: float
    ) -> None:
        self._session, self._n, self._workers, self._patience_s = session, n, workers, patience_s
        self._out: queue.SimpleQueue[T | str | _End] = queue.SimpleQueue()
        self._cancel: Callable[[], object] = lambda: None

    def tell(self, notice: str) -> None:
        """Put a line for people among the answers; may be called from the function that asks."""
        self._out.put(notice)

    def __iter__(self) -> Iterator[T | str]:
        started = threading.Event()
        thread = threading.Thread(target=self._run, args=(started,), daemon=True)
        thread.start()
        started.wait()
        try:
            while not isinstance(got := self._out.get(), _End):
                yield got
            if got.fault:
                raise got.fault
        finally:
            # Whoever stops taking answers, by an error or by Ctrl-C, stops the asking too.
            self._cancel()
            thread.join()

    def _run(self, started: threading.Event) -> None:
        try:
            asyncio.run(self._drive(started))
        except BaseException as fault:
            self._out.put(_End(fault))
        else:
            self._out.put(_End(None))
        finally:
            started.set()

    async def _drive(self, started: threading.Event) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def cancel() -> None:
            with suppress(RuntimeError):  # The loop has ended already.
                loop.call_soon_threadsafe(task.cancel)

        self._cancel = cancel
        started.set()
        async with self._session() as ask:
            await self._ask_all(ask)

    async def _ask_all(self, ask: Ask[T]) -> None:
        numbers = iter(range(self._n))
        stopped = asyncio.Event()

        async def work() -> None:
            for number in numbers:
                while self._out.qsize() > _LEAD * self._workers:
                    await asyncio.sleep(0.05)
                if stopped.is_set():
                    return
                self._out.put(await ask(number))

        workers = [asyncio.create_task(work()) for _ in range(min(self._workers, self._n))]
        if not workers:
            return
        try:
            done, pending = await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
            if pending:
                stopped.set()
                await asyncio.wait(pending, timeout=self._patience_s)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        for worker in done:
            worker.result()
