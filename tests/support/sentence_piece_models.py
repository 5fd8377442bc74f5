"""SentencePiece models, trained while a test runs, and lines of text to cut with them."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import sentencepiece

Settings = Mapping[str, Any]
KINDS = ("unigram", "bpe", "char", "word")
NOTEBOOK: Settings = {
    "pad_id": 0,
    "pad_piece": "[PAD]",
    "unk_id": 1,
    "unk_piece": "[UNK]",
    "bos_id": 2,
    "bos_piece": "[BOS]",
    "eos_id": 3,
    "eos_piece": "[EOS]",
    "user_defined_symbols": ["[SEP]", "[CLS]", "[MASK]"],
}
"""How Korean notebooks train theirs."""
XLM_ROBERTA: Settings = {}  # the library's own: <unk>, <s>, </s>
ALBERT: Settings = {
    "pad_id": 0,
    "unk_id": 1,
    "bos_id": -1,
    "eos_id": -1,
    "control_symbols": ["[CLS]", "[SEP]", "[MASK]"],
}

DEBERTA: Settings = {
    "pad_id": 0,
    "bos_id": 1,
    "eos_id": 2,
    "unk_id": 3,
    "pad_piece": "[PAD]",
    "bos_piece": "[CLS]",
    "eos_piece": "[SEP]",
    "unk_piece": "[UNK]",
}

_ENGLISH = (
    *("the cat ate the fish", "because it was hungry and the dog slept", "a child walked to the old house"),
    *("in 1,234 years nobody saw 99, or 7, of them", "she said: “no”, and went away", "time flies"),
)
_KOREAN = (
    *(
        "고양이가 배가 고파서 생선을 먹었다",
        "아이가 학교에 갔다가 집으로 돌아왔다",
        "오늘은 날씨가 정말 좋네요",
    ),
    *(
        "영화가 너무 재미있어서 두 번 봤어요",
        "한국어 문장을 조각으로 나눕니다",
        "그 사람은 1999년에 태어났다",
    ),
)
_ODD = (
    *(
        "  two  spaces\tand\ttabs\n",
        "ＦＵＬＬ　ｗｉｄｔｈ １２３",
        "ﬁne ①② ㎏ ㈜ ½ e\u0301 Å ǆ",
        "고양이 (나누어진)",
    ),
    *(
        "🙂👍🏽 👨‍👩‍👧 emoji",
        "zero\u200bwidth\u00a0space \ufeff mark",
        "ㅋㅋㅋㅋㅋㅋ ㅠㅠㅠ !!!!!!!",
        "▁ under ▁▁score",
    ),
    *(
        "عربي עברית ไทย हिन्दी 漢字かな",
        "Ａ\u0301 ﾊﾞ ｶﾞ ㌔",
        "aaaaaaaaaaaaaaaaaaaaaaaa",
        "<unk> </s> [UNK] <0x41>",
    ),
    *(
        "x[MASK]y [MASK] [MASK][MASK]",
        "``quoted'' 1,000, 20, x,",
        "\U0001f1f0\U0001f1f7 \u1112\u1161\u11ab",
        ".",
    ),
)


def lines(n_lines: int = 400, seed: int = 0) -> list[str]:
    """Return English and Korean lines of mixed words, and odd ones among them."""
    random = Random(seed)
    words = {"en": " ".join(_ENGLISH).split(), "ko": " ".join(_KOREAN).split()}
    found = [*_ENGLISH, *_KOREAN, *_ODD]
    while len(found) < n_lines:
        language = random.choice(("en", "ko"))
        line = random.choices(words[language], k=random.randrange(1, 14))
        if random.random() < 0.3:
            line.insert(random.randrange(len(line) + 1), random.choice(_ODD))
        found.append(random.choice((" ", " ", "  ", "\t", "")).join(line))
    return found


def trained(kind: str, settings: Settings) -> bytes:
    """Return a model of a `kind`, trained on a few sentences; `settings` are the trainer's own."""
    made = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=_plain_lines(),
        model_writer=made,
        model_type=kind,
        hard_vocab_limit=False,
        minloglevel=2,
        **{"vocab_size": 200, **settings},
    )
    return made.getvalue()


def _plain_lines() -> Iterator[str]:
    yield from (line for line in [*_ENGLISH, *_KOREAN] * 20)


def write_model(path: Path, kind: str = "unigram", special: Settings | None = None, **more: object) -> Path:
    """Write such a model to `path`, with a notebook's special pieces unless told; return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(trained(kind, {**(NOTEBOOK if special is None else special), **more}))
    return path


def processor(path: Path) -> sentencepiece.SentencePieceProcessor:
    """Return the library's own reader of the model at `path`."""
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def cut_by_library(path: Path, texts: Sequence[str]) -> list[list[int]]:
    """Return the ids that the library itself gives to each of `texts`."""
    reader = processor(path)
    return [reader.encode(text) for text in texts]
