"""`text_remark`: the most important thing to know of an encoded text, in a few words beside it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.text import Tokens


def text_remark(tokens: Tokens, facts: ModelFacts) -> str:
    """Return how much was left out, else is unknown or dropped, else where positions were hardly trained.

    "" where there is nothing to remark. The whole sentences are the notices of the result.
    """
    translate = QCoreApplication.translate
    if tokens.n_left_out:
        return translate("TextRemark", "{0} left out").format(f"{tokens.n_left_out:,}")
    if tokens.n_unknown_words:
        words = translate("TextRemark", "{0} of {1} words unknown")
        return words.format(tokens.n_unknown_words, tokens.n_words)
    if tokens.dropped:
        return translate("TextRemark", "{0} invisible dropped").format(f"{len(tokens.dropped):,}")
    if facts.n_trained_positions is not None and len(tokens) > facts.n_trained_positions:
        return translate("TextRemark", "hardly trained from {0} on").format(facts.n_trained_positions)
    return ""
