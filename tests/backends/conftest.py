"""Keys for the API tests: none of them is a real one."""

from __future__ import annotations

import pytest


@pytest.fixture
def own_keys(monkeypatch):
    monkeypatch.setenv("CANARY_API_KEY", "sk-for-these-tests")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-for-these-tests-too")
