"""`ParametersView`: the parameters of a checkpoint in a panel: their table, one as a picture, one product."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedLayout, QVBoxLayout, QWidget

from bertviz_app.viewmodels.heads.pictures import HeadOfRun
from bertviz_app.viewmodels.panels import PARAMETERS_PAGES, Panel, ParametersPage
from bertviz_app.viewmodels.parameters import Region, ShownParameters, title
from bertviz_app.viewmodels.results import Coming, Failed, Ready
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.terms import explain_with
from bertviz_app.views.parameters.notes import facts_text, read_out, sum_of, total_text, why_no_product
from bertviz_app.views.parameters.product_page import ProductPage
from bertviz_app.views.parameters.table_page import ParametersTable
from bertviz_app.views.parameters.weights_view import WeightsView
from bertviz_app.views.vectors.choice import SegmentedChoice


class ParametersView(PanelView):
    """Three pages of which one is shown; the panel notes which, which parameter, and which of its rows."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self._tools = tools
        self.shown = ShownParameters(tools.matrices, tools.selection, f"parameters {id(self)}")
        self.pages = SegmentedChoice(PARAMETERS_PAGES)
        self.facts = named(QLabel(), "note")
        self.facts.setTextFormat(Qt.TextFormat.RichText)
        self.sum = named(QLabel(textFormat=Qt.TextFormat.PlainText), "note")
        self.table = ParametersTable(tools.look)
        self.weights = WeightsView(tools.look, lambda *cell: read_out(self.shown, *cell))
        self.product = ProductPage(tools.look)
        self.message = named(QLabel(textFormat=Qt.TextFormat.PlainText), "secondary")
        self._stack = QStackedLayout()
        explain_with(self.facts, "parameters")
        explain_with(self.sum, "linear_map")
        self._lay_out()
        self._connect()
        self.retranslate()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(8, 6, 8, 4)
        top.setSpacing(8)
        top.addWidget(self.pages)
        top.addStretch(1)
        top.addWidget(self.product.output)
        for label in (self.facts, self.sum, self.message):
            label.setWordWrap(True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.sum.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        for widget in (self.sum, self.product.output):
            widget.hide()  # until there is a sum
        pages = QWidget()
        pages.setLayout(self._stack)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.facts)
        column.addWidget(pages, 1)
        column.addWidget(self.sum)
        for page in (self.table, self.weights, self.product, self.message):
            self._stack.addWidget(page)

    def _connect(self) -> None:
        self.pages.chosen.connect(self.show_page)
        self.table.chosen.connect(self.show_parameter)
        self.weights.region_requested.connect(self._on_region_requested)
        self.weights.cell_chosen.connect(lambda row, _: self.choose_output(row))
        self.product.output_chosen.connect(self.choose_output)
        self._tools.matrices.arrived.connect(self.refresh)
        self._tools.selection.changed.connect(self._on_selection_changed)

    @Slot()
    def _on_selection_changed(self) -> None:
        if self.shown.choice.page != "table":
            self.refresh()

    # what is shown

    def show_panel(self, panel: Panel) -> None:
        if panel.parameters != self.shown.choice:
            self.shown.choice = panel.parameters
            self.refresh()

    def show_head(self, head: HeadOfRun) -> None:
        super().show_head(head)
        self.shown.show(head.traces, head.layer)
        self.refresh()

    @Slot(str)
    def show_page(self, page: ParametersPage) -> None:
        self._choose(page=page)

    @Slot(str)
    def show_parameter(self, key: str) -> None:
        self._choose(page="picture", key=key)

    @Slot(int)
    def choose_output(self, row: int) -> None:
        """Show how another row of the matrix is multiplied."""
        entry = self.shown.entry
        if entry is not None and entry.is_matrix:
            self._choose(key=entry.key, output=row)

    def _choose(self, page: ParametersPage | None = None, key: str = "", output: int | None = None) -> None:
        self.shown.choose(page, key, output)
        self.refresh()
        self.choice_made.emit(self.shown.choice)

    @Slot()
    def refresh(self) -> None:
        """Draw what there is now; what is not there yet is on its way."""
        if not self.shown.traces or not self.isVisible():
            return
        page = self.shown.choice.page
        self.pages.choose(page)
        state = self.shown.table
        if isinstance(state, Ready) and state.value is not self.table.rows_model.shown:
            self.table.show_table(state.value)
        if page == "table":
            self._show(state, self.table)
            self.table.choose(self.shown.choice.key)
        elif page == "picture":
            self._show_picture()
        else:
            self._show_product()
        self.facts.setText(total_text(self.shown) if page == "table" else facts_text(self.shown))
        _show_sum(self)

    def _show(self, state: object, page: QWidget) -> None:
        """Show a page, or why there is nothing on it; while it is on its way nothing changes."""
        if isinstance(state, Ready):
            self._stack.setCurrentWidget(page)
        elif isinstance(state, Failed | str):
            self.message.setText(state if isinstance(state, str) else error_text(state.error))
            self._stack.setCurrentWidget(self.message)

    def _show_picture(self) -> None:
        state = self.shown.matrix
        self._show(state, self.weights)
        if isinstance(state, Ready):
            entry = self.shown.entry
            self.weights.show_matrix(state.value.matrix)
            is_of_row = entry is not None and entry.is_linear
            self.weights.mark_row(self.shown.output if is_of_row else None)
            self._on_region_requested(self.weights.region)

    def _show_product(self) -> None:
        entry = self.shown.entry
        state = self.shown.product
        if state is None and entry is not None:
            self._show(why_no_product(self.shown), self.product)
        elif state is not None:
            self._show(state, self.product)
            if isinstance(state, Ready) and entry is not None:
                self.product.show_product(state.value, entry.shape[0])

    @Slot(object)
    def _on_region_requested(self, region: Region) -> None:
        if self.shown.choice.page == "picture" and region.height > 1:
            state = self.shown.picture(region)
            if isinstance(state, Ready):
                self.weights.show_picture(state.value)

    # words

    def retranslate(self) -> None:
        texts = {
            "table": (self.tr("All"), self.tr("All matrices and vectors in a table")),
            "picture": (self.tr("Picture"), self.tr("The numbers of one of them in colours")),
            "product": (self.tr("Row × column"), self.tr("How one number comes out of a matrix")),
        }
        self.pages.set_choices(texts, self.tr("What is shown of the parameters"))
        self.table.setAccessibleName(self.tr("Parameters of the checkpoint"))
        self.weights.setAccessibleName(self.tr("Numbers of a parameter"))
        self.product.retranslate()
        self.table.retranslate()
        self.refresh()

    # the panel

    @property
    def is_waiting(self) -> bool:
        if not self.shown.traces:
            return False
        page = self.shown.choice.page
        if page == "table":
            return isinstance(self.shown.table, Coming)
        if page == "picture":
            is_there = self.weights.has_own_picture or isinstance(self.shown.matrix, Failed)
            return not is_there
        return isinstance(self.shown.table, Coming) or isinstance(self.shown.product, Coming)

    @property
    def caption(self) -> str:
        """What a saved picture says below its title."""
        entry = self.shown.entry if self.shown.traces else None
        return "" if entry is None or self.shown.choice.page == "table" else title(entry)

    def set_stale(self, is_stale: bool) -> None:
        super().set_stale(is_stale)
        self.weights.set_stale(is_stale)
        self.product.heat.set_stale(is_stale)
        self.table.setEnabled(not is_stale)

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()


def _show_sum(view: ParametersView) -> None:
    """Show the sum below a page, and which output it is of; while it is on its way nothing changes."""
    shown, page = view.shown, view.shown.choice.page
    is_coming = page != "table" and isinstance(shown.product, Coming)
    found = None if page == "table" else sum_of(shown)
    if not is_coming:
        view.sum.setVisible(found is not None)
        view.sum.setText(found or "")
    # Hidden at each step it would lose the focus, and the key that is held down.
    if page != "product" or not is_coming:
        view.product.output.setVisible(page == "product" and found is not None)
