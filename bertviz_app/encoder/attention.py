"""Self-attention in H heads (Vaswani et al. 2017), its disentangled, global and convolved forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import pad, scaled_dot_product_attention

from bertviz_app.encoder.config import (
    Convolution,
    Disentangling,
    EncoderConfig,
    GlobalTokens,
    SpanConvolution,
)
from bertviz_app.encoder.dense import LONG, UNTAPPED, Dense, LayerTap, activation
from bertviz_app.encoder.positions import (
    NO_POSITIONS,
    AttentionWindow,
    Blocked,
    Distances,
    Offsets,
    Positions,
    Rotary,
    bias_of_rows,
    rotated,
)
from bertviz_app.torch_operations import (
    cpu_flash_attention,
    cpu_flash_attention_takes_bfloat16,
    cuda_efficient_attention,
    has_cpu_flash_attention,
    has_cuda_efficient_attention,
)
from bertviz_app.trace.form import Point
from bertviz_app.values import dataclass, replace


class NeighbourConvolution(nn.Module):
    """A convolution over neighbouring tokens, an activation, and a norm of the sum with the layer's output.

    It reads the input of the first layer. The authors of DeBERTa call it n-gram induced input encoding.
    """

    def __init__(self, config: EncoderConfig, kind: Convolution) -> None:
        super().__init__()
        half = (kind.kernel_size - 1) // 2
        self.convolution = nn.Conv1d(
            config.width, config.width, kind.kernel_size, padding=half, groups=kind.n_groups
        )
        self.activation = activation(kind.activation)
        self.norm = nn.LayerNorm(config.width, eps=config.norm_eps)

    def forward(
        self, hidden: Tensor, output: Tensor, seen: Tensor | None = None, tap: LayerTap = UNTAPPED
    ) -> Tensor:
        """Return the output of the first layer [B, T, D], given its input and what it is without convolution.

        Tokens beyond the ends of a text, and padding, count as zeros. `seen` as `SelfAttention.forward`.
        """
        output = tap(Point.OUTPUT_NORM, output)  # [B, T, D]
        if seen is not None:
            hidden = hidden * seen[..., None]
        folded = self.convolution(hidden.transpose(1, 2)).transpose(1, 2)  # [B, T, D]
        active = tap(Point.CONVOLVED, self.activation(folded))  # [B, T, D]
        normed: Tensor = self.norm(tap(Point.CONVOLUTION_SUM, output + active))  # [B, T, D]
        return normed


class SpanConvolutions(nn.Module):
    """One convolution per head, as wide as a head, with kernels computed from each token.

    Jiang et al. 2020, arXiv:2008.02496, section 3.3: span-based dynamic convolution. A kernel is made of the
    token's query and of a key of the tokens around it; what is added up is another projection of these.
    """

    def __init__(self, config: EncoderConfig, kind: SpanConvolution) -> None:
        super().__init__()
        width, wide, size = config.width, config.heads_width, kind.kernel_size
        self.n_heads, self.size = config.n_heads, size
        self.key_depthwise = nn.Conv1d(width, width, size, padding=size // 2, groups=width, bias=False)
        self.key_pointwise = Dense(width, wide)
        self.kernel = Dense(wide, config.n_heads * size)
        self.source = Dense(width, wide)

    def forward(self, hidden: Tensor, queries: Tensor, seen: Tensor | None = None) -> Tensor:
        """Return [B, T, H * E] for what the attention reads [B, T, D] and its queries [B, T, H * E].

        Tokens beyond the ends of a text, and padding, count as zeros. `seen` as `SelfAttention.forward`.
        """
        is_there = 1.0 if seen is None else seen[..., None].to(hidden.dtype)
        folded = self.key_depthwise((hidden * is_there).transpose(1, 2)).transpose(1, 2)  # [B, T, D]
        keys = self.key_pointwise(folded)  # [B, T, H * E]
        made = self.kernel(keys * queries.to(keys.dtype))  # [B, T, H * K]
        kernels = made.view(*made.shape[:2], self.n_heads, self.size).softmax(-1)  # [B, T, H, K]
        source = self.source(hidden) * is_there  # [B, T, H * E]
        half = self.size // 2
        spans = pad(source, (0, 0, half, half)).unfold(1, self.size, 1)  # [B, T, H * E, K]
        by_head = spans.reshape(*made.shape[:2], self.n_heads, -1, self.size)  # [B, T, H, E, K]
        sums = by_head @ kernels[..., None]  # [B, T, H, E, 1]
        found: Tensor = sums.flatten(2)
        return found


class DisentangledPositions(nn.Module):
    """A learned vector for each bucket of distances; every layer projects it to queries and keys.

    He et al. 2021, arXiv:2006.03654, section 3.1; with the buckets and the norm of arXiv:2111.09543.
    """

    def __init__(self, config: EncoderConfig, kind: Disentangling) -> None:
        super().__init__()
        self.kind = kind
        self.table = nn.Embedding(2 * kind.span, config.width)
        self.norm = nn.LayerNorm(config.width, eps=config.norm_eps) if kind.has_norm else nn.Identity()

    def forward(self, n_tokens: int) -> Distances:
        """Return the vectors of the buckets that occur in `n_tokens` tokens, and the bucket of each distance.

        In short texts few of the table's rows occur; projecting the others would be wasted work.
        """
        rows = table_rows(n_tokens, self.kind).to(self.table.weight.device)  # [2T - 1]
        used, buckets = torch.unique(rows, return_inverse=True)  # [P], [2T - 1]
        return Distances(table=self.norm(self.table(used))[None], buckets=buckets)


def table_rows(n_tokens: int, kind: Disentangling) -> Tensor:
    """Return [2T - 1], the row of the table for each distance key - query from 1 - T to T - 1.

    The table is ordered by query - key: row S is of a token and itself, and S - 1 of the key after it.
    """
    distances = torch.arange(n_tokens - 1, -n_tokens, -1)  # query - key
    if kind.farthest is not None:
        distances = signed_buckets(distances, kind.span, kind.farthest)
    return (distances + kind.span).clamp(0, 2 * kind.span - 1)


def signed_buckets(distances: Tensor, n_buckets: int, farthest: int) -> Tensor:
    """Return the bucket of each of `distances` (int64), with the sign of the distance.

    Up to half of `n_buckets` each distance is a bucket of its own; the width of the others grows
    logarithmically, up to `farthest`.
    """
    middle = n_buckets // 2
    away = distances.abs().clamp(min=middle).float()
    growth = torch.log(away / middle) / torch.log(torch.tensor((farthest - 1) / middle))
    far = torch.ceil(growth * (middle - 1)).long() + middle
    return torch.where(distances.abs() <= middle, distances, far * distances.sign())


@dataclass(frozen=True, eq=False)
class PositionHeads:
    """Queries and keys of the buckets of distances in one layer; None where the scores have no such part.

    Where all heads share them their axis of heads is 1 long.
    """

    queries: Tensor | None  # [1, H, P, E], multiplied with the keys of the tokens
    keys: Tensor | None  # [1, H, P, E], multiplied with the queries of the tokens
    buckets: Tensor  # [2T - 1], the bucket of each distance key - query

    def products_with(self, keys: Tensor) -> Tensor | None:
        """Return [B, H, P, T], the products of these queries and the tokens' `keys` [B, H, T, E]."""
        return None if self.queries is None else self.queries @ keys.transpose(-1, -2)

    def of_rows(self, queries: Tensor, products: Tensor | None, first: int) -> Tensor:
        """Return [B, H, r, T], what is added to the products of the `queries` [B, H, r, E] from `first` on.

        Content to position + position to content, not scaled yet; `products` are those of `products_with`.
        """
        buckets = bias_of_rows(self.buckets[None], first, queries.shape[-2])  # [1, r, T]
        buckets = buckets.expand(*queries.shape[:2], -1, -1)  # [B, H, r, T]
        parts = [] if self.keys is None else [(queries @ self.keys.transpose(-1, -2)).gather(-1, buckets)]
        parts += [] if products is None else [products.gather(-2, buckets)]
        return sum(parts[1:], parts[0])


