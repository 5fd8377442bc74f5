"""`WhyNote`: why there is the stage of a stop, unfolded below its sentence."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QWidget

from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named

_SHARE = 0.4
_LEAST = 64.0
_LAST_LINE = 26.0
_REST = 370.0  # for what stands above, and some rows of the picture


class WhyNote(QScrollArea):
    """A text as high as it needs to be, up to a part of the panel's height; what is longer scrolls."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.text = named(QLabel(), "why")
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setWidget(self.text)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_reason(self, text: str, example: str) -> None:
        """Show a reason, and below it an example in the numbers of the text on screen."""
        more = f"<p style='margin-top:4px'><i>{escape(example)}</i></p>" if example else ""
        self.text.setText(f"<p style='margin:0'>{escape(text)}</p>{more}")
        self.setAccessibleName(text)
        self.setAccessibleDescription(example)
        self.updateGeometry()

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        parent = self.parentWidget()
        width = self.width() if parent is None else parent.width()
        room = parent.height() if parent is not None else 400
        needed = self.text.heightForWidth(max(1, width - 2)) + 2
        most = max(self._look.pixels(_LEAST), min(round(_SHARE * room), room - self._look.pixels(_REST)))
        # A last line that is cut in half looks like a defect, and hides the example.
        is_nearly_whole = needed <= most + self._look.pixels(_LAST_LINE)
        return QSize(200, needed if is_nearly_whole else most)

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        return QSize(100, self.sizeHint().height())
