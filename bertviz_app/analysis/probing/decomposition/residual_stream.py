"""One token's vector as the sum of what embeddings, heads, feed-forward parts and biases wrote into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bertviz_app.analysis.probing.decomposition.blocks import Norm, array, bias_of
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Point
from bertviz_app.types import Doubles

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess


@dataclass(frozen=True)
class Writer:
    """A part of the model that writes into the vector of a token.

    `kind` is "token", "segment", "position", "task" or, of all these together, "embeddings"; else "head",
    "feed-forward" or "biases". `layer` and `head` are -1 where it has none.
    """

    kind: str
    layer: int = -1
    head: int = -1

    @property
    def label(self) -> str:
        """Its name in tables: "head 3.7"."""
        if self.kind == "head":
            return f"head {self.layer}.{self.head}"
        return self.kind if self.layer < 0 else f"{self.kind} {self.layer}"


class ResidualStream:
    """The vector of one token, layer by layer, as the sum of what each writer put into it.

    Norms are applied with the spread that the whole vector has, so that parts add up exactly. Runs the model
    once.
    """

    def __init__(self, trace: Trace, model: ModelAccess, reporter: Reporter) -> None:
        self._trace, self._model, self._reporter = trace, model, reporter
        self._capture = Capture({Point.MIXED, Point.CONTRACTED})
        model.forward([trace.tokens], self._capture)

    def at(self, token: int, layer: int) -> tuple[list[Writer], Doubles]:
        """Return the writers [N] and their parts [N, D] of the vector that enters `layer`, of `token`.

        `layer` may be the number of layers: what leaves the last one.
        """
        writers, parts = self._embeddings(token)
        for number in range(layer):
            self._reporter.check()
            writers, parts = self._after(number, token, writers, parts)
        return writers, parts

    def read(self, token: int, layer: int) -> tuple[list[Writer], Doubles]:
        """Return the writers [N] and their parts [N, D] of what the attention of `layer` reads.

        That is the vector that enters the layer; in pre-norm layers after the norm.
        """
        writers, parts = self.at(token, layer)
        norm = self._model.weights(layer).attention_norm
        if self._trace.form.is_pre_norm and norm is not None:
            return _normed(writers, parts, Norm.of(norm), layer)
        return writers, parts

    def _embeddings(self, token: int) -> tuple[list[Writer], Doubles]:
        """Return the writers [N] and their parts [N, D] of the vector that enters the first layer."""
        trace, norm = self._trace, self._model.embedding_norm
        if norm is None or trace.embedding_norm is not None:
            return [Writer("embeddings")], trace.hidden[0, token][None].astype(np.float64)
        named = {
            "token": trace.token_embeddings,
            "segment": trace.segment_embeddings,
            "position": trace.position_embeddings,
            "task": trace.task_embeddings,
        }
        writers = [Writer(kind) for kind, values in named.items() if values is not None]
        parts = np.array([values[token] for values in named.values() if values is not None], np.float64)
        return _normed(writers, parts, Norm.of(norm), -1)

    def _after(
        self, layer: int, token: int, writers: list[Writer], parts: Doubles
    ) -> tuple[list[Writer], Doubles]:
        """Return the writers [M] and parts [M, D] after a layer, from those [N] and [N, D] before it."""
        trace, weights = self._trace, self._model.weights(layer)
        form, second = trace.form, Norm.of(weights.feed_forward_norm)
        dense = array(weights.output.weight).T  # [H * E, D]
        mixed = array(self._capture.tensors[Point.MIXED, layer][0, :, token])  # [H, E]
        heads = (mixed[:, None] @ dense.reshape(trace.n_heads, trace.head_width, -1))[:, 0]  # [H, D]
        if form.adds_before_projection:
            parts = parts @ dense
        writers = [
            *writers,
            *(Writer("head", layer, head) for head in range(trace.n_heads)),
            Writer("biases", layer),
        ]
        parts = np.vstack([parts, heads, bias_of(weights.output, trace.width)])
        if not form.is_pre_norm and weights.attention_norm is not None:
            writers, parts = _normed(writers, parts, Norm.of(weights.attention_norm), layer)
        fed = array(self._capture.tensors[Point.CONTRACTED, layer][0, token])
        writers, parts = [*writers, Writer("feed-forward", layer)], np.vstack([parts, fed])
        if not form.is_pre_norm:
            writers, parts = _normed(writers, parts, second, layer)
        top = self._model.top_norm
        if top is not None and layer == trace.n_layers - 1:
            writers, parts = _normed(writers, parts, Norm.of(top), layer)
        return writers, parts


def _normed(writers: list[Writer], parts: Doubles, norm: Norm, layer: int) -> tuple[list[Writer], Doubles]:
    """Return the parts [N, D] after a norm; its bias is added to the biases of `layer`, which may be new."""
    spread = norm.spread(parts.sum(0)[None])
    parts = norm.linear(parts, spread)
    biases = Writer("biases", layer)
    if biases not in writers:
        return [*writers, biases], np.vstack([parts, norm.bias])
    parts[writers.index(biases)] += norm.bias
    return writers, parts
