"""`CorpusListener`: the progress reports of a run over a corpus."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CorpusProgress:
    """How far a run is: `share` from 0 to 1 of the bytes to read, None where their number is not known."""

    n_lines: int
    share: float | None


class CorpusListener:
    """Hears of a run; this one does nothing with it. To be subclassed."""

    def on_progress(self, done: CorpusProgress) -> None:
        """Receive how far the run is, as lines are done."""

    def on_dashboard(self, address: str) -> None:
        """Receive the address of the page on which Dask shows its workers, before the first block."""

    def check(self) -> None:
        """Raise to end the work; called between layers, or before each block with workers."""


SILENT_LISTENER = CorpusListener()
"""Does nothing."""
