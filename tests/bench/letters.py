"""From a typed letter to its painted trace: `python -m tests.bench.letters`, beside the pass alone.

With the bundled checkpoint, off-screen unless QT_QPA_PLATFORM says otherwise. Two rows for each length: the
time from the key event until the frame with the overview of the new trace is painted, and what the interface
thread takes of it, by its processor time. On the start page the time until the arcs of the trace are painted.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice

from PySide6.QtCore import QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from bertviz_app import api
from bertviz_app.shell.application import make_application
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.attention.lines import FAINT_LINES
from bertviz_app.views.kit.canvas import LaterWork
from tests.bench.rows import Budget, Row, compared, emit
from tests.support.opened_window import opened, run_until
from tests.walk.gestures import MODEL, N_TOKENS, TEXT

LETTERS = "setlokadrinpumfybchgwv"
"""Each is typed and removed again, so that every text is another one than the one before."""
_BUDGETS = {N_TOKENS: 60.0, 124: 75.0}
"""Milliseconds from the key to the painted overview, by tokens."""
_OF_INTERFACE = 20.0
_PAUSE_S = 0.3
"""How long the window is at rest before each letter: what follows a text at once is over then."""
_PEER = "the pass alone, with what a trace holds"


@dataclass(frozen=True)
class Letter:
    """What a typed letter took in ms.

    `painted`: until the overview was painted, `interface` the processor time of the interface thread in it;
    `all_painted`: until all views were. `alone`: a call from the same text to its trace.
    """

    painted: float
    interface: float
    all_painted: float
    alone: float


def text_of(n_tokens: int) -> str:
    """Return a text of so many tokens of the bundled checkpoint; its last word is one token."""
    model = api.open_model(MODEL, device="cpu")
    n_copies, n_left = divmod(n_tokens - 2, N_TOKENS - 2)  # without the special tokens
    text = " ".join(["the"] * n_left + [TEXT] * n_copies)
    assert model.trace(text).n_tokens == n_tokens
    return text


class Typist(QObject):
    """Types letters at the end of the text of a window at rest, and removes each again."""

    def __init__(self, app_state: AppState, window: MainWindow) -> None:
        super().__init__(window)
        self._workspace, self._area = app_state.workspace, window.main_area.area
        self._field, self._text = window.frame.bar.text, app_state.workspace.text
        self._alone = api.open_model(MODEL, device="cpu")
        self._wanted = self._text
        self._is_painted = False
        window.main_area.cards.overview.view.viewport().installEventFilter(self)
        window.frame.focus_text()
        self._field.end(False)

    def letters(self) -> Iterator[Letter]:
        """Yield what each letter took, without end."""
        while True:
            for letter in LETTERS:
                self._wanted, self._is_painted = self._text + letter, False
                run_until(lambda: False, _PAUSE_S)
                begun = time.perf_counter()
                self._alone.trace(self._wanted)
                alone = time.perf_counter() - begun
                run_until(lambda: False, _PAUSE_S)
                begun, used = time.perf_counter(), time.thread_time()
                QTest.keyClicks(self._field, letter)
                while not self._is_painted:  # no timer that looks every millisecond: it would slow the pass
                    QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
                painted, used = time.perf_counter() - begun, time.thread_time() - used
                self._let_settle()
                all_painted = time.perf_counter() - begun
                yield Letter(*(1000 * seconds for seconds in (painted, used, all_painted, alone)))
                self._wanted = self._text
                QTest.keyClick(self._field, Qt.Key.Key_Backspace)
                self._let_settle()

    def _let_settle(self) -> None:
        """Process events until all that the text changes is painted."""
        later = LaterWork.shared()
        while not (self._has_trace and later.is_done(but=FAINT_LINES) and self._area.is_complete):
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        QApplication.processEvents()  # paints what was updated last

    @property
    def _has_trace(self) -> bool:
        shown = self._workspace.shown
        return shown is not None and shown.result.request.text == self._wanted

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note the first painting of the overview once it has the new trace."""
        if event.type() == QEvent.Type.Paint and self._has_trace:
            self._is_painted = True
        return False


def rows(n_letters: int = 30, n_warm: int = 3) -> Iterator[Row]:
    """Yield the rows of each length: key to painted, and of that the processor time of the interface thread.

    The first letters are not counted. The peer is a call from the text to its trace, between the letters.
    """
    for n_tokens, budget in _BUDGETS.items():
        with opened(MODEL, text_of(n_tokens)) as (app_state, window):
            letters = list(islice(Typist(app_state, window).letters(), n_warm, n_warm + n_letters))
        row = Row("letter to painted overview", MODEL, n_tokens, peer_name=_PEER)
        alone = [each.alone for each in letters]
        painted = [each.painted for each in letters]
        all_painted = sorted(each.all_painted for each in letters)[n_letters // 2]
        remark = f"{n_letters} letters, the slowest {max(painted):.0f}; all views {all_painted:.0f}"
        yield compared(replace(row, budget=Budget(budget, "ours"), remark=remark), painted, alone)
        of_interface = [each.interface for each in letters]
        row = replace(row, name=f"{row.name}, interface thread", budget=Budget(_OF_INTERFACE, "ours"))
        remark = f"its processor time, the most {max(of_interface):.0f}"
        yield compared(replace(row, remark=remark), of_interface, alone)


class ArcsTypist(QObject):
    """Types letters into the field of the start page, and removes each again."""

    def __init__(self, window: MainWindow, text: str) -> None:
        super().__init__(window)
        self._page, self._text, self._painted = window.frame.welcome, text, ""
        self._page.ribbons.installEventFilter(self)
        self._page.field.setText(text)
        self._page.field.setFocus()

    def letters(self) -> Iterator[tuple[float, float]]:
        """Yield the milliseconds until the arcs of each letter are painted, and those of the pass alone."""
        model = api.open_model(MODEL, device="cpu")
        for letter in LETTERS * 2:
            run_until(lambda: False, 3 * _PAUSE_S)  # the head that is most specific is found meanwhile
            begun = time.perf_counter()
            model.trace(self._text + letter)
            alone = time.perf_counter() - begun
            run_until(lambda: False, _PAUSE_S)
            begun = time.perf_counter()
            QTest.keyClicks(self._page.field, letter)
            while self._painted != self._text + letter:
                QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            yield 1000 * (time.perf_counter() - begun), 1000 * alone
            QTest.keyClick(self._page.field, Qt.Key.Key_Backspace)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note in the turn after a painting whose arcs were painted."""
        if event.type() == QEvent.Type.Paint:
            text = self._page.picture.text
            QTimer.singleShot(0, self, lambda: setattr(self, "_painted", text))
        return False


def arcs_rows(n_letters: int = 30, n_warm: int = 3) -> Iterator[Row]:
    """Yield the rows of the start page: from a key until the arcs of the new trace are painted."""
    for n_tokens in _BUDGETS:
        text = text_of(n_tokens)
        with opened(MODEL, "") as (_, window):
            letters = list(islice(ArcsTypist(window, text).letters(), n_warm, n_warm + n_letters))
        ours, alone = map(list, zip(*letters, strict=True))
        row = Row("letter to painted arcs, start page", MODEL, n_tokens, peer_name=_PEER, budget=Budget(1.5))
        yield compared(row, ours, alone)


def main() -> None:
    """Print the rows."""
    make_application()
    for row in chain(rows(), arcs_rows()):
        emit(row)


if __name__ == "__main__":
    main()
