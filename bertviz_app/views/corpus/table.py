"""`CorpusTableView`: of which column of a table the texts are measured, with its first rows."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from bertviz_app.viewmodels.corpus import CorpusStudy
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.table_question import TableQuestion
from bertviz_app.views.kit.widgets import scrolled

_WIDTH = 680


class CorpusTableView(QWidget):
    """Shows the question of `study` about a file, with buttons for a column, whole lines, or neither."""

    def __init__(self, look: Look, study: CorpusStudy, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._study = study
        self._title = named(QLabel(wordWrap=True), "headline")
        self._text = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.question = TableQuestion(("column", "separator", "encoding"))
        self.measure = named(QPushButton(), "primary")
        self.lines, self.cancel = QPushButton(), QPushButton()
        self._middle = QWidget()
        self._middle.setMaximumWidth(look.pixels(_WIDTH))
        self._lay_out()
        self.question.answered.connect(study.answer)
        self.measure.clicked.connect(study.measure_column)
        self.lines.clicked.connect(study.measure_lines)
        self.cancel.clicked.connect(study.drop_question)
        study.busy_changed.connect(self.show_question)
        self.retranslate()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        for button in (self.measure, self.lines, self.cancel):
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self._middle)
        column.setSpacing(12)
        for widget in (self._title, self._text, self.question):
            column.addWidget(widget)
        column.addLayout(buttons)
        content = QWidget()
        rows = QVBoxLayout(content)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self._middle, 100)
        row.addStretch(1)
        rows.addLayout(row)
        rows.addStretch(1)
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.addWidget(scrolled(content))

    def retranslate(self) -> None:
        self.measure.setText(self.tr("Measure this column"))
        self.lines.setText(self.tr("Measure whole lines"))
        self.lines.setToolTip(self.tr("Each line is a text as it stands, with separators and all columns"))
        self.cancel.setText(self.tr("Cancel"))
        self.question.retranslate()
        self.show_question()

    @Slot()
    def show_question(self) -> None:
        asked = self._study.asked
        if asked is None:
            return
        self._title.setText(self.tr("Which column has the texts?"))
        self._text.setText(translated(asked.error.message))
        self.question.show_table(asked.error.preview, asked.values)
        self.measure.setEnabled(bool(asked.values["column"]))
