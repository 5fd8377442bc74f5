"""What needs gradients computes them in whatever grad mode its caller is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import bertviz_app
from bertviz_app.analysis.entry import Needs
from bertviz_app.api import ANALYSES, STUDIES
from bertviz_app.features.training.finetuning.run import finetune
from bertviz_app.features.training.pretraining.run import pretrain
from tests.support.checkpoints import vocabulary, write_bert
from tests.support.training_texts import (
    TINY,
    TUNING,
    Follower,
    TuningFollower,
    base_of,
    write_reviews,
    write_texts,
)

MODES: dict[str, Callable[[], Any]] = {
    "no_grad": torch.no_grad,
    "inference_mode": torch.inference_mode,
    "set_grad_enabled": lambda: torch.set_grad_enabled(False),
}
ANALYSED = [one.key for one in ANALYSES if Needs.GRADIENT in one.needs]
MEASURED = [one.key for one in STUDIES if Needs.GRADIENT in one.needs]


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers import BertConfig, BertForMaskedLM

    torch.manual_seed(1)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    model: Any = BertForMaskedLM(BertConfig(vocab_size=len(vocabulary()), **sizes)).eval()
    return write_bert(tmp_path_factory.mktemp("made") / "masked", model)


def test_what_needs_gradients() -> None:
    named = {"saliency", "gradient-input", "integrated-gradients", "chefer", "attn-lrp", "head-importance"}
    assert named | {"agreement", "head-ranking"} <= set(ANALYSED)
    assert {"head-importance", "pruning-curve"} <= set(MEASURED)


def _found(model: bertviz_app.Model, texts: Path) -> dict[str, Any]:
    trace = model.trace("the [MASK] ate fish .")
    results = {key: model.analyse(key, trace) for key in ANALYSED}
    studies = {f"study {key}": model.study(key, texts) for key in (*MEASURED, "tuned-lens")}
    return {key: one.arrays() for key, one in (results | studies).items()}


@pytest.fixture(scope="module")
def outside(
    masked: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[bertviz_app.Model, Path, dict[str, Any]]:
    """A model, a file of texts, and what is found of them in no mode."""
    texts = tmp_path_factory.mktemp("texts") / "texts.txt"
    texts.write_text("the cat ate fish .\nit was hungry\n", "utf-8")
    model = bertviz_app.open_model(str(masked), "cpu")
    return model, texts, _found(model, texts)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "opened"),
    [
        ("inference_mode", "before"),
        ("inference_mode", "inside"),
        ("no_grad", "before"),
        ("set_grad_enabled", "inside"),
    ],
)
def test_every_analysis_and_study_of_gradients(
    outside: tuple[bertviz_app.Model, Path, dict[str, Any]], masked: Path, mode: str, opened: str
) -> None:
    model, texts, expected = outside
    with MODES[mode]():
        before = torch.is_grad_enabled(), torch.is_inference_mode_enabled()
        model = model if opened == "before" else bertviz_app.open_model(str(masked), "cpu")
        numbers = _found(model, texts)
        assert (torch.is_grad_enabled(), torch.is_inference_mode_enabled()) == before
    for key, arrays in expected.items():
        for name, array in arrays.items():
            np.testing.assert_array_equal(numbers[key][name], array, f"{key} {name}")
    assert torch.is_grad_enabled()
    for key in ANALYSED[:2]:  # what was read inside has gradients outside, too
        model.analyse(key, model.trace("the cat"))


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["inference_mode"])
def test_trainings_change_the_weights(tiny_bert: Path, tmp_path: Path, mode: str) -> None:
    follower, tuning = Follower(), TuningFollower()
    with MODES[mode]():
        pretrain(write_texts(tmp_path), tmp_path / "pretrained", TINY, follower)
        rows = write_reviews(tmp_path / "reviews.tsv")
        finetune(base_of(tiny_bert), rows, tmp_path / "tuned", TUNING, tuning)
    first, *_, last = (one.masked_loss for one in follower.evaluations)
    assert last < first
    assert tuning.reports[-1].share == 1.0
    weights = [load_file(folder / "model.safetensors") for folder in (tiny_bert, tmp_path / "tuned")]
    name = next(name for name in weights[1] if name.endswith("layer.0.attention.self.query.weight"))
    assert not torch.equal(weights[1][name], weights[0][name.removeprefix("bert.")])
