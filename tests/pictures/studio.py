"""`Studio`: the window on real checkpoints, off-screen, taken through what a user would do, and pictured."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEventLoop, QSize, Qt, QTimer
from PySide6.QtGui import QImage, QPixmap

from bertviz_app.inference.engine import Engine
from bertviz_app.shell.application import make_application
from bertviz_app.shell.feature import features
from bertviz_app.shell.settings import SettingsStore, Theme, read_palette
from bertviz_app.shell.window.main_area import MainArea
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelView
from tests.pictures.animated_png import Frame, Pixels

SIZE = QSize(1280, 800)
MINILM = "all-MiniLM-L6-v2"
SENTENCE = "A cat ate the fish because it was hungry"
_SMALL = QSize(960, 600)
_LIMIT = 300.0


class Studio:
    """A light window of SIZE with a checkpoint; `folder` has its settings. Call `close` at the end."""

    def __init__(self, folder: Path, theme: str = "light") -> None:
        application = make_application()
        look = Look(read_palette(theme))
        themes = Theme(application, look)
        self.app_state = AppState(Engine())
        self.window = MainWindow(
            self.app_state, look, themes, SettingsStore(folder / "settings.json"), features()
        )
        themes.choose(theme)
        self.window.resize(SIZE)
        self.window.show()
        self.window.main_area.ensurePolished()
        self.frames: list[Frame] = []

    @property
    def area(self) -> MainArea:
        """What the window shows of a run."""
        return self.window.main_area

    def open(self, model: str) -> None:
        """Open a checkpoint."""
        self.app_state.start(model)
        self.until(lambda: self.app_state.workspace.facts is not None)

    def type(self, text: str, pair: str | None = None) -> None:
        """Write a text, and wait until everything of it is on screen."""
        self.app_state.workspace.set_texts(text, pair, at_once=True)
        self.settle()

    def token(self, piece: str) -> int:
        """Return the position of a piece in the text of run A."""
        shown = self.app_state.workspace.shown
        assert shown is not None
        return shown.result.trace.tokens.pieces.index(piece)

    def until(self, is_done: Callable[[], bool]) -> None:
        """Let the event loop run until `is_done()`; fails after two minutes."""
        end, loop = time.monotonic() + _LIMIT, QEventLoop()
        timer = QTimer(interval=15)
        timer.timeout.connect(lambda: loop.quit() if is_done() or time.monotonic() > end else None)
        timer.start()
        loop.exec()
        assert is_done(), "the window did not become what it should be"

    def wait(self, seconds: float) -> None:
        """Let the event loop run for so long."""
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > end)

    def settle(self) -> None:
        """Wait until the runs are encoded and every panel has drawn what it shows."""
        state = self.app_state
        self.until(lambda: not state.workspace.is_busy and state.workspace.is_current)
        if state.comparison.is_on:
            self.until(lambda: state.comparison.difference is not None and not state.comparison.is_busy)
        self.until(lambda: self.area.area.is_complete)
        views = [view for view in self.window.findChildren(PanelView) if view.isVisible()]
        for view in views:
            view.complete()
            self.until(lambda view=view: not view.is_waiting)  # type: ignore[misc]
        self.wait(0.15)

    def picture(self) -> QPixmap:
        """Return the window without its status line, which has how long this computer took."""
        self.window.frame.status.hide()
        self.wait(0.1)
        return self.window.grab()

    def shoot(self, milliseconds: int) -> None:
        """Add what the window shows now to the frames."""
        smooth = Qt.TransformationMode.SmoothTransformation
        image = self.picture().toImage().scaled(_SMALL, Qt.AspectRatioMode.IgnoreAspectRatio, smooth)
        self.frames.append(Frame(_pixels(image), milliseconds))

    def close(self) -> None:
        """End the workers, and put the window away."""
        self.window.hide()
        self.app_state.close()
        self.window.deleteLater()


def _pixels(image: QImage) -> Pixels:
    """Return the colours of an image [height, width, 3]."""
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : image.width() * 3].reshape(image.height(), image.width(), 3).copy()
