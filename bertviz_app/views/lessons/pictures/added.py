"""What each token adds to a vector: its weight, times the length of its value, is how long that is."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLabel

from bertviz_app.types import Floats
from bertviz_app.viewmodels.learning.pictures import LessonPictures
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.lessons.pictures.bars import Bars, ShownBar
from bertviz_app.views.lessons.pictures.lesson_picture import LessonPicture

_COLOURS = ("accent", "value", "output")


class AddedPicture(LessonPicture):
    """Three lists of bars side by side, each with a scale of its own; the largest of each is highlighted."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(pictures)
        self.heading, self.note = named(QLabel(wordWrap=True), "pictureTitle"), QLabel(wordWrap=True)
        named(self.note, "pictureNote")
        names = self.tr("the weight"), self.tr("× length of the value"), self.tr("= length of what is added")
        self.bars = [Bars(look) for _ in names]
        columns = []
        for name, bars in zip(names, self.bars, strict=True):
            columns.append(in_column(named(QLabel(name, wordWrap=True), "pictureNote"), (bars, 1)))
            bars.setAccessibleName(name.lstrip("×= "))
        row = in_row(*((column, 1) for column in columns), spacing=24)
        in_column(self.heading, (row, 1), self.note, of=self, margins=(24, 16, 24, 16), spacing=12)
        self.setFocusProxy(self.bars[0])
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the row of the text on screen."""
        scene = self._pictures.scene
        found = None if scene is None or scene.picture != "added" else self._pictures.added
        if found is None:
            return
        row = found.row
        words = self.tr("What each token adds to “{0}” in layer {1}, head {2}")
        self.heading.setText(words.format(row.labels[row.query], row.layer, row.head))
        lists = row.weights, found.lengths, found.added
        for bars, values, colour in zip(self.bars, lists, _COLOURS, strict=True):
            bars.show_bars(added_bars(row.labels, values, colour), float(values.max()))
        note = self.tr("“{0}” has {1} % of the weight, and {2} % of all the lengths that are added.")
        shares = 100 * float(row.weights[row.largest]), 100 * found.share(row.largest)
        self.note.setText(note.format(row.labels[row.largest], *(f"{share:.0f}" for share in shares)))


def added_bars(labels: tuple[str, ...], values: Floats, colour: str) -> list[ShownBar]:
    """Return a bar for each token; the longest is highlighted."""
    largest = int(values.argmax())
    return [
        ShownBar(label, value, fixed(value, 3 if value < 1 else 2), colour, at == largest)
        for at, (label, value) in enumerate(zip(labels, values.tolist(), strict=True))
    ]
