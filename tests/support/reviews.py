"""Rows with labels that a random small BERT learns to tell apart in a second."""

from __future__ import annotations

import random
from pathlib import Path

from bertviz_app.checkpoint.folder import tokenizer_files
from bertviz_app.training.finetuning.labelled import ClassifierNetwork
from bertviz_app.training.finetuning.settings import (
    TuningEvaluation,
    TuningSettings,
    TuningStep,
    TuningVerdict,
)
from bertviz_app.training.loop import Base
from tests.support.checkpoint_folders import opened
from tests.support.training_listener import RecordingListener

_WORDS = ("the", "ate", "because", "it", "was", "hungry", "배", "고양이")
TUNING = TuningSettings(
    epochs=2,
    batch=8,
    length=48,
    rate=5e-3,
    precision="float32",
    evaluate_every=5,
    save_every=1e9,
)


def write_reviews(path: Path, n_rows: int = 60, *, seed: int = 1, has_pairs: bool = False) -> Path:
    """Write rows whose label is "good" where a cat is in them, and "bad" where a fish is."""
    draw = random.Random(seed)
    lines = ["label\ttext\ttext_b" if has_pairs else "label\ttext"]
    for number in range(n_rows):
        label, word = (("good", "cat"), ("bad", "fish"))[number % 2]
        words = [draw.choice(_WORDS) for _ in range(draw.randint(1, 4))]
        words.insert(draw.randint(0, len(words)), word)
        cells = [label, " ".join(words), *(["it was"] if has_pairs else [])]
        lines.append("\t".join(cells))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def base_of(folder: Path) -> Base:
    """Return the checkpoint in `folder` to begin with."""
    checkpoint = opened(folder)
    files = tokenizer_files(folder)
    n = checkpoint.facts.n_trained_positions
    return Base(folder.name, checkpoint.encoder, checkpoint.task_heads, checkpoint.tokenizer, files, n)


def of_classes(result: TuningVerdict) -> TuningEvaluation:
    """Return an evaluation of classes as one."""
    assert isinstance(result, TuningEvaluation)
    return result


class TuningFollower(RecordingListener[TuningStep, TuningVerdict, ClassifierNetwork]):
    """Follows a fine-tuning."""
