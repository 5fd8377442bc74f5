"""Families of BERT and RoBERTa whose norms precede the parts of a layer: there is one more after the last."""

from __future__ import annotations

from dataclasses import replace

from bertviz_app.checkpoint.families.bert import BERT
from bertviz_app.checkpoint.families.family import renames
from bertviz_app.checkpoint.families.roberta import ROBERTA, XLM_ROBERTA
from bertviz_app.trace.form import Form

_WITHOUT_EMBEDDING_NORM = Form(is_pre_norm=True, has_final_norm=True, has_embedding_norm=False)

ROBERTA_PRELAYERNORM = replace(
    ROBERTA,
    model_type="roberta-prelayernorm",
    title="RoBERTa-PreLayerNorm",
    prefixes=("module.", "roberta_prelayernorm."),
    renames=(
        *renames(
            (r"^LayerNorm\.", "final_norm."),
            (r"\.attention\.LayerNorm\.", ".attention_norm."),
            (r"\.intermediate\.LayerNorm\.", ".feed_forward_norm."),
        ),
        *ROBERTA.renames,
    ),
    defaults={**ROBERTA.defaults, "form": Form(is_pre_norm=True, has_final_norm=True)},
)

MEGATRON_BERT = replace(
    BERT,
    model_type="megatron-bert",
    title="Megatron-BERT",
    renames=(
        *renames(
            (r"^encoder\.ln\.", "final_norm."),
            (r"\.attention\.ln\.", ".attention_norm."),
            (r"^encoder\.layer\.(\d+)\.ln\.", r"layers.\1.feed_forward_norm."),
        ),
        *BERT.renames,
    ),
    defaults={"form": _WITHOUT_EMBEDDING_NORM},
)

XLM_ROBERTA_XL = replace(
    XLM_ROBERTA,
    model_type="xlm-roberta-xl",
    title="XLM-RoBERTa-XL",
    renames=(
        *renames(
            (r"^encoder\.LayerNorm\.", "final_norm."),
            (r"\.attention\.self_attn_layer_norm\.", ".attention_norm."),
            (r"^encoder\.layer\.(\d+)\.LayerNorm\.", r"layers.\1.feed_forward_norm."),
        ),
        *XLM_ROBERTA.renames,
    ),
    defaults={**XLM_ROBERTA.defaults, "form": _WITHOUT_EMBEDDING_NORM, "norm_eps": 1e-5},
)
