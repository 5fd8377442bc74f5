"""The catalogue of analyses that window, API and command line share, by theme."""

from __future__ import annotations

from typing import Any, NamedTuple

from bertviz_app.analysis.combined import agreement, head_ranking
from bertviz_app.analysis.entry import Analysis
from bertviz_app.analysis.probing.attribution import (
    chefer,
    gradient_input,
    integrated_gradients,
    occlusion,
    saliency,
    shapley,
)
from bertviz_app.analysis.probing.baselines import head_baselines
from bertviz_app.analysis.probing.circuits.composition import composition
from bertviz_app.analysis.probing.circuits.matrices import circuit_measures
from bertviz_app.analysis.probing.circuits.paths import path_patching
from bertviz_app.analysis.probing.circuits.pieces import head_circuit
from bertviz_app.analysis.probing.counterfactuals import counterfactuals
from bertviz_app.analysis.probing.decomposition.blocks import (
    expansion_rate,
    mixing_ratio,
    norm_attention,
    norm_residual,
)
from bertviz_app.analysis.probing.decomposition.decompx import alti, decompx, globenc
from bertviz_app.analysis.probing.decomposition.score_parts import direct_logits, score_parts
from bertviz_app.analysis.probing.decomposition.similarity import similarity_heads, similarity_pairs
from bertviz_app.analysis.probing.interventions import head_ablation, head_importance, patching, value_zeroing
from bertviz_app.analysis.probing.lenses import tuned_lens
from bertviz_app.analysis.probing.passes import layer_stages
from bertviz_app.analysis.probing.predictions import logit_lens, self_test, task_logits, task_predictions
from bertviz_app.analysis.probing.relevance import attn_lrp
from bertviz_app.analysis.pure.heads import (
    attention_flow,
    divergence_of_runs,
    head_distance,
    head_patterns,
    inter_sentence,
    measures_of_heads,
    rollout,
    similarity_of_texts,
)
from bertviz_app.analysis.pure.query_key import query_key_map
from bertviz_app.analysis.pure.significance import head_significance
from bertviz_app.analysis.pure.words import word_cosines
from bertviz_app.errors import AnalysisError, Message


class AnalysisTheme(NamedTuple):
    """Analyses that answer one kind of question, and what it is called in menus."""

    title: Message
    analyses: tuple[Analysis[Any, Any], ...]


THEMES = (
    AnalysisTheme(
        Message("Heads and their weights"),
        (
            measures_of_heads,
            head_baselines,
            head_significance,
            head_patterns,
            inter_sentence,
            head_distance,
            norm_attention,
            query_key_map,
            score_parts,
            expansion_rate,
        ),
    ),
    AnalysisTheme(
        Message("From layer to layer"),
        (
            norm_residual,
            mixing_ratio,
            rollout,
            attention_flow,
            globenc,
            alti,
            decompx,
            value_zeroing,
            layer_stages,
        ),
    ),
    AnalysisTheme(
        Message("Which tokens an outcome depends on"),
        (
            saliency,
            gradient_input,
            integrated_gradients,
            chefer,
            attn_lrp,
            occlusion,
            shapley,
            counterfactuals,
            agreement,
        ),
    ),
    AnalysisTheme(
        Message("What the model predicts"),
        (task_predictions, task_logits, logit_lens, tuned_lens, direct_logits),
    ),
    AnalysisTheme(Message("Heads replaced or switched off"), (head_ranking, head_ablation, head_importance)),
    AnalysisTheme(Message("Circuits of heads"), (circuit_measures, head_circuit, composition, path_patching)),
    AnalysisTheme(
        Message("Two runs compared"),
        (word_cosines, divergence_of_runs, similarity_pairs, similarity_heads, similarity_of_texts, patching),
    ),
    AnalysisTheme(Message("Whether the numbers are right"), (self_test,)),
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
    """Return the analysis with a key, such as "head-measures". Raises AnalysisError for another key."""
    for analysis in CATALOGUE:
        if analysis.key == key:
            return analysis
    keys = ", ".join(analysis.key for analysis in CATALOGUE)
    raise AnalysisError(Message("There is no analysis “{0}”.", key), Message("There are: {0}.", keys))
