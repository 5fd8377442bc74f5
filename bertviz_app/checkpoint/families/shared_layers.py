"""ALBERT's config.json: which of the stored layers computes each layer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bertviz_app.checkpoint.families.family import Family, renames
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.errors import CheckpointError, Message

_AGAIN = Message("Fetch config.json again; it comes with the checkpoint.")
_MOST_LAYERS = 1_000


def albert_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return `stored_layers` and `n_layers` of an EncoderConfig. Raises CheckpointError.

    The layers are computed in num_hidden_groups groups, each with weights of its own; a layer of a group is
    inner_group_num layers in a row, which count as layers here as they do in `transformers`.
    """
    n_layers = sizes["n_layers"]
    n_groups = _count(settings, "num_hidden_groups", n_layers)
    n_inner = _count(settings, "inner_group_num", _MOST_LAYERS // n_layers)
    groups = [int(layer / (n_layers / n_groups)) for layer in range(n_layers)]
    stored = tuple(group * n_inner + inner for group in groups for inner in range(n_inner))
    return {"stored_layers": stored, "n_layers": len(stored)}


def with_groups(family: Family, settings: Mapping[str, object], encoder: EncoderConfig) -> Family:
    """Return the table of `family` with the name of each stored layer."""
    n_inner = _count(settings, "inner_group_num", _MOST_LAYERS)
    stored = [divmod(number, n_inner) for number in range(encoder.n_stored_layers)]
    names = [
        (rf"^encoder\.albert_layer_groups\.{group}\.albert_layers\.{inner}\.", f"layers.{number}.")
        for number, (group, inner) in enumerate(stored)
    ]
    return replace(family, renames=(*renames(*names), *family.renames))


def _count(settings: Mapping[str, object], key: str, most: int) -> int:
    value = settings.get(key, 1)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= max(1, most):
        raise CheckpointError(
            Message("{0} in config.json must be a whole number from 1 to {1}.", key, f"{most:,}"), _AGAIN
        )
    return value
