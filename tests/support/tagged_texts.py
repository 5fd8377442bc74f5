"""Sentences with a label for each word or character that a random small BERT learns in a few seconds."""

from __future__ import annotations

import random
from pathlib import Path

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
