"""Which term of the glossary a widget is about: `explain_with`, `term_at`, and the small "i" button."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QCursor, QHelpEvent, QKeyEvent, QTextDocumentFragment, QWhatsThisClickedEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QHeaderView, QLabel, QPushButton, QToolTip, QWidget

from bertviz_app.learning.glossary import glossary
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.labels import DrawsTexts, text_drawn_at
from bertviz_app.views.kit.look import named, styled
from bertviz_app.views.kit.words import language

_PROPERTY, _SUBJECT = "term", "subject"
_SEPARATORS = re.compile(r"[\s:,;()▾▸…?=+]+|(?<=\d)(?=[가-힣])|(?<=√)")
_SPECIAL = re.compile(r"\[[A-Z]+\]")
_KEYS = re.compile(r"(Ctrl|Shift|Alt)\+")
_MOST_WORDS = 5
_LETTERS = frozenset("QKVZα√")
_SHORTEST_PLURAL = 4
_PARTICLE = re.compile(r"(?:(?<=[가-힣]{2})|(?<=[A-Z\]]))(은|는|이|가|을|를|와|과|의|에|로|으로|에서)$")
# Names of entries that are common words: beside other words they mean something else.
_ALONE = frozenset({"next", "previous", "prev", "same", "이전", "다음", "같은", "자신", "기록", "배치"})


@runtime_checkable
class TermSource(Protocol):
    """A widget that draws several terms itself."""

    def term_at(self, position: QPoint) -> str:
        """Return the key of the term at a position of the widget, "" for none."""


def explain_with(widget: QWidget, term: str) -> None:
    """Explain a term in the tool tip of `widget`, and by F1 in full; "" takes the explanation away."""
    widget.setProperty(_PROPERTY, term)


def set_subject(widget: QWidget, term: str) -> None:
    """Let F1 open the entry of `term` wherever nothing on `widget` has a term of its own."""
    widget.setProperty(_SUBJECT, term)


def term_at(position: QPoint, widget: QWidget | None, *, is_hover: bool = False) -> str:
    """Return the term at a position on the screen, of `widget` or of the nearest widget around it.

    The widget's own `term_at` comes first, then the term it was given by `explain_with`, then a text on it
    that names an entry. For F1 (not `is_hover`) the subject of the nearest widget that has one comes last.
    """
    subject = ""
    while widget is not None:
        here = widget.mapFromGlobal(position)
        found = widget.term_at(here) if isinstance(widget, TermSource) else ""
        found = found or widget.property(_PROPERTY) or term_named(_text_at(widget, here))
        if found:
            return str(found)
        subject = subject or str(widget.property(_SUBJECT) or "")
        widget = widget.parentWidget()
    return "" if is_hover else subject


def term_named(text: str, most_words: int = _MOST_WORDS) -> str:
    """Return the term that a label names, or that the longest sequence of its words names; "" for none.

    Sentences, of more than `most_words`, and keyboard shortcuts name none. A single letter is matched with
    its case: K, but not k. What follows a colon is more particular than what precedes it.
    """
    if _KEYS.match(text):
        return ""
    if entry := glossary().named(text) if len(text) > 1 or text in _LETTERS else None:
        return entry.key
    parts = text.split(": ")[::-1]
    whole = (glossary().named(part) for part in parts if _is_distinct(part))
    named_whole = next((entry.key for entry in whole if entry is not None), "")
    return named_whole or next(filter(None, (_term_in(part, most_words) for part in parts)), "")


def _term_in(text: str, most_words: int) -> str:
    """Return the term that the longest row of words of a short text names, "" for none."""
    words = [word for word in _SEPARATORS.split(text) if word]
    if len(words) > most_words:
        return ""
    rows = (
        " ".join(words[start : start + length])
        for length in range(len(words), 0, -1)
        for start in range(len(words) - length + 1)
    )
    forms = (form for row in rows if _is_distinct(row) for form in _forms(row))
    return next((entry.key for entry in map(glossary().named, forms) if entry is not None), "")


def _is_distinct(row: str) -> bool:
    """Whether some words name an entry also beside others."""
    return (len(row) > 1 or row in _LETTERS) and row.casefold() not in _ALONE


def _forms(row: str) -> Iterator[str]:
    """Yield some words as they are, and without a plural or the particle of Korean at their end."""
    yield row
    if row.isascii() and row.endswith("s") and len(row) > _SHORTEST_PLURAL:
        yield row[:-1]
    if (bare := _PARTICLE.sub("", row)) != row:
        yield bare


def _text_at(widget: QWidget, here: QPoint) -> str:
    if isinstance(widget, DrawsTexts):
        text = text_drawn_at(widget, here)
        return text if not widget.shows_words or _SPECIAL.match(text) else ""
    if isinstance(widget, QLabel) and widget.textFormat() == Qt.TextFormat.RichText:
        return QTextDocumentFragment.fromHtml(widget.text()).toPlainText()
    if isinstance(widget, (QLabel, QAbstractButton)):
        return "" if widget.objectName() == "keys" else widget.text()  # the key K is no term
    header = widget.parentWidget()
    if isinstance(header, QHeaderView) and widget is header.viewport():
        section = header.logicalIndexAt(here)
        return str(header.model().headerData(section, header.orientation()) or "") if section >= 0 else ""
    return ""


def tip_of(term: str, also: str = "") -> str:
    """Return an entry in short, for a tool tip; below it what else is to be said there."""
    entry, now = glossary()[term], language()
    more = QCoreApplication.translate("Terms", "F1: more about it")
    name, text = escape(entry.name.in_language(now)), escape(entry.text.in_language(now))
    rest = f"<p>{escape(also)}</p>".replace("\n", "<br>") if also else ""
    return f"<qt><p><b>{name}</b></p><p>{text}</p><p><i>{escape(more)}</i></p>{rest}</qt>"


def show_tip(event: QHelpEvent, term: str, widget: QWidget) -> bool:
    """Show the tool tip of a term where a help event asks for it; return whether there is a term."""
    QToolTip.showText(event.globalPos(), tip_of(term) if term else "", widget)
    return bool(term)


def explain_terms_of(popup: QWidget) -> None:
    """Have the terms of a pop-up explained by tool tips and F1, which do not reach the window below it."""
    popup.installEventFilter(_PopupTerms(popup))


class Popup(QFrame):
    """A card over the window, whose terms are explained; a click elsewhere or Escape closes it."""

    def __init__(self, name: str, parent: QWidget | None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        styled(self, name)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        explain_terms_of(self)

    def open_at(self, corner: QPoint, screen: QRect) -> None:
        """Open with the upper left corner at a point of a screen, or where all of it is on the screen."""
        x = max(screen.left(), min(corner.x(), screen.right() + 1 - self.width()))
        self.move(x, max(screen.top(), min(corner.y(), screen.bottom() + 1 - self.height())))
        self.show()


def show_tip_of_text(event: QHelpEvent, window: QWidget) -> bool:
    """Show the tool tip of the term that a help event of a window is at; return whether there is one."""
    below = window.childAt(window.mapFromGlobal(event.globalPos()))
    return show_tip(event, term_at(event.globalPos(), below, is_hover=True), window)


class _PopupTerms(Guarded, QObject):
    """Shows the tool tip of the term under the pointer where no widget has its own; F1 asks for its entry."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(watched, QWidget):
            return False
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            return show_tip_of_text(event, watched)
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        if event.key() != Qt.Key.Key_F1:
            return False
        position = QCursor.pos()
        if term := term_at(position, watched.childAt(watched.mapFromGlobal(position))):
            _request_entry_of(watched, term)
        return True


class TermButton(QPushButton):
    """A small "i"; a click sends the window a `QWhatsThisClickedEvent` with its term, to open the entry."""

    def __init__(self, term: str, parent: QWidget | None = None) -> None:
        super().__init__("i", parent)
        called = glossary()[term].name.in_language(language())
        named(self, "term", title=QCoreApplication.translate("Terms", "What is this? {0}").format(called))
        self.clicked.connect(lambda: _request_entry_of(self, term))
        explain_with(self, term)


def _request_entry_of(widget: QWidget, term: str) -> None:
    top = widget
    while (above := top.parentWidget()) is not None:  # a floating dock is a window, too
        top = above
    QCoreApplication.sendEvent(top, QWhatsThisClickedEvent(term))
