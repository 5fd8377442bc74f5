"""The residual stream by what wrote it, and why one weight or one logit is what it is."""

from __future__ import annotations

import math
import re
from functools import partial
from typing import TYPE_CHECKING, Annotated

import numpy as np

from bertviz_app.analysis.entry import Inputs, ModelAccess, Needs, analysis, first_of
from bertviz_app.analysis.parameters import Index, NoParameters, Reporter, reported
from bertviz_app.analysis.picture import (
    MOST_LISTED,
    SHARE_OF_ONE,
    Axis,
    Index as CellIndex,
    Picture,
    Quantity,
    counted,
    largest_first,
)
from bertviz_app.analysis.probing.blocks import (
    PAPER,
    AttentionBlocks,
    Norm,
    array,
    bias_of,
    refuse_blocks,
    refuse_values,
    refuse_whole_layers,
)
from bertviz_app.analysis.probing.passes import predicted_token, refuse_without_masked_head, worst
from bertviz_app.analysis.results import NamedArrays, TokenScalars
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.text.tokens import token_at
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import CONTENT, DISTANCE, TO_CONTENT, TO_POSITION
from bertviz_app.trace.form import Capture, Point
from bertviz_app.types import Doubles, Floats, Indices
from bertviz_app.values import dataclass, replace

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import MaskedHeadWeights


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


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreParts(NamedArrays):
    """What a score is made of, see `score_parts`; the facts "layer", "head", "query", "key" say of which.

    "key" counts among the keys that the head reaches; `positions`: of these in the text; `word`: the query.
    """

    positions: tuple[int, ...] = ()
    word: str = ""

    def pictures(self) -> tuple[Picture, ...]:
        """Return the weights of the keys, and the score by its parts, by what wrote them, by dimensions."""
        named, axes, at = self.named, self.axes_of, int(self.facts["key"])
        weights, scores = named["weights"], named["scores"]
        order = np.argsort(-weights, kind="stable").tolist()
        shown = order[:MOST_LISTED] if at in order[:MOST_LISTED] else [*order[: MOST_LISTED - 1], at]
        score, unit = f"{named['parts'].sum(dtype=np.float64):.4f}", Quantity("")
        keys = Picture(
            key="keys",
            mark="bars",
            values=weights[shown],
            axes=(Axis("key", tuple(axes["weights"][0].labels[key] for key in shown)),),
            quantity=SHARE_OF_ONE,
            title=Message("Weight by key"),
            marked=np.array(shown) == at,
            top=1.0,
            details=lambda index: [Message("score {0}", f"{scores[shown[index['key']]]:.3f}")],
            sets=lambda index: {"key": self.positions[shown[index["key"]]]},
            meaning=Message(
                "Score {0} gives weight {1}: rank {2} of {3}. The softmax shares a weight of 1 among these "
                "keys; the score of each decides its part. Click a key to explain its weight.",
                score,
                f"{weights[at]:.4f}",
                order.index(at) + 1,
                len(order),
            ),
        )
        found, total = [keys], Message("Together {0}, the score.", score)
        if len(named["parts"]) > 1:
            title = Message("Content and position")
            words = {
                CONTENT: Message("content"),
                DISTANCE: Message("bias of the distance"),
                TO_POSITION: Message("content → position"),
                TO_CONTENT: Message("position → content"),
            }
            parts = axes["parts"]
            found.append(
                Picture("parts", "bars", named["parts"], parts, unit, title, words=words, meaning=total)
            )
        if "writers" in named:
            found += self._of_writers()
        values, axis, words = largest_first(named["dimensions"], axes["dimensions"][0])
        title = Message("Score by dimension")
        meaning = Message("Each dimension of the query times that of the key, scaled. Together {0}.", score)
        found.append(Picture("dimensions", "bars", values, (axis,), unit, title, words, meaning=meaning))
        return tuple(found)

    def _of_writers(self) -> list[Picture]:
        """Return the score by what wrote the two vectors: in layer 0 by two embeddings."""
        table, (queries, keys) = self.named["writers"], self.axes_of["writers"]
        total = f"{table.sum(dtype=np.float64):.4f}"
        if int(self.facts["layer"]) == 0:
            pairs = tuple(f"{a} · {b}" for a in queries.labels for b in keys.labels)
            rows = [("embeddings", Message("By embeddings"), table.reshape(-1), pairs)]
            meaning = Message(
                "In layer 0 vectors are sums of embeddings. A bar is a part of the query with one of the "
                "key. Together {0}.",
                total,
            )
        else:
            of_query, of_key = (table.sum(at, dtype=np.float64).astype(np.float32) for at in (1, 0))
            rows = [
                ("query writers", Message("What wrote the query"), of_query, queries.labels),
                ("key writers", Message("What wrote the key"), of_key, keys.labels),
            ]
            meaning = Message(
                "Which earlier head or feed-forward part wrote what is read here. Exact at the given norms. "
                "Together {0}.",
                total,
            )
        found = []
        for key, title, numbers, labels in rows:
            values, axis, words = largest_first(numbers, Axis("writer", labels))
            drawn = Picture(key, "bars", values, (axis,), Quantity(""), title, words, meaning=meaning)
            found.append(replace(drawn, stands_for=partial(_head_named, axis)))
        return found

    def story(self) -> tuple[Message, ...]:
        """Return why the weight is what it is."""
        named, keys = self.named, self.axes_of["weights"][0].labels
        weights, scores, at = named["weights"], named["scores"], int(self.facts["key"])
        order = np.argsort(-scores, kind="stable").tolist()
        sentences = [
            Message(
                "“{0}” compares what it asks for (its query) with what each word offers (its key). “{1}” "
                "scores {2}.",
                self.word,
                keys[at],
                f"{scores[at]:.2f}",
            )
        ]
        if len(order) > 1:
            sentences.append(_beside_the_best(keys, scores, at, order))
        share = f"{100 * weights[at]:.0f}"
        sentences.append(
            Message(
                "All weights of “{0}” add up to 100 %; “{1}” gets {2} % of them.", self.word, keys[at], share
            )
        )
        if "writers" in named and int(self.facts["layer"]) > 0:
            by_query = named["writers"].sum(1, dtype=np.float64)
            writer = int(np.argmax(by_query))
            sentences.append(
                Message(
                    "The largest part of what “{0}” asks for here was written by {1}: {2} of the score.",
                    self.word,
                    self.axes_of["writers"][0].labels[writer],
                    f"{by_query[writer]:+.2f}",
                )
            )
        return tuple(sentences)


