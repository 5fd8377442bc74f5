"""Labels of words or characters that mark spans, as B-PER and I-PER do: IOB1, IOB2, BIOES and others.

The spans are those of the CoNLL 2000 evaluation (Tjong Kim Sang and Buchholz 2000, Introduction to the
CoNLL-2000 Shared Task: Chunking, section 4).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Literal, NamedTuple

Scheme = Literal["IOB1", "IOB2", "BIOES", ""]
"""How the ends of spans are marked; "" for labels that mark no spans, such as parts of speech."""
_OUTSIDE = frozenset({"O", "-", "_"})
_BEFORE = re.compile(r"([BIESLUM])[-_](.+)")  # B-PER
_AFTER = re.compile(r"(.+)[-_]([BIESLUM])")  # PER-B
_ALIKE = {"L": "E", "U": "S", "M": "I"}  # of BILOU and BMES
_OPENING, _CLOSING = frozenset("BS"), frozenset("ES")


class Mark(NamedTuple):
    """A label of a scheme: its letter, one of B, I, E, S, O, and the type of the span, "" outside."""

    letter: str
    type: str


class LabelledSpan(NamedTuple):
    """A span of words or characters: the first, the one after the last, and its type."""

    first: int
    last: int
    type: str


def marks_of(labels: Collection[str]) -> dict[str, Mark] | None:
    """Return what each label says of spans; None where they are not labels of spans.

    The letter is before the type in all of them or after the type in all of them.
    """
    outside = {label: Mark("O", "") for label in labels if label in _OUTSIDE}
    others = [label for label in labels if label not in outside]
    if not others:
        return None
    for pattern, letter, kind in ((_BEFORE, 1, 2), (_AFTER, 2, 1)):
        found = {label: match for label in others if (match := pattern.fullmatch(label))}
        if len(found) == len(others):
            marks = {label: Mark(_letter(match[letter]), match[kind]) for label, match in found.items()}
            return outside | marks if {mark.letter for mark in marks.values()} & set("BIS") else None
    return None


def spans_of(marks: Sequence[Mark | None], continues: Sequence[bool] | None = None) -> list[LabelledSpan]:
    """Return the spans that a sentence's marks describe; None is a word without one, and outside.

    A span begins at B and S, and at any mark inside a span that cannot go on from the one before: after
    outside, after another type, after E or S. So IOB1, IOB2 and BIOES are read alike, and labels that a
    model predicts in an impossible order have spans, too. Where `continues` is true, the word belongs to
    the span of the one before.
    """
    spans: list[LabelledSpan] = []
    before = _NOTHING
    for at, mark in enumerate(marks):
        mark = mark or _NOTHING
        if continues is not None and continues[at]:
            mark = before
        elif mark.type and _begins(before, mark):
            spans.append(LabelledSpan(at, at, mark.type))
        if mark.type:
            spans[-1] = spans[-1]._replace(last=at + 1)
        before = mark
    return spans


def scheme_of(sentences: Iterable[Sequence[str]], marks: dict[str, Mark] | None) -> Scheme:
    """Return the scheme of the labels of `sentences`.

    IOB1 has B only where a span follows another of its type; where every span begins with B it is IOB2.
    """
    if marks is None:
        return ""
    if {mark.letter for mark in marks.values()} & _CLOSING:
        return "BIOES"
    starts = Counter(start for labels in sentences for start in _starts([marks[label] for label in labels]))
    return "IOB1" if starts["I"] and not starts["B"] else "IOB2"


def misplaced(sentences: Iterable[Sequence[str]], marks: dict[str, Mark]) -> int:
    """Return how many spans of `sentences` in IOB2 begin with I."""
    starts = Counter(start for labels in sentences for start in _starts([marks[label] for label in labels]))
    return starts["I"]


_NOTHING = Mark("O", "")


def _letter(letter: str) -> str:
    return _ALIKE.get(letter, letter)


def _begins(before: Mark, mark: Mark) -> bool:
    return mark.letter in _OPENING or before.letter in _CLOSING or before.type != mark.type


def _starts(marks: Sequence[Mark]) -> Iterable[str]:
    """Yield the letters of the first labels of spans, except of those that follow another of their type."""
    for before, mark in zip((_NOTHING, *marks[:-1]), marks, strict=True):
        if mark.type and _begins(before, mark) and before.type != mark.type:
            yield mark.letter
