"""What asking costs: sums that a price list gives by hand, bounds that hold, a limit that nothing passes."""

from __future__ import annotations

import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alifba.backends.base import Image, Prompt
from alifba.backends.pricing import Budget, CostLimit, cost, estimate, most, most_prompt_tokens, shares
from alifba.config import Price
from alifba.errors import InputError

PRICE = Price(input=0.25, output=2.0)
IMAGE = Image(b"x", "image/png")


def test_a_reply_costs_its_tokens():
    # 1,000,000 tokens in at 0.25 and 500,000 out at 2.00 a million.
    assert cost(PRICE, 1_000_000, 500_000) == 1.25
    for unknown in ((None, 1, 1), (PRICE, None, 1), (PRICE, 1, None)):
        assert cost(*unknown) is None


@given(text=st.text(max_size=200), system=st.text(max_size=50))
def test_no_tokenizer_makes_more_tokens_than_the_bound(text, system):
    # The finest that one can cut: bytes.
    bytes_ = len(text.encode("utf-8", "replace")) + len(system.encode("utf-8", "replace"))
    assert most_prompt_tokens(None, Prompt(text, system)) >= bytes_


def test_an_image_counts_as_the_study_says_or_is_unknown():
    assert most_prompt_tokens(PRICE, Prompt("q", images=(IMAGE,))) is None
    assert most(PRICE, Prompt("q", images=(IMAGE,)), 8) is None
    priced = Price(input=1, output=1, image_tokens=1500)
    plain = most_prompt_tokens(priced, Prompt("q"))
    assert most_prompt_tokens(priced, Prompt("q", images=(IMAGE, IMAGE))) == plain + 3000


def test_an_estimate_says_what_is_known_and_no_more():
    unpriced = estimate(None, ["abcd" * 10] * 3, 32)
    assert (unpriced.n_items, unpriced.characters, unpriced.tokens_low) == (3, 120, 30)
    assert (unpriced.usd_low, unpriced.usd_high) == (None, None)
    assert "price unknown" in str(unpriced)
    priced = estimate(PRICE, ["abcd" * 10] * 3, 32)
    assert priced.usd_high == pytest.approx(3 * most(PRICE, Prompt("abcd" * 10), 32))
    assert 0 < priced.usd_low < priced.usd_high
    pictures = estimate(PRICE, [Prompt("q", images=(IMAGE,))], 32)
    assert (pictures.tokens_high, pictures.usd_high) == (None, None)


def test_a_limit_is_shared_out_by_what_each_run_may_cost():
    runs = [estimate(PRICE, ["q"] * n, 32) for n in (10, 30)]
    assert shares(8.0, runs) == pytest.approx([2.0, 6.0])
    assert shares(8.0, []) == []
    with pytest.raises(InputError, match="price of a model is not known"):
        shares(8.0, [*runs, estimate(None, ["q"], 32)])


@given(
    limit=st.integers(0, 60),
    requests=st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9) | st.none()), max_size=30),
    seed=st.integers(0, 99),
)
def test_what_is_let_go_never_passes_the_limit(limit, requests, seed):
    """Requests of a bound and a real cost of at most that (None: unknown), some at once; sums of cents are exact."""
    rng = random.Random(seed)
    let_go = []

    async def request(budget, bound, real):
        await budget.reserve(bound / 4)
        let_go.append(bound if real is None else min(real, bound))
        await asyncio.sleep(rng.random() / 10_000)
        await budget.settle(bound / 4, None if real is None else min(real, bound) / 4)

    async def all_of_them():
        budget = Budget(limit / 4)
        told = await asyncio.gather(*(request(budget, *pair) for pair in requests), return_exceptions=True)
        assert all(fault is None or isinstance(fault, CostLimit) for fault in told)
        assert budget.spent * 4 == sum(let_go) <= limit
        # Each that was refused would have been too much by the end.
        refused = [bound for (bound, _), fault in zip(requests, told, strict=True) if fault]
        assert all(sum(let_go) + bound > limit for bound in refused)

    asyncio.run(all_of_them())


def test_without_a_limit_nothing_is_refused():
    async def go():
        budget = Budget(None)
        await budget.reserve(None)
        await budget.settle(None, None)

    asyncio.run(go())
