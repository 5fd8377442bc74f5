"""Counterfactuals over a file: words exchanged in all of its texts, or two texts a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bertviz_app.analysis.entry import Needs
from bertviz_app.analysis.parameters import Reporter
from bertviz_app.analysis.probing.counterfactuals import (
    OutcomeOfTexts,
    SwapParameters,
    TextOutcome,
    read_swaps,
    swap_effects,
)
from bertviz_app.analysis.results import SwapEffects
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.features.corpora.studies.study import Measured, Part, study

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess

_PAPER = "Kaushik et al. 2020, arXiv:1909.12434; Prabhakaran et al. 2019, arXiv:1910.04210"


def _part(changes: list[tuple[int, int, float, float]]) -> Part:
    columns = np.array(changes, np.float64).reshape(-1, 4)
    return Part(rows={"at": columns[:, :2].astype(np.int64), "ends": columns[:, 2:]})


def _changes(part: Part) -> list[tuple[int, int, float, float]]:
    if "at" not in part.rows:
        return []
    rows = zip(part.rows["at"].tolist(), part.rows["ends"].tolist(), strict=True)
    return [(number, line, before, after) for (number, line), (before, after) in rows]


def _finish_swaps(
    model: ModelAccess, part: Part, parameters: SwapParameters, reporter: Reporter
) -> SwapEffects:
    """Return the effects of the exchanges. Raises AnalysisError where no text has any of the words."""
    changes = _changes(part)
    if not changes:
        message = Message("None of these words can be exchanged in any text: {0}.", parameters.swaps)
        raise AnalysisError(message, Message("Give words that the texts have, one of a pair in a text."))
    return swap_effects([swap.name for swap in read_swaps(parameters.swaps)], changes, parameters.target)


@study(
    key="counterfactuals",
    title=Message("Words exchanged in all texts"),
    summary=Message(
        "By how much an outcome changes on average when a word is exchanged for its counterpart."
    ),
    limits=Message(
        "Texts that have both words of a pair are left out; words are exchanged as they are written, whether "
        "or not the new text is good grammar."
    ),
    paper=_PAPER,
    needs=Needs.MODEL,
    reads="texts",
    finish=_finish_swaps,
)
def swaps_in_texts(measured: Measured, parameters: SwapParameters, reporter: Reporter) -> Part:
    """Return what each exchange does to each text that allows it, see `counterfactuals`."""
    outcome, found = TextOutcome(measured.model, parameters), []
    for unit in measured.units:
        for number, swap in enumerate(read_swaps(parameters.swaps)):
            reporter.check()
            variants = swap.variants(unit.item.text)
            if variants is not None:
                tokens = [measured.model.checkpoint.tokens(text, unit.item.pair) for text in variants]
                found.append((number, unit.item.line, *outcome.of_pair(*tokens)))
    return _part(found)


def _finish_pairs(
    model: ModelAccess, part: Part, parameters: OutcomeOfTexts, reporter: Reporter
) -> SwapEffects:
    """Return the mean effect over all rows. Raises AnalysisError for a file without rows."""
    changes = _changes(part)
    if not changes:
        message = Message("No row of this file has two texts.")
        raise AnalysisError(message, Message("Give a file of rows with a text and its counterpart each."))
    return swap_effects(["first text → second text"], changes, parameters.target)


@study(
    key="counterfactual-pairs",
    title=Message("A text and its counterpart"),
    summary=Message("By how much an outcome changes on average from the first text of a row to the second."),
    limits=Message("What differs within the rows is for the file to say; the mean is over all of them."),
    paper=_PAPER,
    needs=Needs.MODEL,
    reads="pairs",
    finish=_finish_pairs,
)
def pairs_of_texts(measured: Measured, parameters: OutcomeOfTexts, reporter: Reporter) -> Part:
    """Return the outcome of both texts of each row; each text is read by itself, not as a pair."""
    outcome, found = TextOutcome(measured.model, parameters), []
    for unit in measured.units:
        reporter.check()
        if unit.item.pair is not None:
            tokens = [measured.model.checkpoint.tokens(text) for text in (unit.item.text, unit.item.pair)]
            found.append((0, unit.item.line, *outcome.of_pair(*tokens)))
    return _part(found)
