"""Dependency relations and heads: a row for each relation, a column for each head, and sentences to open."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from bertviz_app.analysis.studies.relations import HeadRelations
from bertviz_app.views.analyses.picture_view import PictureView
from bertviz_app.views.kit.panel_view import PanelTools
from bertviz_app.views.kit.widgets import on_item_chosen
from bertviz_app.views.kit.words import plain

_ROWS_LISTED = 4


class RelationsView(PictureView):
    """Draws `HeadRelations`, and lists sentences with the framed relation; one of them can be opened."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools)
        self.chosen["relation"] = 1  # the first one stands for all words, of which no sentences are listed
        self.examples = QListWidget()
        self.examples.setAccessibleName(self.tr("Sentences with the relation"))
        self.examples.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        line = self.examples.fontMetrics().height() + 8
        self.examples.setMaximumHeight(_ROWS_LISTED * line)
        self.column.addWidget(self.examples)
        on_item_chosen(self.examples, self.text_requested.emit)

    def mark(self) -> None:
        """Frame the cell of the panel's head in the chosen row, and list the sentences of that row."""
        super().mark()
        result = self.result
        if not isinstance(result, HeadRelations):
            return
        row = min(self.chosen["relation"], len(result.relations) - 1)
        self.examples.clear()
        for example in result.examples:
            if example.relation == result.relations[row]:
                item, at = example.item, example.dependent
                words = [item.text[start:end] for start, end, _ in item.marks]
                line = QListWidgetItem(f"{words[at]} → {words[item.heads[at]]}   ·   {item.text}")
                line.setData(Qt.ItemDataRole.UserRole, item)
                line.setToolTip(plain(self.tr("Line {0}: {1}").format(f"{item.line:,}", item.text)))
                self.examples.addItem(line)
        self.examples.setVisible(self.examples.count() > 0)
