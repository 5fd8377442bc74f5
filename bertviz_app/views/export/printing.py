"""A view as a figure of a given width in print: all labels are written, cells are square, margins tight."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

from PySide6.QtWidgets import QWidget

from bertviz_app.errors import FigureError, Message
from bertviz_app.figures import NARROWEST, WIDEST
from bertviz_app.values import dataclass, replace
from bertviz_app.views.export.recording import (
    Recording,
    in_another_size,
    lay_out,
    record,
    room_around,
    shown_whole,
)
from bertviz_app.views.kit.labels import SMALLEST
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.subject import NO_TITLES, AxisTitles, PictureSheet

SHARES = (0.9, 0.8)
"""How large everything is in print, of its size on screen: the smallest letters have 6.75 points, or 6."""
_POINTS = 0.75  # of a pixel
_USUAL = 0.66  # the height of what may have any, of its width
_ROUNDS = 6
_NARROWEST = 40.0  # pixels of a figure that is narrowed to be lower
_MM = 25.4 / 96


@runtime_checkable
class Printable(Protocol):
    """A drawing that a figure is fitted to.

    `printed_height`: how high it is to be at the width that it has. `lacks_room`: whether labels are left
    out.
    """

    printed_height: float
    lacks_room: bool

    def set_printed(self, *, is_printed: bool) -> None:
        """Draw for print: with every label, without limits of the size of cells; or as on screen."""

    def height(self) -> int:
        """Return its height in pixels."""


def record_printed(
    widget: QWidget,
    look: Look,
    sheet: PictureSheet | None,
    titles: AxisTitles,
    size: tuple[float, float | None],
) -> Recording:
    """Return what `widget` draws as a figure; `size`: its width and the most height, in 1/96 inch.

    Raises FigureError where not every label has room with letters of 6 points.
    """
    fitting = _Fitting(widget, look, sheet, titles)
    recording = record(widget, look, sheet, titles, in_size=fitting.fitted(*size))
    # Narrower where the height is what limits it.
    is_narrower = recording.size.width() * fitting.share < size[0] - 2
    printed = fitting.share if is_narrower else size[0] / recording.size.width()
    if printed < 0.98 * fitting.shares[-1]:  # a table is as wide as its columns
        raise _too_narrow(size[0], recording.size.width() * fitting.shares[-1])
    return replace(recording, printed=printed)


def _too_narrow(width: float, enough: float | None) -> FigureError:
    """Return the error for a width; `enough`: the least that has room for every label, None if none has."""
    wide = f"{width * _MM:.0f}"
    hint = Message("Make it wider, hide or join tokens (hides_special, joins_words), or shorten the text.")
    if enough is None:
        return FigureError(
            Message("At {0} mm not every label has room with letters of 6 points.", wide), hint
        )
    message = Message(
        "At {0} mm not every label has room with letters of 6 points: that takes {1} mm.",
        wide,
        math.ceil(enough * _MM),
    )
    return FigureError(message, hint, math.ceil(enough * _MM) / _MM)


def least_points(recording: Recording, look: Look) -> float:
    """Return the size of the smallest letters of a figure, in points."""
    return SMALLEST * look.scale * recording.printed * _POINTS


@dataclass(eq=False)
class _Fitting:
    """Finds the size of a widget, and how large it is printed (`share`)."""

    widget: QWidget
    look: Look
    sheet: PictureSheet | None
    titles: AxisTitles = NO_TITLES
    share: float = SHARES[0]

    @property
    def shares(self) -> list[float]:
        """How large it may be printed, the larger one first; small texts of the screen stay as large."""
        return [share / min(1.0, self.look.scale) for share in SHARES]

    @contextmanager
    def fitted(self, width: float, most: float | None) -> Iterator[None]:
        """Give the widget the size at which its figure is `width` wide and at most `most` high."""
        widget = self.widget
        plots = [part for part in (widget, *widget.findChildren(QWidget)) if isinstance(part, Printable)]
        least = widget.minimumSize()
        with in_another_size(widget):
            widget.setMinimumSize(0, 0)
            try:
                for plot in plots:
                    plot.set_printed(is_printed=True)
                self._fit(width, most)
                with shown_whole(widget):
                    yield
            finally:
                for plot in plots:
                    plot.set_printed(is_printed=False)
                widget.setMinimumSize(least)

    def _fit(self, width: float, most: float | None) -> None:
        shares = self.shares
        if any(self._fits(width, most, share) for share in shares):
            return
        if most is not None and self._fits(width, None, shares[-1]):
            hint = Message("Leave out the height: the figure is then as high as its labels need.")
            raise FigureError(Message("The figure is too low for its labels with letters of 6 points."), hint)
        # The least width that has room, from this one on; None where there is none.
        low, high = max(width, NARROWEST), max(width, NARROWEST) * 2
        while not self._fits(high, None, shares[-1]):
            low, high = high, high * 2
            if low > WIDEST:
                raise _too_narrow(width, None)
        while high - low > 2:
            middle = (low + high) / 2
            low, high = (low, middle) if self._fits(middle, None, shares[-1]) else (middle, high)
        raise _too_narrow(width, high)

    def _fits(self, width: float, most: float | None, share: float) -> bool:
        """Resize the widget; return whether it has room for every label then.

        It has this width and the height that it needs, less of both where that is more than `most`.
        """
        self.share, width, low = share, width / share, _NARROWEST
        self._resize_to(width)
        if most is not None and (over := self._page_height() - most / share) > 0:
            high, most = width, most / share
            if self._plots():
                self._resize_to(low)
            if self._page_height() > most:  # narrower is no lower, as of bars in rows
                self._resize_to(width)
                self.widget.resize(self.widget.width(), self.widget.height() - round(over))
                lay_out(self.widget)
            else:
                for _ in range(12):
                    middle = (low + high) / 2
                    self._resize_to(middle)
                    low, high = (middle, high) if self._page_height() <= most else (low, middle)
                self._resize_to(low)
        return not any(plot.lacks_room for plot in self._plots())

    def _resize_to(self, width: float) -> None:
        """Give the page this width, and the widget the height that its drawing needs."""
        widget = self.widget
        around = room_around(widget, self.look, self.sheet, self.titles)
        across = max(20, round(width) - around.left() - around.right())
        widget.resize(across, max(20, round(across * _USUAL)))
        lay_out(widget)
        for _ in range(_ROUNDS):
            plot = next(iter(self._plots()), None)
            missing = 0 if plot is None else round(plot.printed_height - plot.height())
            if not missing:
                return
            widget.resize(across, max(20, widget.height() + missing))
            lay_out(widget)

    def _page_height(self) -> float:
        around = room_around(self.widget, self.look, self.sheet, self.titles)
        return float(self.widget.height() + around.top() + around.bottom())

    def _plots(self) -> list[Printable]:
        """Return the drawings that are in sight, the highest first."""
        parts = (self.widget, *self.widget.findChildren(QWidget))
        seen = (part for part in parts if part is self.widget or part.isVisibleTo(self.widget))
        return sorted((part for part in seen if isinstance(part, Printable)), key=lambda part: -part.height())
