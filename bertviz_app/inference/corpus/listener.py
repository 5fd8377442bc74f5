"""`CorpusListener`: the progress reports of a run over a corpus."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CorpusProgress:
    """How far a run is: `share` from 0 to 1 of the bytes to read, None where their number is not known.

    Of the `n_lines` that are done an earlier run, which was interrupted, has measured `n_earlier`.
    """

    n_lines: int
    n_earlier: int
    share: float | None


class CorpusListener:
    """Receives the reports of a run and ignores them. Subclasses use them."""

    def on_progress(self, done: CorpusProgress) -> None:
        """Receive how far the run is, whenever lines are measured."""

    def on_dashboard(self, address: str) -> None:
        """Receive the address of Dask's page about its workers, before the first block."""

    def on_notice(self, notice: str) -> None:
        """Receive a sentence about how a file is read, before the first block."""

    def check(self) -> None:
        """Raise to stop the run. It is called between layers, with workers before each block."""


SILENT_LISTENER = CorpusListener()
"""Ignores all reports."""
