"""AttnLRP against layer-wise relevance propagation that is written out in numpy, layer by layer."""

from __future__ import annotations

from math import erf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bertviz_app import open_model
from bertviz_app.analysis.compare import align_tokens
from bertviz_app.errors import AnalysisError
from bertviz_app.features.methods._relevance_rules import Rules
from bertviz_app.features.methods.attribution import TokenRelevance
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from tests.support.peers import NaiveBert, array


class PlainLrp:
    """Passes relevance back through a BERT with a pooler, by shares of sums instead of gradients.

    Each method has the relevance of what a part returns, and returns that of what it reads.
    """

    def __init__(self, naive: NaiveBert) -> None:
        self.naive, self.model = naive, naive.model
        self.n_heads = self.model.config.num_attention_heads

    def of_tokens(self) -> Doubles:
        """Return the relevance [T] of the embeddings for the pooled vector's length along itself."""
        outputs = self.naive.output
        pooled = array(outputs.pooler_output[0])
        relevance = pooled * pooled / np.linalg.norm(pooled)  # of each of its numbers; so is it of the tanh
        hidden = array(outputs.hidden_states[-1][0])
        found = np.zeros_like(hidden)
        found[0] = self._dense(self.model.pooler.dense, hidden[:1], relevance[None])[0]
        for layer in reversed(range(self.naive.n_layers)):
            found = self._layer(layer, found)
        total = self._embeddings()
        by_token: Doubles = self._norm(self.model.embeddings.LayerNorm, total, found).sum(-1)
        return by_token

    def _embeddings(self) -> Doubles:
        embeddings, inputs = self.model.embeddings, self.naive.inputs
        n_tokens = inputs["input_ids"].shape[1]
        parts = (
            embeddings.word_embeddings(inputs["input_ids"]),
            embeddings.token_type_embeddings(inputs["token_type_ids"]),
            embeddings.position_embeddings(torch.arange(n_tokens))[None],
        )
        return array(sum(parts)[0])

    @staticmethod
    def _dense(dense: torch.nn.Linear, x: Doubles, relevance: Doubles) -> Doubles:
        weight, bias = array(dense.weight), array(dense.bias)
        contributions = x[:, None, :] * weight[None]  # [T, out, in]
        z = contributions.sum(-1) + bias
        found: Doubles = (contributions / z[..., None] * relevance[..., None]).sum(1)
        return found

    @staticmethod
    def _norm(norm: torch.nn.LayerNorm, x: Doubles, relevance: Doubles) -> Doubles:
        """Identity for the scaling, shares for what remains: each number less the mean of all."""
        n = x.shape[-1]
        weight, bias = array(norm.weight), array(norm.bias)
        spread = np.sqrt(x.var(-1, keepdims=True) + norm.eps)
        centring = np.eye(n) - 1 / n
        contributions = x[:, None, :] * centring[None] * weight[None, :, None] / spread[..., None]
        z = contributions.sum(-1) + bias
        found: Doubles = (contributions / z[..., None] * relevance[..., None]).sum(1)
        return found

    def _layer(self, layer: int, relevance: Doubles) -> Doubles:
        block = self.model.encoder.layer[layer]
        x = array(self.naive.hidden(layer))
        own = block.attention
        q, k, v = (
            x @ array(part.weight).T + array(part.bias)
            for part in (own.self.query, own.self.key, own.self.value)
        )
        weights = array(self.naive.attention(layer))
        n_tokens, wide = len(x), x.shape[1] // self.n_heads
        mixed = np.concatenate(
            [weights[h] @ v[:, h * wide : (h + 1) * wide] for h in range(self.n_heads)], -1
        )
        projected = mixed @ array(own.output.dense.weight).T + array(own.output.dense.bias)
        first = x + projected
        normed = array(own.output.LayerNorm(torch.from_numpy(first)))
        wide_values = normed @ array(block.intermediate.dense.weight).T + array(block.intermediate.dense.bias)
        active = wide_values * (1 + np.vectorize(erf)(wide_values / np.sqrt(2))) / 2
        narrow = active @ array(block.output.dense.weight).T + array(block.output.dense.bias)
        second = normed + narrow
        of_second = self._norm(block.output.LayerNorm, second, relevance)
        of_narrow = of_second * narrow / second
        of_normed = of_second * normed / second
        of_active = self._dense(block.output.dense, active, of_narrow)
        of_normed = of_normed + self._dense(block.intermediate.dense, normed, of_active)
        of_first = self._norm(own.output.LayerNorm, first, of_normed)
        of_x = of_first * x / first
        of_mixed = self._dense(own.output.dense, mixed, of_first * projected / first)
        of_q, of_k, of_v = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
        for head in range(self.n_heads):
            at = slice(head * wide, (head + 1) * wide)
            for i in range(n_tokens):
                summands = weights[head, i][:, None] * v[:, at]  # [T, E]: which token gives how much
                shares = summands / summands.sum(0) * of_mixed[i, at]
                of_v[:, at] += shares / 2
                of_weights = shares.sum(-1) / 2
                scores = q[i, at] @ k[:, at].T / np.sqrt(wide)
                of_scores = scores * (of_weights - weights[head, i] * of_weights.sum())
                for j in range(n_tokens):
                    products = q[i, at] * k[j, at]
                    part = products / products.sum() * of_scores[j] / 2
                    of_q[i, at] += part
                    of_k[j, at] += part
        for part, of_part in ((own.self.query, of_q), (own.self.key, of_k), (own.self.value, of_v)):
            of_x = of_x + self._dense(part, x, of_part)
        return of_x


