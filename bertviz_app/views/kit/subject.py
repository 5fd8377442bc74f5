"""What is exported of a view: its picture with titles around it, its numbers, and lines of Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from PySide6.QtWidgets import QWidget

from bertviz_app.options import Run
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from bertviz_app.viewmodels.export import ComputeNumbers, Numbers, Runs


@dataclass(frozen=True)
class LineKey:
    """What colours stand for: `heads`, or `signs`, first what positive numbers are; empty where nothing."""

    heads: tuple[int, ...] = ()
    signs: tuple[str, ...] = ()


NO_KEY = LineKey()


@dataclass(frozen=True)
class AxisTitles:
    """What is written at each side of a drawing; "" leaves no room there.

    `above` stands in the middle, `ends` at the left and at the right of the same line. `right` names the
    colours. `key` explains the colours of lines below the drawing.
    """

    left: str = ""
    above: str = ""
    below: str = ""
    right: str = ""
    ends: tuple[str, str] = ("", "")
    key: LineKey = NO_KEY


NO_TITLES = AxisTitles()


@dataclass(frozen=True)
class PictureSheet:
    """What is written above a picture: its title, and lines that say what it is of."""

    title: str
    lines: tuple[str, ...] = ()


def sheet_of(title: str, runs: Runs, run: Run, *notes: str) -> PictureSheet:
    """Return the sheet of a picture of `run`: checkpoint and text, then the notes that say anything."""
    return PictureSheet(title, (*runs.lines(run), *(note for note in notes if note)))


def _no_numbers() -> Numbers:
    raise NotImplementedError


@dataclass(frozen=True, eq=False)
class ExportSubject:
    """What is exported of one view, as it is now.

    `name` is a file's, without ending. `python` is "" where no lines of Python compute it, and
    `has_numbers` is False for a picture to learn from, whose numbers are saved in Explore.
    """

    widget: QWidget
    name: str
    sheet: PictureSheet
    numbers: ComputeNumbers
    python: str
    titles: AxisTitles = NO_TITLES
    has_numbers: bool = True


def picture_alone(widget: QWidget, name: str, sheet: PictureSheet) -> ExportSubject:
    """Return what is exported of a picture to learn from, whose numbers and Python are those of Explore."""
    return ExportSubject(widget, name, sheet, _no_numbers, "", has_numbers=False)


@runtime_checkable
class Saved(Protocol):
    """What the window shows, such as a card, and can save."""

    def subject(self, runs: Runs | None) -> ExportSubject | None:
        """Return what is exported while `runs` are on screen; None while it shows nothing."""


@runtime_checkable
class Exportable(Protocol):
    """A drawing in a card that says what is exported of it."""

    def subject(self, title: str, runs: Runs) -> ExportSubject | None:
        """Return what is exported under the title of its card; None while it shows nothing."""
