"""The residual stream as a sum of what each head, feed-forward part and bias writes into it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import NoParameters, Reporter, reported
from bertviz_app.analysis.picture import Axis, Picture, Quantity, counted
from bertviz_app.analysis.probing.blocks import (
    PAPER,
    AttentionBlocks,
    Norm,
    array,
    bias_of,
    refuse_blocks,
    refuse_values,
)
from bertviz_app.analysis.results import NamedArrays, TokenScalars
from bertviz_app.errors import Message
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Point
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass

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


def by_kind(writers: list[Writer], values: Doubles, trace: Trace) -> tuple[dict[str, Floats], float]:
    """Return the values [N] of writers as arrays by kind, and the sum of those of the embeddings."""
    heads = np.zeros((trace.n_layers, trace.n_heads), np.float32)
    fed, biases = np.zeros(trace.n_layers, np.float32), np.zeros(trace.n_layers, np.float32)
    embedded = 0.0
    for writer, value in zip(writers, values.tolist(), strict=True):
        if writer.kind == "head":
            heads[writer.layer, writer.head] += value
        elif writer.kind == "feed-forward":
            fed[writer.layer] += value
        elif writer.layer >= 0:
            biases[writer.layer] += value
        else:
            embedded += value
    return {"heads": heads, "feed_forward": fed, "biases": biases}, embedded


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
        """Return the writers [N] to the input of the attention of `layer`, and their parts [N, D].

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
    parts = norm.linear(parts, norm.spread(parts.sum(0)[None]))
    biases = Writer("biases", layer)
    if biases not in writers:
        return [*writers, biases], np.vstack([parts, norm.bias])
    parts[writers.index(biases)] += norm.bias
    return writers, parts


@analysis(
    key="mixing-ratio",
    place=("layers", 2),
    title=Message("Mixing ratio"),
    summary=Message(
        "Which share of a token's vector comes from other tokens, after the attention block of each layer."
    ),
    limits=Message("It compares lengths of vectors; biases and the feed-forward part are left out."),
    paper=f"{PAPER}, section 4",
    needs=Needs.MODEL,
    refuses=refuse_blocks,
)
def mixing_ratio(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> TokenScalars:
    """Return how much of each token's vector comes from the others, in the attention block of each layer.

    r_i = ||sum over j != i of t_ij|| / (||sum over j != i of t_ij|| + ||t_ii||), with t_ij as `norm_residual`
    has it: the biases are left out.

    [L, T], shares from 0 to 1; 0 where nothing comes from either.
    """
    trace, blocks = inputs.trace, AttentionBlocks(inputs)
    found = np.zeros((trace.n_layers, trace.n_tokens), np.float32)
    for layer in reported(range(trace.n_layers), reporter):
        for rows, normed, _ in blocks.normed(layer, reporter):
            total = normed.sum(1)
            own = normed[np.arange(len(normed)), np.arange(rows.start, rows.stop)]
            others = np.linalg.norm(total - own, axis=-1)
            both = others + np.linalg.norm(own, axis=-1)
            np.divide(others, both, out=others, where=both > 0)
            found[layer, rows] = others
    return TokenScalars(
        trace.tokens.pieces, found, Quantity("weight", 0, 1), "layer", identity_error=blocks.error
    )


@analysis(
    key="expansion-rate",
    place=("heads", 10),
    title=Message("Expansion rate"),
    summary=Message(
        "How much longer the value and output matrices of a layer make a vector on average: the same for "
        "every text."
    ),
    limits=Message("It averages over all directions, also those that no token's vector has."),
    paper="Kobayashi et al. 2021, arXiv:2109.07152, section 5",
    needs=Needs.MODEL,
    refuses=refuse_values,
)
def expansion_rate(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> NamedArrays:
    """Return the expansion rate of each layer, e = ||M_V M_O||_F / sqrt(D + 1).

    M_V and M_O are the value and the output projection as matrices that take (x, 1) to (y, 1): the bias is
    the last row. So e is the root mean square of how much longer their product makes a vector, over all
    directions. It depends on the checkpoint alone. The heads beside it, each e_h = ||M_V^h W_O^h||_F / sqrt(D
    + 1), are of one head's columns of M_V and rows of W_O, without b_O.

    "values" [L], 0 or more, and "heads" [L, H]. Muted heads count like the others.

    In the notebook beside the paper's code b_O stands in a column.
    """
    trace, model = inputs.trace, inputs.opened
    rates = np.zeros(trace.n_layers, np.float32)
    heads = np.zeros((trace.n_layers, trace.n_heads), np.float32)
    for layer in reported(range(trace.n_layers), reporter):
        weights = model.weights(layer)
        n_values = trace.n_heads * trace.head_width
        value = np.vstack([array(weights.value.weight).T, bias_of(weights.value, n_values)])  # [D + 1, H * E]
        output = array(weights.output.weight).T  # [H * E, D]
        product = np.zeros((len(value), output.shape[1]))  # [D + 1, D]
        for head in range(trace.n_heads):
            reporter.check()
            part = slice(head * trace.head_width, (head + 1) * trace.head_width)
            of_head: Doubles = value[:, part] @ output[part]
            heads[layer, head] = np.linalg.norm(of_head) / math.sqrt(len(value))
            product += of_head
        product[-1] += bias_of(weights.output, output.shape[1])
        rates[layer] = math.sqrt((product**2).sum() + 1) / math.sqrt(
            len(value)
        )  # 1: the corner of the product
    layers = counted("layer", trace.n_layers)
    axes = {"values": (layers,), "heads": (layers, counted("head", trace.n_heads))}
    title, size = Message("Expansion rate"), Quantity("", 0)
    series = Axis("series", ("rate",)), layers
    drawn = (
        Picture("layers", "curves", rates[None], series, size, Message("By layer"), {"rate": title}),
        Picture("heads", "cells", heads, axes["heads"], size, Message("By head")),
    )
    return NamedArrays({"values": rates, "heads": heads}, axes, drawn=drawn)