def _head_named(axis: Axis, index: CellIndex) -> CellIndex:
    """Return the layer and the head that a writer is, as "head 2.7" names them; nothing of other writers."""
    found = re.fullmatch(r"head (\d+)\.(\d+)", axis.labels[index[axis.name]])
    return {} if found is None else {"layer": int(found[1]), "head": int(found[2])}


def _beside_the_best(keys: tuple[str, ...], scores: Floats, at: int, order: list[int]) -> Message:
    """Return how the score compares with the best other one, and what the exponential makes of that."""
    other = next(key for key in order if key != at)
    difference = float(abs(scores[at] - scores[other]))
    factor = float(np.exp(min(difference, 700.0)))
    apart, times = f"{difference:.2f}", f"{factor:.2f}" if factor < 1000 else f"{factor:.1e}"
    if order[0] == at:
        return Message(
            "That is the best score. The next is “{0}”, {1} lower: its weight is {2} times smaller, "
            "since e to the power {1} is {2}.",
            keys[other],
            apart,
            times,
        )
    return Message(
        "The best score is that of “{0}”, {1} higher: its weight is {2} times larger, since e to the power "
        "{1} is {2}.",
        keys[other],
        apart,
        times,
    )


class LogitParts(NamedArrays):
    """What adds up to a logit, see `direct_logits`."""

    def pictures(self) -> tuple[Picture, ...]:
        """Return what each head adds, what each layer adds beside its heads, and the sums of the kinds."""
        named, axes, unit, facts = self.named, self.axes_of, Quantity(""), self.facts
        title = Message("Logit by head")
        beside = (
            ("feed_forward", Message("Logit by feed-forward part")),
            ("biases", Message("Logit by biases")),
        )
        kinds = {
            "heads": Message("all heads"),
            "feed-forward": Message("all feed-forward parts"),
            "biases": Message("biases of the layers"),
            "embeddings": Message("embeddings"),
            "task head": Message("task head's biases"),
            "sum": Message("sum = logit"),
        }
        parts = [float(named[name].sum(dtype=np.float64)) for name in ("heads", "feed_forward", "biases")]
        parts += [float(facts["embeddings"]), float(facts["task head"])]
        sums, axis = np.array([*parts, sum(parts)], np.float32), Axis("part of the logit", tuple(kinds))
        marked, of_kinds = np.arange(len(kinds)) == len(kinds) - 1, Message("Logit by kind of part")
        return (
            Picture("heads", "cells", named["heads"], axes["heads"], unit, title),
            *(Picture(key, "bars", named[key], axes[key], unit, words) for key, words in beside),
            Picture("kinds", "bars", sums, (axis,), unit, of_kinds, words=kinds, marked=marked),
        )

    def findings(self) -> tuple[str, ...]:
        facts = self.facts
        logit, token, against = f"{float(facts['logit']):.4f}", str(facts["token"]), facts.get("against")
        if against is None:
            return (
                Message("logit of “{0}” at {1}: {2}, the sum of all parts", facts["piece"], token, logit),
            )
        return (
            Message(
                "logit of “{0}” less that of “{1}” at {2}: {3}, the sum of all parts",
                facts["piece"],
                against,
                token,
                logit,
            ),
        )


