"""Jina's encoders, whose config.json has the `model_type` of BERT (v2) or of XLM-RoBERTa (v3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from bertviz_app.checkpoint.families.family import Family, Fields, patterns, renames
from bertviz_app.checkpoint.families.stated import base_in, same_rotations
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.trace.form import Form

_GATES = MappingProxyType({"geglu": "gelu", "reglu": "relu"})
_NORMED_KEYS = "qk-post-norm"
"""In the name of the code of v2 for German, Spanish, Chinese and for programs."""


def v2_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return fields of EncoderConfig: scores fall linearly with the distance. Raises CheckpointError.

    The variant with norms of queries and keys has one more residual connection in a layer.
    """
    if _NORMED_KEYS in str(settings.get("auto_map", "")):
        raise CheckpointError(
            Message(
                "This checkpoint has norms of queries and keys (“{0}”), which are not computed.", _NORMED_KEYS
            ),
            Message("Open one without, such as {0}.", "jinaai/jina-embeddings-v2-base-en"),
        )
    fields: dict[str, object] = {"has_linear_biases": True, "has_position_table": False}
    kind = settings.get("feed_forward_type", "original")
    if kind == "original":
        return fields
    if not isinstance(kind, str) or kind not in _GATES:
        message = Message(
            "This checkpoint has {0} = “{1}”, which is not known.", "feed_forward_type", shown(str(kind))
        )
        raise CheckpointError(message, Message("Known are {0}.", ", ".join(("original", *_GATES))))
    stated = settings.get("hidden_act", _GATES[kind])
    if stated != _GATES[kind]:
        message = Message(
            "{0} and {1} in config.json contradict each other.", "feed_forward_type", "hidden_act"
        )
        raise CheckpointError(message, Message("Open one with {0} = {1}.", "hidden_act", _GATES[kind]))
    return fields | {"activation": _GATES[kind], "form": Form(is_gated=True, has_wide_biases=False)}


def v3_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return fields of EncoderConfig: queries and keys are rotated. Raises CheckpointError."""
    base = base_in(settings, "rotary_emb_base", 10_000.0)
    rotations = same_rotations(base, sizes["n_layers"])
    return rotations | {"has_position_table": False, "form": Form(is_rotary=True)}


OF_JINA: Mapping[tuple[object, str], Fields] = MappingProxyType(
    {("bert", "alibi"): v2_fields, ("xlm-roberta", "rotary"): v3_fields}
)
"""The fields that follow from `model_type` and `position_embedding_type`, in files of Jina's alone."""

_V2 = renames(
    (r"\.mlp\.gated_layers\.", ".feed_forward.wide."),  # the half that goes through the activation is first
    (r"\.mlp\.wo\.", ".feed_forward.contract."),
    (r"\.mlp\.layernorm\.", ".feed_forward_norm."),
)
V3 = renames(
    (r"\.parametrizations\.(weight|bias)\.original$", r".\1"),
    (r"^emb_ln\.", "embeddings.norm."),
    (r"^encoder\.layers\.", "layers."),
    (r"\.mixer\.Wqkv\.", ".attention.qkv."),
    (r"\.self_attn\.q_proj\.", ".attention.query."),
    (r"\.self_attn\.k_proj\.", ".attention.key."),
    (r"\.self_attn\.v_proj\.", ".attention.value."),
    (r"\.(mixer\.out_proj|self_attn\.o_proj)\.", ".attention.output."),
    (r"\.(norm1|post_attention_layernorm)\.", ".attention_norm."),
    (r"\.mlp\.fc1\.", ".feed_forward.expand."),
    (r"\.mlp\.fc2\.", ".feed_forward.contract."),
    (r"\.(norm2|post_mlp_layernorm)\.", ".feed_forward_norm."),
)
V3_SPLITS = MappingProxyType(
    {".attention.qkv.": (".attention.query.", ".attention.key.", ".attention.value.")}
)
ROTATIONS = patterns(r"(^|\.)rotary_emb\.(original_)?inv_freq$")


def with_names_of_v2(family: Family) -> Family:
    """Return the table of BERT with Jina's names for the feed-forward part."""
    splits = {".feed_forward.wide.": (".feed_forward.expand.", ".feed_forward.gate.")}
    ignored = (*family.ignored, *patterns(r"^encoder\.alibi$"))
    return replace(family, renames=(*_V2, *family.renames), splits=splits, ignored=ignored, is_exact=True)


def with_names_of_v3(family: Family, settings: Mapping[str, object]) -> Family:
    """Return the table of XLM-RoBERTa with the names of Jina's own code.

    Its adapters, one for each task, change nothing unless a task is named; that is what is computed.
    """
    tasks = settings.get("lora_adaptations")
    named = ", ".join(shown(str(task)) for task in tasks) if isinstance(tasks, list) else ""
    adapters = Message(
        "The base of this model is computed, as its own code does where no task is named. Its adapters are "
        "not added: {0}.",
        named,
    )
    ignored = (*family.ignored, *ROTATIONS, *patterns(r"\.parametrizations\.\w+\.0\.lora_[AB]$"))
    return replace(
        family,
        renames=(*V3, *family.renames),
        splits=V3_SPLITS,
        ignored=ignored,
        is_exact=True,
        remarks=(*family.remarks, *((adapters,) if named else ())),
    )
