"""The position-wise parts of a layer: dense layers, activations, norms, embeddings; and taps."""

from __future__ import annotations

import math
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.functional import pad

from bertviz_app.encoder.config import EncoderConfig, TokenProjection
from bertviz_app.errors import Check, CheckpointError, Message
from bertviz_app.text import Edits
from bertviz_app.torch_operations import (
    has_mkl_products,
    has_onednn_product,
    mkl_packed,
    mkl_product,
    onednn_product,
    version_of,
)
from bertviz_app.trace.form import Point, Tap
from bertviz_app.trace.interventions import SetRow, set_rows
from bertviz_app.values import dataclass, field

LONG = 128
"""From this many tokens on, faster kernels are used. They sum the same products in another order, so results
differ in the last digits. Shorter texts are computed operation by operation, as in the eager pass of
`transformers`, and agree with it to the last bit on most machines.
"""

LONGEST_PACKED = 2048
"""Up to this many tokens packed weights are held; beyond, they save little time, and memory is scarce."""

_CPU_INFO = Path("/proc/cpuinfo")


class PackedWeight:
    """A copy of `weight` [out, in] in the order in which MKL's matrix product reads it.

    Copied or pickled it becomes None: MKL's numbers cannot be, and the copy of a module has other weights.
    """

    def __init__(self, weight: Tensor) -> None:
        self._weight, self._version = weight, version_of(weight)
        self._storage = weight.untyped_storage()  # as long as it is held, no other has its address
        self.numbers = mkl_packed(weight, LONG)

    def is_of(self, weight: Tensor) -> bool:
        """Return whether `weight` is the tensor that was copied, with the numbers that it had then.

        `Module.to` gives a weight another storage, which torch does not count as a change. Changes in place
        through `weight.data` and `weight.numpy()` are not counted either, and are not noticed here.
        """
        is_counted = weight is self._weight and version_of(weight) == self._version
        return is_counted and weight.untyped_storage().data_ptr() == self._storage.data_ptr()

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()


class Dense(nn.Linear):
    """`nn.Linear`, for long texts computed by the faster library when gradients are disabled.

    On Intel's processors that is MKL, which torch uses for float32 by default; it is faster still if the
    weight was packed. On others it is oneDNN: on an AMD with AVX-512 a whole pass of BERT-base takes twice as
    long with MKL.

    A batch of short texts with LONG tokens in all: a packed weight is used on one thread only, where it gives
    the results of the plain product to the last digit; oneDNN's product on several only, where it takes a
    tenth to a third less time.
    """

    packed: PackedWeight | None = None

    def forward(self, x: Tensor) -> Tensor:
        """Return x . W^T + b: [..., out] for [..., in], in bfloat16 where the weight is."""
        n_rows = x.numel() // x.shape[-1]
        if self.weight.dtype == torch.bfloat16:
            x = x.to(torch.bfloat16)
            # oneDNN compiles a product for each number of rows, which takes a fifth of the time of a short
            # text: on a CPU the rows are filled up to a multiple of 16.
            n_missing = -n_rows % 16
            if not n_missing or x.device.type != "cpu" or torch.is_grad_enabled():
                return super().forward(x)
            rows = functional.pad(x.reshape(n_rows, -1), (0, 0, 0, n_missing))
            return super().forward(rows)[:n_rows].view(*x.shape[:-1], -1)
        if self.packed is not None and torch.is_grad_enabled() and self.weight.requires_grad:
            self.packed = None  # it may be trained: torch does not count the steps of a fused optimizer
        is_plain = x.device.type == "cpu" and x.dtype == torch.float32
        if x.ndim < 3 or n_rows < LONG or torch.is_grad_enabled() or not is_plain:
            return super().forward(x)
        is_long, is_alone = x.shape[-2] >= LONG, torch.get_num_threads() == 1
        if self.packed is not None and (is_long or is_alone) and self.packed.is_of(self.weight):
            return mkl_product(x, self.packed.numbers, self.weight, self.bias)
        if (is_long or not is_alone) and not packs() and has_onednn_product():
            return onednn_product(x, self.weight, self.bias)
        return super().forward(x)


