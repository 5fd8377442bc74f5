"""Interventions as the command line writes them: `head:3.5=uniform`, `token:4=drop`, `cell:3.5:2:7=0.4`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from bertviz_app.errors import AppError
from bertviz_app.text.edits import (
    HEAD_KINDS,
    TOKEN_KINDS,
    CellIntervention,
    HeadIntervention,
    Intervention,
    TokenIntervention,
)

_FORMS = (
    "Write head:3.5=uniform, token:4=drop, token:4=segment:1 or cell:3.5:2:7=0.4; layers, heads and tokens "
    "count from 0."
)
_CELL = re.compile(r"(\d+)\.(\d+):(\d+):(\d+)")
_HEAD = re.compile(r"(\d+)\.(\d+)")


def read_intervention(text: str, reference: str) -> Intervention:
    """Return the intervention that `text` names; `reference` is the text of a mean. Raises AppError."""
    what, equals, change = text.partition("=")
    kind, colon, where = what.partition(":")
    reader = _READERS.get(kind.strip())
    if not equals or not colon or reader is None:
        raise _unreadable(text)
    return reader(text, where.strip(), change.strip(), reference)


def _head(text: str, where: str, change: str, reference: str) -> Intervention:
    at = _HEAD.fullmatch(where)
    kind = next((kind for kind in HEAD_KINDS if kind == change), None)
    if at is None or kind is None:
        raise _unreadable(text)
    if kind == "mean" and not reference.strip():
        raise AppError(
            f"“{text}” needs a text over which the mean is taken.", "Give one with --reference TEXT."
        )
    return HeadIntervention(int(at[1]), int(at[2]), kind, reference if kind == "mean" else "")


def _token(text: str, where: str, change: str, reference: str) -> Intervention:
    named, colon, value = change.partition(":")
    kind = next((kind for kind in TOKEN_KINDS if kind == named), None)
    if not where.isdecimal() or kind is None:
        raise _unreadable(text)
    is_id = kind in ("segment", "position")
    if is_id and not value.isdecimal():
        raise _unreadable(text)
    given = (int(value) if is_id else value) if colon else None
    return TokenIntervention(int(where), kind, given)


def _cell(text: str, where: str, change: str, reference: str) -> Intervention:
    at = _CELL.fullmatch(where)
    try:
        weight = float(change)
    except ValueError:
        raise _unreadable(text) from None
    if at is None:
        raise _unreadable(text)
    layer, head, query, key = map(int, at.groups())
    return CellIntervention(layer, head, query, key, weight)


def _unreadable(text: str) -> AppError:
    return AppError(f"“{text}” is no intervention.", _FORMS)


_READERS: Mapping[str, Callable[[str, str, str, str], Intervention]] = {
    "head": _head,
    "token": _token,
    "cell": _cell,
}
