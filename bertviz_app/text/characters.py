"""Which texts can be encoded at all: how long they may be, and which characters no tokenizer reads."""

from __future__ import annotations

import unicodedata

from bertviz_app.errors import Message, TextError

MAX_CHARACTERS = 1_000_000
"""Longer texts are refused: the tokenizer would work for many seconds on what the model cannot hold."""

_ALLOWED_CONTROLS = {"\t", "\n", "\r"}


def validate(text: str, field: str = "text", name: str = "The text") -> None:
    """Raise TextError if `text`, called `name` in the message, cannot be encoded."""
    if not text.strip():
        raise TextError(Message("{0} is empty.", name), Message("Type a sentence."), field)
    if len(text) > MAX_CHARACTERS:
        message = Message(
            "{0} has {1} characters; at most {2} can be read.", name, f"{len(text):,}", f"{MAX_CHARACTERS:,}"
        )
        raise TextError(message, Message("Give a shorter part of it."), field)
    for position, character in enumerate(text):
        if character >= " " and character < "\x7f":
            continue
        if is_unreadable(character):
            message = Message("{0} has {1} at character {2}.", name, _name(character), position + 1)
            raise TextError(message, Message("Take it out."), field)


def is_unreadable(character: str) -> bool:
    """Return whether `character` is a control character or half of a surrogate pair."""
    return unicodedata.category(character) in {"Cc", "Cs"} and character not in _ALLOWED_CONTROLS


def _name(character: str) -> str:
    code = f"U+{ord(character):04X}"
    if unicodedata.category(character) == "Cs":
        return Message("half a character (the unpaired surrogate {0})", code)
    return Message("a NUL ({0})", code) if character == "\0" else Message("the control character {0}", code)
