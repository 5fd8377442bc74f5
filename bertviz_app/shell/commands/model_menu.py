"""The picker of checkpoints: a line for each that can be opened, its facts in columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.bars.buttons import ColumnsMenu
from bertviz_app.views.kit.canvas import language

_NUMBERS = (3, 4, 5)  # the columns that are aligned at the right


@dataclass(frozen=True)
class Listed:
    """A checkpoint that could be opened.

    `is_open`: in memory. `is_shown`: run A is encoded with it. `seen`: its facts when it was opened last.
    """

    source: Source
    is_open: bool = False
    is_shown: bool = False
    seen: ModelFacts | None = None


def fill_models(
    menu: ColumnsMenu,
    listed: Iterable[Listed],
    open_model: Callable[[str], None],
    others: list[tuple[str, Callable[[], None]]],
) -> None:
    """List checkpoints, damaged ones with their reason and not to be chosen, then the `others`."""
    menu.clear()
    menu.setToolTipsVisible(True)
    listed = tuple(listed)
    sound = [one for one in listed if one.source.problem is None]
    rows = [_column_titles(), *(_facts(one) if one in sound else (_damaged(one.source),) for one in listed)]
    if not sound:
        rows = rows[1:]
    actions = menu.add_rows(rows, _NUMBERS)
    if sound:
        actions[0].setEnabled(False)
    for one, action in zip(listed, actions[-len(listed) :], strict=True):
        source = one.source
        action.setToolTip("\n".join(_about(one)))
        action.setEnabled(source.problem is None)
        action.setCheckable(one.is_shown)
        action.setChecked(one.is_shown)
        action.triggered.connect(lambda _=False, ref=source.ref: open_model(ref))
    if not menu.isEmpty():
        menu.addSeparator()
    for text, run in others:
        menu.addAction(text).triggered.connect(lambda _=False, run=run: run())


def _column_titles() -> tuple[str, ...]:
    translate = QCoreApplication.translate
    return (
        translate("Menus", "Checkpoint"),
        translate("Menus", "family"),
        translate("Menus", "layers × heads × width"),
        translate("Menus", "vocabulary"),
        translate("Menus", "parameters"),
        translate("Menus", "file size"),
        translate("Menus", "date"),
        translate("Menus", "source"),
        "",
    )


def _facts(one: Listed) -> tuple[str, ...]:
    """Return the cells of a line: "" where nothing is known."""
    source, translate = one.source, QCoreApplication.translate
    n_parameters = source.n_parameters or (one.seen.n_parameters if one.seen is not None else 0)
    remarks = [translate("Menus", "has open questions")] if source.asks else []
    remarks += [translate("Menus", "in memory")] if one.is_open else []
    return (
        source.name,
        source.family,
        f"{source.n_layers} × {source.n_heads or '?'} × {source.width}" if source.width else "",
        f"{source.vocabulary_size:,}" if source.width else "",
        f"{n_parameters:,}" if n_parameters else "",
        _size(source.n_bytes),
        _day(source),
        _origin(source),
        " · ".join(remarks),
    )


def _damaged(source: Source) -> str:
    words = QCoreApplication.translate("Menus", "{0}   damaged: {1}")
    reason = " ".join(translated(source.problem or "").split())
    return words.format(source.name, reason if len(reason) <= 80 else f"{reason[:79]}…")


def _size(n_bytes: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.{0 if n_bytes >= 10 * size else 1}f} {unit}"
    return f"{n_bytes} B"


def _day(source: Source) -> str:
    """Return the day of the newest of its files, as the language in force writes it."""
    day = QDateTime.fromSecsSinceEpoch(round(source.modified)).date()
    if language() == "ko":
        return day.toString("yyyy. M. d.")
    return QLocale.c().toString(day, "d MMM yyyy")


def _origin(source: Source) -> str:
    translate = QCoreApplication.translate
    words = {
        "bundled": translate("Menus", "bundled"),
        "installed": translate("Menus", "package"),
        "trained": translate("Menus", "trained here"),
        "cache": translate("Menus", "cache"),
        "folder": translate("Menus", "folder"),
    }
    return words[source.origin]


def _about(one: Listed) -> list[str]:
    """Return where a checkpoint comes from, since when it is there, and how it loaded if it was opened."""
    source, translate = one.source, QCoreApplication.translate
    if source.problem is not None:
        return [translated(source.problem), translated(source.sentence)]
    lines = [translated(source.sentence), translate("Menus", "Date of its files: {0}").format(_day(source))]
    if one.is_open:
        lines.append(translate("Menus", "In memory already: it opens at once."))
    if one.seen is None:
        return lines
    return [*lines, *(map(translated, one.seen.remarks) if one.seen.remarks else [_all_fits()])]


def _all_fits() -> str:
    return QCoreApplication.translate("Menus", "All tensors match.")
