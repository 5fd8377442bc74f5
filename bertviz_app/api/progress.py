"""A bar of progress on standard error, as scripts and notebooks show it unless they ask for none."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bertviz_app.features.corpora.process.run import SILENT_LISTENER, CorpusListener, CorpusProgress


class _Bar(CorpusListener):
    """Shows lines and lines a second until the file is read, then the share of what follows."""

    def __init__(self, *, says_reading: bool) -> None:
        from tqdm import tqdm

        # A log would get a line for each change; a notebook shows the bar though it is no terminal.
        is_seen = sys.stderr.isatty() or "ipykernel" in sys.modules
        self._says_reading = says_reading
        self.bar = tqdm(total=1.0, disable=not is_seen, bar_format="{percentage:3.0f}%|{bar}| {postfix}")

    def on_progress(self, done: CorpusProgress) -> None:
        self._show(done.share or 0.0, f"{done.n_lines:,} lines")

    def on_finishing(self, share: float) -> None:
        self._show(share, "last step")

    def on_notice(self, notice: str) -> None:
        if self._says_reading:
            self.bar.write(notice, file=sys.stderr)

    def on_dashboard(self, address: str) -> None:
        self.bar.write(f"Dask's dashboard: {address}", file=sys.stderr)

    def _show(self, share: float, words: str) -> None:
        self.bar.set_postfix_str(words, refresh=False)
        self.bar.update(share - self.bar.n)


@contextmanager
def reporting(progress: bool | CorpusListener, *, says_reading: bool) -> Iterator[CorpusListener]:
    """Yield a listener: the one given, else, of a run that shows its progress, one that draws a bar.

    `says_reading`: that one writes how a file is read, where that is not plain, too.
    """
    if not isinstance(progress, bool) or not progress:
        yield progress or SILENT_LISTENER
        return
    shown = _Bar(says_reading=says_reading)
    try:
        yield shown
    finally:
        shown.bar.close()
