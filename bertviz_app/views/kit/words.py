"""The words on screen, written again in another language."""

from __future__ import annotations

from html import escape
from inspect import signature

from PySide6.QtWidgets import QWidget


def plain(text: str) -> str:
    """Return `text` for a tool tip, which would take the <s> of a vocabulary for a tag."""
    return text if "<" not in text else f"<qt>{escape(text)}</qt>".replace("\n", "<br>")


def retranslate_all(root: QWidget) -> None:
    """Have every widget below `root` that keeps texts write them again.

    Those are the widgets with a method `say()` that takes nothing: what they say depends on the language
    alone, or on what they remember. A `say(words)` is called by whoever knows the words.
    """
    for widget in root.findChildren(QWidget):
        retranslate = getattr(widget, "retranslate", None)
        if callable(retranslate) and not signature(retranslate).parameters:
            retranslate()
