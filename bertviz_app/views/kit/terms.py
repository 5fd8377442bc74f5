"""Which term of the glossary a widget is about: `explain_with`, `term_at`, and the small "i" button."""

from __future__ import annotations

import re
from html import escape
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QWhatsThisClickedEvent
from PySide6.QtWidgets import QAbstractButton, QHeaderView, QLabel, QPushButton, QToolTip, QWidget

from bertviz_app.learning.glossary import glossary
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.drawn_texts import text_drawn_at
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import language

_PROPERTY, _SUBJECT = "term", "subject"
_SEPARATORS = re.compile(r"[\s:,;()▾▸…?=+]+|(?<=\d)(?=[가-힣])|(?<=√)")
_SPECIAL = re.compile(r"\[[A-Z]+\]")
_KEYS = re.compile(r"(Ctrl|Shift|Alt)\+")
_MOST_WORDS = 5
_LETTERS = frozenset("QKVZα√")


@runtime_checkable
class TermSource(Protocol):
    """A widget that draws several terms itself."""

    def term_at(self, position: QPoint) -> str:
        """Return the key of the term at a position of the widget, "" for none."""


def explain_with(widget: QWidget, term: str) -> None:
    """Explain a term in the tool tip of `widget`, and by F1 in full; "" takes the explanation away."""
    widget.setProperty(_PROPERTY, term)
    if term and widget.findChild(_Tip, options=Qt.FindChildOption.FindDirectChildrenOnly) is None:
        widget.installEventFilter(_Tip(widget))


def set_subject(widget: QWidget, term: str) -> None:
    """Let F1 open the entry of `term` wherever nothing on `widget` has a term of its own."""
    widget.setProperty(_SUBJECT, term)


def term_at(position: QPoint, widget: QWidget | None, *, is_hover: bool = False) -> str:
    """Return the term at a position on the screen, of `widget` or of the nearest widget around it.

    The widget's own `term_at` comes first, then the term it was given by `explain_with`, then a text on it
    that names an entry. For F1 (not `is_hover`) the subject of the whole widget comes last.
    """
    while widget is not None:
        here = widget.mapFromGlobal(position)
        found = widget.term_at(here) if isinstance(widget, TermSource) else ""
        found = found or widget.property(_PROPERTY) or term_named(_text_at(widget, here))
        if not found and not is_hover:
            found = widget.property(_SUBJECT)
        if found:
            return str(found)
        widget = widget.parentWidget()
    return ""


def term_named(text: str) -> str:
    """Return the term that a label names, or that the longest sequence of its words names; "" for none.

    Sentences and keyboard shortcuts name none. A single letter is matched with its case: K, but not k.
    """
    words = [word for word in _SEPARATORS.split(text) if word]
    if len(words) > _MOST_WORDS or _KEYS.match(text):
        return ""
    rows = [
        " ".join(words[start : start + length])
        for length in range(len(words), 0, -1)
        for start in range(len(words) - length + 1)
    ]
    entries = (glossary().named(row) for row in (text, *rows) if len(row) > 1 or row in _LETTERS)
    return next((entry.key for entry in entries if entry is not None), "")


def _text_at(widget: QWidget, here: QPoint) -> str:
    """Return the text that a widget shows at a position of it."""
    if isinstance(widget, Canvas):
        text = text_drawn_at(widget, here)
        return text if not widget.shows_words or _SPECIAL.match(text) else ""
    if isinstance(widget, (QLabel, QAbstractButton)):
        return widget.text()
    header = widget.parentWidget()
    if isinstance(header, QHeaderView) and widget is header.viewport():
        section = header.logicalIndexAt(here)
        return str(header.model().headerData(section, header.orientation()) or "") if section >= 0 else ""
    return ""


def tip_of(term: str) -> str:
    """Return an entry in short, for a tool tip."""
    entry, now = glossary()[term], language()
    more = QCoreApplication.translate("Terms", "F1: more about it")
    name, text = escape(entry.name.in_language(now)), escape(entry.text.in_language(now))
    return f"<qt><p><b>{name}</b></p><p>{text}</p><p><i>{escape(more)}</i></p></qt>"


def show_tip(event: QHelpEvent, term: str, widget: QWidget) -> bool:
    """Show the tool tip of a term where a help event asks for it; return whether there is a term."""
    QToolTip.showText(event.globalPos(), tip_of(term) if term else "", widget)
    return bool(term)


class _Tip(QObject):
    """Shows the tool tip of a widget's term, in the language in force when it is shown."""

    @guarded(default=False)
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.ToolTip or not isinstance(event, QHelpEvent):
            return False
        widget = self.parent()
        if not isinstance(widget, QWidget) or widget.toolTip():
            return False  # the widget has a tool tip of its own
        return show_tip(event, str(widget.property(_PROPERTY) or ""), widget)


class TermButton(QPushButton):
    """A small "i"; a click sends the window a `QWhatsThisClickedEvent` with its term, to open the entry."""

    def __init__(self, term: str, parent: QWidget | None = None) -> None:
        super().__init__("i", parent)
        named(self, "term")
        self._term = term
        self.clicked.connect(self._request_entry)
        explain_with(self, term)
        self.retranslate()

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        name = glossary()[self._term].name.in_language(language())
        words = QCoreApplication.translate("Terms", "What is this? {0}")
        self.setAccessibleName(words.format(name))

    def _request_entry(self) -> None:
        top: QWidget = self
        while (above := top.parentWidget()) is not None:  # a floating dock is a window, too
            top = above
        QCoreApplication.sendEvent(top, QWhatsThisClickedEvent(self._term))
