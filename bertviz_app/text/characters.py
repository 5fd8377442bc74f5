"""Which texts can be encoded at all, and which of their characters a tokenizer may drop."""

from __future__ import annotations

import unicodedata

from bertviz_app.errors import Message, TextError

MAX_CHARACTERS = 1_000_000
"""Longer texts are refused: the tokenizer would work for many seconds on what the model cannot hold."""

_WHITE_SPACE = {"\t", "\n", "\r"}


def validate(text: str, field: str = "text", name: str = "The text") -> None:
    """Raise TextError if `text`, called `name` in the message, cannot be encoded."""
    if not text.strip():
        raise TextError(Message("{0} is empty.", name), Message("Type a sentence."), field)
    if len(text) > MAX_CHARACTERS:
        message = Message(
            "{0} has {1} characters; at most {2} can be read.", name, f"{len(text):,}", f"{MAX_CHARACTERS:,}"
        )
        raise TextError(message, Message("Give a shorter part of it."), field)
    if text.isascii():
        return
    for position, character in enumerate(text):
        if is_unreadable(character):
            code = Message("half a character (the unpaired surrogate {0})", name_of(character))
            message = Message("{0} has {1} at character {2}.", name, code, position + 1)
            raise TextError(message, Message("Take it out."), field)


def is_unreadable(character: str) -> bool:
    """Return whether `character` is half of a surrogate pair, which no encoding of a text holds."""
    return "\ud800" <= character <= "\udfff"


def controls(text: str) -> set[str]:
    """Return the characters of `text` that a tokenizer may drop although they are no white space.

    These are Unicode's category C, which BERT's own tokenizer calls control characters (such as NUL, the form
    feed of a page and the joiner of an emoji), and the replacement character U+FFFD. Tab and line breaks are
    white space to every tokenizer.
    """
    if text.isascii() and text.isprintable():
        return set()
    found = set(text) - _WHITE_SPACE
    return {letter for letter in found if unicodedata.category(letter)[0] == "C" or letter == "\ufffd"}


def name_of(character: str) -> str:
    """Return how Unicode writes the number of `character`, such as U+000C."""
    return f"U+{ord(character):04X}"
