"""`FollowedQuery`: the token whose way through the encoder a Steps panel shows."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.selection import Selection


class FollowedQuery(QObject):
    """The highlighted query of `trace`, the pinned one, else the first word."""

    def __init__(self, selection: Selection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.trace: Trace | None = None
        self._selection = selection

    @property
    def query(self) -> int:
        """The position of the token."""
        n_tokens = 1 if self.trace is None else self.trace.n_tokens
        for pair in (self._selection.shown, self._selection.pinned):
            query = pair.within(n_tokens).query
            if query is not None:
                return query
        return min(1, n_tokens - 1)

    @property
    def first_name(self) -> str:
        """The name of the first token: [CLS] or that of another family."""
        return BERT_NAMES.first if self.trace is None else self.trace.tokens.special_names.first

    @Slot(int)
    def choose(self, query: int) -> None:
        """Follow another token on its way: pin it."""
        self._selection.leave()  # else what the pointer rests on would be shown instead
        if self._selection.pinned.query != query or self._selection.pinned.key is not None:
            self._selection.pin(query=query)

    def step(self, count: int) -> None:
        """Follow the token `count` positions on; not beyond the ends."""
        if self.trace is not None:
            self.choose(min(max(0, self.query + count), self.trace.n_tokens - 1))

    @Slot(int)
    def point_at(self, key: int) -> None:
        """Highlight a key of the query; -1: none."""
        if key < 0:
            self._selection.leave()
        else:
            self._selection.hover(self.query, key)
