"""The structure of an encoder's layers, as differences from BERT, and the names of a pass's tensors."""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from torch import Tensor

MOST_FEED_FORWARDS = 8
"""A layer has no more feed-forward parts than this; those of MobileBERT have 4."""


@dataclass(frozen=True)
class Form:
    """The structure of an encoder's layers; the default is that of BERT.

    `EncoderConfig` sets what follows from its other fields: a family states a convolution, and its form has
    one.
    """

    is_pre_norm: bool = False  # norms precede attention and feed-forward part instead of following the sums
    is_first_without_norm: bool = False  # the first pre-norm layer has no norm before its attention
    has_final_norm: bool = False  # the last layer's output goes through one more norm
    has_biases: bool = True  # of dense layers
    has_norm_biases: bool = True
    is_gated: bool = False  # the feed-forward part multiplies the activation's output by a gate
    is_rotary: bool = False  # queries and keys are rotated by the position of their token
    adds_before_projection: bool = False  # a layer's input is added to the concatenated heads before W_O
    has_embedding_norm: bool = True
    scales_tokens: bool = False  # token embeddings are multiplied by the square root of their width
    zeroes_masks: bool = False  # embeddings of masks are zero; the others are rescaled by the share of masks
    norms_by_deviation: bool = False  # norms divide by sample standard deviation + epsilon
    has_key_biases: bool = True  # the dense layers that make keys have biases, where others have
    has_query_biases: bool = True
    has_value_biases: bool = True
    has_output_biases: bool = True
    doubles_tokens: bool = False  # token embeddings are added twice
    has_convolution: bool = False  # a convolution of its input is added to the output of the first layer
    has_sinusoids: bool = False  # position embeddings are sines and cosines, not learned
    has_global_tokens: bool = False  # some tokens attend to all others, by projections of their own
    has_column_sinusoids: bool = False  # each column of these has its own frequency, instead of each pair
    has_trigrams: bool = False  # token embeddings are projected together with those of their neighbours
    has_bottleneck: bool = False  # layers are narrower inside than at their ends
    attends_beside_bottleneck: bool = False  # queries and keys read another projection, values the input
    has_scaling_norms: bool = False  # norms only scale and shift by learned vectors
    is_causal: bool = False  # a token attends to itself and to those before it
    has_blocks: bool = False  # a token of a long text attends to some blocks of tokens only
    has_span_convolution: bool = False  # each layer has as many convolutions as heads
    has_groups: bool = False  # in some dense layers a group of outputs reads one group of inputs
    has_adapter: bool = False  # a layer ends with a language adapter
    norms_before_adapter: bool = False  # the adapter reads a norm of the sum
    adds_normed_to_adapter: bool = False  # that norm is added to the adapter's output, instead of the sum
    has_rms_norms: bool = False  # norms divide by the root mean square, and subtract no mean
    divides_scores: bool = True  # products of queries and keys are divided by the root of their width
    groups_queries: bool = False  # several heads share their keys and values
    has_wide_biases: bool = True  # dense layers from D to F have biases, where others have
    n_feed_forwards: int = 1  # feed-forward parts of a layer, one after the other

    def has_bias_of(self, letter: str) -> bool:
        """Return whether queries "Q", keys "K", values "V" or the output "O" of the attention have a bias."""
        own = {
            "Q": self.has_query_biases,
            "K": self.has_key_biases,
            "V": self.has_value_biases,
            "O": self.has_output_biases,
        }
        return self.has_biases and own[letter]


BERT = Form()


