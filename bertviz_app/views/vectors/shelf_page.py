"""`ShelfPage`: the sentences tried so far, by the cosines of their vectors and on a map."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QStackedLayout, QWidget

from bertviz_app.analysis.vectors import KINDS
from bertviz_app.viewmodels.vectors import ComparedVectors, TextVectors, compared
from bertviz_app.viewmodels.viewport import heat_picture
from bertviz_app.views.kit.numbers import signed
from bertviz_app.views.kit.panel_view import PanelTools
from bertviz_app.views.kit.style import named
from bertviz_app.views.vectors.choice import SegmentedChoice
from bertviz_app.views.vectors.heat import HeatTexts, HeatView
from bertviz_app.views.vectors.map import MapPicture, MapView
from bertviz_app.views.vectors.page import Numbers, Page


class ShelfPage(Page):
    """A click brings a sentence back; the one chosen last can be removed."""

    has_layers = False

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools)
        self.shelf = tools.shelf
        self.heat = HeatView(self.look, self._read_out)
        self.map = MapView(self.look)
        self.kinds = SegmentedChoice(KINDS)
        self.ways = SegmentedChoice(("matrix", "map"))
        self.keep = named(QPushButton(), "plain")
        self.remove = named(QPushButton(), "plain")
        self.clear = named(QPushButton(), "plain")
        self._empty = named(QLabel(), "secondary")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self._stack = QStackedLayout()
        self._shown: ComparedVectors[TextVectors] = compared((), KINDS[0])
        self._chosen: int | None = None
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.column.addLayout(self._row(self.kinds, None, self.ways))
        self.column.addLayout(self._stack, 1)
        for widget in (self.heat, self.map, self._empty):
            self._stack.addWidget(widget)  # in a layout of no widget it would be shown as a window
        self.column.addLayout(self._row(self.keep, self.remove, None, self.clear))

    @staticmethod
    def _row(*widgets: QWidget | None) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(8, 0, 8, 4)
        row.setSpacing(4)
        for widget in widgets:
            if widget is None:
                row.addStretch(1)
            else:
                row.addWidget(widget)
        return row

    def _connect(self) -> None:
        self.shelf.changed.connect(self.refresh)
        self.kinds.chosen.connect(self.refresh)
        self.ways.chosen.connect(self.refresh)
        self.keep.clicked.connect(self.shelf.keep)
        self.remove.clicked.connect(self.remove_chosen)
        self.clear.clicked.connect(self.shelf.clear)
        self.heat.row_chosen.connect(self._choose)
        self.heat.cell_chosen.connect(self._on_cell_chosen)
        self.heat.activated.connect(self._bring_back)
        self.heat.removed.connect(lambda _: self.remove_chosen())
        self.map.point_pointed.connect(
            lambda at: self.map.highlight(frozenset() if at < 0 else frozenset({at}))
        )
        self.map.chosen.connect(self._bring_back)

    @Slot()
    def refresh(self) -> None:
        if self.isHidden():
            return
        self._shown = self.shelf.compared(self.kinds.chosen_key)
        numbers = [item.number for item in self._shown.items]
        self._chosen = self._chosen if self._chosen in numbers else self.shelf.shown_number
        self._draw()
        self.remove.setEnabled(self._chosen in numbers)
        self.clear.setEnabled(bool(self.shelf.current))

    def _draw(self) -> None:
        plane = self._shown.plane
        if plane is None:
            self._stack.setCurrentWidget(self._empty)
            self._empty.setText(self._why_empty())
            return
        is_matrix = self.ways.chosen_key == "matrix"
        self._stack.setCurrentWidget(self.heat if is_matrix else self.map)
        labels = tuple(item.label for item in self._shown.items)
        shown = tuple(item.number == self.shelf.shown_number for item in self._shown.items)
        self.heat.show_picture(heat_picture(self._shown.cosines, 1.0), HeatTexts(labels, labels))
        rows = (row for row, item in enumerate(self._shown.items) if item.number == self._chosen)
        self.heat.choose_row(next(rows, None))
        self.map.show_picture(
            MapPicture(
                points=plane.points,
                labels=labels,
                colours=["accent" if is_shown else "sentence_b" for is_shown in shown],
                ratios=plane.ratios,
                extent=plane.points,
            ),
            glides=True,
        )

    def _why_empty(self) -> str:
        if self.shelf.current:
            return self.tr("This model has no such vector: choose [CLS] or the mean.")
        return self.tr(
            "The shelf is empty. A sentence is added after a short pause, when you press Enter in its "
            "field, or with Add."
        )

    def set_stale(self, is_stale: bool) -> None:
        """Do nothing: the shelf shows earlier sentences and is never out of date."""

    def write(self) -> None:
        pooled = self.tr("The pooler's output: [CLS] through a dense layer and tanh")
        cls = self.tr("The last hidden state of [CLS]")
        mean = self.tr("The mean of the last hidden states of all tokens")
        sentence = self.tr("The sentence vector, as sentence-transformers computes it")
        texts = {
            "pooled": (self.tr("Pooled"), pooled),
            "cls": (self.tr("[CLS]"), cls),
            "mean": (self.tr("Mean"), mean),
            "sentence": (self.tr("Sentence"), sentence),
        }
        self.kinds.set_choices(texts, self.tr("Which vector stands for a sentence"))
        ways = {
            "matrix": (self.tr("Matrix"), self.tr("Cosine similarity of each pair of sentences")),
            "map": (self.tr("Map"), self.tr("The sentences on a plane, by principal components")),
        }
        self.ways.set_choices(ways, self.tr("How the shelf is drawn"))
        for button, text, tip in (
            (self.keep, self.tr("Add"), self.tr("Add the sentence to the shelf now")),
            (self.remove, self.tr("Remove"), self.tr("Remove the selected sentence from the shelf (Delete)")),
            (self.clear, self.tr("Clear"), self.tr("Remove all sentences of this model from the shelf")),
        ):
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName(tip)
        self.heat.setAccessibleName(self.tr("Cosine similarity between the sentences of the shelf"))
        self.map.setAccessibleName(self.tr("Map of the sentences of the shelf"))
        self.refresh()

    def numbers(self) -> Numbers:
        plane = self._shown.plane
        if plane is None:
            return {}
        return {
            "sentences": tuple(item.label for item in self._shown.items),
            "vectors": self._shown.vectors,
            "cosine": self._shown.cosines,
            "points": plane.points,
            "explained_variance": plane.ratios,
        }

    @Slot()
    def remove_chosen(self) -> None:
        """Take the sentence chosen last off the shelf."""
        if self._chosen is not None:
            self.shelf.remove(self._chosen)

    def _choose(self, row: int) -> None:
        self._chosen = self._shown.items[row].number
        self.heat.choose_row(row)
        self.remove.setEnabled(True)

    def _bring_back(self, row: int) -> None:
        self._choose(row)
        self.shelf.bring_back(self._shown.items[row].number)

    def _on_cell_chosen(self, row: int, column: int) -> None:
        """Bring the sentence of a clicked label back; do nothing for a cell."""
        if min(row, column) < 0:
            self._bring_back(max(row, column))

    def _read_out(self, row: int, column: int) -> list[str]:
        if max(row, column) >= len(self._shown.items):
            return []
        cosine = self.tr("cosine {0}").format(signed(float(self._shown.cosines[row, column]), 4))
        return [cosine, self._shown.items[row].label[:80], self._shown.items[column].label[:80]]
