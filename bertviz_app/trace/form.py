"""`Form`: in which ways the layers of an encoder differ from those of BERT."""

from __future__ import annotations

from dataclasses import dataclass

MOST_FEED_FORWARDS = 8
"""A layer has no more feed-forward parts than this; those of MobileBERT have 4."""


@dataclass(frozen=True)
class Form:
    """The structure of an encoder's layers; the default is that of BERT."""

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
    zeroes_masks: bool = False  # embeddings of masked tokens are 0, the others scaled by how many these are
    norms_by_deviation: bool = False  # norms divide by sample standard deviation + epsilon
    has_key_biases: bool = True  # of dense layers that make keys, where others have biases
    has_query_biases: bool = True
    has_value_biases: bool = True
    has_output_biases: bool = True  # of the dense layer that projects the concatenated heads
    doubles_tokens: bool = False  # token embeddings are added twice
    has_convolution: bool = False  # a convolution of its input is added to the output of the first layer
    has_sinusoids: bool = False  # position embeddings are sines and cosines, not learned
    has_global_tokens: bool = False  # some tokens attend to all others, by projections of their own
    has_column_sinusoids: bool = False  # each column of these has a frequency of its own, not each pair
    has_trigrams: bool = False  # token embeddings are projected together with those of their neighbours
    has_bottleneck: bool = False  # layers are narrower inside than between each other
    attends_beside_bottleneck: bool = False  # queries and keys read another projection, values the input
    has_scaling_norms: bool = False  # norms multiply and add what was learned, and normalise nothing
    is_causal: bool = False  # a token attends to itself and to those before it
    has_blocks: bool = False  # in long texts a token attends to some blocks of tokens
    has_span_convolution: bool = False  # beside the heads of a layer are as many convolutions
    has_groups: bool = False  # of some dense layers groups of outputs read groups of inputs alone
    has_adapter: bool = False  # a layer ends in an adapter of the language
    norms_before_adapter: bool = False  # which reads a norm of the sum
    adds_normed_to_adapter: bool = False  # and to whose output that norm is added, not the sum
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
