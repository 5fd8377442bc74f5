"""Interventions: against `transformers` with hooks, and by the identities that they keep in each family."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from bertviz_app.analysis.results import NamedArrays
from bertviz_app.api import Model, open_model
from bertviz_app.encoder.dense import References
from bertviz_app.encoder.recorder import means_of, record, states_of
from bertviz_app.errors import InterventionError
from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import (
    CellIntervention,
    HeadIntervention,
    Intervention,
    StateIntervention,
    TokenIntervention,
    TokenKind,
    with_edits,
)
from bertviz_app.trace import Trace
from tests.support.checkpoints import random_bert, vocabulary
from tests.support.exactness import of_bound, passes
from tests.support.families import COMPUTED_ALIKE, FAMILIES, WITH_SEGMENTS, write_family
from tests.support.peers import compare, difference, random_tokens, same_encoder, tensors
from tests.support.plugins import Note

if TYPE_CHECKING:
    from transformers import BertModel

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
    references = References(
        {text: means_of(encoder, REFERENCE) for text in edits.references},
        {texts: states_of(encoder, REFERENCE) for texts in edits.sources},
    )
    return record(encoder, read, "ours", edits=edits, references=references)


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
    assert apart.of_bound <= 1
    assert difference(model, trace).hidden > 0.01


def _assert_last(trace: Trace, model: Any, inputs: dict[str, Tensor]) -> None:
    both = passes(model, lambda: model(**inputs, output_attentions=True))
    ours = [trace.hidden[-1], *trace.attention(), trace.pooled]
    theirs, exact = (
        [found[0].numpy() for found in (one.last_hidden_state, *one.attentions, one.pooler_output)]
        for one in both
    )
    assert of_bound(ours, theirs, exact) <= 1


@pytest.mark.parametrize("state", [0, 1, 2])
def test_a_state_of_another_text(state: int) -> None:
    """The output of a layer, or of the embeddings, by a hook: token 2 has there what token 7 has."""
    model = _model()
    module = model.embeddings if state == 0 else model.encoder.layer[state - 1]
    tokens = random_tokens(5, len(vocabulary()), pair=True)
    with torch.no_grad():
        ids = torch.tensor(REFERENCE.ids[None].astype(np.int64))
        other = model(input_ids=ids, output_hidden_states=True).hidden_states[state][0, 7]

    def put(_: Any, __: Any, output: Any) -> Any:
        hidden = (output[0] if isinstance(output, tuple) else output).clone()
        hidden[0, 2] = other
        return (hidden, *output[1:]) if isinstance(output, tuple) else hidden

    trace = _run(model, tokens, StateIntervention(state, 2, 7, "a text"))
    handle = module.register_forward_hook(put)
    ids, segments, _ = tensors(tokens)
    _assert_last(trace, model, {"input_ids": ids, "token_type_ids": segments})
    handle.remove()
    assert of_bound([trace.hidden[state, 2]], [other.numpy()]) <= 1
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
    assert apart.of_bound <= 1
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
    assert apart.of_bound <= 1
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
    given = {"input_ids": ids, "token_type_ids": segments, "position_ids": positions}
    _assert_last(trace, model, {name: torch.tensor([row]) for name, row in given.items()})
    assert trace.n_tokens == len(ids)


TEXT = "the cat ate the fish because it was hungry"
OTHER = "a mat sat on the hat"
MEAN = HeadIntervention(1, 1, "mean", OTHER)
UNIFORM = HeadIntervention(0, 1, "uniform")
CELLS = [CellIntervention(0, 2, 5, 2, 0.5), CellIntervention(0, 2, 5, 4, 0.25)]


@pytest.fixture(scope="module", params=[name for name in FAMILIES if name not in COMPUTED_ALIKE])
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def model(family: str, tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("family")
    write_family(folder, family)
    return open_model(str(folder), "cpu")


def _off(model: Model, trace: Trace) -> dict[str, float]:
    """Return the checks of the self-test that are off by more than rounding."""
    found = model.analyse("self-test", trace)
    assert isinstance(found, NamedArrays)
    names = found.axes_of["values"][0].labels
    checks = zip(names, found.named["values"], found.named["limits"], strict=True)
    return {str(name): float(value) for name, value, limit in checks if value > limit}


@pytest.mark.parametrize("given", [[MEAN], [UNIFORM, *CELLS]], ids=["mean", "weights"])
def test_what_is_done_to_heads_keeps_the_identities(model: Model, given: list[Intervention]) -> None:
    plain, trace = model.trace(TEXT), model.trace(TEXT, interventions=given)
    assert not _off(model, trace)
    assert np.abs(trace.hidden[-1] - plain.hidden[-1]).max() > 1e-4
    if UNIFORM in given:
        reachable = plain.scores(0, 1) > -np.inf
        expected = reachable / reachable.sum(-1, keepdims=True)
        np.testing.assert_allclose(trace.attention(0, 1), expected, atol=1e-6)
    if CELLS[0] in given:
        row, before = trace.attention(0, 2, [5])[0], plain.attention(0, 2, [5])[0]
        others = np.delete(np.arange(len(row)), [2, 4])
        assert row[[2, 4]].tolist() == [0.5, 0.25]
        np.testing.assert_allclose(row[others], before[others] * 0.25 / before[others].sum(), atol=1e-6)


def test_the_mean_is_that_of_the_reference_text(model: Model) -> None:
    reference, trace = model.trace(OTHER), model.trace(TEXT, interventions=[MEAN])
    details = model.details(reference, 1)
    mean = np.broadcast_to(details.mixed[1].mean(0), trace.values[1, 1].shape)
    assert of_bound([model.details(trace, 1).mixed[1]], [mean]) <= 1


def test_a_dropped_token_is_as_if_it_were_not_there(model: Model) -> None:
    whole = model.trace(TEXT)
    trace = model.trace(TEXT, interventions=[TokenIntervention(2, "drop")])
    assert trace.tokens.ids.tolist() == np.delete(whole.tokens.ids, 2).tolist()
    assert trace.tokens.position_ids.tolist() == whole.tokens.position_ids[:-1].tolist()
    assert not _off(model, trace)


def test_another_segment(model: Model, family: str) -> None:
    given = [TokenIntervention(2, "segment", 1)]
    if family not in WITH_SEGMENTS:
        with pytest.raises(InterventionError, match="no other segment that token 2 could have"):
            model.trace(TEXT, interventions=given)
        return
    plain, trace = model.trace(TEXT), model.trace(TEXT, interventions=given)
    assert trace.tokens.segment_ids[2] == 1
    assert not np.array_equal(trace.hidden[0][2], plain.hidden[0][2])
    assert not _off(model, trace)


def test_another_position(model: Model) -> None:
    given, plain = [TokenIntervention(2, "position", 9)], model.trace(TEXT)
    if plain.position_embeddings is None:
        with pytest.raises(InterventionError, match="no position embeddings"):
            model.trace(TEXT, interventions=given)
        return
    trace = model.trace(TEXT, interventions=given)
    at = int(np.flatnonzero(plain.tokens.position_ids == 9)[0])
    assert trace.position_embeddings is not None
    np.testing.assert_array_equal(trace.position_embeddings[2], plain.position_embeddings[at])
    assert not _off(model, trace)


def test_modernbert_against_transformers(tmp_path: Path) -> None:
    """The output of a uniform head is the mean of its values, in local layers over a window."""
    theirs: Any = write_family(tmp_path, "modernbert", local_attention=6, global_attn_every_n_layers=2)
    model = open_model(str(tmp_path), "cpu")
    width = theirs.config.hidden_size // theirs.config.num_attention_heads
    values: dict[int, Tensor] = {}

    def read(layer: int) -> Any:
        def hook(_: object, given: object, output: Tensor) -> None:
            values[layer] = output.view(1, output.shape[1], 3, -1, width)[:, :, 2]  # [B, T, H, E]

        return hook

    def put(layer: int, head: int) -> Any:
        def hook(_: object, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            heads, of_head = given[0].clone(), values[layer][0, :, head]  # [T, E]
            heads[0, :, head * width : (head + 1) * width] = share[layer].to(of_head) @ of_head
            return (heads,)

        return hook

    given = [HeadIntervention(0, 1, "uniform"), HeadIntervention(1, 2, "uniform")]
    plain, trace = model.trace(TEXT), model.trace(TEXT, interventions=given)
    n_tokens = plain.n_tokens
    away = (torch.arange(n_tokens)[:, None] - torch.arange(n_tokens)).abs()
    is_local = {layer: not np.isfinite(plain.scores(layer, 0)).all() for layer in (0, 1)}
    assert any(is_local.values())
    reach = theirs.config.local_attention // 2
    share = {
        layer: _equal(away <= reach if local else torch.ones_like(away, dtype=torch.bool))
        for layer, local in is_local.items()
    }
    for one in given:
        attention = theirs.base_model.layers[one.layer].attn
        attention.Wqkv.register_forward_hook(read(one.layer))
        attention.Wo.register_forward_pre_hook(put(one.layer, one.head))
    ids = tensors(trace.tokens)[0]
    both = passes(theirs, lambda: theirs.base_model(input_ids=ids).last_hidden_state[0].numpy())
    assert of_bound([trace.hidden[-1]], [both[0]], [both[1]]) <= 1
    assert np.abs(plain.hidden[-1] - both[0]).max() > 1e-3


def _equal(reachable: Tensor) -> Tensor:
    """Return equal weights over what each row can reach."""
    found: Tensor = reachable.float() / reachable.sum(-1, keepdim=True)
    return found


Heads = tuple[tuple[int, int], ...]
EDITED = "A cat ate the fish because it was hungry"


def without_heads(model: BertModel, heads: Heads) -> BertModel:
    """Return a copy of `model` whose W_O takes nothing from `heads`."""
    copy = deepcopy(model)
    for layer, head in heads:
        part = copy.encoder.layer[layer].attention
        width = part.self.attention_head_size
        with torch.no_grad():
            part.output.dense.weight[:, head * width : (head + 1) * width] = 0
    return copy


@pytest.mark.parametrize("muted", [((1, 3),), ((0, 1), (0, 2), (1, 0)), ((0, 0), (0, 1), (0, 2), (0, 3))])
@pytest.mark.parametrize("n_tokens", [5, 129])
def test_muted_heads_of_a_random_model(n_tokens: int, muted: Heads, note: Note) -> None:
    model = random_bert(seed=3)
    tokens = random_tokens(n_tokens, len(vocabulary()), pair=True)
    trace = record(same_encoder(model), tokens, "ours", edits=Edits(muted))
    apart = difference(without_heads(model, muted), trace)
    note("random bert, muted heads", apart)
    assert apart.of_bound <= 1
    assert difference(model, trace).hidden > 0.01


def test_muted_heads_and_replaced_tokens_of_the_real_model(minilm: Path, note: Note) -> None:
    from transformers import BertModel, BertTokenizerFast

    muted, replaced = ((0, 2), (3, 5), (4, 0)), {2: "dog", 5: "[MASK]"}
    trace = open_model("all-MiniLM-L6-v2", device="cpu").trace(EDITED, muted=muted, replaced=replaced)
    ids = BertTokenizerFast.from_pretrained(minilm).encode(EDITED)
    names = BertTokenizerFast.from_pretrained(minilm)
    ids[2], ids[5] = names.convert_tokens_to_ids(["dog", "[MASK]"])
    np.testing.assert_array_equal(trace.tokens.ids, ids)
    model = BertModel.from_pretrained(minilm, attn_implementation="eager").eval()
    peer = without_heads(model, muted)
    given = {"input_ids": torch.tensor([ids]), "output_attentions": True, "output_hidden_states": True}
    apart = compare(trace, *passes(peer, lambda: peer(**given)))
    note("all-MiniLM-L6-v2, muted and replaced", apart)
    assert apart.of_bound <= 1
