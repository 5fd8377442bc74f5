"""EuroBERT: several queries share their keys and values, rotated; norms by the root mean square."""

from __future__ import annotations

from collections.abc import Mapping

from bertviz_app.checkpoint.families.bare_head import bare_masked_head, named
from bertviz_app.checkpoint.families.bert import BERT
from bertviz_app.checkpoint.families.family import Family, patterns, renames
from bertviz_app.checkpoint.families.stated import AGAIN, count_in, unscaled_rotations
from bertviz_app.errors import CheckpointError, Message
from bertviz_app.trace.form import Form


def eurobert_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return the heads, rotations and form of an EncoderConfig. Raises CheckpointError."""
    n_heads = sizes["n_heads"]
    n_key_heads = count_in(settings, "num_key_value_heads", n_heads)
    if n_heads % n_key_heads:
        message = Message(
            "{0} queries cannot share {1} keys evenly: {2} in config.json is wrong.",
            n_heads,
            n_key_heads,
            "num_key_value_heads",
        )
        raise CheckpointError(message, AGAIN)
    is_grouped = n_key_heads < n_heads
    head_width = count_in(settings, "head_dim", sizes["width"] // n_heads)
    return {
        **unscaled_rotations(settings, sizes["n_layers"], 10_000.0),
        "n_key_heads": n_key_heads if is_grouped else None,
        "own_head_width": None if head_width * n_heads == sizes["width"] else head_width,
        "form": Form(
            is_pre_norm=True,
            has_final_norm=True,
            has_embedding_norm=False,
            has_biases=False,
            has_norm_biases=False,
            has_rms_norms=True,
            is_gated=True,
            is_rotary=True,
            groups_queries=is_grouped,
        ),
    }


EUROBERT = Family(
    model_type="eurobert",
    title="EuroBERT",
    sizes={key: field for key, field in BERT.sizes.items() if field != "n_segments"},
    choices={"hidden_act": "activation", "rms_norm_eps": "norm_eps"},
    fixed={"attention_bias": False, "mlp_bias": False, "is_decoder": False},
    fields=eurobert_fields,
    prefixes=("module.", "model."),
    ignored=patterns(r"(^|\.)rotary_emb\.(original_)?inv_freq$"),
    task_heads=patterns(r"^(lm_head|dense|classifier|score)\."),
    renames=renames(
        (r"^embed_tokens\.", "embeddings.token."),
        (r"^norm\.", "final_norm."),
        (r"\.self_attn\.q_proj\.", ".attention.query."),
        (r"\.self_attn\.k_proj\.", ".attention.key."),
        (r"\.self_attn\.v_proj\.", ".attention.value."),
        (r"\.self_attn\.o_proj\.", ".attention.output."),
        (r"\.input_layernorm\.", ".attention_norm."),
        (r"\.post_attention_layernorm\.", ".feed_forward_norm."),
        (r"\.mlp\.gate_proj\.", ".feed_forward.expand."),  # the half that goes through the activation
        (r"\.mlp\.up_proj\.", ".feed_forward.gate."),
        (r"\.mlp\.down_proj\.", ".feed_forward.contract."),
    ),
    stated_task_heads=bare_masked_head(has_bias=False),
    head_renames=named("lm_head"),
    token_renames=(),  # its classifiers are built otherwise than those that are read
    defaults={"n_segments": 0, "activation": "silu", "norm_eps": 1e-5, "has_position_table": False},
    tells_texts_apart=False,
    narrows_layers=True,
)
