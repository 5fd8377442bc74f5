"""`Edits`: what is done to one input before it is read: tokens replaced, heads muted."""

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
    """What a run changes of its text and of its model; both sorted, so that equal edits are equal.

    `muted`: (layer, head) of the heads that hand over nothing. `replaced`: (position, piece), the tokens
    that are read as another piece of the vocabulary, or as MASK.
    """

    muted: tuple[tuple[int, int], ...] = ()
    replaced: tuple[tuple[int, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.muted or self.replaced)

    def piece_at(self, position: int) -> str | None:
        """Return what stands in the place of the token at `position`, None where it is itself."""
        return dict(self.replaced).get(position)

    def with_head_toggled(self, layer: int, head: int) -> Edits:
        """Return these edits with one head muted, or heard again."""
        return replace(self, muted=tuple(sorted({*self.muted} ^ {(layer, head)})))

    def with_token(self, position: int, piece: str | None) -> Edits:
        """Return these edits with the token at `position` read as `piece`; None: as itself."""
        pieces = {at: other for at, other in self.replaced if at != position}
        pieces |= {} if piece is None else {position: piece}
        return replace(self, replaced=tuple(sorted(pieces.items())))

    def without_tokens(self) -> Edits:
        """Return these edits with every token as it is."""
        return replace(self, replaced=())


NO_EDITS = Edits()


def with_replaced(
    tokens: Tokens, replaced: tuple[tuple[int, str], ...], find: Callable[[str], tuple[str, int]]
) -> Tokens:
    """Return `tokens` with other pieces and ids at some positions; words, spans and segments stay.

    `find` returns the vocabulary's piece and id for what was given. Raises TextError for a position that
    the text does not have or that a special token holds, and whatever `find` raises.
    """
    if not replaced:
        return tokens
    pieces, ids = list(tokens.pieces), tokens.ids.copy()
    for position, given in replaced:
        _judge_position(tokens, position)
        pieces[position], ids[position] = find(given)
    return replace(tokens, pieces=tuple(pieces), ids=ids.astype(np.int32))


def _judge_position(tokens: Tokens, position: int) -> None:
    if not 0 <= position < len(tokens):
        message = Message("There is no token {0}: this text has tokens 0 to {1}.", position, len(tokens) - 1)
        raise TextError(message, Message("Tokens count from 0, special ones among them."))
    if tokens.is_special[position]:
        message = Message("Token {0} is {1}, which cannot be replaced.", position, tokens.pieces[position])
        raise TextError(message, Message("Choose a token of the text."))
