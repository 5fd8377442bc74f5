"""Words and numbers as they are written on screen, and context menus."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from html import escape

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QTextCharFormat, QTextDocument
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QWidget

from bertviz_app.analysis.picture import Quantity
from bertviz_app.typeset import (
    MINUS,
    cell_change,
    cell_difference,
    cell_measure,
    cell_number,
    cell_weight,
    exact,
    fixed,
    general,
    magnitude,
    probability,
    signed,
    trimmed,
)
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import ROOT_FAMILIES

__all__ = [  # how numbers are written: views import it from here
    "MINUS",
    "cell_change",
    "cell_difference",
    "cell_measure",
    "cell_number",
    "cell_weight",
    "exact",
    "fixed",
    "general",
    "magnitude",
    "probability",
    "signed",
    "trimmed",
]


class Translated(str):
    """A translated text that remembers the English one: people search for both."""

    __slots__ = ("english",)

    english: str

    def __new__(cls, text: str, english: str) -> Translated:
        """Take a text and what it is in English."""
        translated = super().__new__(cls, text)
        translated.english = english
        return translated

    def format(self, *arguments: object, **fields: object) -> Translated:
        """Fill both texts, each with what fills it in its own language."""
        english = [_english(value) for value in arguments]
        in_english = self.english.format(*english, **{key: _english(fields[key]) for key in fields})
        return Translated(super().format(*arguments, **fields), in_english)


def _english(value: object) -> object:
    return value.english if isinstance(value, Translated) else value


def translate(context: str, text: str) -> Translated:
    """Return `text` in the language in force, as Qt does, with the English text beside it."""
    return Translated(QCoreApplication.translate(context, text), text)


def in_both(message: str) -> Translated:
    """Return a message of the layers below in the language in force, with the English text beside it."""
    return Translated(translated(message), message)


def language() -> str:
    """Return the language in force, "en" or "ko": each translation has its own code for this text."""
    return QCoreApplication.translate("Language", "en")


def plain(text: str) -> str:
    """Return `text` for a tool tip, which would take the <s> of a vocabulary for a tag."""
    return wrapped(text) if "<" in text or "&lt;" in text else text


def wrapped(text: str) -> str:
    """Return `text` for a tool tip whose lines Qt breaks: it does so in rich text only."""
    return f"<qt>{escape(text)}</qt>".replace("\n", "<br>") if text else ""


def without_mnemonic(text: str) -> str:
    """Return `text` for a button or a menu, which would take the letter after a "&" for a mnemonic."""
    return text.replace("&", "&&")


_INDEX = re.compile(r"(?<![A-Za-z0-9_])([A-Za-z])_([A-Za-z0-9])(?![A-Za-z0-9_])")
_POWER = re.compile(r"\^([-−]?\d+(?:\.\d+)?|[A-Za-z])")
_VECTOR = re.compile(r"\[[^\[\]]*\]")
_PRODUCT = re.compile(r"(?<![\w.])([\d.,]+\w?|\w{1,2}) × (?=([\d.,]+\w?|\w{1,2})\b)")
_EQUATION = re.compile(r"(?<![A-Za-z])([A-Za-zβγμσ]) = (?=[\d\[−])")
_ROOT = f'<span style="font-family: {", ".join(map(repr, ROOT_FAMILIES))}">√</span>'


def write_prose(label: QLabel, text: str, *, line_height: int = 0) -> None:
    """Show a text: the Q of W_Q lowered, the 2 of e^2 raised, and d = 32, d × 4d or [1, 2] on one line.

    The root sign is that of a Latin font: those of Korean ones have a bar that floats before the number.

    `line_height`: in percent, 0 for the usual one.
    """
    if not line_height and "√" not in text and _INDEX.search(text) is None and _POWER.search(text) is None:
        label.setTextFormat(Qt.TextFormat.PlainText)
        QLabel.setText(label, _unbroken(text))  # not `setText` of a label that writes by this function
        return
    written = prose_html(text)
    label.setTextFormat(Qt.TextFormat.RichText)
    QLabel.setText(label, f'<p style="line-height: {line_height}%">{written}</p>' if line_height else written)


def write_roots(document: QTextDocument) -> None:
    """Give the root signs of a document the font that `write_prose` gives them."""
    form, found = QTextCharFormat(), document.find("√")
    form.setFontFamilies(ROOT_FAMILIES)
    while not found.isNull():
        found.mergeCharFormat(form)
        found = document.find("√", found)


def prose_html(text: str) -> str:
    """Return the HTML of a text as `write_prose` shows it."""
    written = _INDEX.sub(r"\1<sub>\2</sub>", escape(_unbroken(text), quote=False))
    return _POWER.sub(r"<sup>\1</sup>", written).replace("\n", "<br>").replace("√", _ROOT)


def _unbroken(text: str) -> str:
    text = _EQUATION.sub("\\1\xa0=\xa0", text)
    text = _PRODUCT.sub("\\1\xa0×\xa0", text)
    return _VECTOR.sub(lambda vector: vector[0].replace(" ", "\xa0"), text)


def quantity_words(quantity: Quantity) -> str:
    """Return what numbers are called where they are read out; a unit without words of its own as it is."""
    translate = QCoreApplication.translate
    words = {
        "weight": translate("Quantities", "weight"),
        "norm": translate("Quantities", "length"),
        "share": translate("Quantities", "share of the norms"),
        "bits": translate("Quantities", "bits"),
        "tokens": translate("Quantities", "tokens"),
        "": translate("Quantities", "value"),
    }
    return words.get(quantity.unit, quantity.unit)


Item = tuple[str, Callable[[], object] | None]
"""A text and its action, None for a disabled item; the text "" is a line between items."""


CHOSEN = "\N{CHECK MARK} "
"""The prefix of the text of the item that is in force."""


def add_items(menu: QMenu, items: Iterable[Item]) -> None:
    for text, run in items:
        if not text:
            menu.addSeparator()
            continue
        action = menu.addAction(without_mnemonic(text.removeprefix(CHOSEN)))
        action.setCheckable(text.startswith(CHOSEN))
        action.setChecked(action.isCheckable())
        if run is None:
            action.setEnabled(False)
        else:
            action.triggered.connect(lambda _=False, run=run: run())


def add_choice(
    menu: QMenu, text: str, run: Callable[[], object] = lambda: None, *, is_chosen: bool
) -> QAction:
    """Add an item that has a check mark where it is chosen, and does `run`; return it."""
    action = menu.addAction(text)
    action.setCheckable(True)
    action.setChecked(is_chosen)
    action.triggered.connect(lambda _=False: run())
    return action


def open_menu(parent: QWidget, items: Iterable[Item], at: QPoint) -> QMenu:
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    add_items(menu, items)
    menu.popup(at)
    return menu


class MenuRequest(QEvent):
    """Asks the widgets around a plot for what its menu is to hold at a point of the screen.

    It is sent to each of them, from the nearest one on: they add to `items`, and a card to `savers` what
    saves the picture or its numbers.
    """

    TYPE = QEvent.Type(QEvent.registerEventType())

    def __init__(self, on_screen: QPoint) -> None:
        super().__init__(self.TYPE)
        self.on_screen = on_screen
        self.savers: list[Item] = []
        self.items: list[Item] = []

    def ask_around(self, plot: QWidget) -> None:
        """Ask the widgets around a plot in its window."""
        widget = plot
        while not widget.isWindow() and (around := widget.parentWidget()) is not None:
            QApplication.sendEvent(around, self)
            widget = around


class MenuOf(Guarded, QObject):
    """The context menu of a widget, whose items are also in the menus of the plots in it.

    Subclasses say by `items_at` what can be done at a position; where that is nothing, there is no menu.
    """

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        widget.installEventFilter(self)

    def items_at(self, at: QPoint) -> list[Item]:
        """Return what can be done at a position of the widget."""
        raise NotImplementedError

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, MenuRequest):
            event.items += self.items_at(self._widget.mapFromGlobal(event.on_screen))
        elif isinstance(event, QContextMenuEvent) and (items := self.items_at(event.pos())):
            open_menu(self._widget, items, event.globalPos())
            return True
        return False
