"""The self-test: it passes on real models, and fails where a number is wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bertviz_app import open_model
from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.model_access import ModelAccess
from bertviz_app.analysis.probing.decomposition.blocks import AttentionBlocks
from bertviz_app.analysis.reporter import SILENT
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.api import Model
from bertviz_app.errors import AnalysisError
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from tests.support.engine_model import EngineModel
from tests.support.families import write_family
from tests.support.naive_bert import S


def _differences(model: Model, trace: Trace) -> dict[str, tuple[float, float]]:
    found = model.analyse("self-test", trace)
    assert isinstance(found, NamedArrays)
    names = found.axes[0].labels
    passed = (found.named["values"] <= found.named["limits"]).sum()
    assert found.facts == {"passed": int(passed), "checks": len(names)}
    pairs = zip(found.named["values"].tolist(), found.named["limits"].tolist(), strict=True)
    return dict(zip(names, pairs, strict=True))


def test_a_real_model_passes(minilm: Path) -> None:
    model = open_model(str(minilm), "cpu")
    found = _differences(model, model.trace(S))
    assert list(found) == ["rows", "again", "weights", "parts", "exact"]
    assert all(difference <= limit for difference, limit in found.values())
    assert found["exact"][0] < 1e-5


@pytest.mark.parametrize("wrong", [0.5, np.nan])
@pytest.mark.parametrize(
    ("name", "failing"),
    [
        ("keys", {"weights", "parts"}),
        ("values", {"parts"}),
        ("hidden", {"again", "exact", "parts"}),
    ],
)
def test_a_wrong_number_is_found(tiny_bert: Path, name: str, failing: set[str], wrong: float) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate")
    spoiled = getattr(trace, name).copy()
    spoiled[(1, 1, 1, 1)[: spoiled.ndim]] += np.float32(wrong)
    found = _differences(model, replace(trace, **{name: spoiled}))
    # A row of weights that has no numbers has no sum of 1 either.
    expected = failing | ({"rows"} if np.isnan(wrong) and name == "keys" else set())
    assert {key for key, (difference, limit) in found.items() if not difference <= limit} == expected


def test_differences_are_shares_of_the_largest_number_of_a_state(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate")
    hidden = trace.hidden.copy()
    before = float(hidden[-1, 1, 1])
    hidden[-1, 1, 1] = 100
    with_large = _differences(model, replace(trace, hidden=hidden))
    for name in ("again", "exact"):
        assert with_large[name][0] == pytest.approx((100 - before) / 100, rel=1e-5)


@pytest.mark.parametrize(("family", "layer"), [("bert", 0), ("roberta-prelayernorm", 2)])
def test_parts_that_do_not_add_up_are_a_share_of_the_vectors_that_they_should_add_up_to(
    tmp_path: Path, family: str, layer: int
) -> None:
    """Not of a later layer's, nor of the hidden state after it: the norm on top makes that of the last small.

    The vectors of BERT's first layer are larger here than those of its others.
    """
    write_family(tmp_path / family, family)
    model = EngineModel(tmp_path / family)
    trace = model.trace("the cat ate")
    spoiled = trace.values.copy()
    spoiled[layer, 1, 1, 1] += 0.5
    wrong = replace(trace, values=spoiled)
    point = "attention_sum" if trace.form.is_pre_norm else "attention_norm"
    right = model.analyse("layer-details", trace, layer=layer).arrays()[point]

    def sums(access: ModelAccess) -> Doubles:
        block = AttentionBlocks(Inputs(wrong, access)).at(layer)
        ((_, parts),) = block.blocks(SILENT)
        normed, rest = block.normed(parts)
        found: Doubles = normed.sum(1) + rest
        return found

    apart = np.abs(model.with_model(trace, sums) - right).max()
    scale = np.abs(right).max()
    assert scale > 1
    assert _differences(model, wrong)["parts"][0] == pytest.approx(apart / scale, rel=1e-4)


def test_the_weights_of_one_layer_at_a_time_are_in_memory(
    tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate")
    of_layer = 2 * 4 * trace.n_heads * trace.n_tokens**2
    monkeypatch.setattr("bertviz_app.analysis.compare.MAX_BYTES", of_layer)
    assert all(difference <= limit for difference, limit in _differences(model, trace).values())
    monkeypatch.setattr("bertviz_app.analysis.compare.MAX_BYTES", of_layer - 1)
    with pytest.raises(AnalysisError, match="memory"):
        _differences(model, trace)