@dataclass(frozen=True)
class ScoreParameters:
    """The head, and the pair of tokens: `query` looks at `key`."""

    layer: Annotated[int, Index("layer"), Message("Layer")] = 0
    head: Annotated[int, Index("head"), Message("Head")] = 0
    query: Annotated[int, Index("token"), Message("Position of the query")] = 0
    key: Annotated[int, Index("token"), Message("Position of the key")] = 0


@analysis(
    key="score-parts",
    place=("heads", 9),
    title=Message("Why this weight?"),
    summary=Message(
        "The score of one query and one key by dimension and by what wrote the vectors, and its competitors."
    ),
    limits=Message("Norms are taken as given: without one of the parts they would divide by something else."),
    paper="Elhage et al. 2021, A Mathematical Framework for Transformer Circuits",
    needs=Needs.MODEL | Needs.OWN_STATES,
)
def score_parts(inputs: Inputs, parameters: ScoreParameters, reporter: Reporter) -> ScoreParts:
    """Return what the score of one query and key is made of.

    "dimensions" [E]: query times key in each dimension, scaled: they add up to the content of the score.
    "parts": the content, and what positions add. "scores" and "weights": of all keys that the head reaches,
    its competitors. "writers" [N, M]: the content by what wrote the query's vector and the key's, norms taken
    as given; not where queries are rotated or tokens global, nor after a convolution. `identity_error`: how
    far the sum of these is off.

    Raises SelectionError for a layer, head or token that the trace does not have, and AnalysisError for a key
    that the head does not reach.

    The score is that of Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1; the composition of heads that
    of Elhage et al., here at the norms' given spreads.
    """
    trace, at, rows = inputs.trace, parameters, slice(parameters.query, parameters.query + 1)
    reporter.check()
    trace.scores(at.layer, at.head, slice(0, 1), slice(0, 1))  # raises SelectionError
    for token in (at.query, at.key):
        token_at(trace.tokens, token)  # raises SelectionError
    query, key = (vectors[at.layer, at.head].astype(np.float64) for vectors in (trace.queries, trace.keys))
    dimensions: Doubles = query[at.query] * key[at.key] * trace.scale  # [E]
    named = trace.score_parts(at.layer, at.head, rows, slice(at.key, at.key + 1))
    scores = trace.scores(at.layer, at.head, rows)[0]
    reached = _reached(scores, at)
    found: dict[str, Floats] = {
        "dimensions": dimensions.astype(np.float32),
        "parts": np.array([values[0, 0] for values in named.values()], np.float32),
        "scores": scores[reached],
        "weights": trace.attention(at.layer, at.head, rows)[0][reached],
    }
    axes: dict[str, tuple[Axis, ...]] = {
        "dimensions": (counted("dimension", trace.head_width),),
        "parts": (Axis("part", tuple(named)),),
    }
    axes["scores"] = axes["weights"] = (Axis("key", tuple(trace.tokens.pieces[key] for key in reached)),)
    error = None if trace.bias is not None else abs(float(dimensions.sum() - named[CONTENT][0, 0]))
    if not trace.form.is_rotary and refuse_whole_layers(trace.form, ()) is None:
        (names, others), table = _by_writers(trace, inputs.opened, at, reporter)
        found["writers"] = table.astype(np.float32)
        axes["writers"] = (Axis("written by, in the query", names), Axis("written by, in the key", others))
        error = worst(error or 0.0, abs(float(table.sum() - dimensions.sum())))
    reporter.progress(1)
    found = {name: values.copy() for name, values in found.items()}
    facts = {
        "layer": at.layer,
        "head": at.head,
        "query": at.query,
        "key": int(np.searchsorted(reached, at.key)),  # counted among the reached ones
    }
    return ScoreParts(
        found,
        axes,
        facts,
        identity_error=error,
        main="dimensions",
        positions=tuple(reached.tolist()),
        word=trace.tokens.labels[at.query],
    )