class GlobalProjections(nn.Module):
    """The projections for the queries of global tokens, and for the keys and values that they attend to."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        width, wide, has_bias = config.width, config.heads_width, config.form.has_biases
        self.query = Dense(width, wide, bias=has_bias)
        self.key = Dense(width, wide, bias=has_bias)
        self.value = Dense(width, wide, bias=has_bias)


@dataclass(frozen=True, eq=False)
class GlobalHeads:
    """The keys and values of their own that the queries of global tokens attend to."""

    is_global: Tensor  # bool [B, T]
    keys: Tensor  # [B, H, T, E]
    values: Tensor  # [B, H, T, E]

    def rows(self, first: int, n_rows: int) -> Tensor:
        """Return which of the `n_rows` queries from `first` on are global, bool [B, 1, r, 1]."""
        return self.is_global[:, None, first : first + n_rows, None]

    def products(self, products: Tensor, queries: Tensor, first: int) -> Tensor:
        """Return `products` [B, H, r, T] of the `queries` from `first` on, those of global ones replaced."""
        rows = self.rows(first, queries.shape[-2])
        return torch.where(rows, queries @ self.keys.transpose(-1, -2), products)

    def without_window(self, bias: Tensor, first: int) -> Tensor:
        """Return `bias` [H, r, T] as [B, H, r, T], 0 wherever the query or the key is global."""
        return torch.where(self.rows(first, bias.shape[-2]) | self.is_global[:, None, None, :], 0.0, bias)

    def weighted_sum(self, weights: Tensor, values: Tensor, first: int) -> Tensor:
        """Return weights . V [B, H, r, E]: V is `values`, and for global queries their own."""
        return torch.where(self.rows(first, weights.shape[-2]), weights @ self.values, weights @ values)


def global_tokens(kind: GlobalTokens, ids: Tensor) -> Tensor:
    """Return which of the tokens `ids` [B, T] are global, bool [B, T]."""
    if kind.until is None:
        mask = torch.zeros_like(ids, dtype=torch.bool)
        mask[:, 0] = True
        return mask
    found = (ids == kind.until).cumsum(-1) > 0  # [B, T], from the first token of that id on
    return pad(found[:, :-2], (2, 0)) if kind.is_rest else ~found


Kernel = Callable[[Tensor, Tensor, Tensor, float], tuple[Tensor, Tensor]]
"""Returns softmax(Q . K^T * scale) . V, and the log-sum-exp of each row, for Q, K, V and the scale."""

ROWS_AT_ONCE = 128
"""Queries per block where no fused kernel is used: the scores in memory are [H, 128, T], never [H, T, T]."""


LONGEST_WHOLE = 2048
"""For more tokens a fused kernel computes one head at a time, so that a run can be cancelled between them.

