"""Checkpoints from which heads were pruned, against `transformers` without the rows of these heads."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from bertviz_app import api
from bertviz_app.analysis.compare import last_head
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import AnalysisError, CheckpointError, SelectionError
from tests.support.checkpoint_folders import (
    assert_refused,
    change_config,
    change_weights,
    each,
    opened,
    write_adapter,
)
from tests.support.exactness import of_bound, passes
from tests.support.families import write_family

if TYPE_CHECKING:
    from transformers import PreTrainedModel

TEXT = "The cat ate the fish because it was hungry."
N_LAYERS, N_HEADS, WIDTH = 3, 4, 32
PRUNED = {"0": [1], "2": [3, 0]}
"""By layer, as a config.json has them."""
LACKING = ((0, 1), (2, 0), (2, 3))
_NAMES = {"distilbert": ("q_lin", "k_lin", "v_lin", "out_lin")}


def prune(model: PreTrainedModel, pruned: dict[str, list[int]]) -> None:
    """Cut the rows and columns of heads out of a model, as `prune_heads` of transformers 4 does."""
    family = model.config.model_type
    *rows, columns = _NAMES.get(family, ("query", "key", "value", "dense"))
    attentions = [module for module in model.modules() if hasattr(module, rows[0])]
    outputs = attentions
    if family not in _NAMES:
        outputs = [
            module.output
            for module in model.modules()
            if hasattr(module, "self") and hasattr(module, "output")
        ]
    assert len(attentions) == len(outputs) == N_LAYERS
    for layer, heads in pruned.items():
        kept = torch.tensor([at for at in range(WIDTH) if at * N_HEADS // WIDTH not in heads])
        attention, output = attentions[int(layer)], outputs[int(layer)]
        for name in rows:
            _cut(getattr(attention, name), kept, 0)
        _cut(getattr(output, columns), kept, 1)
        for name in ("num_attention_heads", "n_heads"):
            if hasattr(attention, name):
                setattr(attention, name, N_HEADS - len(heads))


def _cut(dense: nn.Linear, kept: Tensor, axis: int) -> None:
    with torch.no_grad():
        dense.weight = nn.Parameter(dense.weight.index_select(axis, kept))
        if axis == 0:
            dense.bias = nn.Parameter(dense.bias[kept])


def write_pruned(
    folder: Path, family: str = "bert", pruned: dict[str, list[int]] = PRUNED
) -> PreTrainedModel:
    """Write a checkpoint without these heads; return its model."""
    model = write_family(folder, family)
    prune(model, pruned)
    change_weights(folder, lambda _: {name: tensor.clone() for name, tensor in model.state_dict().items()})
    change_config(folder, pruned_heads=pruned)
    return model


@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert", "electra"])
def test_the_heads_that_are_there_equal_those_of_transformers(tmp_path: Path, family: str) -> None:
    model = write_pruned(tmp_path, family)
    checkpoint = opened(tmp_path)
    trace = record(checkpoint.encoder, checkpoint.tokens(TEXT), "ours")
    ids = torch.tensor(trace.tokens.ids[None]).long()

    def run() -> list[Tensor]:
        theirs = model(ids, output_attentions=True, output_hidden_states=True)
        return [*(state[0] for state in theirs.hidden_states), *(one[0] for one in theirs.attentions)]

    theirs, exact = ([tensor.numpy() for tensor in one] for one in passes(model, run))
    heads = [list(trace.heads_of(layer)) for layer in range(N_LAYERS)]
    assert heads == [[0, 2, 3], [0, 1, 2, 3], [1, 2]]
    ours = [*trace.hidden, *(trace.attention(layer)[of_layer] for layer, of_layer in enumerate(heads))]
    assert of_bound(ours, theirs, exact) <= 1
    each_alone = [
        np.stack([trace.attention(layer, head) for head in of_layer]) for layer, of_layer in enumerate(heads)
    ]
    assert of_bound(each_alone, theirs[-N_LAYERS:], exact[-N_LAYERS:]) <= 1


def test_a_head_that_is_not_there_is_nan_among_the_others_and_refused_alone(tmp_path: Path) -> None:
    write_pruned(tmp_path)
    model = api.open_model(str(tmp_path), "cpu")
    assert any("Heads were pruned: 0 · 1, 2 · 0, 2 · 3." in remark for remark in model.facts.remarks)
    trace = model.trace(TEXT)
    assert trace.pruned == LACKING
    attention = trace.attention()
    np.testing.assert_array_equal(np.isnan(attention).any((-1, -2)), ~trace.present)
    assert np.isnan(attention[0, 1]).all()
    assert {tuple(at) for at in np.argwhere(~trace.present).tolist()} == set(LACKING)
    assert (trace.n_heads, trace.last_head) == (N_HEADS, (2, 2))
    with pytest.raises(SelectionError, match="There is no head 1: layer 0 has the heads 0, 2, 3"):
        trace.attention(0, 1)
    with pytest.raises(SelectionError, match="Head 2 · 0 was pruned"):
        model.trace(TEXT, muted=[(2, 0)])


def test_files_of_a_trace_say_which_heads_are_not_there(tmp_path: Path) -> None:
    write_pruned(tmp_path / "model")
    trace = api.open_model(str(tmp_path / "model"), "cpu").trace("The cat")
    archive, of_json, of_csv = (
        api.save_trace(trace, tmp_path / f"trace.{name}") for name in ("npz", "json", "csv")
    )
    again = api.load_trace(archive)
    assert again.pruned == LACKING
    np.testing.assert_array_equal(again.attention(0, 2), trace.attention(0, 2))
    with np.load(archive) as arrays:
        assert int(arrays["format"]) == 5
        np.testing.assert_array_equal(np.isnan(arrays["attention"]).any((-1, -2)), ~trace.present)
    content = json.loads(of_json.read_text("utf-8"))
    assert content["pruned"] == [list(head) for head in LACKING]
    there = [[head is not None for head in layer] for layer in content["attention"]]
    assert there == [[True, False, True, True], [True] * 4, [False, True, True]]
    lines = of_csv.read_text("utf-8").splitlines()
    named = {tuple(line.split(",")[1:3]) for line in lines if line.startswith("attention,")}
    assert len(named) == N_LAYERS * N_HEADS - len(LACKING)
    assert ("0", "1") not in named


OF_ALL_HEADS = {"head-significance", "chefer", "agreement", "head-ranking"}
NOT_HERE = {"counterfactuals", "tuned-lens"}
"""Analyses that need other texts than this one."""
OTHER = "The dog ate the fish because it was hungry."


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[api.Model, api.Model]:
    """Return a model with its head for masked tokens, and the same without some of its attention heads."""
    whole, pruned = (tmp_path_factory.mktemp(name) for name in ("whole", "pruned"))
    write_family(whole, "bert", "AutoModelForMaskedLM")
    shutil.copytree(whole, pruned, dirs_exist_ok=True)
    model = write_family(pruned, "bert", "AutoModelForMaskedLM")
    prune(model.bert, PRUNED)
    tensors = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    del tensors["cls.predictions.decoder.weight"]
    change_weights(pruned, lambda _: tensors)
    change_config(pruned, pruned_heads=PRUNED)
    return api.open_model(str(whole), "cpu"), api.open_model(str(pruned), "cpu")


@pytest.mark.parametrize("key", [one.key for one in api.ANALYSES if one.key not in NOT_HERE])
def test_analyses_have_nan_for_heads_that_are_not_there_or_are_refused_by_name(
    models: tuple[api.Model, api.Model], key: str
) -> None:
    model = models[1]
    trace, other = model.trace(TEXT), model.trace(OTHER)
    if key in OF_ALL_HEADS:
        with pytest.raises(AnalysisError, match="of all heads together; head 0 · 1 was pruned"):
            model.analyse(key, trace)
        return
    result = model.analyse(key, trace, other=other)
    axes = {"values": result.axes, **result.other_axes}
    for name, array in result.arrays().items():
        names = [axis.name for axis in axes.get(name, ())]
        if {"layer", "head"} <= {*names}:
            heads = np.moveaxis(array, (names.index("layer"), names.index("head")), (0, 1))
            assert np.isnan(heads[~trace.present]).all()
            assert not np.isnan(heads[trace.present]).all()
        elif array.dtype.kind == "f" and key != "composition":
            assert not array.size or not np.isnan(array).all()


def test_studies_leave_the_heads_out_and_a_table_of_measures_is_refused(
    models: tuple[api.Model, api.Model], tmp_path: Path
) -> None:
    whole, model = models
    file = tmp_path / "texts.txt"
    file.write_text(f"{TEXT}\n{OTHER}\n", "utf-8")
    present = model.trace(TEXT).present
    for key in ("head-measures", "head-patterns", "attention-targets"):
        arrays = model.study(key, file).arrays()
        assert (arrays.pop("counts")[..., ~present] == 0).all()
        for name, array in arrays.items():
            assert np.isnan(array[..., ~present]).all(), name
            assert not np.isnan(array[..., present]).all(), name
    per_layer = model.study("attention-targets", file, per="layer")
    assert np.isfinite(per_layer.arrays()["values"][0]).all()
    with pytest.raises(AnalysisError, match="of all heads together"):
        model.study("head-examples", file)
    with pytest.raises(AnalysisError, match="A table of measures has every head") as caught:
        model.measure_corpus(file, tmp_path / "table.csv")
    assert "head-measures" in str(caught.value)
    assert whole.trace(TEXT).present.all()


WITHOUT_HEADS = [
    *("norm-attention-residual", "mixing-ratio", "attention-rollout", "attention-flow", "globenc", "alti"),
    *("decompx", "value-zeroing", "saliency", "gradient-input", "attn-lrp", "occlusion", "logit-lens"),
    *("direct-logits", "layer-details"),
]


@pytest.mark.parametrize("key", WITHOUT_HEADS)
def test_numbers_without_heads_are_those_of_the_whole_model_with_the_same_heads_muted(
    models: tuple[api.Model, api.Model], key: str
) -> None:
    whole, pruned = models
    muted = whole.analyse(key, whole.trace(TEXT, muted=LACKING))
    result = pruned.analyse(key, pruned.trace(TEXT))
    heads = ~pruned.trace(TEXT).present
    for name, array in result.arrays().items():
        found = muted.arrays()[name].copy()
        if array.shape == heads.shape:
            found[heads] = np.nan
        np.testing.assert_allclose(array, found, rtol=1e-4, atol=1e-5, err_msg=name)


def test_a_figure_shows_the_last_head_that_there_is(
    models: tuple[api.Model, api.Model], qapp: object, tmp_path: Path
) -> None:
    trace = models[1].trace(TEXT)
    for view in ("overview", "lines", "matrix", "steps"):
        trace.figure(view, model=models[1]).save(tmp_path / f"{view}.svg")
    assert last_head([trace]) == (2, 2)
    assert last_head([trace, models[0].trace(TEXT)], layer=0) == (0, 3)
    with pytest.raises(SelectionError, match="There is no head 1: layer 0 has the heads 0, 2, 3"):
        trace.figure("lines", layer=0, head=1)
    compared = api.compare(trace, models[1].trace(OTHER))
    assert np.isnan(compared.divergence[~trace.present]).all()
    compared.figure("lines").save(tmp_path / "compared.svg")


def test_weights_with_fewer_rows_are_told_what_to_write_and_then_open(tmp_path: Path) -> None:
    write_pruned(tmp_path, pruned={"1": [3]})
    change_config(tmp_path, pruned_heads=...)
    with pytest.raises(CheckpointError, match=r"layers\.1\.attention\.query") as caught:
        opened(tmp_path)
    assert "has the rows of 3 of 4 heads" in caught.value.hint
    assert '"pruned_heads": {"1": [3]}' in caught.value.hint
    change_config(tmp_path, pruned_heads={"1": [3]})
    assert opened(tmp_path).encoder.config.pruned == ((1, 3),)


def test_a_layer_that_has_all_rows_is_told_so_and_then_opens(tmp_path: Path) -> None:
    write_family(tmp_path, "bert")
    change_config(tmp_path, pruned_heads={"1": [3]})
    with pytest.raises(CheckpointError) as caught:
        opened(tmp_path)
    assert "take layer 1 out of “pruned_heads”" in caught.value.hint
    change_config(tmp_path, pruned_heads={})
    assert opened(tmp_path).encoder.config.pruned == ()


def test_what_no_heads_are_is_refused_by_its_key(tmp_path: Path) -> None:
    write_pruned(tmp_path)

    def read(settings: dict[str, Any]) -> None:
        change_config(tmp_path, **settings)
        opened(tmp_path)

    every = {str(layer): list(range(N_HEADS)) for layer in range(N_LAYERS)}
    wrong = ([1], {"3": [0]}, {"0": 1}, {"0": [4]}, {"0": [-1]}, {"0": [True]}, {"x": [0]}, "0", every)
    assert_refused(read, *each(pruned_heads=wrong))


def test_an_adapter_of_a_pruned_model_is_refused_by_name(tmp_path: Path) -> None:
    write_family(tmp_path / "base", "bert")
    write_adapter(tmp_path / "adapter", tmp_path / "base")
    write_pruned(tmp_path / "base")
    with pytest.raises(CheckpointError, match="adapter is not added to a model from which heads were pruned"):
        opened(tmp_path / "adapter")


@pytest.mark.parametrize("family", ["albert", "eurobert", "longformer", "deberta-v2", "convbert"])
def test_families_in_which_it_is_not_computed_are_refused(tmp_path: Path, family: str) -> None:
    write_family(tmp_path, family)
    change_config(tmp_path, pruned_heads={"0": [1]})
    with pytest.raises(CheckpointError, match="Pruned heads are not computed in a model with"):
        opened(tmp_path)
