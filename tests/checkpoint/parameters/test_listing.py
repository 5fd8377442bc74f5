"""The table of parameters: all that the file has, each once, in every family, with adapters, in notebooks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from bertviz_app.checkpoint.parameter_listing import list_parameters, tensors_of
from bertviz_app.checkpoint.parameters import ParameterTable
from bertviz_app.checkpoint.weights.tensors import read_tensors
from bertviz_app.errors import SelectionError
from bertviz_app.inference.engine import Engine
from tests.support.adapters import OF_BERT, write_adapter
from tests.support.checkpoint_folders import opened
from tests.support.families import FAMILIES, write_family
from tests.support.notebooks import KINDS, random_notebook, write_notebook

IN_GROUPS = frozenset({"squeezebert"})
"""Families whose dense layers in groups are whole matrices here."""


def _table(folder: Path) -> ParameterTable:
    return list_parameters(opened(folder))


@pytest.mark.parametrize("family", FAMILIES)
def test_each_tensor_of_the_file_is_listed_with_its_name_and_numbers(family: str, tmp_path: Path) -> None:
    model = write_family(tmp_path, family)
    checkpoint = opened(tmp_path)
    table, tensors = list_parameters(checkpoint), tensors_of(checkpoint)
    stored = load_file(tmp_path / "model.safetensors")
    assert [entry.key for entry in table if "." in entry.title] == [], "a parameter without a name"
    names = [entry.name for entry in table if not entry.tied_to]
    assert set(names) <= set(stored)
    by_name: dict[str, list[str]] = {}
    for entry in table:
        by_name.setdefault(entry.name, []).append(entry.key)
    for name, keys in by_name.items():
        parts = torch.cat([tensors[key].flatten() for key in keys])
        flat = stored[name].flatten()
        parts = parts[parts != 0] if family in IN_GROUPS else parts  # zeros between the groups
        assert torch.equal(parts.sort().values, flat.sort().values), name
    n_stored = sum(stored[name].numel() for name in set(names))
    assert table.total == n_stored or (family in IN_GROUPS and table.total > n_stored)
    left_out = {name for name in set(stored) - set(names) if not name.startswith("decoder.")}
    # What no encoder computes with: buffers, unused pairs of norms, heads that are not read; nor decoders.
    assert sum(stored[name].numel() for name in left_out) <= 0.35 * model.num_parameters()


def test_shared_layers_are_listed_once_with_all_their_layers(tmp_path: Path) -> None:
    write_family(tmp_path, "albert")
    table = _table(tmp_path)
    queries = [entry for entry in table if entry.key.endswith("attention.query.weight")]
    assert [entry.layers for entry in queries] == [(0, 1, 2)]
    assert queries[0].notes == ("Used by 3 layers, counted once.",)
    assert "Layers 0 to 2, shared · attention" in [title for title, _ in table.sections()]
    assert sum(table.share(entry) for entry in table) == pytest.approx(1)


def test_a_tied_table_is_counted_with_the_embeddings(tmp_path: Path) -> None:
    model = write_family(tmp_path, "bert", "AutoModelForMaskedLM")
    table = _table(tmp_path)
    decoder = table["heads.masked.decoder.weight"]
    assert (decoder.name, decoder.n_numbers, decoder.tied_to) == ("", 0, "embeddings.token.weight")
    assert decoder.shape == table["bert.embeddings.word_embeddings.weight"].shape
    assert table.total == sum(parameter.numel() for parameter in model.parameters())


def test_several_parameters_in_one_tensor_are_its_parts(tmp_path: Path) -> None:
    write_family(tmp_path, "modernbert")
    table = _table(tmp_path)
    stored = load_file(tmp_path / "model.safetensors")
    parts = [entry for entry in table if entry.name == "layers.1.attn.Wqkv.weight"]
    assert [(entry.symbol, entry.part) for entry in parts] == [
        ("W_Q", (1, 3)),
        ("W_K", (2, 3)),
        ("W_V", (3, 3)),
    ]
    assert sum(entry.n_numbers for entry in parts) == stored["layers.1.attn.Wqkv.weight"].numel()
    with pytest.raises(SelectionError, match="holds 3 parameters"):
        table.find("layers.1.attn.Wqkv.weight")


def test_an_adapter_is_merged_and_noted(tmp_path: Path) -> None:
    base, folder = tmp_path / "base", tmp_path / "adapter"
    write_family(base, "bert")
    merged = write_adapter(folder, base, target_modules=OF_BERT)
    checkpoint = opened(folder)
    table, tensors = list_parameters(checkpoint), tensors_of(checkpoint)
    query = table["encoder.layer.1.attention.self.query.weight"]
    theirs = merged.state_dict()[query.name]
    np.testing.assert_allclose(tensors[query.key].numpy(), theirs.numpy(), atol=1e-5)
    adapted = {entry.name for entry in table if entry.is_adapted}
    assert {name.rpartition(".")[0].rpartition(".")[2] for name in adapted} == {
        "query",
        "value",
        "dense",
        "word_embeddings",
    }
    assert query.notes == ("With the adapter added.",)
    assert not table["encoder.layer.1.attention.self.key.weight"].is_adapted


def test_names_are_those_in_the_file_with_all_that_a_script_put_before_them(tmp_path: Path) -> None:
    model = random_notebook("c")
    folder = write_notebook(tmp_path, model, prefix="module.")
    table = _table(folder)
    stored = read_tensors(folder / "model.pt")
    assert {entry.name for entry in table if entry.name} <= set(stored)
    assert all(entry.name.startswith("module.") for entry in table if entry.name)


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebooks_model_has_all_its_numbers(kind: str, tmp_path: Path) -> None:
    model = random_notebook(kind)
    table = _table(write_notebook(tmp_path, model))
    # Heads that the notebook's own class has beside the encoder may not be read.
    assert table.total <= sum(parameter.numel() for parameter in model.parameters())
    assert {entry.name for entry in table if not entry.tied_to} <= set(model.state_dict())
    assert {f"layers.0.attention.{name}.weight" for name in ("query", "key", "value")} <= {
        entry.key for entry in table
    }


def test_numbers_are_read_only_and_those_of_the_file(tiny_bert: Path) -> None:
    parameters = Engine().parameters(str(tiny_bert))
    stored = load_file(tiny_bert / "model.safetensors")
    for entry in parameters.table:
        values = parameters.values(entry.name)
        np.testing.assert_array_equal(values, stored[entry.name].numpy())
        assert not values.flags.writeable
    with pytest.raises(SelectionError, match="no parameter “bert"):
        parameters.values("bert.nothing")


def test_parameters_have_a_title_and_a_symbol(tiny_bert: Path) -> None:
    table = _table(tiny_bert)
    found = {entry.key: (entry.title, entry.symbol) for entry in table}
    assert found["embeddings.token.weight"] == ("Token embeddings", "E_t")
    assert found["layers.1.attention.output.bias"] == ("Output of the heads: bias", "b_O")
    assert found["layers.0.attention_norm.weight"] == ("Norm of the attention: scale", "γ")
    assert [title for title, _ in table.sections()][:4] == [
        "Embeddings",
        "Layer 0 · attention",
        "Layer 0 · feed-forward",
        "Layer 0 · norms",
    ]
