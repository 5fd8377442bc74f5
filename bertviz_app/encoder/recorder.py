"""A forward pass over one text or several, copied into traces of NumPy arrays; a layer computed again."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from dataclasses import fields, replace

import numpy as np
import torch
from torch import Tensor

from bertviz_app.encoder.attention import global_tokens
from bertviz_app.encoder.dense import NO_REFERENCES, Intervene, References
from bertviz_app.encoder.encoder import Encoder, encoder_inputs
from bertviz_app.encoder.positions import Distances, Offsets
from bertviz_app.errors import Check, CheckpointError, Message, Progress
from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import Bias, BlockSparse, DisentangledBias, GlobalAttention, RelativeBias
from bertviz_app.trace.form import Capture, Point, TapAt, Taps
from bertviz_app.trace.interventions import validate_cells, validate_heads, validate_reach, validate_states
from bertviz_app.trace.memory import LARGE, TraceMemory, array_in_file, release_pages
from bertviz_app.trace.provenance import NOT_KNOWN, LayerDetails, Provenance
from bertviz_app.types import Floats, Ints

_STATES = frozenset({Point.EMBEDDINGS, Point.OUTPUT})
_OF_DISTANCES = (Point.POSITION_KEYS, Point.POSITION_QUERIES)
_ONCE = frozenset(
    {
        Point.TOKEN_EMBEDDINGS,
        Point.TOKEN_PROJECTION,
        Point.TASK_EMBEDDINGS,
        Point.SEGMENT_EMBEDDINGS,
        Point.POSITION_EMBEDDINGS,
        Point.EMBEDDING_SUM,
        Point.EMBEDDING_NORM,
        Point.POOLED,
    }
)
_OF_GLOBAL_TOKENS = (Point.GLOBAL_KEYS, Point.GLOBAL_VALUES)
_BY_HEAD = frozenset(
    {Point.QUERIES, Point.KEYS, Point.VALUES, Point.GLOBAL_KEYS, Point.GLOBAL_VALUES, Point.LSE}
)
_RECORDED = frozenset({*_STATES, *_BY_HEAD, *_OF_DISTANCES, *_ONCE})

_SUMMED = frozenset({Point.QUERIES, Point.KEYS, Point.LSE, Point.OUTPUT, Point.POOLED})
"""What tells whether a pass is finite, see `_validate_numbers`: a GPU adds them up sooner than NumPy."""


def record(  # noqa: PLR0913 - each is named by its callers
    encoder: Encoder,
    tokens: Tokens,
    model_name: str,
    check: Check = lambda: None,
    edits: Edits = NO_EDITS,
    provenance: Provenance = NOT_KNOWN,
    memory: TraceMemory | None = None,
    references: References = NO_REFERENCES,
    progress: Progress | None = None,
) -> Trace:
    """Return the trace of `encoder` reading `tokens`, computed on the device its weights are on.

    `check` is called several times in each layer and may raise `errors.Cancelled`. The `edits` of heads and
    of weights are made here; those of tokens are in `tokens` already. `references` has what is put in of
    other texts that they name. `provenance` becomes that of the trace, whose arrays are made in `memory`,
    if it is given. `progress` is called after each layer. Raises CheckpointError when the tokens have ids
    that the model has no embedding for, or when the numbers stop being finite; SelectionError for a head that
    does not exist, InterventionError for a weight that cannot be set.
    """
    if edits:
        validate_heads(edits, encoder.config.n_layers, encoder.config.n_heads, encoder.config.pruned)
        validate_cells(edits, len(tokens))
        validate_states(edits, encoder.config.n_layers, len(tokens))
    inputs = encoder_inputs(encoder.config, [tokens], next(encoder.parameters()).device)
    recorder = Recorder(encoder, len(tokens), memory, progress)
    tap = Taps(Intervene(edits, references), recorder) if edits else recorder
    with torch.inference_mode(), recorder:
        encoder(*inputs, tap=tap, check=check)
    trace = recorder.trace(model_name, tokens, edits, provenance)
    if not recorder.is_known_finite:
        _validate_numbers(trace)
    if edits:
        validate_reach(trace)
    return trace


def record_batch(
    encoder: Encoder,
    inputs: Sequence[Tokens],
    model_name: str,
    check: Check = lambda: None,
    provenance: Provenance = NOT_KNOWN,
) -> list[Trace]:
    """Return the traces of `inputs`, computed in one forward pass; shorter inputs are padded.

    Padding has no part in any number, so each trace is what `record` returns of the text alone, but for
    rounding. `check` is called several times in each layer. Raises as `record`.
    """
    counts = [len(tokens) for tokens in inputs]
    longest = max(counts)
    batch = encoder_inputs(encoder.config, inputs, next(encoder.parameters()).device)
    positions, rows = encoder.positions(longest)[0], []
    if isinstance(positions, Distances | Offsets):
        # Which of the vectors of distances, made for the longest input, each input has.
        buckets = [positions.buckets[longest - count : longest + count - 1] for count in counts]
        rows = [torch.unique(own) for own in buckets]
    recorders = [Recorder(encoder, count) for count in counts]

    def divide(point: Point, layer: int, tensor: Tensor) -> Tensor:
        """Give each recorder its own input's part [1, ...] of a tensor, without padding."""
        for number, (recorder, count) in enumerate(zip(recorders, counts, strict=True)):
            own = tensor[number : number + 1]
            if point in _OF_DISTANCES:
                own = tensor.index_select(2, rows[number]) if rows else tensor
            elif point is not Point.POOLED:
                own = own[:, :, :count] if point in _BY_HEAD else own[:, :count]
            recorder(point, layer, own)
        return tensor

    with torch.inference_mode(), ExitStack() as entered:
        for recorder in recorders:
            entered.enter_context(recorder)
        encoder(*batch, tap=TapAt(_RECORDED, divide), check=check)
    pairs = zip(recorders, inputs, strict=True)
    traces = [recorder.trace(model_name, tokens, provenance=provenance) for recorder, tokens in pairs]
    if not all(recorder.is_known_finite for recorder in recorders):
        for trace in traces:
            _validate_numbers(trace)
    return traces


