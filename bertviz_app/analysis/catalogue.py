"""The catalogue of analyses that window, API and command line share, by theme."""

from __future__ import annotations

from typing import Any, NamedTuple

from bertviz_app.analysis.combined.agreement import AGREEMENT
from bertviz_app.analysis.combined.head_ranking import HEAD_RANKING
from bertviz_app.analysis.entry import Analysis
from bertviz_app.analysis.probing.attribution.gradients import (
    CHEFER,
    GRADIENT_INPUT,
    INTEGRATED_GRADIENTS,
    SALIENCY,
)
from bertviz_app.analysis.probing.attribution.masking import OCCLUSION, SHAPLEY
from bertviz_app.analysis.probing.baselines import HEAD_BASELINES
from bertviz_app.analysis.probing.decomposition.chained import ALTI, GLOBENC
from bertviz_app.analysis.probing.decomposition.decompx import DECOMPX
from bertviz_app.analysis.probing.decomposition.direct_logits import DIRECT_LOGITS
from bertviz_app.analysis.probing.decomposition.expansion_rate import EXPANSION_RATE
from bertviz_app.analysis.probing.decomposition.norm_residual import MIXING_RATIO, NORM_ATTENTION_RESIDUAL
from bertviz_app.analysis.probing.decomposition.score_parts import SCORE_PARTS
from bertviz_app.analysis.probing.decomposition.similarity_heads import SIMILARITY_HEADS
from bertviz_app.analysis.probing.decomposition.similarity_pairs import SIMILARITY_PAIRS
from bertviz_app.analysis.probing.interventions.heads import HEAD_ABLATION, HEAD_IMPORTANCE
from bertviz_app.analysis.probing.interventions.patching import PATCHING
from bertviz_app.analysis.probing.interventions.value_zeroing import VALUE_ZEROING
from bertviz_app.analysis.probing.layer_details import LAYER_DETAILS
from bertviz_app.analysis.probing.logit_lens import LOGIT_LENS
from bertviz_app.analysis.probing.norm_attention import NORM_ATTENTION
from bertviz_app.analysis.probing.predictions import LOGITS, PREDICTIONS
from bertviz_app.analysis.probing.self_test import SELF_TEST
from bertviz_app.analysis.pure.divergence import DIVERGENCE
from bertviz_app.analysis.pure.flow import ATTENTION_FLOW
from bertviz_app.analysis.pure.head_distance import HEAD_DISTANCE
from bertviz_app.analysis.pure.head_measures import HEAD_MEASURES
from bertviz_app.analysis.pure.patterns import HEAD_PATTERNS, INTER_SENTENCE
from bertviz_app.analysis.pure.rollout import ATTENTION_ROLLOUT
from bertviz_app.analysis.pure.text_cosines import TEXT_COSINES
from bertviz_app.errors import AnalysisError, Message


class Theme(NamedTuple):
    """Analyses that answer one kind of question, and what it is called in menus."""

    title: Message
    analyses: tuple[Analysis[Any, Any], ...]


THEMES = (
    Theme(
        Message("Heads and their weights"),
        (
            HEAD_MEASURES,
            HEAD_BASELINES,
            HEAD_PATTERNS,
            INTER_SENTENCE,
            HEAD_DISTANCE,
            NORM_ATTENTION,
            SCORE_PARTS,
            EXPANSION_RATE,
        ),
    ),
    Theme(
        Message("From layer to layer"),
        (
            NORM_ATTENTION_RESIDUAL,
            MIXING_RATIO,
            ATTENTION_ROLLOUT,
            ATTENTION_FLOW,
            GLOBENC,
            ALTI,
            DECOMPX,
            VALUE_ZEROING,
            LAYER_DETAILS,
        ),
    ),
    Theme(
        Message("Which tokens an outcome depends on"),
        (SALIENCY, GRADIENT_INPUT, INTEGRATED_GRADIENTS, CHEFER, OCCLUSION, SHAPLEY, AGREEMENT),
    ),
    Theme(
        Message("What the model predicts"),
        (PREDICTIONS, LOGITS, LOGIT_LENS, DIRECT_LOGITS),
    ),
    Theme(
        Message("Heads replaced or switched off"),
        (HEAD_RANKING, HEAD_ABLATION, HEAD_IMPORTANCE),
    ),
    Theme(
        Message("Two runs compared"),
        (DIVERGENCE, SIMILARITY_PAIRS, SIMILARITY_HEADS, TEXT_COSINES, PATCHING),
    ),
    Theme(Message("Whether the numbers are right"), (SELF_TEST,)),
)
"""The analyses by theme, in the order in which they are listed."""

CATALOGUE = tuple(analysis for theme in THEMES for analysis in theme.analyses)
"""All analyses."""


def by_theme() -> list[tuple[Message | None, list[Analysis[Any, Any]]]]:
    """Return the analyses of the catalogue by the titles of their themes; None for those of no theme."""
    found: list[tuple[Message | None, list[Analysis[Any, Any]]]] = []
    for theme in THEMES:
        found.append((theme.title, [entry for entry in CATALOGUE if entry in theme.analyses]))
    themed = [entry for _, entries in found for entry in entries]
    return [*found, (None, [entry for entry in CATALOGUE if entry not in themed])]


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
        For a key that no analysis has.
    """
    for analysis in CATALOGUE:
        if analysis.key == key:
            return analysis
    keys = ", ".join(analysis.key for analysis in CATALOGUE)
    raise AnalysisError(Message("There is no analysis “{0}”.", key), Message("There are: {0}.", keys))
