"""`Card`: the frame about each view: a header that says what it is, switches at its right, and a body."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QLabel, QMenu, QPushButton, QSizePolicy, QWidget

from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import in_column, in_row, named, restyle, styled
from bertviz_app.views.kit.subject import Exportable, ExportSubject
from bertviz_app.views.kit.terms import TermButton, explain_with, set_subject
from bertviz_app.views.kit.words import Item, MenuRequest, add_items

if TYPE_CHECKING:
    from bertviz_app.viewmodels.export import Runs


HEADER = 38
"""The height of a header at the normal text size; the style sheet sets it."""
_GAP, _TIGHT = 8, 2
_SIGN = 12
_MARGINS, _TIGHT_MARGINS = (12, 0, 8, 0), (5, 0, 2, 0)


class Segments(QWidget):
    """A row of joined buttons of which exactly one is down; where room is short, one button with a menu."""

    chosen = Signal(str)

    def __init__(self, choices: Sequence[tuple[str, str, str]]) -> None:
        """`choices`: (key, text, tooltip) from left to right."""
        super().__init__()
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QPushButton] = {}
        self._is_compact = self._is_brief = False
        self.sign_of: Callable[[str], QIcon] | None = None
        """What stands for a choice on the one button where its text is left out."""
        self._shown = frozenset(key for key, _, _ in choices)
        self._menu_button = named(QPushButton(), "segment")
        self._menu_button.setProperty("place", "only")
        self._menu_button.setMenu(QMenu(self._menu_button))
        self._menu_button.hide()
        row = in_row(self._menu_button, of=self, margins=0, spacing=0)
        for number, (key, text, tip) in enumerate(choices):
            button = named(QPushButton(text), "segment")
            button.setCheckable(True)
            button.setToolTip(tip)
            end = "first" if number == 0 else "last" if number == len(choices) - 1 else "middle"
            button.setProperty("place", end)
            button.clicked.connect(lambda _=False, key=key: self.chosen.emit(key))
            button.toggled.connect(self._on_toggled)
            self._group.addButton(button)
            self._buttons[key] = button
            row.addWidget(button)
            add_items(self._menu_button.menu(), [(text, partial(self.chosen.emit, key))])
        self._describe()

    @property
    def chosen_key(self) -> str:
        """The key of the button that is down; "" before one was chosen."""
        return next((key for key, button in self._buttons.items() if button.isChecked()), "")

    def choose(self, key: str) -> None:
        """Put one button down without emitting `chosen`."""
        self._buttons[key].setChecked(True)

    def choose_none(self) -> None:
        """Let no button be down, as before one was chosen."""
        self._group.setExclusive(False)
        for button in self._buttons.values():
            button.setChecked(False)
        self._group.setExclusive(True)

    def take_cursor(self) -> None:
        """Give the keyboard focus to the button that is down, else to the first."""
        buttons = list(self._buttons.values())
        next((button for button in buttons if button.isChecked()), buttons[0]).setFocus()

    def set_texts(self, texts: dict[str, tuple[str, str]]) -> None:
        """Change the buttons' texts and tool tips."""
        for key, (text, tip) in texts.items():
            self._buttons[key].setText(text)
            self._buttons[key].setToolTip(tip)
        self._describe()

    def offer(self, key: str, *, is_offered: bool) -> None:
        button = self._buttons[key]
        if button.isEnabledTo(self) != is_offered:
            button.setEnabled(is_offered)
            self._describe()

    def show_choices(self, keys: Sequence[str]) -> None:
        """Show the buttons of these choices; where it is one alone, show none."""
        if self._shown == frozenset(keys):
            return
        self._shown = frozenset(keys)
        shown = [button for key, button in self._buttons.items() if key in self._shown]
        for button in shown:
            place = "first" if button is shown[0] else "last" if button is shown[-1] else "middle"
            restyle(button, place=place)
        self._show_buttons()
        self._describe()

    @property
    def full_width(self) -> int:
        """The width of all buttons beside each other, whether they are shown now or not."""
        return sum(button.sizeHint().width() for key, button in self._buttons.items() if key in self._shown)

    def set_compact(self, is_compact: bool) -> None:
        """Show one button with a menu instead of all buttons, or all of them."""
        if is_compact != self._is_compact:
            self._is_compact = is_compact
            self._show_buttons()

    def set_brief(self, is_brief: bool) -> None:
        """Show a sign or a letter on the one button with a menu, whose tooltip has the text, or write it all.

        The sign is drawn anew, in the colours of the theme.
        """
        if is_brief or is_brief != self._is_brief:
            self._is_brief = is_brief
            self._describe()

    def _show_buttons(self) -> None:
        is_choice = len(self._shown) > 1
        self._menu_button.setVisible(self._is_compact and is_choice)
        for key, button in self._buttons.items():
            button.setVisible(not self._is_compact and is_choice and key in self._shown)
        self.updateGeometry()  # at once: what stands beside it is not first laid out for its former width

    @Slot(bool)
    def _on_toggled(self, is_down: bool) -> None:
        if is_down:
            self._describe()

    def _describe(self) -> None:
        """Give the button with the menu the texts and states of the row of buttons."""
        actions = self._menu_button.menu().actions()
        for action, (key, button) in zip(actions, self._buttons.items(), strict=False):
            action.setVisible(key in self._shown)
            action.setText(button.text())
            action.setToolTip(button.toolTip())
            action.setEnabled(button.isEnabledTo(self))
            if button.isChecked():
                has_sign = self._is_brief and self.sign_of is not None
                self._menu_button.setIcon(self.sign_of(key) if self.sign_of and has_sign else QIcon())
                self._menu_button.setIconSize(QSize(_SIGN, _SIGN))
                restyle(self._menu_button, place="sign" if has_sign else "only")
                # Qt gives a button without any text the width of four letters, unless it has an icon.
                brief = "" if has_sign else button.text()[:1]
                self._menu_button.setText(brief if self._is_brief else button.text())
                self._menu_button.setToolTip(button.toolTip())
                self._menu_button.setAccessibleName(button.text())


