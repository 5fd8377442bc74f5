"""Which view shows what, and the numbers that it shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from types import MappingProxyType

import numpy as np
from PySide6.QtCore import QCoreApplication

from bertviz_app.analysis.attention.stamp import WEIGHTS, Stamp
from bertviz_app.analysis.results import HeadScalars, Quantity, Result
from bertviz_app.trace.bias import GlobalAttention
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.export import (
    Fact,
    Numbers,
    PanelAsPython,
    head_numbers,
    named_numbers,
    parameters_as_python,
    result_as_python,
    steps_as_python,
    vectors_as_python,
    weights_as_python,
)
from bertviz_app.viewmodels.export import result_numbers as numbers_of_result
from bertviz_app.viewmodels.heads.pictures import HeadOfRun, HeadPicture
from bertviz_app.viewmodels.options import DrawOptions
from bertviz_app.viewmodels.panels import Content, Panel, PanelKind, analysis_of
from bertviz_app.viewmodels.parameters import numbers_of_parameters
from bertviz_app.viewmodels.results import Ready
from bertviz_app.viewmodels.wording import brief_remark, kind_words, stamp_remark, translated
from bertviz_app.views.analyses.grid import GridView, HeadMapView
from bertviz_app.views.analyses.sections import SectionsView
from bertviz_app.views.analyses.table import PiecesView, RankingView, TableView
from bertviz_app.views.analyses.tokens import BarsView
from bertviz_app.views.analyses.words import WordsView
from bertviz_app.views.attention.lines import LinesView
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.words import fixed, trimmed
from bertviz_app.views.parameters import ParametersView
from bertviz_app.views.steps.view import StepsView
from bertviz_app.views.vectors.view import VectorsView

ComputeNumbers = Callable[[], Numbers]
"""Computes the numbers; it may take long and is called on a worker."""

ShownNumbers = Callable[[Panel, PanelView, PanelTools], ComputeNumbers]
"""Takes what is on screen now and returns what computes its numbers. The view must show a head."""


def weights_numbers(panel: Panel, view: PanelView, tools: PanelTools) -> ComputeNumbers:
    """Return the attention weights of all heads that are drawn, or what an analysis has in their place."""
    if panel.content.analysis:
        front = _picture(view)
        states = [] if view.analysed is None else tools.analyses.pictures(panel, view.analysed)
        shown = tuple(state.value for state in states if isinstance(state, Ready))
        return lambda: head_numbers(panel, shown or (front,))
    drawn = [tools.pictures.get(panel.layer, head) for head in panel.shown_heads]
    pictures = tuple(picture for picture in drawn if picture is not None) or (_picture(view),)
    return lambda: head_numbers(panel, pictures)


def steps_numbers(panel: Panel, view: PanelView, tools: PanelTools) -> ComputeNumbers:
    """Return the vectors of one head, and every stage of its layer if that was computed."""
    head = view.shown_head
    assert head is not None
    details = tools.details.get(head.trace, panel.layer)
    return lambda: _numbers_of_steps(head, details)


def vectors_numbers(panel: Panel, view: PanelView, tools: PanelTools) -> ComputeNumbers:
    assert isinstance(view, VectorsView)
    found = view.numbers()
    return lambda: named_numbers({}, found)


def parameters_numbers(panel: Panel, view: PanelView, tools: PanelTools) -> ComputeNumbers:
    """Return the table of parameters, all numbers of one, or a row of it with its input and the products."""
    assert isinstance(view, ParametersView)
    return numbers_of_parameters(view.shown)


def result_numbers(panel: Panel, view: PanelView, tools: PanelTools) -> ComputeNumbers:
    analysed = view.analysed
    assert analysed is not None
    return lambda: numbers_of_result(analysed)


def _picture(view: PanelView) -> HeadPicture:
    assert view.picture is not None
    return view.picture


def _numbers_of_steps(shown: HeadOfRun, details: LayerDetails | None) -> Numbers:
    trace, layer, head = shown.trace, shown.layer, shown.head
    arrays = {
        "input": trace.hidden[layer],
        "queries": trace.queries[layer, head],
        "keys": trace.keys[layer, head],
        "values": trace.values[layer, head],
        "scores": trace.scores(layer, head, scaled=False),
        "weights": trace.attention(layer, head),
    }
    if isinstance(trace.bias, GlobalAttention):
        arrays["global_keys"] = trace.bias.keys[layer, head]
        arrays["global_values"] = trace.bias.values[layer, head]
    if details is not None:
        stages = {field.name: getattr(details, field.name) for field in fields(details)}
        arrays |= {name: stage for name, stage in stages.items() if isinstance(stage, np.ndarray)}
    facts: dict[str, Fact] = {"layer": layer, "head": head, **WEIGHTS.facts}
    return Numbers(facts, arrays, {"tokens": trace.tokens.pieces}, stamp=WEIGHTS)


@dataclass(frozen=True)
class PanelEntry:
    """How the view of one of `ALL_KINDS` is made, and what it shows as numbers and as lines of Python."""

    make: Callable[[PanelTools], PanelView]
    numbers: ShownNumbers
    python: PanelAsPython


def _lines(tools: PanelTools) -> PanelView:
    return LinesView(tools.look, tools.selection, tools.viewport, tools.options)


def _matrix(tools: PanelTools) -> PanelView:
    return MatrixView(tools.look, tools.selection, tools.viewport, tools.options)


def _steps(tools: PanelTools) -> PanelView:
    return StepsView(tools.look, tools.selection, tools.details)


PANEL_ENTRIES: MappingProxyType[str, PanelEntry] = MappingProxyType(
    {
        "lines": PanelEntry(_lines, weights_numbers, weights_as_python),
        "matrix": PanelEntry(_matrix, weights_numbers, weights_as_python),
        "steps": PanelEntry(_steps, steps_numbers, steps_as_python),
        "vectors": PanelEntry(VectorsView, vectors_numbers, vectors_as_python),
        "parameters": PanelEntry(ParametersView, parameters_numbers, parameters_as_python),
        "ranking": PanelEntry(RankingView, result_numbers, result_as_python),
        "grid": PanelEntry(GridView, result_numbers, result_as_python),
        "bars": PanelEntry(BarsView, result_numbers, result_as_python),
        "headmap": PanelEntry(HeadMapView, result_numbers, result_as_python),
        "words": PanelEntry(WordsView, result_numbers, result_as_python),
        "reasons": PanelEntry(SectionsView, result_numbers, result_as_python),
        "pieces": PanelEntry(PiecesView, result_numbers, result_as_python),
        "table": PanelEntry(TableView, result_numbers, result_as_python),
    }
)
"""By the key of the kind; `resources/docs/how-to/add_a_panel_view.md` says how to add one."""


def note_of(
    picture: HeadPicture,
    kind: PanelKind,
    options: DrawOptions,
    *,
    names_sample: bool = True,
    names_stamp: bool = True,
) -> str:
    """Return the note of a panel that draws `picture`, "" where everything is drawn as it is.

    `names_sample`: name a sample as one. `names_stamp`: name the numbers of attention that are drawn, and
    that special tokens are left out.
    """
    if not kind.has_options:
        return ""
    sample = sample_note(picture) if names_sample else ""
    notes = [
        *([sample] if sample else []),
        *(_kind(picture) if names_stamp else []),
        *_left_out(picture, names_special=names_stamp),
        *_drawn(picture, kind, options),
    ]
    return " · ".join(notes)


def brief_note_of(picture: HeadPicture, kind: PanelKind, options: DrawOptions) -> str:
    """Return the note of a panel in few words: first which numbers these are, and of which tokens."""
    if not kind.has_options:
        return ""
    numbers = brief_remark(Stamp(picture.source.kind, picture.options.special_tokens))
    parts = [numbers, *_left_out(picture, names_special=False, is_brief=True)]
    return " · ".join(part for part in [*parts, *_drawn(picture, kind, options)] if part)


def brief_note_of_steps(options: DrawOptions) -> str:
    return QCoreApplication.translate("Notes", "Weights of all tokens") if note_of_steps(options) else ""


def note_of_steps(options: DrawOptions) -> str:
    """Return the note of Steps, which always shows the attention weights of all tokens."""
    remark = stamp_remark(options.stamp)
    words = QCoreApplication.translate(
        "Notes", "Steps are of the attention weights of all tokens, whatever other views show: {0}."
    )
    return words.format(remark) if remark else ""


def note_of_analysis(content: Content, analysed: Analysed | None) -> str:
    """Return the note of a panel that shows an analysis: how exact it is, its bound, limits and paper.

    `analysed`: its result, None while it is not there. Of attention the note is "".
    """
    analysis = analysis_of(content)
    if analysis is None:
        return ""
    notes = [] if analysed is None else _exactness(analysed.result, content.part)
    return " · ".join([*notes, translated(analysis.limits), analysis.paper])


def _exactness(result: Result, part: str) -> list[str]:
    """Return how far the identity of a result is off, and the bound of its numbers; of several, of `part`."""
    translate, notes = QCoreApplication.translate, []
    if result.identity_error is not None:
        notes.append(translate("Notes", "identity holds to {0}").format(_brief(result.identity_error)))
    quantity: Quantity | None = getattr(result, "quantity", None)
    if isinstance(result, HeadScalars):
        quantities = {scalar.key: scalar.quantity for scalar in result.scalars}
        quantity = quantities.get(part, result.scalars[0].quantity)
    if quantity is None or quantity.lowest is None:
        return notes
    if quantity.highest is None:
        return [*notes, translate("Notes", "{0} or more").format(trimmed(quantity.lowest))]
    ends = (trimmed(end) for end in (quantity.lowest, quantity.highest))
    return [*notes, translate("Notes", "from {0} to {1}").format(*ends)]


def _brief(error: float) -> str:
    """Return one digit of how far something is off: "3e-06", or "0"."""
    return f"{error:.0e}" if error else "0"


def sample_note(picture: HeadPicture | None) -> str:
    """Return of how many queries a sample is, "" of all other pictures."""
    if picture is None or picture.n_sampled is None:
        return ""
    words = QCoreApplication.translate("Notes", "sample of {0} of {1} queries, the others follow")
    return words.format(f"{picture.n_sampled:,}", f"{len(picture.token_order.queries):,}")


def _kind(picture: HeadPicture) -> list[str]:
    return [] if picture.source.kind == "weight" else [kind_words(picture.source.kind)]


def _left_out(picture: HeadPicture, *, names_special: bool, is_brief: bool = False) -> list[str]:
    translate, options = QCoreApplication.translate, picture.options
    notes = []
    if options.sentences != "all" and picture.trace.tokens.pair is not None:
        notes.append(" → ".join({"a": "1", "b": "2"}[letter] for letter in options.sentences))
    if options.hides_special and names_special:
        notes.append(translate("Notes", "special tokens hidden"))
    if options.hides_punctuation:
        notes.append(translate("Notes", "punctuation hidden"))
    if picture.is_difference:
        return notes
    if options.joins_at_spaces:
        notes.append(translate("Notes", "joined between spaces"))
    elif options.joins_words:
        notes.append(translate("Notes", "pieces joined"))
    return [*notes, *_sums(picture, is_brief=is_brief)]


def _sums(picture: HeadPicture, *, is_brief: bool) -> list[str]:
    """Return what the rows add up to where some tokens are left out."""
    translate, options = QCoreApplication.translate, picture.options
    n_tokens_drawn = len(picture.token_order.keys.tokens)
    if n_tokens_drawn >= picture.token_order.n_tokens or not picture.is_of_weights:
        return []
    if picture.n_sampled is not None:  # the sums of the rows are not known yet
        return []
    if options.renormalises:
        is_named = is_brief and options.hides_special  # the brief note begins with "removed"
        return [] if is_named else [translate("Notes", "the rest of each row scaled to 1")]
    least, most = float(picture.row_sums.min()), float(picture.row_sums.max())
    ends = [fixed(end, 2) for end in (least, most)]
    words = "Σ {0}–{1}" if is_brief else translate("Notes", "rows add up to {0} to {1}")
    return [words.format(*ends)]


def _drawn(picture: HeadPicture, kind: PanelKind, options: DrawOptions) -> list[str]:
    translate = QCoreApplication.translate
    if kind.key == "lines":
        least = translate("Notes", "lines from {0:.3g} on").format(picture.threshold(options.threshold))
        return [least] if options.threshold else []
    scales = {"log": translate("Notes", "logarithmic"), "row": translate("Notes", "each row by its largest")}
    return [scales[picture.options.scale]] if picture.options.scale in scales else []