def references_of(
    encoder: Encoder, edits: Edits, tokens_of: Callable[[str, str | None], Tokens]
) -> References:
    """Return the tensors to patch in from the other texts that `edits` names; `tokens_of` encodes these."""
    return References(
        {text: means_of(encoder, tokens_of(text, None)) for text in edits.references},
        {texts: states_of(encoder, tokens_of(*texts)) for texts in edits.sources},
    )


def states_of(encoder: Encoder, tokens: Tokens) -> Tensor:
    """Return the output of the embeddings and of each layer for `tokens` [L + 1, T, D]."""
    return _captured(encoder, tokens, _STATES)


def means_of(encoder: Encoder, tokens: Tokens) -> Tensor:
    """Return the mean of each head's output over all `tokens`, special ones among them [L, H, E]."""
    return _captured(encoder, tokens, {Point.MIXED}, lambda outputs: outputs.mean(-2))


def _captured(
    encoder: Encoder,
    tokens: Tokens,
    points: Collection[Point],
    reduce: Callable[[Tensor], Tensor] | None = None,
) -> Tensor:
    """Return what a pass computes at `points`, in its order, along the first axis; reduced if asked."""
    capture = Capture(points)
    inputs = encoder_inputs(encoder.config, [tokens], next(encoder.parameters()).device)
    with torch.inference_mode():
        encoder(*inputs, tap=capture)
        found = torch.cat([*capture.tensors.values()])
        if reduce is not None:  # before it is copied: it may be large
            found = reduce(found)
    return found.clone()  # gradients may be taken of what it is put into


def _validate_numbers(trace: Trace) -> None:
    """Raise CheckpointError unless the numbers of `trace` are finite.

    A hidden state that is not finite makes the last one so; in queries and keys a fused kernel may hide it. A
    sum costs little and is finite for all but huge numbers; only then is every number tested.
    """
    arrays = [trace.hidden[-1], trace.lse, trace.queries, trace.keys]
    arrays += [] if trace.pooled is None else [trace.pooled]
    with np.errstate(all="ignore"):
        if all(np.isfinite(array.sum()) for array in arrays):
            return
    found = [(Message("The numbers of the embeddings are not finite."), trace.hidden[:1])]
    for layer in range(trace.n_layers):
        message = Message("The numbers of layer {0} are not finite.", layer)
        of_layer = (trace.queries[layer], trace.keys[layer], trace.lse[layer], trace.hidden[layer + 1])
        found += [(message, array) for array in of_layer]
    if trace.pooled is not None:
        found.append((Message("The numbers of the pooler are not finite."), trace.pooled))
    damaged = next((message for message, array in found if not np.isfinite(array).all()), None)
    if damaged is not None:
        raise CheckpointError(
            damaged,
            Message("The weights are damaged, or too large to be computed with; fetch the checkpoint again."),
        )


