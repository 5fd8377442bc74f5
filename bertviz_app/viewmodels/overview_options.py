"""`OverviewOptions`: what the overview shows of each head, in which order, and which heads it leaves out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypedDict, Unpack

from PySide6.QtCore import QObject, Signal

from bertviz_app.analysis.measures import KEYS, MeasureKey

Shows = Literal["attention"] | MeasureKey
"""What a head's cell shows: its attention, or one of its measures."""
ATTENTION: Literal["attention"] = "attention"
PAIR: Literal["pair"] = "pair"
"""Order by the weight of the pinned pair, by layer and head while none is pinned."""
Order = MeasureKey | Literal["", "pair"]
Filter = MeasureKey | Literal[""]
SHOWS: tuple[Shows, ...] = (ATTENTION, *KEYS)


@dataclass(frozen=True)
class OverviewChoice:
    """`shows`: one of SHOWS. `is_per_head`: attention is scaled to the head's own largest weight.

    `shows_baselines`: the heads table has null baselines beside each measure.

    `shows_pair`: while a pair of tokens is pinned, its weight in every head is shown instead.

    `ordered_by`: the key of a measure or PAIR, largest first, or "": by layer and head. `filtered_by`: the
    key of a measure that must lie from `least` to `most` (None: no such end), or "": all heads.
    """

    shows: Shows = ATTENTION
    is_per_head: bool = True
    ordered_by: Order = ""
    filtered_by: Filter = ""
    least: float | None = None
    most: float | None = None
    shows_pair: bool = True
    shows_baselines: bool = False

    def __post_init__(self) -> None:
        if self.shows not in SHOWS:
            raise ValueError(f"shows must be one of {', '.join(SHOWS)}")
        for name, more in (("ordered_by", (PAIR,)), ("filtered_by", ())):
            keys = *KEYS, *more
            if getattr(self, name) not in ("", *keys):
                raise ValueError(f"{name} must be one of {', '.join(keys)}, or empty")
        if any(end is not None and not 0 <= end < 1e9 for end in (self.least, self.most)):
            raise ValueError("the ends of the filter must be numbers from 0")

    def order(self, *, has_pair: bool) -> Order:
        """Return by what heads are ordered, where a pair is pinned or not."""
        return "" if self.ordered_by == PAIR and not has_pair else self.ordered_by


class OverviewFields(TypedDict, total=False):
    """Some fields of `OverviewChoice`."""

    shows: Shows
    is_per_head: bool
    ordered_by: Order
    filtered_by: Filter
    least: float | None
    most: float | None
    shows_pair: bool
    shows_baselines: bool


class OverviewOptions(QObject):
    """The choice in force."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.value = OverviewChoice()

    def set(self, value: OverviewChoice) -> None:
        if value != self.value:
            self.value = value
            self.changed.emit()

    def change(self, **fields: Unpack[OverviewFields]) -> None:
        """Change some fields; raises ValueError for what they cannot be."""
        self.set(replace(self.value, **fields))

    def show(self, shows: Shows, *, is_pair_shown: bool) -> None:
        """Show something else; where a pair was shown instead of it, no longer the pair."""
        self.change(shows=shows, shows_pair=self.value.shows_pair and not is_pair_shown)

    def filter_by(self, key: MeasureKey | Literal[""]) -> None:
        """Filter by another measure, from no least to no most; "" ends it."""
        self.change(filtered_by=key, least=None, most=None)
