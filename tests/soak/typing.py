"""`Typist`: twenty keys a second into a BERT-base, and how late the interface thread is meanwhile."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtTest import QTest

from bertviz_app.shell.window.window import MainWindow

KEYS_PER_SECOND = 20
BUDGET_MS = 50.0
_BEAT_MS = 5
_LONGEST_TEXT = 600  # letters
_SENTENCE = "the cat ate the fish because it was hungry and we saw it there "


def write_base(folder: Path) -> Path:
    """Write a random checkpoint of BERT-base's shape; return its folder.

    In a process of its own: transformers leaves a million objects, which collections would look at.
    """
    program = (
        "import sys; from pathlib import Path; from tests.support.checkpoints import bert_base; "
        "bert_base(Path(sys.argv[1]))"
    )
    subprocess.run([sys.executable, "-c", program, str(folder)], check=True, capture_output=True)
    return folder


class Typist(QObject):
    """Types once the checkpoint is open and the first text encoded, so that start-up does not count."""

    def __init__(self, seconds: float, ended: Callable[[], None]) -> None:
        super().__init__()
        self._seconds, self._ended = seconds, ended
        self._letters = cycle(_SENTENCE)
        self.n_keys = self.n_encoded = 0
        self.late_ms: list[float] = []
        self._keys = QTimer(self, interval=1000 // KEYS_PER_SECOND, timerType=Qt.TimerType.PreciseTimer)
        self._keys.timeout.connect(self._press)
        self._beat = QTimer(self, interval=_BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self._beat.timeout.connect(self._on_beat)

    @property
    def longest_stall_ms(self) -> float:
        """The longest time for which the interface thread did not answer."""
        return max(self.late_ms, default=0.0)

    def report(self) -> str:
        """Return the figures as a sentence."""
        ordered = sorted(self.late_ms)
        p99 = ordered[int(len(ordered) * 0.99)] if ordered else 0.0
        return (
            f"{self.n_keys} keys in {self._seconds:.0f} s, {self.n_encoded} texts encoded and shown; "
            f"stalls p99 {p99:.1f} ms, longest {self.longest_stall_ms:.1f} ms (at most {BUDGET_MS:.0f})"
        )

    def begin(self, window: MainWindow) -> None:
        """Wait for the checkpoint, then type."""
        self._window = window
        workspace = window.app_state.workspace
        workspace.set_texts("the cat", None, at_once=True)
        workspace.shown_changed.connect(self._on_shown)
        QTimer.singleShot(100, self._wait)

    def _wait(self) -> None:
        workspace = self._window.app_state.workspace
        if workspace.facts is None or not workspace.is_current or not self._window.main_area.area.is_complete:
            QTimer.singleShot(100, self._wait)
            return
        QTimer.singleShot(2000, self._type)

    def _type(self) -> None:
        self._window.frame.focus_text()
        self._until = time.monotonic() + self._seconds
        self._due = time.perf_counter() + _BEAT_MS / 1000
        self.n_encoded = 0
        self._beat.start()
        self._keys.start()

    def _press(self) -> None:
        if time.monotonic() > self._until:
            self._keys.stop()
            self._beat.stop()
            self._ended()
            return
        field = self._window.frame.bar.text
        if len(field.text()) > _LONGEST_TEXT:
            field.clear()
        QTest.keyClicks(field, next(self._letters))
        self.n_keys += 1

    def _on_beat(self) -> None:
        now = time.perf_counter()
        self.late_ms.append(max(0.0, now - self._due) * 1000)
        self._due = now + _BEAT_MS / 1000

    def _on_shown(self) -> None:
        self.n_encoded += 1
