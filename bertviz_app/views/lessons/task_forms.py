"""What a learner answers with: buttons to choose from, fields for numbers, items to put in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QRect, QSize, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.learning.lessons.tasks import ChoiceTask, NumbersTask, OrderTask, Task
from bertviz_app.learning.words import typed_number
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.style import grow_with_text, named, restyle
from bertviz_app.views.kit.words import language, write_prose

Answered = Callable[[object], None]
_INDEX = Qt.ItemDataRole.UserRole
_AROUND_ITEMS = 12
_BESIDE, _ABOVE_AND_BELOW = 1.6, 0.8
"""What an item has around its text, over the height of a line."""


def form_of(task: Task, answered: Answered) -> QWidget | None:
    """Return the form of a task, None for one that is answered in the window itself.

    `answered` is called with the number of an option, or with a tuple of numbers or places.
    """
    if isinstance(task, ChoiceTask):
        return ChoiceForm(task, answered)
    if isinstance(task, NumbersTask):
        return NumbersForm(task, answered)
    if isinstance(task, OrderTask):
        return OrderForm(task, answered)
    return None


class ChoiceForm(QWidget):
    """A button for each option."""

    def __init__(self, task: ChoiceTask, answered: Answered) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        self._answered = answered
        self.chosen = 0
        """The number of the option that was chosen last."""
        self.buttons = [WrappedButton(option.in_language(language())) for option in task.options]
        group = QButtonGroup(self, exclusive=False)  # in a group the arrow keys do not leave the options
        for index, button in enumerate(self.buttons):
            group.addButton(button)
            button.clicked.connect(lambda _=False, index=index: self._choose(index))
            column.addWidget(button)

    def show_verdict(self, is_right: bool) -> None:
        """Mark the option that was chosen last; those that were wrong before stay marked."""
        self.buttons[self.chosen].mark(is_right)

    def _choose(self, index: int) -> None:
        self.chosen = index
        self._answered(index)


class WrappedButton(QPushButton):
    """A button whose text takes several lines where one is too long."""

    def __init__(self, text: str) -> None:
        super().__init__()
        named(self, "option")
        grow_with_text(self)
        self.setAccessibleName(text)
        label = QLabel(wordWrap=True)
        write_prose(label, text)
        self._mark = named(QLabel(), "mark")
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 7, 10, 7)
        row.addWidget(label, 1)
        row.addWidget(self._mark)
        for each in (label, self._mark):
            each.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def mark(self, is_right: bool) -> None:
        self._mark.setText("✓" if is_right else "✕")
        self.setProperty("verdict", "right" if is_right else "wrong")
        restyle(self)
        restyle(self._mark)


class WholeField(QLineEdit):
    """A field in which a double click selects everything; Qt selects what is after the point of 0.25.

    B, which presenter remotes send, is no part of a number: it makes the screen black from here, too.
    """

    @guarded(default=False)
    def event(self, event: QEvent) -> bool:
        """Leave B to the window."""
        if (
            isinstance(event, QKeyEvent)
            and (event.type(), event.key()) == (QEvent.Type.ShortcutOverride, Qt.Key.Key_B)
            and not event.modifiers()
        ):
            event.ignore()
            return False
        return bool(super().event(event))

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select everything."""
        self.selectAll()


