"""`PickerButton`: shows what is chosen, and opens a menu of the other choices."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from bertviz_app.views.bars.columns_menu import ColumnsMenu
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look

_PAD = 12.0


class PickerButton(QPushButton):
    """A button that shows what is chosen, with a detail in secondary text, and opens a menu."""

    def __init__(self, look: Look, most: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._most = most
        self._chosen = ""
        self._detail = ""
        self._is_brief = False
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.choices = ColumnsMenu(look, self)
        self.setMenu(self.choices)
        look.changed.connect(self.updateGeometry)

    def set_texts(self, chosen: str, detail: str = "") -> None:
        if (chosen, detail) != (self._chosen, self._detail):
            self._chosen, self._detail = chosen, detail
            self.setAccessibleName(f"{chosen} {detail}")
            self.updateGeometry()
            self.update()

    def set_brief(self, is_brief: bool) -> None:
        """Hide the detail, or show it."""
        if is_brief != self._is_brief:
            self._is_brief = is_brief
            self.updateGeometry()
            self.update()

    @property
    def full_width(self) -> int:
        """The width with the detail, whether it is shown now or not."""
        return self._width(is_brief=False)

    def _width(self, *, is_brief: bool) -> int:
        names, details = (QFontMetricsF(font) for font in self._fonts())
        detail = 0 if is_brief else details.horizontalAdvance(self._detail)
        width = names.horizontalAdvance(self._chosen) + detail
        return min(round(width + 2 * _PAD + 34), self._look.pixels(self._most))

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(self._width(is_brief=self._is_brief), self._look.pixels(32))

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        names = QFontMetricsF(self._fonts()[0])
        return QSize(
            round(min(names.horizontalAdvance(self._chosen), self._look.pixels(180)) + 2 * _PAD + 26),
            self._look.pixels(32),
        )

    def _fonts(self) -> tuple[QFont, QFont]:
        return self._look.font(13), self._look.font(12)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        try:
            self._draw(painter)
        finally:
            painter.end()

    def _draw(self, painter: QPainter) -> None:
        room = QRectF(self.rect()).adjusted(_PAD, 0, -_PAD - 16, 0)
        middle = Qt.AlignmentFlag.AlignVCenter
        for text, font, colour in zip(
            (self._chosen, "" if self._is_brief else self._detail),
            self._fonts(),
            ("text", "secondary"),
            strict=True,
        ):
            painter.setFont(font)
            painter.setPen(self._look.colour(colour))
            metrics = QFontMetricsF(painter.font())
            elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0.0, room.width() + 1))
            if room.width() > 12:
                painter.drawText(room, Qt.AlignmentFlag.AlignLeft | middle, elided)
            room.setLeft(room.left() + metrics.horizontalAdvance(elided) + 8)
        arrow = QRectF(self.rect()).adjusted(0, 0, -_PAD, 0)
        painter.setFont(self._look.font(11))
        painter.drawText(arrow, Qt.AlignmentFlag.AlignRight | middle, "▾")