All heads of a layer may take seconds on a CPU. A GPU computes them side by side.
"""


class SelfAttention(nn.Module):
    """Multi-head attention of a sequence to itself: MultiHead(Q, K, V) = concat(head_1 .. head_H) . W_O.

    In some encoders the input is added before W_O instead of after it; in some the scores also have products
    with vectors of distances, see `disentangled` and `RelativeKeys`. In Longformer global tokens have
    projections of their own: for their queries, and for the keys and values that these attend to, see
    `global_attention`. In ConvBERT convolutions stand beside the heads, see `convolution`.
    """

    PRODUCTS = ("query", "key", "value", "output")
    """Its dense layers that may have weights in bfloat16."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.n_heads = config.n_heads
        self.config = config
        self.adds_before_projection = config.form.adds_before_projection
        form, width, wide = config.form, config.inner_width, config.heads_width
        self.n_key_heads = config.n_key_heads or config.n_heads
        shared = self.n_key_heads * config.head_width
        self.query = Dense(width, wide, bias=form.has_bias_of("Q"))
        has_key_bias = form.has_bias_of("K")
        self.key = Dense(width, shared, bias=has_key_bias)
        has_source = config.bottleneck is not None and not config.bottleneck.is_shared
        self.value = Dense(config.width if has_source else width, shared, bias=form.has_bias_of("V"))
        span = config.span_convolution
        self.beside = None if span is None else SpanConvolutions(config, span)
        self.output = Dense(wide if span is None else 2 * wide, width, bias=form.has_bias_of("O"))
        kind = self.disentangling = config.disentangling
        own = None if kind is None or kind.shares_projections else kind
        self.position_query = Dense(width, wide) if own is not None and own.to_content else None
        self.position_key = None
        if own is not None and own.to_position:
            self.position_key = Dense(width, wide, bias=has_key_bias)
        self.everywhere = None if config.global_tokens is None else GlobalProjections(config)
        self.distance = None
        if config.relative_keys is not None:
            self.distance = nn.Embedding(2 * config.n_positions - 1, config.head_width)

    def forward(
        self,
        hidden: Tensor,
        positions: Positions = NO_POSITIONS,
        seen: Tensor | None = None,
        tap: LayerTap = UNTAPPED,
        source: Tensor | None = None,
    ) -> Tensor:
        """Return for each token the weighted sum of the values of all tokens, projected by W_O [B, T, D].

        `positions`: the position information that enters the scores. `seen`, bool [B, T], is False for
        padding, which no token attends to. `source`: what values are made of, by default `hidden`.
        """
        projected = self.query(hidden)  # [B, T, H * E]
        queries = self._split(projected)  # [B, H, T, E]            Q: what a token looks for
        keys = self._split(self.key(hidden))  # [B, H, T, E]     K: what it offers
        source = hidden if source is None else source
        values = self._split(self.value(source))  # [B, H, T, E]    V: the content it passes on
        if isinstance(positions, Rotary):
            turn, pairs = positions.rotation, positions.is_interleaved
            queries, keys = (rotated(x, turn, is_interleaved=pairs) for x in (queries, keys))
        heads = None
        if self.everywhere is not None:
            assert isinstance(positions, AttentionWindow)
            assert positions.is_global is not None
            other = self.everywhere
            keys_of_all = tap(Point.GLOBAL_KEYS, self._split(other.key(hidden)))  # [B, H, T, E]
            values_of_all = tap(Point.GLOBAL_VALUES, self._split(other.value(hidden)))  # [B, H, T, E]
            heads = GlobalHeads(positions.is_global, keys_of_all, values_of_all)
            queries = torch.where(heads.rows(0, queries.shape[-2]), self._split(other.query(hidden)), queries)
        queries, keys = tap(Point.QUERIES, queries), tap(Point.KEYS, keys)
        values = tap(Point.VALUES, values)
        scores = Scores(
            queries, keys, self.config.scale, positions, self._by_position(positions, tap), seen, heads
        )
        mixed = tap(Point.MIXED, _mixed(scores, values, tap))  # [B, H, T, E]
        concat = mixed.transpose(1, 2).flatten(2)  # [B, T, H * E]  the heads side by side
        if self.beside is not None:
            convolved = tap(Point.SPAN_CONVOLVED, self.beside(hidden, projected, seen))  # [B, T, H * E]
            concat = torch.cat((concat, convolved.to(concat.dtype)), dim=-1)  # [B, T, 2 * H * E]
        if self.adds_before_projection:
            concat = tap(Point.ATTENTION_SUM, concat + hidden)  # [B, T, D]
        return tap(Point.PROJECTED, self.output(concat))  # [B, T, D]   W_O

    def _by_position(self, positions: Positions, tap: LayerTap) -> PositionHeads | None:
        """Return the queries and keys of the distances, None where scores have no products with these."""
        if self.distance is not None and isinstance(positions, Offsets):
            kind_of_keys = self.config.relative_keys
            assert kind_of_keys is not None
            vectors = self.distance(positions.rows)[None, None]  # [1, 1, P, E], which all heads share
            return PositionHeads(
                queries=tap(Point.POSITION_QUERIES, vectors) if kind_of_keys.meets_keys else None,
                keys=tap(Point.POSITION_KEYS, vectors) if kind_of_keys.meets_queries else None,
                buckets=positions.buckets,
            )
        kind = self.disentangling
        if kind is None or not isinstance(positions, Distances):
            return None
        query = self.query if self.position_query is None else self.position_query
        key = self.key if self.position_key is None else self.position_key
        table = positions.table  # float32, also where the weights are bfloat16
        queries = self._split(query(table)).to(table.dtype) if kind.to_content else None  # [1, H, P, E]
        keys = self._split(key(table)).to(table.dtype) if kind.to_position else None  # [1, H, P, E]
        return PositionHeads(
            queries=None if queries is None else tap(Point.POSITION_QUERIES, queries),
            keys=None if keys is None else tap(Point.POSITION_KEYS, keys),
            buckets=positions.buckets,
        )

    def _split(self, x: Tensor) -> Tensor:
        """Split the width into heads: [B, T, G * E] -> [B, H, T, E].

        Queries have G = H heads. Where keys and values have fewer, each of these stands H / G times, for the
        queries that share it (Ainslie et al. 2023, arXiv:2305.13245).
        """
        n_inputs, n_tokens, _ = x.shape
        heads = x.view(n_inputs, n_tokens, -1, self.config.head_width).transpose(1, 2)  # [B, G, T, E]
        n_queries = self.n_heads // heads.shape[1]
        return heads if n_queries == 1 else heads.repeat_interleave(n_queries, dim=1)