def arrange_weights(layers: nn.Module, n_tokens: int) -> None:
    """Pack the weights of `layers` where that helps a text of `n_tokens`.

    The copy takes as much memory as the weights: 340 MB for those of BERT-base. A short text leaves it as it
    is, a very long one removes it. On other devices and in bfloat16 nothing is packed.
    """
    if n_tokens < LONG or not packs():
        return
    for dense in _dense_layers(layers):
        if dense.weight.device.type != "cpu" or dense.weight.dtype != torch.float32:
            continue
        if n_tokens > LONGEST_PACKED:
            dense.packed = None
        elif dense.packed is None or not dense.packed.is_of(dense.weight):
            dense.packed = PackedWeight(dense.weight)


def packed_bytes(layers: nn.Module) -> int:
    """Return how many bytes the packed weights of `layers` take."""
    return sum(dense.weight.nbytes for dense in _dense_layers(layers) if dense.packed is not None)


def _dense_layers(layers: nn.Module) -> Iterator[Dense]:
    return (module for module in layers.modules() if isinstance(module, Dense))


@cache
def packs() -> bool:
    """Return whether packing weights helps: on Intel's processors, if torch has the operations of MKL."""
    return _is_intel() and has_mkl_products()


def _is_intel() -> bool:
    description = platform.processor()
    if sys.platform == "linux":
        try:
            description = _CPU_INFO.read_text(encoding="utf-8", errors="replace")
        except OSError:  # some sandboxes hide it
            description = ""
    return "GenuineIntel" in description


Activation = Callable[[Tensor], Tensor]


_gelu_by_tanh = partial(functional.gelu, approximate="tanh")


def _gelu_by_sigmoid(x: Tensor) -> Tensor:
    return x * torch.sigmoid(1.702 * x)


def _gelu_up_to_10(x: Tensor) -> Tensor:
    return functional.gelu(x).clamp(-10, 10)


def _squared_relu(x: Tensor) -> Tensor:
    """So et al. 2021, arXiv:2109.08668."""
    return functional.relu(x).square()


def _laplace(x: Tensor) -> Tensor:
    """Ma et al. 2022, arXiv:2209.10655: an approximation of the squared ReLU."""
    return 0.5 * (1.0 + torch.erf((x - 0.707107) / (0.282095 * math.sqrt(2.0))))


ACTIVATIONS: MappingProxyType[str, Activation] = MappingProxyType(
    {
        "gelu": functional.gelu,  # exact, by the error function: what BERT uses
        "gelu_python": functional.gelu,
        "gelu_new": _gelu_by_tanh,
        "gelu_fast": _gelu_by_tanh,
        "gelu_accurate": _gelu_by_tanh,
        "gelu_pytorch_tanh": _gelu_by_tanh,
        "gelu_python_tanh": _gelu_by_tanh,
        "quick_gelu": _gelu_by_sigmoid,
        "gelu_10": _gelu_up_to_10,
        "relu": functional.relu,
        "relu2": _squared_relu,
        "relu6": functional.relu6,
        "leaky_relu": functional.leaky_relu,
        "silu": functional.silu,
        "swish": functional.silu,
        "hardswish": functional.hardswish,
        "mish": functional.mish,
        "laplace": _laplace,
        "sigmoid": torch.sigmoid,
        "tanh": torch.tanh,
        "linear": torch.positive,  # x as it is
    }
)
"""The activations by the names that Hugging Face configurations use."""


def activation(name: str) -> Activation:
    """Return the activation called `name`. Raises CheckpointError for an unknown name."""
    if name not in ACTIVATIONS:
        message = Message("This checkpoint uses the activation “{0}”, which is not known.", name)
        raise CheckpointError(message, Message("Known are {0}.", ", ".join(ACTIVATIONS)))
    return ACTIVATIONS[name]


