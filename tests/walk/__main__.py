"""What runs after one gesture: `python -m tests.walk letter`, or head, open, lesson.

The program is started as its command does, off screen, with a bundled checkpoint, in the room for research.
At rest one gesture is made; for six seconds every call of own code is counted, on every thread.
`--functions` lists each function in the order of its first call; `--json FILE` saves all of it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QAbstractEventDispatcher, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from bertviz_app.options import WindowOptions
from bertviz_app.shell import application
from bertviz_app.shell.window.window import MainWindow
from tests.walk.gestures import GESTURES, MODEL, N_TOKENS, TEXT, Act, Gesture, is_at_rest
from tests.walk.recorder import Entered, Recorder

_SIZE = 1600, 1000
_REST_S = 6.0
"""How long the window is at rest before the gesture: what the start left for later is done by then."""
_LONGEST_S = 120.0


class Totals(NamedTuple):
    """How many files and functions ran, and how often functions were called."""

    files: int
    functions: int
    calls: int


@dataclass(frozen=True)
class Walk:
    """What ran after a gesture; `signals` are those that own code emitted, each with the file that did."""

    gesture: str
    seconds: float
    seconds_until_painted: float
    functions: list[Entered]
    signals: list[str]
    n_signals_until_painted: int

    def totals(self, counted: Callable[[Entered], int]) -> Totals:
        """Return the sums of those functions that `counted` has calls of."""
        entered = [(each.file, n) for each in self.functions if (n := counted(each))]
        return Totals(len({file for file, _ in entered}), len(entered), sum(n for _, n in entered))

    def files(self) -> dict[str, Totals]:
        """Return each file with its sums, in the order in which they were entered."""
        names = dict.fromkeys(each.file for each in self.functions)
        return {name: self.totals(partial(_calls_in, name)) for name in names}

    def threads(self) -> dict[str, Totals]:
        """Return each thread that ran own code with its sums."""
        names = dict.fromkeys(name for each in self.functions for name in each.calls)
        return {name: self.totals(partial(_calls_on, name)) for name in names}


def _calls_in(file: str, each: Entered) -> int:
    return each.n_calls if each.file == file else 0


def _calls_on(thread: str, each: Entered) -> int:
    return each.calls.get(thread, 0)


class Walker(QObject):
    """Makes a gesture in a window at rest, and counts what runs then; ends the program after it."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__()
        self._name, self._seconds = name, seconds
        self._gesture: Gesture = GESTURES[name]
        self._recorder = Recorder()
        self._recorder.watch()
        self.walk: Walk | None = None
        self.problem = ""
        self._painted: float | None = None
        self._was_seen = self._is_time_over = False

    def begin(self, window: MainWindow) -> None:
        """Wait for the first text, then prepare."""
        self._window = window
        window.showNormal()
        window.resize(*_SIZE)
        window.app_state.rooms.enter("research")
        self._when_at_rest(self._prepare)

    def _prepare(self) -> None:
        shown = self._window.app_state.workspace.shown
        assert shown is not None
        assert (shown.result.facts.name, shown.result.trace.n_tokens) == (MODEL, N_TOKENS)
        self._gesture.prepare(self._window)
        self._when_at_rest(self._act)

    def _when_at_rest(self, then: Callable[[], None]) -> None:
        """Call `then` once the window was at rest for as long as it takes."""
        rested, ends = time.monotonic(), time.monotonic() + _LONGEST_S
        timer = QTimer(self, interval=100)

        def look() -> None:
            nonlocal rested
            now = time.monotonic()
            if not is_at_rest(self._window):
                rested = now
            if now > ends:
                timer.stop()
                self._end(f"the window was not at rest within {_LONGEST_S:.0f} s")
            elif now - rested >= _REST_S:
                timer.stop()
                then()

        timer.timeout.connect(look)
        timer.start()

    def _act(self) -> None:
        act: Act = self._gesture.aim(self._window)
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None
        # No timer that looks every few milliseconds: the program's event filter would see each of its events.
        dispatcher.aboutToBlock.connect(self._look)
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_time_over)
        self._timer.start(round(1000 * self._seconds))
        self._began = time.monotonic()
        self._recorder.start()
        act()

    def _look(self) -> None:
        """Note when the result is painted: a turn of the event loop after nothing waits any more."""
        if self._painted is not None:
            return
        with self._recorder.paused():
            is_seen = self._gesture.is_seen(self._window) and is_at_rest(self._window)
        if is_seen and self._was_seen:
            self._painted = time.monotonic() - self._began
            self._recorder.note_painted()
            if self._is_time_over:
                self._timer.start(0)
        self._was_seen = is_seen

    def _on_time_over(self) -> None:
        """Finish, or wait for a machine that is busy."""
        if self._painted is not None or self._is_time_over:
            self._finish()
        else:
            self._is_time_over = True
            self._timer.start(round(1000 * _LONGEST_S))

    def _finish(self) -> None:
        self._recorder.stop()
        if self._painted is None:
            self._end(f"the result was not painted within {_LONGEST_S:.0f} s")
            return
        taken = round(time.monotonic() - self._began, 2)
        signals, n_painted = self._recorder.emitted()
        functions = self._recorder.entered()
        self.walk = Walk(self._name, taken, round(self._painted, 2), functions, signals, n_painted)
        self._end("")

    def _end(self, problem: str) -> None:
        self.problem = problem
        popup = QApplication.activePopupWidget()
        if popup is not None:
            popup.close()
        self._window.close()
        QApplication.quit()


