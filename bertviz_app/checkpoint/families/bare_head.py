"""A head for masked tokens that is one dense layer: the product with a vector of every piece, and no more."""

from __future__ import annotations

from collections.abc import Mapping

from bertviz_app.checkpoint.families.family import Renames, StatedTaskHeads, renames
from bertviz_app.encoder.config import DenseHeadConfig, TaskHeadsConfig


def bare_masked_head(*, has_bias: bool) -> StatedTaskHeads:
    """Return a function that returns how the head is built; `vocab_size` has been validated before."""

    def heads(settings: Mapping[str, object]) -> TaskHeadsConfig:
        n_pieces = settings["vocab_size"]
        assert isinstance(n_pieces, int)
        head = DenseHeadConfig(reads="tokens", widths=(n_pieces,), biases=(has_bias,))
        return TaskHeadsConfig(dense_heads=(("masked", head),))

    return heads


def named(module: str) -> Renames:
    """Return the renames for the parameters of `module`, the only ones of the head."""
    return renames((rf"^{module}\.(weight|bias)$", r"dense.masked.layers.0.\1"))