class SegmentedChoice(Guarded, Segments):
    """One of several things is chosen, each with (text, tooltip); never wider than there is room."""

    def __init__(self, texts: Mapping[str, tuple[str, str]], name: str) -> None:
        super().__init__([(key, *words) for key, words in texts.items()])
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.chosen.connect(self.choose)  # the menu's actions put no button down by themselves
        self.choose(next(iter(texts)))

    def sizeHint(self) -> QSize:
        return QSize(self.full_width, max(button.sizeHint().height() for button in self._buttons.values()))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._menu_button.sizeHint().width(), self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        # All but a few pixels: the buttons share their borders.
        self.set_compact(self.width() < self.sizeHint().width() - len(self._buttons))


class Header(Guarded, QWidget):
    """The header of a card; it has the height that the style sheet sets, also as the title bar of a dock.

    Emits `changed` when its width or its contents change.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        styled(self, "header")

    def event(self, event: QEvent) -> bool:
        is_handled = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self.changed.emit()
        return is_handled

    def sizeHint(self) -> QSize:
        return super().sizeHint().expandedTo(self.minimumSize())

    def minimumSizeHint(self) -> QSize:
        """Return hardly any width: the header shortens its contents, and a dock must be able to be narrow."""
        return QSize(1, max(super().minimumSizeHint().height(), self.minimumHeight()))


class Elided(Guarded, QLabel):
    """A label of one line that is shortened where there is no room for all of it.

    First by `brief`, the same in fewer words, where it has that; then it ends in an ellipsis.
    """

    brief: str = ""

    @property
    def drawn_text(self) -> str:
        """What is drawn in the room that there is."""
        room, metrics = self.contentsRect().width(), self.fontMetrics()
        text = self.brief if self.brief and metrics.horizontalAdvance(self.text()) > room else self.text()
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            flags = int(self.alignment() | Qt.TextFlag.TextSingleLine)
            room, role = self.contentsRect(), self.foregroundRole()
            self.style().drawItemText(painter, room, flags, self.palette(), True, self.drawn_text, role)


class Qualifier(Elided):
    """A label that is shown whole, as its shorter text `brief`, or not at all, as there is room."""

    @property
    def drawn_text(self) -> str:
        metrics, room = self.fontMetrics(), self.width()
        texts = (text for text in (self.text(), self.brief) if metrics.horizontalAdvance(text) <= room)
        return next(texts, "")


class Card(Guarded, QFrame):
    """A rounded card with a header and one widget below it.

    `drawing`: what is exported of it, if that is `Exportable`; the body unless another part is chosen.
    `has_python`: lines of Python compute what it shows.
    """

    has_python = True

    def __init__(self, title: str, body: QWidget, qualifier: str = "") -> None:
        super().__init__()
        self.setObjectName("card")
        self.body = self.drawing = body
        self.title = named(Elided(title, textFormat=Qt.TextFormat.PlainText), "title")
        self.qualifier = named(Qualifier(qualifier), "qualifier")
        self.savers: list[Item] = []
        """What saves the card: it is also in the menus of the plots in it."""
        self._n_corners = 0
        self._term: TermButton | None = None
        self._header = Header()
        self._title_row = in_row(self.title, spacing=1)
        self._switches = in_row(
            self._title_row, (self.qualifier, 1), of=self._header, margins=_MARGINS, spacing=_GAP
        )
        self.column = in_column(self._header, (body, 1), of=self, margins=1, spacing=0)

    @property
    def is_exported(self) -> bool:
        """Whether what the card shows can be saved, once it shows anything."""
        return isinstance(self.drawing, Exportable)

    def subject(self, runs: Runs | None) -> ExportSubject | None:
        """Return what is exported of the card while `runs` are on screen; None while it shows nothing."""
        drawing = self.drawing
        if runs is None or not isinstance(drawing, Exportable):
            return None
        return drawing.subject(self.title.text(), runs)

    def explain_with(self, term: str) -> None:
        """Explain a term of the glossary by F1, and by a small "i" button beside the title."""
        explain_with(self.title, term)
        set_subject(self, term)
        self._term = TermButton(term)
        self._switches.insertWidget(1, self._term)

    def set_tight(self, is_tight: bool) -> None:
        """Leave smaller gaps between the parts of the header, or the usual ones."""
        self._switches.setSpacing(_TIGHT if is_tight else _GAP)
        self._switches.setContentsMargins(*(_TIGHT_MARGINS if is_tight else _MARGINS))

    @property
    def is_overfull(self) -> bool:
        """Whether the title and all that is shown beside it are wider than the card."""
        margins = self._switches.contentsMargins()
        return self._width_needed(margins.left() + margins.right(), self._switches.spacing()) > self.width()

    def _width_needed(self, margins: int, gap: int) -> int:
        """Return how wide the title and all that is shown beside it are."""
        width = margins + gap + 4
        width += self.title.fontMetrics().horizontalAdvance(self.title.text())
        for row in (self._switches, self._title_row):
            items = [row.itemAt(index) for index in range(row.count())]
            for widget in [item.widget() for item in items if item is not None]:
                if widget not in (None, self.title, self.qualifier) and widget.isVisibleTo(self._header):
                    width += widget.sizeHint().width() + (gap if row is self._switches else row.spacing())
        return width

    def _fit_header(self) -> None:
        """Where the title would be cut, use smaller gaps, then hide the button that explains the term.

        F1 on the title opens the same entry.
        """
        room, (left, _, right, _) = self._header.width(), _MARGINS
        tight_left, _, tight_right, _ = _TIGHT_MARGINS
        button = 0 if self._term is None else self._term.sizeHint().width()
        is_shown = self._term is not None and self._term.isVisibleTo(self._header)
        usual = self._width_needed(left + right, _GAP) + (0 if is_shown else button + _GAP)
        tight = self._width_needed(tight_left + tight_right, _TIGHT) + (0 if is_shown else button + _TIGHT)
        if self._term is not None and is_shown != (tight <= room):
            self._term.setVisible(tight <= room)
        if (self._switches.spacing() == _TIGHT) != (usual > room):
            self.set_tight(usual > room)

    def add_switch(self, widget: QWidget) -> None:
        """Put a switch at the right end of the header."""
        self._switches.insertWidget(self._switches.count() - self._n_corners, widget)

    def add_beside_title(self, widget: QWidget) -> None:
        """Put a button directly behind the title."""
        self._title_row.addWidget(widget)

    def add_corner(self, widget: QWidget) -> None:
        """Put a button right of all switches, where windows have theirs."""
        self._switches.addWidget(widget)
        self._n_corners += 1

    def take_header(self) -> QWidget:
        """Return the header, for the card to be moved by; it is drawn as a part of the card as before."""
        for part in (self, self._header):
            part.setProperty("docked", True)
        self.column.removeWidget(self._header)
        self.column.setContentsMargins(1, 0, 1, 1)
        self._header.changed.connect(self._fit_header)
        return self._header

    def customEvent(self, event: QEvent) -> None:
        """Offer what saves the card."""
        if isinstance(event, MenuRequest):
            event.savers += self.savers

    def set_active(self, is_active: bool) -> None:
        restyle(self, active=is_active)
