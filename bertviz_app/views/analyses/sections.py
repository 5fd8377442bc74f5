"""`SectionsView`: the parts of one number as bars under titles: a weight, a logit, a prediction by layer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont, QFontMetricsF, QMouseEvent, QPainter
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout

from bertviz_app.text.edits import MASKS
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.analyses.sections import Section, SectionRow, sections_of
from bertviz_app.viewmodels.panel_choices import ATTENTION, Content
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.views.analyses.section_words import explanation, row_label, title
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed, signed
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.style import named

_MARGIN, _LABEL, _NUMBER, _GAP = 14.0, 150.0, 74.0, 8.0
_WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft


class SectionsView(PanelView):
    """Draws a result that has sections; a prediction by layer is of the token that is selected."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.bars = SectionBars(tools.look)
        self._selection = tools.selection
        self._content: Content = ATTENTION
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(named(self.bars, "clear"))
        area.viewport().setAutoFillBackground(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(area)
        self.bars.piece_clicked.connect(self._on_piece_clicked)
        tools.selection.changed.connect(self._show)

    def show_panel(self, panel: Panel) -> None:
        """Note what the panel shows, for a click that changes it."""
        self._content = panel.content

    def show_result(self, analysed: Analysed) -> None:
        """Show another result."""
        super().show_result(analysed)
        self._show()

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self._show()

    def set_stale(self, is_stale: bool) -> None:
        """Dim the bars while they are out of date."""
        super().set_stale(is_stale)
        self.bars.set_stale(is_stale)

    @property
    def position(self) -> int:
        """The token of a prediction by layer: the selected one, else the first masked, else the first."""
        assert self.analysed is not None
        tokens = self.analysed.traces[0].tokens
        shown = self._selection.shown.within(len(tokens))
        pointed = shown.query if shown.query is not None else shown.key
        if pointed is not None:
            return pointed
        masked = [at for at, piece in enumerate(tokens.pieces) if piece in MASKS]
        return masked[0] if masked else min(1, len(tokens) - 1)

    @Slot()
    def _show(self) -> None:
        if self.analysed is not None:
            self.bars.show_sections(sections_of(self.analysed.result, self.position))

    @Slot(str)
    def _on_piece_clicked(self, piece: str) -> None:
        """Follow a piece through the layers."""
        others = tuple(one for one in self._content.parameters if one[0] != "piece")
        self.choice_made.emit(replace(self._content, parameters=(*others, ("piece", piece))))


class SectionBars(Canvas):
    """Titles, explanations, and a bar for each row; `piece_clicked` of a row that a click follows."""

    piece_clicked = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.sections: tuple[Section, ...] = ()
        self._rows: list[tuple[QRectF, SectionRow]] = []
        self.setMinimumWidth(200)

    def show_sections(self, sections: tuple[Section, ...]) -> None:
        """Show other sections."""
        if sections == self.sections:
            return
        self.sections = sections
        lines = [
            f"{row_label(section, row)} {self._number(section, row)}"
            for section in sections
            for row in section.rows
        ]
        self.setAccessibleDescription(", ".join(lines))
        self._fit()
        self.update()

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(300, round(self._laid_out(None)))

    def _fit(self) -> None:
        self.setMinimumHeight(round(self._laid_out(None)))
        self.updateGeometry()

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        self._laid_out(painter)

    def _number(self, section: Section, row: SectionRow) -> str:
        is_share = section.is_of_shares
        number = fixed(row.value) if is_share else signed(row.value, 4)
        if row.note == "below":
            return self.tr("below the listed")
        return f"{row.note}  {number}" if row.note else number

    def _laid_out(self, painter: QPainter | None) -> float:
        """Return the height; draw on the way where there is a painter."""
        look, line, top = self.look, self.look.pixels(20), 8.0
        width = max(120.0, self.width() - 2 * _MARGIN)
        self._rows = []
        for section in self.sections:
            top = self._text(painter, title(section), top, width, is_title=True)
            words = explanation(section)
            top = self._text(painter, words, top, width, is_title=False) if words else top
            for row in section.rows:
                height = self._label_height(section, row, width)
                box = QRectF(_MARGIN, top, width, line if height <= line else height + look.pixels(6))
                self._rows.append((box, row))
                if painter is not None:
                    self._draw_row(painter, section, row, box)
                top = box.bottom()
            top += 0.6 * line
        return top + look.pixels(6)

    def _text(
        self, painter: QPainter | None, words: str, top: float, width: float, *, is_title: bool
    ) -> float:
        font = self.look.font(13 if is_title else 12, bold=is_title)
        room = QFontMetricsF(font).boundingRect(QRectF(0, 0, width, 2000), _WRAPPED, words)
        if painter is not None:
            painter.setFont(font)
            painter.setPen(self.look.colour("text" if is_title else "secondary"))
            painter.drawText(QRectF(_MARGIN, top, width, room.height()), _WRAPPED, words)
        return top + room.height() + 3

    def _label_width(self, width: float) -> float:
        return min(self.look.pixels(_LABEL), 0.42 * width)

    def _label_font(self, row: SectionRow) -> QFont:
        return self.look.font(13, bold=row.is_marked)

    def _label_height(self, section: Section, row: SectionRow, width: float) -> float:
        """Return how high a label of several words is that needs more than one line."""
        room = QRectF(0, 0, self._label_width(width) - _GAP, 2000)
        words = row_label(section, row)
        return QFontMetricsF(self._label_font(row)).boundingRect(room, _WRAPPED, words).height()

    def _draw_row(self, painter: QPainter, section: Section, row: SectionRow, box: QRectF) -> None:
        look = self.look
        label = self._label_width(box.width())
        number = self._number(section, row)
        room_of_number = max(
            look.pixels(_NUMBER), QFontMetricsF(look.number_font(12)).horizontalAdvance(number) + 6
        )
        bars = QRectF(
            box.left() + label,
            box.center().y() - look.pixels(20) / 2 + 3,
            max(8.0, box.width() - label - room_of_number),
            look.pixels(20) - 6,
        )
        top = max(section.top, 1e-30)
        share = min(1.0, abs(row.value) / top) if np.isfinite(row.value) else 0.0
        painter.setPen(Qt.PenStyle.NoPen)
        if section.is_of_shares:
            bar = QRectF(bars.left(), bars.top(), max(1.0, share * bars.width()), bars.height())
        else:
            half = bars.width() / 2
            left = bars.center().x() - (share * half if row.value < 0 else 0)
            bar = QRectF(left, bars.top(), max(1.0, share * half), bars.height())
        painter.setBrush(
            look.colour("sentence_b" if row.value < 0 else "accent", 0.75 if row.is_marked else 0.4)
        )
        painter.drawRect(bar)
        painter.setFont(self._label_font(row))
        painter.setPen(look.colour("accent" if row.piece else "text"))
        room = QRectF(box.left(), box.top(), label - _GAP, box.height())
        words, metrics = row_label(section, row), QFontMetricsF(painter.font())
        if " " not in words:  # a piece, or a position, has no place for a new line
            words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room.width())
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(room, middle | _WRAPPED, words)
        painter.setFont(look.number_font(12))
        painter.setPen(look.colour("text"))
        painter.drawText(box, middle | Qt.AlignmentFlag.AlignRight, number)

    def row_at(self, at: QPointF) -> SectionRow | None:
        """Return the row at a point."""
        return next((row for box, row in self._rows if box.contains(at)), None)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position())
        if row is not None and row.piece and event.button() == Qt.MouseButton.LeftButton:
            self.piece_clicked.emit(row.piece)

    @guarded
    def resizeEvent(self, event: object) -> None:
        self._fit()

    def _on_look_changed(self) -> None:
        self._fit()
        super()._on_look_changed()
