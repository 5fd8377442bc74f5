"""What the room of methods brings: its entries of the catalogue of analyses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bertviz_app.shell.feature import Feature

if TYPE_CHECKING:
    from bertviz_app.analysis.entry import Analysis


def _analyses() -> Sequence[Analysis[Any, Any]]:
    from bertviz_app.features.methods import attribution, combined, cosines, flow, interventions
    from bertviz_app.features.methods.circuits.composition import composition
    from bertviz_app.features.methods.circuits.matrices import circuit_measures
    from bertviz_app.features.methods.circuits.paths import path_patching
    from bertviz_app.features.methods.circuits.pieces import head_circuit
    from bertviz_app.features.methods.decomposition.decompx import alti, decompx, globenc
    from bertviz_app.features.methods.decomposition.score_parts import direct_logits, score_parts
    from bertviz_app.features.methods.decomposition.similarity import similarity_heads, similarity_pairs
    from bertviz_app.features.methods.decomposition.stream import expansion_rate, mixing_ratio
    from bertviz_app.features.methods.query_key import query_key_map
    from bertviz_app.features.methods.relevance import attn_lrp
    from bertviz_app.features.methods.significance import head_significance

    return (
        *(attribution.saliency, attribution.gradient_input, attribution.integrated_gradients),
        *(attribution.chefer, attribution.occlusion, attribution.shapley, attn_lrp),
        *(composition, circuit_measures, path_patching, head_circuit),
        *(alti, decompx, globenc, direct_logits, score_parts, similarity_heads, similarity_pairs),
        *(expansion_rate, mixing_ratio, query_key_map, head_significance, flow.rollout, flow.attention_flow),
        *(combined.agreement, combined.head_ranking, cosines.word_cosines, cosines.similarity_of_texts),
        *(interventions.patching, interventions.value_zeroing),
    )


METHODS = Feature(analyses=_analyses)
