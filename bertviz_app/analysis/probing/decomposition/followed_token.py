"""`FollowedToken`: the parts that come from one input token, as the sum of what each writer put into them."""

from __future__ import annotations

import numpy as np

from bertviz_app.analysis.probing.decomposition.blocks import Norm
from bertviz_app.analysis.probing.decomposition.residual_stream import Writer
from bertviz_app.types import Doubles


class FollowedToken:
    """What `decompositions` gives input token `token`, of every vector [T, D], by writer.

    A head writes what it moves of the token's parts, a feed-forward part what it makes of them, biases their
    share by the rule of `decompositions`. Norms are taken as given, so that the writers always add up to the
    token's parts; what a later part makes of what a writer wrote counts for the later part.
    """

    def __init__(self, token: int, n_layers: int, n_heads: int) -> None:
        self.token = token
        self._n_heads = n_heads
        self.writers = [
            Writer("embeddings"),
            *(Writer("head", layer, head) for layer in range(n_layers) for head in range(n_heads)),
            *(Writer("feed-forward", layer) for layer in range(n_layers)),
            *(Writer("biases", layer) for layer in range(n_layers)),
        ]
        self._index_of = {writer: index for index, writer in enumerate(self.writers)}
        self.parts: Doubles = np.zeros((0, 0, 0))  # [W, T, D]

    def begin(self, parts: Doubles) -> None:
        """Begin with the embeddings, as parts [T, T, D]."""
        self.parts = np.zeros((len(self.writers), *parts[:, self.token].shape))
        self.parts[0] = parts[:, self.token]

    def attend(self, layer: int, of_heads: Doubles, output: Doubles, through: Doubles | None) -> None:
        """Add what heads [T, H, E] move, by W_O [H * E, D]; `through`: what went before goes through it."""
        if through is not None:
            self.parts = self.parts @ through
        _, n_heads, wide = of_heads.shape
        first = self._index_of[Writer("head", layer, 0)]
        by_head = output.reshape(n_heads, wide, -1)
        self.parts[first : first + n_heads] += of_heads.transpose(1, 0, 2) @ by_head

    def feed_forward(self, layer: int, parts: Doubles) -> None:
        """Add what the feed-forward part made [T, T, D]."""
        self.parts[self._index_of[Writer("feed-forward", layer)]] += parts[:, self.token]

    def add_bias(self, layer: int, rows: slice, share: Doubles) -> None:
        """Add the share of a bias, [q, D] of the rows."""
        self.parts[self._index_of[Writer("biases", layer)], rows] += share

    def norm(self, norm: Norm, rows: slice, spread: Doubles) -> None:
        """Send q rows through the linear part of a norm, before its bias; it divides by `spread` [q]."""
        self.parts[:, rows] = norm.linear(self.parts[:, rows], spread)
