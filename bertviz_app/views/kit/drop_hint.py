"""The hint that lies over the window while something is dragged over it, and the files that a page takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look

_MARGIN = 14.0


class DropHint(Canvas):
    """Says what dropping the dragged files here will do."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self.words = ""
        self.is_accepted = True
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_words(self, words: str, *, is_accepted: bool) -> None:
        """Cover the parent with these words, in the colour of errors where the drop would be refused."""
        parent = self.parentWidget()
        assert parent is not None
        self.words, self.is_accepted = words, is_accepted
        self.setGeometry(parent.rect())
        self.show()
        self.raise_()
        self.update()

    def draw(self, painter: QPainter) -> None:
        room = QRectF(self.rect())
        painter.fillRect(room, self.look.colour("window", 0.86))
        frame = QPen(self.look.colour("accent" if self.is_accepted else "error"), 3, Qt.PenStyle.DashLine)
        painter.setPen(frame)
        painter.drawRoundedRect(room.adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN), 9, 9)
        painter.setFont(self.look.font(20, bold=True))
        painter.setPen(self.look.colour("text" if self.is_accepted else "error"))
        inner = room.adjusted(4 * _MARGIN, 0, -4 * _MARGIN, 0)
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap), self.words)


class PageDrops(QObject):
    """Filters the drag events of a page: `dropped` carries the paths of the local files dropped on it.

    `describe` returns what would be done with them; where it returns "" the window handles the drag.
    """

    dropped = Signal(list)

    def __init__(self, look: Look, page: QWidget, describe: Callable[[list[Path]], str]) -> None:
        super().__init__(page)
        self._describe = describe
        self.hint = DropHint(look, page)
        page.setAcceptDrops(True)
        page.installEventFilter(self)

    @guarded(default=False)
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragEnterEvent):
            words = self._describe(_paths(event))
            if words:
                event.acceptProposedAction()
                self.hint.show_words(words, is_accepted=True)
            else:
                event.ignore()
        elif event.type() == QEvent.Type.DragLeave:
            self.hint.hide()
        elif event.type() == QEvent.Type.Drop and isinstance(event, QDropEvent):
            self.hint.hide()
            event.acceptProposedAction()
            self.dropped.emit(_paths(event))
        else:
            return False
        return True


def _paths(event: QDropEvent) -> list[Path]:
    """Return the local files and folders that are dragged."""
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
