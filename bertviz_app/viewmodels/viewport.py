"""`Viewport`: which queries and which keys are in sight; all panels share one, so zoom is linked."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

FEWEST = 3.0
"""Zooming in stops at this many tokens a side."""


@dataclass(frozen=True)
class Span:
    """A stretch of the token axis; token i covers [i, i + 1)."""

    first: float
    last: float

    @property
    def length(self) -> float:
        return self.last - self.first

    def within(self, n_tokens: int) -> Span:
        """Return this span moved and, if it must, shortened to lie on an axis of `n_tokens`."""
        length = min(max(self.length, min(FEWEST, n_tokens)), n_tokens)
        first = min(max(self.first, 0.0), n_tokens - length)
        # The sum may be rounded up to beyond the last token.
        return Span(first, min(first + length, float(n_tokens)))

    def zoomed(self, factor: float, about: float, n_tokens: int) -> Span:
        """Return this span `factor` times as long, as far as `n_tokens` and FEWEST allow, with `about`
        staying where it is.
        """
        if not self.length:
            return self
        factor = min(max(factor, min(FEWEST, n_tokens) / self.length), n_tokens / self.length)
        return Span(about - (about - self.first) * factor, about + (self.last - about) * factor)

    def moved(self, by: float) -> Span:
        return Span(self.first + by, self.last + by)


class Viewport(QObject):
    """The visible queries (rows) and keys (columns) of a sequence of `n_tokens`."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.n_tokens = 0
        self.queries = Span(0.0, 0.0)
        self.keys = Span(0.0, 0.0)

    @property
    def is_whole(self) -> bool:
        return min(self.queries.length, self.keys.length) >= self.n_tokens

    def fit(self, n_tokens: int | None = None) -> None:
        """Show everything; with `n_tokens`, of a sequence of that length."""
        n_tokens = self.n_tokens if n_tokens is None else n_tokens
        whole = Span(0.0, float(n_tokens))
        self._set(n_tokens, whole, whole)

    def show(self, queries: Span, keys: Span) -> None:
        """Show these spans, as far as the sequence has them."""
        self._set(self.n_tokens, queries.within(self.n_tokens), keys.within(self.n_tokens))

    def zoom(self, factor: float, query: float, key: float) -> None:
        """Show `factor` times as many tokens a side, keeping a point where it is."""
        n_tokens = self.n_tokens
        self.show(self.queries.zoomed(factor, query, n_tokens), self.keys.zoomed(factor, key, n_tokens))

    def zoom_middle(self, factor: float) -> None:
        """Zoom about the middle of what is shown."""
        middles = ((span.first + span.last) / 2 for span in (self.queries, self.keys))
        self.zoom(factor, *middles)

    def pan(self, queries: float, keys: float) -> None:
        """Move by so many tokens."""
        self.show(self.queries.moved(queries), self.keys.moved(keys))

    def _set(self, n_tokens: int, queries: Span, keys: Span) -> None:
        if (n_tokens, queries, keys) != (self.n_tokens, self.queries, self.keys):
            self.n_tokens, self.queries, self.keys = n_tokens, queries, keys
            self.changed.emit()