class NumbersForm(QWidget):
    """A field for each number; Enter or the button checks them."""

    def __init__(self, task: NumbersTask, answered: Answered) -> None:
        super().__init__()
        self._answered = answered
        self.fields = [named(WholeField(), "taskNumber") for _ in task.answers]
        self._problem = named(QLabel(wordWrap=True), "secondary")
        self._problem.hide()
        translate = QCoreApplication.translate
        check = QPushButton(translate("Lessons", "Check"))
        row = QHBoxLayout()
        row.setSpacing(6)
        for number, field in enumerate(self.fields, start=1):
            field.setAccessibleName(translate("Lessons", "Number {0}").format(number))
            field.setMaxLength(24)
            field.returnPressed.connect(self._check)
            row.addWidget(field, 1)
        row.addWidget(check)
        check.clicked.connect(self._check)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addWidget(self._problem)

    def show_wrong(self, wrong: Sequence[int]) -> None:
        """Mark the fields of the wrong numbers; focus and select the first, to be typed over."""
        for index, field in enumerate(self.fields):
            field.setProperty("wrong", index in wrong)
            restyle(field)
        if wrong:
            self.fields[wrong[0]].setFocus()
            self.fields[wrong[0]].selectAll()

    def _check(self) -> None:
        numbers = [number_in(field.text()) for field in self.fields]
        self._problem.setVisible(None in numbers)
        if None in numbers:
            words = QCoreApplication.translate("Lessons", "Type a number in each field, such as 0.25.")
            self._problem.setText(words)
            self.fields[numbers.index(None)].setFocus()
        else:
            self._answered(tuple(number for number in numbers if number is not None))


def number_in(text: str) -> float | None:
    """Return the number that was typed, with a decimal point or comma; None for anything else."""
    number = typed_number(text.strip().removesuffix("%"))
    if number is None or not -1e12 < number < 1e12:
        return None
    return number / 100 if text.strip().endswith("%") else number


class _Items(QListWidget):
    """A list as high as its items, whose lines depend on the width."""

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        heights = [self._height_of(self.item(row).text()) for row in range(self.count())]
        for row, height in enumerate(heights):
            self.item(row).setSizeHint(QSize(1, height))
        self.setFixedHeight(sum(heights) + _AROUND_ITEMS)

    def _height_of(self, text: str) -> int:
        """Return the height of an item: Qt wraps it at the whole width, and leaves out the padding."""
        metrics = self.fontMetrics()
        room = QRect(0, 0, self.viewport().width() - round(_BESIDE * metrics.height()), 10_000)
        wrapped = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap.value, text)
        return wrapped.height() + round(_ABOVE_AND_BELOW * metrics.height())


class OrderForm(QWidget):
    """A list whose items are moved by two buttons or dragged; a third one, or Enter, checks the order."""

    def __init__(self, task: OrderTask, answered: Answered) -> None:
        super().__init__()
        translate = QCoreApplication.translate
        self.list = _Items()
        self.list.setDragDropMode(QListWidget.DragDropMode.InternalMove)
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName(translate("Lessons", "Items to put in order"))
        for index in task.shuffled:
            item = QListWidgetItem(task.items[index].in_language(language()), self.list)
            item.setData(_INDEX, index)
        self.list.setCurrentRow(0)
        row = QHBoxLayout()
        for text, name, key, step in (
            ("↑ Alt+↑", translate("Lessons", "Move up (Alt+↑)"), "Alt+Up", -1),
            ("↓ Alt+↓", translate("Lessons", "Move down (Alt+↓)"), "Alt+Down", 1),
        ):
            button = QPushButton(text)
            button.setAccessibleName(name)
            button.setToolTip(name)
            button.clicked.connect(lambda _=False, step=step: self._move(step))
            keys = QShortcut(QKeySequence(key), self.list, context=Qt.ShortcutContext.WidgetShortcut)
            keys.activated.connect(lambda step=step: self._move(step))
            row.addWidget(button)
        row.addStretch(1)
        check = QPushButton(translate("Lessons", "Check"))
        check.clicked.connect(lambda: answered(self.order))
        for enter in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            keys = QShortcut(QKeySequence(enter), self.list, context=Qt.ShortcutContext.WidgetShortcut)
            keys.activated.connect(check.click)
        row.addWidget(check)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.list)
        column.addLayout(row)

    @property
    def order(self) -> tuple[int, ...]:
        """The indices of the items in the lesson's file, in the order in which they stand now."""
        return tuple(self.list.item(row).data(_INDEX) for row in range(self.list.count()))

    def _move(self, step: int) -> None:
        row = self.list.currentRow()
        to = row + step
        if 0 <= to < self.list.count():
            self.list.insertItem(to, self.list.takeItem(row))
            self.list.setCurrentRow(to)
