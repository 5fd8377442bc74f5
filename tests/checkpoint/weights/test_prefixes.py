"""Files of a training script, with more in them than the weights, and names with a prefix."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from bertviz_app.checkpoint.weights.tensors import read_weights
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import CheckpointError
from tests.support.checkpoint_folders import change_weights, copy_of, opened, to_pickle
from tests.support.families import write_family
from tests.support.notebooks import random_notebook, write_notebook

TEXT = "The cat ate the fish"


def _state() -> dict[str, Tensor]:
    return {"a.weight": torch.ones(2, 3), "b.weight": torch.zeros(2)}


def _trained() -> dict[str, object]:
    """Return what scripts keep beside the weights; the optimizer's state has tensors by number."""
    layer = torch.nn.Linear(3, 2)
    optimizer = torch.optim.AdamW(layer.parameters())
    layer(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    return {"optimizer_state_dict": optimizer.state_dict(), "epoch": 3, "loss": torch.tensor(0.5)}


@pytest.mark.parametrize("in_old_format", [False, True])
@pytest.mark.parametrize("name", ["state_dict", "model_state_dict", "model", "net", "my_encoder"])
def test_the_weights_are_found_beside_the_optimizer(tmp_path: Path, name: str, in_old_format: bool) -> None:
    path = tmp_path / "epoch-3.pt"
    torch.save(
        {**_trained(), name: OrderedDict(_state())}, path, _use_new_zipfile_serialization=not in_old_format
    )
    assert sorted(read_weights(path)) == ["a.weight", "b.weight"]


def test_of_two_tables_that_with_a_known_name_counts(tmp_path: Path) -> None:
    path = tmp_path / "epoch-3.pt"
    torch.save({"ema": {"a.weight": torch.zeros(2, 3)}, "model": _state()}, path)
    assert read_weights(path)["a.weight"].sum() == 6
    torch.save({"teacher": _state(), "student": _state()}, path)
    with pytest.raises(CheckpointError, match="no table of tensors"):
        read_weights(path)


def test_a_state_dict_with_tensors_of_its_own_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    torch.save({**_state(), "extra": {"c.weight": torch.ones(1)}}, path)
    assert sorted(read_weights(path)) == ["a.weight", "b.weight"]


@pytest.mark.parametrize("content", [{}, {"epoch": 3}, {"state_dict": {}}, {"state_dict": 3}])
def test_a_file_without_a_state_dict_is_refused(tmp_path: Path, content: object) -> None:
    path = tmp_path / "model.pt"
    torch.save(content, path)
    with pytest.raises(CheckpointError, match="no table of tensors") as caught:
        read_weights(path)
    assert "state dict" in caught.value.hint


@pytest.mark.parametrize("prefix", ["module.", "model.", "_orig_mod.", "_orig_mod.module.model."])
def test_a_prefix_of_all_names_is_stripped(tmp_path: Path, prefix: str) -> None:
    path = tmp_path / "model.pt"
    torch.save({prefix + name: tensor for name, tensor in _state().items()}, path)
    assert sorted(read_weights(path)) == ["a.weight", "b.weight"]


def test_a_prefix_of_some_names_stays(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    torch.save({"model.a": torch.ones(1), "b": torch.ones(1)}, path)
    assert sorted(read_weights(path)) == ["b", "model.a"]


@pytest.mark.parametrize("is_pickled", [True, False])
def test_a_family_opens_wrapped_and_prefixed(tiny_bert: Path, tmp_path: Path, is_pickled: bool) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    change_weights(folder, lambda found: {f"_orig_mod.bert.{name}": found[name] for name in found})
    if is_pickled:
        path = to_pickle(folder)
        torch.save({**_trained(), "model_state_dict": torch.load(path, weights_only=True)}, path)
    ours, sound = (opened(path) for path in (folder, tiny_bert))
    traces = [record(one.encoder, one.tokens(TEXT), "one") for one in (ours, sound)]
    np.testing.assert_array_equal(traces[0].hidden, traces[1].hidden)


@pytest.mark.parametrize("kind", "abcd")
def test_a_notebooks_model_opens_wrapped_and_prefixed(kind: str, tmp_path: Path) -> None:
    model = random_notebook(kind)
    sound = opened(write_notebook(tmp_path / "sound", model))
    folder = write_notebook(tmp_path / "wrapped", model, prefix="_orig_mod.")
    path = folder / "model.pt"
    torch.save({**_trained(), "state_dict": torch.load(path, weights_only=True)}, path)
    traces = [record(one.encoder, one.tokens(TEXT), "one") for one in (opened(folder), sound)]
    np.testing.assert_array_equal(traces[0].hidden, traces[1].hidden)


@pytest.mark.parametrize(
    "prefix",
    ["encoder.", "bert_model.", "0.auto_model.", "model.bert_encoder.", "module.", "_orig_mod.module."],
)
def test_any_prefix_of_all_names_is_taken_off_and_the_user_is_notified(
    prefix: str, tiny_bert: Path, tmp_path: Path
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    change_weights(folder, lambda tensors: {prefix + name: tensor for name, tensor in tensors.items()})
    one, other = opened(folder), opened(tiny_bert)
    assert (one.facts.fingerprint, one.report.missing) == (other.facts.fingerprint, ())
    assert one.facts.remarks == (f"The names of its weights begin with “{prefix}”, which is taken off.",)


@pytest.mark.parametrize("prefix", ["encoder.", "0.auto_model.", "net.roberta_model."])
def test_a_prefix_before_that_of_the_family_is_taken_off(prefix: str, tmp_path: Path) -> None:
    write_family(tmp_path, "roberta", "AutoModelForMaskedLM")
    before = opened(tmp_path)
    change_weights(tmp_path, lambda tensors: {prefix + name: tensor for name, tensor in tensors.items()})
    after = opened(tmp_path)
    assert after.facts.task_heads == before.facts.task_heads == ("masked",)
    assert after.facts.fingerprint == before.facts.fingerprint


def test_what_is_beside_the_encoder_is_left_out_and_named(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    beside = {"classifier.weight": torch.zeros(2, 32), "encoder.lstm.weight": torch.zeros(3)}
    change_weights(folder, lambda found: {f"bert_model.{name}": found[name] for name in found} | beside)
    report = opened(folder).report
    assert report.unexpected == ("classifier.weight", "encoder.lstm.weight")
    assert report.prefix == "bert_model."


def test_two_encoders_in_one_file_are_refused_by_name(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    both = ("query", "passage")
    change_weights(
        folder, lambda found: {f"{who}.{name}": found[name].clone() for who in both for name in found}
    )
    with pytest.raises(CheckpointError, match=r"several encoders, whose names begin with passage\., query\."):
        opened(folder)


def test_a_notebook_within_another_model_is_recognised(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook("a"))
    before = opened(folder)
    state = torch.load(folder / "model.pt", weights_only=True)
    torch.save({f"net.encoder_part.{name}": tensor for name, tensor in state.items()}, folder / "model.pt")
    after = opened(folder)
    assert after.facts.fingerprint == before.facts.fingerprint
    assert after.names["embeddings.token.weight"] == "net.encoder_part.encoder.enc_emb.weight"
