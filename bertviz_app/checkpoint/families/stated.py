"""Single settings of a config.json, validated: counts, and rotations in older and newer spelling."""

from __future__ import annotations

from collections.abc import Mapping

from bertviz_app.errors import CheckpointError, Message, shown

AGAIN = Message("Fetch config.json again; it comes with the checkpoint.")
_MOST = 1_000_000


def count_in(settings: Mapping[str, object], key: str, otherwise: int, *, first: int = 1) -> int:
    """Return the whole number at `key`, `first` or more; `otherwise` where there is none or null.

    Raises CheckpointError.
    """
    value = settings.get(key)
    if value is None:
        return otherwise
    if isinstance(value, bool) or not isinstance(value, int) or not first <= value <= _MOST:
        message = Message(
            "{0} in config.json must be a whole number from {1} to {2}.", key, first, f"{_MOST:,}"
        )
        raise CheckpointError(message, AGAIN)
    return value


def base_in(settings: Mapping[str, object], key: str, otherwise: float) -> float:
    """Return the base of the rotations at `key`. Raises CheckpointError."""
    base = settings.get(key, otherwise)
    if isinstance(base, bool) or not isinstance(base, int | float) or not 1 < base < 1e12:
        message = Message("The base of the rotations in config.json, {0}, is no number above 1.", key)
        raise CheckpointError(message, AGAIN)
    return float(base)


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
