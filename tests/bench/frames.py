"""How long a frame of the window takes: `python -m tests.bench.frames [--model M] [--tokens T] [--parts]`.

A frame is one gesture in a plot (the pointer somewhere else, a turn of the wheel, a step of a drag) together
with everything that it makes the interface thread do until the plot is painted again. Gestures are events of
the mouse, sent to the plot in the whole window. The views that follow it (the other panels, the strip, the
inspector, the predictions) are each painted in a later turn of the event loop. Printed is the processor time
of the interface thread, which holds also on a busy machine: of a frame, or of the longest of the later turns
if that is longer, since either holds up the next gesture.

The floor, measured in the same run, is the same gesture in a `GraphicsLayoutWidget` of the same size with
nothing but an image of as many tokens and two stock axes. `--parts` adds the processor time of each widget
that was painted; `--table` measures what the table of `make bench` has only.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from bertviz_app.features.steps.views.view import StepsView
from bertviz_app.shell.application import make_application
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import Content, Panel, ParametersChoice, VectorsChoice
from bertviz_app.viewmodels.state import OtherRun
from bertviz_app.views.kit.canvas import Canvas, LaterWork
from bertviz_app.views.overview.heads_table import HeadsTable
from bertviz_app.views.plots.plot import Plot
from bertviz_app.views.vectors.plots import HeatView, MapView
from tests.bench.machine import speeds
from tests.bench.rows import Budget, Row, emit, spread_of
from tests.support.checkpoints import plain_copy, random_bert, write_bert
from tests.support.opened_window import opened, run_until

MODELS = (("bert-mini-en-ko", 256), ("all-MiniLM-L6-v2", 512))
MANY_HEADS = "random, 24 x 16 heads"
BUDGETS = {"hover": 8.0, "zoom": 12.0, "pan": 12.0}
OF_FLOOR = 1.5
"""A frame may take so many times the floor, or its budget where that is more."""
_FLOOR = "floor: an image and two axes of pyqtgraph"
_WORDS = ("the", "cat", "ate", "fish", "because", "it", "was", "hungry", "and", "we", "saw")
_WEIGHT = "layers.1.attention.query.weight"
_N_WARM_UP = 10
_FEWEST, _PATIENCE = 40, 4.0
"""So many frames are measured however long they take; no more are begun after so many seconds."""
_MOST_TURNS = 24
_WITHIN = 120.0  # seconds, until a view is there
_LEFT = Qt.MouseButton.LeftButton
_NONE = Qt.MouseButton.NoButton


@dataclass
class Times:
    """The times of frames in milliseconds: durations, processor times, and the longest later turn of each."""

    duration: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)

    @property
    def p99(self) -> float:
        """The processor time of a frame, or of a later turn: either holds up the next gesture."""
        return max(quantile(self.processor, 0.99), quantile(self.later, 0.99))


class Parts:
    """The processor time of painting each kind of widget; made before all widgets: Qt keeps overrides."""

    def __init__(self) -> None:
        self.of: dict[str, list[float]] = defaultdict(list)
        for painted in (Canvas, Plot):
            self._time(painted)

    def _time(self, painted: type[QWidget]) -> None:
        original = painted.paintEvent

        def timed(widget: QWidget, event: QPaintEvent) -> None:
            started = time.thread_time()
            original(widget, event)
            self.of[type(widget).__name__].append((time.thread_time() - started) * 1000)

        painted.paintEvent = timed  # type: ignore[method-assign]

    def show(self, n_frames: int) -> None:
        """Print what each kind of widget took."""
        for name, values in sorted(self.of.items(), key=lambda part: -sum(part[1])):
            if sum(values) / n_frames >= 0.05:
                sys.stdout.write(
                    f"      {name:<24} {len(values) / n_frames:4.1f} times a frame, median "
                    f"{quantile(values, 0.5):5.2f}, p99 {quantile(values, 0.99):5.2f} ms each\n"
                )


def measured(move: Callable[[int], None], n_frames: int) -> Times:
    """Return the times of frames that `move(number)` causes: fewer where they take long."""
    times, until = Times(), time.perf_counter() + _PATIENCE
    for number in range(_N_WARM_UP + n_frames):
        if number >= _N_WARM_UP + _FEWEST and time.perf_counter() > until:
            break
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


class Mouse:
    """A mouse over the widget of a plot: its gestures in one view box, in all of the widget without one."""

    def __init__(self, widget: pg.GraphicsLayoutWidget, box: pg.ViewBox | None) -> None:
        self._port, self._box = widget.viewport(), box
        room = QRectF(widget.rect()) if box is None else box.sceneBoundingRect()
        self._room = room & QRectF(widget.rect())  # of a view that scrolls a part is in sight
        self._window = widget.window()

    def hover(self, number: int) -> None:
        """Move the pointer far enough that there is something else under it."""
        share = QPointF((number + 1) * 0.618 % 1, (number + 1) * 0.755 % 1)
        within = self._room.topLeft() + QPointF(
            share.x() * self._room.width(), share.y() * self._room.height()
        )
        self._send(QEvent.Type.MouseMove, within, _NONE, _NONE)

    def zoom(self, number: int) -> None:
        """Turn the wheel in the middle by a notch: ten times in, ten times out."""
        self.turn(120 if number % 20 < 10 else -120)

    def turn(self, delta: int) -> None:
        """Turn the wheel in the middle."""
        at, scroll = self._room.center(), QPoint(0, delta)
        on_screen = self._port.mapToGlobal(at)
        event = QWheelEvent(
            *(at, on_screen, QPoint(), scroll, _NONE, Qt.KeyboardModifier.NoModifier),
            *(Qt.ScrollPhase.NoScrollPhase, False),
        )
        QApplication.sendEvent(self._port, event)

    def pan(self, number: int) -> None:
        """Drag a little further: thirty times one way, thirty times back."""
        at = 30 - abs(number % 60 - 30)
        self._send(QEvent.Type.MouseMove, self._dragged(at), _NONE, _LEFT)

    def show_all(self) -> None:
        """Show everything, as a gesture begins."""
        if self._box is not None:
            self._box.autoRange()

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Hold the left button down in a part of the picture."""
        for _ in range(6):
            self.turn(120)
        self._send(QEvent.Type.MouseButtonPress, self._dragged(0), _LEFT, _LEFT)
        yield
        self._send(QEvent.Type.MouseButtonRelease, self._dragged(0), _LEFT, _NONE)

    def _dragged(self, steps: int) -> QPointF:
        return self._room.center() + QPointF(-4.0, -3.0) * steps

    def _send(self, kind: QEvent.Type, at: QPointF, button: Qt.MouseButton, down: Qt.MouseButton) -> None:
        on_screen = self._port.mapToGlobal(at)
        event = QMouseEvent(kind, at, on_screen, button, down, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(self._port, event)


def gestures_of(widget: pg.GraphicsLayoutWidget, box: pg.ViewBox | None, n_frames: int) -> dict[str, Times]:
    """Return the times of the frames of each gesture in a plot: hover alone where it has no view box."""
    mouse, found = Mouse(widget, box), {}
    mouse.show_all()
    run_until(LaterWork.shared().is_done, _WITHIN)
    found["hover"] = measured(mouse.hover, n_frames)
    if box is not None:
        mouse.show_all()
        found["zoom"] = measured(mouse.zoom, n_frames)
        mouse.show_all()
        with mouse.holding():
            found["pan"] = measured(mouse.pan, n_frames)
        mouse.show_all()
    QApplication.sendEvent(widget, QEvent(QEvent.Type.Leave))
    run_until(LaterWork.shared().is_done, _WITHIN)
    return found


class Floors:
    """The times of gestures in bare widgets of pyqtgraph, each size measured once."""

    def __init__(self, n_tokens: int, n_frames: int) -> None:
        self._n_tokens, self._n_frames = n_tokens, n_frames
        self._found: dict[tuple[int, int], dict[str, Times]] = {}

    def of(self, widget: QWidget) -> dict[str, Times]:
        """Return the times for the size of `widget`, or nearly that."""
        width, height = (max(40, round(side, -1)) for side in widget.size().toTuple())
        size = width, height
        if size not in self._found:
            bare = pg.GraphicsLayoutWidget(size=size)
            axes = bare.addPlot()
            numbers = np.random.default_rng(0).random((self._n_tokens, self._n_tokens), np.float32)
            axes.addItem(pg.ImageItem(numbers, levels=(0, 1)))
            bare.show()
            QApplication.processEvents()
            self._found[size] = gestures_of(bare, axes.getViewBox(), self._n_frames)
            bare.close()
        return self._found[size]


@dataclass(frozen=True)
class Scene:
    """A window in which views are measured, each under the name of a scene."""

    model: str
    window: MainWindow
    app_state: AppState
    options: argparse.Namespace
    parts: Parts | None
    floors: Floors

    def is_chosen(self, name: str) -> bool:
        """Whether the scene of this name is to be measured."""
        return bool(name.startswith(self.options.scene))

    def measure(self, name: str, view: QWidget) -> None:
        """Emit the rows of every plot in `view` that is on screen."""
        plots = [view] if isinstance(view, Plot) else view.findChildren(Plot)
        plots = [plot for plot in plots if not plot.viewport().visibleRegion().isEmpty()]
        if not plots:
            self._emit(name, None, None, remark="no plot of this view is on screen")
        for plot in plots:
            _put_under_mouse(plot)
            boxes = [box for box in plot.boxes if box.isVisible()]
            floors = self.floors.of(plot)
            own = name if len(plots) == 1 else f"{name}, {type(plot).__name__}"
            self._clear_parts()
            for gesture, times in gestures_of(plot, boxes[0] if boxes else None, self.options.frames).items():
                self._emit(f"{gesture}: {own}", times, floors[gesture], most=BUDGETS[gesture])
            self._show_parts()
            _put_under_mouse(plot, is_there=False)

    def measure_alone(self, name: str, move: Callable[[int], None]) -> None:
        """Emit the row of what changes views that are no plots."""
        self.app_state.selection.clear()
        self._clear_parts()
        self._emit(name, measured(move, self.options.frames), None, most=BUDGETS["hover"])
        self._show_parts()

    def _clear_parts(self) -> None:
        if self.parts is not None:
            self.parts.of.clear()

    def _show_parts(self) -> None:
        if self.parts is not None:
            self.parts.show(self.options.frames + _N_WARM_UP)

    def _emit(
        self, name: str, times: Times | None, floor: Times | None, *, most: float = 0.0, remark: str = ""
    ) -> None:
        row = Row(f"frame, p99: {name}", self.model, self.app_state.viewport.n_queries)
        if times is None:
            emit(replace(row, remark=remark))
            return
        ours, of_floor = times.p99, None if floor is None else floor.p99
        of_frames = f"{quantile(times.duration, 0.5):.1f} and {quantile(times.duration, 0.99):.1f}"
        emit(
            replace(
                row,
                ours=ours,
                peer_name="" if floor is None else _FLOOR,
                peer=of_floor,
                ratio=ours / of_floor if of_floor else None,
                spread=spread_of(times.processor),
                budget=Budget(max(most, OF_FLOOR * (of_floor or 0.0)), "ours"),
                least=1000 * _painted_bytes(self.window) / speeds().copy_alone,
                remark=f"p50 {quantile(times.processor, 0.5):.1f}; by the clock p50 and p99 {of_frames}; "
                f"what follows in later turns, at most {quantile(times.later, 0.99):.1f} at p99; "
                f"{len(times.processor)} frames",
            )
        )


def _put_under_mouse(plot: Plot, *, is_there: bool = True) -> None:
    """Let the plot and what it is in count as under the pointer, as when a mouse makes the gestures."""
    widget: QWidget | None = plot.viewport()
    while widget is not None:
        widget.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, is_there)
        widget = widget.parentWidget()


