"""Inputs that are to be refused, many in one test."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from bertviz_app.errors import AppError


def not_refused(
    cases: Iterable[Any], read: Callable[[Any], object], error: type[Exception], words: str | None = None
) -> list[str]:
    """Return those of `cases` that `read` takes or refuses without `words` or, for an AppError, a hint.

    `words` are a regular expression; where there are none each case is a pair of what is read and of its own.
    """
    faults = []
    for case, expected in cases if words is None else ((case, words) for case in cases):
        try:
            read(case)
        except error as refusal:
            is_helpful = not isinstance(refusal, AppError) or refusal.hint
            if re.search(expected, str(refusal)) is None or not is_helpful:
                faults.append(f"{case!r:.200}: {refusal}")
        else:
            faults.append(f"{case!r:.200} is taken")
    return faults