class DeviationNorm(nn.LayerNorm):
    """(x - mean) / (s + eps) * weight + bias, where s is the sample standard deviation (divided by D - 1).

    The norm of "The Annotated Transformer" and of code that follows it.
    """

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 - torch's name
        mean, deviation = input.mean(-1, keepdim=True), input.std(-1, keepdim=True)
        normed: Tensor = self.weight * (input - mean) / (deviation + self.eps)
        return normed if self.bias is None else normed + self.bias


class RmsNorm(nn.LayerNorm):
    """x / sqrt(mean(x^2) + eps) * weight, of x with its mean (Zhang and Sennrich 2019, arXiv:1910.07467)."""

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 - torch's name
        mean_square = input.square().mean(-1, keepdim=True)
        normed: Tensor = self.weight * (input * (mean_square + self.eps).rsqrt())
        return normed if self.bias is None else normed + self.bias


class ScalingNorm(nn.LayerNorm):
    """x * weight + bias: what stands in MobileBERT where others have a norm.

    Sun et al. 2020, arXiv:2004.02984, section 3.3; `NoNorm` in its code.
    """

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 - torch's name
        scaled: Tensor = input * self.weight
        return scaled if self.bias is None else scaled + self.bias


def layer_norm(config: EncoderConfig, width: int | None = None) -> nn.LayerNorm:
    """Return a layer norm over `width`, by default D."""
    kind = DeviationNorm if config.form.norms_by_deviation else nn.LayerNorm
    kind = RmsNorm if config.form.has_rms_norms else kind
    kind = ScalingNorm if config.form.has_scaling_norms else kind
    return kind(width or config.width, eps=config.norm_eps, bias=config.form.has_norm_biases)


@dataclass(frozen=True)
class References:
    """Tensors of other texts that interventions patch in, by the texts that `Edits` name.

    `means`: of each reference text, the mean output of every head over its tokens [L, H, E]. `states`: of
    each text, and its second one, the output of the embeddings and of each layer [L + 1, T, D].
    """

    means: Mapping[str, Tensor] = field(default_factory=dict)
    states: Mapping[tuple[str, str | None], Tensor] = field(default_factory=dict)


NO_REFERENCES = References()


@dataclass(frozen=True)
class LayerTap:
    """A tap at one layer: called with a point and a tensor, it returns the tensor to continue with.

    `check` is called at every point, and between the parts of what takes long; it may raise
    `errors.Cancelled`, which ends the pass in the middle of a layer.
    """

    tap: Tap | None = None
    layer: int = 0
    check: Check = lambda: None

    def wants(self, point: Point) -> bool:
        """Return whether the tap is to be called at `point` of this layer."""
        return self.tap is not None and self.tap.wants(point, self.layer)

    def wants_any(self, points: Iterable[Point]) -> bool:
        """Return whether the tap is to be called at one of `points` of this layer."""
        return any(map(self.wants, points))

    def __call__(self, point: Point, tensor: Tensor) -> Tensor:
        """Return `tensor`, or what the tap replaces it with. Raises ValueError for another shape."""
        self.check()
        if self.tap is None or not self.tap.wants(point, self.layer):
            return tensor
        found = self.tap(point, self.layer, tensor)
        if found.shape != tensor.shape:
            message = f"{point} of layer {self.layer} has the shape {list(tensor.shape)}"
            raise ValueError(f"{message}, its replacement {list(found.shape)}")
        return found


UNTAPPED = LayerTap()
"""Of a pass whose tensors nobody reads or replaces."""


