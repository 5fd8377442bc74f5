"""The sizes and choices that make one encoder and its heads, whatever family they come from."""

from __future__ import annotations

from dataclasses import dataclass

from bertviz_app.trace.form import BERT, Form


@dataclass(frozen=True)
class Disentangling:
    """How queries and keys of tokens meet those of distances (He et al. 2021, arXiv:2006.03654).

    The table of distances has 2S rows, S for keys to each side.
    """

    span: int  # S
    farthest: int | None = None  # the distance of the last bucket; None: S distances, and none are joined
    to_position: bool = True  # content to position: tokens' queries meet distances' keys
    to_content: bool = True  # position to content: distances' queries meet tokens' keys
    shares_projections: bool = (
        True  # the dense layers of the tokens' queries and keys make those of distances
    )
    has_norm: bool = True  # the table goes through a layer norm

    @property
    def n_parts(self) -> int:
        """How many products a score is the sum of."""
        return 1 + self.to_position + self.to_content


@dataclass(frozen=True)
class EncoderConfig:
    """What an encoder is built from: L layers, H heads, width D, head width E, vocabulary V."""

    vocabulary_size: int  # V
    n_positions: int  # rows of the position table, or the longest input without one
    n_segments: int  # 0: no token is told which sentence it is in
    n_layers: int  # L
    n_heads: int  # H
    width: int  # D
    feed_forward_width: int
    activation: str = "gelu"
    norm_eps: float = 1e-12
    has_pooler: bool = True
    first_position: int = 0  # the position id of the first token
    embedding_width: int | None = None  # of embeddings that a projection brings to D; None: they have it
    shares_layers: bool = False  # one layer's weights do the work of all
    disentangling: Disentangling | None = None  # None: the products of tokens alone are the scores
    n_distance_buckets: int = 0  # of a bias on the scores by distance; 0: there is none
    rotary_bases: tuple[float, ...] = ()  # of each layer, where queries and keys are rotated by their place
    reaches: tuple[
        int | None, ...
    ] = ()  # of each layer, how far to each side a query looks; None: everywhere
    has_position_table: bool = True  # learned position embeddings; else the attention alone knows places
    own_head_width: int | None = None  # E, where it is no share of D
    form: Form = BERT

    @property
    def max_tokens(self) -> int:
        """The longest input, special tokens included."""
        return self.n_positions - self.first_position

    @property
    def head_width(self) -> int:
        """E: the heads share the width evenly, unless it is said otherwise."""
        return self.own_head_width or self.width // self.n_heads

    @property
    def heads_width(self) -> int:
        """H x E: the width of all heads side by side."""
        return self.n_heads * self.head_width

    @property
    def scale(self) -> float:
        """1 / sqrt(d_k), what a score is multiplied by before the softmax; d_k is the head width E.

        Of a score with several parts, that times their number.
        """
        n_parts = 1 if self.disentangling is None else self.disentangling.n_parts
        return float((n_parts * self.head_width) ** -0.5)


@dataclass(frozen=True)
class TaskHeadsConfig:
    """Which heads stand on top of an encoder, each trained for a task."""

    masked: bool = False  # which piece stands at each place (Devlin et al. 2019, section 3.1)
    masked_activation: str = "gelu"
    next_sentence: bool = False  # two classes: what they are, the family says
    replaced: bool = False  # whether each token was replaced (Clark et al. 2020, arXiv:2003.10555)
    n_classes: int = 0  # of a classifier of whole inputs
    classifier_activation: str | None = None  # of its own dense layer upon [CLS]; None: it reads the pooler
    has_dense_bias: bool = True  # of the dense layer within a head
    has_norm_bias: bool = True
    has_decoder_bias: bool = True  # of the product with every piece's embedding
    norms_classes: bool = False  # the classifier's own dense layer is followed by a norm
    averages_tokens: bool = False  # the classifier reads the mean of all tokens instead of [CLS]
