"""The names that published tables give to their columns, and what a first line with names looks like."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence


def _words(names: str) -> frozenset[str]:
    return frozenset(names.split())


LABELS = _words(
    "label labels gold_label real-label real_label binary-label binary_label score target class category "
    "sentiment emotion intent topic stars rating quality is_duplicate polarity y "
    "라벨 레이블 분류 감정 감성 클래스 범주 카테고리 정답 점수 평점 의도 주제"
)
"""Names of a column of labels."""
PAIRS = (
    *(("text", "text_b"), ("text_a", "text_b"), ("text1", "text2"), ("text_1", "text_2")),
    *(("sentence1", "sentence2"), ("sentence_1", "sentence_2"), ("sentence_a", "sentence_b")),
    *(("sent1", "sent2"), ("premise", "hypothesis"), ("question1", "question2"), ("question", "sentence")),
    *(("#1 string", "#2 string"), ("문장1", "문장2"), ("문장 1", "문장 2"), ("전제", "가설")),
)
"""Names of two columns that are the two texts of a pair."""
TEXTS = frozenset(
    {name for pair in PAIRS for name in pair}
    | _words(
        "sentence document review title comments comment content contents body utterance tweet headline "
        "문장 문서 제목 내용 리뷰 댓글 텍스트 본문 질문 발화 기사 글 후기"
    )
)
"""Names of a column of texts."""
_OTHERS = _words(
    "id guid index idx no pairid promptid genre filename file year source url date split domain author "
    "번호 아이디 출처 날짜"
) | {"#1 id", "#2 id"}
_LONGEST = 60
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def normal(name: str) -> str:
    """Return the name of a column as names are compared."""
    return unicodedata.normalize("NFC", name).strip().casefold()


def last_part(name: str) -> str:
    """Return the last part of the name of a value within others, as "label" of "labels.label"."""
    return normal(name).rpartition(".")[2]


def is_number(text: str) -> bool:
    """Return whether a cell is a number, as a label or an id is."""
    return _NUMBER.fullmatch(text.strip()) is not None


def is_header(first: Sequence[str], rows: Sequence[Sequence[str]], given: Collection[str]) -> bool:
    """Return whether the cells `first` name the columns of `rows`.

    `given` are names or numbers that the user wrote. Without such a name all cells are short, filled,
    different and no numbers, and either one of them is a known name, or a column has numbers below it.
    """
    names = [normal(cell) for cell in first]
    if {normal(name) for name in given if not name.isdecimal()} & set(names):
        return True
    is_like_names = len(set(names)) == len(names) and all(0 < len(name) <= _LONGEST for name in names)
    if not is_like_names or any(is_number(name) for name in names):
        return False
    others = [row for row in rows if list(row) != list(first)]  # joined files repeat their first lines
    below = [[row[at] for row in others if at < len(row)] for at in range(len(names))]
    is_known = [name in LABELS or name in TEXTS or name in _OTHERS for name in names]
    if any(
        known and name in map(normal, below[at])
        for at, (name, known) in enumerate(zip(names, is_known, strict=True))
    ):
        return False  # a text or a label like others below it
    n_known = sum(is_known)
    has_numbers = any(column and all(map(is_number, column)) for column in below)
    return has_numbers or 2 * n_known > len(names) or bool(n_known and _is_of_words(names))


def _is_of_words(names: Sequence[str]) -> bool:
    """Return whether no cell is a sentence."""
    return all(len(name.split()) <= 3 and name[-1] not in ".!?…。" for name in names)
