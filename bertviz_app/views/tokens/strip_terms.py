"""The terms of the glossary that explain the lines of the token strip and its tokens."""

from __future__ import annotations

from bertviz_app.text import Tokens

LINES = ("token", "token_id", "segment", "position")
"""The terms of the lines of a chip, from the top."""
_SPECIAL = {"[CLS]": "cls", "[SEP]": "sep", "[MASK]": "mask", "[UNK]": "unk", "[PAD]": "pad"}


def term_of(tokens: Tokens, token: int) -> str:
    """Return the term that explains one token of a text."""
    label = tokens.labels[token]
    if label in _SPECIAL:
        return _SPECIAL[label]
    if tokens.is_special[token]:
        return "special_token"
    if label.startswith("##"):
        return "word_piece"
    return "token"