@dataclass(frozen=True, eq=False)
class Scores:
    """What the scores of one layer are computed from: Q . K^T * scale + what positions and padding add."""

    queries: Tensor  # [B, H, T, E]
    keys: Tensor  # [B, H, T, E]
    scale: float
    positions: Positions = NO_POSITIONS  # of which the rotation is in queries and keys already
    by_position: PositionHeads | None = None  # of the distances, in disentangled attention
    seen: Tensor | None = None  # bool [B, T], False for padding
    everywhere: GlobalHeads | None = None  # of global tokens, where there are any

    @property
    def n_tokens(self) -> int:
        return int(self.queries.shape[-2])

    @property
    def is_plain(self) -> bool:
        """Whether the scores are Q . K^T * scale alone, but for padding: what fused kernels compute."""
        bias = self.positions.bias(self.n_tokens, self.queries.device)
        has_more = isinstance(self.positions, Blocked)
        return self.by_position is None and bias is None and self.everywhere is None and not has_more

    def near(self, first: int, n_rows: int) -> slice:
        """Return the keys that the `n_rows` queries from `first` on may attend to."""
        return slice(None) if self.everywhere is not None else self.positions.near(first, n_rows)

    def weighted_sum(self, weights: Tensor, values: Tensor, first: int = 0) -> Tensor:
        """Return weights . V [B, H, r, E] of the queries from `first` on, V being `values` [B, H, K, E]."""
        if self.everywhere is not None:
            return self.everywhere.weighted_sum(weights, values, first)
        return weights @ values


