"""What all tests share."""

from __future__ import annotations

import pytest
from hypothesis import settings

from samples import REFERENCE

# Several workers share two cores, so the time of one example says nothing.
settings.register_profile("alifba", deadline=None)
settings.load_profile("alifba")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("reference") and not REFERENCE.is_dir():
        pytest.skip("the published data (../shared/reference/azeval-v0) are not beside this checkout")