def _reached(scores: Floats, at: ScoreParameters) -> Indices:
    """Return the keys [n] that the head reaches from the query, by its scores [T]: in a window not all.

    Raises AnalysisError where the key of the pair is not among them.
    """
    reached = np.flatnonzero(np.isfinite(scores))
    if at.key not in reached:
        message = Message("This head does not reach from token {0} to token {1}.", at.query, at.key)
        raise AnalysisError(message, Message("Choose a pair that has a weight."))
    return reached


def _by_writers(
    trace: Trace, model: ModelAccess, at: ScoreParameters, reporter: Reporter
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], Doubles]:
    """Return the labels of the writers of the query and the key, and the score [N, M] that each two add."""
    stream, weights = ResidualStream(trace, model, reporter), model.weights(at.layer)
    sides = []
    for token, dense in ((at.query, weights.query), (at.key, weights.key)):
        writers, parts = stream.read(token, at.layer)
        columns = slice(at.head * trace.head_width, (at.head + 1) * trace.head_width)
        weight: Doubles = array(dense.weight).T[:, columns]  # [D, E]
        bias = bias_of(dense, dense.weight.shape[0])[columns]
        sides.append(((*(writer.label for writer in writers), "bias"), np.vstack([parts @ weight, bias])))
    (names, queries), (others, keys) = sides
    table: Doubles = queries @ keys.T * trace.scale
    return (names, others), table


@dataclass(frozen=True)
class LogitParameters:
    """`position` None: the first masked token, else the first one; `answer` None: the likeliest piece.

    `against`: another piece, whose logit is taken off; the parts are then those of the difference.
    """

    position: Annotated[int | None, Index("token"), Message("Position of the predicted token")] = None
    answer: Annotated[str | None, Message("Piece; empty: the likeliest")] = None
    against: Annotated[str | None, Message("Less that of this piece; empty: none")] = None