def _mixed(scores: Scores, values: Tensor, tap: LayerTap) -> Tensor:
    """Return softmax(scores) . V [B, H, T, E] by the fastest way that computes all that `tap` wants.

    In an encoder with weights in bfloat16 a fused kernel multiplies bfloat16 and adds in float32; without
    one, or with queries that were rotated or replaced, all is computed in float32.
    """
    kinds = {scores.queries.dtype, scores.keys.dtype, values.dtype}
    if torch.bfloat16 in kinds and not torch.is_grad_enabled():
        by_blocks = tap.wants(Point.WEIGHTS) or tap.wants(Point.WEIGHT_ROWS) or _kernel(scores) is None
        if by_blocks or len(kinds) > 1:
            scores = replace(scores, queries=scores.queries.float(), keys=scores.keys.float())
            values = values.float()
    if tap.wants(Point.WEIGHTS):
        weights, lse = attention_weights(scores, tap)
        tap(Point.LSE, lse)
        return scores.weighted_sum(tap(Point.WEIGHTS, weights), values)
    is_read = tap.wants(Point.LSE) or tap.wants(Point.WEIGHT_ROWS)
    if scores.seen is not None and scores.is_plain and not is_read:
        return _attend_to_seen(scores, values, scores.seen)
    mixed, lse = (attend_by_rows if tap.wants(Point.WEIGHT_ROWS) else attend)(scores, values, tap)
    tap(Point.LSE, lse)
    return mixed


