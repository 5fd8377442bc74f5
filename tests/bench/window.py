"""How fast the window is: `python -m tests.bench.window`. Prints each figure beside its budget.

Measures, off-screen unless QT_QPA_PLATFORM says otherwise: the first painted window beside a bare
PySide6 window with pyqtgraph (in turn, in processes of their own), frames of every view at 512 tokens,
the longest stall of the interface thread while forward passes run, and from a text to the painted
overview with a random checkpoint of BERT-base's shape.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEventLoop, QPointF, Qt, QTimer
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from bertviz_app.inference.engine import Engine
from bertviz_app.shell.application import make_application
from bertviz_app.shell.settings.store import SettingsStore
from bertviz_app.shell.settings.theme import Theme, read_palette
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.views.attention.lines import LinesView
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.kit.look import Look
from bertviz_app.views.panels.area import PanelArea

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
    say("first window: ours", f"{ours * 1000:.0f} ms = {ours / bare:.2f} x", "at most 1.30 x")


@contextmanager
def opened(model: str | None, text: str) -> Iterator[tuple[AppState, MainWindow]]:
    """A shown window with `text` encoded and drawn."""
    app_state, look = AppState(Engine()), Look(read_palette("light"))
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    with tempfile.TemporaryDirectory() as folder:
        store = SettingsStore(Path(folder) / "settings.json")
        theme = Theme(application, look)
        window = MainWindow(app_state, look, theme, store)
        theme.choose("light")
        window.resize(1600, 1000)
        window.show()
        app_state.start(model)
        app_state.workspace.set_texts(text, None, at_once=True)
        run_until(lambda: app_state.workspace.is_current and window.main_area.area.is_complete)
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


def frames(window: MainWindow, app_state: AppState) -> None:
    """Print the time of a frame of each view while one moves about in it."""
    for lines in window.findChildren(LinesView):
        lines.complete()
    cards = list(window.main_area.area.cards.values())
    views: list[tuple[str, QWidget, Callable[[int], None]]] = []
    for card in cards:
        name = "matrix" if isinstance(card.view, MatrixView) else "lines"
        views.append((f"{name}, hover", card.view, lambda n: app_state.selection.hover(query=n % 512)))
    matrix = next(card.view for card in cards if isinstance(card.view, MatrixView))
    views.append(("matrix, zoom by wheel", matrix, lambda n: wheel(matrix, 120 if n % 20 < 10 else -120)))
    views.append(("matrix, pan", matrix, lambda n: app_state.viewport.pan(3 if n % 60 < 30 else -3, 2)))
    lines_view = next(card.view for card in cards if isinstance(card.view, LinesView))
    views.append(
        ("lines, zoom by wheel", lines_view, lambda n: wheel(lines_view, 120 if n % 20 < 10 else -120))
    )
    views.append(("lines, pan", lines_view, lambda n: app_state.viewport.pan(3 if n % 60 < 30 else -3, 2)))
    overview = window.main_area.cards.overview.view
    views.append(("overview, hover", overview, lambda n: None))
    views.append(
        ("token strip, hover", window.main_area.strip, lambda n: app_state.selection.hover(query=n % 512))
    )
    views.append(
        (
            "inspector, hover",
            window.main_area.inspector_page.numbers,
            lambda n: app_state.selection.hover(query=n % 512),
        )
    )
    views.append(("pooled vector", window.main_area.pooled.plot.viewport(), lambda n: None))
    for name, widget, move in views:
        app_state.viewport.fit()
        if "pan" in name:
            app_state.viewport.zoom_middle(0.4)
        times = [frame(widget, move, number) for number in range(240)][20:]
        ordered = sorted(times)
        p50, p99 = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
        say(f"frame: {name}", f"p50 {p50:.1f}  p99 {p99:.1f} ms", "p99 at most 16 ms")


def frames_of_all_heads(window: MainWindow, app_state: AppState) -> None:
    """Print the time of a frame of the lines of all heads of a layer at once, and of each other panel."""
    panels = app_state.panels
    for how, heads in (("lines", tuple(range(panels.n_heads))), ("steps", ()), ("vectors", ())):
        panels.open([Panel(0, 3, 0, how, "A", heads)])
        area = window.main_area.area
        run_until(partial(_is_complete, area), limit=20.0)
        (card,) = area.cards.values()
        view = card.view
        name = "lines of 12 heads" if how == "lines" else how
        moves: list[tuple[str, Callable[[int], None]]] = [
            ("hover", lambda n: app_state.selection.hover(query=n * 7 % 512)),
        ]
        if how == "lines":
            moves.append(("hover of a key", lambda n: app_state.selection.hover(key=n * 7 % 512)))
            moves.append(("pan", lambda n: app_state.viewport.pan(3 if n % 60 < 30 else -3, 2)))
        for what, move in moves:
            app_state.viewport.fit()
            if what == "pan":
                app_state.selection.clear()
                app_state.viewport.zoom_middle(0.4)
            ordered = sorted([frame(view, move, number) for number in range(240)][20:])
            p50, p99 = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
            say(f"frame: {name}, {what}", f"p50 {p50:.1f}  p99 {p99:.1f} ms", "p99 at most 16 ms")


def _is_complete(area: PanelArea) -> bool:
    return area.is_complete


def frame(widget: QWidget, move: Callable[[int], None], number: int) -> float:
    """Return how long one gesture and the frame after it take, in milliseconds."""
    started = time.perf_counter()
    move(number)
    widget.repaint()
    taken = (time.perf_counter() - started) * 1000
    QApplication.processEvents()
    return taken


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
    with opened(None, text) as (app_state, window):
        frames(window, app_state)
        frames_of_all_heads(window, app_state)
        stalls(app_state, text)
    with tempfile.TemporaryDirectory() as folder:
        text_to_overview(bert_base(Path(folder)), words)


if __name__ == "__main__":
    main()