class Intervene:
    """Makes the interventions of `edits` on heads and on single weights; those on tokens are in the input.

    A head whose output is replaced by zeros or by a mean still computes its attention. `references` has what
    is put in of the other texts that `edits` name. A weight or a state of a token that an input does not
    have, or a weight of two tokens that do not reach each other, stays as it is.
    """

    def __init__(self, edits: Edits, references: References = NO_REFERENCES) -> None:
        self._means = references.means
        self._states: dict[tuple[Point, int], list[tuple[int, Tensor]]] = {}
        for put in edits.states:
            position = edits.position_read(put.token)
            at = (Point.EMBEDDINGS, 0) if put.state == 0 else (Point.OUTPUT, put.state - 1)
            if position is not None:
                vector = references.states[put.texts][put.state, put.source_token]
                self._states.setdefault(at, []).append((position, vector))
        self._muted = edits.muted
        self._outputs = [one for one in edits.heads if one.kind == "mean"]
        self._uniform = [(one.layer, one.head) for one in edits.heads if one.kind == "uniform"]
        self._rows = set_rows(edits)
        self._of_output = {layer for layer, _ in edits.muted} | {one.layer for one in self._outputs}
        self._of_weights = {layer for layer, _ in self._uniform} | {row.layer for row in self._rows}
        self._first = 0
        self._reachable: Tensor | None = None

    def wants(self, point: Point, layer: int) -> bool:
        if point in (Point.EMBEDDINGS, Point.OUTPUT):
            return (point, layer) in self._states
        if point is Point.MIXED:
            return layer in self._of_output
        return point in (Point.SCORE_ROWS, Point.WEIGHT_ROWS) and layer in self._of_weights

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        if point is Point.MIXED:
            return self._replaced(layer, tensor)
        if point in (Point.EMBEDDINGS, Point.OUTPUT):
            at = torch.arange(tensor.shape[1], device=tensor.device)  # [T]
            for position, vector in self._states[point, layer]:
                tensor = torch.where((at == position)[:, None], vector.to(tensor), tensor)
            return tensor
        if point is Point.SCORE_ROWS:
            self._reachable = tensor > torch.finfo(tensor.dtype).min / 2  # padding has the lowest number
            return tensor
        assert self._reachable is not None
        first, n_rows, n_tokens = self._first, *tensor.shape[-2:]
        self._first = 0 if first + n_rows == n_tokens else first + n_rows
        weights = self._equal(layer, tensor, self._reachable)
        for row in self._rows:
            is_here = first <= row.query < first + n_rows and max(row.keys) < n_tokens
            if row.layer == layer and is_here:
                weights = _with_set(weights, self._reachable, row, row.query - first)
        return weights

    def _replaced(self, layer: int, mixed: Tensor) -> Tensor:
        """Return the outputs [B, H, T, E] with zeros or means for some heads."""
        if muted := [head for at, head in self._muted if at == layer]:
            mixed = mixed.index_fill(1, torch.tensor(muted, device=mixed.device), 0.0)
        for one in self._outputs:
            if one.layer == layer:
                mean = self._means[one.reference][layer, one.head].to(mixed)  # [E]
                is_it = torch.arange(mixed.shape[1], device=mixed.device) == one.head
                mixed = torch.where(is_it[:, None, None], mean, mixed)
        return mixed

    def _equal(self, layer: int, weights: Tensor, reachable: Tensor) -> Tensor:
        """Return the weights [B, H, r, T] with equal ones in uniform heads."""
        heads = [head for at, head in self._uniform if at == layer]
        if not heads:
            return weights
        is_uniform = torch.zeros(weights.shape[1], dtype=torch.bool, device=weights.device)
        is_uniform[heads] = True
        equal = reachable.to(weights.dtype)
        equal = equal / equal.sum(-1, keepdim=True).clamp(min=1)
        return torch.where(is_uniform[:, None, None], equal, weights)


