"""MobileBERT: narrow layers between bottlenecks, each with several feed-forward parts (arXiv:2004.02984)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bertviz_app.checkpoint.families.bert import BERT
from bertviz_app.checkpoint.families.family import Family, patterns, renames
from bertviz_app.encoder.config import Bottleneck, EncoderConfig, TokenProjection
from bertviz_app.errors import CheckpointError, Message
from bertviz_app.trace.form import MOST_FEED_FORWARDS, Form

_AGAIN = Message("Fetch config.json again; it comes with the checkpoint.")
_WIDEST = 100_000


def mobile_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return what differs from BERT in an EncoderConfig. Raises CheckpointError."""
    bottleneck = _bottleneck(settings)
    width = sizes["width"] if bottleneck is None else bottleneck.width
    if width % sizes["n_heads"]:
        message = Message("A width of {0} cannot be shared by {1} heads.", width, sizes["n_heads"])
        raise CheckpointError(message, _AGAIN)
    tokens = TokenProjection(
        _count(settings, "embedding_size", 128, _WIDEST), has_neighbours=_claim(settings, "trigram_input")
    )
    is_projected = tokens.has_neighbours or tokens.width != sizes["width"]
    return {
        "token_projection": tokens if is_projected else None,
        "bottleneck": bottleneck,
        "form": Form(
            has_trigrams=tokens.has_neighbours,
            has_bottleneck=bottleneck is not None,
            attends_beside_bottleneck=bottleneck is not None and not bottleneck.is_shared,
            has_scaling_norms=True,
            n_feed_forwards=_count(settings, "num_feedforward_networks", 4, MOST_FEED_FORWARDS),
        ),
    }


def _bottleneck(settings: Mapping[str, object]) -> Bottleneck | None:
    if not _claim(settings, "use_bottleneck"):
        return None
    is_shared = _claim(settings, "use_bottleneck_attention", otherwise=False)
    if not is_shared and not _claim(settings, "key_query_shared_bottleneck"):
        message = Message(
            "In this checkpoint queries and keys are made without a bottleneck, which is not supported."
        )
        raise CheckpointError(
            message, Message("Open one with {0} = {1}.", "key_query_shared_bottleneck", "true")
        )
    return Bottleneck(_count(settings, "intra_bottleneck_size", 128, _WIDEST), is_shared=is_shared)


def without_unused_projections(
    family: Family, settings: Mapping[str, object], encoder: EncoderConfig
) -> Family:
    """Return the table of `family` without the projections that files have and the model does not use.

    Without `classifier_activation`, as in the published checkpoint, the [CLS] vector is not pooled.
    """
    kind, unused = encoder.bottleneck, []
    if not _claim(settings, "classifier_activation"):
        unused.append(r"^pooler\.")
    if encoder.token_projection is None:
        unused.append(r"^embeddings\.embedding_transformation\.")
    if kind is not None and kind.is_shared:
        unused.append(r"\.bottleneck\.attention\.")
    return replace(family, ignored=(*family.ignored, *patterns(*unused)))


def _claim(settings: Mapping[str, object], key: str, *, otherwise: bool = True) -> bool:
    value = settings.get(key, otherwise)
    if not isinstance(value, bool):
        raise CheckpointError(Message("{0} in config.json must be true or false.", key), _AGAIN)
    return value


def _count(settings: Mapping[str, object], key: str, otherwise: int, most: int) -> int:
    value = settings.get(key, otherwise)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise CheckpointError(
            Message("{0} in config.json must be a whole number from 1 to {1}.", key, f"{most:,}"), _AGAIN
        )
    return value


MOBILEBERT = replace(
    BERT,
    model_type="mobilebert",
    title="MobileBERT",
    fixed={**BERT.fixed, "normalization_type": "no_norm"},
    fields=mobile_fields,
    narrows_layers=True,
    fitted=without_unused_projections,
    defaults={"activation": "relu"},
    prefixes=("module.", "mobilebert."),
    renames=(
        *renames(
            (r"^embeddings\.embedding_transformation\.", "embeddings.token_projection.dense."),
            (r"\.bottleneck\.input\.LayerNorm\.", ".narrow.norm."),
            (r"\.bottleneck\.input\.", ".narrow."),
            (r"\.bottleneck\.attention\.LayerNorm\.", ".narrow_for_attention.norm."),
            (r"\.bottleneck\.attention\.", ".narrow_for_attention."),
            (r"\.ffn\.(\d+)\.intermediate\.dense\.", r".earlier.\1.feed_forward.expand."),
            (r"\.ffn\.(\d+)\.output\.dense\.", r".earlier.\1.feed_forward.contract."),
            (r"\.ffn\.(\d+)\.output\.LayerNorm\.", r".earlier.\1.norm."),
            (r"\.output\.bottleneck\.dense\.", ".widen."),
            (r"\.output\.bottleneck\.LayerNorm\.", ".output_norm."),
        ),
        *BERT.renames,
    ),
    head_renames=(
        *renames((r"^cls\.predictions\.dense\.", "masked.rest.")),
        *BERT.head_renames,
    ),
)
