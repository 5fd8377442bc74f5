"""NeoBERT: norms by the root mean square before the parts, rotated pairs of dimensions, SwiGLU."""

from __future__ import annotations

from collections.abc import Mapping

from bertviz_app.checkpoint.families.bare_head import bare_masked_head, named
from bertviz_app.checkpoint.families.family import Family, patterns, renames
from bertviz_app.checkpoint.families.stated import same_rotations
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.trace.form import Form

_BASE = 10_000.0
"""Of the rotations: fixed in the authors' code."""
_STEP = 8
"""The width of the feed-forward part is a multiple of it."""


def neobert_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return the rotations and the width of the feed-forward part of an EncoderConfig.

    Of intermediate_size two thirds are used, rounded up to a multiple of 8: with its gate the part has as
    many weights as one without. Raises CheckpointError.
    """
    width = sizes["width"] // sizes["n_heads"]
    if settings.get("dim_head") not in (None, width):
        raise CheckpointError(
            Message(
                "This checkpoint has heads of another width than {0}, which the encoder does not compute.",
                width,
            ),
            Message("Open one with {0} = {1}.", "dim_head", width),
        )
    activation = settings.get("hidden_act", "swiglu")
    if not isinstance(activation, str) or activation.lower() != "swiglu":
        message = Message(
            "This checkpoint has {0} = {1}, which the encoder does not compute.",
            "hidden_act",
            shown(str(activation)),
        )
        raise CheckpointError(message, Message("Open one with {0} = {1}.", "hidden_act", "swiglu"))
    two_thirds = int(2 * sizes["feed_forward_width"] / 3)
    return same_rotations(_BASE, sizes["n_layers"]) | {
        "feed_forward_width": -(-two_thirds // _STEP) * _STEP,
        "rotates_pairs": True,
        "rounds_angles": True,
    }


# Its config.json also has the settings of its training within `kwargs`, which are not those of the model.
NEOBERT = Family(
    model_type="neobert",
    title="NeoBERT",
    sizes={
        "vocab_size": "vocabulary_size",
        "max_length": "n_positions",
        "num_hidden_layers": "n_layers",
        "num_attention_heads": "n_heads",
        "hidden_size": "width",
        "intermediate_size": "feed_forward_width",
    },
    choices={"norm_eps": "norm_eps"},
    older={"max_length": "max_position_embeddings"},
    fixed={"rms_norm": True, "rope": True, "ngpt": False},
    fields=neobert_fields,
    prefixes=("module.", "model."),
    ignored=patterns(r"^freqs_cis$"),
    task_heads=patterns(r"^(decoder|dense|classifier)\."),
    renames=renames(
        (r"^encoder\.", "embeddings.token."),
        (r"^layer_norm\.", "final_norm."),
        (r"^transformer_encoder\.", "layers."),
        (r"\.qkv\.", ".attention.qkv."),
        (r"\.wo\.", ".attention.output."),
        (r"\.ffn_norm\.", ".feed_forward_norm."),
        (r"\.ffn\.w12\.", ".feed_forward.wide."),
        (r"\.ffn\.w1\.", ".feed_forward.expand."),
        (r"\.ffn\.w2\.", ".feed_forward.gate."),
        (r"\.ffn\.w3\.", ".feed_forward.contract."),
    ),
    splits={".feed_forward.wide.": (".feed_forward.expand.", ".feed_forward.gate.")},
    splits_by_head={".attention.qkv.": (".attention.query.", ".attention.key.", ".attention.value.")},
    stated_task_heads=bare_masked_head(has_bias=True),
    head_renames=named("decoder"),
    token_renames=(),  # its classifiers are built otherwise than those that are read
    is_exact=True,
    defaults={
        "n_segments": 0,
        "activation": "silu",
        "norm_eps": 1e-6,
        "has_position_table": False,
        "form": Form(
            is_pre_norm=True,
            has_final_norm=True,
            has_embedding_norm=False,
            has_biases=False,
            has_norm_biases=False,
            has_rms_norms=True,
            is_gated=True,
            is_rotary=True,
        ),
    },
    tells_texts_apart=False,
)
