"""`RemarksButton`: what is unusual about the checkpoint, in the bar beside its name."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.notice import Notice, notice_area
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import plain, without_mnemonic

_MOST = 260
_PAD = 28


class RemarksButton(QPushButton):
    """Shows the beginning of the first remark, or how many there are; hidden where there is none.

    A click shows all of them under the bars.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "remarks")
        self._look = look
        self._remarks: tuple[str, ...] = ()
        self._is_brief = False
        self._notice: Notice | None = None
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.hide()
        look.changed.connect(self._write)
        self.clicked.connect(self._on_clicked)

    def set_remarks(self, remarks: Sequence[str]) -> None:
        """Show these sentences, in the language in force."""
        if self._notice is not None and tuple(remarks) != self._remarks:
            self._notice.dismiss()
        self._remarks = tuple(remarks)
        self._write()
        self.setVisible(bool(remarks))

    def set_brief(self, is_brief: bool) -> None:
        """Show the count of remarks only, or the first of them."""
        if is_brief != self._is_brief:
            self._is_brief = is_brief
            self._write()

    @property
    def full_width(self) -> int:
        """The width with the first remark, whether it is shown now or not."""
        metrics = self.fontMetrics()
        now, full = (metrics.horizontalAdvance(text) for text in (self.text(), self._first_remark()))
        return self.sizeHint().width() - now + full

    def _first_remark(self) -> str:
        """Return the beginning of the first remark, and how many more there are."""
        others = f" +{len(self._remarks) - 1}" if len(self._remarks) > 1 else ""
        metrics = QFontMetricsF(self._look.font(12))
        room = self._look.pixels(_MOST - _PAD) - metrics.horizontalAdvance(others)
        first = self._remarks[0] if self._remarks else ""
        return metrics.elidedText(first, Qt.TextElideMode.ElideRight, room) + others

    def _write(self) -> None:
        all_of_them = "\n".join(self._remarks)
        count = self.tr("Remarks: {0}").format(len(self._remarks))
        text = count if self._is_brief or not self._remarks else self._first_remark()
        self.setText(without_mnemonic(text))
        self.setAccessibleName(f"{count}. {all_of_them}" if self._remarks else "")
        self.setToolTip(plain(all_of_them))

    @Slot()
    def _on_clicked(self) -> None:
        if self._notice is None:
            self._notice = Notice(notice_area(self.window()))
        self._notice.retranslate()
        self._notice.show_message("\n".join(self._remarks), None, "warning")

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()