def attend(scores: Scores, values: Tensor, tap: LayerTap = UNTAPPED) -> tuple[Tensor, Tensor]:
    """Return softmax(scores) . V [B, H, T, E], and the log-sum-exp of each row of scores [B, H, T].

    Of LONG texts a fused kernel computes it where the scores are plain, nothing is padded and torch has a
    kernel that returns the log-sum-exp: but for rounding the numbers of `attend_by_rows`.
    """
    kernel = _kernel(scores)
    if kernel is None:
        return attend_by_rows(scores, values, tap)
    is_slow = scores.n_tokens > LONGEST_WHOLE and scores.queries.device.type == "cpu"
    if is_slow and not torch.is_grad_enabled():
        # A head at a time, so that `tap.check` is called between the heads.
        n_inputs, n_heads, n_tokens, width = values.shape
        mixed = values.new_empty(n_inputs, n_tokens, n_heads, width).transpose(1, 2)  # [B, H, T, E]
        sums = []
        for head in range(n_heads):
            tap.check()
            at = slice(head, head + 1)
            parts = scores.queries[:, at], scores.keys[:, at], values[:, at]
            mixed[:, at], of_head = kernel(*parts, scores.scale)
            sums.append(of_head[..., :n_tokens])
        return mixed, torch.cat(sums, dim=1)
    mixed, lse = kernel(scores.queries, scores.keys, values, scores.scale)
    return mixed, lse[..., : scores.n_tokens]  # one of the kernels pads the rows to a multiple of 32


def _kernel(scores: Scores) -> Kernel | None:
    """Return the fused kernel that computes the attention of `scores`, None where there is none."""
    if scores.n_tokens < LONG or scores.seen is not None or not scores.is_plain:
        return None
    device = scores.queries.device.type
    if device == "cpu" and has_cpu_flash_attention():
        is_taken = scores.queries.dtype != torch.bfloat16 or cpu_flash_attention_takes_bfloat16()
        return cpu_flash_attention if is_taken else None
    if device == "cuda" and has_cuda_efficient_attention():
        return cuda_efficient_attention
    return None


def _attend_to_seen(scores: Scores, values: Tensor, seen: Tensor) -> Tensor:
    """Return softmax(Q . K^T * scale) . V [B, H, T, E] over the keys `seen` [B, T].

    By a fused kernel, but for bfloat16 on a CPU: there its backward pass takes four times as long at 128
    tokens as that of the plain operations.
    """
    queries, keys, scale = scores.queries, scores.keys, scores.scale
    mask = seen[:, None, None, :]  # [B, 1, 1, T]
    if queries.device.type != "cpu" or queries.dtype != torch.bfloat16:
        return scaled_dot_product_attention(queries, keys, values, attn_mask=mask, scale=scale)
    products = (queries * scale) @ keys.transpose(-1, -2)  # [B, H, T, T]
    bias = torch.zeros_like(mask, dtype=products.dtype).masked_fill(~mask, -torch.inf)
    return (products + bias).softmax(-1).to(values.dtype) @ values  # autocast computes the softmax in float32