def _painted_bytes(window: MainWindow) -> int:
    """Return the bytes that painting all of the main area once writes: four of each pixel."""
    return 4 * window.main_area.width() * window.main_area.height()


def _panels(n_heads: int) -> dict[str, list[Panel]]:
    """Return every view of the catalogue of panels that holds a plot, by the name of its scene."""
    every = tuple(range(n_heads))
    pages = {page: VectorsChoice(page) for page in ("cls", "tokens", "similar", "map")}
    weights = ParametersChoice("picture", _WEIGHT)
    analyses = {"cells": "head-patterns", "points": "head-distance", "bars": "gradient-input"}
    return {
        "lines beside matrix": [Panel(0, 3, 0, "lines"), Panel(1, 3, 0, "matrix")],
        "lines": [Panel(0, 3, 0, "lines")],
        f"lines of {n_heads} heads": [Panel(0, 3, 0, "lines", "A", every)],
        "matrix": [Panel(0, 3, 0, "matrix")],
        **{f"vectors, {page}": [Panel(0, 3, 0, "vectors", vectors=choice)] for page, choice in pages.items()},
        "parameters": [Panel(0, 3, 0, "parameters", parameters=weights)],
        **{mark: [Panel(0, 3, 0, "picture", content=Content(key))] for mark, key in analyses.items()},
    }


