"""`HeadScatter`: a dot for each head by two of its measures, over a corpus or in the sentence on screen."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QRectF, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QWidget

from bertviz_app.types import Doubles
from bertviz_app.viewmodels.corpus import CorpusStudy, MeasureOf
from bertviz_app.views.analyses.head_map import HeadDots
from bertviz_app.views.kit.layouts import in_column
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.overview.heads_table import measure_words, with_unit
from bertviz_app.views.plots.axes import NumberAxis

_MARGIN = 0.07


class MeasureDots(HeadDots):
    """A dot for each head at its numbers on two axes, in the colour of its layer."""

    def __init__(self, look: Look) -> None:
        self.words = "", ""
        self.numbers: tuple[list[str], list[str]] = [], []
        super().__init__(look)
        self.setAccessibleName(self.tr("Heads by two measures"))

    def around(self) -> pg.PlotItem:
        """Return the plot with axes, whose units are their own."""
        self.box.setAspectLocked(False)
        axes = {side: NumberAxis(self, self.box, side) for side in ("left", "bottom")}
        axes["left"].fit_numbers("000.00")
        return self.plot_around(self.box, **axes)

    def whole_of(self, there: Doubles) -> QRectF:
        """Return the rectangle of all dots [N, 2], with a margin."""
        low, high = there.min(0), there.max(0)
        span = np.where(high > low, high - low, 1.0)
        x, y = (low - _MARGIN * span).tolist()
        width, height = ((1 + 2 * _MARGIN) * span).tolist()
        return QRectF(x, y, width, height)

    def show_heads(
        self, points: Doubles, words: tuple[str, str], numbers: tuple[list[str], list[str]]
    ) -> None:
        """Show heads at `points` [L, H, 2]; `words` name the axes, `numbers` are read out of a head."""
        self.words, self.numbers = words, numbers
        flat = points.reshape(-1, 2)
        self.show_map(flat.astype(np.float32), np.zeros((0, 0), np.float32), points.shape[1])

    @property
    def marked(self) -> None:
        """No head is marked: the panel's is that of another picture."""
        return

    def lines_of(self, part: int) -> list[str]:
        """Return the head and its two numbers."""
        title = QCoreApplication.translate("PanelCard", "Layer {0} · Head {1}")
        lines = [title.format(*self.head(part))]
        pairs = zip(self.words, self.numbers, strict=True)
        return lines + [f"{words}: {numbers[part]}" for words, numbers in pairs if part < len(numbers)]

    def resized(self) -> None:
        super().resized()
        self.names.forget()  # the range is the same, but where it lies is not

    @property
    def legend_words(self) -> str:
        words: str = self.tr("a colour for each layer · across: {0} · up: {1}").format(*self.words)
        return words


class HeadScatter(QWidget):
    """All heads by two measures, of the corpus or of the sentence on screen; a click goes to the head."""

    def __init__(self, look: Look, study: CorpusStudy) -> None:
        super().__init__()
        self._study = study
        self.dots = MeasureDots(look)
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
        self.dots.show_heads(np.stack(found, axis=-1), (across, up), (numbers[0], numbers[1]))
        lacks = not any(one.of == "sentence" for one in offered)
        self.note.setText(
            self.tr("The sentence on screen is of another checkpoint, or not measured yet.") if lacks else ""
        )
        self.note.setVisible(lacks)

    @Slot()
    def _on_chosen(self) -> None:
        across, up = (choice.currentData() for choice in self.choices)
        if isinstance(across, MeasureOf) and isinstance(up, MeasureOf):
            self._study.set_axes((across, up))