@analysis(
    key="direct-logits",
    place=("predictions", 5),
    title=Message("Direct contributions to a logit"),
    summary=Message("What each head and each feed-forward part adds to the logit of a predicted piece."),
    limits=Message("What a part does through later parts is not counted as its own."),
    paper="Elhage et al. 2021, A Mathematical Framework for Transformer Circuits",
    needs=Needs.MODEL | Needs.TASK_HEAD | Needs.OWN_STATES,
    refuses=first_of(refuse_without_masked_head, refuse_whole_layers),
)
def direct_logits(inputs: Inputs, parameters: LogitParameters, reporter: Reporter) -> LogitParts:
    """Return what each part of the model adds to one logit without going through any later part.

    The last vector of the token is the sum of what heads, feed-forward parts, embeddings and biases wrote
    (see `ResidualStream`); each is sent through the task head with its norm and activation taken as given.
    The parts add up to the logit: how far they are off is the `identity_error`.

    "heads" [L, H], "feed_forward" [L], "biases" [L]; the facts "embeddings", "task head" and "logit" are the
    rest and the sum. Of the difference of two logits all of them are differences, and "against" is the other
    piece.

    Raises SelectionError for a token that the trace does not have, and TextError for a piece that is not in
    the vocabulary.

    Direct paths are those of Elhage et al.; the task head is read as by nostalgebraist 2020, "interpreting
    GPT: the logit lens".
    """
    trace, model = inputs.trace, inputs.opened
    head = model.masked_head
    assert head is not None, "without one the analysis is refused"
    position = predicted_token(inputs, parameters.position) or 0
    logits = model.logits(trace, [position]).masked
    assert logits is not None
    piece = int(logits[0].argmax()) if parameters.answer is None else model.piece_id(parameters.answer)
    against = None if parameters.against is None else model.piece_id(parameters.against)
    writers, parts = ResidualStream(trace, model, reporter).at(position, trace.n_layers)
    of_parts, of_head = _through(head, parts, piece)
    logit = float(logits[0, piece])
    if against is not None:
        less, less_of_head = _through(head, parts, against)
        of_parts, of_head, logit = of_parts - less, of_head - less_of_head, logit - float(logits[0, against])
    named, embedded = by_kind(writers, of_parts, trace)
    layers = counted("layer", trace.n_layers)
    reporter.progress(1)
    return LogitParts(
        named,
        {"heads": (layers, counted("head", trace.n_heads)), "feed_forward": (layers,), "biases": (layers,)},
        {
            "token": trace.tokens.pieces[position],
            "piece": model.pieces([piece])[0],
            **({} if against is None else {"against": model.pieces([against])[0]}),
            "embeddings": embedded,
            "task head": of_head,
            "logit": logit,
        },
        identity_error=abs(float(of_parts.sum()) + of_head - logit),
        main="heads",
    )


def _through(head: MaskedHeadWeights, parts: Doubles, piece: int) -> tuple[Doubles, float]:
    """Return the contribution of each part [N] to a piece's logit, and that of the task head's biases."""
    import torch

    rest = np.zeros((1, parts.shape[1]))
    for layer in head.layers[:-1]:
        dense = array(layer.weight).T
        parts, rest = parts @ dense, rest @ dense + bias_of(layer, dense.shape[1])
        if head.activation is not None:
            total = parts.sum(0) + rest[0]
            active = array(head.activation(torch.from_numpy(total)))
            factors = np.divide(active, total, out=np.zeros_like(total), where=total != 0)
            parts, rest = parts * factors, rest * factors
    if head.norm is not None:
        norm = Norm.of(head.norm)
        spread = norm.spread((parts.sum(0) + rest[0])[None])
        parts, rest = norm.linear(parts, spread), norm.linear(rest, spread) + norm.bias
    last = head.layers[-1]
    row = array(last.weight[piece])
    of_head = float(rest[0] @ row) + float(bias_of(last, len(last.weight))[piece])
    return parts @ row, of_head
