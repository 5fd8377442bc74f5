"""Rotations of queries and keys in config.json: their base, in the spelling of either age of its keys."""

from __future__ import annotations

from collections.abc import Mapping

from bertviz_app.checkpoint.families.stated import base_in
from bertviz_app.checkpoint.message_text import shown
from bertviz_app.errors import CheckpointError, Message


def unscaled_rotations(settings: Mapping[str, object], n_layers: int, otherwise: float) -> dict[str, object]:
    """Return `rotary_bases` and `reaches` of an EncoderConfig whose layers all have the same rotations.

    The base is in `rope_parameters`, or beside them in older files. Raises CheckpointError for rotations that
    are scaled, or of another type.
    """
    found = rotations_in(settings)
    kind = found.get("rope_type", found.get("type", "default"))
    if kind != "default":
        raise other_type(kind)
    base = base_in(found if "rope_theta" in found else settings, "rope_theta", otherwise)
    return same_rotations(base, n_layers)


def same_rotations(base: float, n_layers: int) -> dict[str, object]:
    """Return `rotary_bases` and `reaches` of an EncoderConfig whose layers all have this base."""
    return {"rotary_bases": (base,) * n_layers, "reaches": (None,) * n_layers}


def rotations_in(settings: Mapping[str, object]) -> Mapping[str, object]:
    """Return the object with the settings of the rotations, under its newer or its older name."""
    for key in ("rope_parameters", "rope_scaling"):
        if isinstance(found := settings.get(key), dict):
            return found
    return {}


def other_type(kind: object) -> CheckpointError:
    """Return the error for rotations of a type that is not computed."""
    message = Message(
        "This checkpoint has rotations of the type “{0}”, which the encoder does not compute.",
        shown(str(kind)),
    )
    return CheckpointError(message, Message('Open one with "rope_type": "default".'))
