"""T5 and mT5: the encoders of models that also have a decoder, which is not read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bertviz_app.checkpoint.families.family import Family, Fields, patterns, renames
from bertviz_app.checkpoint.families.stated import count_in
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.text import sentence_pieces as layouts
from bertviz_app.trace.form import Form

LONGEST = 100_000
"""Tokens of an input where config.json names no length: distances stand in the scores, so any can be read."""


def _fields(otherwise: str) -> Fields:
    """Return a function that returns fields of EncoderConfig; `otherwise`: the usual feed-forward part."""

    def fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
        n_buckets = count_in(settings, "relative_attention_num_buckets", 32, first=4)
        activation, is_gated = _feed_forward(settings.get("feed_forward_proj", otherwise))
        return {
            "own_head_width": count_in(settings, "d_kv", 64),
            "n_positions": count_in(settings, "n_positions", LONGEST),
            "n_distance_buckets": n_buckets,
            "n_used_buckets": n_buckets,
            "farthest": count_in(settings, "relative_attention_max_distance", 128, first=n_buckets // 4 + 1),
            "activation": activation,
            "form": Form(
                is_pre_norm=True,
                has_final_norm=True,
                has_embedding_norm=False,
                has_biases=False,
                has_norm_biases=False,
                has_rms_norms=True,
                divides_scores=False,
                is_gated=is_gated,
            ),
        }

    return fields


def _feed_forward(named: object) -> tuple[str, bool]:
    """Return the activation of the feed-forward part called "relu" or "gated-gelu", and whether it is gated.

    "gated-gelu" is the approximation by tanh, as in the authors' code and in `transformers`.
    """
    name = str(named)
    activation = name.removeprefix("gated-")
    if not isinstance(named, str) or not activation or "-" in activation or not name.isprintable():
        message = Message("This checkpoint has feed_forward_proj = “{0}”, which is not known.", shown(name))
        raise CheckpointError(message, Message("Known are {0}.", "relu, gated-gelu, gated-silu"))
    return ("gelu_new" if name == "gated-gelu" else activation), name.startswith("gated-")


# Files of whole models have the table of tokens under two names, and a decoder; heads that read it stay out.
T5 = Family(
    model_type="t5",
    title="T5",
    sizes={
        "vocab_size": "vocabulary_size",
        "num_layers": "n_layers",
        "num_heads": "n_heads",
        "d_model": "width",
        "d_ff": "feed_forward_width",
    },
    choices={"layer_norm_epsilon": "norm_eps"},
    fixed={"is_decoder": False},
    fields=_fields("relu"),
    prefixes=("module.", "transformer."),
    ignored=patterns(r"^decoder\."),
    task_heads=patterns(r"^(lm_head|classification_head|classifier|qa_outputs)\."),
    renames=renames(
        (r"^(shared|encoder\.embed_tokens)\.", "embeddings.token."),
        (r"^encoder\.block\.0\.layer\.0\.SelfAttention\.relative_attention_bias\.", "relative.buckets."),
        (r"^encoder\.final_layer_norm\.", "final_norm."),
        (r"^encoder\.block\.(\d+)\.layer\.0\.layer_norm\.", r"layers.\1.attention_norm."),
        (r"^encoder\.block\.(\d+)\.layer\.1\.layer_norm\.", r"layers.\1.feed_forward_norm."),
        (r"^encoder\.block\.(\d+)\.layer\.\d\.", r"layers.\1."),
        (r"\.SelfAttention\.q\.", ".attention.query."),
        (r"\.SelfAttention\.k\.", ".attention.key."),
        (r"\.SelfAttention\.v\.", ".attention.value."),
        (r"\.SelfAttention\.o\.", ".attention.output."),
        (r"\.DenseReluDense\.(wi|wi_0)\.", ".feed_forward.expand."),
        (r"\.DenseReluDense\.wi_1\.", ".feed_forward.gate."),
        (r"\.DenseReluDense\.wo\.", ".feed_forward.contract."),
    ),
    answer_renames=(),  # these read the decoder
    defaults={"n_segments": 0, "norm_eps": 1e-6, "has_position_table": False},
    tells_texts_apart=False,
    narrows_layers=True,
    layout=layouts.T5,
    remarks=(Message("T5 has an encoder and a decoder: its encoder alone is computed and shown."),),
)

MT5 = replace(T5, model_type="mt5", title="mT5", fields=_fields("gated-gelu"))