def _found(folder: Path, trace: Trace, **parameters: Any) -> TokenRelevance:
    found = open_model(str(folder), "cpu").analyse("attn-lrp", trace, **parameters)
    assert isinstance(found, TokenRelevance)
    return found


@pytest.mark.parametrize(("text", "pair"), [("the cat ate", "fish"), ("it was hungry because", None)])
def test_it_is_relevance_propagation_written_out(tiny_bert: Path, text: str, pair: str | None) -> None:
    trace = open_model(str(tiny_bert), "cpu").trace(text, pair)
    expected = PlainLrp(NaiveBert(tiny_bert, trace)).of_tokens()
    found = _found(tiny_bert, trace, target="pooled")
    np.testing.assert_allclose(found.values, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())


def test_tokens_and_what_is_absorbed_add_up_to_the_outcome(tiny_bert: Path) -> None:
    trace = open_model(str(tiny_bert), "cpu").trace("the cat ate the fish")
    assert trace.pooled is not None
    found = _found(tiny_bert, trace, target="pooled")
    assert found.outcome == pytest.approx(float(np.linalg.norm(trace.pooled)), rel=1e-5)
    assert found.absorbed is not None
    assert found.values.sum(dtype=np.float64) + found.absorbed == pytest.approx(found.outcome, abs=1e-5)
    assert found.identity_error is not None
    assert found.identity_error < 1e-6
    difference = found.minus(found, align_tokens(trace.tokens, trace.tokens))
    assert difference.outcome is None
    assert not difference.values.any()


def test_rules_by_hand() -> None:
    """x = (1, 3), y = 2 x + (0, 4): of the outcome y_0 y_1 = 20 each factor gets half; a bias keeps its."""
    x = torch.tensor([1.0, 3.0], requires_grad=True)
    with Rules() as rules:
        y = torch.nn.functional.linear(x, 2 * torch.eye(2), torch.tensor([0.0, 4.0]))
        outcome = y[0] * y[1]
    (gradient,) = torch.autograd.grad(outcome, x)
    assert (x.detach() * gradient).tolist() == pytest.approx([10, 10 * 6 / 10])
    assert rules.absorbed == pytest.approx(10 * 4 / 10)
    assert torch.is_grad_enabled()


def test_an_activation_and_a_norm_pass_on_all_relevance() -> None:
    x = torch.tensor([[1.0, -2.0, 4.0]], requires_grad=True)
    with Rules() as rules:
        active = torch.nn.functional.gelu(x)
        outcome = torch.nn.functional.layer_norm(active, (3,))[0, 2]
    (gradient,) = torch.autograd.grad(outcome, x)
    assert float((x.detach() * gradient).sum()) == pytest.approx(float(outcome.detach()), rel=1e-6)
    assert rules.absorbed == 0


@pytest.mark.parametrize("name", ["sigmoid", "square"])
def test_an_operation_without_a_rule_is_refused(name: str) -> None:
    x = torch.ones(2, requires_grad=True)
    with Rules():
        active = torch.relu(x)  # a squared ReLU is no activation of one operation
        with pytest.raises(AnalysisError, match=r"no rule .* Choose integrated gradients or occlusion"):
            getattr(torch, name)(active)
