"""The catalogue of analyses that window, API and command line share: one line for each."""

from __future__ import annotations

from typing import Any

from bertviz_app.analysis.entry import Analysis
from bertviz_app.analysis.measures import HEAD_MEASURES
from bertviz_app.analysis.probing.layer_details import LAYER_DETAILS
from bertviz_app.analysis.probing.norm_attention import NORM_ATTENTION
from bertviz_app.analysis.probing.predictions import LOGITS, PREDICTIONS
from bertviz_app.analysis.pure.divergence import DIVERGENCE
from bertviz_app.analysis.pure.rollout import ATTENTION_ROLLOUT
from bertviz_app.analysis.pure.text_cosines import TEXT_COSINES
from bertviz_app.errors import AnalysisError, Message

CATALOGUE: tuple[Analysis[Any, Any], ...] = (
    HEAD_MEASURES,
    DIVERGENCE,
    LAYER_DETAILS,
    PREDICTIONS,
    LOGITS,
    ATTENTION_ROLLOUT,
    NORM_ATTENTION,
    TEXT_COSINES,
)
"""All analyses, in the order in which they are listed."""


def find_analysis(key: str) -> Analysis[Any, Any]:
    """Return the analysis with a key.

    Parameters
    ----------
    key : str
        Such as "head-measures".

    Returns
    -------
    Analysis

    Raises
    ------
    AnalysisError
        For a key that there is not.
    """
    for analysis in CATALOGUE:
        if analysis.key == key:
            return analysis
    keys = ", ".join(analysis.key for analysis in CATALOGUE)
    raise AnalysisError(Message("There is no analysis “{0}”.", key), Message("There are: {0}.", keys))
