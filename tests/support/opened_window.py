"""A shown window with a text encoded and drawn, for benchmarks that move about in it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QEventLoop, QPointF, Qt, QTimer
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from bertviz_app.inference.engine import Engine
from bertviz_app.shell.feature import features
from bertviz_app.shell.settings import SettingsStore, Theme, read_palette
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.kit.look import Look


@contextmanager
def opened(model: str | None, text: str) -> Iterator[tuple[AppState, MainWindow]]:
    """A shown window with `text` encoded and drawn; of "" the start page, with the checkpoint open."""
    app_state, look = AppState(Engine()), Look(read_palette("light"))
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    with tempfile.TemporaryDirectory() as folder:
        store = SettingsStore(Path(folder) / "settings.json")
        theme = Theme(application, look)
        window = MainWindow(app_state, look, theme, store, features())
        theme.choose("light")
        window.resize(1600, 1000)
        window.show()
        app_state.start(model)
        if text:
            app_state.workspace.set_texts(text, None, at_once=True)
            run_until(lambda: app_state.workspace.is_current and window.main_area.area.is_complete)
        else:
            run_until(lambda: app_state.workspace.facts is not None)
        yield app_state, window
        window.close()
    app_state.close()


def run_until(is_done: Callable[[], bool], limit: float = 120.0) -> None:
    """Let the event loop run until `is_done()`."""
    loop, until = QEventLoop(), time.perf_counter() + limit
    timer = QTimer(interval=1)
    timer.timeout.connect(lambda: loop.quit() if is_done() or time.perf_counter() > until else None)
    timer.start()
    loop.exec()
    timer.stop()


def wheel(widget: QWidget, delta: int) -> None:
    """Turn the wheel over the middle of `widget`."""
    middle = QPointF(widget.width() / 2, widget.height() / 2)
    event = QWheelEvent(
        middle,
        widget.mapToGlobal(middle),
        QPointF(0, 0).toPoint(),
        QPointF(0, delta).toPoint(),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)
