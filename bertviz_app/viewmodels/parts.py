"""Parts of the state for the views that read and change them: options, overview, selection."""

from __future__ import annotations

from collections.abc import Set
from typing import Generic, Literal, TypeVar, Unpack, cast

from PySide6.QtCore import QObject, Signal

from bertviz_app.analysis.attention.stamp import SpecialTokens
from bertviz_app.analysis.measures import MeasureKey
from bertviz_app.text_tables.items import Item
from bertviz_app.values import replace
from bertviz_app.viewmodels.options import (
    NOTHING,
    DrawingChoice,
    DrawOptionFields,
    DrawOptions,
    OverviewChoice,
    OverviewFields,
    Pair,
    Shows,
    Switch,
)
from bertviz_app.viewmodels.state import FieldName, StateFields, Step, Store

Value = TypeVar("Value", DrawOptions, OverviewChoice)


class _Part(QObject, Generic[Value]):
    """One field of the state; `changed`: it has another value. Without a store it has one of its own."""

    changed = Signal()
    name: FieldName

    def __init__(self, store: Store | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent or store)
        self.store = store or Store(self)
        self.store.watch((self.name,), self.changed)

    @property
    def value(self) -> Value:
        """The present value."""
        return cast("Value", getattr(self.store.now, self.name))

    def set(self, value: Value, step: Step = "new") -> None:
        """Change to another value."""
        self.store.change(step, **cast("StateFields", {self.name: value}))


class Options(_Part[DrawOptions]):
    """The options of the drawing in force, and the parse of the sentence that was opened from a parsed file.

    `parsed_opened` carries a parsed sentence (`Item`) that the user opens.
    """

    parsed_opened = Signal(object)
    name = "options"

    def __init__(self, store: Store | None = None, parent: QObject | None = None) -> None:
        super().__init__(store, parent)
        self.store.watch(("parsed",), self.changed)

    @property
    def parsed(self) -> Item | None:
        """The parse of runs that have its text."""
        return self.store.now.parsed

    def open_parsed(self, item: Item) -> None:
        """Show a parsed sentence: from now on it is the parse of runs that have its text."""
        self.store.change(parsed=item)
        self.parsed_opened.emit(item)

    def change(self, **fields: Unpack[DrawOptionFields]) -> None:
        """Change some fields; raises ValueError for what they cannot be."""
        self.set(replace(self.value, **fields))

    def switch(self, name: Switch, is_on: bool) -> None:
        fields: DrawOptionFields = {}
        fields[name] = is_on
        self.change(**fields)

    def treat_special_tokens(self, treatment: SpecialTokens) -> None:
        """Show special tokens, hide them, or remove them and divide the rest of each row by its sum."""
        self.change(hides_special=treatment != "shown", renormalises=treatment == "removed")

    def choose(self, name: DrawingChoice, value: str) -> None:
        """Choose one of CHOICES of an option; raises ValueError for what is none of them."""
        self.change(**cast(DrawOptionFields, {name: value}))  # checked by DrawOptions itself


class OverviewOptions(_Part[OverviewChoice]):
    """What the overview shows, and how it is ordered and filtered."""

    name = "overview"

    def change(self, **fields: Unpack[OverviewFields]) -> None:
        """Change some fields; raises ValueError for what they cannot be."""
        self.set(replace(self.value, **fields))

    def show(self, shows: Shows, *, is_pair_shown: bool) -> None:
        """Show something else; where a pair was shown instead of it, no longer the pair."""
        self.change(shows=shows, shows_pair=self.value.shows_pair and not is_pair_shown)

    def filter_by(self, key: MeasureKey | Literal[""]) -> None:
        """Filter by another measure, from no least to no most; "" ends it."""
        self.change(filtered_by=key, least=None, most=None)


class Selection(QObject):
    """What the pointer is on, and what was pinned by a click.

    `shown` is what all views highlight: the hovered pair, else the pinned one. `picked(Pair)`: a pair was
    clicked, or chosen by Enter; the arrow keys alone pin without picking. What is pinned in run A is in the
    state; the selection of another run, without a `store`, follows it.
    """

    changed = Signal()
    picked = Signal(object)

    def __init__(self, parent: QObject | None = None, store: Store | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._hovered = NOTHING
        self._pinned = NOTHING
        if store is not None:
            store.watch(("pinned",), self.changed)
            store.settled.connect(self.changed)

    @property
    def shown(self) -> Pair:
        """The pair to show: hovered, else pinned."""
        return self._hovered or self.pinned

    @property
    def hovered(self) -> Pair:
        """The pair under the pointer."""
        return self._hovered

    @property
    def pinned(self) -> Pair:
        """The pair that was clicked; none of a run that is not on screen yet."""
        if self._store is None:
            return self._pinned
        return NOTHING if self._store.is_restored else self._store.now.pinned

    @property
    def highlighted(self) -> frozenset[int]:
        """The tokens that are highlighted in the strip and on every axis."""
        return frozenset(token for token in (self.shown.query, self.shown.key) if token is not None)

    def hover(self, query: int | None = None, key: int | None = None, partner: int | None = None) -> None:
        """Highlight a pair, a query alone or a key alone while the pointer is on it."""
        self._set(Pair(query, key, partner), self.pinned)

    def leave(self) -> None:
        """Note that the pointer is on no token."""
        self._set(NOTHING, self.pinned)

    def pin(self, query: int | None = None, key: int | None = None, partner: int | None = None) -> None:
        """Pin a pair, which stays highlighted when the pointer leaves; unpin it if it is pinned already."""
        pair = Pair(query, key, partner)
        self._set(self._hovered, NOTHING if pair == self.pinned else pair)
        self.picked.emit(pair)

    def walk_to(self, query: int | None = None, key: int | None = None, partner: int | None = None) -> None:
        """Pin the pair that the arrow keys came to, without picking it."""
        self._set(self._hovered, Pair(query, key, partner))

    def pick(self) -> None:
        """Pick the pinned pair, as Enter does after the arrow keys."""
        if self.pinned:
            self.picked.emit(self.pinned)

    def clear(self) -> None:
        """Highlight nothing and unpin what is pinned."""
        self._set(NOTHING, NOTHING)

    def follow(self, hovered: Pair, pinned: Pair) -> None:
        """Highlight and pin the tokens of this run that another run's selection corresponds to."""
        self._set(hovered, pinned)

    def keep_within(self, n_tokens: int, n_keys: int | None = None) -> None:
        """Drop what a new text of `n_tokens` does not have; `n_keys`: where the keys are of another text."""
        self._set(self._hovered.within(n_tokens, n_keys), self.pinned.within(n_tokens, n_keys))

    def keep_hovered(self, queries: Set[int], keys: Set[int]) -> None:
        """Leave a token that is at none of these positions: a new text has another one there."""
        pair = self._hovered
        if not ({pair.query} <= {None, *queries} and {pair.key} <= {None, *keys}):
            self.leave()

    def keep_partners_within(self, n_tokens: int) -> None:
        """Drop tokens of the other run that it does not have: it has `n_tokens`, 0 where there is none."""
        hovered, pinned = (
            pair if pair.partner is None or pair.partner < n_tokens else replace(pair, partner=None)
            for pair in (self._hovered, self.pinned)
        )
        self._set(hovered, pinned)

    def _set(self, hovered: Pair, pinned: Pair) -> None:
        is_other, self._hovered = hovered != self._hovered, hovered
        if pinned != self.pinned:
            self._pinned = pinned
            if self._store is not None:
                self._store.change(pinned=pinned)
                return
        elif not is_other:
            return
        self.changed.emit()
