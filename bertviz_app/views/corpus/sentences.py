"""`SentenceList`: the sentences in a bar, each of which opens in the window."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from bertviz_app.viewmodels.corpus import MOST_SENTENCES, CorpusStudy
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import plain
from bertviz_app.views.overview.measure_words import measure_number, with_unit


class SentenceList(QWidget):
    """Line, value and text of each sentence; `sentence_requested` has the text of the one that was chosen."""

    sentence_requested = Signal(str)

    def __init__(self, study: CorpusStudy, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._study = study
        self.note = named(QLabel(wordWrap=True), "secondary")
        self.list = QListWidget()
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setUniformItemSizes(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 10, 10)
        column.setSpacing(8)
        column.addWidget(self.note)
        column.addWidget(self.list, 1)
        self.list.itemActivated.connect(self._on_chosen)
        self.list.itemClicked.connect(self._on_chosen)
        study.sentences_changed.connect(self.retranslate)
        self.retranslate()

    @Slot()
    def retranslate(self) -> None:
        """Show the sentences of the bar that is chosen, in the language in force."""
        self.list.setAccessibleName(self.tr("Sentences in the bar"))
        self.note.setText(self._words())
        self.list.clear()
        bar = self._study.bar
        if bar is None:
            return
        for found in self._study.sentences or ():
            text = self.tr("(its file is not here)") if found.text is None else found.text
            item = QListWidgetItem(f"{measure_number(found.value)}   {text}")
            item.setToolTip(plain(self.tr("Line {0}: {1}").format(f"{found.line:,}", text)))
            item.setData(Qt.ItemDataRole.UserRole, found.text)
            self.list.addItem(item)

    def _words(self) -> str:
        bar, study = self._study.bar, self._study
        if bar is None or study.corpus is None:
            return self.tr("Click a bar: its sentences are listed here. Click a sentence to open it.")
        key = study.measures[bar.measure]
        low, high = study.corpus.summary.range_of(bar.measure, bar.number)
        layer, head = bar.head
        limits = (
            self.tr("from {0} on").format(with_unit(key, low))
            if high == float("inf")
            else self.tr("from {0} to {1}").format(measure_number(low), with_unit(key, high))
        )
        count = study.count_of(bar)
        words = self.tr("Layer {0} · head {1}, {2}: sentences {3}").format(layer, head, limits, f"{count:,}")
        if study.sentences is None:
            return self.tr("{0} (looking …)").format(words)
        if count > MOST_SENTENCES:
            return self.tr("{0}, the first {1} listed").format(words, MOST_SENTENCES)
        return words

    @Slot(QListWidgetItem)
    def _on_chosen(self, item: QListWidgetItem) -> None:
        text = item.data(Qt.ItemDataRole.UserRole)
        if text:
            self.sentence_requested.emit(text)
