"""How long a frame of the window takes: `python -m tests.bench.frames [--model M] [--tokens T] [--parts]`.

A frame is one gesture (a token highlighted, a turn of the wheel, a step of a drag) together with everything
that it makes the interface thread do until the view under the pointer is painted again. The views that follow
it (the other panels, the strip, the inspector, the predictions) are each painted in a later turn of the event
loop, as is the rest of many lines. Printed are the duration of a frame and the processor time of the
interface thread, which holds also on a busy machine, and the longest of the later turns; the table has the
longer of both, since either holds up the next gesture. `--parts` adds the
processor time of each widget that was painted; `--table` measures what the table of `make bench` has only.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

from bertviz_app.shell.application import make_application
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.views.attention.lines import LinesView
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.overview.heads_table import HeadsTable
from bertviz_app.views.steps.view import StepsView
from tests.bench.machine import speeds
from tests.bench.rows import Budget, Row, emit, spread_of
from tests.support.checkpoints import plain_copy
from tests.support.opened_window import opened, run_until, wheel

MODELS = (("bert-mini-en-ko", 256), ("all-MiniLM-L6-v2", 512))
BUDGET = 8.0
_WORDS = ("the", "cat", "ate", "fish", "because", "it", "was", "hungry", "and", "we", "saw")
_IN_TABLE = {
    "lines and matrix": ("hover", "zoom by wheel", "pan"),
    "lines of": ("hover",),
    "steps": ("hover",),
    "vectors": ("hover",),
}
_N_WARM_UP = 20
_MOST_TURNS = 24


@dataclass
class Times:
    """The times of frames in milliseconds: durations, processor times, and the longest later turn of each."""

    duration: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)


class Parts:
    """The processor time of painting each kind of widget; made before all widgets: Qt keeps overrides."""

    def __init__(self) -> None:
        self.of: dict[str, list[float]] = defaultdict(list)
        original = Canvas.paintEvent

        def timed(canvas: Canvas, event: QPaintEvent) -> None:
            started = time.thread_time()
            original(canvas, event)
            self.of[type(canvas).__name__].append((time.thread_time() - started) * 1000)

        Canvas.paintEvent = timed  # type: ignore[assignment, method-assign]

    def show(self, n_frames: int) -> None:
        """Print what each kind of widget took."""
        for name, values in sorted(self.of.items(), key=lambda part: -sum(part[1])):
            if sum(values) / n_frames >= 0.05:
                sys.stdout.write(
                    f"      {name:<24} {len(values) / n_frames:4.1f} times a frame, median "
                    f"{quantile(values, 0.5):5.2f}, p99 {quantile(values, 0.99):5.2f} ms each\n"
                )


def measured(move: Callable[[int], None], n_frames: int) -> Times:
    """Return the times of frames that `move(number)` causes."""
    times = Times()
    for number in range(_N_WARM_UP + n_frames):
        wall, cpu = time.perf_counter(), time.thread_time()
        move(number)
        QApplication.sendPostedEvents()  # all that was posted, the last of it: paint; timers come later
        duration, processor = time.perf_counter() - wall, time.thread_time() - cpu
        later = max(_turn() for _ in range(_MOST_TURNS))
        if number >= _N_WARM_UP:
            times.duration.append(duration * 1000)
            times.processor.append(processor * 1000)
            times.later.append(later * 1000)
    return times


def _turn() -> float:
    started = time.thread_time()
    QApplication.processEvents()
    return time.thread_time() - started


def quantile(values: list[float], part: float) -> float:
    """Return the value that this part of all are below."""
    return sorted(values)[min(int(len(values) * part), len(values) - 1)]


@dataclass(frozen=True)
class Scene:
    """A window with some panels: gestures in it are measured, and printed under `name`."""

    name: str
    model: str
    window: MainWindow
    app_state: AppState
    options: argparse.Namespace
    parts: Parts | None

    def measure(self, gestures: dict[str, Callable[[int], None]]) -> None:
        """Print the times of a frame of each gesture."""
        state = self.app_state
        for name, move in gestures.items():
            if self.options.gesture not in ("", name, name.split()[0]) or not self._is_chosen(name):
                continue
            state.selection.clear()
            state.viewport.fit()
            if "pan" in name:
                state.viewport.zoom_middle(0.4)
            for lines in self.window.findChildren(LinesView):
                lines.complete()
            if self.parts is not None:
                self.parts.of.clear()
            times = measured(move, self.options.frames)
            self._report(name, times)
            if self.parts is not None:
                self.parts.show(self.options.frames + _N_WARM_UP)

    def _is_chosen(self, gesture: str) -> bool:
        scene = next((scene for scene in _IN_TABLE if self.name in {scene, f"{scene} {self._heads}"}), "")
        return not self.options.table or gesture in _IN_TABLE.get(scene, ())

    @property
    def _heads(self) -> str:
        return f"{self.app_state.panels.n_heads} heads"

    def _report(self, gesture: str, times: Times) -> None:
        """Report the processor time, which other programs lengthen less than the duration."""
        later = quantile(times.later, 0.99)
        ours = max(quantile(times.processor, 0.99), later)  # what follows holds up the next gesture as well
        of_frames = f"{quantile(times.duration, 0.5):.1f} and {quantile(times.duration, 0.99):.1f}"
        emit(
            Row(
                f"frame, p99: {self.name}: {gesture}",
                self.model,
                self.app_state.viewport.n_queries,
                ours=ours,
                spread=spread_of(times.processor),
                budget=Budget(BUDGET, "ours"),
                least=1000 * _painted_bytes(self.window) / speeds().copy_alone,
                remark=f"p50 {quantile(times.processor, 0.5):.1f}; by the clock p50 and p99 {of_frames}; "
                f"what follows in later turns, at most {later:.1f} at p99",
            )
        )


def _painted_bytes(window: MainWindow) -> int:
    """Return the bytes that painting all of the main area once writes: four of each pixel."""
    return 4 * window.main_area.width() * window.main_area.height()


def measure_window(
    model: str, window: MainWindow, app_state: AppState, options: argparse.Namespace, parts: Parts | None
) -> None:
    """Print the times of the frames of each view, by itself in the window, and of two side by side."""
    n_heads, n_tokens = app_state.panels.n_heads, app_state.viewport.n_queries
    every = tuple(range(n_heads))
    scenes = {
        "lines and matrix": [Panel(0, 3, 0, "lines"), Panel(1, 3, 0, "matrix")],
        "lines": [Panel(0, 3, 0, "lines")],
        f"lines of {n_heads} heads": [Panel(0, 3, 0, "lines", "A", every)],
        "matrix": [Panel(0, 3, 0, "matrix")],
        "steps": [Panel(0, 3, 0, "steps")],
        "vectors": [Panel(0, 3, 0, "vectors")],
        "parameters": [Panel(0, 3, 0, "parameters")],
    }
    for name, panels in scenes.items():
        if options.scene not in ("", name, name.split(" of ")[0]):
            continue
        app_state.panels.open(panels)
        area = window.main_area.area
        run_until(partial(lambda area: area.is_complete, area), limit=20.0)
        view = next(iter(area.cards.values())).view
        view.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)  # as when the pointer makes these gestures in it
        gestures = _gestures(app_state, view, n_tokens)
        if name in {"steps", "vectors", "parameters"}:
            gestures = {what: gestures[what] for what in ("hover", "hover of a key")}
        if name == "steps":
            gestures["walk through the stops"] = partial(_step, view)
        if name == "matrix":
            gestures |= _gestures_beside(app_state, window)
        Scene(name, model, window, app_state, options, parts).measure(gestures)


def _gestures(app_state: AppState, view: QWidget, n_tokens: int) -> dict[str, Callable[[int], None]]:
    selection, viewport = app_state.selection, app_state.viewport
    return {
        "hover": lambda n: selection.hover(query=n * 7 % n_tokens),
        "hover of a key": lambda n: selection.hover(key=n * 7 % n_tokens),
        "hover of a pair": lambda n: selection.hover(n * 7 % n_tokens, n * 5 % n_tokens),
        "zoom by wheel": lambda n: wheel(view, 120 if n % 20 < 10 else -120),
        "pan": lambda n: viewport.pan(3 if n % 60 < 30 else -3, 2),
    }


def _gestures_beside(app_state: AppState, window: MainWindow) -> dict[str, Callable[[int], None]]:
    """Return what else changes the window beside a matrix: keys that walk, and the table of heads."""
    (table,) = window.findChildren(HeadsTable)
    bar, order = table.verticalScrollBar(), Qt.SortOrder
    last = app_state.panels.n_heads - 1
    return {
        "walk through the heads": lambda n: app_state.panels.walk(0, 1 if n // last % 2 else -1),
        "table of heads, scrolled": lambda n: bar.setValue(n * 3 % (bar.maximum() + 1)),
        "table of heads, sorted": lambda n: table.sortByColumn(
            1 + n % 5, order.AscendingOrder if n % 2 else order.DescendingOrder
        ),
    }


def _step(view: QWidget, number: int) -> None:
    assert isinstance(view, StepsView)
    view.walk.step(1 if number % 60 < 30 else -1)


def main() -> None:
    """Print the tables of all models."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", choices=[model for model, _ in MODELS])
    parser.add_argument("--tokens", type=int, help="the length of the text, at most what the model reads")
    parser.add_argument("--scene", default="", help="such as lines, matrix, steps, vectors")
    parser.add_argument("--gesture", default="", help="such as hover, zoom, pan")
    parser.add_argument("--frames", type=int, default=220, help="how many are measured of each gesture")
    parser.add_argument("--table", action="store_true", help="only what the table of `make bench` has")
    parser.add_argument("--parts", action="store_true", help="the processor time of each painted widget")
    options = parser.parse_args()
    make_application()
    parts = Parts() if options.parts else None
    for model, most in MODELS:
        if options.model in (None, model):
            n_tokens = min(options.tokens or most, most)
            text = " ".join((_WORDS * (n_tokens // len(_WORDS) + 1))[: n_tokens - 2])
            with (
                tempfile.TemporaryDirectory() as made,
                opened(str(plain_copy(model, Path(made))), text) as (app_state, window),
            ):
                size = f"{window.width()} x {window.height()} pixels"
                sys.stdout.write(
                    f"{model}, {app_state.viewport.n_queries} tokens, {size}, "
                    f"{QGuiApplication.platformName()}; budget {BUDGET:.0f} ms of processor time at p99\n"
                )
                measure_window(model, window, app_state, options, parts)


if __name__ == "__main__":
    main()
