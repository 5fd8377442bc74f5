"""The configuration of an encoder and its task heads, whatever family they come from."""

from __future__ import annotations

from bertviz_app.trace.form import BERT, Form
from bertviz_app.values import dataclass, replace

N_BUCKETS = 32
"""This many rows of a table of relative position biases MPNet's code uses, however many it has."""
FARTHEST = 128
"""From this distance on, all share a bucket, unless the configuration says otherwise."""


@dataclass(frozen=True)
class Disentangling:
    """The products of tokens and distances that a score is the sum of (He et al. 2021, arXiv:2006.03654).

    The table of distances has 2S rows, S for keys on each side of the query.
    """

    span: int  # S
    farthest: int | None = None  # the distance of the last bucket; None: one bucket for each of S distances
    to_position: bool = True  # content to position: queries of tokens, keys of distances
    to_content: bool = True  # position to content: queries of distances, keys of tokens
    shares_projections: bool = True  # tokens and distances are projected by the same dense layers
    has_norm: bool = True  # the table goes through a layer norm

    @property
    def n_parts(self) -> int:
        """The number of products that a score is the sum of."""
        return 1 + self.to_position + self.to_content


@dataclass(frozen=True)
class GlobalTokens:
    """Which tokens attend to all others, and all others to them (Beltagy et al. 2020, arXiv:2004.05150)."""

    until: int | None = None  # all before the first token of this id; None: the first token alone
    is_rest: bool = False  # instead all from the second token after it on


@dataclass(frozen=True)
class Blocks:
    """The blocks of tokens that a token of a long text attends to (Zaheer et al. 2020, arXiv:2007.14062).

    These are the first, the last, its own and the two beside it; tokens in the first and the last attend to
    all. `n_random` more are drawn in training; outside of it they are the first one again, as in
    `transformers`: that block counts 1 + `n_random` times.
    """

    size: int
    n_random: int

    @property
    def longest_full(self) -> int:
        """The longest text whose tokens all attend to all others."""
        return (5 + 2 * self.n_random) * self.size


@dataclass(frozen=True)
class Convolution:
    """A convolution over neighbouring tokens, whose result is added to the output of the first layer."""

    kernel_size: int  # an odd number of tokens
    n_groups: int = 1
    activation: str = "tanh"


@dataclass(frozen=True)
class SpanConvolution:
    """Convolutions beside the heads of a layer, as many and as wide (Jiang et al. 2020, arXiv:2008.02496)."""

    kernel_size: int  # an odd number of tokens


@dataclass(frozen=True)
class Bottleneck:
    """Layers that are narrower inside than at their ends (Sun et al. 2020, arXiv:2004.02984).

    A dense layer and a norm narrow a layer's input, and after its parts another pair widens the result, to
    which the input is added (section 3.1). Queries, keys and values are made of the narrowed input if
    `is_shared`; else queries and keys of a second one, and values of the layer's input as it is.
    """

    width: int
    is_shared: bool = False


@dataclass(frozen=True)
class LanguageAdapter:
    """Two dense layers that end a layer, specific to a language (Pfeiffer et al. 2022, arXiv:2205.06266)."""

    width: int  # between them
    has_own_norm: bool = False  # else it reads the layer's last norm, if `Form.norms_before_adapter`


@dataclass(frozen=True)
class TokenProjection:
    """A projection of the token embeddings to D, before the others are added to them.

    With `has_neighbours` it reads the embeddings of the next token, the token and the one before it, side by
    side, zeros beyond the ends (Sun et al. 2020, arXiv:2004.02984, section 3.5).
    """

    width: int  # of a token embedding
    has_neighbours: bool = True


@dataclass(frozen=True)
class RelativeKeys:
    """The products with a vector for each distance that are added to query . key.

    Each layer has a table of these vectors, one for every distance there can be, which all heads share (Shaw
    et al. 2018, arXiv:1803.02155, equation 5; with queries and keys Huang et al. 2020, arXiv:2009.13658).
    """

    meets_queries: bool = True  # query . distance
    meets_keys: bool = False  # distance . key


