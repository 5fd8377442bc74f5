"""What each token adds to a vector: its weight, times the length of its value, is how long that is."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout

from bertviz_app.types import Floats
from bertviz_app.viewmodels.learning.pictures import AddedLengths, LessonPictures
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
        row = QHBoxLayout()
        row.setSpacing(24)
        for name, bars in zip(names, self.bars, strict=True):
            column = QVBoxLayout()
            column.addWidget(named(QLabel(name, wordWrap=True), "pictureNote"))
            column.addWidget(bars, 1)
            row.addLayout(column, 1)
            bars.setAccessibleName(name.lstrip("×= "))
        whole = QVBoxLayout(self)
        whole.setContentsMargins(24, 16, 24, 16)
        whole.setSpacing(12)
        whole.addWidget(self.heading)
        whole.addLayout(row, 1)
        whole.addWidget(self.note)
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
        self.note.setText(self._note(found))

    def _note(self, found: AddedLengths) -> str:
        words = self.tr("“{0}” has {1} % of the weight, and {2} % of all the lengths that are added.")
        at = found.row.largest
        shares = (100 * float(found.row.weights[at]), 100 * found.share(at))
        return words.format(found.row.labels[at], *(f"{share:.0f}" for share in shares))


def added_bars(labels: tuple[str, ...], values: Floats, colour: str) -> list[ShownBar]:
    """Return a bar for each token; the longest is highlighted."""
    largest = int(values.argmax())
    return [
        ShownBar(label, value, fixed(value, 3 if value < 1 else 2), colour, at == largest)
        for at, (label, value) in enumerate(zip(labels, values.tolist(), strict=True))
    ]
