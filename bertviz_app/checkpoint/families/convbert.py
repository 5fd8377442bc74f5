"""ConvBERT: BERT, half of whose heads are convolutions with kernels of their own (arXiv:2008.02496)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bertviz_app.checkpoint.families.bert import BERT
from bertviz_app.checkpoint.families.family import Family, Grouped, patterns, renames
from bertviz_app.checkpoint.families.squeezebert import group_count, remark_on_groups
from bertviz_app.encoder.config import EncoderConfig, SpanConvolution, TaskHeadsConfig
from bertviz_app.errors import CheckpointError, Message
from bertviz_app.trace.form import Form

_AGAIN = Message("Fetch config.json again; it comes with the checkpoint.")
_LARGEST_KERNEL = 1_000
_MOST = 1_000


def convbert_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return number and width of heads, and the convolution, of an EncoderConfig. Raises CheckpointError.

    Of num_attention_heads one in head_ratio is left; there are as many convolutions beside them, and each of
    both has its share of the width.
    """
    ratio, size = (
        _count(settings, "head_ratio", 2, _MOST),
        _count(settings, "conv_kernel_size", 9, _LARGEST_KERNEL),
    )
    n_heads, width = max(1, sizes["n_heads"] // ratio), sizes["width"]
    if size % 2 == 0:
        message = Message("{0} in config.json must be an odd number.", "conv_kernel_size")
        raise CheckpointError(message, _AGAIN)
    if width % (2 * n_heads):
        message = Message(
            "A width of {0} cannot be shared by {1} heads and as many convolutions.", width, n_heads
        )
        raise CheckpointError(message, _AGAIN)
    return {
        "n_heads": n_heads,
        "own_head_width": width // n_heads // 2,
        "span_convolution": SpanConvolution(size),
        "form": Form(has_span_convolution=True),
    }


def _count(settings: Mapping[str, object], key: str, otherwise: int, most: int) -> int:
    value = settings.get(key, otherwise)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise CheckpointError(
            Message("{0} in config.json must be a whole number from 1 to {1}.", key, f"{most:,}"), _AGAIN
        )
    return value


def in_groups(family: Family, settings: Mapping[str, object], encoder: EncoderConfig) -> Family:
    """Return the table of `family` with the groups of its feed-forward parts, and a remark on its heads."""
    remark = Message(
        "Each layer has {0} heads and as many convolutions beside them, whose results are in Steps.",
        encoder.n_heads,
    )
    n_groups = group_count(settings, "num_groups", 1, encoder)
    if n_groups == 1:
        return replace(family, remarks=(remark,))
    pattern = patterns(r"\.feed_forward\.(expand|contract)\.")[0]
    grouped = (Grouped(pattern, n_groups, is_by_group=True),)
    return replace(family, grouped=grouped, remarks=(remark, remark_on_groups()))


def convbert_heads(settings: Mapping[str, object]) -> TaskHeadsConfig:
    """Return how the task heads are built: the classifier has the activation of the layers."""
    return TaskHeadsConfig(
        masked_activation="gelu", classifier_activation=str(settings.get("hidden_act", "gelu"))
    )


CONVBERT = replace(
    BERT,
    model_type="convbert",
    title="ConvBERT",
    sizes={**BERT.sizes, "embedding_size": "embedding_width"},
    fixed={**BERT.fixed, "position_embedding_type": "absolute"},
    fields=convbert_fields,
    fitted=in_groups,
    stated_task_heads=convbert_heads,
    narrows_layers=True,
    always_projects=False,
    prefixes=("module.", "convbert."),
    task_heads=patterns(r"^(generator_\w+|classifier|qa_outputs)\."),
    flattened=patterns(r"\.attention\.beside\.key_pointwise\."),
    renames=(
        *renames(
            (r"^embeddings_project\.", "embeddings.projection."),
            (r"\.attention\.self\.key_conv_attn_layer\.depthwise\.", ".attention.beside.key_depthwise."),
            (r"\.attention\.self\.key_conv_attn_layer\.pointwise\.", ".attention.beside.key_pointwise."),
            (r"\.attention\.self\.key_conv_attn_layer\.bias$", ".attention.beside.key_pointwise.bias"),
            (r"\.attention\.self\.conv_kernel_layer\.", ".attention.beside.kernel."),
            (r"\.attention\.self\.conv_out_layer\.", ".attention.beside.source."),
        ),
        *BERT.renames,
    ),
    head_renames=renames(
        (r"^generator_predictions\.dense\.", "masked.dense."),
        (r"^generator_predictions\.LayerNorm\.", "masked.norm."),
        (r"^generator_lm_head\.", "masked.decoder."),
        (r"^classifier\.dense\.", "classifier.dense."),
        (r"^classifier\.out_proj\.", "classifier.output."),
    ),
)
