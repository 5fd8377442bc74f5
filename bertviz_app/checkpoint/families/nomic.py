"""Keys that only NomicBERT's config.json has: rotations and the activation of the gate."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bertviz_app.errors import CheckpointError, Message, shown

_AGAIN = Message("Fetch config.json again; it comes with the checkpoint.")
_GATED = MappingProxyType({"swiglu": "silu", "geglu": "gelu"})
_USUAL_BASE = 1000.0


def nomic_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return `rotary_bases`, `reaches`, `activation` and `n_positions` of an EncoderConfig.

    Rotations scaled for texts longer than in training are unscaled up to the training's length; the
    model reads texts of that length. Raises CheckpointError.
    """
    width = sizes["width"] // sizes["n_heads"]
    if settings.get("head_dim") not in (None, width):
        raise CheckpointError(
            Message(
                "This checkpoint has heads of another width than {0}, which the encoder does not compute.",
                width,
            ),
            Message("Open one with head_dim = {0}.", width),
        )
    rotations = settings.get("rope_parameters")
    stated = rotations if isinstance(rotations, dict) else {}
    return {
        "rotary_bases": (_base(settings, stated),) * sizes["n_layers"],
        "reaches": (None,) * sizes["n_layers"],
        "activation": _activation(settings),
        "n_positions": _n_positions(settings, stated, sizes["n_positions"]),
    }


def _base(settings: Mapping[str, object], stated: Mapping[str, object]) -> float:
    base = stated.get("rope_theta", settings.get("rotary_emb_base", _USUAL_BASE))
    if isinstance(base, bool) or not isinstance(base, int | float) or not 1 < base < 1e12:
        message = Message("The base of the rotations, rotary_emb_base in config.json, is no number above 1.")
        raise CheckpointError(message, _AGAIN)
    return float(base)


def _activation(settings: Mapping[str, object]) -> str:
    """Return the activation of the gated feed-forward part, by the name of the ungated one.

    Newer files call it hidden_act, which takes precedence.
    """
    named = settings.get("activation_function", "swiglu")
    if not isinstance(named, str) or named not in _GATED:
        message = Message(
            "This checkpoint has activation_function = “{0}”, which is not known.", shown(str(named))
        )
        raise CheckpointError(message, Message("Known are {0}.", " and ".join(_GATED)))
    return _GATED[named]


def _n_positions(settings: Mapping[str, object], stated: Mapping[str, object], most: int) -> int:
    """Return the length of the longest input whose rotations are unscaled."""
    kind = stated.get("rope_type", "default")
    if kind not in ("default", "dynamic"):
        message = Message(
            "This checkpoint has rotations of the type “{0}”, which the encoder does not compute.",
            shown(str(kind)),
        )
        raise CheckpointError(message, Message('Open one with "rope_type": "default".'))
    if settings.get("rotary_scaling_factor") is None and kind == "default":
        return most
    trained = settings.get("max_trained_positions", most)
    if isinstance(trained, bool) or not isinstance(trained, int) or trained < 1:
        raise CheckpointError(
            Message("max_trained_positions in config.json must be a whole number from 1."), _AGAIN
        )
    return min(most, trained)
