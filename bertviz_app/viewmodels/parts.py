"""Parts of the state for the views that read and change them: options and overview."""

from __future__ import annotations

from typing import Generic, Literal, TypeVar, Unpack, cast

from PySide6.QtCore import QObject, Signal

from bertviz_app.analysis.attention.stamp import SpecialTokens
from bertviz_app.analysis.measures import MeasureKey
from bertviz_app.text_tables.items import Item
from bertviz_app.values import replace
from bertviz_app.viewmodels.options import (
    DrawingChoice,
    DrawOptionFields,
    DrawOptions,
    OverviewChoice,
    OverviewFields,
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
