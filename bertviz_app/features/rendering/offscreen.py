"""Figures of traces, results and comparisons for Python: the views of panels, drawn without a window."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from PySide6.QtCore import Qt, QThread
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import delete

from bertviz_app.analysis.attention.overview import overview_of, overview_of_weights
from bertviz_app.analysis.attention.stamp import AttentionNumbers
from bertviz_app.analysis.catalogue import find_analysis
from bertviz_app.analysis.compare import Compared, last_head
from bertviz_app.analysis.parameters import parameters_of
from bertviz_app.analysis.results import HeadMatrices, Result, RunMatrix
from bertviz_app.errors import FigureError, Message, SelectionError
from bertviz_app.features.rendering.on_axes import Drawn, draw_on
from bertviz_app.features.rendering.panel_pages import PANEL_PAGES, check_page, go_to, is_of
from bertviz_app.features.rendering.render_settings import check_head, check_part, kind_of, put_settings
from bertviz_app.figures import STYLES, Figure, FigureChoice, HasFigures
from bertviz_app.inference.engine import Engine, TraceResult
from bertviz_app.inference.fetching import SavedCheckpoint
from bertviz_app.options import PanelPage, Run
from bertviz_app.shell.application import make_application
from bertviz_app.shell.collector import collected_here
from bertviz_app.shell.feature import features, panel_views
from bertviz_app.shell.settings import read_palette
from bertviz_app.shell.window.main_area import panel_tools
from bertviz_app.text.tokens import token_at
from bertviz_app.trace import Trace
from bertviz_app.trace.arrays import first_shown
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.analyses.analyses import Analysed, lacks_image, pictures_of_result, shown_table
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.export import Runs, result_numbers
from bertviz_app.viewmodels.heads.pictures import HeadOfRun, HeadPicture, picture_of, picture_of_numbers
from bertviz_app.viewmodels.heads.places import difference_order, difference_source
from bertviz_app.viewmodels.panel import IMAGE, Content, Panel
from bertviz_app.viewmodels.runs.run import Difference, DrawnHeads, Shown, saved_result
from bertviz_app.viewmodels.runs.shown import prepared
from bertviz_app.viewmodels.vectors import card_vector
from bertviz_app.views.export.printing import record_printed
from bertviz_app.views.export.recording import content_of
from bertviz_app.views.kit.canvas import LaterWork
from bertviz_app.views.kit.look import Look, style_sheet
from bertviz_app.views.kit.panel_view import ExportedPanel, PanelTools, PanelView
from bertviz_app.views.kit.subject import ExportSubject, PictureSheet
from bertviz_app.views.overview.divergence import DivergenceView
from bertviz_app.views.overview.view import OverviewView
from bertviz_app.views.panels.card import view_of
from bertviz_app.views.vectors.heat import VectorPlot

OF_TRACES = ("matrix", "words", "lines", "overview", "pooled", "steps", "vectors", "parameters", "image")
OF_COMPARISONS = ("divergence", "matrix", "words", "lines")
_DRAW_HEADS = ("words", "lines")  # the views that draw several heads at once
_BEFORE_PRINT = (1000, 700)  # pixels of a view before it gets the size of a figure


@runtime_checkable
class OpenedModel(Protocol):
    """What `open_model` of the layer above returns: the engine that has it, and what it makes of a trace."""

    @property
    def engine(self) -> Engine: ...

    def result_of(self, trace: Trace) -> TraceResult:
        """Return a trace that it encoded, with what it computes of it."""


@dataclass(frozen=True, eq=False)
class _Studio:
    """What views are drawn with."""

    look: Look
    state: AppState
    tools: PanelTools


_Make = Callable[[_Studio], Drawn]


@dataclass(frozen=True, eq=False)
class ViewDrawing:
    """Draws what `make` makes: see `figures.FigureDrawing`."""

    make: _Make
    choice: FigureChoice

    def content(self, ending: str, width: float, height: float | None, dpi: float) -> bytes:
        """Return the file that ends in ".pdf", ".svg" or ".png"."""
        with collected_here():  # what is drawn is a local name of the inner function, and garbage after it
            return self._content(ending, (width, height), dpi)

    def _content(self, ending: str, size: tuple[float, float | None], dpi: float) -> bytes:
        with _drawn(self.make, self.choice) as (studio, drawn):
            subject = drawn.subject
            sheet = subject.sheet if self.choice.has_title else None
            recording = record_printed(subject.widget, studio.look, sheet, subject.titles, size)
            return content_of(recording, ending, dpi / 96)


def figure_of(shown: HasFigures, choice: FigureChoice) -> Figure:
    """Return the figure of a trace, a result or a comparison. Raises FigureError and SelectionError.

    It is made once here, so that what cannot be drawn is refused at the call.
    """
    if choice.style not in STYLES:
        message = Message("There is no style “{0}”.", choice.style)
        raise FigureError(message, Message("There are: {0}.", ", ".join(STYLES)))
    of: Callable[[Any, FigureChoice, _Studio], Drawn] = _of_result
    if isinstance(shown, Trace | Compared):
        of = _of_trace if isinstance(shown, Trace) else _of_comparison
    make = partial(of, shown, choice)
    with collected_here():
        return Figure(_title(make, choice), ViewDrawing(make, choice))


def _title(make: _Make, choice: FigureChoice) -> str:
    """Return the title of a figure that can be drawn; draw it on the axes that are given."""
    with _drawn(make, choice) as (_, drawn):
        if choice.axes is not None:
            draw_on(choice.axes, drawn)
        return drawn.subject.sheet.title


def _of_trace(trace: Trace, choice: FigureChoice, studio: _Studio) -> Drawn:
    view = _view(choice.view, OF_TRACES, Message("There is no figure “{0}” of a trace.", choice.view))
    page, follows = _place(choice, view)
    if choice.heads and view not in _DRAW_HEADS:
        raise is_of("heads", "lines", view)
    look, runs = studio.look, _runs(trace)
    _include(trace, choice, studio, is_there=view == "overview")
    if view in PANEL_PAGES:
        return _of_run(trace, choice, studio, (page, follows))
    options = studio.state.store.now.options
    numbers = AttentionNumbers(trace)
    if options.numbers != "weight":
        numbers = _prepared(trace, choice, studio).numbers
    if view == "overview":
        grid = OverviewView(look, studio.state.panels)
        overview = overview_of(numbers, options.stamp) if numbers.result else overview_of_weights(trace)
        grid.show_overview(overview)
        grid.show_edits(trace.edits)
        subject = grid.subject("Overview", runs)
        assert subject is not None
        return Drawn(subject, overview=overview, shows=studio.state.store.now.overview)
    if view == IMAGE and trace.image is None:
        raise lacks_image()
    if view == "pooled":
        if not trace.has_states:
            lacking = Message("Attention weights alone have no vectors.")
            raise FigureError(lacking, Message("Draw one of {0}.", "lines, matrix, overview"))
        plot = VectorPlot(look)
        name, vector = card_vector(trace, "pooled")
        plot.show_values(vector, name)
        subject = plot.subject(name, runs)
        assert subject is not None
        return Drawn(subject, values=vector)
    layer, head = _head_of(trace, choice)
    heads = choice.heads if view in _DRAW_HEADS and choice.heads else (head,)
    for each in heads:
        trace.attention(layer, each, rows=slice(0, 1))  # raises SelectionError
    heads = heads if numbers.has_heads else (0,)
    pictures = tuple(picture_of_numbers(numbers, layer, each, options=options) for each in heads)
    panel = Panel(0, layer, heads[-1], view, heads=heads if len(heads) > 1 else ())
    if follows != (None, None):
        _follow(trace, studio, *follows)
    return _of_matrix(pictures, panel, runs, studio)


def _include(trace: Trace, choice: FigureChoice, studio: _Studio, *, is_there: bool) -> None:
    """Draw some layers and heads alone in a map of all. Raises SelectionError for those there are not."""
    chosen = choice.include_layers, choice.include_heads
    if chosen == (None, None):
        return
    if not is_there:
        raise is_of("include_layers", "overview", choice.view or "matrix")
    studio.state.panels.include(first_shown(trace, *chosen, None, None))


def _head_of(trace: Trace, choice: FigureChoice) -> tuple[int, int]:
    """Return the chosen layer and head; else those that the trace shows at first, or the last ones.

    Raises SelectionError.
    """
    of_trace = trace.choice
    last = trace.last_head[0] if of_trace.layer is None else of_trace.layer
    layer = last if choice.layer is None else choice.layer
    trace.attention(layer, rows=slice(0, 1))  # raises SelectionError
    heads = trace.heads_of(layer) or (0,)
    selected = [head for head in of_trace.selected or () if head in heads]
    head = (selected or [heads[-1]])[0] if choice.head is None else choice.head
    trace.attention(layer, head, rows=slice(0, 1))
    return layer, head


def _place(choice: FigureChoice, view: str) -> tuple[PanelPage, tuple[int | None, int | None]]:
    """Return where Steps, Vectors or Parameters are, and the query and the key that they follow.

    Raises SelectionError for what is of another view.
    """
    given = dict(choice.at)
    follows = given.pop("token", None), given.pop("key", None)
    page = PanelPage(**given)
    check_page(page, view)
    if follows != (None, None) and view not in ("words", "steps", "parameters"):
        raise is_of("token", "steps", view)
    return page, follows


def _prepared(trace: Trace, choice: FigureChoice, studio: _Studio) -> Shown:
    """Return a trace with what its model computes of it. Raises FigureError where a model is needed."""
    if choice.model is None:
        result: TraceResult = saved_result(trace, SavedCheckpoint.of_trace(trace))
    elif isinstance(choice.model, OpenedModel):
        result = choice.model.result_of(trace)
    else:
        message = Message("A model is what open_model returns, not {0}.", type(choice.model).__name__)
        raise FigureError(message, Message("Call {0}.", 'model = bertviz_app.open_model("…")'))
    options = studio.state.store.now.options
    if options.numbers != "weight" and choice.model is None:
        message = Message("A trace has attention weights alone; its model computes “{0}”.", options.numbers)
        raise FigureError(message, Message("Give the model that encoded the text: model=model."))
    shown = prepared(studio.state.engine, result, DrawnHeads(options=options), lambda: None)
    if shown.refusal is not None:
        raise shown.refusal
    return shown


def _follow(trace: Trace, studio: _Studio, query: int | None, key: int | None) -> None:
    """Select the query and the key that a view follows. Raises SelectionError for tokens there are not."""
    for token in (query, key):
        if token is not None:
            token_at(trace.tokens, token)
    studio.tools.selection.pin(query=query, key=key)


def _of_run(
    trace: Trace, choice: FigureChoice, studio: _Studio, at: tuple[PanelPage, tuple[int | None, int | None]]
) -> Drawn:
    """Return Steps, Vectors or Parameters: views of a whole run, which workers compute numbers for."""
    if not trace.has_states:
        message = Message("Attention weights alone have no “{0}”.", choice.view)
        raise FigureError(message, Message("Draw one of {0}.", "lines, matrix, overview"))
    if choice.view == "parameters" and choice.model is None:
        message = Message("A trace has no parameters.")
        raise FigureError(message, Message("Give the model that encoded the text: model=model."))
    (page, (query, key)), state = at, studio.state
    layer, head = _head_of(trace, choice)
    shown = _prepared(trace, choice, studio)
    state.workers.start()
    state.shown_runs.show("A", shown)
    tools = replace(studio.tools, draws_stops=False)
    if query is not None or key is not None:
        _follow(trace, studio, query, key)
    panel = Panel(0, layer, head, choice.view)
    view = view_of(choice.view, tools)
    try:
        view.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        view.resize(*_BEFORE_PRINT)
        view.show()
        view.show_panel(panel)
        view.show_head(HeadOfRun((trace,), layer, head))
        go_to(view, page)
        if view.not_drawn:  # what the view says in place of a picture
            raise FigureError(view.not_drawn, Message("Give the model that encoded the text: model=model."))
        return Drawn(_exported(view, panel, Runs(shown.result), studio), panel=panel)
    except BaseException:
        delete(view)
        raise


def _of_comparison(compared: Compared, choice: FigureChoice, studio: _Studio) -> Drawn:
    message = Message("There is no figure “{0}” of a comparison.", choice.view)
    view = _view(choice.view, OF_COMPARISONS, message)
    _only_weights(choice, studio)
    traces = compared.trace_a, compared.trace_b
    runs, positions = _runs(*traces), compared.alignment.positions
    _include(traces[0], choice, studio, is_there=view == "divergence")
    if view == "divergence":
        grid = DivergenceView(studio.look, studio.state.panels)
        grid.show_difference(Difference(traces, compared.alignment, compared.divergence))
        subject = grid.subject("A − B", runs)
        assert subject is not None
        return Drawn(subject, values=compared.divergence)
    layer, head = last_head(traces, choice.layer, choice.head)
    for trace in traces:
        trace.attention(layer, head, rows=slice(0, 1))  # raises SelectionError
    options = studio.state.store.now.options
    numbers = AttentionNumbers(traces[0]), AttentionNumbers(traces[1])
    order = difference_order(traces, positions, options)
    source = difference_source(numbers, positions, layer, head, order)
    picture = picture_of(source, layer, head, options, lambda: None)
    return _of_matrix((picture,), Panel(0, layer, head, view, "A-B"), runs, studio)


def _only_weights(choice: FigureChoice, studio: _Studio) -> None:
    """Raise FigureError for what a figure of a trace alone can be given."""
    if studio.state.store.now.options.numbers != "weight":
        message = Message("A figure of a trace alone has other numbers than weights.")
        raise FigureError(message, Message("Draw an analysis of them: model.analyse(…).figure()."))
    given = [
        name
        for name, value in (("model", choice.model), ("heads", choice.heads or None), *choice.at.items())
        if value is not None
    ]
    if given:
        message = Message("Only a figure of a trace takes “{0}”.", given[0])
        raise FigureError(message, Message("Leave it out."))


def _of_study(result: Result, choice: FigureChoice, studio: _Studio) -> Drawn:
    """Draw the result of a study: below its title stand the checkpoint and the file."""
    _only_weights(choice, studio)
    about = result.about or {}
    kind = kind_of(type(result), choice.view, result.study)
    check_part(result, choice.part)
    check_head(result, choice)
    analysed = Analysed(Content(result.study), (), result, shown_table(result))
    view = view_of(kind.key, studio.tools)
    panel = Panel(0, choice.layer or 0, choice.head or 0, kind.key, content=Content(part=choice.part))
    view.show_panel(panel)
    view.show_result(analysed)
    files = ", ".join(Path(name).name for name in about.get("files", ()))
    lines = (
        view.caption,
        " · ".join(part for part in (str(about.get("model", "")), files) if part),
        result.study_paper,
    )
    sheet = PictureSheet(str(result.study_title), tuple(line for line in lines if line))
    numbers = partial(result_numbers, analysed, view.shown_picture)
    return Drawn(
        ExportSubject(view, result.study, sheet, numbers, "", view.axis_titles),
        result=result,
        panel=panel,
    )


def _of_result(result: Result, choice: FigureChoice, studio: _Studio) -> Drawn:
    if result.study:
        return _of_study(result, choice, studio)
    if result.origin is None:
        message = Message("This result does not say which run it is of.")
        raise FigureError(message, Message("Draw one that model.analyse returned."))
    _only_weights(choice, studio)
    key, parameters, traces = result.origin.key, result.origin.parameters, result.origin.traces
    run: Run = "A-B" if result.origin.is_difference else "A"
    kind = kind_of(type(result), choice.view, key)
    check_part(result, choice.part)
    known = parameters_of(find_analysis(key).parameters)
    own = tuple((one.name, parameters[one.name]) for one in known if parameters[one.name] != one.default)
    content = Content(key, own, choice.part)
    other = traces[1] if len(traces) > 1 and run == "A" else None
    of = traces[:1] if run == "A" else traces
    analysed = Analysed(content, of, result, shown_table(result), other)
    trace, runs = traces[0], _runs(*traces)
    layer, head = last_head([trace], choice.layer, choice.head)
    panel = Panel(0, layer, head, kind.key, run, content=content)
    if kind.needs_picture:
        made = pictures_of_result(result, of)
        at = 0 if isinstance(result, RunMatrix) else layer, head if isinstance(result, HeadMatrices) else 0
        if not made.has(*at):
            message = Message("This result has no matrix of layer {0} and head {1}.", *at)
            raise SelectionError(message, Message("Layers and heads count from 0."))
        picture = made.make(*at, studio.state.store.now.options, lambda: None)
        return _of_matrix((picture,), panel, runs, studio, analysed)
    view = view_of(kind.key, studio.tools)
    view.show_panel(panel)
    view.show_result(analysed)
    return Drawn(_exported(view, panel, runs, studio, analysed), result=result, panel=panel)


def _exported(
    view: PanelView, panel: Panel, runs: Runs, studio: _Studio, analysed: Analysed | None = None
) -> ExportSubject:
    subject = view.subject(ExportedPanel(panel, runs, studio.state.store.now.options, analysed))
    assert subject is not None
    return subject


def _of_matrix(
    pictures: tuple[HeadPicture, ...],
    panel: Panel,
    runs: Runs,
    studio: _Studio,
    analysed: Analysed | None = None,
) -> Drawn:
    """Return lines or a matrix of the last of the pictures, lines of all of them."""
    view = view_of(panel.kind.key, studio.tools)
    view.show_panel(panel)
    studio.tools.viewport.fit(*pictures[-1].token_order.counts)
    view.show_picture(pictures[-1], pictures)
    return Drawn(_exported(view, panel, runs, studio, analysed), pictures=pictures, panel=panel)


def _view(view: str, known: tuple[str, ...], message: Message) -> str:
    """Return the view, the first that is known for "". Raises FigureError with the message for another."""
    if view and view not in known:
        hint = Message("There are: {0}. bertviz-app render draws the other views.", ", ".join(known))
        raise FigureError(message, hint)
    return view or known[0]


def _runs(*traces: Trace) -> Runs:
    return Runs(*(saved_result(one, SavedCheckpoint.of_trace(one)) for one in traces))


@contextmanager
def _drawn(make: _Make, choice: FigureChoice) -> Iterator[tuple[_Studio, Drawn]]:
    """Yield what `make` makes, laid out; the widget is never on screen, and is gone after the block."""
    _application()
    look = Look(read_palette(choice.style))
    state = AppState(choice.model.engine if isinstance(choice.model, OpenedModel) else Engine())
    widget: QWidget | None = None
    try:
        put_settings(state, tuple((name, str(value)) for name, value in choice.settings.items()))
        studio = _Studio(look, state, panel_tools(state, look, panel_views(features()))["A"])
        drawn = make(studio)
        widget = drawn.subject.widget
        widget.setStyleSheet(style_sheet(look))
        widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        widget.show()
        yield studio, drawn
    finally:
        if widget is not None:
            widget.hide()
            delete(widget)
        state.close()
        delete(state)
        LaterWork.shared().forget_deleted()


def _application() -> None:
    """Have an application that widgets can be made in. Raises FigureError on another thread than its own.

    One that is there is left as it is. On a machine without a display Qt draws into memory alone.
    """
    application = QApplication.instance()
    is_own = (
        threading.current_thread() is threading.main_thread()
        if application is None
        else QThread.currentThread() == application.thread()
    )
    if not is_own:
        message = Message("Figures are drawn on the main thread alone.")
        raise FigureError(message, Message("Call figure and save from there."))
    if application is None:
        if sys.platform == "linux":
            # Qt tries the displays that there are said to be, then none.
            displays = {"WAYLAND_DISPLAY": "wayland", "DISPLAY": "xcb"}
            there = (name for variable, name in displays.items() if os.environ.get(variable))
            os.environ.setdefault("QT_QPA_PLATFORM", ";".join([*there, "offscreen"]))
        make_application()
    elif not isinstance(application, QApplication):
        message = Message("This process has an application of Qt without widgets.")
        raise FigureError(message, Message("Make it a QApplication."))