class Point(StrEnum):
    """The names of the tensors of a forward pass, in the order in which a BERT layer computes them.

    B inputs, T tokens, D width, W width of the embeddings, N width within a layer (D without a bottleneck),
    H heads, E head width, F feed-forward width, P buckets of distances. Not every encoder has every point: a
    layer without a gate never reaches `GATE`. Of several feed-forward parts the points are the last one's.
    Those of the embeddings have layer 0, those of the pooler the last layer. The values are the field names
    of `Trace` and `LayerDetails`, where these have the tensor.
    """

    TOKEN_EMBEDDINGS = "token_embeddings"  # [B, T, W]
    TOKEN_PROJECTION = (
        "token_projection"  # [B, T, D], only where tokens alone are projected; then W is D below
    )
    SEGMENT_EMBEDDINGS = "segment_embeddings"  # [B, T, W]
    POSITION_EMBEDDINGS = "position_embeddings"  # [B, T, W]
    TASK_EMBEDDINGS = "task_embeddings"  # [B, T, W]
    EMBEDDING_SUM = "embedding_sum"  # [B, T, W]
    EMBEDDING_NORM = "embedding_norm"  # [B, T, W], only where a projection to D follows
    EMBEDDINGS = "embeddings"  # [B, T, D], the input of layer 0: hidden[0] of a trace

    INPUT_NORM = "input_norm"  # [B, T, D], pre-norm layers only: what the attention reads
    NARROWED = "narrowed"  # [B, T, N], with a bottleneck only: the input of the layer's parts
    NARROWED_FOR_ATTENTION = "narrowed_for_attention"  # [B, T, N], a second one, for queries and keys
    QUERIES = "queries"  # [B, H, T, E], after the rotation in encoders with rotary positions
    KEYS = "keys"  # [B, H, T, E], after the rotation likewise
    VALUES = "values"  # [B, H, T, E]
    POSITION_QUERIES = "position_queries"  # [1, H, P, E], only where scores have products with distances
    POSITION_KEYS = "position_keys"  # [1, H, P, E], likewise; [1, 1, P, E] where all heads share them
    GLOBAL_KEYS = "global_keys"  # [B, H, T, E], for the queries of global tokens instead of KEYS
    GLOBAL_VALUES = "global_values"  # [B, H, T, E], for these queries instead of VALUES
    WEIGHTS = "weights"  # [B, H, T, T], after the softmax; computed as a whole only for a tap that wants it
    SCORE_ROWS = "score_rows"  # [B, H, r, T], scaled, by blocks of queries; a replacement has no effect
    WEIGHT_ROWS = "weight_rows"  # [B, H, r, T], the weights by the same blocks, after SCORE_ROWS of each
    LSE = "lse"  # [B, H, T], log-sum-exp of each row of scores; a replacement has no effect
    MIXED = "mixed"  # [B, H, T, E], weights @ values: the output of each head
    SPAN_CONVOLVED = "span_convolved"  # [B, T, H * E], of the convolutions beside the heads, if there are any
    PROJECTED = "projected"  # [B, T, N], after W_O
    ATTENTION_SUM = "attention_sum"  # [B, T, N], the layer's input added (in some encoders before W_O)
    ATTENTION_NORM = "attention_norm"  # [B, T, N], what the feed-forward part reads
    EARLIER_PART = "earlier_part"  # [B, T, N], of each feed-forward part before the last, one after the other
    EXPANDED = "expanded"  # [B, T, F]
    ACTIVE = "active"  # [B, T, F], after the activation
    GATE = "gate"  # [B, T, F], gated feed-forward parts only
    GATED = "gated"  # [B, T, F], ACTIVE * GATE
    CONTRACTED = "contracted"  # [B, T, N]
    OUTPUT_SUM = "output_sum"  # [B, T, N], the part's input added; ATTENTION_SUM in a pre-norm layer
    ADAPTER_NORM = "adapter_norm"  # [B, T, D], what the adapter of a language reads, if it is normed
    ADAPTED = "adapted"  # [B, T, D], of the adapter, if a layer has one
    ADAPTER_SUM = "adapter_sum"  # [B, T, D], ADAPTER_NORM or OUTPUT_SUM added
    OUTPUT_NORM = "output_norm"  # [B, T, N], the layer's own norm where more follows
    WIDENED = "widened"  # [B, T, D], with a bottleneck only: OUTPUT_NORM back at the width of the input
    WIDENED_SUM = "widened_sum"  # [B, T, D], the layer's input added
    CONVOLVED = "convolved"  # [B, T, D], a convolution of the layer's input after its activation
    CONVOLUTION_SUM = "convolution_sum"  # [B, T, D], OUTPUT_NORM added
    OUTPUT = "output"  # [B, T, D], the input of the next layer: hidden[layer + 1] of a trace

    POOLER_DENSE = "pooler_dense"  # [B, D], before the tanh
    POOLED = "pooled"  # [B, D]


class Tap(Protocol):
    """Reads the tensors of a forward pass at the points it wants, and may replace them."""

    def wants(self, point: Point, layer: int) -> bool:
        """Return whether to be called at `point` of `layer`."""

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        """Return the tensor that the pass continues with: `tensor`, or one of its shape, device and dtype."""


class TapAt:
    """A tap at some points: the pass continues with what `function(point, layer, tensor)` returns.

    `layers`: those in which it is called; None: all.
    """

    def __init__(
        self,
        points: Collection[Point],
        function: Callable[[Point, int, Tensor], Tensor],
        layers: Collection[int] | None = None,
    ) -> None:
        self._points, self._function = frozenset(points), function
        self._layers = None if layers is None else frozenset(layers)

    def wants(self, point: Point, layer: int) -> bool:
        """Return whether it is one of the points, in one of the layers."""
        return point in self._points and (self._layers is None or layer in self._layers)

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        """Return what the function returns."""
        return self._function(point, layer, tensor)


class Capture(TapAt):
    """A tap that holds the tensors at some points, by which gradients can be computed, and replaces nothing.

    `tensors` has them by (point, layer).
    """

    def __init__(self, points: Collection[Point], layers: Collection[int] | None = None) -> None:
        tensors = self.tensors = dict[tuple[Point, int], "Tensor"]()

        def hold(point: Point, layer: int, tensor: Tensor) -> Tensor:
            tensors[point, layer] = tensor
            return tensor

        super().__init__(points, hold, layers)


class Taps:
    """Several taps as one: each receives the tensor that the one before it returned."""

    def __init__(self, *taps: Tap) -> None:
        self._taps = taps

    def wants(self, point: Point, layer: int) -> bool:
        """Return whether any of them wants to be called."""
        return any(tap.wants(point, layer) for tap in self._taps)

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        """Return `tensor` after each tap that wants it."""
        for tap in self._taps:
            if tap.wants(point, layer):
                tensor = tap(point, layer, tensor)
        return tensor
