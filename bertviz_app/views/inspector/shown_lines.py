"""`ShownLines`: the lines of one run's predictions, as many as there is room for, and the one pointed at."""

from __future__ import annotations

import math

from bertviz_app.analysis.predictions import TOP
from bertviz_app.options import Run
from bertviz_app.viewmodels.runs.shown import RunPrediction
from bertviz_app.views.inspector.line_pen import LinePen
from bertviz_app.views.inspector.prediction_lines import (
    LEAST,
    Line,
    can_do_without_hints,
    first_listed,
    lines_of,
    n_fixed,
    n_labelled,
    n_listed,
    why_nothing,
)

_FEW = 4
"""The number of rows below which a list has the place of the lines that say what one could do."""


class ShownLines:
    """`lines` of a run; `at` is the index of the one under the pointer or chosen by keys."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._prediction: RunPrediction | None = None
        self._highlighted: int | None = None
        self._first = 0  # of the labelled tokens that are listed
        self._most = TOP  # rows of a list
        self._has_hints = True
        self.is_named = False
        self.lines: list[Line] = []
        self.at: int | None = None

    def show(self, prediction: RunPrediction | None, highlighted: int | None, *, is_named: bool) -> None:
        """Take over the predictions of a run, under its name if `is_named`; `highlighted`: a token."""
        self._prediction, self._highlighted, self.is_named = prediction, highlighted, is_named

    def fit(self, pen: LinePen, height: float) -> None:
        """Have as many rows in a list from now on as fit into `height`, before the lines that are hints."""
        self._has_hints = not self.is_named  # two runs beside each other have no room for them
        self._most = self._fitting(pen, height)
        if self._most < _FEW and self._prediction is not None and can_do_without_hints(self._prediction):
            self._has_hints = False
            self._most = self._fitting(pen, height)

    def _fitting(self, pen: LinePen, height: float) -> int:
        if self._prediction is None:
            return TOP
        fixed = self.height(pen, 0, has_hints=self._has_hints)
        return min(max(int((height - fixed) / pen.pitch), LEAST), TOP)

    def _write(self) -> None:
        lines: list[Line] = []
        if self._prediction is not None:
            hints = self._has_hints
            lines = lines_of(self._prediction, self._highlighted, self._most, self._first, has_hints=hints)
        self.lines = [*((Line("run", self._run),) if self.is_named else ()), *lines]
        self.at = self.at if self.at in self.doing else None

    def scroll(self, by: int, into_view: int | None = None) -> bool:
        """Write the lines, labelled tokens `by` rows on, or with one in view; return whether any moved."""
        count = 0 if self._prediction is None else n_labelled(self._prediction)
        before, self._first = self._first, first_listed(self._first + by, count, self._most, into_view)
        self._write()
        return self._first != before

    @property
    def doing(self) -> list[int]:
        """The indices of the lines that do something."""
        return [index for index, line in enumerate(self.lines) if line.position is not None]

    @property
    def description(self) -> str:
        return ", ".join(line.description for line in self.lines if line.description)

    def step(self, by: int) -> int:
        """Return the index of the next line that does something; beyond an end the labels scroll."""
        doing = self.doing
        now = doing.index(self.at) + by if self.at in doing else 0
        if not 0 <= now < len(doing):
            self.scroll(by)
        return doing[min(max(now, 0), len(doing) - 1)]

    def least_height(self, pen: LinePen) -> int:
        """Return the height in which each list has a row, without the lines that say what one could do."""
        return self.height(pen, LEAST, has_hints=False)

    def height(self, pen: LinePen, most: int, *, has_hints: bool = True) -> int:
        """Return the height in which lists have `most` rows, if they have that many."""
        if self._prediction is None:
            return 0
        name, sentence = self.is_named * pen.pitch, why_nothing(self._prediction)
        if sentence:
            return math.ceil(name + pen.wrapped(sentence) + 10)
        hints = has_hints and not self.is_named
        count = n_fixed(self._prediction, has_hints=hints) + min(n_listed(self._prediction), most)
        lines = lines_of(self._prediction, None, 1, has_hints=hints)
        more = sum(pen.height(line) - pen.pitch for line in lines if line.wraps)
        # A sentence stands where a title, a list and what is written there will be.
        in_place = (2 + most) * pen.pitch
        more += sum(max(0.0, pen.height(line) - in_place) for line in lines if line.kind == "sentence")
        return math.ceil(name + count * pen.pitch + more + 10)
