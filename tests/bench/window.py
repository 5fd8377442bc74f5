"""How fast the window is: `python -m tests.bench.window`. Prints each figure beside its budget.

Measures, off-screen unless QT_QPA_PLATFORM says otherwise: the first painted window beside a bare
PySide6 window with pyqtgraph (in turn, in processes of their own), the longest stall of the interface
thread while forward passes run, and from a text to the painted overview beside the pass alone, with a random
checkpoint of BERT-base's shape. Frames: `python -m tests.bench.frames`.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from bertviz_app import api
from bertviz_app.checkpoint.sources.source import default_source
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.features.training.page import TrainingController
from bertviz_app.inference.engine import Engine
from bertviz_app.shell.application import make_application
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.runs import shown as shown_runs
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.views.attention.lines import FAINT_LINES
from bertviz_app.views.kit.canvas import LaterWork
from bertviz_app.views.plots.plot import Plot
from tests.bench import browser
from tests.bench.machine import speeds
from tests.bench.rows import Budget, Row, compared, emit
from tests.bench.stages import forward_stages, least_seconds, overview_stages
from tests.support.checkpoints import bert_base, plain_copy
from tests.support.opened_window import opened, run_until
from tests.support.training_scene import write_corpus

OVERVIEW_LENGTHS = (128, 512)
OVERVIEW_BUDGET = 1.5
"""From a text to the painted overview, as a multiple of the pass alone."""
BROWSER_LIMIT = 75.0  # seconds, for the page of 128 tokens
_WATCHED = 3.0  # seconds
_PAUSE_S = 0.3
"""How long the window is at rest before each text, in seconds."""
_TEXTS, _FEWEST_TEXTS, _PATIENCE = 9, 3, 25.0
"""So many texts of a length, and fewer once so many seconds are over."""
_PASS = "the pass alone, with what a trace holds"
_PEER = "bare PySide6 with pyqtgraph"
Times = tuple[float, float, float]
_WORDS = ["the", "cat", "ate", "fish", "because", "it", "was", "hungry", "and", "we", "saw"]
_PAINTED = """
import os, sys, time
def measure(widget_class):
    # A turn of the event loop after the widget's first paint all of the window is painted: print when, by the
    # clock and the processor. Then print the longest delay of a timer of 5 ms in the next WATCHED seconds.
    from PySide6.QtCore import QTimer, Qt
    paint, timers, late = widget_class.paintEvent, [], [0.0]
    def tick():
        now = time.perf_counter()
        late.append(now - due[0])
        due[0] = now + 0.005
    def end():
        print(max(late), flush=True)
        os._exit(0)
    def is_painted():
        print(time.time() - float(os.environ["STARTED"]), time.process_time())
        due.append(time.perf_counter() + 0.005)
        timers[0].start()
        QTimer.singleShot(int(1000 * float(os.environ["WATCHED"])), end)
    due = []
    def painted(self, event):
        paint(self, event)
        if not timers:
            timers.append(QTimer(interval=5, timerType=Qt.TimerType.PreciseTimer))
            timers[0].timeout.connect(tick)
            QTimer.singleShot(0, is_painted)
    widget_class.paintEvent = painted
"""
_BARE = f"""{_PAINTED}
import numpy, pyqtgraph
from PySide6.QtWidgets import QApplication
application = QApplication([])
class Window(pyqtgraph.GraphicsLayoutWidget):
    pass
