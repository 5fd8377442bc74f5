"""A measured corpus, for the tests that only look at it, and measuring without a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from bertviz_app.errors import AppError, as_json
from bertviz_app.features.corpora.process import reading
from bertviz_app.features.corpora.process.child import run
from bertviz_app.features.corpora.process.reading import CorpusTable, collect_examples, measure_file
from bertviz_app.inference.child_process import Commands, Report

LINES = [
    "the cat ate the fish",
    "a cat was hungry",
    "it ate fish because it was hungry",
    "the big dog ran",
] * 6


class _InThisProcess:
    """Does the work of a process when it is started; none imports torch once more, which takes seconds."""

    def __init__(
        self, module: str, job: Mapping[str, Any], received: Callable[[Report], None], _: object
    ) -> None:
        self._job, self._received = dict(job), received

    def start(self) -> None:
        def send(**message: object) -> None:
            self._received(message)

        try:
            run(self._job, Commands(StringIO(), send), send)
        except AppError as error:
            send(kind="error", message=as_json(error.message), hint=as_json(error.hint))

    def close(self, timeout: float) -> bool:
        return True


@contextmanager
def measuring_here() -> Iterator[None]:
    """What is measured in the block is measured in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "ChildProcess", _InThisProcess)
        yield


@pytest.fixture
def in_this_process() -> Iterator[None]:
    with measuring_here():
        yield


@pytest.fixture(scope="session")
def measured_table(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table of a file of these lines, whose examples of heads are collected: read-only by agreement."""
    texts = tmp_path_factory.mktemp("corpus") / "texts.txt"
    texts.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    with measuring_here():
        table = measure_file(texts, str(tiny_bert), lambda share: None, lambda: None)
        collect_examples(CorpusTable(table).about, lambda share: None, lambda: None)
    return table
