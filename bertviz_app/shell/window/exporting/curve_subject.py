"""What is exported of a card of the Training page: the curves as a picture, their points as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QCoreApplication

from bertviz_app.shell.window.exporting.subject import ExportSubject
from bertviz_app.tables import Cell, RowSource, Table
from bertviz_app.viewmodels.export import Fact, Numbers
from bertviz_app.viewmodels.training.training import LiveRun
from bertviz_app.views.export.recording import PictureSheet
from bertviz_app.views.kit.card import Card
from bertviz_app.views.training.curves import Curve
from bertviz_app.views.training.page import TrainingPage
from bertviz_app.views.training.words import sizes_of

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
