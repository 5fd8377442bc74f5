"""The buttons of the bars: the checkpoint's, the prompt's, the remarks'."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import zip_longest

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QMenu, QPushButton, QSizePolicy, QStyleOptionMenuItem, QWidget

from bertviz_app.analysis.attention.stamp import NUMBERS_KINDS, SPECIAL_TOKENS, WEIGHTS, Stamp
from bertviz_app.checkpoint.questions import Prompt
from bertviz_app.viewmodels.wording import kind_title, kind_words, special_title
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look, named, restyle
from bertviz_app.views.kit.widgets import Notice, notice_area
from bertviz_app.views.kit.words import add_choice, plain, without_mnemonic

_GAP, _RIGHT = 18, 24  # between two columns, and right of the last: the padding of an item in the style sheet
_BETWEEN = "  "


class ColumnsMenu(Guarded, QMenu):
    """A menu that draws some of its lines as rows of a table.

    The style draws the first cell of a row, beside the tick as in every menu. The other columns are drawn
    here, counted from the right edge: spaces in one text would not line up where fonts are hinted.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._cells: dict[QAction, tuple[str, ...]] = {}
        self._numbers: frozenset[int] = frozenset()
        self.aboutToShow.connect(self._fit)  # the size of the text may be another now

    def add_rows(self, rows: Sequence[tuple[str, ...]], numbers: Sequence[int]) -> list[QAction]:
        """Add a line for each of `rows`; the columns `numbers` are aligned at the right.

        Call it once after `clear`. The text of an action has all cells of its row, for screen readers.
        """
        self._numbers = frozenset(numbers)
        actions = [self.addAction(without_mnemonic(row[0])) for row in rows]
        self._cells = dict(zip(actions, rows, strict=True))
        self._fit()
        return actions

    def clear(self) -> None:
        self._cells = {}
        self.setMinimumWidth(0)
        super().clear()

    def cell_rects(self, action: QAction) -> list[QRectF]:
        """Return where the cells of a row after its first are drawn, the gap before each included."""
        line = QRectF(self.actionGeometry(action))
        widths = self._widths()
        left = line.right() - self._look.pixels(_RIGHT) - sum(widths)
        rects = []
        for width in widths:
            rects.append(QRectF(left, line.top(), width, line.height()))
            left += width
        return rects

    def initStyleOption(self, option: QStyleOptionMenuItem, action: QAction) -> None:
        super().initStyleOption(option, action)
        if (cells := self._cells.get(action)) is not None:
            option.text = without_mnemonic(cells[0])

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        align = Qt.AlignmentFlag
        with QPainter(self) as painter:
            for action, cells in self._cells.items():
                is_current = action is self.activeAction() and action.isEnabled()
                colour = "on_accent" if is_current else "text" if action.isEnabled() else "secondary"
                painter.setPen(self._look.colour(colour))
                after_first = zip(cells[1:], self.cell_rects(action), strict=False)
                for column, (cell, rect) in enumerate(after_first, 1):
                    room = rect.adjusted(self._look.pixels(_GAP), 0, 0, 0)
                    side = align.AlignRight if column in self._numbers else align.AlignLeft
                    painter.drawText(room, side | align.AlignVCenter, cell)

    def _fit(self) -> None:
        """Make the menu as wide as its first column, by the style, and the other columns need.

        Qt measures an action by its text, so while it measures, that is the first cell alone; of a row of one
        cell it is "", as that cell may reach into the other columns.
        """
        self.ensurePolished()
        self.setMinimumWidth(0)
        for action, row in self._cells.items():
            action.setText(without_mnemonic(row[0] if len(row) > 1 else ""))
        self.setMinimumWidth(max(0, round(self.sizeHint().width() + sum(self._widths()))))
        for action, row in self._cells.items():
            action.setText(without_mnemonic(_BETWEEN.join(filter(None, row))))

    def _widths(self) -> list[float]:
        """Return how wide each column after the first is, with the gap before it; 0 without a text."""
        measure = QFontMetricsF(self.font()).horizontalAdvance
        columns = list(zip_longest(*self._cells.values(), fillvalue=""))[1:]
        widest = [max(map(measure, column)) for column in columns]
        return [wide + 1 + self._look.pixels(_GAP) if wide else 0.0 for wide in widest]


_PAD = 12.0
_SIZES = 13, 12  # of what is chosen, and of the detail


