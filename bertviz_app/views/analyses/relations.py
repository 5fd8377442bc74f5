"""Dependency relations and heads: a row for each relation, a column for each head, and sentences to open."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from bertviz_app.analysis.results import Axis, Quantity, Scalar
from bertviz_app.analysis.studies.relations import HeadRelations
from bertviz_app.types import Floats
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.viewmodels.viewport import PixelAxis
from bertviz_app.views.analyses.grid import HeadCells
from bertviz_app.views.analyses.noted import NotedView
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelTools
from bertviz_app.views.kit.widgets import on_item_chosen
from bertviz_app.views.kit.words import plain, signed
from bertviz_app.views.plots.cells import cell_of

_WAYS = ("to head", "to dependent")
_NUMBERS = ("accuracy", "above offset")
_ROWS_LISTED = 4


class RelationsView(NotedView):
    """A click on a cell shows its head, and lists sentences with the relation; one of them can be opened."""

    def __init__(self, tools: PanelTools) -> None:
        self.cells = RelationCells(tools.look)
        super().__init__(tools, self.cells)
        self.ways = Segments(
            [
                (_WAYS[0], self.tr("To the head"), self.tr("The dependent looks at its head")),
                (_WAYS[1], self.tr("To the dependent"), self.tr("The head looks at its dependent")),
            ]
        )
        self.numbers = Segments(
            [
                (_NUMBERS[0], self.tr("Found"), self.tr("The share of the words whose other end is found")),
                (
                    _NUMBERS[1],
                    self.tr("Above offset"),
                    self.tr("The share less that of the best fixed offset of the relation"),
                ),
            ]
        )
        self.examples = QListWidget()
        self.examples.setAccessibleName(self.tr("Sentences with the relation"))
        self.examples.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        line = self.examples.fontMetrics().height() + 8
        self.examples.setMaximumHeight(_ROWS_LISTED * line)
        self.put_above(self.ways, self.numbers)
        self.column.addWidget(self.examples)
        self._panel_head = (0, 0)
        for choice, options in ((self.ways, _WAYS), (self.numbers, _NUMBERS)):
            choice.choose(options[0])
            choice.chosen.connect(lambda key, choice=choice: self._on_chosen(choice, key))
        self.cells.part_chosen.connect(self._on_cell_chosen)
        on_item_chosen(self.examples, tools.options.open_parsed)

    @property
    def result(self) -> HeadRelations | None:
        """The result that is shown."""
        result = None if self.analysed is None else self.analysed.result
        return result if isinstance(result, HeadRelations) else None

    @property
    def way(self) -> int:
        """Which direction is shown, one of `relations.DIRECTIONS`."""
        return _WAYS.index(self.ways.chosen_key)

    def show_panel(self, panel: Panel) -> None:
        """Mark the head of the panel in the row that is chosen."""
        self._panel_head = (panel.layer, panel.head)
        self._mark(self.cells.framed[0])

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        self._show()
        if self.result is not None:
            self._mark(min(1, len(self.result.relations) - 1))

    def _show(self) -> None:
        if self.result is not None:
            is_above = self.numbers.chosen_key == _NUMBERS[1]
            self.cells.show_relations(self.result, self.way, is_above=is_above)

    def _on_chosen(self, choice: Segments, key: str) -> None:
        choice.choose(key)
        self._show()
        self._mark(self.cells.framed[0])

    @Slot(object)
    def _on_cell_chosen(self, cell: tuple[int, int]) -> None:
        (row, column), result = cell, self.result
        if result is not None:
            layer, head = divmod(column, result.named["accuracy"].shape[3])
            self._panel_head = (layer, head)
            self._mark(row)
            self.head_requested.emit(layer, head)

    def _mark(self, row: int) -> None:
        """Frame the cell of the panel's head in a row, and say and list what the row has."""
        result = self.result
        if result is None:
            return
        layer, head = self._panel_head
        self.cells.mark((row, layer * result.named["accuracy"].shape[3] + head))
        self.note.setText(self.cells.summary_of(row))
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


class RelationCells(HeadCells):
    """The shares as cells. The best head of each row has a ring."""

    def __init__(self, look: Look) -> None:
        self._result: HeadRelations | None = None
        self._way = 0
        super().__init__(look)

    @property
    def framed(self) -> tuple[int, int]:
        """The cell that is framed."""
        return self._framed

    def show_relations(self, result: HeadRelations, way: int, *, is_above: bool) -> None:
        """Show the shares of one direction, or by how much they are above those of the best offset."""
        self._result, self._way = result, way
        shares = result.named["accuracy"][:, way]  # [R, L, H]
        values: Floats = shares.reshape(len(shares), -1).copy()
        quantity = Quantity("weight", 0, 1)
        if is_above:
            values -= result.named["best"][:, way, -1:]
            quantity = Quantity("weight", -1, 1)
        _, n_layers, n_heads = shares.shape
        names = tuple(f"{layer}·{head}" for layer in range(n_layers) for head in range(n_heads))
        columns, rows = Axis("head of a layer", names), Axis("relation", tuple(result.relations))
        self.show_values(values, Scalar("found", quantity), columns, rows=rows)
        self.setAccessibleName(self.tr("How often each head finds each relation"))

    def best_of(self, row: int) -> int:
        """Return the column of the best head of a row."""
        assert self._result is not None
        layer, head = self._result.named["best"][row, self._way, :2].astype(int).tolist()
        return int(layer * self._result.named["accuracy"].shape[3] + head)

    def summary_of(self, row: int) -> str:
        """Return what a row says: its best head with its interval, and the best fixed offset."""
        result = self._result
        if result is None:
            return ""
        layer, head, share, low, high, offset, of_offset = result.named["best"][row, self._way].tolist()
        count = int(result.named["count"][row])
        words: str = self.tr(
            "{0}, {1} words: head {2}·{3} finds {4} ({5} to {6}); the word at {7} is it in {8}. "
            "The best of all heads on these very words."
        )
        numbers = [f"{each:.1%}" for each in (share, low, high)]
        head_of_layer = int(layer), int(head)
        of_rule = signed(offset, 0), f"{of_offset:.1%}"
        return str(words.format(result.relations[row], f"{count:,}", *head_of_layer, *numbers, *of_rule))

    def lines_of(self, part: tuple[int, int]) -> list[str]:
        layer, column = part
        result = self._result
        assert result is not None
        at_layer, head = divmod(column, result.named["accuracy"].shape[3])
        share = float(result.named["accuracy"][layer, self._way, at_layer, head])
        offset, of_offset = result.named["best"][layer, self._way, -2:].tolist()
        count = int(result.named["count"][layer])
        return [
            self.tr("{0} · layer {1} · head {2}").format(result.relations[layer], at_layer, head),
            self.tr("finds {0} of {1} words").format(f"{share:.1%}", f"{count:,}"),
            self.tr("best offset {0}: {1}").format(signed(offset, 0), f"{of_offset:.1%}"),
        ]

    def draw_above_grid(self, painter: QPainter, rows: PixelAxis, columns: PixelAxis) -> None:
        """Ring the best head of each row, and frame the cell of the panel's head."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.look.colour("output"), 1.5))
        in_sight = set(columns.tokens())
        for row in rows.tokens():
            column = self.best_of(row)
            if column in in_sight:
                painter.drawRect(cell_of(rows, columns, row, column).adjusted(0.5, 0.5, -0.5, -0.5))
        super().draw_above_grid(painter, rows, columns)

    def extras(self) -> tuple[object, ...]:
        return *super().extras(), self._way
