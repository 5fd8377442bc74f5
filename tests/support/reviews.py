"""Rows with labels that a random small BERT learns to tell apart in a second."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from bertviz_app.checkpoint.folder import tokenizer_files
from bertviz_app.errors import Cancelled
from bertviz_app.training.finetuning.base import Base
from bertviz_app.training.finetuning.classifier import ClassifierNetwork
from bertviz_app.training.finetuning.settings import TuningEvaluation, TuningSettings, TuningStep
from tests.support.checkpoint_folders import opened

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
    return Base(folder.name, checkpoint.encoder, checkpoint.tokenizer, tokenizer_files(folder))


@dataclass
class TuningFollower:
    """A listener that keeps all it is told, and stops the run after `stop_after` steps."""

    stop_after: int | None = None
    stages: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    reports: list[TuningStep] = field(default_factory=list)
    judged: list[TuningEvaluation] = field(default_factory=list)
    snapshots: list[Path] = field(default_factory=list)

    def on_stage(self, stage: str) -> None:
        self.stages.append(stage)

    def on_notice(self, notice: str) -> None:
        self.notices.append(notice)

    def check(self) -> None:
        if self.stop_after is not None and len(self.reports) >= self.stop_after:
            raise Cancelled

    def on_step(self, report: TuningStep, network: ClassifierNetwork) -> None:
        self.reports.append(report)

    def on_evaluated(self, result: TuningEvaluation) -> None:
        self.judged.append(result)

    def on_snapshot(self, folder: Path) -> None:
        self.snapshots.append(folder)