class Recorder:
    """A tap that copies the tensors of a `Trace` of T tokens: float32, in the memory of the CPU.

    `progress` is called after each layer. It is entered around the forward pass: afterwards all is copied.
    """

    def __init__(
        self,
        encoder: Encoder,
        n_tokens: int,
        memory: TraceMemory | None = None,
        progress: Progress | None = None,
    ) -> None:
        config = self._config = encoder.config
        per_head = (config.n_layers, config.n_heads, n_tokens, config.head_width)
        states = (config.n_layers + 1, n_tokens, config.width)
        # Attention needs queries and keys; the values and hidden states of a long text are rarely shown.
        in_file = 4 * max(math.prod(per_head), math.prod(states)) > LARGE
        near = [per_head, per_head, per_head[:3]]
        arrays = (memory or TraceMemory()).arrays(near if in_file else [*near, per_head, states])
        if in_file:
            arrays += [array_in_file(per_head), array_in_file(states)]
        *of_layers, self._hidden = arrays
        points = Point.QUERIES, Point.KEYS, Point.LSE, Point.VALUES
        self._of_layers = dict(zip(points, of_layers, strict=True))
        self._once: dict[Point, Floats] = {}
        self._positions = encoder.positions(n_tokens)
        self._progress = progress
        self._stream: torch.cuda.Stream | None = None  # in which a GPU copies
        self._sums: list[Tensor] = []  # of numbers that are on a GPU
        self.is_known_finite = False  # else the numbers of the trace are looked at

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        """Wait for the copies, after an error, too: their memory may be used for another trace then."""
        if self._stream is not None:
            self._stream.synchronize()
        if self._sums:
            self.is_known_finite = bool(torch.stack(self._sums).isfinite().all())

    def wants(self, point: Point, layer: int) -> bool:
        return point in _RECORDED

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        """Copy `tensor` [1, ...] and return it."""
        if tensor.is_cuda:
            self._stream = self._stream or torch.cuda.current_stream(tensor.device)
            if point in _SUMMED:
                self._sums.append(tensor.sum(dtype=torch.float32))
        if point in _STATES:
            _copy(tensor, self._hidden[0 if point is Point.EMBEDDINGS else layer + 1])
            release_pages(self._hidden)
            if point is Point.OUTPUT and self._progress is not None:
                self._progress(layer + 1, self._config.n_layers)
        elif point in _ONCE:
            array = self._once[point] = np.empty(tensor.shape[1:], np.float32)
            _copy(tensor, array)
        else:
            if point not in self._of_layers:  # of disentangled attention, whose size is known only now
                self._of_layers[point] = np.empty((self._config.n_layers, *tensor.shape[1:]), np.float32)
            _copy(tensor, self._of_layers[point][layer])
            release_pages(self._of_layers[point])
        return tensor

    def trace(
        self,
        model_name: str,
        tokens: Tokens,
        edits: Edits = NO_EDITS,
        provenance: Provenance = NOT_KNOWN,
    ) -> Trace:
        """Return the trace of one whole forward pass over `tokens`; the arrays become read-only."""
        once, of_layers, config = self._once, self._of_layers, self._config
        return Trace(
            model=model_name,
            tokens=tokens,
            token_embeddings=once[Point.TOKEN_EMBEDDINGS],
            token_projection=once.get(Point.TOKEN_PROJECTION),
            segment_embeddings=once.get(Point.SEGMENT_EMBEDDINGS),
            task_embeddings=once.get(Point.TASK_EMBEDDINGS),
            position_embeddings=once.get(Point.POSITION_EMBEDDINGS),
            embedding_sum=once[Point.EMBEDDING_SUM],
            embedding_norm=once.get(Point.EMBEDDING_NORM),
            shares_layers=config.shares_layers,
            queries=of_layers[Point.QUERIES],
            keys=of_layers[Point.KEYS],
            values=of_layers[Point.VALUES],
            lse=of_layers[Point.LSE],
            hidden=self._hidden,
            pooled=once.get(Point.POOLED),
            scale=config.scale,
            bias=self._bias(tokens),
            form=config.form,
            pruned=config.pruned,
            muted=edits.muted,
            heads=edits.heads,
            cells=edits.cells,
            states=edits.states,
            provenance=replace(provenance, replaced=edits.replaced, tokens=edits.tokens),
        )

    def _bias(self, tokens: Tokens) -> Bias | None:
        """Return the bias of each layer's scores, None where there is none."""
        window = self._by_distance()
        kind = self._config.global_tokens
        if kind is None:
            return window
        assert window is None or isinstance(window, RelativeBias)
        chosen = global_tokens(kind, torch.tensor(tokens.ids)[None])[0].nonzero()[:, 0].tolist()
        keys, values = (self._of_layers[point] for point in _OF_GLOBAL_TOKENS)
        return GlobalAttention(len(chosen), keys, values, window, first=chosen[0] if chosen else 0)

    def _by_distance(self) -> DisentangledBias | RelativeBias | BlockSparse | None:
        """Return the bias by distances or by blocks of tokens, None where there is none."""
        distances, blocks = self._positions[0], self._config.blocks
        if blocks is not None:
            n_tokens = self._hidden.shape[1]
            is_long = n_tokens > blocks.longest_full
            return BlockSparse(blocks.size, blocks.n_random, n_tokens) if is_long else None
        if isinstance(distances, Distances | Offsets):
            keys, queries = (self._of_layers.get(point) for point in _OF_DISTANCES)
            return DisentangledBias(keys, queries, distances.buckets.cpu().numpy().copy())
        n_tokens = self._hidden.shape[1]
        biases = [layer.bias(n_tokens, torch.device("cpu")) for layer in self._positions]
        n_heads = max((len(bias) for bias in biases if bias is not None), default=0)
        if n_heads == 0:
            return None
        numbers = np.zeros((len(biases), n_heads, 2 * n_tokens - 1), np.float32)
        for layer, bias in enumerate(biases):
            if bias is not None:
                torch.from_numpy(numbers[layer]).copy_(bias.detach())
        return RelativeBias(numbers)