measure(Window)
window = Window()
window.resize(1600, 1000)
window.show()
application.exec()
"""
_OURS = f"""{_PAINTED}
from bertviz_app.cli import main
from bertviz_app.shell.process import prepare_process, skip_source_search
prepare_process()  # as `main` does, which imports the application after these two
skip_source_search()
import bertviz_app.shell.application
from bertviz_app.views.start import HeadRibbons
measure(HeadRibbons)
main([])
"""


def first_window(rounds: int = 7) -> Iterator[Row]:
    """Yield process start to the end of the first paint, ours and bare in turn: elapsed, and processor time.

    Both read compiled files, as an installed program does: a round that is not counted writes them. Without
    them Python would compile all of ours at each start, where the environment forbids to write them. Then
    yield how long a key waits at most that is pressed while the rest is loaded, which is not needed for that
    paint; the peer has all loaded before.
    """
    with tempfile.TemporaryDirectory() as folder:
        for script in (_BARE, _OURS):
            _start(script, folder, _WATCHED)  # long enough to compile what is loaded after the paint, too
        ours, bare = _in_turn(rounds, folder, 0)
        for at, what in enumerate(("first window", "first window, processor time")):
            row = Row(what, peer_name=_PEER, budget=Budget(1.15))
            yield compared(row, *([1000 * times[at] for times in each] for each in (ours, bare)))
        ours, bare = _in_turn(3, folder, _WATCHED)
        row = Row("longest stall after the first paint", peer_name=_PEER, budget=Budget(150, "ours"))
        row = compared(row, *([1000 * times[2] for times in each] for each in (ours, bare)))
        yield replace(row, remark=f"in the {_WATCHED:g} s in which torch and a checkpoint are loaded")


def _in_turn(rounds: int, folder: str, watched: float) -> tuple[list[Times], list[Times]]:
    pairs = [(_start(_OURS, folder, watched), _start(_BARE, folder, watched)) for _ in range(rounds)]
    return [ours for ours, _ in pairs], [bare for _, bare in pairs]


def _start(script: str, folder: str, watched: float) -> Times:
    """Return the seconds of a process until its window is painted, elapsed and of the processor.

    And the longest stall of its interface thread in the `watched` seconds after that.
    """
    environment = os.environ | {"XDG_CONFIG_HOME": f"{folder}/settings", "PYTHONPYCACHEPREFIX": folder}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment |= {"WATCHED": str(watched), "STARTED": str(time.time())}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    elapsed, processor, stall = done.stdout.split()
    return float(elapsed), float(processor), float(stall)


@contextmanager
def late_ticks() -> Iterator[list[float]]:
    """Yield how many milliseconds late each tick of a 5 ms timer of the interface thread is."""
    late: list[float] = []
    due = [time.perf_counter() + 0.005]

    def tick() -> None:
        now = time.perf_counter()
        late.append(max(0.0, now - due[0]) * 1000)
        due[0] = now + 0.005

    timer = QTimer(interval=5, timerType=Qt.TimerType.PreciseTimer)
    timer.timeout.connect(tick)
    timer.start()
    yield late
    timer.stop()


def _stall_row(name: str, late: list[float], remark: str = "") -> Row:
    p99 = sorted(late)[int(len(late) * 0.99)]
    row = Row(name, default_source().name, ours=max(late), budget=Budget(50, "ours"))
    return replace(row, remark=f"{remark}p99 {p99:.1f}")


def stalls(app_state: AppState, text: str, seconds: float = 10.0) -> Row:
    """Return the longest stall while long texts are encoded without pause."""
    number = 0
    with late_ticks() as late:
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            number += 1
            app_state.workspace.set_texts(f"{number} {text}", None, at_once=True)
            run_until(lambda: app_state.workspace.is_current)
    shown = app_state.workspace.shown
    assert shown is not None
    row = _stall_row("longest stall while texts are encoded", late, f"{number} texts, ")
    return replace(row, n_tokens=shown.result.trace.n_tokens)


def training_stalls(window: MainWindow, folder: Path, seconds: float = 20.0) -> Iterator[Row]:
    """Yield the longest stalls with the Training page on screen: at rest, and while a process trains."""
    window.part(TrainingController).open()
    training = window.part(TrainingController).training
    files = (str(write_corpus(folder / "corpus.txt", 4_000)),)
    for name in ("longest stall, nothing trained", "longest stall while a model is trained, page shown"):
        until = time.perf_counter() + seconds
        with late_ticks() as late:
            run_until(partial(_is_over, until))
        yield _stall_row(name, late)
        if training.run is None:
            training.change(files=files, folder=str(folder / "model"), amount=30.0, every=10)
            training.start()
            run_until(lambda: training.run is not None and training.run.last is not None, 300.0)
    training.stop()
    run_until(lambda: training.run is None or not training.run.is_alive, 60.0)


def _is_over(until: float) -> bool:
    return time.perf_counter() > until


class _Clock(QObject):
    """When each part of the way from a text to the painted window ended, by the name of the part."""

    PARTS = ("pass", "all heads", "open heads", "to the views", "overview painted", "all painted")

    def __init__(self) -> None:
        super().__init__()
        self._ends: dict[str, float] = {}
        self._watch(Engine, "trace", "pass")
        self._watch(shown_runs, "overview_of", "all heads")
        self._watch(shown_runs, "head_pictures", "open heads")
        self._watch(Workspace, "_on_encoded", "to the views")

    def watch_painting(self, view: QWidget) -> None:
        """Note when `view` is painted, or a plot in it."""
        plots = [view] if isinstance(view, Plot) else view.findChildren(Plot)
        for widget in (view, *(plot.viewport() for plot in plots)):
            widget.installEventFilter(self)

    def start(self) -> None:
        """Begin with a text."""
        self._ends = {"": time.perf_counter()}

    def stop(self) -> list[float]:
        """Return the seconds of each of PARTS; they add up to the whole."""
        self._ends["all painted"] = time.perf_counter()
        ends = [self._ends[""], *(self._ends[part] for part in self.PARTS)]
        return [end - begun for begun, end in pairwise(ends)]

    def _watch(self, owner: object, name: str, part: str) -> None:
        work = getattr(owner, name)

        def watched(*arguments: Any, **options: Any) -> Any:
            try:
                return work(*arguments, **options)
            finally:
                self._ends[part] = time.perf_counter()

        setattr(owner, name, watched)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note the first painting once the views have the result."""
        if event.type() == QEvent.Type.Paint and "to the views" in self._ends:
            self._ends.setdefault("overview painted", time.perf_counter())
        return False


