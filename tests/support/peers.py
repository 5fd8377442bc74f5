"""What ours is compared with: `transformers` on the same weights, and a BERT that is written out."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from bertviz_app.analysis.model_access import ModelAccess
from bertviz_app.analysis.parameters import SILENT
from bertviz_app.api import Model
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.inference.opened_checkpoint import find_device
from bertviz_app.text import Tokens
from bertviz_app.text.tokens import SPECIAL
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import BlockSparse, GlobalAttention
from bertviz_app.types import Doubles
from tests.support.exactness import Array, distance, passes
from tests.support.plugins import Difference

if TYPE_CHECKING:
    from transformers import BertModel, PreTrainedModel
    from transformers.modeling_outputs import BaseModelOutputWithPoolingAndCrossAttentions as _Output


LIMIT = 1e-5
"""The largest difference from `transformers` that a number may have."""

_RENAMES = (
    (r"^embeddings\.(word|token_type|position)_embeddings", r"embeddings.\1"),
    (r"^embeddings\.word", "embeddings.token"),
    (r"^embeddings\.token_type", "embeddings.segment"),
    (r"^encoder\.layer\.", "layers."),
    (r"attention\.self\.", "attention."),
    (r"attention\.output\.dense", "attention.output"),
    (r"attention\.output\.LayerNorm", "attention_norm"),
    (r"intermediate\.dense", "feed_forward.expand"),
    (r"(\d)\.output\.dense", r"\1.feed_forward.contract"),
    (r"(\d)\.output\.LayerNorm", r"\1.feed_forward_norm"),
    (r"LayerNorm", "norm"),
)


def same_encoder(model: BertModel) -> Encoder:
    """Return our encoder with the weights of `model`, not copied."""
    config = model.config
    with torch.device("meta"):
        encoder = Encoder(
            EncoderConfig(
                vocabulary_size=config.vocab_size,
                n_positions=config.max_position_embeddings,
                n_segments=config.type_vocab_size,
                n_layers=config.num_hidden_layers,
                n_heads=config.num_attention_heads,
                width=config.hidden_size,
                feed_forward_width=config.intermediate_size,
                activation=config.hidden_act,
                norm_eps=config.layer_norm_eps,
                has_pooler=model.pooler is not None,
            )
        )
    weights = {_our_name(name): tensor for name, tensor in model.named_parameters()}
    encoder.load_state_dict(weights, assign=True)
    return encoder.eval()


def numbered_tokens(ids: list[int], n_in_second: int = 0) -> Tokens:
    """Return tokens with these ids, the last `n_in_second` of them a second sentence."""
    n_tokens = len(ids)
    sentences = np.zeros(n_tokens, np.int32)
    if n_in_second:
        sentences[-n_in_second:] = 1
    segment_ids = sentences.copy()
    sentences[0] = SPECIAL
    return Tokens(
        text="numbers",
        pair="numbers" if n_in_second else None,
        pieces=tuple(f"#{number}" for number in ids),
        ids=np.array(ids, np.int32),
        segment_ids=segment_ids,
        position_ids=np.arange(n_tokens, dtype=np.int32),
        sentences=sentences,
        words=np.zeros(n_tokens, np.int32),
        spans=np.zeros((n_tokens, 2), np.int32),
    )


def random_tokens(n_tokens: int, vocabulary_size: int, *, seed: int = 0, pair: bool = False) -> Tokens:
    """Return `n_tokens` random tokens; with `pair`, the second half of them is a second sentence."""
    ids = np.random.default_rng(seed).integers(0, vocabulary_size, n_tokens)
    return numbered_tokens(ids.tolist(), n_tokens // 2 if pair else 0)


def difference(model: BertModel, trace: Trace) -> Difference:
    """Return how far `trace` is from what `model` (eager attention) computes of the same tokens."""
    ids, segment_ids, _ = tensors(trace.tokens)
    given = {"input_ids": ids, "token_type_ids": segment_ids}
    return compare(
        trace, *passes(model, lambda: model(**given, output_attentions=True, output_hidden_states=True))
    )


def compare(
    trace: Trace, theirs: _Output, exact: _Output, logits: tuple[Array, Array, Array] | None = None
) -> Difference:
    """Return how far `trace` is from a `transformers` output of the same tokens.

    `exact` is that output in float64, and `logits` ours, theirs and those in float64.
    """
    of_theirs, of_exact = arrays_of(trace, theirs), arrays_of(trace, exact)
    ours: dict[str, list[Array]] = {"hidden": list(trace.hidden), "attention": list(trace.attention())}
    if "pooled" in of_theirs:
        assert trace.pooled is not None
        ours["pooled"] = [trace.pooled]
    if logits is not None:
        ours["logits"], of_theirs["logits"], of_exact["logits"] = ([one] for one in logits)
    apart = {
        name: max(float(np.abs(one - other).max()) for one, other in zip(of, of_theirs[name], strict=True))
        for name, of in ours.items()
    }
    mine, other, best = ([array for name in ours for array in of[name]] for of in (ours, of_theirs, of_exact))
    return Difference(
        apart["hidden"],
        apart["attention"],
        apart.get("pooled"),
        ours=distance(mine, best),
        theirs=distance(other, best),
        logits=apart.get("logits"),
    )


def arrays_of(trace: Trace, output: _Output) -> dict[str, list[Array]]:
    """Return the hidden states, weights and pooled vector of an output in the order that `trace` has them."""
    is_windowed = "Longformer" in type(output).__name__
    first = trace.bias.first if isinstance(trace.bias, GlobalAttention) else 0
    attentions = _squares(output, first) if is_windowed else output.attentions
    *hidden, last = output.hidden_states
    hidden.append(getattr(output, "last_hidden_state", last))  # of CLIP before the last norm
    if trace.form.has_blocks:
        hidden = [one[:, : trace.n_tokens] for one in hidden]  # filled up to whole blocks
        attentions = [_of_blocks(one, trace) for one in attentions]
    found = {
        "hidden": [one[0].numpy() for one in hidden],
        "attention": [one[0].numpy() for one in attentions],
    }
    pooled = getattr(output, "pooler_output", None)  # families without a pooler have no such field
    if pooled is not None and not trace.form.is_causal:  # that of CLIP is a token as it is
        found["pooled"] = [pooled[0].numpy()]
    return found


def _of_blocks(attention: torch.Tensor, trace: Trace) -> torch.Tensor:
    """Return [1, H, T, T]: `transformers` gives of the first block's weights one share of 1 + `n_random`."""
    weights = attention[..., : trace.n_tokens, : trace.n_tokens].clone()
    if isinstance(trace.bias, BlockSparse):
        size, last = trace.bias.size, (trace.n_tokens - 1) // trace.bias.size
        weights[..., size : last * size, :size] *= 1 + trace.bias.n_random
    return weights


