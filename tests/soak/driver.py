"""`Driver`: makes gestures for some minutes, rests now and then, and notes what went wrong."""

from __future__ import annotations

import logging
import sys
import time
from collections import Counter
from collections.abc import Callable
from random import Random

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QMessageBox, QWidget

from bertviz_app.features.lessons.window.lessons import Lessons
from bertviz_app.features.training.page import TrainingController
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.views.kit.canvas import LaterWork
from tests.soak.footprint import Footprint, footprint
from tests.soak.gestures import GESTURES, Gesture, run_next_command
from tests.soak.material import TEXTS, Material
from tests.soak.warm_up import use_every_checkpoint
from tests.support.opened_window import run_until

N_RESTS = 12
"""How many times footprints are taken at rest."""
WARM_UP = 3
"""How many of them do not count at least, since caches are still being filled."""
_WARM_GESTURES = 10_000
"""Nor do those before so many gestures: a busy machine makes a few hundred in the time of the first three."""
_LONGEST_REST_S = 90.0
_POPUP_MS = 50
_PAUSES_MS = (0, 0, 1, 5, 20, 60)


class Faults(logging.Handler):
    """Every record from WARNING on, as a line each: exceptions of slots and workers, and what Qt warns of."""

    def __init__(self, note: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._note = note
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Note the record, unless it is of what the off-screen platform of Qt cannot do."""
        if "This plugin does not support" not in record.getMessage():
            self._note(self.format(record))


class Driver(QObject):
    """`ended()` is called when the time is over.

    It begins with each command once. Gesture n after them is drawn from the seed and n alone, so that a seed
    makes the same gestures again, however fast the machine answers them.
    """

    def __init__(
        self, material: Material, seed: int, seconds: float, n_rests: int, ended: Callable[[], None]
    ) -> None:
        super().__init__()
        self._material, self._seed, self._seconds = material, seed, seconds
        self._n_rests, self._ended = n_rests, ended
        self.n_gestures = 0
        self.last = "none"
        self.faults: Counter[str] = Counter()
        self.first: dict[str, str] = {}
        """Each fault's number of times, and when it came first."""
        self.rests: list[Footprint] = []
        self.n_cold = 0
        """How many of the rests were taken before the caches were filled."""
        self._is_acting = False
        self._has_commands = True
        self._resting_since: float | None = None
        self._active, self._since = 0.0, time.monotonic()
        """For how long gestures were made, and since when they are made or waited for."""
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._act)
        logging.getLogger().addHandler(Faults(self._note))

    def begin(self, window: MainWindow) -> None:
        """Start, once the window is there."""
        self._window = window
        window.installEventFilter(self)
        for fault in use_every_checkpoint(window, self._material):
            self._note(fault)
        self._started = time.monotonic()
        self._timer.start(500)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the window open, whatever a gesture does."""
        if event.type() == QEvent.Type.Close:
            event.ignore()
            return True
        return False

    def _note(self, what: str) -> None:
        self.faults[what] += 1
        self.first.setdefault(what, f"gesture {self.n_gestures}, {self.last}")

    # each turn of the timer

    def _act(self) -> None:
        draw = random_of(self._seed, self.n_gestures)
        # A menu or a dialog runs an event loop of its own, in which the timer has to go on.
        self._timer.start(_POPUP_MS)
        if self._answer_popup(draw) or self._is_acting:
            return
        self._is_acting = True
        try:
            self._rest_or_gesture(draw)
        finally:
            self._is_acting = False
        if len(self.rests) < self._n_rests:
            self._timer.start(draw.choice(_PAUSES_MS))

    def _answer_popup(self, draw: Random) -> bool:
        """Close the menu or dialog that waits for an answer, if one does."""
        popup = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if popup is None:
            return False
        if isinstance(popup, QMessageBox) and popup.buttons():
            draw.choice(popup.buttons()).click()
        elif isinstance(popup, QMenu) and draw.random() < 0.5 and popup.actions():
            action = draw.choice(popup.actions())
            popup.close()
            if action.isEnabled() and action.menu() is None:
                action.trigger()
        elif isinstance(popup, QDialog):
            popup.reject()
        else:
            popup.close()
        return True

    def _rest_or_gesture(self, draw: Random) -> None:
        if self._resting_since is not None:
            self._wait_for_rest()
        elif self._active >= self._seconds * len(self.rests) / (self._n_rests - 1):
            self._begin_rest()
        else:
            self._gesture(draw)

    def _gesture(self, draw: Random) -> None:
        number, self.n_gestures = self.n_gestures, self.n_gestures + 1
        self.last = "each command once"
        # Each command first: what it opens is made when it is first asked for, and kept.
        self._has_commands = self._has_commands and run_next_command(self._window, number)
        if not self._has_commands:
            gesture = choose(draw)
            self.last = gesture.__name__
            gesture(self._window, self._material, draw)
        self._active += time.monotonic() - self._since
        self._since = time.monotonic()

    # rests: the same state each time, so that footprints can be compared

    def _begin_rest(self) -> None:
        window, state = self._window, self._window.app_state
        self._resting_since = time.monotonic()
        window.part(TrainingController).training.stop()
        window.part(TrainingController).leave()
        window.part(Lessons).leave()
        if window.presentation.is_on:
            window.presentation.leave()
        state.comparison.end()
        window.appearance.choose_language("en")
        window.appearance.set_text_size(1.0)
        window.resize(1600, 1000)
        for theme in ("dark", "light"):  # pictures of chips and labels are kept with a theme
            window.appearance.choose_theme(theme)
            run_until(lambda: LaterWork.shared().is_done(), _LONGEST_REST_S)
            QApplication.processEvents()
        QApplication.clipboard().clear()  # of a picture of up to 93 MB
        state.workspace.leave_saved()
        state.workspace.set_device("auto")
        state.workspace.open_model(None)
        # Three texts: the memory of a longer one, which none of them has a use for, is given back then.
        for text in (TEXTS[2], TEXTS[3], TEXTS[0]):
            state.workspace.set_texts(text, None, at_once=True)
            run_until(lambda: state.workspace.is_current, _LONGEST_REST_S)
        state.panels.open([Panel(0, 0, 0, "lines", "A")])

    def _wait_for_rest(self) -> None:
        since, state = self._resting_since, self._window.app_state
        assert since is not None
        for dialog in QApplication.topLevelWidgets():
            _close_if_dialog(dialog)
        waited = time.monotonic() - since
        run = self._window.part(TrainingController).training.run
        is_at_rest = state.workspace.is_current and (run is None or not run.is_alive)
        if waited < 3.0 or (not is_at_rest and waited < _LONGEST_REST_S):
            return
        if not is_at_rest:
            self._note("no rest: the text is not encoded, or the training does not end")
        self.rests.append(footprint())
        if len(self.rests) <= WARM_UP or self.n_gestures < _WARM_GESTURES:
            self.n_cold = len(self.rests)
        minutes = (time.monotonic() - self._started) / 60
        sys.stdout.write(f"{minutes:5.1f} min, {self.n_gestures:,} gestures, at rest: {self.rests[-1]}\n")
        sys.stdout.flush()
        self._resting_since, self._since = None, time.monotonic()
        if len(self.rests) == self._n_rests:
            self._timer.stop()
            self._window.removeEventFilter(self)
            self._ended()


def random_of(seed: int, number: int) -> Random:
    """Return what gesture `number` of a soak is drawn from."""
    return Random(f"{seed} {number}")


def choose(draw: Random) -> Gesture:
    """Return one of the gestures, each as often as its weight says."""
    return draw.choices(list(GESTURES), list(GESTURES.values()))[0]


def _close_if_dialog(widget: QWidget) -> None:
    if isinstance(widget, QDialog) and widget.isVisible():
        widget.reject()
