"""How fast the window is: `python -m tests.bench.window`. Prints each figure beside its budget.

Measures, off-screen unless QT_QPA_PLATFORM says otherwise: the first painted window beside a bare
PySide6 window with pyqtgraph (in turn, in processes of their own), the longest stall of the interface
thread while forward passes run, and from a text to the painted overview with a random checkpoint of
BERT-base's shape. Frames: `python -m tests.bench.frames`.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import Qt, QTimer

from bertviz_app.shell.application import make_application
from bertviz_app.viewmodels.app_state import AppState
from tests.bench.rows import Budget, Row, compared, line_of
from tests.support.opened_window import opened, run_until

_PAINTED = """
import os, sys, time
def paint_and_end(widget_class):
    # End a turn of the event loop after the widget's first paint: by then all of the window is painted.
    from PySide6.QtCore import QTimer
    paint = widget_class.paintEvent
    def end():
        print(time.time() - float(os.environ["STARTED"]), time.process_time(), flush=True)
        os._exit(0)
    def painted(self, event):
        paint(self, event)
        QTimer.singleShot(0, end)
    widget_class.paintEvent = painted
"""
_BARE = f"""{_PAINTED}
import numpy, pyqtgraph
from PySide6.QtWidgets import QApplication
application = QApplication([])
class Window(pyqtgraph.PlotWidget):
    pass
paint_and_end(Window)
window = Window()
window.resize(1600, 1000)
window.show()
application.exec()
"""
_OURS = f"""{_PAINTED}
from bertviz_app.cli import main
import bertviz_app.shell.application
from bertviz_app.views.bars.top_bar import SentenceField
paint_and_end(SentenceField)
main([])
"""


def say(what: str, figure: str, budget: str = "") -> None:
    """Print one line of the table."""
    sys.stdout.write(f"{what:<58}{figure:>24}   {budget}\n")
    sys.stdout.flush()


def say_row(row: Row) -> None:
    """Print one row of `make bench`."""
    sys.stdout.write(f"{line_of(row)}\n")
    sys.stdout.flush()


def first_window(rounds: int = 7) -> tuple[Row, Row]:
    """Return process start to the end of the first paint, ours and bare in turn: elapsed, and processor time.

    Both read compiled files, as an installed program does: a round that is not counted writes them. Without
    them Python would compile all of ours at each start, where the environment forbids to write them.
    """
    ours, bare = list[tuple[float, float]](), list[tuple[float, float]]()
    with tempfile.TemporaryDirectory() as folder:
        for round_ in range(rounds + 1):
            for script, times in ((_BARE, bare), (_OURS, ours)):
                measured = _start(script, folder)
                if round_:
                    times.append(measured)
    rows = []
    for at, what in enumerate(("first window", "first window, processor time")):
        of_ours, of_bare = ([1000 * times[at] for times in each] for each in (ours, bare))
        row = Row(what, peer_name="bare PySide6 with pyqtgraph", budget=Budget(1.15))
        rows.append(compared(row, of_ours, of_bare))
    return rows[0], rows[1]


def _start(script: str, folder: str) -> tuple[float, float]:
    """Return the seconds of a process until its window is painted: elapsed, and of the processor."""
    environment = os.environ | {"XDG_CONFIG_HOME": f"{folder}/settings", "PYTHONPYCACHEPREFIX": folder}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["STARTED"] = str(time.time())
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    elapsed, processor = done.stdout.split()
    return float(elapsed), float(processor)


def stalls(app_state: AppState, text: str, seconds: float = 12.0) -> None:
    """Print how late a 5 ms timer of the interface thread is while long texts are encoded without pause."""
    late: list[float] = []
    due = [time.perf_counter() + 0.005]

    def tick() -> None:
        now = time.perf_counter()
        late.append(max(0.0, now - due[0]) * 1000)
        due[0] = now + 0.005

    timer = QTimer(interval=5, timerType=Qt.TimerType.PreciseTimer)
    timer.timeout.connect(tick)
    timer.start()
    until, number = time.perf_counter() + seconds, 0
    while time.perf_counter() < until:
        number += 1
        app_state.workspace.set_texts(f"{number} {text}", None, at_once=True)
        run_until(lambda: app_state.workspace.is_current)
    timer.stop()
    ordered = sorted(late)
    p99 = ordered[int(len(ordered) * 0.99)]
    say(
        f"stall while encoding 512 tokens ({number} times)",
        f"p99 {p99:.1f}  max {ordered[-1]:.1f} ms",
        "at most 50 ms",
    )


def text_to_overview(model: str, words: list[str]) -> None:
    """Print from a new text to its painted overview and panels, for BERT-base's shape."""
    with opened(model, "warm up") as (app_state, window):
        for n_tokens, budget in ((128, "at most 0.3 s (BertViz model_view: 46 s)"), (512, "at most 1.5 s")):
            times = []
            for number in range(8):
                text = " ".join([str(number), *words[: n_tokens - 3]])
                started = time.perf_counter()
                app_state.workspace.set_texts(text, None, at_once=True)
                run_until(lambda: app_state.workspace.is_current and window.main_area.area.is_complete)
                window.main_area.repaint()
                times.append(time.perf_counter() - started)
            say(
                f"text to overview, BERT-base shape, T = {n_tokens}",
                f"{statistics.median(times):.2f} s",
                budget,
            )


def bert_base(folder: Path) -> str:
    """Write a random checkpoint of BERT-base's shape and return its folder."""
    import shutil

    from transformers import BertConfig, BertModel

    from bertviz_app.checkpoint.sources.find import default_source

    BertModel(BertConfig()).save_pretrained(folder)
    for name in ("tokenizer.json", "vocab.txt", "tokenizer_config.json"):
        shutil.copy(default_source().folder / name, folder / name)
    return str(folder)


def main() -> None:
    """Print the whole table."""
    for row in first_window():
        say_row(row)
    make_application()
    words = ["the", "cat", "ate", "fish", "because", "it", "was", "hungry", "and", "we", "saw"] * 60
    text = " ".join(words)
    with opened(None, text) as (app_state, _):
        stalls(app_state, text)
    with tempfile.TemporaryDirectory() as folder:
        text_to_overview(bert_base(Path(folder)), words)


if __name__ == "__main__":
    main()
