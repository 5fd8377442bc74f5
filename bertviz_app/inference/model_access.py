"""`OpenedModel`: an opened checkpoint as `analysis.model_access.ModelAccess`. Torch is loaded by then."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from bertviz_app.analysis.model_access import (
    DenseWeights,
    LayerWeights,
    MaskedHeadWeights,
    ModelOutput,
    NormWeights,
    TaskLogits,
    WeightsAroundLayers,
)
from bertviz_app.encoder import details
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.inputs import encoder_inputs
from bertviz_app.encoder.norms import DeviationNorm, RmsNorm, ScalingNorm
from bertviz_app.encoder.output.dense_head import DenseHead
from bertviz_app.encoder.output.logits import task_logits
from bertviz_app.encoder.output.task_heads import TaskHeads
from bertviz_app.encoder.tap import Intervene
from bertviz_app.errors import AnalysisError, Message, SelectionError
from bertviz_app.inference.devices import Device
from bertviz_app.inference.opened_checkpoint import OpenedCheckpoint, of_another
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.trace.details import LayerDetails
from bertviz_app.trace.logits import Logits, Meaning
from bertviz_app.trace.points import Capture, Point, Tap, Taps
from bertviz_app.types import Check, Doubles

Turn = Callable[[], AbstractContextManager[None]]
"""Returns the context in which one forward pass runs."""


class OpenedModel:
    """The checkpoint that made `trace`, on one device, with the interventions of the trace on its heads."""

    def __init__(
        self, opened: OpenedCheckpoint, trace: Trace, device: Device, turn: Turn, check: Check
    ) -> None:
        self.checkpoint = opened.checkpoint
        self._turn = turn
        self._check = check
        with turn():
            self._encoder = opened.encoder_on(device.name)
            self._means = opened.means(trace.edits, device)
        self.taps: tuple[Tap, ...] = (Intervene(trace.edits, self._means),)

    @property
    def config(self) -> EncoderConfig:
        """The sizes of the encoder."""
        return self._encoder.config

    @property
    def task_heads(self) -> tuple[str, ...]:
        """The fields of `TaskLogits` that the checkpoint's task heads fill."""
        return self.checkpoint.task_heads.names()

    @property
    def meaning(self) -> Meaning:
        """What the logits of the task heads stand for."""
        return self.checkpoint.meaning

    @property
    def mask_id(self) -> int | None:
        """The id of the mask token, None for a tokenizer without one."""
        mask = self.checkpoint.tokenizer.mask
        return None if mask is None else mask[1]

    @property
    def pad_id(self) -> int | None:
        """The id of the padding token, None for a tokenizer without one."""
        padding = self.checkpoint.tokenizer.padding
        return None if padding is None else padding[1]

    @property
    def around_layers(self) -> WeightsAroundLayers:
        """The weights before the first layer and after the last one."""
        embeddings, top = self._encoder.embeddings, self._encoder.final_norm
        return WeightsAroundLayers(
            embedding_norm=None if embeddings.projection is not None else _norm(embeddings.norm),
            top_norm=None if top is None else _norm(top),
            masked_head=_masked_head(self.checkpoint.task_heads),
        )

    @property
    def token_embeddings(self) -> Tensor:
        """The table of token embeddings [V, W], without gradients."""
        return self._encoder.embeddings.token.weight.detach()

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
            gate=None if feed_forward.gate is None else _dense(feed_forward.gate),
            contract=_dense(feed_forward.contract),
            feed_forward_norm=_norm_of(block.feed_forward_norm),
        )

    def forward(self, inputs: Sequence[Tokens], tap: Tap | None = None, *, grad: bool = False) -> ModelOutput:
        """Return what the encoder computes of `inputs`, padded to the longest, in one pass."""
        taps = Taps(*self.taps) if tap is None else Taps(*self.taps, tap)
        self._check()
        with self._turn(), torch.set_grad_enabled(grad):
            batch = encoder_inputs(self.config, inputs, self.token_embeddings.device)
            hidden, pooled = self._encoder(*batch, tap=taps, check=self._check)
        return ModelOutput(hidden, pooled, batch.seen)

    def exact_hidden(self, tokens: Tokens) -> Doubles:
        """Return the hidden states [L + 1, T, D] by a copy of the model in float64, which is dropped."""
        self._check()
        capture = Capture({Point.EMBEDDINGS, Point.OUTPUT})
        with self._turn(), torch.inference_mode():
            encoder = copy.deepcopy(self._encoder).cpu().double()
            batch = encoder_inputs(self.config, [tokens], torch.device("cpu"))
            encoder(*batch, tap=Taps(*self.taps, capture), check=self._check)
        states = [capture.tensors[Point.EMBEDDINGS, 0]]
        states += [capture.tensors[Point.OUTPUT, layer] for layer in range(self.config.n_layers)]
        found: Doubles = torch.cat(states).numpy()
        return found

    def layer_output(
        self, trace: Trace, layer: int, hidden: Tensor, tap: Tap | None = None, *, grad: bool = False
    ) -> Tensor:
        """Return the output of `layer` for hidden states [B, T, D], B variants of its input in the trace."""
        trace.scores(layer, 0, slice(0, 1), slice(0, 1))  # raises SelectionError
        taps = Taps(*self.taps) if tap is None else Taps(*self.taps, tap)
        encoder = self._encoder
        self._check()
        with self._turn(), torch.set_grad_enabled(grad):
            ids = torch.from_numpy(trace.tokens.ids[None].astype(np.int64)).to(hidden.device)
            positions = encoder.positions(trace.n_tokens, ids.expand(len(hidden), -1))[layer]
            return encoder.layer_output(layer, hidden, positions, tap=taps, check=self._check)

    def pooling_shares(self, trace: Trace) -> Doubles:
        """Return the weights [T] with which the sentence vector of a trace sums its last hidden states."""
        module = self.checkpoint.sentence
        if module is None:
            return np.full(trace.n_tokens, 1 / trace.n_tokens)
        n_prompt_tokens = self.checkpoint.n_prompt_tokens(trace.tokens, trace.edits)
        shares = module.shares(trace.n_tokens, n_prompt_tokens)
        if shares is None:
            message = Message(
                "The sentence vector of this checkpoint is no weighted sum of the tokens' vectors."
            )
            raise AnalysisError(
                message, Message("Open one that pools by the mean, the first or the last token.")
            )
        found: Doubles = shares.double().numpy()
        return found

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
    ) -> TaskLogits:
        """Return the logits for hidden states [B, T, D] as the last layer returns them, on the CPU."""
        self._check()
        with self._turn(), torch.set_grad_enabled(grad):
            pooled = self._encoder.pooled(hidden)
            found = self.checkpoint.task_heads(
                hidden.cpu(),
                None if pooled is None else pooled.cpu(),
                None if positions is None else list(positions),
                None if seen is None else seen.cpu(),
            )
        return TaskLogits(*found)

    def layer_details(self, trace: Trace, layer: int) -> LayerDetails:
        """Return all that one layer of the trace computes, from its input in the trace."""
        trace.scores(layer, 0, slice(0, 1), slice(0, 1))  # raises SelectionError
        self._check()
        with self._turn():
            hidden, ids = trace.hidden[layer], trace.tokens.ids
            return details.layer_details(self._encoder, hidden, layer, trace.edits, ids, self._means)

    def logits(self, trace: Trace, positions: Sequence[int] | None = None) -> Logits:
        """Return the logits of all task heads for the trace, computed on the CPU."""
        self._check()
        with self._turn():
            return task_logits(self.checkpoint.task_heads, trace, self.meaning, positions)

    def written_ids(self, trace: Trace) -> NDArray[np.int32]:
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