class PickerButton(Guarded, QPushButton):
    """A button that shows what is chosen, with a detail in secondary text, and opens a menu."""

    def __init__(self, look: Look, most: int) -> None:
        super().__init__()
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
        if is_brief != self._is_brief:
            self._is_brief = is_brief
            self.updateGeometry()
            self.update()

    @property
    def full_width(self) -> int:
        """The width with the detail, whether it is shown now or not."""
        return self._width(is_brief=False)

    def _width(self, *, is_brief: bool) -> int:
        names, details = (QFontMetricsF(self._look.font(size)) for size in _SIZES)
        detail = 0 if is_brief else details.horizontalAdvance(self._detail)
        width = names.horizontalAdvance(self._chosen) + detail
        return min(round(width + 2 * _PAD + 34), self._look.pixels(self._most))

    def sizeHint(self) -> QSize:
        return QSize(self._width(is_brief=self._is_brief), self._look.pixels(32))

    def minimumSizeHint(self) -> QSize:
        names = QFontMetricsF(self._look.font(_SIZES[0]))
        return QSize(
            round(min(names.horizontalAdvance(self._chosen), self._look.pixels(180)) + 2 * _PAD + 26),
            self._look.pixels(32),
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        room, middle = QRectF(self.rect()).adjusted(_PAD, 0, -_PAD - 16, 0), Qt.AlignmentFlag.AlignVCenter
        texts = self._chosen, "" if self._is_brief else self._detail
        with QPainter(self) as painter:
            for text, size, colour in zip(texts, _SIZES, ("text", "secondary"), strict=True):
                painter.setFont(self._look.font(size))
                painter.setPen(self._look.colour(colour))
                metrics = QFontMetricsF(painter.font())
                elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0.0, room.width() + 1))
                if room.width() > 12:
                    painter.drawText(room, Qt.AlignmentFlag.AlignLeft | middle, elided)
                room.setLeft(room.left() + metrics.horizontalAdvance(elided) + 8)
            arrow = QRectF(self.rect()).adjusted(0, 0, -_PAD, 0)
            painter.setFont(self._look.font(11))
            painter.drawText(arrow, Qt.AlignmentFlag.AlignRight | middle, "▾")


_LONGEST = 60


class PromptButton(QPushButton):
    """Writes the chosen prompt before what is typed in `field`, and names the one that stands there.

    None is ever written unless it is chosen. Hidden where the checkpoint has none. While the field is empty
    the text is the inherited one, that of another run.
    """

    def __init__(self, field: QLineEdit) -> None:
        super().__init__()
        self._field = field
        self._prompts: tuple[Prompt, ...] = ()
        self._is_allowed = True
        self._inherited = ""
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setMenu(QMenu(self))
        self.menu().aboutToShow.connect(self._fill)
        self.hide()
        self.refresh()

    @property
    def written(self) -> Prompt | None:
        """The longest prompt that the text begins with, None if it begins with none."""
        found = [prompt for prompt in self._prompts if self._text.startswith(prompt.text)]
        return max(found, key=lambda prompt: len(prompt.text), default=None)

    @property
    def _text(self) -> str:
        return self._field.text() or self._inherited

    def set_prompts(self, prompts: Sequence[Prompt], inherited: str = "") -> None:
        """Offer these prompts; `inherited` is the text that is read while the field is empty."""
        if bool(prompts) != bool(self._prompts):  # without any there is none to be named
            changed = self._field.textChanged
            (changed.connect if prompts else changed.disconnect)(self.refresh)
        self._prompts, self._inherited = tuple(prompts), inherited
        self.setVisible(bool(prompts) and self._is_allowed)
        self.refresh()

    def allow(self, *, is_allowed: bool) -> None:
        """Be shown where the checkpoint has prompts, or never."""
        self._is_allowed = is_allowed
        self.setVisible(bool(self._prompts) and is_allowed)

    def write(self, prompt: Prompt | None) -> None:
        """Write a prompt before the text, in the place of the current one; None takes that away."""
        current = self.written
        if prompt == current:
            return
        text = self._text.removeprefix("" if current is None else current.text)
        self._field.setText(("" if prompt is None else prompt.text) + text)

    @Slot()
    def refresh(self) -> None:
        """Name the prompt that the sentence is written as, if it is."""
        current = self.written
        name = self.tr("Prompt") if current is None else self.tr("Prompt: {0}").format(current.name)
        self.setText(without_mnemonic(name))
        self.setAccessibleName(name)
        words = self.tr(
            "Texts that the checkpoint's authors put before a sentence; none is added unless you choose it"
        )
        self.setToolTip(words)

    @Slot()
    def _fill(self) -> None:
        menu, current = self.menu(), self.written
        menu.clear()
        menu.setToolTipsVisible(True)
        for prompt in (None, *self._prompts):
            name = self.tr("No prompt")
            if prompt is not None:
                brief = prompt.text if len(prompt.text) <= _LONGEST else f"{prompt.text[:_LONGEST]} …"
                name = without_mnemonic(f"{prompt.name}: {brief}")
            action = add_choice(menu, name, partial(self.write, prompt), is_chosen=prompt == current)
            action.setToolTip("" if prompt is None else plain(prompt.text))


