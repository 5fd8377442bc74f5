"""The parts of a model that a tensor can be, by the names that the user gives them. Loads no torch."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bertviz_app.errors import CheckpointError, Message, shown

LAYER, HEAD = "{layer}", "{head}"
"""What stands for the number of a layer, or of a head, in a name."""

ROLES: Mapping[str, str] = MappingProxyType(
    {
        "token": "embeddings.token",
        "position": "embeddings.position",
        "segment": "embeddings.segment",
        "embedding_norm": "embeddings.norm",
        "query": "layers.{layer}.attention.query",
        "key": "layers.{layer}.attention.key",
        "value": "layers.{layer}.attention.value",
        "qkv": "layers.{layer}.attention.in_proj",
        "qkv_by_head": "layers.{layer}.attention.in_proj_by_head",
        "output": "layers.{layer}.attention.output",
        "attention_norm": "layers.{layer}.attention_norm",
        "expand": "layers.{layer}.feed_forward.expand",
        "gate": "layers.{layer}.feed_forward.gate",
        "contract": "layers.{layer}.feed_forward.contract",
        "feed_forward_norm": "layers.{layer}.feed_forward_norm",
        "last_norm": "final_norm",
        "pooler": "pooler.dense",
        "masked_dense": "masked.dense",
        "masked_norm": "masked.norm",
        "masked_decoder": "masked.decoder",
        "head": "",
        "unused": "",
    }
)
"""The parts of a model, and our name for each; a "head" is one of dense layers, "unused" is left out."""
OF_HEADS = ("masked_dense", "masked_norm", "masked_decoder", "head")
OF_EVERY_LAYER = frozenset(role for role, name in ROLES.items() if LAYER in name)


def validate_parts(parts: Mapping[str, str] | None) -> None:
    """Raise CheckpointError for a part that is none of ROLES; “.weight” or “.bias” may follow it."""
    for name, role in (parts or {}).items():
        if role.removesuffix(".weight").removesuffix(".bias") not in ROLES:
            message = Message("“{0}”, the part of {1}, is none that there is.", shown(role), shown(name))
            raise CheckpointError(message, Message("There are: {0}.", ", ".join(ROLES)))
