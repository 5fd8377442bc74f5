"""Added and special tokens: given to a Rust tokenizer in the order that `transformers` adds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import tokenizers
from tokenizers import AddedToken

from bertviz_app.errors import Message
from bertviz_app.text.classes.declared import Declared, Piece


def add_pieces(
    backend: tokenizers.Tokenizer,
    specials: Mapping[str, Piece],
    declared: Declared,
    extra: Sequence[Piece] | None = None,
) -> None:
    """Add the declared added tokens, then the special ones that the vocabulary or the former lack.

    `extra` are tokens without a role of a checkpoint that declares none. A token that the vocabulary lacks
    gets the next free id, whatever id it is declared with: see `differing_ids`.
    """
    found = backend.get_added_tokens_decoder()
    pieces: list[Piece] = [declared.added[number] for number in sorted(declared.added)]
    numbers = backend.get_vocab(with_added_tokens=True)
    known = {*(token.content for token in found.values()), *(str(piece) for piece in pieces)}
    free = len({*numbers, *map(str, pieces)})
    for role, piece in (*specials.items(), *(("", piece) for piece in declared.without_roles(extra))):
        if str(piece) in known or piece in pieces:
            continue
        if str(piece) not in numbers:
            if role and declared.leaves_out(role, free):
                continue
            free += 1
        pieces.append(piece)
    named = {str(piece) for piece in specials.values()}
    backend.add_tokens([_token(piece, named) for piece in pieces])


def _token(piece: Piece, named: set[str]) -> AddedToken:
    """Return `piece` as the library takes it; a token with a role is special in any case."""
    if isinstance(piece, str):
        return AddedToken(piece, special=True)
    if not piece.special and piece.content in named:
        piece.special = True
    return piece


def differing_ids(backend: tokenizers.Tokenizer, declared: Declared) -> list[Message]:
    """Return a remark on each added token that is declared with another id than it has."""
    remarks = []
    for declared_id, token in sorted(declared.added.items()):
        number = backend.token_to_id(token.content)
        if number != declared_id:
            remarks.append(
                Message(
                    "The added token “{0}” is declared with the id {1}; here, as in transformers, it has the "
                    "next free one, {2}.",
                    token.content,
                    declared_id,
                    number,
                )
            )
    return remarks
