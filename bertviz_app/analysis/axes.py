"""The axes of a result's arrays, and the quantity of its numbers with unit and range."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Axis:
    """One axis of an array: what it counts, such as "layer", and the label of each index."""

    name: str
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)


def counted(name: str, count: int) -> Axis:
    """Return an axis whose labels are the numbers from 0."""
    return Axis(name, tuple(map(str, range(count))))


@dataclass(frozen=True)
class Quantity:
    """The unit of numbers, and their range (None: no bound).

    `unit` is "weight" (a share of 1), "share" (the same of a sum of norms), "bits", "tokens", "norm" (a
    vector's length), "" for a plain number.
    """

    unit: str
    lowest: float | None = None
    highest: float | None = None

    @property
    def is_share(self) -> bool:
        """Whether numbers are shares of 1, or differences of such."""
        return self.unit in ("weight", "share")

    @property
    def is_signed(self) -> bool:
        """Whether numbers below 0 occur."""
        return self.lowest is None or self.lowest < 0

    def minus(self) -> Quantity:
        """Return what differences of two such numbers are."""
        if self.lowest is None or self.highest is None:
            return Quantity(self.unit)
        width = self.highest - self.lowest
        return Quantity(self.unit, -width, width)
