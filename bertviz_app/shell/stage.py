"""`Stage`: the window below its bar once there is a result: strip, overview, panels, inspector."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QSplitter, QVBoxLayout, QWidget

from bertviz_app.shell.desk import Desk
from bertviz_app.viewmodels.workspace import Shown
from bertviz_app.views.card import HEADER, Card, Segments
from bertviz_app.views.guard import guarded
from bertviz_app.views.heads_table import HeadsTable
from bertviz_app.views.inspector import InspectorView
from bertviz_app.views.look import Look
from bertviz_app.views.overview import OverviewView
from bertviz_app.views.panel_area import PanelArea
from bertviz_app.views.panel_views import PanelTools
from bertviz_app.views.style import named
from bertviz_app.views.token_strip import TokenStrip
from bertviz_app.views.vector_plot import VectorPlot

_GAP = 8
_STALE_AFTER_MS = 200


class Stage(QWidget):
    """Places the views and hands each its part of a result."""

    def __init__(self, desk: Desk, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ground")
        self._desk = desk
        self.strip = TokenStrip(look, desk.selection)
        self.overview = OverviewView(look, desk.panels)
        self.heads = HeadsTable(look, desk.panels)
        self.area = PanelArea(desk.panels, desk.pictures, PanelTools(look, desk.selection, desk.viewport))
        self.inspector = InspectorView(look, desk.selection, desk.panels)
        self.pooled = VectorPlot(look)
        self.overview_card = Card(self.tr("Overview"), scrolling(self.overview))
        self.heads_card = Card(self.tr("Heads"), self.heads)
        self.inspector_card = Card(self.tr("Inspector"), self.inspector)
        self.pooled_card = Card("", self.pooled)
        self.scales = Segments(
            [
                ("head", self.tr("Per head"), self.tr("Each head as bright as its own largest weight (S)")),
                ("alike", self.tr("Alike"), self.tr("All heads on one scale from 0 to 1 (S)")),
            ]
        )
        self.scales.choose("head")
        self.overview_card.add_switch(self.scales)
        self._stale_timer = QTimer(self, singleShot=True, interval=_STALE_AFTER_MS)
        self._stale_timer.timeout.connect(lambda: self._dim(True))
        self._place()
        self._connect()
        self.area.refresh()

    def _place(self) -> None:
        strip = named(QWidget(), "strip")
        strip.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(strip)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.strip)
        columns = Columns(
            Column(self.overview_card, self.heads_card, self._overview_height),
            self.area,
            Column(self.inspector_card, self.pooled_card, self._inspector_height),
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        inner = QVBoxLayout()
        inner.setContentsMargins(_GAP, _GAP, _GAP, _GAP)
        inner.addWidget(columns)
        column.addLayout(inner, 1)

    def _connect(self) -> None:
        panels = self._desk.panels
        for view in (self.overview, self.heads):
            view.head_chosen.connect(panels.show)
            view.head_added.connect(panels.add)
        self.scales.chosen.connect(lambda key: self.set_per_head(key == "head"))

    def _overview_height(self, width: int, height: int) -> int:
        wanted = HEADER + self.overview.heightForWidth(width - 2) + 6
        return min(wanted, round(height * 0.6))

    def _inspector_height(self, width: int, height: int) -> int:
        frame = HEADER + 5
        return frame + round(self.inspector.height_for(height * 0.68 - frame))

    def set_per_head(self, is_per_head: bool) -> None:
        """Scale the overview per head, or all heads alike."""
        self.scales.choose("head" if is_per_head else "alike")
        self.overview.set_per_head(is_per_head)

    @Slot()
    def show_result(self, shown: Shown) -> None:
        """Show a result in every view."""
        trace = shown.result.trace
        self.strip.show_tokens(trace.tokens)
        self.overview.show_overview(shown.overview)
        self.overview_card.qualifier.setText(self.tr("layers down, heads across"))
        self.heads.show_overview(shown.overview)
        self.heads_card.qualifier.setText(
            self.tr("{0} · a click shows one").format(self.heads.heads.rowCount())
        )
        self.inspector.show_trace(trace)
        show_vector(self.pooled_card, self.pooled, shown)
        for column in self.findChildren(Column):
            column.share()

    def set_stale(self, is_stale: bool) -> None:
        """Dim the views while they are not of what was asked for, if that lasts.

        Most texts are encoded within a few frames: dimming at once would flicker with each key.
        """
        if not is_stale:
            self._stale_timer.stop()
            self._dim(False)
        elif not self._stale_timer.isActive():
            self._stale_timer.start()

    def _dim(self, is_stale: bool) -> None:
        self.strip.set_stale(is_stale)
        self.area.set_stale(is_stale)


def show_vector(card: Card, plot: VectorPlot, shown: Shown) -> None:
    """Show the pooled vector; of a model without pooler the last hidden state of [CLS], and say so."""
    trace = shown.result.trace
    if trace.pooled is None:
        card.title.setText(card.tr("[CLS] hidden state"))
        card.qualifier.setText(card.tr("{0} · no pooler here").format(trace.width))
        plot.show_values(trace.hidden[-1, 0])
    else:
        card.title.setText(card.tr("[CLS] pooled"))
        card.qualifier.setText(card.tr("{0} dimensions").format(trace.width))
        plot.show_values(trace.pooled)


def scrolling(widget: QWidget) -> QScrollArea:
    """Return an area in which `widget` is as wide as there is room and scrolls if it is too high."""
    area = QScrollArea(widgetResizable=True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    widget.setObjectName("clear")
    area.setWidget(widget)
    area.viewport().setAutoFillBackground(False)
    return area


class Columns(QSplitter):
    """Three columns; the outer two get their share of the width until the user drags a gap."""

    def __init__(self, left: QWidget, middle: QWidget, right: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._is_dragged = False
        self.setHandleWidth(_GAP)
        self.setChildrenCollapsible(False)
        for widget in (left, middle, right):
            self.addWidget(widget)
        self.splitterMoved.connect(self._on_moved)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._is_dragged:
            left = min(max(330, round(self.width() * 0.25)), 440)
            right = min(max(250, round(self.width() * 0.19)), 340)
            self.setSizes([left, self.width() - left - right - 2 * _GAP, right])

    @Slot()
    def _on_moved(self) -> None:
        self._is_dragged = True


class Column(QSplitter):
    """One card above another; the upper one gets the height it wants until the user drags the gap."""

    def __init__(self, upper: QWidget, lower: QWidget, wanted: Callable[[int, int], int]) -> None:
        """`wanted(width, height)` is the height of the upper card in a column of that size."""
        super().__init__(Qt.Orientation.Vertical)
        self._wanted = wanted
        self._is_dragged = False
        self.setHandleWidth(_GAP)
        self.setChildrenCollapsible(False)
        self.addWidget(upper)
        self.addWidget(lower)
        self.splitterMoved.connect(self._on_moved)

    def share(self) -> None:
        """Give the upper card the height it wants."""
        if not self._is_dragged:
            upper = self._wanted(self.width(), self.height())
            self.setSizes([upper, max(1, self.height() - _GAP - upper)])

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.share()

    @Slot()
    def _on_moved(self) -> None:
        self._is_dragged = True
