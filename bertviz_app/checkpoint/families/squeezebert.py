"""SqueezeBERT: BERT, whose dense layers are in groups (Iandola et al. 2020, arXiv:2006.11316)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from bertviz_app.checkpoint.families.bert import BERT
from bertviz_app.checkpoint.families.family import Family, Grouped, renames
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.errors import CheckpointError, Message
from bertviz_app.trace.form import Form

_AGAIN = Message("Fetch config.json again; it comes with the checkpoint.")
_MOST_GROUPS = 64
"""The whole matrix takes as many times the memory of the file's; those of published files have 4."""
_LAYERS: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        "q_groups": ("attention.query", 4),
        "k_groups": ("attention.key", 4),
        "v_groups": ("attention.value", 4),
        "post_attention_groups": ("attention.output", 1),
        "intermediate_groups": ("feed_forward.expand", 4),
        "output_groups": ("feed_forward.contract", 4),
    }
)
"""Each key of config.json, the dense layer that it is about, and the number of groups without the key."""


def validate_embeddings(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return no fields. Raises CheckpointError for embeddings that are not as wide as the layers."""
    width = sizes["width"]
    if settings.get("embedding_size", width) == width:
        return {}
    raise CheckpointError(
        Message(
            "This checkpoint's embedding_size is not its hidden_size, which the encoder does not compute."
        ),
        Message("Open one with embedding_size = {0}.", width),
    )


def in_groups(family: Family, settings: Mapping[str, object], encoder: EncoderConfig) -> Family:
    """Return the table of `family` with the groups of its dense layers. Raises CheckpointError."""
    grouped = tuple(
        Grouped(re.compile(rf"\.{re.escape(layer)}\."), group_count(settings, key, otherwise, encoder))
        for key, (layer, otherwise) in _LAYERS.items()
    )
    return replace(family, grouped=grouped, remarks=(remark_on_groups(),))


def remark_on_groups() -> Message:
    """Return what is to be known of dense layers in groups."""
    return Message(
        "Its dense layers in groups are whole matrices here, with zeros between the groups, which count "
        "among the parameters."
    )


def group_count(settings: Mapping[str, object], key: str, otherwise: int, encoder: EncoderConfig) -> int:
    """Return the number of groups at `key`. Raises CheckpointError for one that the widths cannot have."""
    value = settings.get(key, otherwise)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST_GROUPS:
        raise CheckpointError(
            Message("{0} in config.json must be a whole number from 1 to {1}.", key, _MOST_GROUPS), _AGAIN
        )
    if encoder.width % value or encoder.feed_forward_width % value:
        message = Message("{0} in config.json is {1}, by which the widths cannot be divided.", key, value)
        raise CheckpointError(message, _AGAIN)
    return value


SQUEEZEBERT = replace(
    BERT,
    model_type="squeezebert",
    title="SqueezeBERT",
    choices={"hidden_act": "activation"},
    # The norms of its layers have this one whatever config.json says, those beside them what that says.
    fixed={**BERT.fixed, "position_embedding_type": "absolute", "layer_norm_eps": 1e-12},
    fields=validate_embeddings,
    fitted=in_groups,
    defaults={"form": Form(has_groups=True)},
    prefixes=("module.", "transformer."),
    renames=(
        *renames(
            (r"^encoder\.layers\.", "layers."),
            (r"\.post_attention\.conv1d\.", ".attention.output."),
            (r"\.post_attention\.layernorm\.", ".attention_norm."),
            (r"\.intermediate\.conv1d\.", ".feed_forward.expand."),
            (r"\.output\.conv1d\.", ".feed_forward.contract."),
            (r"\.output\.layernorm\.", ".feed_forward_norm."),
        ),
        *BERT.renames,
    ),
)