def outputs(model: PreTrainedModel, **inputs: Any) -> Any:
    """Return what `model` computes, with hidden states and attention.

    A BigBird that has read a short text attends to all tokens from then on, in modules that are not observed:
    the former is undone, the latter done here.
    """
    found: list[torch.Tensor] = []
    hooks = []
    for module in model.modules():
        if type(module).__name__ == "BigBirdModel":
            module.set_attention_type(module.config.attention_type)
        if type(module).__name__ == "BigBirdAttention":
            hooks.append(module.register_forward_hook(lambda _module, _given, made: found.append(made[1])))
    theirs = model(**inputs, output_attentions=True, output_hidden_states=True)
    for hook in hooks:
        hook.remove()
    if model.config.model_type == "squeezebert":  # it returns the scores
        theirs.attentions = tuple(scores.softmax(-1) for scores in theirs.attentions)
    if found:
        theirs.attentions = tuple(found)
    return theirs


def _squares(theirs: Any, first: int) -> list[torch.Tensor]:
    """Return [1, H, T, T] of each layer of Longformer, of which the tokens from `first` on may be global."""
    if theirs.global_attentions is None:
        return [_square(one) for one in theirs.attentions]
    squares = []
    for local, everywhere in zip(theirs.attentions, theirs.global_attentions, strict=True):
        n_global = everywhere.shape[-1]
        square, chosen = _square(local[..., n_global:]), slice(first, first + n_global)
        assert not square[..., chosen].any()  # their weights come before those of the window
        square[..., chosen] = local[..., :n_global]
        square[..., chosen, :] = everywhere[..., : square.shape[-1], :].transpose(-1, -2)
        squares.append(square)
    return squares


