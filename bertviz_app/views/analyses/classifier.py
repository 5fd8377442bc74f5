"""A classifier on a file: its confusion matrix and calibration, slices, and the texts, errors first."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
)

from bertviz_app.features.corpora.studies.classifier import JudgedText, JudgedTexts
from bertviz_app.features.corpora.studies.statistics import labels_found
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.analyses.cells import PictureCells
from bertviz_app.views.analyses.curves import PictureCurves
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import named
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.widgets import on_item_chosen
from bertviz_app.views.kit.words import plain

MOST_LISTED = 500
"""So many texts are listed; the table and the saved file have all."""


class ClassifierView(PanelView):
    """A click on a cell, on the curve or on a slice lists those texts; a click on a text opens it."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.headline = named(QLabel(wordWrap=True), "title")
        self.facts = named(QLabel(wordWrap=True), "secondary")
        words = self.tr(
            "Rows: the label. Columns: what was predicted. Click a cell or a dot to list its texts."
        )
        self.hint = named(QLabel(words, wordWrap=True), "secondary")
        self.hint.setContentsMargins(10, 0, 10, 0)
        self.cells, self.curve = PictureCells(tools.look), PictureCurves(tools.look)
        self.dimmed = self.cells, self.curve
        self.slices = QComboBox()
        self.every = named(QPushButton(self.tr("All texts")), "plain")
        self.shown = named(QLabel(wordWrap=True), "secondary")
        self.texts = QListWidget()
        self._lay_out()
        self.cells.part_chosen.connect(self._on_cell_chosen)
        self.curve.part_chosen.connect(self._on_curve_chosen)
        self.slices.activated.connect(self._on_slice_chosen)
        self.every.clicked.connect(self.show_all)
        on_item_chosen(self.texts, self.text_requested.emit)

    def _lay_out(self) -> None:
        self.texts.setAccessibleName(self.tr("Texts, errors first"))
        self.texts.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.texts.setUniformItemSizes(True)
        self.slices.setAccessibleName(self.tr("Slices of the texts"))
        for label in (self.headline, self.facts):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setContentsMargins(10, 0, 10, 0)
        pictures = in_row((self.cells, 1), (self.curve, 1), margins=0)
        choice = in_row(self.slices, self.every, (self.shown, 1), margins=(10, 0, 10, 0))
        in_column(
            self.headline,
            self.facts,
            self.hint,
            (pictures, 3),
            choice,
            (self.texts, 2),
            of=self,
            margins=(0, 6, 0, 6),
            spacing=4,
        )

    @property
    def result(self) -> JudgedTexts | None:
        """The result that is shown."""
        result = None if self.analysed is None else self.analysed.result
        return result if isinstance(result, JudgedTexts) else None

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        result = self.result
        if result is None:
            return
        facts = result.facts
        words = self.tr("{0} of {1} texts are right ({2} to {3})")
        shares = [f"{float(facts[name]):.1%}" for name in ("accuracy", "low", "high")]
        self.headline.setText(words.format(shares[0], f"{int(facts['texts']):,}", *shares[1:]))
        more = self.tr("Always the commonest label: {0} · mean F1 {1} · off its own probability by {2}")
        numbers = more.format(
            f"{float(facts['commonest']):.1%}",
            f"{float(facts['macro F1']):.3f}",
            f"{float(facts['calibration error']):.1%}",
        )
        self.facts.setText(" · ".join([numbers, *map(translated, labels_found(facts))]))
        texts, calibration = result.pictures()
        self.cells.show_picture(texts)
        self.curve.show_picture(calibration)
        self.slices.clear()
        self.slices.addItem(self.tr("Slices"))
        for number, one in enumerate(result.slices):
            count, right = result.named["slices"][number, :2].tolist()
            name = one.name if one.word else self.tr("{0} to {1} tokens").format(one.least, one.most)
            share = "–" if right != right else f"{right:.1%}"
            self.slices.addItem(self.tr("{0}: {1} of {2} right").format(name, share, f"{int(count):,}"))
        self.show_all()

    @Slot()
    def show_all(self) -> None:
        """List all texts, errors first."""
        self.slices.setCurrentIndex(0)
        self._show(lambda one: True, self.tr("all texts, errors first, the surest of them at the top"))

    def _show(
        self, is_shown: Callable[[JudgedText], bool], words: str, cell: tuple[int, int] | None = None
    ) -> None:
        """List these texts, and frame the cell that has them, if one has."""
        result = self.result
        if result is None:
            return
        self.cells.mark(cell)
        found = [one for one in result.in_order if is_shown(one)]
        self.texts.clear()
        for one in found[:MOST_LISTED]:
            label, predicted = result.classes[one.label], result.classes[one.predicted]
            mark, said = ("✓", predicted) if one.is_right else ("✗", f"{label} → {predicted}")
            text = one.item.text if one.item.pair is None else f"{one.item.text}  ·  {one.item.pair}"
            line = QListWidgetItem(f"{mark}  {said}  {one.confidence:.0%}   {text}")
            line.setToolTip(plain(self.tr("Line {0}: {1}").format(f"{one.item.line:,}", text)))
            line.setData(Qt.ItemDataRole.UserRole, one.item)
            self.texts.addItem(line)
        count = f"{len(found):,}"
        if len(found) > MOST_LISTED:
            count = self.tr("{0} (the first {1} listed)").format(count, MOST_LISTED)
        self.shown.setText(self.tr("{0}: {1}").format(count, words))

    @Slot(object)
    def _on_cell_chosen(self, cell: tuple[int, int]) -> None:
        (label, predicted), result = cell, self.result
        if result is None:
            return
        words = self.tr("label “{0}”, predicted “{1}”").format(
            result.classes[label], result.classes[predicted]
        )
        self._show(lambda one: (one.label, one.predicted) == (label, predicted), words, cell)

    @Slot(float)
    def _on_curve_chosen(self, sure: float) -> None:
        result = self.result
        if result is None:
            return
        counts = result.named["calibration"][:, 0]
        bins, part = len(counts), int(np.flatnonzero(counts)[self.curve.number_of(sure)])
        low, high = part / bins, (part + 1) / bins

        def is_in(one: JudgedText) -> bool:
            return min(int(one.confidence * bins), bins - 1) == part

        self._show(is_in, self.tr("predicted with {0} to {1}").format(f"{low:.0%}", f"{high:.0%}"))

    @Slot(int)
    def _on_slice_chosen(self, index: int) -> None:
        result = self.result
        if result is None or index < 1:
            self.show_all()
            return
        self._show(result.slices[index - 1].has, self.slices.itemText(index))
