"""`Viewport`: which queries and which keys are in sight; all panels share one, so zoom is linked."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

FEWEST = 3.0
"""Zooming in stops at this many tokens a side."""
CLOSE = 40
"""About so many tokens have room for their names: a double click in a longer text shows that many."""


@dataclass(frozen=True)
class TokenSpan:
    """A stretch of the token axis; token i covers [i, i + 1)."""

    first: float
    last: float

    @property
    def length(self) -> float:
        """The number of tokens in the span."""
        return self.last - self.first

    def within(self, n_tokens: int) -> TokenSpan:
        """Return this span moved and, if it must, shortened to lie on an axis of `n_tokens`."""
        length = min(max(self.length, min(FEWEST, n_tokens)), n_tokens)
        first = min(max(self.first, 0.0), n_tokens - length)
        # The sum may be rounded up to beyond the last token.
        return TokenSpan(first, min(first + length, float(n_tokens)))

    def zoomed(self, factor: float, about: float, n_tokens: int) -> TokenSpan:
        """Return this span `factor` times as long, within `n_tokens` and FEWEST; `about` stays in place."""
        if not self.length:
            return self
        factor = min(max(factor, min(FEWEST, n_tokens) / self.length), n_tokens / self.length)
        return TokenSpan(about - (about - self.first) * factor, about + (self.last - about) * factor)


class Viewport(QObject):
    """The visible queries (rows) and keys (columns), of `n_queries` and `n_keys` there are."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_moved_by_gesture = False
        """Whether a gesture in one view is what changes it now: the other views may follow a little later."""
        self.n_queries = 0
        self.n_keys = 0
        self.queries = TokenSpan(0.0, 0.0)
        self.keys = TokenSpan(0.0, 0.0)

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of queries and keys."""
        return self.n_queries, self.n_keys

    @property
    def is_whole(self) -> bool:
        return self.queries.length >= self.n_queries and self.keys.length >= self.n_keys

    def fit(self, n_queries: int | None = None, n_keys: int | None = None) -> None:
        """Show everything; with numbers, of so many queries and (unless given, as many) keys."""
        if n_queries is None:
            n_queries, n_keys = self.counts
        n_keys = n_queries if n_keys is None else n_keys
        self._set((n_queries, n_keys), TokenSpan(0.0, float(n_queries)), TokenSpan(0.0, float(n_keys)))

    def show(self, queries: TokenSpan, keys: TokenSpan) -> None:
        """Show these spans, as far as the sequence has them."""
        self._set(self.counts, queries.within(self.n_queries), keys.within(self.n_keys))

    def zoom(self, factor: float, query: float, key: float) -> None:
        """Show `factor` times as many places a side, keeping a point where it is."""
        queries = self.queries.zoomed(factor, query, self.n_queries)
        self.show(queries, self.keys.zoomed(factor, key, self.n_keys))

    def zoom_middle(self, factor: float) -> None:
        """Zoom about the middle of what is shown."""
        middles = ((span.first + span.last) / 2 for span in (self.queries, self.keys))
        self.zoom(factor, *middles)

    def follow(self, other: Viewport) -> None:
        """Show the same part as `other` of a sequence that may be longer or shorter."""
        if not (other.n_queries and other.n_keys and self.n_queries and self.n_keys):
            return
        down, across = self.n_queries / other.n_queries, self.n_keys / other.n_keys
        self.show(
            TokenSpan(other.queries.first * down, other.queries.last * down),
            TokenSpan(other.keys.first * across, other.keys.last * across),
        )

    def _set(self, counts: tuple[int, int], queries: TokenSpan, keys: TokenSpan) -> None:
        if (counts, queries, keys) != (self.counts, self.queries, self.keys):
            (self.n_queries, self.n_keys), self.queries, self.keys = counts, queries, keys
            self.changed.emit()
