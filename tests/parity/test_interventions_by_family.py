"""Each intervention in every family: it keeps the identities of the self-test, or is refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from bertviz_app.analysis.results import NamedArrays
from bertviz_app.api import Model, open_model
from bertviz_app.errors import InterventionError
from bertviz_app.text.edits import (
    CellIntervention,
    HeadIntervention,
    Intervention,
    TokenIntervention,
)
from bertviz_app.trace import Trace
from tests.support.families import COMPUTED_ALIKE, FAMILIES, WITH_SEGMENTS, write_family

TEXT = "the cat ate the fish because it was hungry"
OTHER = "a mat sat on the hat"
LIMIT = 1e-5
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
    np.testing.assert_allclose(model.details(trace, 1).mixed[1], mean, atol=LIMIT)


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
            heads[0, :, head * width : (head + 1) * width] = share[layer] @ of_head
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
    with torch.inference_mode():
        ids = torch.tensor(trace.tokens.ids[None].astype(np.int64))
        last = theirs.base_model(input_ids=ids).last_hidden_state[0].numpy()
    assert np.abs(trace.hidden[-1] - last).max() <= LIMIT
    assert np.abs(plain.hidden[-1] - last).max() > 1e-3


def _equal(reachable: Tensor) -> Tensor:
    """Return equal weights over what each row can reach."""
    found: Tensor = reachable.float() / reachable.sum(-1, keepdim=True)
    return found
