"""A BERT of `transformers` in float64 with which definitions are written out naively, as a second opinion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bertviz_app.trace import Trace
from bertviz_app.types import Doubles

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
