"""Forgets the syntax trees of all modules after the tests of the architecture: they are large."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.module_facts import modules_of


@pytest.fixture(scope="package", autouse=True)
def _forget_the_trees() -> Iterator[None]:
    yield
    modules_of.cache_clear()