@dataclass(frozen=True)
class EncoderConfig:
    """The sizes and the structure of an encoder: L layers, H heads, width D, head width E, vocabulary V."""

    vocabulary_size: int  # V
    n_positions: int  # rows of the position table; without one the longest input
    n_segments: int  # 0: there are no segment embeddings
    n_layers: int  # L
    n_heads: int  # H
    width: int  # D
    feed_forward_width: int
    activation: str = "gelu"
    norm_eps: float = 1e-12
    has_pooler: bool = True
    first_position: int = 0  # the position id of the first token
    first_segment: int = 0  # the segment id of the first text
    embedding_width: int | None = None  # where a projection to D follows; None: D
    stored_layers: tuple[int, ...] = ()  # of each layer, whose weights it uses; empty: each its own
    n_tasks: int = 0  # rows of a table of task embeddings; 0: there is none
    relative_keys: RelativeKeys | None = None  # vectors of distances in the scores
    convolution: Convolution | None = None  # of the first layer's input
    span_convolution: SpanConvolution | None = None  # beside the heads of each layer
    token_projection: TokenProjection | None = None  # of the token embeddings alone
    bottleneck: Bottleneck | None = None  # None: layers are as wide inside as at their ends
    adapter: LanguageAdapter | None = None  # of the language of the texts, in each layer
    disentangling: Disentangling | None = None  # None: scores are products of tokens alone
    n_distance_buckets: int = 0  # rows of a table of relative position biases; 0: there is none
    n_used_buckets: int = N_BUCKETS  # how many of these rows stand for distances
    farthest: int = FARTHEST  # the distance from which on all share a bucket
    zeroed_id: int | None = None  # the piece whose embedding counts as zero; see `unmasked_share`
    has_own_frequencies: bool = False  # rotary embeddings have stored frequencies instead of a base's
    rotary_bases: tuple[float, ...] = ()  # of each layer's rotary embeddings; empty without these
    rotates_pairs: bool = False  # rotary embeddings turn neighbouring dimensions, not those of two halves
    rounds_angles: bool = (
        False  # the angles of such pairs are in float32, not in float64 as in RoFormer's code
    )
    rotary_factor: float = 1.0  # their frequencies are multiplied by it
    has_linear_biases: bool = False  # scores fall with the distance, in each head at another rate
    reaches: tuple[int | None, ...] = ()  # of each layer, tokens to each side of a query; None: all
    blocks: Blocks | None = None  # of tokens, in long texts; None: all attend to all
    global_tokens: GlobalTokens | None = None  # which tokens have no window, and projections of their own
    has_position_table: bool = True  # there are position embeddings; else positions enter the attention
    own_head_width: int | None = None  # E, where it is not D / H
    score_width: int | None = None  # d_k, where it is not E times the number of products
    n_key_heads: int | None = None  # heads of keys and values, where several queries share them; None: H
    pruned: tuple[tuple[int, int], ...] = ()  # (layer, head) that there are not, sorted; their weights are 0
    form: Form = BERT  # flags that follow from the other fields are set from them

    def __post_init__(self) -> None:
        tokens, bottleneck = self.token_projection, self.bottleneck
        form = replace(
            self.form,
            is_rotary=bool(self.rotary_bases),
            zeroes_masks=self.zeroed_id is not None,
            has_convolution=self.convolution is not None,
            has_global_tokens=self.global_tokens is not None,
            has_trigrams=tokens is not None and tokens.has_neighbours,
            has_bottleneck=bottleneck is not None,
            attends_beside_bottleneck=bottleneck is not None and not bottleneck.is_shared,
            has_blocks=self.blocks is not None,
            has_span_convolution=self.span_convolution is not None,
            has_adapter=self.adapter is not None,
            groups_queries=self.n_key_heads is not None,
        )
        object.__setattr__(self, "form", form)

    @property
    def n_stored_layers(self) -> int:
        """The number of layers that have weights of their own."""
        return max(self.stored_layers) + 1 if self.stored_layers else self.n_layers

    @property
    def shares_layers(self) -> bool:
        """Whether all layers use the weights of one."""
        return bool(self.stored_layers) and self.n_stored_layers == 1

    @property
    def max_tokens(self) -> int:
        """The longest input, special tokens included."""
        return self.n_positions - self.first_position

    @property
    def inner_width(self) -> int:
        """The width of a layer's parts: D, or that of the bottleneck."""
        return self.width if self.bottleneck is None else self.bottleneck.width

    @property
    def head_width(self) -> int:
        """E: the width of a layer's parts / H unless the configuration has another."""
        return self.own_head_width or self.inner_width // self.n_heads

    @property
    def heads_width(self) -> int:
        """H x E: the width of all heads side by side."""
        return self.n_heads * self.head_width

    @property
    def scale(self) -> float:
        """1 / sqrt(d_k), the factor of a score before the softmax; d_k is the head width E.

        Where a score is a sum of several products, d_k is E times their number. T5 divides nothing.
        """
        if self.score_width is not None:
            return float(self.score_width**-0.5)
        if not self.form.divides_scores:
            return 1.0
        n_parts = 1 if self.disentangling is None else self.disentangling.n_parts
        return float((n_parts * self.head_width) ** -0.5)


@dataclass(frozen=True)
class DenseHeadConfig:
    """A task head of dense layers alone: what it reads, and the width of the output of each layer.

    It `reads` the hidden states of all "tokens", each on its own, the "pooled" vector, the hidden state of
    the "first" token, or the "mean" or "max" of all. `reverses`: its logits are in the opposite order.
    """

    reads: str
    widths: tuple[int, ...]
    biases: tuple[bool, ...]  # of each layer: it has one
    activation: str | None = None  # between two layers
    reverses: bool = False


@dataclass(frozen=True)
class TaskHeadsConfig:
    """The task heads on top of an encoder."""

    masked: bool = False  # predicts masked tokens (Devlin et al. 2019, section 3.1)
    masked_activation: str = "gelu"
    next_sentence: bool = False  # two classes; the family says which
    replaced: bool = False  # whether each token was replaced (Clark et al. 2020, arXiv:2003.10555)
    n_classes: int = 0  # of a classifier of inputs; 0: there is none
    classifier_activation: str | None = None  # of its own dense layer; None: it reads the pooled vector
    has_dense_bias: bool = True  # of the dense layer within a head
    has_norm_bias: bool = True
    has_decoder_bias: bool = True  # of the product with the embedding of every piece
    multiplies_rest: bool = (
        False  # the embeddings of pieces are narrower than D; a table has the other columns
    )
    norms_classes: bool = False  # the classifier's own dense layer is followed by a norm
    averages_tokens: bool = False  # the classifier reads the mean of all tokens instead of [CLS]
    n_token_labels: int = 0  # of a classifier of tokens; 0: there is none
    answer: bool = False  # where an answer begins and ends (Devlin et al. 2019, section 4.2)
    transforms_tokens: bool = False  # the heads for tokens and answers have a dense layer and a norm first
    dense_heads: tuple[tuple[str, DenseHeadConfig], ...] = ()  # by the fields of the logits
