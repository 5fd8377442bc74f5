"""The worker threads of a window: which work waits for which."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.types import Check
from bertviz_app.viewmodels.results import Coming, Ready, Request
from bertviz_app.viewmodels.tasks import FractionDone
from bertviz_app.viewmodels.workers import Workers

LIMIT = 10.0  # seconds after which a test gives up; none comes near it


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
