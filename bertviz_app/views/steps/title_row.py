"""The top row of the Steps panel: back and forward, the name of the stop, and the form it is shown in."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from bertviz_app.viewmodels.steps.panel_walk import PanelWalk
from bertviz_app.views.kit.card import Elided, Qualifier, Segments
from bertviz_app.views.kit.style import named


class TitleRow(QWidget):
    """Walks by its buttons; `forms` chooses between picture and table."""

    def __init__(self, walk: PanelWalk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._walk = walk
        self.back, self.forward = named(QPushButton("←"), "plain"), named(QPushButton("→"), "plain")
        self.title, self._where = named(Elided(), "title"), named(Qualifier(""), "qualifier")
        self.forms = Segments([("walk", "", ""), ("table", "", "")])
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 0)
        row.setSpacing(4)
        row.addWidget(self.back)
        row.addWidget(self.forward)
        row.addWidget(self.title)
        row.addWidget(self._where, 1)
        row.addWidget(self.forms)
        self.back.clicked.connect(lambda: walk.step(-1))
        self.forward.clicked.connect(lambda: walk.step(1))
        self.forms.chosen.connect(walk.show_form)
        self.forms.choose("walk")

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        words = self.tr("Previous step (←)"), self.tr("Next step (→)")
        for button, text in zip((self.back, self.forward), words, strict=True):
            button.setToolTip(text)
            button.setAccessibleName(text)
        self.forms.set_texts(
            {
                "walk": (self.tr("Walk"), self.tr("Every stage as a picture")),
                "table": (self.tr("Table"), self.tr("query, key, product, weight and value as a table")),
            }
        )

    def show_stop(self, title: str, where: str) -> None:
        """Name the stop of the walk: `where` are its layer and head."""
        position, n_stops = self._walk.position, len(self._walk.stops)
        self.title.setText(title)
        count = self.tr("{0} of {1}").format(position + 1, n_stops)
        self._where.setText(f"{where} · {count}")
        self.back.setEnabled(position > 0)
        self.forward.setEnabled(position < n_stops - 1)
