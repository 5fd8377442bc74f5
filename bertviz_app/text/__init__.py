"""From text to tokens: `Tokenizer.encode(text) -> Tokens`. The names below are loaded on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bertviz_app.text.edits import Edits as Edits
    from bertviz_app.text.tokenizer import Numbering as Numbering, Tokenizer as Tokenizer
    from bertviz_app.text.tokens import Tokens as Tokens

__all__ = ["Edits", "Numbering", "Tokenizer", "Tokens"]

_HOMES = {
    "Edits": "bertviz_app.text.edits",
    "Numbering": "bertviz_app.text.tokenizer",
    "Tokenizer": "bertviz_app.text.tokenizer",
    "Tokens": "bertviz_app.text.tokens",
}


def __getattr__(name: str) -> Any:
    """Return the public name from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'bertviz_app.text' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
