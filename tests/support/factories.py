"""Traces made by hand, for the tests of what is computed from them and drawn of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bertviz_app.text import Tokens
from bertviz_app.text.tokens import SPECIAL
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import DisentangledBias, RelativeBias
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.types import Doubles, Floats
from bertviz_app.viewmodels.stages.stage import Architecture
from bertviz_app.viewmodels.stages.stops import absent_stages

_Number = TypeVar("_Number", np.float32, np.float64)
_NEVER = -200.0  # exp of it is 0 in float32


def make_tokens(n_tokens: int, *, pair: bool = False, n_left_out: int = 0) -> Tokens:
    """Return `[CLS] w1 w2 ... [SEP]`; with `pair` a `[SEP]` in the middle too, and sentence 2 after it."""
    special = {0, n_tokens - 1} | ({n_tokens // 2} if pair else set())
    names = {0: "[CLS]"} | {position: "[SEP]" for position in special if position}
    pieces = tuple(names.get(position, f"w{position}") for position in range(n_tokens))
    segments = np.arange(n_tokens) > n_tokens // 2 if pair else np.zeros(n_tokens)
    is_special = np.isin(np.arange(n_tokens), list(special))
    sentences = np.where(is_special, SPECIAL, segments).astype(np.int32)
    positions = np.arange(n_tokens, dtype=np.int32)
    return Tokens(
        text=" ".join(pieces[1 : n_tokens // 2 if pair else -1]),
        pair=" ".join(pieces[n_tokens // 2 + 1 : -1]) if pair else None,
        pieces=pieces,
        ids=1000 + positions,
        segment_ids=segments.astype(np.int32),
        position_ids=positions,
        sentences=sentences,
        words=np.where(is_special, SPECIAL, positions).astype(np.int32),
        spans=np.stack((positions, positions + 1), axis=1),
        n_left_out=n_left_out,
    )


def make_trace(
    n_tokens: int, n_layers: int = 2, n_heads: int = 3, seed: int = 0, pair: bool = False
) -> Trace:
    """Return a random trace whose rows are as exact as float32 allows: `lse` is computed in float64."""
    return random_trace(make_tokens(n_tokens, pair=pair), n_layers, n_heads, seed)


def random_trace(tokens: Tokens, n_layers: int = 2, n_heads: int = 3, seed: int = 0) -> Trace:
    """Return a random trace of these tokens."""
    random = np.random.default_rng(seed)
    shape = (n_layers, n_heads, len(tokens), 8)
    queries, keys = (random.normal(0, 1.5, shape).astype(np.float32) for _ in range(2))
    return _trace(tokens, queries, keys, 8**-0.5, random)


def projected(trace: Trace, width: int = 6) -> Trace:
    """Return `trace` as of a model that projects embeddings of this width to that of its layers."""
    names = ("token_embeddings", "position_embeddings", "embedding_sum")
    narrow = {name: getattr(trace, name)[:, :width].copy() for name in names}
    segments = None if trace.segment_embeddings is None else trace.segment_embeddings[:, :width].copy()
    norm = trace.hidden[0, :, :width].copy()
    return replace(trace, **narrow, segment_embeddings=segments, embedding_norm=norm)


def biased_trace(n_tokens: int, n_layers: int = 2, n_heads: int = 3, seed: int = 0) -> Trace:
    """Return the trace of `make_trace` with a random bias by distance added to its scores."""
    trace = make_trace(n_tokens, n_layers, n_heads, seed)
    numbers = np.random.default_rng(seed).normal(0, 2, (n_layers, n_heads, 2 * n_tokens - 1))
    biased = replace(trace, bias=RelativeBias(numbers.astype(np.float32)))
    return replace(biased, lse=_log_sum_exp(_scores(biased)).astype(np.float32))


def window_bias(n_tokens: int, reach: int) -> RelativeBias:
    """Return the bias of two layers, the second with a window."""
    by_distance = np.zeros((2, 1, 2 * n_tokens - 1), np.float32)
    by_distance[1, 0, np.abs(np.arange(1 - n_tokens, n_tokens)) > reach] = -np.inf
    return RelativeBias(by_distance)


def windowed_trace(n_tokens: int, reach: int, seed: int = 0) -> Trace:
    """Return a trace whose layer 1 has a window: nothing farther away than `reach` is looked at."""
    trace = make_trace(n_tokens, seed=seed)
    windowed = replace(trace, bias=window_bias(n_tokens, reach))
    return replace(windowed, lse=_log_sum_exp(_scores(windowed)).astype(np.float32))


def long_trace(n_tokens: int, n_layers: int, n_heads: int) -> Trace:
    """Return a trace whose queries and keys were never multiplied out: its log-sum-exp is about right."""
    small, random = make_trace(4), np.random.default_rng(0)
    shape = n_layers, n_heads, n_tokens
    queries, keys = (random.normal(0, 0.1, (*shape, 8)).astype(np.float32) for _ in range(2))
    rows = np.zeros((n_tokens, small.width), np.float32)
    return replace(
        small,
        tokens=make_tokens(n_tokens),
        token_embeddings=rows,
        segment_embeddings=None,
        position_embeddings=None,
        embedding_sum=rows.copy(),
        queries=queries,
        keys=keys,
        values=keys.copy(),
        lse=np.full(shape, np.log(n_tokens), np.float32),
        hidden=np.zeros((n_layers + 1, n_tokens, small.width), np.float32),
    )


def disentangled_trace(
    n_tokens: int,
    n_layers: int = 2,
    n_heads: int = 3,
    seed: int = 0,
    names: tuple[str, ...] = ("position_keys", "position_queries"),
) -> Trace:
    """Return the trace of `make_trace` with scores of content and position: 5 buckets of distances.

    `names` are of the tables that its bias has.
    """
    trace = make_trace(n_tokens, n_layers, n_heads, seed)
    random = np.random.default_rng(seed + 1)
    tables = {name: random.normal(0, 1.5, (n_layers, n_heads, 5, 8)).astype(np.float32) for name in names}
    buckets = np.clip(np.arange(1 - n_tokens, n_tokens), -2, 2) + 2
    bias = DisentangledBias(tables.get("position_keys"), tables.get("position_queries"), buckets)
    mixed = replace(trace, bias=bias, scale=((1 + len(names)) * 8) ** -0.5)
    return replace(mixed, lse=_log_sum_exp(_scores(mixed)).astype(np.float32))


def by_distance(trace: Trace) -> NDArray[np.float32]:
    """Return [L, H, 2T - 1], or [L, 1, 2T - 1], what is added to the scores of `trace` by distance."""
    assert isinstance(trace.bias, RelativeBias)
    return trace.bias.by_distance


def trace_of(attention: Doubles, tokens: Tokens | None = None) -> Trace:
    """Return a trace with this attention [L, H, T, T], rows summing to 1, zeros allowed.

    The queries are the logarithms of the weights and the keys the identity, so that scores are weights.
    """
    logarithms = np.log(attention, out=np.full(attention.shape, _NEVER), where=attention > 0)
    queries = logarithms.astype(np.float32)
    keys = np.broadcast_to(np.eye(attention.shape[-1], dtype=np.float32), attention.shape).copy()
    tokens = tokens or make_tokens(attention.shape[-1])
    return _trace(tokens, queries, keys, 1.0, np.random.default_rng(0))


def diagonal(n_tokens: int, n_layers: int = 1, n_heads: int = 1) -> Doubles:
    """Return attention [L, H, T, T] in which every token looks only at itself."""
    return np.broadcast_to(np.eye(n_tokens), (n_layers, n_heads, n_tokens, n_tokens)).copy()


def dense(trace: Trace) -> Doubles:
    """Return the attention [L, H, T, T] of a trace by a softmax in float64."""
    return _softmax(_scores(trace))


def dense_in_float32(trace: Trace) -> Floats:
    """Return `dense` by a softmax in float32, of scores that are added up in float32."""
    scores = trace.queries @ trace.keys.swapaxes(-1, -2) * np.float32(trace.scale)
    return _softmax(scores if trace.bias is None else scores + _added(trace).astype(np.float32))


def _softmax(scores: NDArray[_Number]) -> NDArray[_Number]:
    weights: NDArray[_Number] = np.exp(scores - _log_sum_exp(scores)[..., None])
    return weights


def exact_scores(queries: NDArray[np.float32], keys: NDArray[np.float32], scale: float) -> Doubles:
    """Return scaled scores [..., T, T] in float64."""
    scores: Doubles = queries.astype(np.float64) @ keys.astype(np.float64).swapaxes(-1, -2) * scale
    return scores


def _scores(trace: Trace) -> Doubles:
    """Return what the softmax is given [L, H, T, T], the bias of each cell looked up by its distance."""
    scores = exact_scores(trace.queries, trace.keys, trace.scale)
    return scores if trace.bias is None else scores + _added(trace)


def _added(trace: Trace) -> Doubles:
    """Return what is added to the scores, [L, H, T, T] or [L, 1, T, T], in float64."""
    tokens = np.arange(trace.n_tokens)
    distances = tokens - tokens[:, None] + trace.n_tokens - 1  # [T, T], queries are rows
    if not isinstance(trace.bias, DisentangledBias):
        return by_distance(trace)[..., distances].astype(np.float64)
    buckets = trace.bias.buckets[distances]
    added = np.zeros((trace.n_layers, trace.n_heads, *buckets.shape))
    if trace.bias.position_keys is not None:
        added += _products(trace.queries[:, :, :, None], trace.bias.position_keys[:, :, buckets])
    if trace.bias.position_queries is not None:
        added += _products(trace.keys[:, :, None], trace.bias.position_queries[:, :, buckets])
    scaled: Doubles = added * trace.scale
    return scaled


def _products(one: NDArray[np.float32], other: NDArray[np.float32]) -> Doubles:
    """Return the products [...] of vectors [..., E], in float64."""
    products: Doubles = (one.astype(np.float64) * other.astype(np.float64)).sum(-1)
    return products


def _log_sum_exp(scores: NDArray[_Number]) -> NDArray[_Number]:
    top = scores.max(-1)
    total: NDArray[_Number] = top + np.log(np.exp(scores - top[..., None]).sum(-1))
    return total


def make_details(trace: Trace, layer: int, wide: int = 12) -> LayerDetails:
    """Return random details of a layer that begin and end with what the trace has, F = `wide`."""
    random = np.random.default_rng(layer)
    width, n_tokens = trace.width, trace.n_tokens

    def some(*shape: int) -> NDArray[np.float32]:
        return random.normal(size=shape).astype(np.float32)

    mixed = trace.attention(layer) @ trace.values[layer]
    projected, contracted = some(n_tokens, width), some(n_tokens, width)
    attention_norm, attention_sum = some(n_tokens, width), trace.hidden[layer] + projected
    active, gate = some(n_tokens, wide), some(n_tokens, wide)
    absent = absent_stages(Architecture.of(trace), layer)
    output_norm, convolved = some(n_tokens, width), some(n_tokens, width)
    folds = "convolved" not in absent
    return LayerDetails(
        layer=layer,
        activation="gelu",
        mixed=mixed,
        concat=np.concatenate(list(mixed), axis=-1),
        projected=projected,
        attention_sum=attention_sum,
        attention_norm=attention_norm,
        expanded=some(n_tokens, wide),
        active=active,
        contracted=contracted,
        output_sum=(attention_sum if trace.form.is_pre_norm else attention_norm) + contracted,
        output=trace.hidden[layer + 1].copy(),
        pooler_dense=trace.hidden[-1, 0].copy() if layer == trace.n_layers - 1 else None,
        input_norm=some(n_tokens, width) if "input_norm" not in absent else None,
        gate=gate if trace.form.is_gated else None,
        gated=active * gate if trace.form.is_gated else None,
        output_norm=output_norm if folds else None,
        convolved=convolved if folds else None,
        convolution_sum=output_norm + convolved if folds else None,
        convolution_activation="tanh" if folds else None,
    )


def _trace(
    tokens: Tokens,
    queries: NDArray[np.float32],
    keys: NDArray[np.float32],
    scale: float,
    random: np.random.Generator,
) -> Trace:
    n_layers, n_heads, n_tokens, head_width = queries.shape
    width = n_heads * head_width
    parts = [random.normal(size=(n_tokens, width)).astype(np.float32) for _ in range(3)]
    hidden = random.normal(size=(n_layers + 1, n_tokens, width)).astype(np.float32)
    return Trace(
        model="made by hand",
        tokens=tokens,
        token_embeddings=parts[0],
        segment_embeddings=parts[1],
        position_embeddings=parts[2],
        embedding_sum=parts[0] + parts[1] + parts[2],
        queries=queries,
        keys=keys,
        values=random.normal(size=queries.shape).astype(np.float32),
        lse=_log_sum_exp(exact_scores(queries, keys, scale)).astype(np.float32),
        hidden=hidden,
        pooled=np.tanh(hidden[-1, 0]),
        scale=scale,
    )
