"""Small widgets that several views have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QEvent, QLocale, QObject, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QDoubleValidator,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QDialog,
    QFrame,
    QLabel,
    QLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStyle,
    QStyleOptionButton,
    QTableView,
    QWidget,
)

from bertviz_app.views.kit.canvas import Canvas, Guarded
from bertviz_app.views.kit.look import Look, grid_of, grow_with_text, in_column, in_row, named, restyle
from bertviz_app.views.kit.words import trimmed


class CopyingTable(Guarded, QTableView):
    """Puts `copied()` on the clipboard when the keys for copying are pressed.

    `interventions`: what was done to the model, added as a last column to what is copied; "" for nothing.
    """

    interventions = ""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)  # Tab leaves the table, the arrows move in it
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)

    def copied(self) -> str:
        """Return what is to be copied, tab-separated."""
        raise NotImplementedError

    def set_stale(self, is_stale: bool) -> None:
        """Dim what it shows while it is out of date."""
        self.setEnabled(not is_stale)

    def event(self, event: QEvent) -> bool:
        """Take the keys before the window's shortcut does."""
        is_copy = isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Copy)
        if event.type() == QEvent.Type.ShortcutOverride and is_copy:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not event.matches(QKeySequence.StandardKey.Copy):
            super().keyPressEvent(event)
            return
        copied = self.copied()
        if self.interventions:
            # Not `splitlines`: a token may have one of the other characters in it that end a line there.
            names, *rows = copied.removesuffix("\n").split("\n")
            lines = [f"{names}\tinterventions", *(f"{row}\t{self.interventions}" for row in rows)]
            copied = "\n".join(lines) + "\n"
        QGuiApplication.clipboard().setText(copied)
        event.accept()


def empty(layout: QLayout) -> None:
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


def on_item_chosen(items: QListWidget, do: Callable[[Any], object]) -> None:
    """Call `do` with the data of an item of a list that is clicked, or that Enter is pressed on."""

    def choose(item: QListWidgetItem) -> None:
        do(item.data(Qt.ItemDataRole.UserRole))

    items.itemClicked.connect(choose)
    items.itemActivated.connect(choose)


def split(orientation: Qt.Orientation, gap: int, *parts: tuple[QWidget, int]) -> QSplitter:
    """Return parts with their shares of the room; dragging the `gap` between them changes these."""
    splitter = QSplitter(orientation, handleWidth=gap, childrenCollapsible=False)
    for at, (part, share) in enumerate(parts):
        splitter.addWidget(part)
        splitter.setStretchFactor(at, share)
    return splitter


def set_shown(widget: QWidget, is_shown: bool) -> None:
    """Show a widget or hide it. One that has no place yet appears with its place, not as a window."""
    if is_shown and widget.parentWidget() is None:
        widget.setAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide, False)
    else:
        widget.setVisible(is_shown)


def show_words(widget: QLabel | QAbstractButton, words: str) -> None:
    """Write words, and hide the widget where there are none."""
    widget.setText(words)
    widget.setVisible(bool(words))


def press_by_enter(_before: QWidget | None, now: QWidget | None) -> None:
    """Let Enter press `now`, which has just got the focus; Qt does so by itself only within a dialog.

    In a dialog that has a default button Enter presses that one.
    """
    if not isinstance(now, QPushButton) or now.autoDefault():
        return
    if not any(button.isDefault() for button in now.window().findChildren(QPushButton)):
        now.setAutoDefault(True)


class TitledDialog(QDialog):
    """A dialog that is deleted when it is closed."""

    def __init__(self, parent: QWidget, title: str) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)


def close_button(dialog: QDialog, words: str) -> QPushButton:
    """Return a button that closes a dialog which asks for nothing."""
    close = QPushButton(words)
    close.clicked.connect(dialog.accept)
    return close


def clear_menu(menu: QMenu) -> None:
    """Remove every item of a menu, and delete its submenus, which `QMenu.clear` does not."""
    for below in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        below.deleteLater()
    menu.clear()


