"""The worker threads of a window: which work waits for which, and how many large results are held."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.types import Check
from bertviz_app.viewmodels.panels import MOST
from bertviz_app.viewmodels.results import Coming, Ready, Request, Results
from bertviz_app.viewmodels.tasks import FractionDone
from bertviz_app.viewmodels.workers import Workers

LIMIT = 60.0  # seconds after which a test gives up, on a machine however busy; none comes near it


@pytest.fixture
def workers(qtbot: QtBot) -> Iterator[Workers]:
    errors: list[Exception] = []
    workers = Workers(errors.append)
    workers.start()
    yield workers
    workers.close()
    assert errors == []


def test_a_text_is_encoded_and_a_picture_drawn_while_an_analysis_runs(workers: Workers, qtbot: QtBot) -> None:
    is_over, done = threading.Event(), list[str]()

    def analyse(check: Check, progress: FractionDone) -> str:
        assert is_over.wait(LIMIT)
        return "analysed"

    request = Request("an analysis", (), analyse)
    assert isinstance(workers.analysed.get(request, "panel 1"), Coming)
    workers.encoder.start("encode", lambda check, _: "encoded", done.append, lambda error: None)
    workers.pictures.start("draw", lambda check, _: "drawn", done.append, lambda error: None)
    qtbot.waitUntil(lambda: set(done) == {"encoded", "drawn"}, timeout=5000)
    assert isinstance(workers.analysed.state("an analysis"), Coming)
    is_over.set()
    qtbot.waitUntil(lambda: isinstance(workers.analysed.state("an analysis"), Ready), timeout=5000)


LARGE = 300 << 20
"""Bytes of the cosines between 8,192 tokens, about."""


def _nothing(check: Check, progress: FractionDone) -> None:
    raise AssertionError


def _n_cached(results: Results, n_results: int, n_bytes: int) -> int:
    for number in range(n_results):
        # An array of one number repeated: it has the size of a large one, and takes no memory.
        results.put(Request(number, (), _nothing), np.broadcast_to(np.uint8(0), (n_bytes,)))
    return sum(results.state(number) is not None for number in range(n_results))


@pytest.mark.parametrize("store", [lambda workers: workers.layers, lambda workers: workers.vectors])
def test_of_large_results_only_as_many_are_held_as_panels_show(
    qapp: QApplication, store: Callable[[Workers], Results]
) -> None:
    assert _n_cached(store(Workers(lambda error: None)), 20, LARGE) == MOST


def test_of_small_ones_there_is_room_for_many(qapp: QApplication) -> None:
    workers = Workers(lambda error: None)
    for results in (workers.layers, workers.vectors, workers.heads, workers.analysed):
        assert _n_cached(results, 100, 1 << 20) == 100


def test_what_was_not_reported_when_the_workers_end_is_neither_reported_nor_held(qtbot: QtBot) -> None:
    class Value:
        pass

    workers, values, is_made = Workers(lambda error: None), list[Value](), threading.Event()
    made: list[weakref.ref[Value]] = []

    def make(check: Check, progress: FractionDone) -> Value:
        value = Value()
        made.append(weakref.ref(value))
        return value

    workers.start()
    workers.encoder.start("make", make, values.append, lambda error: None)
    # The worker does one after the other: the first has ended, and this thread has not yet been called back.
    workers.encoder.start("after", lambda check, _: is_made.set(), lambda _: None, lambda error: None)
    assert is_made.wait(LIMIT)
    workers.close()
    assert made[0]() is None
    qtbot.wait(10)
    assert values == []
