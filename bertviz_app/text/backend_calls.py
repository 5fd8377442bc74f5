"""Calls into the Rust tokenizers library, with its failures turned into TokenizerError."""

from __future__ import annotations

from collections.abc import Sequence

import tokenizers

from bertviz_app.errors import Message, TokenizerError
from bertviz_app.text.cutter import Cut
from bertviz_app.text.rust_errors import is_failure

Given = Sequence[str | list[str]]
"""One text or two, as text or as pieces."""


def given_as(text: str, pair: str | None, cuts: Sequence[Sequence[Cut]] | None) -> Given:
    """Return one text or a pair as input for the library: as pieces if they have already been split."""
    if cuts is not None:
        return [[cut.piece for cut in of_text] for of_text in cuts]
    return [text] if pair is None else [text, pair]


def run(backend: tokenizers.Tokenizer, given: Given, *, adds_special: bool = True) -> tokenizers.Encoding:
    """Return the encoding of one input; see `run_many`."""
    return run_many(backend, [given], adds_special=adds_special)[0]


def run_many(
    backend: tokenizers.Tokenizer, given: Sequence[Given], *, adds_special: bool = True
) -> list[tokenizers.Encoding]:
    """Return the encodings of several inputs: single texts or pairs, either all as text or all as pieces.

    Raises TokenizerError: a damaged tokenizer may load without error and fail only here, with any kind of
    exception.
    """
    are_pieces = isinstance(given[0][0], list)
    batch = [one[0] if len(one) == 1 else tuple(one) for one in given]
    try:
        # encode_batch releases the interpreter's lock; encode does not.
        found: list[tokenizers.Encoding] = backend.encode_batch(
            batch, is_pretokenized=are_pieces, add_special_tokens=adds_special
        )
    except BaseException as error:
        if not is_failure(error):
            raise
        raise failure(error) from error
    return found


def failure(error: BaseException) -> TokenizerError:
    """Return the TokenizerError for an exception raised by the library."""
    message = Message("The tokenizer fails: {0}", first_line(error))
    return TokenizerError(message, Message("Fetch its files again; they come with the checkpoint."))


def first_line(error: BaseException) -> str:
    """Return the first line of the text of `error`, short enough for a sentence."""
    lines = str(error).splitlines() or [type(error).__name__]
    line = lines[0][:200]
    return line if line.isprintable() else ascii(line)
