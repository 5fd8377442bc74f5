"""The gallery of analyses: what each answers, and why it cannot be done of the run that is shown."""

from __future__ import annotations

from typing import Any, Literal

from PySide6.QtCore import QCoreApplication

from bertviz_app.analysis import catalogue
from bertviz_app.analysis.entry import OF_THE_MODEL, Analysis, Needs, lacks_model, lacks_second_run
from bertviz_app.analysis.results import (
    HeadMatrices,
    HeadScalars,
    LayerRankings,
    Result,
    TokenMatrices,
    TokenScalars,
)
from bertviz_app.errors import AnalysisError, Remedy
from bertviz_app.learning.gallery import ATTENTION, Sketch, questions, sketches
from bertviz_app.learning.words import TypedText, Words
from bertviz_app.trace import Trace
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.panel import SHOWS_ATTENTION, Content
from bertviz_app.viewmodels.wording import about, content_title, error_text, translated


@dataclass(frozen=True)
class RunsThere:
    """The run that is shown, the task heads of its checkpoint, and whether that and a run B are there."""

    trace: Trace
    task_heads: tuple[str, ...] = ()
    is_model_open: bool = True
    has_second: bool = False


@dataclass(frozen=True)
class GalleryItem:
    """One card. `obstacle` says why it cannot be done, "" where it can; `remedy` would make it possible.

    `kind`: how its results are drawn, for a card without a sketch. `also` is found by what people type, but
    not shown.
    """

    content: Content
    theme: str
    title: str
    question: str
    sketch: Sketch | None
    about: str = ""
    kind: Literal["cells", "bars", "table"] = "cells"
    obstacle: str = ""
    remedy: Remedy = ""
    also: str = ""


def gallery_items(runs: RunsThere | None, language: str) -> list[GalleryItem]:
    """Return attention and all analyses of the catalogue, theme by theme.

    `runs`: None before there is one, where no obstacle is known.
    """
    theme, title = translated(catalogue.THEMES[0].title), content_title(SHOWS_ATTENTION)
    found = [_item(SHOWS_ATTENTION, theme, title, questions()[ATTENTION], language)]
    for theme_title, analyses in catalogue.by_theme():
        theme = translated(theme_title)
        for entry in analyses:
            item = _item(Content(entry.key), theme, translated(entry.title), question_of(entry), language)
            item = replace(item, about=about(entry), kind=kind_of_picture(entry.result))
            if (error := None if runs is None else obstacle(entry, runs)) is not None:
                # Where there is a remedy, its button is the hint.
                words = translated(error.message) if error.remedy else error_text(error)
                item = replace(item, obstacle=words, remedy=error.remedy)
            found.append(item)
    return found


def _item(content: Content, theme: str, title: str, asked: Words, language: str) -> GalleryItem:
    sketch, names = sketches().get(content.analysis), f"{asked.en} {asked.ko}"
    return GalleryItem(content, theme, title, asked.in_language(language), sketch, also=names)


def question_of(entry: Analysis[Any, Any]) -> Words:
    """Return the question that an analysis answers; its summary where it has none."""
    own = entry.question or entry.summary
    return questions().get(entry.key) or TypedText(str(own), translated(own))


def kind_of_picture(result: type[Result]) -> Literal["cells", "bars", "table"]:
    """Return how results of this class are drawn, in the three kinds that a card without a sketch shows."""
    if issubclass(result, HeadScalars | HeadMatrices | TokenMatrices | LayerRankings):
        return "cells"
    return "bars" if issubclass(result, TokenScalars) else "table"


def obstacle(analysis: Analysis[Any, Any], runs: RunsThere) -> AnalysisError | None:
    """Return the error that an analysis would end with, as far as that is known before it is computed."""
    if runs.trace.has_states and analysis.needs & OF_THE_MODEL and not runs.is_model_open:
        return lacks_model()
    refusal = analysis.refusal(runs.trace, runs.task_heads)
    if refusal is None and Needs.SECOND_RUN in analysis.needs and not runs.has_second:
        return lacks_second_run()
    return refusal


def remedy_words(remedy: Remedy) -> str:
    """Return the text of the button that makes an analysis possible, "" where there is none."""
    translate = QCoreApplication.translate
    return {
        "": "",
        "second run": translate("Gallery", "Compare with another sentence"),
        "task head": translate("Gallery", "Open a checkpoint with a masked-token head"),
        "checkpoint": translate("Gallery", "Choose another checkpoint"),
    }[remedy]