def measure_window(scene: Scene) -> None:
    """Emit the rows of each view, by itself in the window, and of two side by side; then of all heads."""
    app_state, window = scene.app_state, scene.window
    for name, panels in _panels(len(app_state.panels.included_heads)).items():
        if scene.is_chosen(name):
            scene.measure(name, _shown(scene, panels))
    if scene.is_chosen("steps"):
        _measure_steps(scene)
    if not scene.options.table and scene.is_chosen("heads"):
        _measure_heads(scene)
    if scene.is_chosen("overview"):
        scene.measure("overview", window.main_area.cards.overview.view)
    if scene.is_chosen("divergence"):
        comparison = app_state.comparison
        comparison.set_other(OtherRun(text=f"another {app_state.workspace.text[:-4]}"))
        run_until(lambda: comparison.is_current and _is_measured(app_state), _WITHIN)
        scene.measure("divergence", window.main_area.runs.divergence)
        scene.measure("matrix of A - B", _shown(scene, [Panel(0, 3, 0, "matrix", "A-B")]))
        comparison.end()


def _is_measured(app_state: AppState) -> bool:
    difference = app_state.comparison.difference
    return difference is not None and difference.divergence is not None


def _shown(scene: Scene, panels: list[Panel]) -> QWidget:
    """Return the view of the first of `panels` once all of them are drawn."""
    area = scene.window.main_area.area
    scene.app_state.panels.open(panels)
    run_until(lambda: area.is_complete and LaterWork.shared().is_done(), _WITHIN)
    view = next(iter(area.cards.values())).view
    # A worker makes those of Vectors after the panel is complete; a gesture in an empty plot costs nothing.
    plots: list[HeatView | MapView] = [*view.findChildren(HeatView), *view.findChildren(MapView)]
    run_until(lambda: all(plot.picture is not None for plot in plots if plot.isVisible()), _WITHIN)
    run_until(LaterWork.shared().is_done, _WITHIN)
    return view


