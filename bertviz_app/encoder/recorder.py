"""`Recorder` and `record`: what one forward pass computes, copied into plain arrays, as a `Trace`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertviz_app.encoder.attention import Heads
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.disentangled import PositionHeads
from bertviz_app.encoder.embeddings import EmbeddingParts
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.positions import Positions
from bertviz_app.errors import CheckpointError, SelectionError
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import Bias, DisentangledBias, RelativeBias

Floats = NDArray[np.float32]


def record(
    encoder: Encoder,
    tokens: Tokens,
    model_name: str,
    check: Callable[[], None] | None = None,
    muted: tuple[tuple[int, int], ...] = (),
) -> Trace:
    """Return the trace of `encoder` reading `tokens`, computed on the device its weights are on.

    `check` is called once a layer and may raise `errors.Cancelled`. The heads `muted`, (layer, head),
    hand over nothing. Raises CheckpointError when the tokens have ids that the model has no embedding
    for, or when the numbers stop being finite; SelectionError for a head that does not exist.
    """
    _judge_ids(encoder, tokens)
    _judge_heads(encoder.config, muted)
    device = next(encoder.parameters()).device
    rows = np.stack((tokens.ids, tokens.segment_ids, tokens.position_ids)).astype(np.int64)  # [3, T]
    ids, segment_ids, position_ids = torch.from_numpy(rows[:, None]).to(device)  # each [1, T]
    recorder = Recorder(encoder.config, len(tokens), check)
    with torch.inference_mode():
        encoder(ids, segment_ids, position_ids, recorder, muted)
    trace = recorder.trace(model_name, tokens, muted)
    _judge_numbers(trace)
    return trace


def _judge_ids(encoder: Encoder, tokens: Tokens) -> None:
    config = encoder.config
    for name, ids, count in (
        ("token", tokens.ids, config.vocabulary_size),
        ("segment", tokens.segment_ids, max(1, config.n_segments)),  # without segments all have the id 0
        ("position", tokens.position_ids, config.n_positions),
    ):
        wrong = ids[(ids < 0) | (ids >= count)]
        if len(wrong):
            message = f"The {name} id {wrong[0]} does not exist: this model has {name} ids 0 to {count - 1}."
            raise CheckpointError(message, "Its tokenizer and its weights do not belong together.")


def _judge_heads(config: EncoderConfig, heads: tuple[tuple[int, int], ...]) -> None:
    for layer, head in heads:
        if not (0 <= layer < config.n_layers and 0 <= head < config.n_heads):
            last = f"{config.n_layers - 1} · {config.n_heads - 1}"
            message = f"There is no head {layer} · {head} to mute: this model's last is {last}."
            raise SelectionError(message, "Layers and heads count from 0.")


def _judge_numbers(trace: Trace) -> None:
    """Raise CheckpointError unless the numbers are finite.

    A hidden state that is not stays so to the top; of queries and keys the fused kernel may hide it. A
    sum costs little and is finite for all but huge numbers, which are then looked at one by one.
    """
    arrays = [trace.hidden[-1], trace.lse, trace.queries, trace.keys]
    arrays += [] if trace.pooled is None else [trace.pooled]
    with np.errstate(all="ignore"):
        if all(np.isfinite(array.sum()) for array in arrays):
            return
    damaged = _first_not_finite(trace)
    if damaged is not None:
        message = f"The numbers of {damaged} are not finite."
        hint = "The weights are damaged, or too large to be computed with; fetch the checkpoint again."
        raise CheckpointError(message, hint)


def _first_not_finite(trace: Trace) -> str | None:
    if not np.isfinite(trace.hidden[0]).all():
        return "the embeddings"
    for layer in range(trace.n_layers):
        kept = (trace.queries[layer], trace.keys[layer], trace.lse[layer], trace.hidden[layer + 1])
        if not all(np.isfinite(array).all() for array in kept):
            return f"layer {layer}"
    return None if trace.pooled is None or np.isfinite(trace.pooled).all() else "the pooler"


class Recorder:
    """Keeps one sequence of T tokens: float32, in the computer's own memory, whatever device computes.

    `check` is called once a layer and may raise `errors.Cancelled`, which ends the forward pass.
    """

    def __init__(self, config: EncoderConfig, n_tokens: int, check: Callable[[], None] | None = None) -> None:
        # numpy asks for large pages, which torch's allocator does not: the first write is cheaper.
        n_layers, n_heads = config.n_layers, config.n_heads
        per_head = (n_layers, n_heads, n_tokens, config.head_width)
        self._queries = np.empty(per_head, np.float32)
        self._keys = np.empty(per_head, np.float32)
        self._values = np.empty(per_head, np.float32)
        self._lse = np.empty(per_head[:3], np.float32)
        self._hidden = np.empty((n_layers + 1, n_tokens, config.width), np.float32)
        self._parts: tuple[Floats | None, ...] = ()
        self._pooled: Floats | None = None
        self._bias: Bias | None = None
        self._tables: dict[str, Floats] = {}  # of disentangled attention, by the names DisentangledBias has
        self._buckets: NDArray[np.int64] | None = None
        self._scale = config.scale
        self._form = config.form
        self._shares_layers = config.shares_layers
        self._check = check

    def keep_embeddings(self, hidden: Tensor, parts: EmbeddingParts) -> None:
        """Keep the first hidden state [1, T, D] and what it was made of."""
        self._parts = tuple(None if part is None else _kept(part) for part in parts)
        _copy(hidden, self._hidden[0])
        self._ask()

    def keep_positions(self, positions: tuple[Positions, ...]) -> None:
        """Keep what each layer adds to its scores by distance, if any does."""
        n_tokens = self._lse.shape[-1]
        if positions[0].buckets is not None:
            self._buckets = positions[0].buckets.cpu().numpy().copy()
        biases = [layer.bias(n_tokens, torch.device("cpu")) for layer in positions]
        n_heads = max((len(bias) for bias in biases if bias is not None), default=0)
        if n_heads == 0:
            return
        numbers = np.zeros((len(biases), n_heads, 2 * n_tokens - 1), np.float32)
        for layer, bias in enumerate(biases):
            if bias is not None:
                torch.from_numpy(numbers[layer]).copy_(bias.detach())
        self._bias = RelativeBias(numbers)

    def keep_layer(self, layer: int, hidden: Tensor, heads: Heads) -> None:
        """Keep the output of `layer` [1, T, D] and its heads."""
        _copy(heads.queries, self._queries[layer])
        _copy(heads.keys, self._keys[layer])
        _copy(heads.values, self._values[layer])
        _copy(heads.lse, self._lse[layer])
        _copy(hidden, self._hidden[layer + 1])
        if heads.by_position is not None:
            self._keep_by_position(layer, heads.by_position)
        self._ask()

    def _keep_by_position(self, layer: int, heads: PositionHeads) -> None:
        """Keep the queries and keys that `layer` made of the distances."""
        for name, tensor in (("position_queries", heads.queries), ("position_keys", heads.keys)):
            if tensor is not None:
                shape = (len(self._lse), *tensor.shape[1:])
                _copy(tensor, self._tables.setdefault(name, np.empty(shape, np.float32))[layer])

    def keep_pooled(self, pooled: Tensor | None) -> None:
        """Keep the pooled vector [1, D], if there is one."""
        if pooled is not None:
            self._pooled = _kept(pooled)

    def trace(self, model_name: str, tokens: Tokens, muted: tuple[tuple[int, int], ...] = ()) -> Trace:
        """Return what was kept of one whole forward pass over `tokens`; the arrays become read-only."""
        token, segment, position, total, normed = self._parts
        assert token is not None
        assert total is not None
        return Trace(
            model=model_name,
            tokens=tokens,
            token_embeddings=token,
            segment_embeddings=segment,
            position_embeddings=position,
            embedding_sum=total,
            embedding_norm=normed,
            shares_layers=self._shares_layers,
            queries=self._queries,
            keys=self._keys,
            values=self._values,
            lse=self._lse,
            hidden=self._hidden,
            pooled=self._pooled,
            scale=self._scale,
            bias=self._made_bias(),
            form=self._form,
            muted=tuple(sorted(set(muted))),
        )

    def _made_bias(self) -> Bias | None:
        if self._buckets is None or not self._tables:
            return self._bias
        keys, queries = (self._tables.get(name) for name in ("position_keys", "position_queries"))
        return DisentangledBias(keys, queries, self._buckets)

    def _ask(self) -> None:
        if self._check is not None:
            self._check()


def _kept(tensor: Tensor) -> Floats:
    """Return `tensor` [1, ...] as an array [...]."""
    array = np.empty(tensor.shape[1:], np.float32)
    _copy(tensor, array)
    return array


def _copy(tensor: Tensor, array: Floats) -> None:
    """Copy `tensor` [1, ...] into `array` [...]."""
    if tensor.shape[0] != 1:
        raise ValueError(f"one sequence can be recorded at a time, not {tensor.shape[0]}")
    torch.from_numpy(array).copy_(tensor.detach()[0])