_MOST = 260
_REMARK_PAD = 28


class RemarksButton(Guarded, QPushButton):
    """Shows the beginning of the first remark, or how many there are; hidden where there is none.

    A click shows all of them under the bars.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        named(self, "remarks")
        self._look = look
        self._remarks: tuple[str, ...] = ()
        self._is_allowed = True
        self._is_brief = self._is_quiet = False
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
        self.setVisible(bool(remarks) and self._is_allowed)

    def allow(self, *, is_allowed: bool) -> None:
        """Be shown where there is a remark, or never."""
        self._is_allowed = is_allowed
        self.setVisible(bool(self._remarks) and is_allowed)

    def set_brief(self, is_brief: bool) -> None:
        """Show the count of remarks only, or the first of them."""
        if is_brief != self._is_brief:
            self._is_brief = is_brief
            self._write()

    def set_quiet(self, is_quiet: bool) -> None:
        """Show the count of remarks alone, and in no colour that warns: for who sees one picture."""
        if is_quiet != self._is_quiet:
            self._is_quiet = is_quiet
            restyle(self, quiet=is_quiet)
            self._write()

    @property
    def full_width(self) -> int:
        """The width with the first remark, whether it is shown now or not."""
        metrics = self.fontMetrics()
        now, full = (metrics.horizontalAdvance(text) for text in (self.text(), self._first_remark()))
        return self.sizeHint().width() - now + full

    def _first_remark(self) -> str:
        """Return the beginning of the first remark, and how many more there are; where quiet, the count."""
        if self._is_quiet:
            return self._count
        others = f" +{len(self._remarks) - 1}" if len(self._remarks) > 1 else ""
        metrics = QFontMetricsF(self._look.font(12))
        room = self._look.pixels(_MOST - _REMARK_PAD) - metrics.horizontalAdvance(others)
        first = self._remarks[0] if self._remarks else ""
        return metrics.elidedText(first, Qt.TextElideMode.ElideRight, room) + others

    @property
    def _count(self) -> str:
        return self.tr("Remarks: {0}").format(len(self._remarks))

    def _write(self) -> None:
        all_of_them = "\n".join(self._remarks)
        count = self._count
        text = count if self._is_brief or not self._remarks else self._first_remark()
        self.setText(without_mnemonic(text))
        self.setAccessibleName(f"{count}. {all_of_them}" if self._remarks else "")
        self.setToolTip(plain(all_of_them))

    @Slot()
    def _on_clicked(self) -> None:
        if self._notice is None:
            self._notice = Notice(notice_area(self.window()))
        self._notice.show_message("\n".join(self._remarks), None, "warning")

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


class NumbersPicker(PickerButton):
    """Shows which numbers are chosen, and whether special tokens are; its menu chooses both."""

    kind_chosen = Signal(str)
    special_chosen = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__(look, 220)
        self._stamp = WEIGHTS
        self.menu().aboutToShow.connect(self._fill)

    def show_stamp(self, stamp: Stamp) -> None:
        self._stamp = stamp
        mark = "" if stamp.special_tokens == "shown" else " *"
        special = "" if stamp.special_tokens == "shown" else special_title(stamp.special_tokens)
        self.set_texts(kind_title(stamp.numbers) + mark, special)
        self.setAccessibleName(
            self.tr("Numbers shown: {0}; {1}").format(
                kind_words(stamp.numbers), special_title(stamp.special_tokens)
            )
        )
        tip = self.tr("Which numbers of attention all views show (Shift+W), and special tokens (Ctrl+H)")
        self.setToolTip(f"{tip}\n{kind_words(stamp.numbers)}\n{special_title(stamp.special_tokens)}")

    def _fill(self) -> None:
        menu, stamp = self.menu(), self._stamp
        menu.clear()
        for former in menu.findChildren(QActionGroup):
            former.deleteLater()  # `clear` deletes the actions alone
        menu.setToolTipsVisible(True)
        for titles, chosen, signal in (
            ({key: kind_words(key) for key in NUMBERS_KINDS}, stamp.numbers, self.kind_chosen),
            ({key: special_title(key) for key in SPECIAL_TOKENS}, stamp.special_tokens, self.special_chosen),
        ):
            menu.addSeparator()
            group = QActionGroup(menu)
            for key, words in titles.items():
                group.addAction(add_choice(menu, words, partial(signal.emit, key), is_chosen=key == chosen))
