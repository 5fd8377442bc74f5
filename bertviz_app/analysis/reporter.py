"""`Reporter`: how a long analysis reports its progress and is cancelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


class Reporter(Protocol):
    """What an analysis calls while it works, on the thread it runs on."""

    def check(self) -> None:
        """Raise Cancelled if the result is no longer needed."""

    def progress(self, share: float) -> None:
        """Report the share of the work that is done, from 0 to 1."""


def _ignore(share: float) -> None:
    pass


@dataclass(frozen=True)
class Callbacks:
    """A reporter that calls two functions, by default functions that do nothing."""

    check: Callable[[], None] = lambda: None
    progress: Callable[[float], None] = _ignore


SILENT = Callbacks()
"""Never cancels, and drops the progress."""
