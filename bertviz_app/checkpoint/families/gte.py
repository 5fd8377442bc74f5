"""GTE by the name of its own code (`new`, also Snowflake's Arctic) and by that of `transformers`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bertviz_app.checkpoint.families.bert import BERT
from bertviz_app.checkpoint.families.family import Family, Fields, patterns, renames
from bertviz_app.checkpoint.families.stated import (
    AGAIN,
    base_in,
    count_in,
    other_type,
    rotations_in,
    same_rotations,
)
from bertviz_app.errors import CheckpointError, Message
from bertviz_app.trace.form import Form

_LARGEST_FACTOR = 1000.0


def _fields(base_otherwise: float) -> Fields:
    """Return a function that returns fields of EncoderConfig; `base_otherwise`: of the rotations."""

    def fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
        n_segments = count_in(settings, "type_vocab_size", 1, first=0)
        head_width = sizes["width"] // sizes["n_heads"]
        return _rotations(settings, sizes["n_layers"], head_width, base_otherwise) | {
            "n_segments": n_segments
        }

    return fields


def _rotations(
    settings: Mapping[str, object], n_layers: int, head_width: int, otherwise: float
) -> dict[str, object]:
    """Return the rotations of an EncoderConfig. Raises CheckpointError for those of a type not computed.

    "ntk" multiplies the base by the factor k, and divides every frequency by k^(2 / E), so that the lowest
    one is divided by k and the highest hardly changes, whatever the length of the text (the authors' code;
    "mixed_b", another formula, is refused).
    """
    found = rotations_in(settings)
    kind = found.get("rope_type", found.get("type", "default"))
    base = base_in(found if "rope_theta" in found else settings, "rope_theta", otherwise)
    if kind == "default":
        return same_rotations(base, n_layers)
    if kind != "ntk" or found.get("mixed_b") is not None:
        raise other_type("ntk, mixed_b" if kind == "ntk" else kind)
    factor = found.get("factor")
    if isinstance(factor, bool) or not isinstance(factor, int | float) or not 1 <= factor <= _LARGEST_FACTOR:
        message = Message("The factor of the rotations in config.json, {0}, is no number from 1.", "factor")
        raise CheckpointError(message, AGAIN)
    return same_rotations(base * factor, n_layers) | {"rotary_factor": float(factor) ** (-2 / head_width)}


GTE = Family(
    model_type="gte",
    title="GTE",
    sizes={key: field for key, field in BERT.sizes.items() if field != "n_segments"},
    choices=BERT.choices,
    fixed={"is_decoder": False},
    fields=_fields(160_000.0),
    prefixes=("module.", "gte.", "new."),
    ignored=patterns(r"(^|\.)rotary_emb\.(original_)?inv_freq$", r"^embeddings\.(position|token_type)_ids$"),
    task_heads=patterns(r"^(lm_head|classifier|qa_outputs)\."),
    renames=renames(
        (r"^embeddings\.word_embeddings\.", "embeddings.token."),
        (r"^embeddings\.token_type_embeddings\.", "embeddings.segment."),
        (r"^embeddings\.LayerNorm\.", "embeddings.norm."),
        (r"^encoder\.layer\.", "layers."),
        (r"\.attention\.qkv_proj\.", ".attention.qkv."),
        (r"\.(attention|self_attn)\.q_proj\.", ".attention.query."),
        (r"\.(attention|self_attn)\.k_proj\.", ".attention.key."),
        (r"\.(attention|self_attn)\.v_proj\.", ".attention.value."),
        (r"\.(attention|self_attn)\.o_proj\.", ".attention.output."),
        (r"\.(attn_ln|post_attention_layernorm)\.", ".attention_norm."),
        (r"\.mlp\.up_gate_proj\.", ".feed_forward.wide."),
        (r"\.mlp\.gate_proj\.", ".feed_forward.expand."),  # the half that goes through the activation
        (r"\.mlp\.up_proj\.", ".feed_forward.gate."),
        (r"\.mlp\.down_proj\.", ".feed_forward.contract."),
        (r"\.(mlp_ln|post_mlp_layernorm)\.", ".feed_forward_norm."),
    ),
    splits={
        ".attention.qkv.": (".attention.query.", ".attention.key.", ".attention.value."),
        ".feed_forward.wide.": (".feed_forward.gate.", ".feed_forward.expand."),
    },
    head_renames=renames(
        (r"^lm_head\.dense\.", "masked.dense."),
        (r"^lm_head\.(norm|layer_norm)\.", "masked.norm."),
        (r"^lm_head\.(decoder\.|bias$)", r"masked.\1"),
        (r"^classifier\.(weight|bias)$", r"classifier.output.\1"),
    ),
    masked_activation="gelu",
    is_exact=True,
    defaults={
        "has_position_table": False,
        "form": Form(is_gated=True, is_rotary=True, has_wide_biases=False),
    },
    tells_texts_apart=False,
)

NEW = replace(
    GTE,
    model_type="new",
    fixed={
        **GTE.fixed,
        "position_embedding_type": "rope",
        "layer_norm_type": "layer_norm",
        "logn_attention_scale": False,
    },
    fields=_fields(10_000.0),
    masked_activation=None,
)