def without_interventions(model: OpenedModel) -> OpenedModel:
    """Return the same model without the interventions of the trace on its heads and weights."""
    plain = copy.copy(model)
    plain.taps = ()
    return plain


def _masked_head(heads: TaskHeads) -> MaskedHeadWeights | None:
    head = heads.masked
    if head is not None:
        layers = (_dense(head.dense), _dense(head.decoder))
        return MaskedHeadWeights(layers, head.activation, _norm_of(head.norm))
    if "masked" not in heads.dense:
        return None
    plain = heads.dense["masked"]
    assert isinstance(plain, DenseHead)
    stored = tuple(_dense(layer) for layer in plain.layers if isinstance(layer, nn.Linear))
    return MaskedHeadWeights(stored, plain.activation, None)


def _dense(layer: nn.Linear) -> DenseWeights:
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


def _norm(norm: nn.Module) -> NormWeights | None:
    return _norm_of(norm) if isinstance(norm, nn.LayerNorm) else None


def _norm_of(norm: nn.LayerNorm) -> NormWeights:
    bias: Tensor | None = norm.bias
    return NormWeights(
        norm.weight.detach(),
        None if bias is None else bias.detach(),
        norm.eps,
        by_deviation=isinstance(norm, DeviationNorm),
        only_scales=isinstance(norm, ScalingNorm),
        by_rms=isinstance(norm, RmsNorm),
    )
