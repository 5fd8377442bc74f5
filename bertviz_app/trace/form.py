"""`Form`: how the layers of an encoder are put together, where that is otherwise than in BERT."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Form:
    """What a reader of a trace must know to follow its arithmetic; BERT's is the default."""

    is_pre_norm: bool = False  # norms stand before attention and feed-forward, not after the sums
    is_first_without_norm: bool = False  # of pre-norm layers the first has none before its attention
    has_final_norm: bool = False  # the last layer's output goes through one more norm
    has_biases: bool = True  # of dense layers
    has_norm_biases: bool = True
    is_gated: bool = False  # the feed-forward part multiplies what is active with a gate
    is_rotary: bool = False  # queries and keys are turned by the place of their token
    adds_before_projection: bool = False  # a layer's input is added to the heads' concat, then projected
    has_embedding_norm: bool = True
    has_sinusoids: bool = False  # positions are sines and cosines, not learned


BERT = Form()