def report(walk: Walk, *, lists_functions: bool) -> Iterable[str]:
    """Yield the lines that are printed."""
    about = GESTURES[walk.gesture].about
    yield f"{about}, {N_TOKENS} tokens of {MODEL}; painted after {walk.seconds_until_painted:.2f} s"
    yield f"{'':44}{'files':>8}{'functions':>11}{'calls':>9}{'signals':>9}"
    yield _line(
        "until painted", walk.totals(lambda each: each.calls_until_painted), walk.n_signals_until_painted
    )
    yield _line(f"within {walk.seconds:.0f} s", walk.totals(lambda each: each.n_calls), len(walk.signals))
    yield "threads"
    yield from (_line(f"  {name}", totals) for name, totals in walk.threads().items())
    yield "files, in the order in which they were entered"
    yield from (_line(f"  {name}", totals) for name, totals in walk.files().items())
    if lists_functions:
        yield "functions, in the order of their first call: thread, calls"
        for each in walk.functions:
            yield f"  {each.file}:{each.line} {each.name}  {', '.join(each.calls)}  {each.n_calls:,}"


def _line(name: str, totals: Totals, n_signals: int | None = None) -> str:
    signals = "" if n_signals is None else f"{n_signals:>9,}"
    return f"{name:44}{totals.files:>8,}{totals.functions:>11,}{totals.calls:>9,}{signals}"


def write_json(walk: Walk, path: Path) -> None:
    """Write everything that was counted, the sums of files and threads with it."""
    until = walk.totals(lambda each: each.calls_until_painted)
    sums = {
        "until_painted": until._asdict(),
        "in_all": walk.totals(lambda each: each.n_calls)._asdict(),
        "threads": {name: totals._asdict() for name, totals in walk.threads().items()},
        "files": {name: totals._asdict() for name, totals in walk.files().items()},
    }
    path.write_text(json.dumps(sums | asdict(walk), indent=1) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a walk; 1 if the window did not show the gesture's result."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.walk", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    told = "; ".join(f"{name}: {gesture.about}" for name, gesture in GESTURES.items())
    parser.add_argument("gesture", choices=GESTURES, help=told)
    parser.add_argument("--seconds", type=float, default=6.0, help="how long to count; 6 unless given")
    parser.add_argument("--functions", action="store_true", help="list the functions, too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was counted to a file")
    parser.add_argument("--screen", action="store_true", help="on the screen of DISPLAY, not off screen")
    options = parser.parse_args(arguments)
    if not options.screen:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["HF_HUB_OFFLINE"] = "1"
    with tempfile.TemporaryDirectory(prefix="walk-", ignore_cleanup_errors=True) as folder:
        for name in ("CONFIG", "DATA", "CACHE"):
            os.environ[f"XDG_{name}_HOME"] = str(Path(folder, name.lower()))
        application.make_application().setCursorFlashTime(0)  # a caret that blinks is none of the gesture's
        walker = Walker(options.gesture, options.seconds)
        application.run(WindowOptions(text=TEXT, model=MODEL), walker.begin)
    if walker.walk is None:
        sys.stderr.write(f"{walker.problem}\n")
        return 1
    for line in report(walker.walk, lists_functions=options.functions):
        sys.stdout.write(line + "\n")
    if options.json is not None:
        write_json(walker.walk, options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
