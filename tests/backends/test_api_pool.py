"""Asking many at once: a bound that holds, answers that are kept, and an end when nobody listens."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alifba.backends.api_pool import Pool


def pool(ask, n, workers=4, patience_s=5.0):
    @asynccontextmanager
    async def session():
        yield ask

    return Pool(session, n, workers, patience_s)


@given(n=st.integers(0, 60), workers=st.integers(1, 9), seed=st.integers(0, 9))
@settings(max_examples=30)
def test_every_number_is_asked_once_by_no_more_than_the_workers(n, workers, seed):
    now, most = 0, 0

    async def ask(number):
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(((number * 7 + seed) % 5) / 10_000)
        now -= 1
        return number

    assert sorted(pool(ask, n, workers)) == list(range(n))
    assert most <= workers


def test_an_error_ends_all_but_what_is_in_flight_comes_home():
    asked = []

    async def ask(number):
        asked.append(number)
        await asyncio.sleep(0.01 if number == 2 else 0.1)
        if number == 2:
            raise KeyError("two")
        return number

    got = []
    with pytest.raises(KeyError, match="two"):
        got.extend(pool(ask, 100))
    assert asked == [0, 1, 2, 3]
    assert sorted(got) == [0, 1, 3]


def test_patience_with_what_is_in_flight_ends():
    async def ask(number):
        if number == 0:
            raise KeyError("zero")
        await asyncio.sleep(60)

    begun = time.monotonic()
    with pytest.raises(KeyError):
        list(pool(ask, 4, patience_s=0.1))
    assert time.monotonic() - begun < 5


def test_a_session_that_does_not_open_is_an_error():
    @asynccontextmanager
    async def session():
        raise KeyError("closed")
        yield

    with pytest.raises(KeyError, match="closed"):
        list(Pool(session, 3, 2, 1.0))


def test_no_thread_is_left_behind():
    async def ask(number):
        await asyncio.sleep(0)
        return number

    before = threading.active_count()
    for number in pool(ask, 1000):
        if number == 5:
            break
    list(pool(ask, 10))
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before


def test_lines_for_people_come_among_the_answers():
    async def ask(number):
        lines.tell(f"asking {number}")
        return number

    lines = pool(ask, 2, workers=1)
    assert list(lines) == ["asking 0", 0, "asking 1", 1]
