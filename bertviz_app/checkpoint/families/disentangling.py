"""DeBERTa's config.json: relative positions in the attention, and which parts are embedded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bertviz_app.checkpoint.families.family import Family, patterns
from bertviz_app.encoder.config import Convolution, Disentangling, EncoderConfig, TaskHeadsConfig
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.trace.form import Form

_AGAIN = Message("Fetch config.json again; it comes with the checkpoint.")
_CONVOLVING = Form(has_convolution=True)
_LARGEST = 1_000_000
_LARGEST_KERNEL = 1_000
_LONGEST_NAME = 80
_MOST_SEGMENTS = 10_000
_TO_POSITION, _TO_CONTENT = "c2p", "p2c"


def disentangling(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return the fields of an EncoderConfig about positions, for a file with these `sizes`.

    What the file leaves out is as `transformers` has it. Raises CheckpointError for what makes no sense,
    and for what the encoder does not compute.
    """
    width = sizes["width"]
    if settings.get("embedding_size", width) != width:
        raise CheckpointError(
            Message(
                "This checkpoint's embedding_size is not its hidden_size, which the encoder does not compute."
            ),
            Message("Open one with embedding_size = {0}.", width),
        )
    fields: dict[str, object] = {
        "n_segments": max(0, _number(settings, "type_vocab_size", 0, _MOST_SEGMENTS)),
        "has_position_table": _claim(settings, "position_biased_input", otherwise=True),
    }
    names = _parts(settings)
    fields |= {"disentangling": _kind(settings, sizes, names)} if names else {}
    convolution = _convolution(settings, width)
    return fields | ({} if convolution is None else {"convolution": convolution, "form": _CONVOLVING})


def disentangling_v1(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return those of version 1: no buckets, no convolution; distances have dense layers of their own."""
    fixed = {"position_buckets": -1, "share_att_key": False, "norm_rel_ebd": "none", "conv_kernel_size": 0}
    return disentangling({**settings, **fixed}, sizes)


def _convolution(settings: Mapping[str, object], width: int) -> Convolution | None:
    size = _number(settings, "conv_kernel_size", 0, _LARGEST_KERNEL)
    if size < 1:
        return None
    n_groups = _number(settings, "conv_groups", 1, width)
    if size % 2 == 0 or n_groups < 1 or width % n_groups:
        message = Message(
            "A convolution of conv_kernel_size {0} and conv_groups {1} cannot be computed.", size, n_groups
        )
        raise CheckpointError(message, _AGAIN)
    return Convolution(size, n_groups, _name(settings, "conv_act", "tanh"))


def without_unused_distances(
    family: Family, settings: Mapping[str, object], encoder: EncoderConfig
) -> Family:
    """Return the table of `family`: its table of distances is stored even where no score uses it."""
    if encoder.disentangling is not None:
        return family
    return replace(family, ignored=(*family.ignored, *patterns(r"^encoder\.(rel_embeddings|LayerNorm)\.")))


def disentangled_heads(settings: Mapping[str, object]) -> TaskHeadsConfig:
    """Return how the task heads are built, without saying which exist. Raises CheckpointError.

    The classifier has a dense layer of its own on top of [CLS].
    """
    return TaskHeadsConfig(
        masked_activation=_name(settings, "hidden_act"),
        classifier_activation=_name(settings, "pooler_hidden_act"),
    )


def _name(settings: Mapping[str, object], key: str, otherwise: str = "gelu") -> str:
    name = settings.get(key, otherwise)
    if not isinstance(name, str) or not name.isprintable() or len(name) > _LONGEST_NAME:
        raise CheckpointError(Message("{0} in config.json must be a name.", key), _AGAIN)
    return name


def _parts(settings: Mapping[str, object]) -> list[str]:
    """Return which positional terms the scores have besides the product of query and key."""
    names = _names(settings, "pos_att_type")
    unknown = [name for name in names if name not in (_TO_POSITION, _TO_CONTENT)]
    if unknown:
        message = Message(
            "This checkpoint has the pos_att_type “{0}”, which is not known.", shown(unknown[0])
        )
        raise CheckpointError(message, Message("Known are {0} and {1}.", _TO_POSITION, _TO_CONTENT))
    if names and not _claim(settings, "relative_attention", otherwise=False):
        # transformers would divide the scores as if they had these terms.
        raise CheckpointError(
            Message("This checkpoint has a pos_att_type without relative_attention, which is not supported."),
            Message("Open one with relative_attention = true."),
        )
    return names


def _kind(settings: Mapping[str, object], sizes: Mapping[str, int], names: list[str]) -> Disentangling:
    farthest = _number(settings, "max_relative_positions", -1, _LARGEST)
    farthest = farthest if farthest > 0 else sizes["n_positions"]
    n_buckets = _number(settings, "position_buckets", -1, _LARGEST)
    # Half of the buckets hold one distance each; the logarithmic ones begin there and need room.
    if n_buckets == 1 or (n_buckets > 1 and farthest - 1 <= n_buckets // 2):
        message = Message(
            "position_buckets in config.json is {0}, which does not fit {1} distances.", n_buckets, farthest
        )
        raise CheckpointError(message, _AGAIN)
    return Disentangling(
        span=n_buckets if n_buckets > 0 else farthest,
        farthest=farthest if n_buckets > 0 else None,
        to_position=_TO_POSITION in names,
        to_content=_TO_CONTENT in names,
        shares_projections=_claim(settings, "share_att_key", otherwise=False),
        has_norm="layer_norm" in _names(settings, "norm_rel_ebd"),
    )


def _names(settings: Mapping[str, object], key: str) -> list[str]:
    """Return a list of names, which may also be written as one string separated by bars."""
    value = settings.get(key)
    names = [] if value is None else value.lower().split("|") if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise CheckpointError(Message("{0} in config.json must be a list of names.", key), _AGAIN)
    return [name.strip() for name in names if name.strip()]


def _claim(settings: Mapping[str, object], key: str, *, otherwise: bool) -> bool:
    value = settings.get(key, otherwise)
    if not isinstance(value, bool):
        raise CheckpointError(Message("{0} in config.json must be true or false.", key), _AGAIN)
    return value


def _number(settings: Mapping[str, object], key: str, otherwise: int, most: int) -> int:
    value = settings.get(key, otherwise)
    if isinstance(value, bool) or not isinstance(value, int) or not -1 <= value <= most:
        raise CheckpointError(
            Message("{0} in config.json must be a whole number up to {1}.", key, f"{most:,}"), _AGAIN
        )
    return value
