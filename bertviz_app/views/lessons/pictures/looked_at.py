"""Who looks at one word, in two heads side by side: a weight is compared with the rest of its column."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLabel

from bertviz_app.viewmodels.learning.pictures import KeyColumn, LessonPictures
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.lessons.pictures.bars import Bars, Level, ShownBar
from bertviz_app.views.lessons.pictures.lesson_picture import LessonPicture


class LookedAtPicture(LessonPicture):
    """Two lists of bars, the weight of every token on the same key; the query is highlighted."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(pictures)
        self.titles = [named(QLabel(wordWrap=True), "pictureTitle") for _ in range(2)]
        self.bars = [Bars(look), Bars(look)]
        self.notes = [named(QLabel(wordWrap=True), "pictureNote") for _ in range(2)]
        parts = zip(self.titles, self.bars, self.notes, strict=True)
        columns = (in_column(title, (bars, 1), note, spacing=12) for title, bars, note in parts)
        in_row(*((column, 1) for column in columns), of=self, margins=(24, 16, 24, 16), spacing=28)
        self.setFocusProxy(self.bars[0])
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the columns of the text on screen."""
        scene = self._pictures.scene
        found = () if scene is None or scene.picture != "looked_at" else self._pictures.columns
        full = max([0.5, *(float(one.weights.max()) for one in found)])
        for title, bars, note, one in zip(self.titles, self.bars, self.notes, found, strict=False):
            words = self.tr("Layer {0}, head {1}: how much each token looks at “{2}”")
            title.setText(words.format(one.layer, one.head, one.labels[one.key]))
            bars.setAccessibleName(title.text())
            bars.show_bars(column_bars(one), full, Level(one.others, self.tr("mean of the others")))
            words = self.tr("“{0}”: {1}. The other tokens: {2} on average.")
            note.setText(words.format(one.labels[one.query], fixed(one.weight, 2), fixed(one.others, 2)))


def column_bars(column: KeyColumn) -> list[ShownBar]:
    """Return a bar for each token that looks; the query is highlighted."""
    return [
        ShownBar(label, weight, fixed(weight, 2), is_highlighted=at == column.query)
        for at, (label, weight) in enumerate(zip(column.labels, column.weights.tolist(), strict=True))
    ]
