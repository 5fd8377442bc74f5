"""Single settings of a config.json, validated: counts and bases of rotations."""

from __future__ import annotations

from collections.abc import Mapping

from bertviz_app.errors import CheckpointError, Message

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
