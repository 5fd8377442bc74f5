"""`ExportDialog`: how a picture is exported: format, size, ground, title."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Signal, SignalInstance, Slot
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QWidget

from bertviz_app.errors import FigureError
from bertviz_app.figures import COLUMNS
from bertviz_app.timers import OneShot
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.export.recording import SCALES
from bertviz_app.views.kit.fields import Fields
from bertviz_app.views.kit.look import form, in_column, in_row, named
from bertviz_app.views.kit.widgets import TitledDialog, show_words

_DOTS = 300  # of a PNG to an inch of print
_AFTER_MS = 250


@dataclass(frozen=True)
class PictureChoice:
    """`ending`: ".png", ".svg" or ".pdf". `scale`: of PNG, pixels to one on screen.

    `ground`: "window", "paper", "light" or "dark". `width`: in print, as "7.7cm" or "acl"; "" for as large as
    on screen.
    """

    ending: str = ".png"
    scale: int = 2
    ground: str = "window"
    has_title: bool = True
    width: str = ""

    @property
    def pixels(self) -> float:
        """Pixels of a PNG for each on screen, or for each 1/96 inch in print."""
        return _DOTS / 96 if self.width else self.scale


Measure = Callable[[PictureChoice], float]
"""Returns how many points the smallest letters have in print. Raises FigureError for what cannot be."""


class ExportDialog(TitledDialog):
    """`save_requested` and `copy_requested` carry the `PictureChoice` when one of the buttons is clicked.

    `index`: which of the pictures is meant.
    """

    save_requested = Signal(object)
    copy_requested = Signal(object)

    def __init__(
        self, titles: Sequence[str], choice: PictureChoice, parent: QWidget, measure: Measure
    ) -> None:
        """Begin with the first of the titles. `measure` draws the picture, for the size of its letters."""
        super().__init__(parent, self.tr("Save as a picture"))
        self._measure = measure
        self._soon = OneShot(self, self._say_size, _AFTER_MS)
        self.choice = choice
        self.fields = fields = Fields(self._change)
        self.save, self.copy = QPushButton(self.tr("Save …"), default=True), QPushButton(self.tr("Copy"))
        self.copy.setToolTip(self.tr("Copy the picture to the clipboard, as pixels"))
        self.save.clicked.connect(lambda: self._end(self.save_requested))
        self.copy.clicked.connect(lambda: self._end(self.copy_requested))
        formats = {
            ".png": ("PNG", self.tr("Pixels, for slides and pages")),
            ".svg": ("SVG", self.tr("Lines and text, for browsers and drawing programs")),
            ".pdf": ("PDF", self.tr("Lines and text, for papers and print")),
        }
        pixels = self.tr("Pixels of the picture for each on screen")
        scales = fields.segments("scale", {scale: (f"{scale}×", pixels) for scale in SCALES})
        fields.enable_if(lambda choice: choice.ending == ".png" and not choice.width, scales)
        lengths = self.tr("A length, as 7.7cm, 89mm, 5.5in or 240pt, or the name of a column")
        width = fields.line("width", lengths)
        width.setPlaceholderText(self.tr("as on the screen"))
        self.columns = named(QComboBox(), title=self.tr("Column of a paper"))
        self.columns.addItem(self.tr("Column …"), "")
        for name, length in COLUMNS.items():
            self.columns.addItem(f"{name} · {length}", name)
        self.columns.activated.connect(lambda _: self._change(width=self.columns.currentData()))
        self.letters = named(QLabel(wordWrap=True), "note")
        grounds = {
            "window": (self.tr("Same as the window"), self.tr("In the colours that are on screen")),
            "light": (self.tr("Light"), self.tr("Dark on white, for print")),
            "dark": (self.tr("Dark"), self.tr("Light on dark, for slides")),
            "paper": (self.tr("Paper"), self.tr("Black on white with thin lines, for print")),
        }
        rows = form(
            (self.tr("Format"), fields.segments("ending", formats)),
            (self.tr("Size"), scales),
            (self.tr("Width in print"), in_row((width, 1), self.columns, spacing=8)),
            ("", self.letters),
            (self.tr("Background"), fields.segments("ground", grounds)),
            ("", fields.check("has_title", self.tr("Checkpoint and sentence above it"))),
        )
        self.pictures = named(QComboBox(), title=self.tr("Which picture"))
        self.pictures.addItems(titles)
        self.pictures.currentIndexChanged.connect(self._show)
        foot, heading = in_row(1, self.copy, self.save), named(QLabel(titles[0], wordWrap=True), "title")
        in_column(heading, self.pictures, rows, foot, of=self, margins=(20, 16, 20, 16), spacing=16)
        self.pictures.setVisible(len(titles) > 1)
        heading.setVisible(len(titles) == 1)
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(button in (self.save, self.copy))  # Enter on a choice saves
        self._show()

    @property
    def index(self) -> int:
        return self.pictures.currentIndex()

    def _change(self, **changes: Any) -> None:
        self.choice = replace(self.choice, **changes)
        self._show()

    @Slot()
    def _show(self) -> None:
        """Show the choice, and soon how large its letters are: to find out, the picture is drawn."""
        self.fields.show(self.choice)
        self.columns.setCurrentIndex(max(0, self.columns.findData(self.choice.width)))
        if self.choice.width:
            self._soon.start()
        else:
            self._soon.stop()
            self._say("", is_possible=True)

    @Slot()
    def _say_size(self) -> None:
        try:
            words = self.tr("The smallest letters have {0} points.")
            self._say(words.format(f"{self._measure(self.choice):.1f}"), is_possible=True)
        except FigureError as error:
            self._say(error_text(error), is_possible=False)

    def _say(self, words: str, *, is_possible: bool) -> None:
        show_words(self.letters, words)
        # The layout of a form gives wrapped words the height of one line.
        self.letters.setMinimumHeight(max(0, self.letters.heightForWidth(self.fields["ending"].width())))
        self.adjustSize()
        for button in (self.save, self.copy):
            button.setEnabled(is_possible)

    def _end(self, signal: SignalInstance) -> None:
        if self._soon.isActive():  # a width was typed a moment ago
            self._soon.stop()
            self._say_size()
            if not self.save.isEnabled():
                return
        choice = self.choice
        self.accept()
        signal.emit(choice)
