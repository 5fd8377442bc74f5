"""The button that plays the saved steps of a training."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.training.watched_sentence import WatchedSentence
from bertviz_app.views.training.step_player import StepPlayer


class Watched(QObject):
    """A watched sentence of three saved steps, until `end`."""

    changed = Signal()
    is_busy = False

    def __init__(self) -> None:
        super().__init__()
        self.shown: SimpleNamespace | None = SimpleNamespace(step=1, steps=[1, 2, 3])

    def choose(self, step: int) -> None:
        """Show another step."""

    def end(self) -> None:
        self.shown = None
        self.changed.emit()


def test_the_button_plays_again_after_the_run_that_was_played_is_left(qtbot: QtBot) -> None:
    watched = Watched()
    player = StepPlayer(cast(WatchedSentence, watched))
    qtbot.addWidget(player)
    player.play.click()
    assert player.play.text() == "■"
    watched.end()
    assert player.play.text() == "▶"