def _measure_steps(scene: Scene) -> None:
    view = _shown(scene, [Panel(0, 3, 0, "steps")])
    assert isinstance(view, StepsView)
    view.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    selection, n_tokens = scene.app_state.selection, scene.app_state.viewport.n_queries
    scene.measure_alone("hover: steps", lambda n: selection.hover(query=n * 7 % n_tokens))
    if not scene.options.table:
        walk = view.walk
        scene.measure_alone("steps, a stop further", lambda n: walk.step(1 if n % 60 < 30 else -1))


def _measure_heads(scene: Scene) -> None:
    """Emit the rows of what else changes the window: keys that walk, and the table of heads."""
    _shown(scene, [Panel(0, 3, 0, "matrix")])
    panels, order = scene.app_state.panels, Qt.SortOrder
    (table,) = scene.window.findChildren(HeadsTable)
    bar, last = table.verticalScrollBar(), len(panels.included_heads) - 1
    scene.measure_alone("walk through the heads", lambda n: panels.walk(0, 1 if n // last % 2 else -1))
    scene.measure_alone("table of heads, scrolled", lambda n: bar.setValue(n * 3 % (bar.maximum() + 1)))
    scene.measure_alone(
        "table of heads, sorted",
        lambda n: table.sortByColumn(1 + n % 5, order.AscendingOrder if n % 2 else order.DescendingOrder),
    )


def _write_many_heads(folder: Path) -> str:
    """Write a checkpoint of 384 heads; what it computes does not matter."""
    model = random_bert(num_hidden_layers=24, num_attention_heads=16, hidden_size=128)
    return str(write_bert(folder / "many", model))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", choices=[*(model for model, _ in MODELS), MANY_HEADS])
    parser.add_argument("--tokens", type=int, help="the length of the text, at most what the model reads")
    parser.add_argument("--scene", default="", help="how their names begin: lines, matrix, vectors, overview")
    parser.add_argument("--frames", type=int, default=220, help="how many are measured of each gesture")
    parser.add_argument("--table", action="store_true", help="only what the table of `make bench` has")
    parser.add_argument("--parts", action="store_true", help="the processor time of each painted widget")
    return parser.parse_args()


def main() -> None:
    """Print the tables of all models."""
    options = _options()
    make_application()
    parts = Parts() if options.parts else None
    for model, most in (*MODELS, (MANY_HEADS, 128)):
        if options.model not in (None, model):
            continue
        n_tokens = min(options.tokens or most, most)
        text = " ".join((_WORDS * (n_tokens // len(_WORDS) + 1))[: n_tokens - 2])
        with tempfile.TemporaryDirectory() as made:
            is_made = model == MANY_HEADS
            folder = _write_many_heads(Path(made)) if is_made else str(plain_copy(model, Path(made)))
            with opened(folder, text) as (app_state, window):
                size = f"{window.width()} x {window.height()} pixels"
                sys.stdout.write(
                    f"{model}, {app_state.viewport.n_queries} tokens, {size}, "
                    f"{QGuiApplication.platformName()}; processor time at p99\n"
                )
                floors = Floors(app_state.viewport.n_queries, options.frames)
                scene = Scene(model, window, app_state, options, parts, floors)
                if is_made:
                    scene.measure("overview", window.main_area.cards.overview.view)
                else:
                    measure_window(scene)


if __name__ == "__main__":
    main()
