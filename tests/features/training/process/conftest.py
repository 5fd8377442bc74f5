"""Tests of processes, which log by themselves."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def quiet() -> None:
    """Let libraries warn."""
