"""How late the interface thread is while a model is trained: `python -m tests.bench.training_page`.

A timer of 5 ms runs in a window with the Training page on screen: while nothing is trained, while the
training runs in its own process, as the program does it, and while it runs on a thread of the window's.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, QTimer

from bertviz_app.errors import Cancelled
from bertviz_app.shell.application import make_application
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.training.training import BUNDLED, SMALL
from tests.bench.window import print_row
from tests.support.opened_window import opened, run_until
from tests.support.training_scene import write_corpus

_SECONDS = 20.0


def late(seconds: float = _SECONDS) -> list[float]:
    """Return how many milliseconds late each tick of a 5 ms timer was, in order of size."""
    found: list[float] = []
    due = [time.perf_counter() + 0.005]

    def tick() -> None:
        now = time.perf_counter()
        found.append(max(0.0, now - due[0]) * 1000)
        due[0] = now + 0.005

    timer = QTimer(interval=5, timerType=Qt.TimerType.PreciseTimer)
    timer.timeout.connect(tick)
    timer.start()
    until = time.perf_counter() + seconds
    run_until(lambda: time.perf_counter() > until)
    timer.stop()
    return sorted(found)


def print_stall(what: str, found: list[float]) -> None:
    """Print one line of the table."""
    p99 = found[int(len(found) * 0.99)]
    print_row(f"stall, {what}", f"p99 {p99:.1f}  max {found[-1]:.1f} ms", "max at most 50 ms")


def in_process(window: MainWindow, folder: Path) -> None:
    """Measure while the page shows a training in a process of its own."""
    training = window.training.training
    corpus = write_corpus(folder / "corpus.txt", 4_000)
    training.change(files=(str(corpus),), folder=str(folder / "model"), amount=30.0, every=10)
    training.start()
    run_until(lambda: training.run is not None and training.run.last is not None, 300.0)
    print_stall("trained in its own process, page shown", late())
    assert training.run is not None
    training.stop()
    run_until(lambda: training.run is not None and not training.run.is_alive, 60.0)


@contextmanager
def on_thread(folder: Path, *, is_small: bool) -> Iterator[None]:  # noqa: C901 - one scenario
    """Train on a thread of this process meanwhile."""
    from bertviz_app.training.pretraining.run import pretrain

    class Listener:
        """Waits to be told to stop."""

        def __init__(self) -> None:
            self.is_stopping = self.is_training = False

        def check(self) -> None:
            if self.is_stopping:
                raise Cancelled

        def on_stage(self, stage: str) -> None: ...

        def on_notice(self, notice: str) -> None: ...

        def on_step(self, *_: object) -> None:
            self.is_training = True

        def on_evaluated(self, *_: object) -> None: ...

        def on_snapshot(self, *_: object) -> None: ...

    listener = Listener()
    settings = replace(SMALL if is_small else BUNDLED, minutes=30.0, vocabulary_size=2_000)

    def work() -> None:
        try:
            pretrain([write_corpus(folder / "corpus.txt", 4_000)], folder / "on-thread", settings, listener)
        except Cancelled:
            return

    thread = threading.Thread(target=work)
    thread.start()
    run_until(lambda: listener.is_training, 300.0)
    yield
    listener.is_stopping = True
    thread.join()


def main() -> None:
    """Print the table."""
    make_application()
    with tempfile.TemporaryDirectory() as name:
        os.environ["XDG_DATA_HOME"] = name
        with opened(None, "the cat sat on the mat") as (_, window):
            window.training.open()
            print_stall("nothing trained", late())
            in_process(window, Path(name))
            with on_thread(Path(name), is_small=True):
                print_stall("trained on a thread instead", late())


if __name__ == "__main__":
    main()