def _square(attention: torch.Tensor) -> torch.Tensor:
    """Return [1, H, T, T] for the attention of Longformer [1, H, T, window + 1]."""
    n_tokens, width = attention.shape[-2:]
    # The first column is of key -window / 2.
    wide = attention.new_zeros(*attention.shape[:-1], n_tokens + width - 1)
    for query in range(n_tokens):
        wide[..., query, query : query + width] = attention[..., query, :]
    return wide[..., width // 2 : width // 2 + n_tokens]


def tensors(tokens: Tokens) -> list[torch.Tensor]:
    """Return ids, segment and position ids as the models take them, int64 [1, T]."""
    rows = (tokens.ids, tokens.segment_ids, tokens.position_ids)
    return [torch.from_numpy(row.astype(np.int64))[None] for row in rows]


def _our_name(name: str) -> str:
    for pattern, replacement in _RENAMES:
        name = re.sub(pattern, replacement, name)
    return name


S = "The quick brown fox jumps over the lazy dog."
"""The sentence of the published numbers of MiniLM, and the one that its cosine is taken with."""
OTHER = "A fast auburn fox leaps above a sleepy hound."


class NaiveBert:
    """The model in a folder, and its pass over the tokens of a trace."""

    def __init__(self, folder: Path, trace: Trace) -> None:
        from transformers import BertModel

        self.trace = trace
        self.model: Any = BertModel.from_pretrained(folder, attn_implementation="eager").double().eval()
        tokens = trace.tokens
        self.inputs = {
            "input_ids": torch.from_numpy(tokens.ids[None].astype(np.int64)),
            "token_type_ids": torch.from_numpy(tokens.segment_ids[None].astype(np.int64)),
        }
        with torch.no_grad():
            self.output = self.model(**self.inputs, output_hidden_states=True, output_attentions=True)

    @property
    def n_layers(self) -> int:
        return len(self.model.encoder.layer)

    def hidden(self, layer: int) -> Tensor:
        """Return the input of a layer [T, D]."""
        found: Tensor = self.output.hidden_states[layer][0]
        return found

    def attention(self, layer: int) -> Tensor:
        """Return the weights of a layer [H, T, T]."""
        found: Tensor = self.output.attentions[layer][0]
        return found

    def parts(self, layer: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return t_ij [T, T, D] after the attention's norm, one by one, and g(b_O) + the norm's bias [T, D].

        And the vectors after the norm [T, D].
        """
        block, x, attention = self.model.encoder.layer[layer], self.hidden(layer), self.attention(layer)
        value, output, norm = (
            block.attention.self.value,
            block.attention.output.dense,
            block.attention.output.LayerNorm,
        )
        n_tokens, width = x.shape
        wide = width // len(attention)
        parts = torch.zeros(n_tokens, n_tokens, width, dtype=torch.float64)
        for i in range(n_tokens):
            for j in range(n_tokens):
                for head in range(len(attention)):
                    rows = slice(head * wide, (head + 1) * wide)
                    v = value.weight[rows] @ x[j] + value.bias[rows]
                    parts[i, j] += attention[head, i, j] * (output.weight[:, rows] @ v)
            parts[i, i] += x[i]
        sums = parts.sum(1) + output.bias
        scale = (sums.var(-1, unbiased=False) + norm.eps).sqrt()

        def g(vectors: Tensor, by: Tensor) -> Tensor:
            found: Tensor = norm.weight * (vectors - vectors.mean(-1, keepdim=True)) / by[..., None]
            return found

        rest = g(output.bias.expand(n_tokens, -1), scale) + norm.bias
        return g(parts, scale[:, None]).detach(), rest.detach(), norm(sums).detach()

    @property
    def direction(self) -> Doubles:
        """The pooled vector [D], divided by its length."""
        pooled = array(self.output.pooler_output[0])
        return pooled / np.linalg.norm(pooled)

    def change_with(self, layer: int, head: int, output: Doubles) -> float:
        """Return the change along `direction` where a head's output is `output`, [E] or [T, E], instead."""
        attention = self.model.encoder.layer[layer].attention
        width = attention.self.attention_head_size
        columns = slice(head * width, (head + 1) * width)

        def replaced(module: object, inputs: tuple[Tensor]) -> tuple[Tensor]:
            found = inputs[0].clone()
            found[0, :, columns] = torch.from_numpy(output)
            return (found,)

        hook = attention.output.dense.register_forward_pre_hook(replaced)
        with torch.no_grad():
            after = array(self.model(**self.inputs).pooler_output[0])
        hook.remove()
        return float((after - array(self.output.pooler_output[0])) @ self.direction)

    def values_of(self, values: Tensor) -> tuple[Tensor, Tensor]:
        """Return the last hidden states [T, D] and pooled vector [D] for other embeddings' sums [T, W]."""
        embeddings = self.model.embeddings
        states = embeddings.LayerNorm(values)[None]
        for layer in self.model.encoder.layer:
            states = layer(states)
            states = states[0] if isinstance(states, tuple) else states
        first, pooled = states[0], self.model.pooler(states)[0]
        return first, pooled


def array(tensor: Tensor) -> Doubles:
    found: Doubles = tensor.detach().double().numpy()
    return found


_Result = TypeVar("_Result")


class EngineModel(Model):
    """The checkpoint in `folder` (None: the one that opens by default), open on the CPU."""

    def __init__(self, folder: Path | None) -> None:
        engine = Engine()
        self.ref = None if folder is None else str(folder)
        super().__init__(engine, self.ref, find_device("cpu"), engine.load(self.ref))

    def with_model(self, trace: Trace, work: Callable[[ModelAccess], _Result]) -> _Result:
        """Return what `work` returns of the open checkpoint, which made `trace`."""
        request = TraceRequest(self.ref, "cpu", trace.tokens.text, trace.tokens.pair)
        return self.engine.with_model(request, trace, work, SILENT.check)
