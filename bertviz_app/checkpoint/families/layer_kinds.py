"""The kind of each layer of ModernBERT: its attention window and its rotary base."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bertviz_app.errors import CheckpointError, Message, shown

_AGAIN = Message("Fetch config.json again; it comes with the checkpoint.")
GLOBAL, LOCAL = "full_attention", "sliding_attention"
_OLD_BASES = MappingProxyType({GLOBAL: "global_rope_theta", LOCAL: "local_rope_theta"})
_BASES = MappingProxyType({GLOBAL: 160_000.0, LOCAL: 10_000.0})
_LONGEST = 1_000_000


def layer_kinds(settings: Mapping[str, object], n_layers: int) -> dict[str, object]:
    """Return `rotary_bases` and `reaches` of an EncoderConfig, one value per layer.

    Files have a list of the layers' kinds and an object with each kind's rotation, or older keys from
    which these follow. Raises CheckpointError for what is neither, and for rotations of another type.
    """
    kinds = _kinds(settings, n_layers)
    bases = {kind: _base(settings, kind) for kind in (GLOBAL, LOCAL)}
    window = _count(settings, "local_attention", 128)
    return {
        "rotary_bases": tuple(bases[kind] for kind in kinds),
        "reaches": tuple(window // 2 if kind == LOCAL else None for kind in kinds),
    }


def _kinds(settings: Mapping[str, object], n_layers: int) -> list[str]:
    kinds = settings.get("layer_types")
    if kinds is None:
        every = _count(settings, "global_attn_every_n_layers", 3)
        return [LOCAL if layer % every else GLOBAL for layer in range(n_layers)]
    if not isinstance(kinds, list) or len(kinds) != n_layers:
        message = Message("layer_types in config.json must be a list of {0} names, one a layer.", n_layers)
        raise CheckpointError(message, _AGAIN)
    unknown = [kind for kind in kinds if kind not in (GLOBAL, LOCAL)]
    if unknown:
        message = Message(
            "This checkpoint has a layer of the type “{0}”, which is not known.", shown(str(unknown[0]))
        )
        raise CheckpointError(message, Message("Known are {0} and {1}.", GLOBAL, LOCAL))
    return kinds


def _base(settings: Mapping[str, object], kind: str) -> float:
    """Return the rotary base of layers of `kind`, called theta in the file."""
    if settings.get("rope_scaling") is not None:
        raise CheckpointError(
            Message("This checkpoint has rope_scaling, which the encoder does not compute."),
            Message("Open one whose rotations are not scaled."),
        )
    rotations = settings.get("rope_parameters")
    of_kind = rotations.get(kind) if isinstance(rotations, dict) else None
    given = of_kind if isinstance(of_kind, dict) else {}
    if given.get("rope_type", "default") != "default":
        message = Message(
            "This checkpoint has rotations of the type “{0}”, which the encoder does not compute.",
            shown(str(given["rope_type"])),
        )
        raise CheckpointError(message, Message('Open one with "rope_type": "default".'))
    base = given.get("rope_theta", settings.get(_OLD_BASES[kind], _BASES[kind]))
    if isinstance(base, bool) or not isinstance(base, int | float) or not 1 < base < 1e12:
        message = Message(
            "The base of the rotations in config.json, {0}, is no number above 1.", _OLD_BASES[kind]
        )
        raise CheckpointError(message, _AGAIN)
    return float(base)


def _count(settings: Mapping[str, object], key: str, otherwise: int) -> int:
    value = settings.get(key, otherwise)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _LONGEST:
        raise CheckpointError(
            Message("{0} in config.json must be a whole number from 1 to {1}.", key, f"{_LONGEST:,}"), _AGAIN
        )
    return value
