"""Task heads beside a notebook's encoder: what is asked about them, what is shown, what is left out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from bertviz_app.api import open_model
from bertviz_app.checkpoint.questions import AnswersError
from bertviz_app.errors import ArgumentError, CheckpointError
from tests.support.checkpoint_folders import change_config, opened
from tests.support.notebook_heads import random_headed
from tests.support.notebooks import N_PIECES, WIDTH, write_notebook


def _written(tmp_path: Path, name: str, *, answers: dict[str, object] | None = None) -> Path:
    """Write the model `name` with these answers beside it, by default its own."""
    model = random_headed(name)
    folder = write_notebook(tmp_path / "model", model)
    if answers is not None:
        (folder / "bertviz_app.json").write_text(json.dumps(answers), encoding="utf-8")
    return folder


def _with(folder: Path, **others: Tensor) -> Path:
    tensors = torch.load(folder / "model.pt", weights_only=True)
    tensors |= {name.replace("__", "."): tensor for name, tensor in others.items()}
    torch.save(tensors, folder / "model.pt")
    return folder


def _error_of(folder: Path) -> AnswersError:
    with pytest.raises(AnswersError) as raised:
        opened(folder)
    return raised.value


def test_a_classifier_of_tokens_alone_shows_its_probabilities(tmp_path: Path) -> None:
    folder = _written(tmp_path, "tokens alone, classes", answers={})
    error = _error_of(folder)
    assert error.questions.unanswered == ("positions", "classifier_reads")
    assert "--classifier-reads mean" in error.hint
    given = {"positions": "none", "classifier_reads": "mean", "labels": ("bad", "good")}
    model = open_model(str(folder), "cpu", **given)  # type: ignore[arg-type]
    classes = model.classify("The cat ate the fish")
    logits = model.logits(model.trace("The cat ate the fish")).classes
    assert logits is not None
    expected = np.exp(logits) / np.exp(logits).sum()
    assert {label.name: label.value for label in classes.labels} == pytest.approx(
        {"bad": expected[0], "good": expected[1]}
    )
    assert json.loads((folder / "bertviz_app.json").read_text("utf-8"))["labels"] == ["bad", "good"]


def test_classes_without_names_are_numbered(tmp_path: Path) -> None:
    model = open_model(str(_written(tmp_path, "a, classes")), "cpu")
    names = {label.name for label in model.classify("The cat").labels}
    assert len(names) == 2
    assert all(any(character.isdigit() for character in name) for name in names)
    assert any("pooled vector" in remark for remark in model.facts.remarks)


def test_names_of_config_json_are_those_of_the_classes(tmp_path: Path) -> None:
    folder = _written(tmp_path, "b, classes", answers={})
    change_config(folder, id2label={"0": "bad", "1": "fair", "2": "good"})
    model = open_model(str(folder), "cpu")
    assert {label.name for label in model.classify("The cat").labels} == {"bad", "fair", "good"}


def test_names_of_other_classes_are_not_used_and_the_user_is_notified(tmp_path: Path) -> None:
    folder = _written(tmp_path, "b, classes", answers={})
    change_config(folder, id2label={"0": "bad", "1": "good"})
    model = open_model(str(folder), "cpu")
    assert not {label.name for label in model.classify("The cat").labels} & {"bad", "good"}
    assert any("names for 2 classes, but there are 3" in remark for remark in model.facts.remarks)


def test_names_may_be_given_as_a_list(tmp_path: Path) -> None:
    folder = _written(tmp_path, "b, classes", answers={})
    model = open_model(str(folder), "cpu", labels=["bad", "fair", "good"])  # type: ignore[arg-type]
    assert {label.name for label in model.classify("The cat").labels} == {"bad", "fair", "good"}


def test_each_class_has_one_name(tmp_path: Path) -> None:
    folder = _written(tmp_path, "b, classes", answers={})
    with pytest.raises(CheckpointError, match="2 names cannot be those of 3 classes"):
        open_model(str(folder), "cpu", labels=("bad", "good"))


def test_without_a_pooler_nothing_reads_the_pooled_vector(tmp_path: Path) -> None:
    folder = _written(tmp_path, "c, two layers", answers={})
    error = _error_of(folder)
    assert error.questions.unanswered == ("classifier_reads", "classifier_activation")
    with pytest.raises(CheckpointError, match="--classifier-reads cannot be “pooled”"):
        open_model(str(folder), "cpu", classifier_reads="pooled", classifier_activation="relu")


def test_which_output_means_follows_is_an_open_question(tmp_path: Path) -> None:
    folder = _written(tmp_path, "a, pre-training", answers={})
    assert _error_of(folder).questions.unanswered == ("follows",)
    found = []
    for follows in (0, 1):
        model = open_model(str(folder), "cpu", follows=follows)
        found.append(model.next_sentence("The cat ate", "It was hungry.").probability)
    assert found[0] + found[1] == pytest.approx(1, abs=1e-6)
    with pytest.raises(ArgumentError, match="number of an output, 0 or 1, not 2"):
        open_model(str(folder), "cpu", follows=2)


def test_masked_tokens_are_predicted(tmp_path: Path) -> None:
    model = open_model(str(_written(tmp_path, "codertimo")), "cpu")
    (filling,) = model.fill_mask("The cat ate the [MASK]")
    assert len(filling.fillers) > 1
    assert model.next_sentence("The cat ate", "It was hungry.").probability > 0


def test_a_head_can_be_left_out(tmp_path: Path) -> None:
    folder = _written(tmp_path, "c, two layers", answers={"classifier_reads": "none"})
    facts = open_model(str(folder), "cpu").facts
    assert facts.task_heads == ()
    assert any("fc1.weight" in remark for remark in facts.remarks)


def test_heads_of_other_parts_are_named_and_not_used(tmp_path: Path) -> None:
    folder = _with(_written(tmp_path, "b, classes", answers={}), classifier_norm__weight=torch.ones(WIDTH))
    with pytest.raises(CheckpointError, match=r"classifier_norm\.weight"):
        opened(folder)
    for number, (name, tensor) in enumerate(
        {
            "classifier__norm__weight": torch.ones(3),
            "classifier__2__weight": torch.ones(4, WIDTH + 1),
            "classifier__table": torch.ones(3, 3, 3),
        }.items()
    ):
        folder = _with(_written(tmp_path / str(number), "b, classes", answers={}), **{name: tensor})
        facts = opened(folder).facts
        assert facts.task_heads == ()
        assert any("classifier" in remark for remark in facts.remarks)


def test_numbers_of_another_kind_are_no_head(tmp_path: Path) -> None:
    bytes_ = torch.ones(3, WIDTH, dtype=torch.int8)
    folder = _with(_written(tmp_path, "b, classes", answers={}), classifier__weight=bytes_)
    assert opened(folder).facts.task_heads == ()


def test_fc1_and_fc2_may_be_two_heads(tmp_path: Path) -> None:
    folder = _written(tmp_path, "c, two layers", answers={"classifier_reads": "first", "follows": 1})
    tensors = torch.load(folder / "model.pt", weights_only=True)
    tensors = {name: tensor for name, tensor in tensors.items() if not name.startswith("fc")}
    tensors |= {"fc1.weight": torch.randn(N_PIECES, WIDTH), "fc2.weight": torch.randn(2, WIDTH)}
    torch.save(tensors, folder / "model.pt")
    assert opened(folder).facts.task_heads == ("masked", "next_sentence")


@pytest.mark.parametrize("missing", ["fc1.weight", "fc2.weight"])
def test_a_head_of_which_a_tensor_is_missing_is_not_used(missing: str, tmp_path: Path) -> None:
    folder = _written(tmp_path, "c, two layers", answers={})
    tensors = torch.load(folder / "model.pt", weights_only=True)
    torch.save({name: tensor for name, tensor in tensors.items() if name != missing}, folder / "model.pt")
    facts = opened(folder).facts
    assert facts.task_heads == ()
    assert any("Task heads that are not used" in remark for remark in facts.remarks)


def test_a_name_distinguishes_next_sentences_from_classes(tmp_path: Path) -> None:
    folder = _written(tmp_path, "codertimo", answers={})
    tensors = torch.load(folder / "model.pt", weights_only=True)
    torch.save({name: one for name, one in tensors.items() if "mask_lm" not in name}, folder / "model.pt")
    assert opened(folder).facts.task_heads == ("next_sentence",)
