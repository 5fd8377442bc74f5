"""Texts of two kinds that small models learn from in seconds."""

from __future__ import annotations

import random
from pathlib import Path

from bertviz_app.training.pretraining.network import PretrainingNetwork
from bertviz_app.training.pretraining.settings import Evaluation, PretrainingSettings, StepReport
from tests.support.training_listener import RecordingListener

_WHO = ("the cat", "the dog", "a bird", "my aunt", "the king", "an old man")
_DID = ("ate", "saw", "found", "liked", "sold", "drew")
_WHAT = ("the fish", "a house", "some bread", "the garden", "two boats", "a letter")
_KOREAN = (
    "영화가 정말 재미있었어요.",
    "배우의 연기가 좋았다.",
    "지루해서 잠이 왔다!",
    "음악은 괜찮았습니다.",
)


def english(n_documents: int = 30, n_sentences: int = 12) -> str:
    """Return documents of made-up sentences with a blank line between them, of lines of several sentences."""
    draw = random.Random(1)
    documents = []
    for _ in range(n_documents):
        made = [
            f"{draw.choice(_WHO).capitalize()} {draw.choice(_DID)} {draw.choice(_WHAT)}."
            for _ in range(n_sentences)
        ]
        documents.append("\n".join(" ".join(made[at : at + 3]) for at in range(0, n_sentences, 3)))
    return "\n\n".join(documents)


def korean(n_lines: int = 60) -> str:
    """Return reviews, one a line."""
    draw = random.Random(2)
    return "\n".join(" ".join(draw.choice(_KOREAN) for _ in range(3)) for _ in range(n_lines))


def write_texts(folder: Path) -> list[Path]:
    """Write both and return their paths."""
    paths = [folder / "english.txt", folder / "korean.txt"]
    for path, text in zip(paths, (english(), korean()), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


TINY = PretrainingSettings(
    n_layers=2,
    n_heads=2,
    width=16,
    vocabulary_size=300,
    n_positions=48,
    length=32,
    batch_tokens=256,
    steps=12,
    precision="float32",
    evaluate_every=5,
    save_every=1e9,
)


class Follower(RecordingListener[StepReport, Evaluation, PretrainingNetwork]):
    """Follows a pre-training."""
