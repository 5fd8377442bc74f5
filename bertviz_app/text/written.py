"""Tokens by what is written: which of them are the same word, and which one a name means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bertviz_app.errors import ArgumentError, Message, SelectionError
from bertviz_app.text.labels import LEFT_TO_RIGHT_MARK
from bertviz_app.text.tokens import Tokens

_MOST_LISTED = 6


def word_numbers(tokens: Tokens) -> NDArray[np.int32]:
    """Return int32 [T]: tokens of the same word have the same number.

    A word is all of its pieces, as the model reads them, whether upper or lower case: the pieces of one word
    have its number, and so have those of the same word elsewhere. A special token has a number of its own.
    """
    words: dict[tuple[int, int], str] = {}
    word_of_token = list(zip(tokens.sentences.tolist(), tokens.words.tolist(), strict=True))
    for word, label in zip(word_of_token, tokens.labels, strict=True):
        words[word] = words.get(word, "") + _bare(label).casefold()
    numbers: dict[str, int] = {}
    found = [
        -1 - at if is_special else numbers.setdefault(words[word], len(numbers))
        for at, (word, is_special) in enumerate(zip(word_of_token, tokens.is_special.tolist(), strict=True))
    ]
    return np.array(found, np.int32)


def tokens_named(tokens: Tokens, name: str) -> list[int]:
    """Return the positions of the tokens that are `name`, by their piece or by what the text has there.

    Upper and lower case are the same. A token that is read as another one is found by both.
    """
    folded = name.casefold()
    if not folded:
        return []
    labels = (label.casefold() for label in tokens.labels)
    return [
        at
        for at, label in enumerate(labels)
        if folded in (label, _bare(label), written_at(tokens, at).casefold())
    ]


def _bare(label: str) -> str:
    """Return a label without what it has for its drawing: the sign of a space, and the direction it is in."""
    return label.removeprefix(LEFT_TO_RIGHT_MARK).strip("␣")


def numbered(name: str) -> tuple[str, int | None]:
    """Return the name and the number of "it#2", which is the second token "it"; None where it has none."""
    text, sign, number = name.rpartition("#")
    return (text, int(number)) if sign and text and number.isdecimal() else (name, None)


def token_at(tokens: Tokens, token: int | str) -> int:
    """Return the position of a token.

    Parameters
    ----------
    tokens : Tokens
    token : int or str
        Its position, from 0, or its text, such as "it"; "it#2" is the second one of several.

    Returns
    -------
    int

    Raises
    ------
    SelectionError
        For a position or a text that there is not, and for a text that several tokens have.
    ArgumentError
        For anything else.
    """
    if isinstance(token, str):
        return _named(tokens, token)
    if isinstance(token, bool) or not isinstance(token, int | np.integer):
        message = Message("A token is a position or a text, not {0}.", type(token).__name__)
        raise ArgumentError(message, Message("Give 7, or “it”."))
    if not 0 <= token < len(tokens):
        message = Message("There is no token {0}: this text has tokens 0 to {1}.", token, len(tokens) - 1)
        raise SelectionError(message, Message("Tokens count from 0, special ones among them."))
    return int(token)


def _named(tokens: Tokens, given: str) -> int:
    name, number = given, None
    found = tokens_named(tokens, name)
    if not found:  # a name may itself end in a number sign and digits
        name, number = numbered(given)
        found = tokens_named(tokens, name) if name else []
    if not found:
        raise SelectionError(Message("There is no token “{0}”.", name), _where_it_may_be(tokens, name))
    if number is not None and not 1 <= number <= len(found):
        message = Message("There is no token “{0}”: the text has {1} of “{2}”.", given, len(found), name)
        raise SelectionError(message, Message("They are at {0}.", _listed(found)))
    if number is None and len(found) > 1:
        message = Message("Several tokens are “{0}”: at {1}.", name, _listed(found))
        raise SelectionError(message, Message("Give one of the positions, or “{0}#2” for the second.", name))
    return found[0 if number is None else number - 1]


def _where_it_may_be(tokens: Tokens, name: str) -> Message:
    """Return the pieces of the word `name` if the text has it, else the tokens that there are."""
    for at in range(len(tokens)):
        pieces = _pieces_of_word(tokens, at)
        if len(pieces) > 1 and _span(tokens, pieces[0], pieces[-1]).casefold() == name.casefold():
            parts = ", ".join(f"{piece}: {tokens.labels[piece]}" for piece in pieces)
            return Message("The word is several tokens ({0}): give one of them.", parts)
    return Message("The tokens are: {0}.", _shown(tokens))


def _pieces_of_word(tokens: Tokens, at: int) -> list[int]:
    if tokens.is_special[at]:
        return []
    is_same = (tokens.words == tokens.words[at]) & (tokens.sentences == tokens.sentences[at])
    return [int(token) for token in np.flatnonzero(is_same)]


def _shown(tokens: Tokens) -> str:
    shown = [f"{at}: {label}" for at, label in enumerate(tokens.labels)]
    return ", ".join(shown if len(shown) <= 2 * _MOST_LISTED else [*shown[: 2 * _MOST_LISTED], "…"])


def _listed(positions: list[int]) -> str:
    """Return positions as a short list."""
    more = ["…"] if len(positions) > _MOST_LISTED else []
    return ", ".join([*map(str, positions[:_MOST_LISTED]), *more])


def written_at(tokens: Tokens, at: int) -> str:
    """Return what stands in the text for a token; "" for one that the tokenizer added."""
    return "" if tokens.is_special[at] else _span(tokens, at, at)


def _span(tokens: Tokens, first: int, last: int) -> str:
    """Return what stands in the text from one token to another of the same sentence."""
    text = tokens.text if tokens.sentences[first] == 0 else tokens.pair or ""
    return text[int(tokens.spans[first, 0]) : int(tokens.spans[last, 1])].strip()