def attend_by_rows(scores: Scores, values: Tensor, tap: LayerTap = UNTAPPED) -> tuple[Tensor, Tensor]:
    """Return what `attend` returns, with public operations, a block of queries at a time.

    In a window a block computes K keys, those that it reaches, else all of them. A `tap` may replace each
    block.
    """
    mixed, lse, first = [], [], 0
    for weights, near, rows in _blocks(scores, tap):
        # [B, H, r, E]    the weighted sum of V
        mixed.append(scores.weighted_sum(weights, values[..., near, :], first))
        lse.append(rows)
        first += weights.shape[-2]
    return torch.cat(mixed, dim=-2), torch.cat(lse, dim=-1)


def attention_weights(scores: Scores, tap: LayerTap = UNTAPPED) -> tuple[Tensor, Tensor]:
    """Return softmax(scores) [B, H, T, T] and the log-sum-exp of each row of scores [B, H, T].

    Each block of rows is computed as `attend_by_rows` does it, so the weights are the same to the last bit.
    """
    weights, lse = [], []
    for block, near, rows in _blocks(scores, tap):
        weights.append(_of_all_keys(block, near, scores.n_tokens))  # [B, H, r, T]
        lse.append(rows)
    return torch.cat(weights, dim=-2), torch.cat(lse, dim=-1)


def _of_all_keys(numbers: Tensor, near: slice, n_tokens: int, otherwise: float = 0.0) -> Tensor:
    """Return `numbers` [B, H, r, K] of the keys `near` as [B, H, r, T], `otherwise` for all other keys."""
    first, last, _ = near.indices(n_tokens)
    is_whole = last - first == n_tokens
    return numbers if is_whole else pad(numbers, (first, n_tokens - last), value=otherwise)


def _blocks(scores: Scores, tap: LayerTap) -> Iterator[tuple[Tensor, slice, Tensor]]:
    """Yield the weights [B, H, r, K] of each block of queries, its K keys, and its log-sum-exp [B, H, r].

    The weights are those that `tap` returns, the log-sum-exp is that of the scores.
    """
    queries, keys, by_position = scores.queries, scores.keys, scores.by_position
    of_keys = None if by_position is None else by_position.products_with(keys)  # [B, H, P, T]
    bias = scores.positions.bias(scores.n_tokens, queries.device)  # [H, 2T - 1]
    for first in range(0, scores.n_tokens, ROWS_AT_ONCE):
        tap.check()
        block = queries[..., first : first + ROWS_AT_ONCE, :]  # [B, H, r, E]
        near = scores.near(first, block.shape[-2])
        products = block @ keys[..., near, :].transpose(-1, -2)  # [B, H, r, K]  Q . K^T
        if scores.everywhere is not None:
            products = scores.everywhere.products(products, block, first)
        if by_position is not None:
            products = products + by_position.of_rows(block, of_keys, first)  # content and position
        products = products * scores.scale  # [B, H, r, K]              divided by sqrt(d_k)
        if scores.seen is not None:
            # Not -inf: a row of padding whose window holds nothing but padding would become NaN.
            lowest = torch.finfo(products.dtype).min
            products = products.masked_fill(~scores.seen[:, None, None, near], lowest)
        if bias is not None:
            added = bias_of_rows(bias, first, block.shape[-2], near)  # [H, r, K]
            if scores.everywhere is not None:
                added = scores.everywhere.without_window(added, first)  # [B, H, r, T]
            products = products + added
        if (own := scores.positions.of_rows(first, block.shape[-2], scores.n_tokens)) is not None:
            products = products + own
        weights = products.softmax(-1)  # [B, H, r, K]          each row sums to 1
        # A weight is exp(score - lse): the largest of the row is the one rounding hurts least.
        lse = products.amax(-1) - weights.amax(-1).log()
        if tap.wants(Point.SCORE_ROWS):
            tap(Point.SCORE_ROWS, _of_all_keys(products, near, scores.n_tokens, -torch.inf))
        if tap.wants(Point.WEIGHT_ROWS):
            weights = tap(Point.WEIGHT_ROWS, _of_all_keys(weights, near, scores.n_tokens))[..., near]
        yield weights, near, lse
