"""`HeadScatter`: a dot for each head by two of its measures, over a corpus or in the sentence on screen."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QWidget

from bertviz_app.analysis.picture import Axis, Index, Picture, Quantity
from bertviz_app.errors import Message
from bertviz_app.features.corpora.state.corpus import CorpusStudy, MeasureOf
from bertviz_app.types import Floats
from bertviz_app.views.analyses.charts import PicturePoints
from bertviz_app.views.kit.look import Look, in_column, named
from bertviz_app.views.overview.heads_table import measure_words, with_unit


class HeadScatter(QWidget):
    """All heads by two measures, of the corpus or of the sentence on screen; `dots` say which is clicked."""

    def __init__(self, look: Look, study: CorpusStudy) -> None:
        super().__init__()
        self._study = study
        self.dots = PicturePoints(look)
        self.choices = QComboBox(), QComboBox()
        self.note = named(QLabel(wordWrap=True), "secondary")
        names = self.tr("Across"), self.tr("Up")
        row = QHBoxLayout()
        for choice, name in zip(self.choices, names, strict=True):
            choice.setAccessibleName(name)
            choice.activated.connect(self._on_chosen)
            row.addWidget(named(QLabel(name), "secondary"))
            row.addWidget(choice)
        row.addStretch(1)
        in_column(row, self.note, (self.dots, 1), of=self, margins=0)
        for signal in (study.changed, study.current_changed):
            signal.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the heads at the measures that are chosen."""
        study = self._study
        if study.corpus is None:
            return
        measures = measure_words(study.special_names)
        offered = study.offered_measures
        words = {"corpus": self.tr("{0}, mean of the corpus"), "sentence": self.tr("{0}, sentence on screen")}
        titles = {one: words[one.of].format(measures[one.key].title) for one in offered}
        found, numbers = [], []
        for choice, chosen in zip(self.choices, study.axes, strict=True):
            shown = chosen if chosen in titles else offered[0]
            choice.clear()
            for one, title in titles.items():
                choice.addItem(title, one)
            choice.setCurrentIndex(offered.index(shown))
            values = study.numbers_of(shown)
            found.append(values)
            numbers.append([with_unit(shown.key, value) for value in values.reshape(-1).tolist()])
        across, up = (choice.currentText() for choice in self.choices)
        self.dots.show_picture(_picture(np.stack(found, axis=-1), (across, up), numbers))
        lacks = not any(one.of == "sentence" for one in offered)
        self.note.setText(
            self.tr("The sentence on screen is of another checkpoint, or not measured yet.") if lacks else ""
        )
        self.note.setVisible(lacks)

    def head(self, part: int) -> tuple[int, int]:
        """Return the layer and the head of a dot."""
        layer, head = map(int, self.dots.name_of(part).split("·"))
        return layer, head

    @Slot()
    def _on_chosen(self) -> None:
        across, up = (choice.currentData() for choice in self.choices)
        if isinstance(across, MeasureOf) and isinstance(up, MeasureOf):
            self._study.set_axes((across, up))


def _picture(points: Floats, titles: tuple[str, str], numbers: list[list[str]]) -> Picture:
    """Return heads at `points` [L, H, 2]; `titles` name the axes, `numbers` are both of each head."""
    n_layers, n_heads, _ = points.shape
    heads = [(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    names = tuple(f"{layer}·{head}" for layer, head in heads)

    def details(index: Index) -> list[str]:
        at = index["head of all"]
        return [f"{title}: {of_heads[at]}" for title, of_heads in zip(titles, numbers, strict=True)]

    return Picture(
        key="measures",
        mark="points",
        values=points.reshape(-1, 2).astype(np.float32),
        axes=(Axis("head of all", names), Axis("measure", titles)),
        quantity=Quantity(""),
        title=Message("Heads by two measures"),
        groups=tuple(str(layer) for layer, _ in heads),
        details=details,
    )
