"""`ModelAccess`: the checkpoint that made a trace, as analyses run it again. Torch is imported by then."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from bertviz_app.analysis.predictions import class_names
from bertviz_app.checkpoint.loader import Checkpoint
from bertviz_app.checkpoint.questions import of_another
from bertviz_app.encoder import recorder as details
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.dense import DeviationNorm, Intervene, References, RmsNorm
from bertviz_app.encoder.encoder import Encoder, encoder_inputs
from bertviz_app.encoder.output import DenseHead, TaskHeadsOutput, task_logits
from bertviz_app.errors import AnalysisError, Check, Message, SelectionError
from bertviz_app.text import Edits, Tokens
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Point, Tap, Taps
from bertviz_app.trace.provenance import LayerDetails, Logits
from bertviz_app.types import Bools, Doubles, Ints

Turn = Callable[[], AbstractContextManager[None]]
"""Returns the context in which one forward pass runs."""


class DenseWeights(NamedTuple):
    """A dense layer: x @ weight.T + bias."""

    weight: Tensor  # [out, in]
    bias: Tensor | None  # [out]


class NormWeights(NamedTuple):
    """A layer norm over the width: (x - mean) / sqrt(variance + eps) * weight + bias.

    Where it is `by_deviation`, it divides by s + eps instead, s being the sample standard deviation; where it
    is `by_rms`, it is x / sqrt(mean of x^2 + eps) * weight + bias.
    """

    weight: Tensor  # [D]
    bias: Tensor | None  # [D]
    eps: float
    by_deviation: bool = False
    by_rms: bool = False


class LayerWeights(NamedTuple):
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
    contract: DenseWeights  # [N, F]
    feed_forward_norm: NormWeights


class MaskedHeadWeights(NamedTuple):
    """The task head that predicts masked tokens: dense layers, each but the last followed by the activation.

    BERT's has two of them, with a norm before the last one.
    """

    layers: tuple[DenseWeights, ...]  # the last one [V, W]
    activation: Callable[[Tensor], Tensor] | None
    norm: NormWeights | None  # of W


class ModelOutput(NamedTuple):
    """The last hidden states and the pooled vectors of B inputs of up to T tokens."""

    hidden: Tensor  # [B, T, D]; rows of padding hold numbers without a meaning
    pooled: Tensor | None  # [B, D], None without a pooler
    seen: Tensor | None  # bool [B, T], False for padding; None where all inputs have T tokens
    states: tuple[Tensor, ...] = ()  # [B, T, D] each: what the last layers return, if they are asked for


class ModelAccess:
    """The checkpoint that made a trace, on one device, with the interventions of the trace on its heads.

    Each call may wait until another forward pass of the program has ended, so typing overtakes an analysis
    between two passes. Gradients are those of `torch.autograd.grad` with respect to tensors that a tap was
    given or has put in; parameters have none. Raises `errors.Cancelled` between two layers when the
    analysis is cancelled.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        encoder: Encoder,
        edits: Edits,
        references: References,
        turn: Turn,
        check: Check,
    ) -> None:
        self.checkpoint, self._encoder, self._references = checkpoint, encoder, references
        self._edits = edits
        self._turn, self._check = turn, check
        self.taps: tuple[Tap, ...] = (Intervene(edits, references),) if edits else ()
        self.config: EncoderConfig = encoder.config
        self.task_heads = checkpoint.task_heads.names()  # the fields of `TaskHeadsOutput` that they fill
        self.n_states = 0  # so many layers' outputs does a pass return
        self.meaning = checkpoint.meaning  # what the logits of the task heads stand for
        mask, padding = checkpoint.tokenizer.mask, checkpoint.tokenizer.padding
        self.mask_id = None if mask is None else mask[1]
        self.pad_id = None if padding is None else padding[1]

    def without_states(self) -> ModelAccess:
        """Return the same model without the states of other texts that the trace has at its own tokens."""
        found = copy.copy(self)
        found.taps = (Intervene(replace(self._edits, states=()), self._references),)
        return found

    def returning_states(self, n_layers: int) -> ModelAccess:
        """Return the same model, whose passes return the `states` of the last `n_layers` layers, too."""
        found = copy.copy(self)
        found.n_states = n_layers
        return found

    @property
    def token_embeddings(self) -> Tensor:
        """The table of token embeddings [V, W], without gradients."""
        return self._encoder.embeddings.token.weight.detach()

    def piece_vectors(self, ids: Sequence[int] | range) -> Tensor:
        """Return the first layer's input [n, D] for pieces alone: no position, segment or task.

        These are their token embeddings after the norm, and the projection where one follows.
        """
        with torch.inference_mode():
            numbers = torch.tensor(list(ids), dtype=torch.int64, device=self.token_embeddings.device)
            return self._encoder.embeddings.of_pieces(numbers)

    @property
    def embedding_norm(self) -> NormWeights | None:
        """The norm of the embeddings' sum; None, too, where a projection follows it."""
        embeddings = self._encoder.embeddings
        return None if embeddings.projection is not None else _norm(embeddings.norm)

    @property
    def class_names(self) -> Sequence[str]:
        """The names of its classes of texts; where it has none, those that `transformers` gives them."""
        heads = self.checkpoint.task_heads
        *_, last = (
            heads.dense["classes"] if heads.classifier is None else heads.classifier.output
        ).parameters()
        return class_names(self.meaning.labels, len(last))

    @property
    def top_norm(self) -> NormWeights | None:
        """The norm on top of the last layer, None where the model has none."""
        return _norm(self._encoder.final_norm)

    @property
    def masked_head(self) -> MaskedHeadWeights | None:
        """The weights of the task head for masked tokens, None where the checkpoint has none."""
        heads = self.checkpoint.task_heads
        if (head := heads.masked) is not None:
            layers = (_dense(head.dense), _dense(head.decoder))
            return MaskedHeadWeights(layers, head.activation, _norm_of(head.norm))
        if "masked" not in heads.dense:
            return None
        plain = heads.dense["masked"]
        assert isinstance(plain, DenseHead)
        stored = tuple(_dense(layer) for layer in plain.layers if isinstance(layer, nn.Linear))
        return MaskedHeadWeights(stored, plain.activation, None)

    def weights(self, layer: int) -> LayerWeights:
        """Return the weights of `layer`. Raises SelectionError for a layer that does not exist."""
        n_layers = self.config.n_layers
        if not 0 <= layer < n_layers:
            message = Message("There is no layer {0}: this model has layers 0 to {1}.", layer, n_layers - 1)
            raise SelectionError(message, Message("Layers and heads count from 0."))
        block = self._encoder.layer(layer)
        attention, feed_forward = block.attention, block.feed_forward
        return LayerWeights(
            query=_dense(attention.query),
            key=_shared(attention.key, self.config),
            value=_shared(attention.value, self.config),
            output=_dense(attention.output),
            attention_norm=_norm(block.attention_norm),
            expand=_dense(feed_forward.expand),
            contract=_dense(feed_forward.contract),
            feed_forward_norm=_norm_of(block.feed_forward_norm),
        )

    def forward(
        self,
        inputs: Sequence[Tokens],
        tap: Tap | None = None,
        *,
        grad: bool = False,
        seen: Bools | None = None,
    ) -> ModelOutput:
        """Return the output of the encoder for `inputs`, padded to the longest, in one pass.

        `seen` [B, T] is False for padding that is among the inputs; None: they have none.

        `tap` reads or replaces tensors on the way. `grad`: record what gradients need; a tap returns
        `tensor.detach().requires_grad_()` for a tensor to differentiate by. Raises CheckpointError for ids
        that the model does not have.
        """
        layers = range(max(0, self.config.n_layers - self.n_states), self.config.n_layers)
        last = Capture({Point.OUTPUT}, layers)
        taps = Taps(*self.taps, *([] if tap is None else [tap]), *([last] if self.n_states else []))
        self._check()
        with self._turn(), torch.set_grad_enabled(grad):
            batch = encoder_inputs(self.config, inputs, self.token_embeddings.device)
            if seen is not None:
                batch = batch._replace(seen=torch.from_numpy(seen).to(batch.ids.device))
            hidden, pooled = self._encoder(*batch, tap=taps, check=self._check)
        states = tuple(last.tensors[Point.OUTPUT, layer] for layer in layers)
        return ModelOutput(hidden, pooled, batch.seen, states)

    def exact_hidden(self, tokens: Tokens) -> Doubles:
        """Return the hidden states [L + 1, T, D] by a copy of the model in float64, which is dropped.

        Takes twice the memory of the checkpoint for a moment, and is computed on the CPU.
        """
        self._check()
        capture = Capture({Point.EMBEDDINGS, Point.OUTPUT})
        with self._turn(), torch.inference_mode():
            encoder = copy.deepcopy(self._encoder).cpu().double()
            batch = encoder_inputs(self.config, [tokens], torch.device("cpu"))
            encoder(*batch, tap=Taps(*self.taps, capture), check=self._check)
        states = [capture.tensors[Point.EMBEDDINGS, 0]]
        states += [capture.tensors[Point.OUTPUT, layer] for layer in range(self.config.n_layers)]
        return torch.cat(states).numpy()

    def layer_output(
        self, trace: Trace, layer: int, hidden: Tensor, tap: Tap | None = None, *, grad: bool = False
    ) -> Tensor:
        """Return the output of `layer` for hidden states [B, T, D], B variants of its input in the trace.

        Costs B forward passes of one layer. Positions and global tokens are those of the trace, and its muted
        heads are muted. `tap` and `grad` as in `forward`. Raises SelectionError for a layer that does not
        exist.
        """
        trace.scores(layer, None, slice(0, 1), slice(0, 1))  # raises SelectionError
        taps = Taps(*self.taps) if tap is None else Taps(*self.taps, tap)
        encoder = self._encoder
        self._check()
        with self._turn(), torch.set_grad_enabled(grad):
            ids = torch.from_numpy(trace.tokens.ids[None].astype(np.int64)).to(hidden.device)
            positions = encoder.positions(trace.n_tokens, ids.expand(len(hidden), -1))[layer]
            return encoder.layer_output(layer, hidden, positions, tap=taps, check=self._check)

    def pooling_shares(self, trace: Trace) -> Doubles:
        """Return the shares [T] with which the sentence vector of a trace adds up its last hidden states.

        What follows the pooling may only divide the vector by its length. Without files of
        sentence-transformers they are those of the mean over all tokens. Raises AnalysisError where the
        checkpoint declares anything that is no such sum.
        """
        module = self.checkpoint.sentence
        if module is None or module.config.pooling is None:
            return np.full(trace.n_tokens, 1 / trace.n_tokens)
        shares = module.shares(trace.n_tokens, self.checkpoint.n_prompt_tokens(trace.tokens, trace.edits))
        if shares is None:
            raise AnalysisError(
                Message("The sentence vector of this checkpoint is no weighted sum of the tokens' vectors."),
                Message("Open one that pools by the mean, the first or the last token."),
            )
        return shares.double().numpy()

    def final_norm(self, hidden: Tensor) -> Tensor:
        """Return `hidden` [..., D] after the norm on top of the last layer; unchanged if there is none."""
        if self._encoder.final_norm is None:
            return hidden
        normed: Tensor = self._encoder.final_norm(hidden)
        return normed

    def task_logits(
        self,
        hidden: Tensor,
        seen: Tensor | None = None,
        positions: Sequence[int] | None = None,
        *,
        grad: bool = False,
    ) -> TaskHeadsOutput:
        """Return the logits of all task heads for last hidden states [B, T, D], on the CPU.

        The pooler is computed from these where a head reads it. `seen` as in `ModelOutput`. Those of masked
        tokens are of `positions` alone where these are given: a vocabulary is large.
        """
        self._check()
        with self._turn(), torch.set_grad_enabled(grad):
            pooled = self._encoder.pooled(hidden)
            found: TaskHeadsOutput = self.checkpoint.task_heads(
                hidden.cpu(),
                None if pooled is None else pooled.cpu(),
                None if positions is None else list(positions),
                None if seen is None else seen.cpu(),
            )
        return found

    def layer_details(self, trace: Trace, layer: int) -> LayerDetails:
        """Return all that one layer of the trace computes from its input there; costs its forward pass.

        Raises SelectionError for a layer that does not exist.
        """
        trace.scores(layer, None, slice(0, 1), slice(0, 1))  # raises SelectionError
        self._check()
        with self._turn():
            hidden, ids = trace.hidden[layer], trace.tokens.ids
            return details.layer_details(self._encoder, hidden, layer, trace.edits, ids, self._references)

    def logits(self, trace: Trace, positions: Sequence[int] | None = None) -> Logits:
        """Return the logits of all task heads for a trace; of masked tokens, those at `positions`, or all."""
        self._check()
        with self._turn():
            return task_logits(self.checkpoint.task_heads, trace, self.meaning, positions)

    def written_ids(self, trace: Trace) -> Ints:
        """Return the ids [T] that the tokens of a trace have as they are written, without replaced tokens."""
        tokens = trace.tokens
        written = self.checkpoint.tokenizer.encode(tokens.text, tokens.pair).ids
        written = np.delete(written, list(trace.edits.dropped))
        if len(written) != len(tokens):
            raise of_another(self.checkpoint.facts)
        return written

    def piece_id(self, piece: str) -> int:
        """Return the id of a piece as it may be typed. Raises TextError for none, or several."""
        return self.checkpoint.tokenizer.piece(piece)[1]

    def pieces(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Return the vocabulary's pieces of `ids`."""
        return tuple(self.checkpoint.tokenizer.piece_of(int(number)) for number in ids)


def _dense(layer: nn.Linear | nn.LayerNorm) -> DenseWeights:
    bias: Tensor | None = layer.bias  # torch's annotation leaves out None
    return DenseWeights(layer.weight.detach(), None if bias is None else bias.detach())


def _shared(layer: nn.Linear, config: EncoderConfig) -> DenseWeights:
    """Return the weights that make keys or values, those of each head once for every query that shares it."""
    dense = _dense(layer)
    if config.n_key_heads is None:
        return dense
    n_queries, width = config.n_heads // config.n_key_heads, config.head_width

    def by_query(rows: Tensor) -> Tensor:
        heads = rows.reshape(-1, width, *rows.shape[1:])  # [G, E, ...]
        return heads.repeat_interleave(n_queries, dim=0).flatten(0, 1)

    return DenseWeights(by_query(dense.weight), None if dense.bias is None else by_query(dense.bias))


def _norm(norm: nn.Module | None) -> NormWeights | None:
    """Return the weights of a layer norm; None for a module that stands where there is none."""
    return _norm_of(norm) if isinstance(norm, nn.LayerNorm) else None


def _norm_of(norm: nn.LayerNorm) -> NormWeights:
    weight, bias = _dense(norm)
    return NormWeights(weight, bias, norm.eps, isinstance(norm, DeviationNorm), isinstance(norm, RmsNorm))
