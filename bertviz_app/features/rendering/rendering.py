"""Views of the window, drawn without a screen: `figure` in Python, and `render` of the command line."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QSize, Qt, QThread, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import delete

from bertviz_app import paths
from bertviz_app.analysis.attention.overview import overview_of, overview_of_weights
from bertviz_app.analysis.attention.stamp import AttentionNumbers
from bertviz_app.analysis.catalogue import find_analysis
from bertviz_app.analysis.compare import Compared, last_head
from bertviz_app.analysis.parameters import parameters_of
from bertviz_app.analysis.results import HeadMatrices, Result, RunMatrix
from bertviz_app.errors import FigureError, FileError, Message, SelectionError
from bertviz_app.features.rendering.on_axes import Drawn, draw_on
from bertviz_app.features.rendering.render_settings import (
    PANEL_PAGES,
    Settings,
    analysis_and_rest,
    check_head,
    check_page,
    check_part,
    check_view,
    is_of,
    kind_of,
    put_settings,
)
from bertviz_app.figures import STYLES, Figure, FigureChoice, HasFigures, check_picture
from bertviz_app.inference.engine import Engine, TraceResult
from bertviz_app.inference.fetching import SavedCheckpoint
from bertviz_app.options import CARDS, RUNS, SIDES, PanelPage, PictureSize, RenderOptions, Run
from bertviz_app.shell.application import make_application
from bertviz_app.shell.collector import collected_here
from bertviz_app.shell.feature import features, panel_views
from bertviz_app.shell.settings import Language, SettingsStore, Theme, read_palette
from bertviz_app.shell.window.main_area import panel_tools, show_vector
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.text.tokens import token_at, validate
from bertviz_app.trace import Trace, load_trace
from bertviz_app.trace.arrays import first_shown
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.analyses.analyses import Analysed, lacks_image, pictures_of_result, shown_table
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.export import Runs, result_numbers
from bertviz_app.viewmodels.heads.pictures import HeadOfRun, HeadPicture, picture_of, picture_of_numbers
from bertviz_app.viewmodels.heads.places import difference_order, difference_source
from bertviz_app.viewmodels.panel import IMAGE, PANEL_KINDS, Content, Panel
from bertviz_app.viewmodels.results import Failed, Ready
from bertviz_app.viewmodels.runs.run import Difference, DrawnHeads, Shown, saved_result
from bertviz_app.viewmodels.runs.shown import prepared
from bertviz_app.viewmodels.runs.workspace import EncodedRun
from bertviz_app.viewmodels.state import OtherRun
from bertviz_app.viewmodels.vectors import card_vector
from bertviz_app.views.export.printing import record_printed
from bertviz_app.views.export.recording import content_of, in_colours, record, room_around, write
from bertviz_app.views.kit.canvas import LaterWork
from bertviz_app.views.kit.card import Card
from bertviz_app.views.kit.look import Look, style_sheet
from bertviz_app.views.kit.panel_view import ExportedPanel, PanelTools, PanelView
from bertviz_app.views.kit.subject import (
    Exportable,
    ExportSubject,
    PictureSheet,
    picture_alone,
)
from bertviz_app.views.overview.view import DivergenceView, OverviewView
from bertviz_app.views.panels.card import PanelArea, PanelCard, view_of
from bertviz_app.views.vectors.plots import VectorPlot

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
    of: Callable[[Any, FigureChoice, _Studio], Drawn] = (
        _of_trace
        if isinstance(shown, Trace)
        else _of_comparison
        if isinstance(shown, Compared)
        else _of_result
    )
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
    is_weight = options.numbers == "weight"
    numbers = AttentionNumbers(trace) if is_weight else _prepared(trace, choice, studio).numbers
    if view == "overview":
        grid = OverviewView(look, studio.state.panels)
        overview = overview_of(numbers, options.stamp) if numbers.result else overview_of_weights(trace)
        grid.show_overview(overview)
        grid.show_edits(trace.edits)
        shows = studio.state.store.now.overview
        return Drawn(_exported_card(grid, "Overview", runs), overview=overview, shows=shows)
    if view == IMAGE and trace.image is None:
        raise lacks_image()
    if view == "pooled":
        if not trace.has_states:
            raise _lacks_states(Message("Attention weights alone have no vectors."))
        plot = VectorPlot(look)
        name, vector = card_vector(trace, "pooled")
        plot.show_values(vector, name)
        return Drawn(_exported_card(plot, name, runs), values=vector)
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
        raise _lacks_states(Message("Attention weights alone have no “{0}”.", choice.view))
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
        return Drawn(_exported_card(grid, "A − B", runs), values=compared.divergence)
    layer, head = last_head(traces, choice.layer, choice.head)
    for trace in traces:
        trace.attention(layer, head, rows=slice(0, 1))  # raises SelectionError
    options = studio.state.store.now.options
    numbers = AttentionNumbers(traces[0]), AttentionNumbers(traces[1])
    source = difference_source(numbers, positions, layer, head, difference_order(traces, positions, options))
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


def _exported_card(drawing: Exportable, title: str, runs: Runs) -> ExportSubject:
    subject = drawing.subject(title, runs)
    assert subject is not None
    return subject


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


def _lacks_states(message: Message) -> FigureError:
    """Return the error for what weights alone do not have."""
    return FigureError(message, Message("Draw one of {0}.", "lines, matrix, overview"))


def _runs(*traces: Trace) -> Runs:
    return Runs(*(saved_result(one, SavedCheckpoint.of_trace(one)) for one in traces))


@contextmanager
def _drawn(make: _Make, choice: FigureChoice) -> Iterator[tuple[_Studio, Drawn]]:
    """Yield what `make` makes, laid out; the widget is never on screen, and is gone after the block."""
    _application()
    look = Look(read_palette(choice.style))
    engine = choice.model.engine if isinstance(choice.model, OpenedModel) else Engine()
    settings = tuple((name, str(value)) for name, value in choice.settings.items())
    with _opened(engine, settings) as state:
        studio = _Studio(look, state, panel_tools(state, look, panel_views(features()))["A"])
        drawn = make(studio)
        widget = drawn.subject.widget
        try:
            widget.setStyleSheet(style_sheet(look))
            widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
            widget.show()
            yield studio, drawn
        finally:
            widget.hide()
            delete(widget)


@contextmanager
def _opened(engine: Engine, settings: Settings) -> Iterator[AppState]:
    """Yield a state without a window, with these settings; it is gone after the block."""
    state = AppState(engine)
    try:
        put_settings(state, settings)
        yield state
    finally:
        state.close()
        # Here: Python frees a cycle on any thread that collects, and a timer that dies on a worker ends the
        # process at its next turn.
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


_OF_STATES = ("pooled", "steps", "vectors", "parameters")  # of what weights alone do not have
_USUAL = 0.66  # the height of the window in print, of its width


def render(options: RenderOptions) -> tuple[str, ...]:
    """Draw one view of one text into `options.out`; return the remarks about the checkpoints it is from.

    Raises AppError for what the user can put right.
    """
    check_picture(options.out)
    traces = [load_trace(file) for file in options.files]
    if not traces:
        validate(options.text)  # a window would wait for a text instead
    check_view(options.view, options.kind)
    check_page(options.at, options.view)
    content, settings = None, options.settings
    if options.view not in (*CARDS, *PANEL_KINDS):
        content, settings = analysis_and_rest(options.view, options.settings, options.part)
    with collected_here():
        return _render(options, traces, content, settings)


def _render(
    options: RenderOptions, traces: list[Trace], content: Content | None, settings: Settings
) -> tuple[str, ...]:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = make_application()
    # In print colours are those of paper while the picture is recorded: the widgets' own are of a theme.
    shown_theme = "light" if options.theme == "paper" else options.theme
    look = Look(read_palette(shown_theme))
    look.set_scale(options.text_size)
    with _opened(Engine(), settings) as app_state:
        language, theme = Language(application), Theme(application, look)
        try:
            language.choose(options.language)
            _show_runs(app_state, options, traces)
            _choose_head(app_state, options, content)
            widget = _widget(app_state, look, theme, options)
            try:
                theme.choose(shown_theme)
                _draw(app_state, look, widget, options)
            finally:
                widget.hide()  # closing would save its size as the one of the user's window
                widget.deleteLater()
                QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            return _remarks(app_state)
        finally:
            language.choose("en")
            language.deleteLater()
            theme.remove()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _draw(app_state: AppState, look: Look, widget: QWidget, options: RenderOptions) -> None:
    """Lay a view out in the size of the picture, and write that."""
    size = PictureSize(*options.size)
    on_screen = QSize(round(size.width), round(size.height or size.width * _USUAL))
    widget.resize(QSize(*_BEFORE_PRINT) if size.is_printed else on_screen)
    widget.show()
    widget.setFocus()  # else the first button is drawn with the frame of the focus
    if isinstance(widget, PanelArea) and options.at != PanelPage():
        run_until(lambda: widget.is_complete)
        for view in widget.findChildren(PanelView):
            go_to(view, options.at)
    _settle(app_state, widget)
    for panel in (panel for panel in app_state.panels.panels if panel.content.analysis):
        state = app_state.shown_runs.analyses.get(panel)
        if isinstance(state, Failed):
            raise state.error
        if isinstance(state, Ready):
            check_part(state.value.result, panel.content.part)
    subject, is_window = _subject(app_state, widget, options), isinstance(widget, MainWindow)
    sheet = subject.sheet if options.has_title else None
    if is_window:
        widget.resize(on_screen)
        _settle(app_state, widget)
    elif not size.is_printed:
        around = room_around(subject.widget, look, sheet, subject.titles)
        widget.resize(on_screen.shrunkBy(around) + widget.size() - subject.widget.size())
        _settle(app_state, widget)
    with in_colours(subject.widget, look, read_palette(options.theme)):
        _save(subject, sheet, look, options)


def _remarks(app_state: AppState) -> tuple[str, ...]:
    """Return the remarks about the checkpoints; where there are two, each names the one that it is about."""
    results = [shown.result for shown in _shown(app_state, "A-B")]
    remarks = [
        (each.facts.name, remark) for each in results for remark in (*each.facts.remarks, *each.trace.remarks)
    ]
    if len({each.facts.name for each in results}) == 1:
        return tuple(dict.fromkeys(str(remark) for _, remark in remarks))
    return tuple(f"{name}: {remark}" for name, remark in remarks)


def _shown(app_state: AppState, run: Run) -> tuple[Shown, ...]:
    """Return the results that a picture of `run` is drawn from, two for a difference."""
    sides = (side.shown for name, side in app_state.encoded_runs.items() if name in run)
    return tuple(shown for shown in sides if shown is not None)


def _show_runs(app_state: AppState, options: RenderOptions, traces: list[Trace]) -> None:
    """Run the workspace until it shows the texts or the saved traces, or raise what went wrong."""
    workspace, comparison = app_state.workspace, app_state.comparison
    if traces:
        _show_saved(app_state, traces, options.files)
    else:
        workspace.set_device(options.device)
        workspace.expect_model(options.model)
        app_state.store.change(
            text=options.text, pair=options.pair, ref=options.model, edits=options.edits or NO_EDITS
        )
        app_state.start(options.model)
        _wait_for(app_state, workspace)
        if other := options.other:
            comparison.set_other(OtherRun(other.model, other.text, other.pair, other.edits or NO_EDITS))
    if options.other is not None:
        _wait_for(
            app_state,
            comparison,
            lambda: comparison.difference is not None and comparison.difference.divergence is not None,
        )


def _show_saved(app_state: AppState, traces: list[Trace], files: tuple[Path, ...]) -> None:
    """Run the workspace until it shows the first trace, and have the second one compared with it."""
    for trace, file in zip(traces[1:], files[1:], strict=True):
        if trace.has_states:
            message = Message("{0} holds no attention weights alone.", file.name)
            raise FileError(message, Message("Compare texts, or draw compare(…).figure() in Python."))
    # Weights alone belong to no checkpoint: in its place is the file that they are from.
    saved = [
        saved_result(trace, SavedCheckpoint.of_trace(trace, "" if trace.has_states else str(file.absolute())))
        for trace, file in zip(traces, files, strict=True)
    ]
    app_state.start(None, opens=False)
    app_state.workspace.show_saved(saved[0])
    _wait_for(app_state, app_state.workspace)
    for other in saved[1:]:
        app_state.comparison.show_saved(other)


def _wait_for(app_state: AppState, run: EncodedRun, is_rest_there: Callable[[], bool] = lambda: True) -> None:
    """Wait until a run shows what is requested, or raise what went wrong."""
    errors: list[Exception] = []
    app_state.failed.connect(errors.append)
    run_until(
        lambda: bool(
            errors or run.problem or (run.is_current and app_state.refinement.is_complete and is_rest_there())
        )
    )
    if errors:
        raise errors[0]
    if run.problem is not None:
        raise run.problem.error


def _choose_head(app_state: AppState, options: RenderOptions, content: Content | None) -> None:
    kind = PANEL_KINDS.get(options.view)
    if content is not None:
        kind = kind_of(find_analysis(content.analysis).result, options.kind, content.analysis)
    if options.run == "A-B":
        _validate_difference(options.view)
    traces = [shown.result.trace for shown in _shown(app_state, options.run)]
    if kind is not None and kind.key == IMAGE and traces[0].image is None:
        raise lacks_image()
    if options.view in _OF_STATES and not all(trace.has_states for trace in traces):
        raise _lacks_states(Message("Attention weights alone have no “{0}”.", options.view))
    if options.view == "parameters" and options.files:
        hint = Message("Give the text instead of its file; --model names the checkpoint.")
        raise FigureError(Message("A trace has no parameters."), hint)
    sizes = [shown.result.trace for shown in _shown(app_state, "A")] + traces
    only = options.heads[0] if len(options.heads) == 1 else None
    layer, head = last_head(sizes, options.layer, only if options.head is None else options.head)
    for trace in traces:
        for each in (head, *options.heads):
            trace.attention(layer, each, rows=slice(0, 1))  # raises SelectionError
    app_state.panels.show(layer, head)
    _choose_tokens(app_state, options)
    if kind is not None:
        heads = options.heads if len(options.heads) > 1 else ()
        head = heads[-1] if heads and head not in heads else head
        panel = Panel(0, layer, head, kind.key, options.run, heads)
        app_state.panels.open([panel if content is None else replace(panel, content=content)])


def _validate_difference(view: str) -> None:
    """Raise SelectionError for a view that has no picture of the difference of two runs."""
    if view == "overview":
        raise SelectionError("The overview is that of one run.", "Draw --view divergence, or run A or run B.")
    names = {kind.key: kind.key for kind in PANEL_KINDS.values() if not kind.has_difference}
    names["pooled"] = "pooled vector"
    if view in names:
        raise SelectionError(f"The difference of two runs has no {names[view]}.", "Draw run A or run B.")


def _choose_tokens(app_state: AppState, options: RenderOptions) -> None:
    """Highlight tokens of the run that is drawn; of a difference those of run A."""
    run = SIDES[options.run][0]
    trace = _shown(app_state, run)[0].result.trace
    for token, tokens in ((options.token, trace.tokens), (options.key, trace.key_tokens)):
        if token is not None:
            token_at(tokens, token)  # raises SelectionError
    if options.token is not None or options.key is not None:
        app_state.shown_runs.states[run].selection.pin(query=options.token, key=options.key)


def _widget(app_state: AppState, look: Look, theme: Theme, options: RenderOptions) -> QWidget:
    if options.view == "window":
        store = SettingsStore(paths.settings() / "settings.json")
        return MainWindow(app_state, look, theme, store, features())
    translate = QCoreApplication.translate
    across = translate("OverviewCard", "layers down, heads across")
    of_run = _shown(app_state, options.run)
    if options.view == "overview":
        view = OverviewView(look, app_state.panels)
        drawn, *beside = sorted(_shown(app_state, "A-B"), key=lambda each: each not in of_run)
        view.show_overview(drawn.overview, beside[0].overview if beside else None, options.run)
        view.show_edits(drawn.result.trace.edits)
        view.show_pair(app_state.shown_runs.pinned_pair.of(options.run))
        return Card(translate("OverviewCard", "Overview"), view, "" if view.cells.is_rearranged else across)
    if options.view == "divergence":
        mosaic = DivergenceView(look, app_state.panels)
        mosaic.show_difference(app_state.comparison.difference)
        return Card("A − B", mosaic, across)
    if options.view == "pooled":
        plot = VectorPlot(look)
        card = Card("", plot)
        show_vector(card, plot, of_run[0])
        return card
    tools = {
        run: replace(each, draws_stops=False)
        for run, each in panel_tools(app_state, look, panel_views(features())).items()
    }
    area = PanelArea(app_state.panels, tools)
    area.show_runs(RUNS if app_state.comparison.difference is not None else RUNS[:1])
    return area


def _settle(app_state: AppState, widget: QWidget) -> None:
    """Wait for the pictures of all panels, and draw all their lines."""
    areas = [widget] if isinstance(widget, PanelArea) else widget.findChildren(PanelArea)
    for area in areas:
        run_until(lambda: area.is_complete)  # noqa: B023 - called before the next turn of the loop
    if isinstance(widget, MainWindow):
        predictions = app_state.shown_runs.predictions
        run_until(lambda: not any(predictions.is_coming(run) for run in predictions.runs))
        run_until(lambda: True)  # predictions may need more room, laid out in the next turn
    for view in widget.findChildren(PanelView):
        wait_for(view)


def _subject(app_state: AppState, widget: QWidget, options: RenderOptions) -> ExportSubject:
    """Return what is drawn of `widget`: of a card or a panel what the window exports, else all of it."""
    runs = app_state.runs
    assert runs is not None
    card = next(iter(widget.cards.values())) if isinstance(widget, PanelArea) else widget
    subject = card.subject(runs) if isinstance(card, Card) else None
    if isinstance(card, PanelCard):
        if subject is not None:  # of a panel it is written which numbers it shows, too
            return subject
        # Nothing is drawn but a message, such as that there is no such head.
        return picture_alone(widget, "", PictureSheet(card.full_title, runs.lines(options.run)))
    lines = runs.lines("A-B" if options.view == "divergence" else options.run)
    if subject is None:
        return picture_alone(widget, "", PictureSheet("BertViz App", lines))
    return replace(subject, sheet=replace(subject.sheet, lines=lines))


def _save(subject: ExportSubject, sheet: PictureSheet | None, look: Look, options: RenderOptions) -> None:
    """Write the picture: the window as the screen has it, or from its recorded drawing."""
    size, widget, titles = PictureSize(*options.size), subject.widget, subject.titles
    is_window = isinstance(widget, MainWindow)
    if size.is_printed and not is_window:
        recording = record_printed(widget, look, sheet, titles, (size.width, size.height))
    elif is_window and options.scale == 1 and sheet is None and options.out.suffix.lower() == ".png":
        picture = widget.grab()
        with paths.replacing(options.out) as beside:
            if not picture.save(str(beside), "PNG"):
                raise OSError(None, "the picture could not be saved")
        return
    else:
        in_size = nullcontext() if is_window else None
        recording = record(widget, look, sheet, titles, keeps_switches=is_window, in_size=in_size)
    write(recording, options.out, options.scale)


def go_to(view: PanelView, page: PanelPage) -> None:
    """Have a view show its stage, page or parameter, once it has its numbers. Raises SelectionError."""
    wait_for(view)
    view.go_to(page)
    wait_for(view)


def wait_for(view: PanelView) -> None:
    """Let the workers compute what a view draws."""
    view.complete()
    run_until(lambda: not (view.is_waiting and view.isVisible()))


def run_until(is_done: Callable[[], bool]) -> None:
    """Let the event loop run until `is_done()`."""
    loop = QEventLoop()
    timer = QTimer(interval=5)
    timer.timeout.connect(lambda: loop.quit() if is_done() else None)
    timer.start()
    loop.exec()
