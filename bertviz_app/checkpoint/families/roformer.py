"""RoFormer: BERT with rotated queries and keys instead of position embeddings (arXiv:2104.09864)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from bertviz_app.checkpoint.families.bert import BERT
from bertviz_app.checkpoint.families.family import renames
from bertviz_app.encoder.config import TaskHeadsConfig
from bertviz_app.trace.form import Form

ROTARY_BASE = 10_000.0


def roformer_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return `rotary_bases` and `reaches` of an EncoderConfig."""
    n_layers = sizes["n_layers"]
    return {"rotary_bases": (ROTARY_BASE,) * n_layers, "reaches": (None,) * n_layers}


def roformer_heads(settings: Mapping[str, object]) -> TaskHeadsConfig:
    """Return how the task heads are built: all have the activation of the layers."""
    activation = str(settings.get("hidden_act", "gelu"))
    return TaskHeadsConfig(masked_activation=activation, classifier_activation=activation)


ROFORMER = replace(
    BERT,
    model_type="roformer",
    title="RoFormer",
    sizes={**BERT.sizes, "embedding_size": "embedding_width"},
    fixed={**BERT.fixed, "position_embedding_type": "absolute", "rotary_value": False},
    fields=roformer_fields,
    fitted=None,
    stated_task_heads=roformer_heads,
    prefixes=("module.", "roformer."),
    rotation_table=re.compile(r"^encoder\.embed_positions\."),
    renames=(*renames((r"^embeddings_project\.", "embeddings.projection.")), *BERT.renames),
    head_renames=(
        *BERT.head_renames,
        *renames(
            (r"^classifier\.dense\.", "classifier.dense."), (r"^classifier\.out_proj\.", "classifier.output.")
        ),
    ),
    always_projects=False,
    defaults={"has_position_table": False, "rotates_pairs": True, "form": Form(is_rotary=True)},
)
