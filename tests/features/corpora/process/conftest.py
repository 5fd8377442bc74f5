"""A corpus of lines that a small checkpoint reads, with some that it cannot."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import LocalCluster

import bertviz_app

WORDS = ("the", "cat", "ate", "fish", "it", "a", "was", "hungry", "because")
EMPTY, UNDECODABLE, LONG = 5, 9, 12
"""Numbers of the lines that cannot be measured."""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return a file of 40 lines, from 1 on."""
    source = random.Random(0)
    lines = [" ".join(source.choices(WORDS, k=source.randint(2, 9))).encode() for _ in range(40)]
    lines[EMPTY - 1] = b"  "
    lines[UNDECODABLE - 1] = b"the c\xe4t"
    lines[LONG - 1] = b"the cat ate fish " * 200
    path = tmp_path / "texts.txt"
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


@pytest.fixture(scope="package")
def model(tiny_bert: Path) -> bertviz_app.Model:
    return bertviz_app.open_model(str(tiny_bert), device="cpu")


@pytest.fixture(scope="package")
def cluster() -> Iterator[LocalCluster]:
    """Return two worker processes, whose complaints about a killed one are not ours."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as found:
        yield found


@pytest.fixture(autouse=True)
def quiet() -> None:
    """Let libraries warn: on a busy machine `distributed` does of workers that end late."""
