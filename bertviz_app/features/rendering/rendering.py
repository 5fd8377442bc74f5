"""Pictures without a screen: the real views, drawn off-screen and saved as PNG, SVG or PDF."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QSize
from PySide6.QtWidgets import QWidget
from shiboken6 import delete

from bertviz_app import paths
from bertviz_app.analysis.catalogue import find_analysis
from bertviz_app.analysis.compare import last_head
from bertviz_app.errors import FigureError, FileError, Message, SelectionError
from bertviz_app.features.rendering.panel_pages import check_page, go_to, run_until
from bertviz_app.features.rendering.render_settings import (
    Settings,
    check_part,
    check_view,
    content_of,
    kind_of,
    put_settings,
)
from bertviz_app.figures import check_picture
from bertviz_app.inference.engine import Engine
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
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.analyses.analyses import lacks_image
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import IMAGE, PANEL_KINDS, Content, Panel
from bertviz_app.viewmodels.results import Failed, Ready
from bertviz_app.viewmodels.runs.run import Shown, saved_result
from bertviz_app.viewmodels.runs.workspace import EncodedRun
from bertviz_app.viewmodels.state import OtherRun
from bertviz_app.views.export.printing import record_printed
from bertviz_app.views.export.recording import in_colours, record, room_around, write
from bertviz_app.views.kit.canvas import LaterWork
from bertviz_app.views.kit.card import Card
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelView
from bertviz_app.views.kit.subject import NO_TITLES, AxisTitles, PictureSheet
from bertviz_app.views.overview.divergence import DivergenceView
from bertviz_app.views.overview.view import OverviewView
from bertviz_app.views.panels.area import PanelArea
from bertviz_app.views.panels.card import PanelCard
from bertviz_app.views.vectors.heat import VectorPlot

_OF_STATES = ("pooled", "steps", "vectors", "parameters")  # of what weights alone do not have
_USUAL = 0.66  # the height of the window in print, of its width
_BEFORE_PRINT = (
    1000,
    700,
)  # pixels of what is printed, before it gets the size of the paper


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
        content, settings = content_of(options.view, options.settings, options.part)
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
    language = Language(application)
    theme = Theme(application, look)
    app_state = AppState(Engine())
    try:
        put_settings(app_state, settings)
        language.choose(options.language)
        if traces:
            _show_saved(app_state, traces, options.files)
        else:
            _encode(app_state, options)
            if other := options.other:
                run = OtherRun(other.model, other.text, other.pair, other.edits or NO_EDITS)
                app_state.comparison.set_other(run)
        if options.other is not None:
            comparison = app_state.comparison
            _wait_for(
                app_state,
                comparison,
                lambda: comparison.difference is not None and comparison.difference.divergence is not None,
            )
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
        app_state.close()
        # Here: Python frees a cycle on any thread that collects, and a timer that dies on a worker ends the
        # process at its next turn.
        delete(app_state)
        LaterWork.shared().forget_deleted()


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
    figure = _figure(app_state, widget, options)
    if figure.is_window:
        widget.resize(on_screen)
        _settle(app_state, widget)
    elif not size.is_printed:
        around = room_around(figure.widget, look, figure.sheet, figure.titles)
        outside = widget.size() - figure.widget.size()
        widget.resize(on_screen.shrunkBy(around) + outside)
        _settle(app_state, widget)
    with in_colours(figure.widget, look, read_palette(options.theme)):
        _save(figure, look, options)


def _remarks(app_state: AppState) -> tuple[str, ...]:
    """Return the remarks about the checkpoints; where there are two, each names the one that it is about."""
    results = [shown.result for shown in _drawn(app_state, "A-B")]
    remarks = [
        (each.facts.name, remark) for each in results for remark in (*each.facts.remarks, *each.trace.remarks)
    ]
    if len({each.facts.name for each in results}) == 1:
        return tuple(dict.fromkeys(str(remark) for _, remark in remarks))
    return tuple(f"{name}: {remark}" for name, remark in remarks)


def _drawn(app_state: AppState, run: Run) -> tuple[Shown, ...]:
    """Return the results that a picture of `run` is drawn from, two for a difference."""
    sides = (side.shown for name, side in app_state.encoded_runs.items() if name in run)
    return tuple(shown for shown in sides if shown is not None)


def _encode(app_state: AppState, options: RenderOptions) -> None:
    """Run the workspace until it shows the text, or raise what went wrong."""
    workspace = app_state.workspace
    workspace.set_device(options.device)
    workspace.expect_model(options.model)
    app_state.store.change(
        text=options.text, pair=options.pair, ref=options.model, edits=options.edits or NO_EDITS
    )
    app_state.start(options.model)
    _wait_for(app_state, workspace)


def _show_saved(app_state: AppState, traces: list[Trace], files: tuple[Path, ...]) -> None:
    """Run the workspace until it shows the first trace, and have the second one compared with it."""
    for trace, file in zip(traces[1:], files[1:], strict=True):
        if trace.has_states:
            message = Message("{0} holds no attention weights alone.", file.name)
            raise FileError(message, Message("Compare texts, or draw compare(…).figure() in Python."))
    # Weights alone belong to no checkpoint: in its place is the file that they are from.
    refs = [
        "" if trace.has_states else str(file.absolute()) for trace, file in zip(traces, files, strict=True)
    ]
    saved = [
        saved_result(trace, SavedCheckpoint.of_trace(trace, ref))
        for trace, ref in zip(traces, refs, strict=True)
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
    traces = [shown.result.trace for shown in _drawn(app_state, options.run)]
    if kind is not None and kind.key == IMAGE and traces[0].image is None:
        raise lacks_image()
    if options.view in _OF_STATES and not all(trace.has_states for trace in traces):
        message = Message("Attention weights alone have no “{0}”.", options.view)
        raise FigureError(message, Message("Draw one of {0}.", "lines, matrix, overview"))
    if options.view == "parameters" and options.files:
        hint = Message("Give the text instead of its file; --model names the checkpoint.")
        raise FigureError(Message("A trace has no parameters."), hint)
    sizes = [shown.result.trace for shown in _drawn(app_state, "A")] + traces
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
    kind = PANEL_KINDS.get(view)
    if kind is not None and not kind.has_difference:
        raise SelectionError(f"The difference of two runs has no {kind.key}.", "Draw run A or run B.")
    if view == "pooled":
        raise SelectionError("The difference of two runs has no pooled vector.", "Draw run A or run B.")
    if view == "overview":
        raise SelectionError("The overview is that of one run.", "Draw --view divergence, or run A or run B.")


def _choose_tokens(app_state: AppState, options: RenderOptions) -> None:
    """Highlight tokens of the run that is drawn; of a difference those of run A."""
    run = SIDES[options.run][0]
    (shown,) = _drawn(app_state, run)
    trace = shown.result.trace
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
    of_run = _drawn(app_state, options.run)
    if options.view == "overview":
        view = OverviewView(look, app_state.panels)
        drawn, *beside = sorted(_drawn(app_state, "A-B"), key=lambda each: each not in of_run)
        view.show_overview(drawn.overview, beside[0].overview if beside else None, options.run)
        view.show_edits(drawn.result.trace.edits)
        view.show_pair(app_state.shown_runs.pinned_pair.of(options.run))
        qualifier = "" if view.cells.is_rearranged else across
        return Card(translate("OverviewCard", "Overview"), view, qualifier)
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
        view.complete()
        if view.isVisible():
            run_until(lambda: not view.is_waiting)  # noqa: B023 - as above


@dataclass(frozen=True, eq=False)
class _Figure:
    """What is drawn: the drawing alone, as the window exports it, or the window with its buttons."""

    widget: QWidget
    sheet: PictureSheet | None
    titles: AxisTitles = NO_TITLES
    is_window: bool = False


def _figure(app_state: AppState, widget: QWidget, options: RenderOptions) -> _Figure:
    """Return what is drawn of `widget`: of a card or a panel what the window exports of it."""
    runs = app_state.runs
    assert runs is not None
    card = next(iter(widget.cards.values())) if isinstance(widget, PanelArea) else widget
    subject = card.subject(runs) if isinstance(card, Card) else None
    sheet = PictureSheet("BertViz App") if subject is None else subject.sheet
    if not isinstance(card, PanelCard):  # of a panel it is written which numbers it shows, too
        sheet = replace(sheet, lines=runs.lines("A-B" if options.view == "divergence" else options.run))
    elif subject is None:  # nothing is drawn but a message, such as that there is no such head
        sheet = PictureSheet(card.full_title, runs.lines(options.run))
    shown_sheet = sheet if options.has_title else None
    if subject is None:
        return _Figure(widget, shown_sheet, is_window=isinstance(widget, MainWindow))
    return _Figure(subject.widget, shown_sheet, subject.titles)


def _save(figure: _Figure, look: Look, options: RenderOptions) -> None:
    """Write the picture: the window as the screen has it, or from its recorded drawing."""
    size = PictureSize(*options.size)
    if size.is_printed and not figure.is_window:
        of_print = size.width, size.height
        printed = record_printed(figure.widget, look, figure.sheet, figure.titles, of_print)
        write(printed, options.out, options.scale)
        return
    is_as_on_screen = figure.is_window and options.scale == 1 and not options.has_title
    if options.out.suffix.lower() == ".png" and is_as_on_screen:
        picture = figure.widget.grab()
        with paths.replacing(options.out) as beside:
            if not picture.save(str(beside), "PNG"):
                raise OSError(None, "the picture could not be saved")
        return
    recording = record(
        figure.widget,
        look,
        figure.sheet,
        figure.titles,
        keeps_switches=figure.is_window,
        in_size=nullcontext() if figure.is_window else None,
    )
    write(recording, options.out, options.scale)
