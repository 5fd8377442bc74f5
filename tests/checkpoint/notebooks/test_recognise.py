"""Models of notebooks: what their files must say, what is answered instead, and what is refused."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from bertviz_app import paths
from bertviz_app.api import open_model
from bertviz_app.checkpoint.answers import Answers, save_answers, saved_answers, saved_answers_file
from bertviz_app.checkpoint.loader import open_checkpoint
from bertviz_app.checkpoint.notebooks.recognise import notebook_of
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.errors import CheckpointError, FileError
from tests.support.checkpoint_folders import change_config, opened
from tests.support.notebooks import KINDS, N_HEADS, random_notebook, write_notebook

ALL = Answers(n_heads=N_HEADS, norm_eps=1e-5, lower_case=True)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of settings."""
    monkeypatch.setattr(paths, "settings", lambda: tmp_path / "settings")
    return tmp_path / "settings"


@pytest.fixture
def silent(tmp_path: Path, settings: Path) -> Path:
    """A checkpoint of which config.json says nothing."""
    return write_notebook(tmp_path / "silent", random_notebook("c"), config={})


def test_the_sizes_are_those_of_the_weights(tmp_path: Path) -> None:
    config = opened(write_notebook(tmp_path, random_notebook("a"))).encoder.config
    assert (config.n_layers, config.n_heads, config.head_width, config.width) == (3, 4, 6, 32)
    assert (config.n_positions, config.max_tokens, config.first_position) == (41, 40, 1)
    assert config.norm_eps == 1e-6


def test_the_norms_of_b_have_torchs_epsilon_whatever_config_json_has(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook("b"))
    assert json.loads((folder / "config.json").read_text("utf-8"))["layer_norm_eps"] == 1e-12
    assert opened(folder).encoder.config.norm_eps == 1e-5
    change_config(folder, model_type="bert")
    assert opened(folder).encoder.config.form.adds_before_projection


def test_all_missing_answers_are_named_in_one_error(silent: Path) -> None:
    with pytest.raises(CheckpointError, match="--heads, --eps, --lower-case") as raised:
        opened(silent)
    assert "--heads 12 --eps 1e-5 --lower-case" in raised.value.hint
    assert "bertviz_app.json" in raised.value.hint
    with pytest.raises(CheckpointError, match=r"known: --eps\."):
        open_checkpoint(find(str(silent)), answers=Answers(n_heads=N_HEADS, lower_case=True))


def test_what_was_answered_is_kept_beside_it(silent: Path) -> None:
    model = open_model(str(silent), "cpu", n_heads=N_HEADS, norm_eps=1e-5, lower_case=True)
    assert json.loads((silent / "bertviz_app.json").read_text("utf-8")) == {
        "n_heads": N_HEADS,
        "norm_eps": 1e-5,
        "lower_case": True,
    }
    again = open_model(str(silent), "cpu").trace("The cat")
    np.testing.assert_array_equal(again.hidden, model.trace("The cat").hidden)
    assert again.tokens.pieces == ("[CLS]", "the", "cat", "[SEP]")


def test_a_later_answer_replaces_an_earlier_one(silent: Path) -> None:
    open_model(str(silent), "cpu", n_heads=N_HEADS, norm_eps=1e-5, lower_case=True)
    open_model(str(silent), "cpu", n_heads=2)
    assert saved_answers(silent) == Answers(2, 1e-5, True)
    assert open_model(str(silent), "cpu").facts.n_heads == 2


def test_an_answer_that_does_not_fit_is_not_kept(silent: Path) -> None:
    with pytest.raises(CheckpointError, match="7 heads cannot share the 32 numbers"):
        open_model(str(silent), "cpu", n_heads=7, norm_eps=1e-5, lower_case=True)
    assert saved_answers_file(silent) is None


