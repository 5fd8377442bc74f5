"""Words on screen: in the language in force and in English, in tool tips, on buttons, with indices."""

from __future__ import annotations

import re
from html import escape
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QLabel, QWidget

from bertviz_app.analysis.results import Quantity


@runtime_checkable
class Retranslatable(Protocol):
    """A widget that keeps texts: its words depend on the language, and on its own state alone."""

    def retranslate(self) -> None:
        """Write the words in the language in force."""


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


def write_prose(label: QLabel, text: str) -> None:
    """Show a text: the Q of W_Q lowered, the 2 of e^2 raised, and d = 32, d × 4d or [1, 2] on one line."""
    text = _EQUATION.sub("\\1\xa0=\xa0", text)
    text = _PRODUCT.sub("\\1\xa0×\xa0", text)
    text = _VECTOR.sub(lambda vector: vector[0].replace(" ", "\xa0"), text)
    if _INDEX.search(text) is None and _POWER.search(text) is None:
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setText(text)
        return
    written = _INDEX.sub(r"\1<sub>\2</sub>", escape(text, quote=False))
    label.setTextFormat(Qt.TextFormat.RichText)
    label.setText(_POWER.sub(r"<sup>\1</sup>", written).replace("\n", "<br>"))


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


def retranslate_all(root: QWidget) -> None:
    """Have every `Retranslatable` below `root` write its words again."""
    for widget in root.findChildren(QWidget):
        if isinstance(widget, Retranslatable):
            widget.retranslate()