def _copy(tensor: Tensor, array: Floats) -> None:
    """Copy `tensor` [1, ...] into `array` [...].

    A GPU copies into page-locked memory later, in the order of its work, while the next products are started;
    into other memory at once.
    """
    if tensor.shape[0] != 1:
        raise ValueError(f"one sequence can be recorded at a time, not {tensor.shape[0]}")
    torch.from_numpy(array).copy_(tensor.detach()[0], non_blocking=tensor.is_cuda)


_NAMES = {field.name for field in fields(LayerDetails)}
_POINTS = frozenset(point for point in Point if point.value in _NAMES)


def layer_details(
    encoder: Encoder,
    hidden: Floats,
    layer: int,
    edits: Edits = NO_EDITS,
    ids: Ints | None = None,
    references: References = NO_REFERENCES,
) -> LayerDetails:
    """Return all that `layer` computes from its input `hidden` [T, D], on the device of its weights.

    The forward pass itself, read by a tap: for the same input the same numbers, with `edits` on its heads and
    weights; `references` as in `Intervene`. The `ids` [T] are needed where it depends on these which tokens
    are global.
    """
    capture, earlier = Capture(_POINTS), list[Floats]()  # feed-forward parts before the last

    def hold_part(point: Point, layer: int, tensor: Tensor) -> Tensor:
        earlier.append(_array(tensor))
        return tensor

    tap = Taps(Intervene(edits, references), capture, TapAt({Point.EARLIER_PART}, hold_part))
    device = next(encoder.parameters()).device
    with torch.inference_mode():
        x = torch.from_numpy(hidden[None].copy()).to(device)  # [1, T, D]
        known = None if ids is None else torch.from_numpy(ids[None].astype(np.int64)).to(device)  # [1, T]
        output = encoder.layer_output(layer, x, encoder.positions(len(hidden), known)[layer], tap=tap)
        if layer == encoder.config.n_layers - 1:
            encoder.pooled(output, tap)
        arrays = {point.value: _array(tensor) for (point, _), tensor in capture.tensors.items()}
        arrays |= {"earlier_parts": np.stack(earlier)} if earlier else {}
    concat = np.concatenate(arrays["mixed"], axis=-1)  # [T, H * E], the heads side by side
    if "span_convolved" in arrays:
        concat = np.concatenate((concat, arrays["span_convolved"]), axis=-1)  # [T, 2 * H * E]
    kind = encoder.config.convolution
    return LayerDetails(
        layer=layer,
        activation=encoder.config.activation,
        concat=concat,
        convolution_activation=kind.activation if kind is not None and layer == 0 else None,
        **arrays,
    )


def _array(tensor: Tensor) -> Floats:
    """Return a copy of `tensor` [1, ...] as an array [...]."""
    return tensor[0].detach().to("cpu", torch.float32).numpy().copy()
