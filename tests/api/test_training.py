"""Training from Python: a model from texts, and a classifier on top of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import bertviz_app
from bertviz_app import api
from bertviz_app.errors import Cancelled, DeviceError
from bertviz_app.inference.opened_checkpoint import training_memory
from tests.support.reviews import TUNING, TuningFollower, of_classes, write_reviews
from tests.support.training_texts import TINY, write_texts


def test_a_model_is_made_of_texts_and_a_classifier_of_the_model(tmp_path: Path) -> None:
    texts = [str(path) for path in write_texts(tmp_path)]
    made = bertviz_app.pretrain(texts, str(tmp_path / "base"), TINY, device="cpu")
    assert made.step == TINY.steps
    data = write_reviews(tmp_path / "reviews.tsv", 24)
    evaluation = bertviz_app.finetune(
        str(tmp_path / "base"), str(data), str(tmp_path / "tuned"), TUNING, device="cpu", command="by hand"
    )
    assert of_classes(evaluation).labels == ("bad", "good")
    model = bertviz_app.open_model(str(tmp_path / "tuned"), "cpu")
    assert {label.name for label in model.classify("the cat").labels} == {"bad", "good"}
    assert "fine-tuned from base" in (tmp_path / "tuned" / "README.md").read_text("utf-8")


def test_a_listener_may_end_it(tiny_bert: Path, tmp_path: Path) -> None:
    data = write_reviews(tmp_path / "reviews.tsv")
    out = tmp_path / "out"
    with pytest.raises(Cancelled):
        api.finetune(str(tiny_bert), data, out, TUNING, TuningFollower(stop_after=1), "cpu")
    follower = TuningFollower()
    api.finetune(str(tiny_bert), data, out, TUNING, follower, "cpu", resume=True)
    assert follower.reports[0].step == 2


def test_a_full_memory_is_no_defect() -> None:
    with pytest.raises(DeviceError, match="not enough memory to train"), training_memory():
        raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
    with pytest.raises(RuntimeError, match="shape"), training_memory():
        raise RuntimeError("shape mismatch")


def test_naming_the_settings_loads_no_torch() -> None:
    program = (
        "import sys\n"
        "from bertviz_app.api import PretrainingSettings, TuningSettings, finetune, pretrain\n"
        "TuningSettings().validate(), PretrainingSettings(steps=1).validate()\n"
        "sys.stdout.write(str('torch' in sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.stdout, done.stderr) == ("False", "")
