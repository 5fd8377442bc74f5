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
from tests.support.opened_window import opened, run_until

_BARE = """
import os, time
import numpy, pyqtgraph
from PySide6.QtWidgets import QApplication
application = QApplication([])
class Window(pyqtgraph.PlotWidget):
    def paintEvent(self, event):
        super().paintEvent(event)
        print(time.time() - float(os.environ["STARTED"]), flush=True)
        os._exit(0)
window = Window()
window.resize(1600, 1000)
window.show()
application.exec()
"""

_OURS = """
import os, time
from bertviz_app.shell.process import prepare_process
prepare_process()
from PySide6.QtCore import QObject, QEvent, QTimer
from bertviz_app.shell import application
from bertviz_app.options import WindowOptions
from bertviz_app.shell.window.window import MainWindow
show = MainWindow.show
def shown(self):
    show(self)
    paint = type(self.frame.bar).paintEvent
    def painted(event):
        paint(self.frame.bar, event)
        print(time.time() - float(os.environ["STARTED"]), flush=True)
        os._exit(0)
    self.frame.bar.paintEvent = painted
MainWindow.show = shown
application.run(WindowOptions())
"""


def say(what: str, figure: str, budget: str = "") -> None:
    """Print one line of the table."""
    sys.stdout.write(f"{what:<58}{figure:>24}   {budget}\n")
    sys.stdout.flush()


def first_window(rounds: int = 5) -> None:
    """Print process start to the end of the first paint, ours and bare, in turn."""
    times: dict[str, list[float]] = {"bare": [], "ours": []}
    for _ in range(rounds + 1):
        for name, script in (("bare", _BARE), ("ours", _OURS)):
            environment = {**os.environ, "STARTED": str(time.time())}
            run = subprocess.run(
                [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
            )
            times[name].append(float(run.stdout.split()[0]))
    bare, ours = (statistics.median(times[name][1:]) for name in ("bare", "ours"))
    say("first window: bare PySide6 with pyqtgraph", f"{bare * 1000:.0f} ms")
    say("first window: ours", f"{ours * 1000:.0f} ms = {ours / bare:.2f} x", "at most 1.15 x")


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
    first_window()
    make_application()
    words = ["the", "cat", "ate", "fish", "because", "it", "was", "hungry", "and", "we", "saw"] * 60
    text = " ".join(words)
    with opened(None, text) as (app_state, _):
        stalls(app_state, text)
    with tempfile.TemporaryDirectory() as folder:
        text_to_overview(bert_base(Path(folder)), words)


if __name__ == "__main__":
    main()