def _with_set(weights: Tensor, reachable: Tensor, row: SetRow, at: int) -> Tensor:
    """Return the weights [B, H, r, T] with some weights of row `at` of this block set to given values.

    The others of the row keep their proportions. A row in which one of them cannot be set stays as it is.
    """
    old, can = weights[:, row.head, at], reachable[:, row.head, at]  # [B, T]
    given = torch.zeros_like(old[0])
    given[list(row.keys)] = torch.tensor(row.weights, dtype=old.dtype, device=old.device)
    is_set = torch.zeros_like(can[0])
    is_set[list(row.keys)] = True
    others = (can & ~is_set).to(old.dtype)
    rest = torch.where(is_set, 0.0, old)
    rest = torch.where(rest.sum(-1, keepdim=True) > 0, rest, others)
    rest = rest / rest.sum(-1, keepdim=True).clamp(min=torch.finfo(old.dtype).tiny)
    changes = can[:, list(row.keys)].all(-1, keepdim=True) & (others.sum(-1, keepdim=True) > 0)
    found = weights.clone()
    found[:, row.head, at] = torch.where(changes, rest * row.rest + given, old)
    return found


class Embeddings(nn.Module):
    """Token + segment + learned position embedding, then a layer norm (Devlin et al. 2019, figure 2).

    Some families have no segment embeddings (Sanh et al. 2019, arXiv:1910.01108), some no position embeddings
    (Warner et al. 2024, arXiv:2412.13663), and in some the embeddings are narrower than the layers and are
    projected (Lan et al. 2020, arXiv:1909.11942, section 3.1), or the token embeddings alone are. ERNIE adds
    an embedding of the task (Sun et al. 2019, arXiv:1907.12412, section 4.2), here the first one, as in its
    own code where no task is given.
    Models written in notebooks may have no norm, or sinusoidal positions (Vaswani et al. 2017, section 3.5),
    some with a frequency for each column.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        width = config.embedding_width or config.width
        kind = config.token_projection
        self.token = nn.Embedding(config.vocabulary_size, width if kind is None else kind.width)
        self.token_projection = None if kind is None else ProjectedTokens(config, kind)
        self.segment = nn.Embedding(config.n_segments, width) if config.n_segments else None
        form = config.form
        factor = (width**0.5 if form.scales_tokens else 1.0) * (2.0 if form.doubles_tokens else 1.0)
        self.token_factor = None if factor == 1.0 else factor
        self.zeroed_id = config.zeroed_id
        self.has_sinusoids, self.by_column = form.has_sinusoids, form.has_column_sinusoids
        has_table = config.has_position_table and not form.has_sinusoids
        self.position = nn.Embedding(config.n_positions, width) if has_table else None
        self.task = nn.Embedding(config.n_tasks, width) if config.n_tasks else None
        self.norm = layer_norm(config, width) if form.has_embedding_norm else nn.Identity()
        self.projection = Dense(width, config.width) if config.embedding_width else None

    def forward(
        self,
        ids: Tensor,
        segment_ids: Tensor,
        position_ids: Tensor,
        tap: LayerTap = UNTAPPED,
        seen: Tensor | None = None,
    ) -> Tensor:
        """Return the first hidden state [B, T, D]; the ids are int64 [B, T].

        `seen`, bool [B, T], is False for padding.
        """
        total = tap(Point.TOKEN_EMBEDDINGS, self._tokens(ids, seen))  # [B, T, W]
        if self.token_projection is not None:
            total = tap(Point.TOKEN_PROJECTION, self.token_projection(total, seen))  # [B, T, D]
        if self.segment is not None:
            total = total + tap(Point.SEGMENT_EMBEDDINGS, self.segment(segment_ids))  # [B, T, W]
        position = None if self.position is None else self.position(position_ids)  # [B, T, W]
        if self.has_sinusoids:
            position = sinusoids(position_ids, total.shape[-1], by_column=self.by_column)  # [B, T, W]
        if position is not None:
            total = total + tap(Point.POSITION_EMBEDDINGS, position)  # [B, T, W]
        if self.task is not None:
            first = self.task(torch.zeros_like(ids))  # [B, T, W]
            total = total + tap(Point.TASK_EMBEDDINGS, first)  # [B, T, W]
        normed = self.norm(tap(Point.EMBEDDING_SUM, total))  # [B, T, W]
        if self.projection is not None:
            normed = self.projection(tap(Point.EMBEDDING_NORM, normed))  # [B, T, D]
        return tap(Point.EMBEDDINGS, normed)

    def of_pieces(self, ids: Tensor) -> Tensor:
        """Return the contribution of the pieces `ids` [n] alone to the first layer's input [n, D].

        Their token embeddings go through the norm, and the projection where there is one, without any
        position, segment or task.
        """
        token = self._tokens(ids[:, None])  # [n, 1, W]: each a text of one token
        if self.token_projection is not None:
            token = self.token_projection(token)  # [n, 1, D]
        normed = self.norm(token)  # [n, 1, W]
        found: Tensor = normed if self.projection is None else self.projection(normed)
        return found[:, 0]

    def _tokens(self, ids: Tensor, seen: Tensor | None = None) -> Tensor:
        """Return the token embeddings [B, T, W] of `ids` [B, T] as they are added to the others."""
        token: Tensor = self.token(ids)
        if self.token_factor is not None:
            token = token * self.token_factor
        if self.zeroed_id is not None:
            token = token * unmasked_share(ids == self.zeroed_id, seen)
        return token


class ProjectedTokens(nn.Module):
    """Token embeddings brought to the width D, in MobileBERT those of each token and its two neighbours."""

    def __init__(self, config: EncoderConfig, kind: TokenProjection) -> None:
        super().__init__()
        self.has_neighbours = kind.has_neighbours
        self.dense = Dense(kind.width * (3 if kind.has_neighbours else 1), config.width)

    def forward(self, token: Tensor, seen: Tensor | None = None) -> Tensor:
        """Return [B, T, D] for token embeddings [B, T, W].

        Beyond the ends of a text, and in padding, which is where `seen`, bool [B, T], is False, are zeros.
        """
        if self.has_neighbours:
            if seen is not None:
                token = token * seen[..., None]
            following, before = pad(token[:, 1:], (0, 0, 0, 1)), pad(token[:, :-1], (0, 0, 1, 0))
            token = torch.cat((following, token, before), dim=-1)  # [B, T, 3 * W]
        projected: Tensor = self.dense(token)
        return projected


def unmasked_share(masked: Tensor, seen: Tensor | None) -> Tensor:
    """Return the factors of the token embeddings [B, T, 1]: 0 where `masked` [B, T].

    In all others the share of tokens that were not masked in training, divided by that in this text (Lin et
    al. 2022, doi:10.1126/science.ade2574; `token_dropout` in its code).
    """
    if seen is None:
        seen = torch.ones_like(masked)
    observed = (masked & seen).sum(-1, keepdim=True) / seen.sum(-1, keepdim=True)  # [B, 1]
    # Of 15 in 100 tokens to predict 8 in 10 were masked: in training ESM saw the other 88 in 100 as they are.
    factors = (1 - 0.15 * 0.8) / (1 - observed)  # [B, 1]
    return torch.where(masked, 0.0, factors)[..., None]


def sinusoids(position_ids: Tensor, width: int, *, by_column: bool = False) -> Tensor:
    """Return [..., D] for positions [...]: sines in the even columns, cosines in the odd ones.

    Of pos / 10000^(2i / D) in the columns 2i and 2i + 1; `by_column`: of pos / 10000^(2c / D) in column c.
    """
    columns = torch.arange(width, dtype=torch.float64)  # [D]
    exponents = 2 * columns if by_column else columns - columns % 2  # [D]
    # In float64, on the CPU: for a late position float32 would be wrong in the fifth digit.
    angles = position_ids.cpu()[..., None] / 10000.0 ** (exponents / width)  # [..., D]
    numbers = torch.where(columns % 2 == 0, angles.sin(), angles.cos())  # [..., D]
    return numbers.to(position_ids.device, torch.float32)
