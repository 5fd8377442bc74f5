"""Texts, rows and labels that a random small BERT learns in a second, and who follows the training."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from bertviz_app.checkpoint.folder import tokenizer_files
from bertviz_app.errors import Cancelled
from bertviz_app.features.training.finetuning.labelled import ClassifierNetwork
from bertviz_app.features.training.finetuning.settings import (
    TuningEvaluation,
    TuningSettings,
    TuningStep,
    TuningVerdict,
)
from bertviz_app.features.training.loop import Base
from bertviz_app.features.training.pretraining.network import PretrainingNetwork
from bertviz_app.features.training.pretraining.settings import Evaluation, PretrainingSettings, StepReport
from bertviz_app.features.training.pretraining.vocabulary import Tokenised
from tests.support.checkpoint_folders import opened


def random_corpus(
    n_documents: int, n_sentences: int, n_pieces: int, seed: int, longest: int = 14
) -> Tokenised:
    """Return documents of `n_sentences` each, of 1 to `longest` - 1 tokens."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest, n_documents * n_sentences)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    ids = rng.integers(5, n_pieces, starts[-1]).astype(np.uint16)
    return Tokenised(ids, starts, np.arange(n_documents + 1) * n_sentences)


def random_corpora(n_pieces: int) -> tuple[tuple[Tokenised, ...], NDArray[np.bool_]]:
    """Return one of long documents and one of short ones, and which pieces begin a word."""
    corpora = (
        random_corpus(20, 600, n_pieces, 1, longest=40),
        random_corpus(3_000, 3, n_pieces, 2, longest=12),
    )
    return corpora, np.arange(n_pieces) % 3 > 0


_Step = TypeVar("_Step")
_Evaluation = TypeVar("_Evaluation")
_Network = TypeVar("_Network")


@dataclass
class RecordingListener(Generic[_Step, _Evaluation, _Network]):
    """Records everything, and stops the run after `stop_after` steps."""

    stop_after: int | None = None
    stages: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    reports: list[_Step] = field(default_factory=list)
    evaluations: list[_Evaluation] = field(default_factory=list)
    snapshots: list[Path] = field(default_factory=list)

    def on_stage(self, stage: str) -> None:
        self.stages.append(stage)

    def on_notice(self, notice: str) -> None:
        self.notices.append(notice)

    def check(self) -> None:
        if self.stop_after is not None and len(self.reports) >= self.stop_after:
            raise Cancelled

    def on_step(self, report: _Step, network: _Network) -> None:
        self.reports.append(report)

    def on_evaluated(self, result: _Evaluation) -> None:
        self.evaluations.append(result)

    def on_snapshot(self, folder: Path) -> None:
        self.snapshots.append(folder)


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


_WORDS = ("the", "ate", "because", "it", "was", "hungry")
_NAMES = (("cat", "PER"), ("fish", "LOC"))


def write_conll(path: Path, n_sentences: int = 40, *, seed: int = 1) -> Path:
    """Write sentences in which a cat, and a fish with the next word, are spans: CoNLL, four columns, IOB2."""
    draw = random.Random(seed)
    lines = ["-DOCSTART- -X- -X- O", ""]
    for number in range(n_sentences):
        word, kind = _NAMES[number % 2]
        for other in draw.choices(_WORDS, k=draw.randint(0, 3)):
            lines.append(f"{other} X X O")
        lines.append(f"{word} X X B-{kind}")
        if kind == "LOC":
            lines.append("er X X I-LOC")
        for other in draw.choices(_WORDS, k=draw.randint(0, 3)):
            lines.append(f"{other} X X O")
        lines.append("")
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def write_klue(path: Path, n_sentences: int = 40, *, seed: int = 1) -> Path:
    """Write sentences in which 고양이 is a person and 한국 a place, as KLUE-NER is published."""
    draw = random.Random(seed)
    lines = ["## 토큰, 레이블 구분자 : \\t", "## 컬럼명 : CHAR\tNE_TAG"]
    for number in range(n_sentences):
        word, kind = (("고양이", "PS"), ("한국", "LC"))[number % 2]
        lines.append(f"## klue-ner-v1_train_{number:05}_wikitree\t<{word}:{kind}>")
        lines += ["배\tO", " \tO"] * draw.randint(0, 2)
        lines += [f"{letter}\t{'I' if at else 'B'}-{kind}" for at, letter in enumerate(word)]
        lines += ["가\tO", *([" \tO", "배\tO"] * draw.randint(0, 2)), ""]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


_WORDS_OF_REVIEWS = ("the", "ate", "because", "it", "was", "hungry", "배", "고양이")
TUNING = TuningSettings(
    epochs=2, batch=8, length=48, rate=5e-3, precision="float32", evaluate_every=5, save_every=1e9
)


def write_reviews(path: Path, n_rows: int = 60, *, seed: int = 1, has_pairs: bool = False) -> Path:
    """Write rows whose label is "good" where a cat is in them, and "bad" where a fish is."""
    draw = random.Random(seed)
    lines = ["label\ttext\ttext_b" if has_pairs else "label\ttext"]
    for number in range(n_rows):
        label, word = (("good", "cat"), ("bad", "fish"))[number % 2]
        words = [draw.choice(_WORDS_OF_REVIEWS) for _ in range(draw.randint(1, 4))]
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
