"""The words on screen, written again in another language."""

from __future__ import annotations

from html import escape
from typing import Protocol, runtime_checkable

from PySide6.QtWidgets import QWidget


@runtime_checkable
class Retranslatable(Protocol):
    """A widget that keeps texts: its words depend on the language, and on its own state alone."""

    def retranslate(self) -> None:
        """Write the words in the language in force."""


def plain(text: str) -> str:
    """Return `text` for a tool tip, which would take the <s> of a vocabulary for a tag."""
    return text if "<" not in text else f"<qt>{escape(text)}</qt>".replace("\n", "<br>")


def retranslate_all(root: QWidget) -> None:
    """Have every `Retranslatable` below `root` write its words again."""
    for widget in root.findChildren(QWidget):
        if isinstance(widget, Retranslatable):
            widget.retranslate()