def test_where_the_folder_cannot_be_written_the_settings_keep_it(
    silent: Path, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (silent / "bertviz_app.json").mkdir()  # takes the place of the file, for whoever writes
    save_answers(silent, ALL)
    assert saved_answers(silent) == ALL
    path = saved_answers_file(silent)
    assert path is not None
    assert path.is_relative_to(settings)


def test_the_newest_answer_holds_where_the_folder_can_no_longer_be_written(
    silent: Path, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_answers(silent, ALL)
    later, replacing = replace(ALL, n_heads=2), paths.replacing

    def refusing(path: Path) -> AbstractContextManager[Path]:
        if path.parent == silent:
            raise FileError("read-only")
        return replacing(path)

    with monkeypatch.context() as patched:
        patched.setattr(paths, "replacing", refusing)
        assert save_answers(silent, later).is_relative_to(settings)
    assert saved_answers(silent) == later
    assert save_answers(silent, ALL) == saved_answers_file(silent) == silent / "bertviz_app.json"
    assert saved_answers(silent) == ALL


@pytest.mark.parametrize(
    "answers",
    [
        {"n_heads": 0},
        {"n_heads": "4"},
        {"norm_eps": 2.0},
        {"lower_case": 1},
        {"n_heads": True},
        {"positions": "sines"},
    ],
)
def test_damaged_answers_are_refused(silent: Path, answers: dict[str, object]) -> None:
    (silent / "bertviz_app.json").write_text(json.dumps(answers), encoding="utf-8")
    with pytest.raises(CheckpointError, match="an answer that can be none"):
        opened(silent)


def test_a_family_needs_no_answers(tiny_bert: Path) -> None:
    with pytest.raises(CheckpointError, match="says itself"):
        open_checkpoint(find(str(tiny_bert)), answers=ALL)


def test_a_size_that_contradicts_the_weights_is_refused(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook("a"))
    change_config(folder, d_hidn=64)
    with pytest.raises(CheckpointError, match=r"d_hidn in config\.json is 64, but the weights make it 32"):
        opened(folder)


def test_a_part_that_is_not_computed_is_refused(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook("c"))
    tensors = torch.load(folder / "model.pt", weights_only=True)
    torch.save({**tensors, "encoder.adapter.scale": torch.ones(16)}, folder / "model.pt")
    with pytest.raises(CheckpointError, match=r"encoder\.adapter\.scale"):
        opened(folder)


@pytest.mark.parametrize("kind", KINDS)
def test_every_tensor_but_one_is_not_enough(kind: str, tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook(kind))
    tensors = torch.load(folder / "model.pt", weights_only=True)
    for name in [name for name in tensors if not name.startswith(("fc.", "linear.", "pooler."))]:
        torch.save({other: tensor for other, tensor in tensors.items() if other != name}, folder / "model.pt")
        if "segment" in name or "seg_emb" in name or "token_type" in name:
            continue  # a model without segments
        with pytest.raises(CheckpointError):
            opened(folder)


def test_other_names_are_no_notebooks() -> None:
    names = ("attention.self.query", "attention.output.dense", "intermediate.dense", "output.dense")
    of_bert = {f"bert.encoder.layer.0.{name}.weight": torch.zeros(8, 8) for name in names}
    assert notebook_of(of_bert) is None
    assert notebook_of({"fc.weight": torch.zeros(2, 8)}) is None
    assert notebook_of({}) is None


def test_names_that_are_not_known_are_shown_with_the_way_out(tmp_path: Path) -> None:
    """Also where answers are given: it is not true then that its files leave nothing open."""
    folder = write_notebook(tmp_path, random_notebook("c"))
    tensors = torch.load(folder / "model.pt", weights_only=True)
    renamed = {f"p{number}": tensor for number, tensor in enumerate(tensors.values())}
    torch.save(renamed, folder / "model.pt")
    for answers in (Answers(), ALL):
        with pytest.raises(CheckpointError, match=r"no “model_type”, and .* such names: ") as raised:
            open_checkpoint(find(str(folder)), answers=answers)
        assert "--parts FILE" in raised.value.hint


def test_saved_answers_about_its_files_are_no_answers_about_the_model(silent: Path) -> None:
    answers = {"n_heads": 4, "norm_eps": 1e-5, "lower_case": True, "links": True}
    (silent / "bertviz_app.json").write_text(json.dumps(answers), encoding="utf-8")
    source = find(str(silent))
    assert source.problem is None
    assert not source.asks
    assert opened(silent).encoder.config.n_heads == 4


def test_cased_text_keeps_its_case(silent: Path) -> None:
    model = open_model(str(silent), "cpu", n_heads=N_HEADS, norm_eps=1e-5, lower_case=False)
    assert "the" not in model.tokens("The cat").pieces
