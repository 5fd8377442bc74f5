"""`Selection`: the one owner of what is pointed at, in every view at once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal


@dataclass(frozen=True)
class Pair:
    """A query token, a key token, either or neither, by their place in the sequence.

    `partner`: in a matrix between the tokens of two runs, the token of the other run.
    """

    query: int | None = None
    key: int | None = None
    partner: int | None = None

    def __bool__(self) -> bool:
        return (self.query, self.key, self.partner) != (None, None, None)

    def within(self, n_tokens: int) -> Pair:
        """Return this pair without what a sequence of `n_tokens` does not have."""
        query = self.query if self.query is not None and self.query < n_tokens else None
        key = self.key if self.key is not None and self.key < n_tokens else None
        return Pair(query, key, self.partner)


NOTHING = Pair()


class Selection(QObject):
    """What the pointer is on, and what was pinned by a click.

    `shown` is what all views highlight: the hovered pair, else the pinned one. `picked(Pair)`: a pair was
    clicked, or chosen by Enter; the arrow keys alone pin without picking.
    """

    changed = Signal()
    picked = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._hovered = NOTHING
        self._pinned = NOTHING

    @property
    def shown(self) -> Pair:
        """The pair to show: hovered, else pinned."""
        return self._hovered or self._pinned

    @property
    def hovered(self) -> Pair:
        """The pair under the pointer."""
        return self._hovered

    @property
    def pinned(self) -> Pair:
        """The pair that was clicked."""
        return self._pinned

    @property
    def highlighted(self) -> frozenset[int]:
        """The tokens that are highlighted in the strip and on every axis."""
        return frozenset(token for token in (self.shown.query, self.shown.key) if token is not None)

    def hover(self, query: int | None = None, key: int | None = None, partner: int | None = None) -> None:
        """Highlight a pair, a query alone or a key alone while the pointer is on it."""
        self._set(Pair(query, key, partner), self._pinned)

    def leave(self) -> None:
        """Note that the pointer is on no token."""
        self._set(NOTHING, self._pinned)

    def pin(self, query: int | None = None, key: int | None = None, partner: int | None = None) -> None:
        """Pin a pair, which stays highlighted when the pointer leaves; unpin it if it is pinned already."""
        pair = Pair(query, key, partner)
        self._set(self._hovered, NOTHING if pair == self._pinned else pair)
        self.picked.emit(pair)

    def walk_to(self, query: int | None = None, key: int | None = None, partner: int | None = None) -> None:
        """Pin the pair that the arrow keys came to, without picking it."""
        self._set(self._hovered, Pair(query, key, partner))

    def pick(self) -> None:
        """Pick the pinned pair, as Enter does after the arrow keys."""
        if self._pinned:
            self.picked.emit(self._pinned)

    def clear(self) -> None:
        """Highlight nothing and unpin what is pinned."""
        self._set(NOTHING, NOTHING)

    def follow(self, hovered: Pair, pinned: Pair) -> None:
        """Highlight and pin the tokens of this run that another run's selection corresponds to."""
        self._set(hovered, pinned)

    def keep_within(self, n_tokens: int) -> None:
        """Drop what a new text of `n_tokens` does not have."""
        self._set(self._hovered.within(n_tokens), self._pinned.within(n_tokens))

    def keep_partners_within(self, n_tokens: int) -> None:
        """Drop tokens of the other run that it does not have: it has `n_tokens`, 0 where there is none."""
        hovered, pinned = (
            pair if pair.partner is None or pair.partner < n_tokens else replace(pair, partner=None)
            for pair in (self._hovered, self._pinned)
        )
        self._set(hovered, pinned)

    def _set(self, hovered: Pair, pinned: Pair) -> None:
        if (hovered, pinned) != (self._hovered, self._pinned):
            self._hovered, self._pinned = hovered, pinned
            self.changed.emit()
