"""Each intervention against independent hooks in `transformers`, and by hand in families of other shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from bertviz_app.api import open_model
from bertviz_app.encoder.recorder import means_of, record
from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import (
    CellIntervention,
    HeadIntervention,
    Intervention,
    TokenIntervention,
    TokenKind,
    with_edits,
)
from bertviz_app.trace import Trace
from tests.support.checkpoints import random_bert, vocabulary
from tests.support.difference_table import Note
from tests.support.peers import LIMIT, difference, random_tokens, same_encoder

Change = Callable[[Tensor], Tensor]
LAYER, HEAD = 1, 2
REFERENCE = random_tokens(9, len(vocabulary()), seed=8)


def _model() -> Any:
    model = random_bert(seed=3)
    model.set_attn_implementation("eager")
    return model


@contextmanager
def _hooked(model: Any, layer: int, change: Change) -> Iterator[None]:
    """Have the input of W_O of a layer, the heads side by side [B, T, H * E], changed."""
    dense: nn.Module = model.encoder.layer[layer].attention.output.dense
    handle = dense.register_forward_pre_hook(lambda _, given: (change(given[0]), *given[1:]))
    try:
        yield
    finally:
        handle.remove()


@contextmanager
def _weights(model: Any, layer: int, change: Change, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the attention weights [B, H, T, T] of a layer changed: its softmax is another function."""
    attention = model.encoder.layer[layer].attention.self
    plain = nn.functional.softmax
    is_inside: list[bool] = []

    def softmax(scores: Tensor, *given: Any, **named: Any) -> Tensor:
        weights = plain(scores, *given, **named)
        return change(weights) if is_inside else weights

    handles = [
        attention.register_forward_pre_hook(lambda *_: is_inside.append(True)),
        attention.register_forward_hook(lambda *_: is_inside.clear()),
    ]
    with monkeypatch.context() as patch:
        patch.setattr(nn.functional, "softmax", softmax)
        yield
    for handle in handles:
        handle.remove()


def _run(model: Any, tokens: Tokens, one: Intervention) -> Trace:
    edits, encoder = Edits.of([one]), same_encoder(model)
    read = with_edits(tokens, edits, lambda piece: (piece, vocabulary().index(piece)))
    means = {text: means_of(encoder, REFERENCE) for text in edits.references}
    return record(encoder, read, "ours", edits=edits, means=means)


def _part(model: Any) -> slice:
    width = model.config.hidden_size // model.config.num_attention_heads
    return slice(HEAD * width, (HEAD + 1) * width)


@pytest.mark.parametrize("n_tokens", [5, 130])
def test_the_mean_over_a_reference_text(n_tokens: int, note: Note) -> None:
    model = _model()
    part = _part(model)
    tokens = random_tokens(n_tokens, len(vocabulary()), pair=True)
    found: list[Tensor] = []

    def read(heads: Tensor) -> Tensor:
        found.append(heads[0, :, part].mean(0))
        return heads

    with _hooked(model, LAYER, read), torch.no_grad():
        model(input_ids=torch.tensor(REFERENCE.ids[None].astype(np.int64)))

    def put(heads: Tensor) -> Tensor:
        heads = heads.clone()
        heads[:, :, part] = found[0]
        return heads

    trace = _run(model, tokens, HeadIntervention(LAYER, HEAD, "mean", "a text"))
    with _hooked(model, LAYER, put):
        apart = difference(model, trace)
    note("random bert, head at its mean", apart)
    assert apart.absolute <= LIMIT
    assert difference(model, trace).hidden > 0.01


@pytest.mark.parametrize("n_tokens", [5, 130])
def test_uniform_attention(n_tokens: int, note: Note, monkeypatch: pytest.MonkeyPatch) -> None:
    model = _model()
    tokens = random_tokens(n_tokens, len(vocabulary()), pair=True)

    def equal(weights: Tensor) -> Tensor:
        weights = weights.clone()
        weights[:, HEAD] = 1 / weights.shape[-1]
        return weights

    trace = _run(model, tokens, HeadIntervention(LAYER, HEAD, "uniform"))
    with _weights(model, LAYER, equal, monkeypatch):
        apart = difference(model, trace)
    note("random bert, uniform head", apart)
    assert apart.absolute <= LIMIT
    assert difference(model, trace).hidden > 0.01
    np.testing.assert_allclose(trace.attention(LAYER, HEAD), 1 / n_tokens, rtol=1e-6)


@pytest.mark.parametrize(("n_tokens", "query", "key"), [(5, 0, 3), (130, 129, 2)])
def test_a_single_weight(
    n_tokens: int, query: int, key: int, note: Note, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = _model()
    tokens = random_tokens(n_tokens, len(vocabulary()), pair=True)

    def put(weights: Tensor) -> Tensor:
        weights = weights.clone()
        row = weights[0, HEAD, query]
        row[key] = 0
        row *= 0.25 / row.sum()
        row[key] = 0.75
        return weights

    trace = _run(model, tokens, CellIntervention(LAYER, HEAD, query, key, 0.75))
    with _weights(model, LAYER, put, monkeypatch):
        apart = difference(model, trace)
    note("random bert, one weight set", apart)
    assert apart.absolute <= LIMIT
    assert difference(model, trace).hidden > 0.001
    assert trace.attention(LAYER, HEAD)[query, key] == pytest.approx(0.75)
    np.testing.assert_allclose(trace.attention(LAYER, HEAD).sum(-1), 1, atol=1e-6)


@pytest.mark.parametrize("kind", ["drop", "segment", "position", "replace"])
def test_a_token(kind: TokenKind, note: Note) -> None:
    """Against the inputs of `transformers` written out."""
    model, tokens = _model(), random_tokens(7, len(vocabulary()))
    values: dict[TokenKind, str | int] = {"segment": 1, "position": 30, "replace": vocabulary()[40]}
    trace = _run(model, tokens, TokenIntervention(3, kind, values.get(kind)))
    ids, segments, positions = tokens.ids.tolist(), tokens.segment_ids.tolist(), list(range(7))
    if kind == "drop":
        del ids[3], segments[3], positions[6]
    elif kind == "segment":
        segments[3] = 1
    elif kind == "position":
        positions[3] = 30
    else:
        ids[3] = 40
    with torch.no_grad():
        theirs = model(
            input_ids=torch.tensor([ids]),
            token_type_ids=torch.tensor([segments]),
            position_ids=torch.tensor([positions]),
        )
    last = theirs.last_hidden_state[0].numpy()
    assert np.abs(trace.hidden[-1] - last).max() <= LIMIT
    assert trace.n_tokens == len(ids)


def test_muting_is_the_intervention_with_zeros(minilm: Path) -> None:
    model = open_model(str(minilm), "cpu")
    muted = model.trace("A cat ate the fish", muted=[(1, 2), (3, 4)])
    same = model.trace("A cat ate the fish", interventions=[HeadIntervention(3, 4), HeadIntervention(1, 2)])
    assert same.muted == muted.muted
    np.testing.assert_array_equal(same.hidden, muted.hidden)
