"""What a self-test found, as values."""

from __future__ import annotations

import math
from typing import Literal

from bertviz_app.errors import AppError
from bertviz_app.values import dataclass

Outcome = Literal["none", "running", "passed", "failed", "unavailable"]


@dataclass(frozen=True)
class CheckRow:
    """One check: its name, the difference that was measured, and the largest one that rounding explains."""

    name: str
    value: float
    limit: float

    @property
    def is_passed(self) -> bool:
        """Whether the difference is explained by rounding; one that is no number is not."""
        return self.value <= self.limit


@dataclass(frozen=True)
class TestState:
    """`outcome`, the `rows` of the checks once they are done, and why there are none (`reason`)."""

    outcome: Outcome = "none"
    rows: tuple[CheckRow, ...] = ()
    reason: AppError | None = None

    @property
    def worst(self) -> CheckRow | None:
        """The check that is farthest off, measured by its limit; None before there are any."""
        off = (row.value / row.limit for row in self.rows)
        by = [math.inf if math.isnan(share) else share for share in off]
        return self.rows[by.index(max(by))] if by else None
