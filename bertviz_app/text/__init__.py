"""From text to tokens: `Tokenizer.encode(text) -> Tokens`."""

from bertviz_app.text.edits import Edits
from bertviz_app.text.tokenizer import Numbering, Tokenizer
from bertviz_app.text.tokens import Tokens

__all__ = ["Edits", "Numbering", "Tokenizer", "Tokens"]
