"""`ModelAccess`: the interface by which analyses run the model again. `inference` implements it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.trace.details import LayerDetails
from bertviz_app.trace.form import Form
from bertviz_app.trace.logits import Logits, Meaning
from bertviz_app.trace.points import Tap
from bertviz_app.types import Doubles

if TYPE_CHECKING:
    from torch import Tensor


class ModelConfig(Protocol):
    """The sizes of an encoder: L layers, H heads, width D, head width E, vocabulary V."""

    @property
    def n_layers(self) -> int:
        """L."""

    @property
    def n_heads(self) -> int:
        """H."""

    @property
    def width(self) -> int:
        """D."""

    @property
    def head_width(self) -> int:
        """E."""

    @property
    def vocabulary_size(self) -> int:
        """V."""

    @property
    def scale(self) -> float:
        """What products of queries and keys are multiplied by before the softmax."""

    @property
    def activation(self) -> str:
        """The activation of the feed-forward part, as configurations name it: "gelu"."""

    @property
    def form(self) -> Form:
        """How the layers are put together."""


class DenseWeights(NamedTuple):
    """A dense layer: x @ weight.T + bias."""

    weight: Tensor  # [out, in]
    bias: Tensor | None  # [out]


class NormWeights(NamedTuple):
    """A layer norm over the width: (x - mean) / sqrt(variance + eps) * weight + bias.

    Where it is `by_deviation`, it divides by s + eps instead, s being the sample standard deviation; where it
    is `by_rms`, it is x / sqrt(mean of x^2 + eps) * weight; where it `only_scales`, it is x * weight + bias.
    """

    weight: Tensor  # [D]
    bias: Tensor | None  # [D]
    eps: float
    by_deviation: bool = False
    only_scales: bool = False
    by_rms: bool = False


@dataclass(frozen=True, eq=False)
class LayerWeights:
    """The weights of one layer, without gradients, on the device that computes.

    F: feed-forward width; N: the width within the layer, D without a bottleneck.

    In a post-norm layer `attention_norm` follows the attention's sum and `feed_forward_norm` the last sum;
    in a pre-norm layer each stands before its part, and `attention_norm` may be None in the first layer.
    """

    query: DenseWeights  # [H * E, N]
    key: DenseWeights  # [H * E, N]; where queries share their keys, the rows stand once for each of them
    value: DenseWeights  # [H * E, N], or [H * E, D] where it reads the layer's input beside a bottleneck
    output: DenseWeights  # [N, H * E], W_O
    attention_norm: NormWeights | None
    expand: DenseWeights  # [F, N], of the last feed-forward part if a layer has several
    gate: DenseWeights | None  # [F, N]
    contract: DenseWeights  # [N, F]
    feed_forward_norm: NormWeights


@dataclass(frozen=True, eq=False)
class MaskedHeadWeights:
    """The task head that predicts masked tokens: dense layers, each but the last followed by the activation.

    BERT's has two of them, with a norm before the last one.
    """

    layers: tuple[DenseWeights, ...]  # the last one [V, W]
    activation: Callable[[Tensor], Tensor] | None
    norm: NormWeights | None  # of W


class WeightsAroundLayers(NamedTuple):
    """Weights before the first layer and after the last one; None where the model has none of the kind."""

    embedding_norm: NormWeights | None  # of the embeddings' sum; None, too, where a projection follows it
    top_norm: NormWeights | None  # on top of the last layer
    masked_head: MaskedHeadWeights | None


class ModelOutput(NamedTuple):
    """The last hidden states and the pooled vectors of B inputs of up to T tokens."""

    hidden: Tensor  # [B, T, D]; rows of padding hold numbers without a meaning
    pooled: Tensor | None  # [B, D], None without a pooler
    seen: Tensor | None  # bool [B, T], False for padding; None where all inputs have T tokens


class TaskLogits(NamedTuple):
    """The logits of each task head before any softmax, None for those that the checkpoint does not have."""

    masked: Tensor | None  # [B, T, V], or [B, P, V] of P positions
    next_sentence: Tensor | None  # [B, 2]
    replaced: Tensor | None  # [B, T]
    classes: Tensor | None  # [B, N]
    token_labels: Tensor | None  # [B, T, N]
    answer: Tensor | None  # [B, T, 2], start and end


class ModelAccess(Protocol):
    """One open checkpoint on one device.

    Each call may wait until another forward pass of the program has ended, so typing overtakes an analysis
    between two passes. Gradients are those of `torch.autograd.grad` with respect to tensors that a tap was
    given or has put in; parameters have none. Raises `errors.Cancelled` between two layers when the
    analysis is cancelled.
    """

    @property
    def config(self) -> ModelConfig:
        """The sizes of the encoder."""

    @property
    def task_heads(self) -> tuple[str, ...]:
        """The fields of `TaskLogits` that the checkpoint's task heads fill."""

    @property
    def meaning(self) -> Meaning:
        """What the logits of the task heads stand for."""

    @property
    def mask_id(self) -> int | None:
        """The id of the mask token, None for a tokenizer without one."""

    @property
    def pad_id(self) -> int | None:
        """The id of the token that fills up short texts, None for a tokenizer without one."""

    @property
    def token_embeddings(self) -> Tensor:
        """The table of token embeddings [V, W], without gradients."""

    @property
    def around_layers(self) -> WeightsAroundLayers:
        """The weights before the first layer and after the last one."""

    def weights(self, layer: int) -> LayerWeights:
        """Return the weights of one layer.

        Parameters
        ----------
        layer
            From 0.

        Returns
        -------
        LayerWeights
            Without gradients, on the device that computes.

        Raises
        ------
        SelectionError
            If there is no such layer.
        """

    def forward(self, inputs: Sequence[Tokens], tap: Tap | None = None, *, grad: bool = False) -> ModelOutput:
        """Return what the encoder computes of `inputs`, padded to the longest, in one pass.

        Parameters
        ----------
        inputs
            The texts of the batch: B.
        tap
            Reads or replaces tensors on the way.
        grad
            Record what gradients need: a tap returns `tensor.detach().requires_grad_()` for a tensor to
            differentiate by.

        Returns
        -------
        ModelOutput
            Hidden states and what belongs to them, of all texts.

        Raises
        ------
        CheckpointError
            For ids that the model does not have.
        Cancelled
            Between two layers, when the analysis is cancelled.
        """

    def exact_hidden(self, tokens: Tokens) -> Doubles:
        """Return the hidden states [L + 1, T, D] by a copy of the model in float64, which is dropped.

        Takes twice the memory of the checkpoint for a moment, and is computed on the CPU.
        """

    def layer_output(
        self, trace: Trace, layer: int, hidden: Tensor, tap: Tap | None = None, *, grad: bool = False
    ) -> Tensor:
        """Return what `layer` makes of hidden states [B, T, D], B variants of its input in the trace.

        Costs B forward passes of one layer. Positions and global tokens are those of the trace, and its muted
        heads are muted. `tap` and `grad` as in `forward`. Raises SelectionError for a layer that does not
        exist.
        """

    def pooling_shares(self, trace: Trace) -> Doubles:
        """Return the shares [T] with which the sentence vector of a trace adds up its last hidden states.

        What follows the pooling may only divide the vector by its length. Without files of
        sentence-transformers they are those of the mean over all tokens. Raises AnalysisError where the
        checkpoint declares anything that is no such sum.
        """

    def final_norm(self, hidden: Tensor) -> Tensor:
        """Return `hidden` [..., D] through the norm on top of the last layer, as it is without one."""

    def task_logits(
        self,
        hidden: Tensor,
        seen: Tensor | None = None,
        positions: Sequence[int] | None = None,
        *,
        grad: bool = False,
    ) -> TaskLogits:
        """Return the logits of all task heads.

        Parameters
        ----------
        hidden
            Hidden states [B, T, D] as the last layer returns them; the pooler is computed from them where a
            head reads it.
        seen
            Which positions hold tokens, as in `ModelOutput`.
        positions
            Those that logits of masked tokens are returned for, all if None: a vocabulary is large.
        grad
            Record what gradients need.

        Returns
        -------
        TaskLogits
            None in the fields of task heads that the checkpoint lacks.
        """

    def layer_details(self, trace: Trace, layer: int) -> LayerDetails:
        """Return all that one layer of the trace computes, at the cost of its forward pass.

        Parameters
        ----------
        trace
            The run; the layer's input is taken from it.
        layer
            From 0.

        Returns
        -------
        LayerDetails
            The tensors between the layer's attention and its output, [T, D] or [T, F].

        Raises
        ------
        SelectionError
            If there is no such layer.
        """

    def logits(self, trace: Trace, positions: Sequence[int] | None = None) -> Logits:
        """Return the logits of all task heads for a trace.

        Parameters
        ----------
        trace
            The run; its last hidden states are read.
        positions
            Those that logits of masked tokens are returned for, all if None.

        Returns
        -------
        Logits
            NumPy arrays, float32.
        """

    def written_ids(self, trace: Trace) -> NDArray[np.int32]:
        """Return the ids [T] that the tokens of a trace have as they are written, without replaced tokens."""

    def piece_id(self, piece: str) -> int:
        """Return the id of a piece as it may be typed. Raises TextError for none, or several."""

    def pieces(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Return the vocabulary's pieces of `ids`."""
