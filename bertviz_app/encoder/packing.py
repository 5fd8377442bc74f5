"""`arrange_weights`: a second copy of the layers' weights, in the layout in which long texts are faster."""

from __future__ import annotations

from collections.abc import Iterator

from bertviz_app.encoder.dense import LONG, Dense, PackedWeight, packs
from bertviz_app.encoder.encoder import Encoder

LONGEST = 2048
"""Up to this many tokens the copy is held; beyond, it saves little time, and memory is scarce."""


def arrange_weights(encoder: Encoder, n_tokens: int) -> None:
    """Pack the weights of the layers of `encoder` where that helps a text of `n_tokens`.

    The copy takes as much memory as the layers' weights: 340 MB for BERT-base. A short text leaves it as it
    is, a very long one removes it. On other devices nothing is packed.
    """
    if n_tokens < LONG or not packs() or encoder.embeddings.token.weight.device.type != "cpu":
        return
    for dense in _dense_layers(encoder):
        if n_tokens > LONGEST:
            dense.packed = None
        elif dense.packed is None or not dense.packed.is_of(dense.weight):
            dense.packed = PackedWeight(dense.weight)


def packed_bytes(encoder: Encoder) -> int:
    """Return how many bytes the copies take."""
    return sum(dense.weight.nbytes for dense in _dense_layers(encoder) if dense.packed is not None)


def _dense_layers(encoder: Encoder) -> Iterator[Dense]:
    return (module for module in encoder.layers.modules() if isinstance(module, Dense))
