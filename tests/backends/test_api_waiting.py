"""How long is waited, and how a server's own word for it is read (RFC 9110, 10.2.3 and 5.6.7)."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("tenacity")

from alifba.backends.api_asking import wait_s
from alifba.backends.api_client import retry_after
from alifba.backends.api_replies import Failure
from alifba.config import Retry

RETRY = Retry(wait_s=1.0, longest_wait_s=60.0)


@given(attempt=st.integers(1, 10_000), seed=st.integers(0, 99))
def test_waits_double_up_to_the_longest_and_are_jittered(attempt, seed):
    whole = min(60.0, 2.0 ** min(attempt - 1, 40))
    assert whole / 2 <= wait_s(RETRY, attempt, None, random.Random(seed)) <= whole


def test_two_that_failed_together_do_not_come_back_together():
    waits = {wait_s(RETRY, 5, None, random.Random(seed)) for seed in range(20)}
    asked = {wait_s(RETRY, 5, Failure("429", again=True, retry_after=7.0), random.Random(seed)) for seed in range(20)}
    assert len(waits) == len(asked) == 20


@given(asked=st.floats(0, 1e6), attempt=st.integers(1, 50))
def test_never_sooner_than_the_server_asks(asked, attempt):
    waited = wait_s(RETRY, attempt, Failure("429", again=True, retry_after=asked), random.Random(0))
    assert asked <= waited <= asked + RETRY.wait_s


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "120"}, 120.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "1"}, 1.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_a_time_to_wait_is_read_or_left_alone(headers, seconds):
    assert retry_after(headers) == seconds


def test_a_date_is_so_many_seconds_away():
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert 87 < retry_after({"retry-after": date}) <= 90
