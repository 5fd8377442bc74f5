"""Keys that only ModernBERT's config.json has: layer kinds, norm biases, task heads."""

from __future__ import annotations

from collections.abc import Mapping

from bertviz_app.checkpoint.families.layer_kinds import layer_kinds
from bertviz_app.encoder.config import TaskHeadsConfig
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.trace.form import Form

_AGAIN = Message("Fetch config.json again; it comes with the checkpoint.")
_LONGEST_NAME = 80
POOLINGS = ("cls", "mean")


def modern_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return `rotary_bases`, `reaches` and `form` of an EncoderConfig. Raises CheckpointError."""
    form = Form(
        is_pre_norm=True,
        is_first_without_norm=True,
        has_final_norm=True,
        has_biases=False,
        has_norm_biases=_flag(settings, "norm_bias", otherwise=False),
        is_gated=True,
        is_rotary=True,
    )
    return {**layer_kinds(settings, sizes["n_layers"]), "form": form}


def modern_heads(settings: Mapping[str, object]) -> TaskHeadsConfig:
    """Return how the task heads are built, without saying which exist. Raises CheckpointError.

    Each is a dense layer, an activation, a norm and one more dense layer.
    """
    activation = settings.get("classifier_activation", "gelu")
    if not isinstance(activation, str) or not activation.isprintable() or len(activation) > _LONGEST_NAME:
        raise CheckpointError(Message("classifier_activation in config.json must be a name."), _AGAIN)
    pooling = settings.get("classifier_pooling", "cls")
    if pooling not in POOLINGS:
        message = Message(
            "This checkpoint has classifier_pooling = “{0}”, which is not known.", shown(str(pooling))
        )
        raise CheckpointError(message, Message("Known are {0}.", " and ".join(POOLINGS)))
    return TaskHeadsConfig(
        masked_activation=activation,
        classifier_activation=activation,
        has_dense_bias=_flag(settings, "classifier_bias", otherwise=False),
        has_norm_bias=_flag(settings, "norm_bias", otherwise=False),
        has_decoder_bias=_flag(settings, "decoder_bias", otherwise=True),
        norms_classes=True,
        transforms_tokens=True,
        averages_tokens=pooling == "mean",
    )


def _flag(settings: Mapping[str, object], key: str, *, otherwise: bool) -> bool:
    value = settings.get(key, otherwise)
    if not isinstance(value, bool):
        raise CheckpointError(Message("{0} in config.json must be true or false.", key), _AGAIN)
    return value
