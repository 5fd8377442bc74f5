"""Reads a SentencePiece `.model` file, a protocol buffer, for the classes that need its scores.

Only the fields that those need (google/sentencepiece, src/sentencepiece_model.proto).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

UNIGRAM = 1
_CONTROL, _USER_DEFINED = 3, 4


@dataclass(frozen=True)
class PieceModel:
    """The pieces of a model in the order of their ids, with scores and types; its kind and its charsmap."""

    pieces: tuple[tuple[str, float, int], ...]
    kind: int = UNIGRAM
    charsmap: bytes | None = None

    def special(self) -> Iterator[tuple[str, bool]]:
        """Yield control and user-defined pieces; True for control ones."""
        for piece, _, of_type in self.pieces:
            if of_type in (_CONTROL, _USER_DEFINED):
                yield piece, of_type == _CONTROL


def read_pieces(content: bytes) -> PieceModel:
    """Return the model in the bytes of a `.model` file. Raises ValueError for anything else."""
    pieces: list[tuple[str, float, int]] = []
    kind, charsmap = UNIGRAM, b""
    try:
        for number, value in _fields(content):
            if number == 1 and isinstance(value, bytes):
                pieces.append(_piece(value))
            elif number == 2 and isinstance(value, bytes):
                kind = next((v for n, v in _fields(value) if n == 3 and isinstance(v, int)), kind)
            elif number == 3 and isinstance(value, bytes):
                charsmap = next((v for n, v in _fields(value) if n == 2 and isinstance(v, bytes)), b"")
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise ValueError("no SentencePiece model") from error
    if not pieces:
        raise ValueError("a SentencePiece model without pieces")
    return PieceModel(tuple(pieces), kind, charsmap or None)


def _piece(content: bytes) -> tuple[str, float, int]:
    text, score, of_type = "", 0.0, 1
    for number, value in _fields(content):
        if number == 1 and isinstance(value, bytes):
            text = value.decode("utf-8")
        elif number == 2 and isinstance(value, bytes) and len(value) == 4:
            (score,) = struct.unpack("<f", value)
        elif number == 3 and isinstance(value, int):
            of_type = value
    return text, score, of_type


def _fields(content: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the number and the value of each field: an integer, or bytes."""
    position = 0
    while position < len(content):
        key, position = _integer(content, position)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, position = _integer(content, position)
            yield number, value
            continue
        if wire == 2:
            length, position = _integer(content, position)
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
        else:
            raise ValueError("an unknown kind of field")
        if position + length > len(content):
            raise ValueError("a field that is cut short")
        yield number, content[position : position + length]
        position += length


def _integer(content: bytes, position: int) -> tuple[int, int]:
    """Return the variable-length integer at `position`, and the position after it."""
    value = shift = 0
    while True:
        byte = content[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
        if shift > 63:
            raise ValueError("an integer that does not end")