def text_to_overview(
    model: str, name: str, lengths: Sequence[int], most: float | None = None
) -> Iterator[Row]:
    """Yield from a new text to its painted overview and panels beside the pass alone, in turn.

    Each begins in a window at rest; a text ends when all that it changes is painted, the strongest lines of
    thousands among it: views are painted in later turns of the event loop, which would else be counted with
    the next text. The pass alone is a call from a text to its trace.
    """
    clock, alone = _Clock(), api.open_model(model, device="cpu")
    with opened(model, "warm up") as (app_state, window):
        clock.watch_painting(window.main_area.cards.overview.view)
        for n_tokens in lengths:
            parts, passes, shares = [], [], []
            until = time.perf_counter() + _PATIENCE
            for number in range(_TEXTS + 1):
                if number > _FEWEST_TEXTS and time.perf_counter() > until:
                    break
                text = " ".join([str(number), *(_WORDS * n_tokens)[: n_tokens - 3]])
                run_until(lambda: False, _PAUSE_S)
                taken, of_pass = _seconds(partial(alone.trace, text))
                passes.append(taken)
                run_until(lambda: False, _PAUSE_S)
                clock.start()
                begun = time.process_time()
                app_state.workspace.set_texts(text, None, at_once=True)
                while not _is_drawn(app_state, window):  # a timer that looks every millisecond slows the pass
                    QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
                QApplication.processEvents()  # paints what was updated last
                parts.append(clock.stop())
                shares.append((time.process_time() - begun) / of_pass)
            row = Row("text to painted overview", name, alone.trace(text).n_tokens, "s", peer_name=_PASS)
            medians = [1000 * statistics.median(part) for part in zip(*parts[1:], strict=True)]
            remark = ", ".join(f"{part} {ms:.0f}" for part, ms in zip(clock.PARTS, medians, strict=True))
            remark = f"{statistics.median(shares[1:]):.2f} x by processor time; ms by parts: {remark}"
            row = replace(row, budget=None if most is None else Budget(most), remark=remark)
            yield compared(row, [sum(each) for each in parts[1:]], passes[1:])  # the first warms up


def _seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds that `work` takes, by the clock and of the processor on all threads."""
    started, begun = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - started, time.process_time() - begun


def _is_drawn(app_state: AppState, window: MainWindow) -> bool:
    is_painted = app_state.workspace.is_current and LaterWork.shared().is_done(but=FAINT_LINES)
    return is_painted and window.main_area.area.is_complete


def beside_browser(row: Row, folder: str, limit: float) -> Row:
    """Return the row with the time of `transformers` with attention and BertViz's model view in Chromium."""
    row = Row(
        f"{row.name}, beside a browser",
        row.model,
        row.n_tokens,
        row.unit,
        row.ours,
        "transformers, then BertViz model_view in Chromium",
        spread=row.spread,
    )
    reason = browser.why_not()
    if reason or row.ours is None or row.n_tokens is None:
        return replace(row, remark=reason)
    import torch
    from transformers import BertModel

    model = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    started = time.perf_counter()
    with torch.inference_mode():
        output = model(torch.arange(row.n_tokens)[None] + 999, output_attentions=True)
    encoded = time.perf_counter() - started
    drawn = browser.draw_model_view(list(output.attentions), ["piece"] * row.n_tokens, limit)
    if drawn.seconds is None:
        return replace(row, remark=drawn.reason)
    peer = encoded + drawn.seconds
    return replace(row, peer=peer, ratio=row.ours / peer)


def _overviews() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for model, n_tokens in (("bert-mini-en-ko", 256), ("all-MiniLM-L6-v2", 512)):
            for row in text_to_overview(str(plain_copy(model, Path(folder))), model, (n_tokens,)):
                emit(row)
        made = Path(folder, "base")
        made.mkdir()
        base, config = bert_base(made), EncoderConfig(30522, 512, 2, 12, 12, 768, 3072)
        for row in list(text_to_overview(base, "BERT-base, random", OVERVIEW_LENGTHS, OVERVIEW_BUDGET)):
            found, n_tokens = speeds(), row.n_tokens or 0
            stages = [*forward_stages(config, n_tokens), *overview_stages(config, n_tokens)]
            row = replace(row, least=least_seconds(stages, found.product, found.copy))
            emit(row)
            if n_tokens <= 128:
                emit(beside_browser(row, base, BROWSER_LIMIT))


def main() -> None:
    """Print the whole table, or the parts that are named: first, stalls, overviews, training."""
    parts = sys.argv[1:] or ["first", "stalls", "overviews"]
    if "first" in parts:
        for row in first_window():
            emit(row)
    make_application()
    if "stalls" in parts:
        text = " ".join(_WORDS * 60)
        with opened(None, text) as (app_state, _):
            emit(stalls(app_state, text))
    if "overviews" in parts:
        _overviews()
    if "training" in parts:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_DATA_HOME"] = folder
            with opened(None, "the cat sat on the mat") as (_, window):
                for row in training_stalls(window, Path(folder)):
                    emit(row)


if __name__ == "__main__":
    main()