def scrolled(content: QWidget) -> QScrollArea:
    """Return an area as wide as `content` that scrolls it vertically where it is too high."""
    area = QScrollArea(widgetResizable=True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # Tab goes to its buttons, and scrolls to each
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    # A plain viewport, which fills no background. To change the one that Qt has made takes `area.viewport()`:
    # PySide looks for its class among all classes of widgets, and loads each of them, 12 ms of the start.
    area.setViewport(named(QWidget(), "qt_scrollarea_viewport"))
    area.setWidget(named(content, "clear"))
    return area


class ComposingEdit(Guarded, QLineEdit):
    """A field that also reports the syllable that is being composed by an input method."""

    read = Signal(str)
    """Emitted with the whole text when that changes."""

    def __init__(self, placeholder: str = "") -> None:
        super().__init__(placeholderText=placeholder)
        self._composed = ""
        self.textChanged.connect(self._report)

    @property
    def whole_text(self) -> str:
        """The text, with what is being composed at the cursor."""
        text, cursor = self.text(), self.cursorPosition()
        return text[:cursor] + self._composed + text[cursor:]

    def write(self, text: str) -> None:
        """Show another text, and drop what is being composed: Qt does so without an event."""
        self._composed = ""
        self.setText(text)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        before, self._composed = self.text(), event.preeditString()
        super().inputMethodEvent(event)
        if self.text() == before:
            self._report()

    @Slot()
    def _report(self) -> None:
        self.read.emit(self.whole_text)


_SIGN, _STROKE = 14.0, 1.5  # the side of the square in which a sign is drawn, and the width of its strokes
Strokes = tuple[tuple[tuple[float, float], ...], ...]
SIGNS: Mapping[str, Strokes] = MappingProxyType(
    {
        "✕": (((3, 3), (11, 11)), ((11, 3), (3, 11))),
        "⋯": tuple(((x - 0.4, 7), (x + 0.4, 7)) for x in (2.5, 7, 11.5)),
        "❐": (((2, 5), (9, 5), (9, 12), (2, 12), (2, 5)), ((5, 5), (5, 2), (12, 2), (12, 9), (9, 9))),
        "☰": tuple(((1.5, y), (12.5, y)) for y in (3, 7, 11)),
        "⚙": (((1, 4), (13, 4)), ((1, 10), (13, 10)), ((9, 2), (9, 6)), ((5, 8), (5, 12))),
        "⇅": tuple(
            each
            for x, end, back in ((4, 2, 4.5), (10, 12, 9.5))
            for each in (((x, 14 - end), (x, end)), ((x - 2.5, back), (x, end), (x + 2.5, back)))
        ),
        "▾": (((4, 6), (7, 9), (10, 6)),),
    }
)
"""The strokes of each sign that a button has in the place of words."""


class SignButton(Guarded, QPushButton):
    """A button that draws its text in strokes where that is one of SIGNS: no font has all of them alike."""

    def paintEvent(self, event: QPaintEvent) -> None:
        strokes = SIGNS.get(self.text())
        if strokes is None:
            super().paintEvent(event)
            return
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = ""
        side = 1.05 * self.fontInfo().pixelSize()
        with QPainter(self) as painter:
            self.style().drawControl(QStyle.ControlElement.CE_PushButton, option, painter, self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(QRectF(self.rect()).center() - QPointF(side / 2, side / 2))
            painter.scale(side / _SIGN, side / _SIGN)
            role = QPalette.ColorRole.WindowText if self.underMouse() else QPalette.ColorRole.ButtonText
            round_ = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
            painter.setPen(QPen(self.palette().color(role), _STROKE, Qt.PenStyle.SolidLine, *round_))
            for stroke in strokes:
                painter.drawPolyline([QPointF(*point) for point in stroke])


class BigButton(QPushButton):
    """A button with a title and a sentence."""

    def __init__(self, title: str, words: str) -> None:
        super().__init__()
        named(self, "big", title=f"{title}. {words}")
        grow_with_text(self)
        labels = [
            named(QLabel(text, wordWrap=True, textFormat=Qt.TextFormat.PlainText), name)
            for text, name in ((title, "title"), (words, "secondary"))
        ]
        for label in labels:
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        in_column(*labels, 1, of=self, margins=(14, 10, 14, 10), spacing=3)


class NumberedSteps(QWidget):
    """Sentences one below the other, each beside its number."""

    def __init__(self, *sentences: str) -> None:
        super().__init__()
        grid = grid_of(self, margins=0, spacing=(12, 8))
        grid.setColumnStretch(1, 1)
        for row, sentence in enumerate(sentences):
            grid.addWidget(named(QLabel(str(row + 1)), "number"), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(QLabel(sentence, wordWrap=True, textFormat=Qt.TextFormat.PlainText), row, 1)


class NumberField(Guarded, QLineEdit):
    """Emits `changed` with a number, or None when emptied; the up and down keys change it by a step."""

    changed = Signal(object)

    def __init__(self, step: float = 0.05) -> None:
        super().__init__()
        named(self, "field")
        self._step = step
        self._top = 1.0
        self.value: float | None = None
        """The number in the field, or None if there is none."""
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._validator = QDoubleValidator(0.0, self._top, 4, self)
        self._validator.setNotation(QDoubleValidator.Notation.StandardNotation)
        locale = QLocale.c()
        locale.setNumberOptions(QLocale.NumberOption.RejectGroupSeparator)  # `float` reads no "1,000"
        self._validator.setLocale(locale)
        self.setValidator(self._validator)
        self.textEdited.connect(self._on_text_edited)

    def set_range(self, top: float) -> None:
        self._top = top
        self._validator.setTop(top)

    def show_value(self, value: float | None) -> None:
        """Show a number or None without emitting `changed`; what is being typed stays as it was typed."""
        if value != self.value or (value is None and self.text()):
            self.value = value
            self.setText("" if value is None else trimmed(value))

    @Slot(str)
    def _on_text_edited(self, text: str) -> None:
        if self.hasAcceptableInput() or not text:
            self._notify(float(text) if text else None)

    def _notify(self, value: float | None) -> None:
        if value != self.value:
            self.value = value
            self.changed.emit(value)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: self._step, Qt.Key.Key_Down: -self._step}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        value = min(max(0.0, (self.value or 0.0) + step), self._top)
        self.setText(trimmed(value))
        self._notify(round(value, 4))


class ProgressLine(Guarded, QWidget):
    """A line two pixels high: how much is done, or that something is going on."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._fraction: float | None = None
        self._phase = 0.0
        self._timer = QTimer(self, interval=33)
        self._timer.timeout.connect(self._move)
        self.setFixedHeight(2)

    def set_progress(self, is_busy: bool, fraction: float | None) -> None:
        """Show `fraction` from 0 to 1, a moving piece if it is not known, nothing when not busy."""
        self._fraction = fraction if is_busy else None
        if is_busy and fraction is None and not self._timer.isActive():
            self._timer.start()
        elif not is_busy or fraction is not None:
            self._timer.stop()
        self.update()

    @Slot()
    def _move(self) -> None:
        self._phase = (self._phase + 0.02) % 1.3
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            colour = self._look.colour("accent")
            if self._fraction is not None:
                painter.fillRect(QRectF(0, 0, self.width() * self._fraction, 2), colour)
            elif self._timer.isActive():
                painter.fillRect(QRectF((self._phase - 0.3) * self.width(), 0, self.width() * 0.3, 2), colour)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.update()


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


class PageDrops(Guarded, QObject):
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
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]


Action = tuple[str, Callable[[], None]]
"""The text of a button, and what it does."""


class NoticeArea(QWidget):
    """Has no height without a notice; with one what is below moves down, so that a notice covers nothing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = in_column(of=self, margins=(10, 6, 10, 4), spacing=6)
        self.hide()

    def add(self, notice: Notice) -> None:
        self._column.addWidget(notice)

    def refresh(self) -> None:
        self.setVisible(any(not notice.isHidden() for notice in self.findChildren(Notice)))


def notice_area(window: QWidget) -> NoticeArea:
    """Return the area of a window; a window without one gets it."""
    return window.findChild(NoticeArea) or NoticeArea(window)


class Notice(QFrame):
    """A line of a `NoticeArea`: it stays until it is closed, or what it is about is solved."""

    def __init__(self, area: NoticeArea) -> None:
        super().__init__()
        self._area = area
        self.setObjectName("notice")
        self._label = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self._buttons = [named(QPushButton(), "link") for _ in range(3)]
        for index, button in enumerate(self._buttons):
            button.clicked.connect(lambda _=False, index=index: self._on_action(index))
        self._close = named(SignButton("✕"), "plain", self.tr("Close the notice"))
        self._close.clicked.connect(self.dismiss)
        self._actions: tuple[Action, ...] = ()
        in_row((self._label, 1), *self._buttons, self._close, of=self, margins=(12, 6, 6, 6), spacing=12)
        self.setVisible(False)
        area.add(self)

    @property
    def message(self) -> str:
        return self._label.text()

    def show_message(
        self,
        message: str,
        action: Action | None = None,
        tone: str = "error",
        *,
        others: tuple[Action, ...] = (),
    ) -> None:
        """Show `message`, with a button (text, what it does) for each way out."""
        restyle(self, tone=tone)
        self._label.setText(message)
        self._actions = (() if action is None else (action,)) + others
        for index, button in enumerate(self._buttons):
            words = self._actions[index][0] if index < len(self._actions) else ""
            show_words(button, words)
            button.setEnabled(bool(words))  # what is hidden with a page can keep the focus
        self.setVisible(True)
        self._area.refresh()

    @Slot()
    def dismiss(self) -> None:
        self.setVisible(False)
        self._area.refresh()

    def _on_action(self, index: int) -> None:
        _, run = self._actions[index]
        self.dismiss()
        run()


_LEFT, _TOP, _GAP = 8, 4, 4  # of a row that wraps
_Line = list[tuple[QWidget, int, QSize]]


class WrappingRow(Guarded, QWidget):
    """A row whose height is fixed to that of its lines at its width.

    A widget that is understood in less than its own width, its `minimumSizeHint`, may get less in one line.
    """

    def __init__(self, widgets: tuple[QWidget, ...], *, is_centred: bool = False) -> None:
        super().__init__()
        self._widgets = widgets
        self._is_centred = is_centred
        for widget in widgets:
            widget.setParent(self)
            widget.installEventFilter(self)

    def height_for(self, width: int) -> int:
        return max((corner.y() + size.height() for _, corner, size in self._arranged(width)), default=0)

    def _arranged(self, width: int) -> Iterator[tuple[QWidget, QPoint, QSize]]:
        """Yield the corner and the size of each widget that is shown, in the middle of its line."""
        top, left, line = _TOP, _LEFT, _Line()
        shown = [widget for widget in self._widgets if not widget.isHidden()]
        needed = sum(widget.sizeHint().width() for widget in shown) + _GAP * (len(shown) - 1)
        lacking = needed - (width - 2 * _LEFT)
        spare = {each: each.sizeHint().width() - each.minimumSizeHint().width() for each in shown}
        # By how many pixels one that gives way is narrower, where all fit into one line then.
        gives_way = lacking if 0 < lacking <= max(spare.values(), default=0) else 0
        for widget in shown:
            size = widget.sizeHint().boundedTo(QSize(max(1, width - 2 * _LEFT), 1000))
            if gives_way and gives_way <= spare[widget]:
                size.setWidth(max(widget.minimumSizeHint().width(), size.width() - gives_way))
                gives_way = 0
            if line and left + size.width() > width - _LEFT:
                yield from self._placed(line, top, width)
                top += _height(line) + _GAP
                left, line = _LEFT, []
            line.append((widget, left, size))
            left += size.width() + _GAP
        yield from self._placed(line, top, width)

    def _placed(self, line: _Line, top: int, width: int) -> Iterator[tuple[QWidget, QPoint, QSize]]:
        """Yield the widgets of a line, from the left or in the middle of `width`."""
        free = width - _LEFT - max((left + size.width() for _, left, size in line), default=0)
        shift = max(0, free // 2) if self._is_centred else 0
        for widget, left, size in line:
            yield widget, QPoint(left + shift, top + (_height(line) - size.height()) // 2), size

    def _arrange(self) -> None:
        height = 0
        for widget, corner, size in self._arranged(self.width()):
            widget.setGeometry(corner.x(), corner.y(), size.width(), size.height())
            height = max(height, corner.y() + size.height())
        self.setFixedHeight(height)

    def sizeHint(self) -> QSize:
        return QSize(200, self.height_for(max(self.width(), 200)))

    def minimumSizeHint(self) -> QSize:
        return QSize(1, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrange the widgets anew when one is shown or hidden: Qt notifies only layouts of that."""
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self._arrange()
        return False

    def event(self, event: QEvent) -> bool:
        """Arrange the widgets anew when one needs another size."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._arrange()
        return super().event(event)


def _height(line: _Line) -> int:
    return max((size.height() for _, _, size in line), default=0)
