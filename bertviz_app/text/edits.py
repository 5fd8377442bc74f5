"""`Edits`: changes to one input and to the model that reads it: replaced tokens and muted heads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bertviz_app.errors import Message, TextError
from bertviz_app.text.tokens import Tokens

MASK = "[MASK]"
"""What a token is replaced by to hide it; stands for the tokenizer's own mask, whatever its name."""
MASKS = (MASK, "<mask>")
"""What tokenizers call it."""


@dataclass(frozen=True)
class Edits:
    """The replaced tokens and muted heads of a run; both sorted, so that equal edits compare equal.

    `muted`: (layer, head) of the heads whose output is replaced by zeros. `replaced`: (position, piece) of
    tokens that are replaced by another piece of the vocabulary, or by MASK.
    """

    muted: tuple[tuple[int, int], ...] = ()
    replaced: tuple[tuple[int, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.muted or self.replaced)

    def piece_at(self, position: int) -> str | None:
        """Return the piece that replaces the token at `position`, or None if it is not replaced."""
        return dict(self.replaced).get(position)

    def with_head_toggled(self, layer: int, head: int) -> Edits:
        """Return these edits with one head muted, or no longer muted if it was."""
        return replace(self, muted=tuple(sorted({*self.muted} ^ {(layer, head)})))

    def with_token(self, position: int, piece: str | None) -> Edits:
        """Return these edits with the token at `position` replaced by `piece`; None: not replaced."""
        pieces = {at: other for at, other in self.replaced if at != position}
        pieces |= {} if piece is None else {position: piece}
        return replace(self, replaced=tuple(sorted(pieces.items())))

    def without_tokens(self) -> Edits:
        """Return these edits without any replaced token."""
        return replace(self, replaced=())


NO_EDITS = Edits()


def with_replaced(
    tokens: Tokens, replaced: tuple[tuple[int, str], ...], find: Callable[[str], tuple[str, int]]
) -> Tokens:
    """Return `tokens` with other pieces and ids at some positions; words, spans and segments stay.

    `find` returns the vocabulary's piece and id for a typed piece. Raises TextError for a position outside
    of the text or of a special token, and whatever `find` raises.
    """
    if not replaced:
        return tokens
    pieces, ids = list(tokens.pieces), tokens.ids.copy()
    for position, given in replaced:
        _validate_position(tokens, position)
        pieces[position], ids[position] = find(given)
    return replace(tokens, pieces=tuple(pieces), ids=ids.astype(np.int32))


def _validate_position(tokens: Tokens, position: int) -> None:
    if not 0 <= position < len(tokens):
        message = Message("There is no token {0}: this text has tokens 0 to {1}.", position, len(tokens) - 1)
        raise TextError(message, Message("Tokens count from 0, special ones among them."))
    if tokens.is_special[position]:
        message = Message("Token {0} is {1}, which cannot be replaced.", position, tokens.pieces[position])
        raise TextError(message, Message("Choose a token of the text."))
