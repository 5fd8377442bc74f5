"""What is exported of a panel, a card or a curve: its widget, title and lines, its numbers, its code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from bertviz_app.analysis.attention.stamp import WEIGHTS
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.options import Run
from bertviz_app.shell.window.main_area import MainArea
from bertviz_app.tables import Cell, RowSource, Table
from bertviz_app.text.edits import edits_text
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.export import (
    INTERVENTIONS,
    Drawn,
    Fact,
    Numbers,
    Runs,
    divergence_as_python,
    inspector_as_python,
    overview_as_python,
    overview_numbers,
    vector_as_python,
    with_remark,
)
from bertviz_app.viewmodels.panels import Panel, has_heads, reads_second_run
from bertviz_app.viewmodels.runs.shown import RunPrediction, Shown
from bertviz_app.viewmodels.training.training import LiveRun
from bertviz_app.viewmodels.vectors import card_vector
from bertviz_app.viewmodels.wording import parameters_line, rest_texts, sample_line, stamp_line
from bertviz_app.views.export.recording import PictureSheet
from bertviz_app.views.export.titles import (
    NO_TITLES,
    AxisTitles,
    titles_of_overview,
    titles_of_panel,
    titles_of_result,
    titles_of_vector,
)
from bertviz_app.views.kit.card import Card
from bertviz_app.views.overview.divergence import DivergenceView
from bertviz_app.views.overview.view import OverviewView, has_thumbnails
from bertviz_app.views.panels.card import PanelCard
from bertviz_app.views.panels.registry import PANEL_ENTRIES, note_of, note_of_analysis, note_of_steps
from bertviz_app.views.parameters import ParametersView
from bertviz_app.views.plots.curves import Curve
from bertviz_app.views.training.page import TrainingPage
from bertviz_app.views.training.words import sizes_of
from bertviz_app.views.vectors.heat import HeatView


@dataclass(frozen=True, eq=False)
class ExportSubject:
    """A view that can be exported.

    `name` is a file's, without ending; `numbers` may take long: it is called on a worker.
    `python` is "" where no lines of Python compute it.
    """

    widget: QWidget
    name: str
    sheet: PictureSheet
    numbers: Callable[[], Numbers]
    python: str
    titles: AxisTitles = NO_TITLES


_LONGEST_TEXT = 240


def subject_of(app_state: AppState, main_area: MainArea, card: Card) -> ExportSubject | None:
    """Return what a panel or a card around the panels is about; None while it shows nothing."""
    title, run = card.title.text(), main_area.runs.run
    if isinstance(card, PanelCard):
        return panel_subject(app_state, card)
    if card is main_area.cards.overview:
        widget = main_area.runs.divergence if run == "A-B" else main_area.cards.overview.view
        return overview_subject(app_state, widget, title, run)
    if card is main_area.cards.heads:
        return overview_subject(app_state, main_area.heads, title, "B" if run == "B" else "A")
    if card is main_area.cards.inspector:
        return inspector_subject(app_state, main_area, title)
    return pooled_subject(app_state, main_area.pooled, title) if card is main_area.cards.pooled else None


def panel_subject(app_state: AppState, card: PanelCard) -> ExportSubject | None:
    """Return the subject of a panel; None while it draws nothing."""
    panel, view = card.panel, card.view
    picture, shown = view.picture, _shown(app_state, panel.run)
    drawn: Drawn = picture if panel.kind.needs_picture else view.shown_head
    if isinstance(view, ParametersView):
        drawn = view.shown.drawn or drawn  # before the table is there only the head is known
    if (drawn or view.analysed) is None or shown is None:
        return None
    notes: tuple[str, ...] = (view.caption,)
    is_of_steps = panel.kind.key == "steps"
    if is_of_steps:
        notes = (*notes, note_of_steps(app_state.options.value))
    has_stamp = picture is not None and not panel.content.analysis
    if picture is not None:
        notes = (note_of(picture, panel.kind, app_state.options.value, names_stamp=not has_stamp),)
    if len(panel.shown_heads) > 1:
        heads = ", ".join(map(str, panel.shown_heads))
        notes = (QCoreApplication.translate("Export", "heads {0}").format(heads), *notes)
    if picture is not None and has_stamp:
        notes = (stamp_line(picture.stamp), *notes)
    is_of_both = bool(panel.content.analysis) and reads_second_run(panel.shown_content)
    lines = lines_of(app_state, "A-B" if is_of_both else panel.run)
    heat = next((heat for heat in view.findChildren(HeatView) if heat.isVisibleTo(view)), None)
    vectors = None if heat is None else heat.picture
    titles = titles_of_panel(panel.kind.key, panel.vectors.page, picture, vectors, panel.shown_heads)
    if panel.content.analysis:
        found = card.tools.analyses.found(panel)
        of_analysis = parameters_line(panel.shown_content), note_of_analysis(panel.shown_content, found)
        notes = (*of_analysis, *notes)
        result = None if found is None else found.result
        titles = titles_of_result(
            panel.kind.key, result, picture, is_of_b=panel.run == "B", heads=panel.shown_heads
        )
    sheet = PictureSheet(card.full_title, (*lines, *(note for note in notes if note)))
    entry, facts = PANEL_ENTRIES[panel.kind.key], _facts(app_state, panel.run, is_of_both=is_of_both)
    numbers = entry.numbers(panel, view, card.tools)
    python = entry.python(panel, _runs(app_state), drawn)
    if is_of_steps:
        python = with_remark(python, app_state.options.value.stamp)
    return ExportSubject(view, _file_name(panel), sheet, lambda: _of(facts, numbers()), python, titles)


def _file_name(panel: Panel) -> str:
    kind, analysis = panel.kind, panel.content.analysis
    if not kind.is_of_head and not analysis:
        return kind.key
    at = f"layer{panel.layer}-head{panel.head}" if has_heads(panel.content) else f"layer{panel.layer}"
    parts = (analysis, at if kind.is_of_head else "", kind.key, "" if panel.run == "A" else panel.run)
    return "-".join(part for part in parts if part)


def overview_subject(app_state: AppState, widget: QWidget, title: str, run: Run) -> ExportSubject | None:
    """Return the subject of the overview of a run, or of the table of the same."""
    shown = _shown(app_state, run)
    if shown is None:
        return None
    if isinstance(widget, DivergenceView):
        found = {} if widget.values is None else {"divergence": widget.values}
        if (pair := widget.pair_difference) is not None:
            of_what = "" if pair.one.stamp == WEIGHTS else f", {pair.one.stamp.text}"
            found[f"{pair.title}, A - B{of_what}"] = pair.values
        numbers = Numbers(_facts(app_state, "A-B") | {"unit": "bits"} | {**WEIGHTS.facts}, found)
        python = with_remark(divergence_as_python(_runs(app_state)), app_state.options.value.stamp)
        drawn = WEIGHTS if widget.shown_pair is None else widget.shown_pair.one.stamp
        sheet = PictureSheet(title, (*lines_of(app_state, "A-B"), stamp_line(drawn)))
        by_layer = titles_of_overview(is_by_layer=True)
        return ExportSubject(widget, "divergence", sheet, lambda: numbers, python, by_layer)
    tokens, overview, model = shown.result.trace.tokens, shown.overview, shown.result.trace.model
    of_run: Run = "B" if run == "B" else "A"
    pinned = app_state.shown_runs.pinned_pair.of(of_run)
    tokens_of = None if pinned is None else pinned.tokens
    python = overview_as_python(shown.result.request, tokens_of, shown.stamp)
    facts = _facts(app_state, of_run)
    lines = *lines_of(app_state, of_run), stamp_line(shown.stamp), sample_line(overview)
    return ExportSubject(
        widget,
        "heads",
        PictureSheet(title, tuple(line for line in lines if line)),
        lambda: _of(facts, overview_numbers(overview, model, tokens.text, tokens.pair, pinned)),
        python,
        titles_of_overview(
            is_by_layer=not app_state.overview.value.order(has_pair=pinned is not None),
            has_thumbnails=has_thumbnails(widget),
        )
        if isinstance(widget, OverviewView)
        else NO_TITLES,
    )


def inspector_subject(app_state: AppState, main_area: MainArea, title: str) -> ExportSubject | None:
    """Return the subject of the inspector: the row and the column of its pair, and the predictions shown."""
    pair, active = app_state.shown_runs.inspected.pair, app_state.panels.active
    if pair is None or active is None:
        return None
    facts = _facts(app_state, pair.run)
    predictions = _predictions(app_state) if main_area.inspector_page.predictions.is_open else {}
    found = predictions[pair.run].found if pair.run in predictions else None

    def numbers() -> Numbers:
        at, arrays = pair.numbers, {"row": pair.shown.row, "column": pair.shown.column}
        more: dict[str, Fact] = {"layer": pair.layer, "head": pair.head, "query": at.query, "key": at.key}
        more |= pair.shown.stamp.facts
        if found is not None:
            more["predictions"] = asdict(found)
        labels = {"tokens": pair.trace.tokens.pieces}
        return Numbers(facts | more, arrays, labels, stamp=pair.shown.stamp)

    panel = replace(active, run=pair.run)  # of a panel of a difference run A is inspected
    positions = {run: one.position for run, one in predictions.items()}
    python = inspector_as_python(panel, _runs(app_state), positions, pair.shown.stamp)
    sheet = PictureSheet(title, (*lines_of(app_state, pair.run), stamp_line(pair.shown.stamp)))
    return ExportSubject(main_area.inspector_page, "inspector", sheet, numbers, python)


def _predictions(app_state: AppState) -> dict[Run, RunPrediction]:
    """Return the predictions of the task heads for each run on screen that has any."""
    found = {run: app_state.shown_runs.predictions.of(run) for run in app_state.shown_runs.predictions.runs}
    return {run: one for run, one in found.items() if one is not None and one.found is not None}


def pooled_subject(app_state: AppState, widget: QWidget, title: str) -> ExportSubject | None:
    """Return the subject of the vector that stands for the inspected run."""
    run = app_state.shown_runs.inspected.run
    shown = _shown(app_state, run)
    if shown is None:
        return None
    trace = shown.result.trace
    name, vector = card_vector(trace, app_state.vectors.kind)
    sheet = PictureSheet(title, lines_of(app_state, run))
    python, facts = vector_as_python(shown.result.request), _facts(app_state, run)
    return ExportSubject(
        widget, name, sheet, lambda: Numbers(facts, {name: vector}), python, titles_of_vector()
    )


def _shown(app_state: AppState, run: Run) -> Shown | None:
    return app_state.comparison.shown if run == "B" else app_state.workspace.shown


def _runs(app_state: AppState) -> Runs:
    of_a, of_b = app_state.workspace.shown, app_state.comparison.shown
    assert of_a is not None
    return Runs(of_a.result.request, None if of_b is None else of_b.result.request)


def lines_of(app_state: AppState, run: Run) -> tuple[str, ...]:
    """Return what is written below a title: of each run its checkpoint, its text and its edits."""
    lines = []
    for name in ("A", "B") if run == "A-B" else (run,):
        shown = _shown(app_state, name)
        if shown is not None:
            mark = f"{name}: " if app_state.comparison.shown is not None else ""
            lines.append(f"{mark}{shown.result.facts.name} · {_text(shown.result.request)}")
            edits = _edits(shown.result.trace)
            lines += [edits] if edits else []
            if shown.result.trace.provenance.dtype != "float32":
                words = QCoreApplication.translate("Export", "computed in {0}")
                lines.append(words.format(shown.result.trace.provenance.dtype))
    return tuple(lines)


def _text(request: TraceRequest) -> str:
    """Return the texts in quotation marks, long ones shortened."""
    texts = [request.text, *([] if request.pair is None else [request.pair])]
    short = (text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT].rstrip()} …" for text in texts)
    return " | ".join(f"“{text}”" for text in short)


def _edits(trace: Trace) -> str:
    edits = trace.edits
    translate = QCoreApplication.translate
    parts = []
    if edits.muted:
        heads = ", ".join(f"{layer}·{head}" for layer, head in edits.muted)
        parts.append(translate("Export", "muted: {0}").format(heads))
    words = translate("Export", "token {0} replaced by {1}")
    parts += [words.format(at, piece) for at, piece in edits.replaced]
    return " · ".join([*parts, *rest_texts(edits, trace.tokens)])


def _facts(app_state: AppState, run: Run, *, is_of_both: bool = False) -> dict[str, Fact]:
    """Return the facts that name the run of some numbers; of a difference also those of run B, as "other".

    `is_of_both`: an analysis of one run read the other one, too, which then is the "other".
    """
    facts: dict[str, Fact] = {"run": run}
    of_first, of_b = _shown(app_state, run), app_state.comparison.shown
    if of_first is not None:
        facts |= _facts_of(of_first)
    other = app_state.workspace.shown if run == "B" else of_b
    if (run == "A-B" or is_of_both) and other is not None:
        facts["other"] = {**_facts_of(other)}
    return facts


def _facts_of(shown: Shown) -> dict[str, Fact]:
    tokens = shown.result.trace.tokens
    facts: dict[str, Fact] = {"model": shown.result.trace.model, "text": tokens.text, "pair": tokens.pair}
    if shown.result.trace.fingerprint:
        facts["fingerprint"] = shown.result.trace.fingerprint
    if shown.result.trace.provenance.dtype != "float32":
        facts["dtype"] = shown.result.trace.provenance.dtype
    changed = edits_text(shown.result.trace.edits)
    return facts | {"edits": asdict(shown.result.request.edits), INTERVENTIONS: changed}


def _of(facts: dict[str, Fact], numbers: Numbers) -> Numbers:
    """Return `numbers` with more facts about them."""
    return replace(numbers, facts=facts | numbers.facts)


_COLUMNS = ("curve", "step", "value", "unsmoothed")


def curve_subject(page: TrainingPage, run: LiveRun | None, card: Card) -> ExportSubject | None:
    """Return what a card with curves is about; None for another card, and before there is a run."""
    names = {page.curves.losses_card: "losses", page.curves.accuracies_card: "accuracies"}
    if run is None or card not in names:
        return None
    plot = page.curves.losses if names[card] == "losses" else page.curves.accuracies
    step = QCoreApplication.translate("WatchView", "Step {0}").format(f"{run.last.step if run.last else 0:,}")
    sheet = PictureSheet(f"{card.title.text()} · {card.qualifier.text()}", (f"{sizes_of(run.job)} · {step}",))
    facts: dict[str, Fact] = {"run": str(run.job.out)}
    numbers = _numbers(plot.curves, facts)
    return ExportSubject(plot, names[card], sheet, lambda: numbers, "")


def _numbers(curves: Sequence[Curve], facts: dict[str, Fact]) -> Numbers:
    arrays = {}
    for curve in curves:
        arrays[f"{curve.name}, step"], arrays[curve.name] = curve.steps, curve.values
        if curve.raw is not None:
            arrays[f"{curve.name}, unsmoothed"] = curve.raw
    return Numbers(facts, arrays, table=lambda: Table(_COLUMNS, RowSource(lambda: _rows(curves))))


def _rows(curves: Sequence[Curve]) -> Iterator[tuple[Cell, ...]]:
    for curve in curves:
        raw = curve.values if curve.raw is None else curve.raw
        for step, value, unsmoothed in zip(curve.steps, curve.values, raw, strict=True):
            yield curve.name, int(step), float(value), float(unsmoothed)
