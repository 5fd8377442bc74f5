"""Labels: how a piece is written on screen. Ids and files use the tokenizer's own piece."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Spelling = Literal["plain", "bytes", "spaces"]
SPELLINGS: tuple[Spelling, ...] = ("plain", "bytes", "spaces")
"""How a vocabulary writes its pieces: as they are; each byte of UTF-8 as a letter (Radford et al. 2019,
section 2.2); or with SentencePiece's ▁ for a space (Kudo & Richardson 2018, arXiv:1808.06226)."""

UNKNOWN = ("[UNK]", "<unk>")
"""The pieces that stand for what a vocabulary lacks."""

LEFT_TO_RIGHT_MARK = "\u200e"
"""Before a label with right-to-left letters."""
_RIGHT_TO_LEFT = {"R", "AL"}
_NAMED = {"\t": "⇥", "\n": "⏎", "\r": "␍", " ": "␣", "\u00a0": "⍽", "\u3000": "□"}
_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_FINALS = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
_LETTERS = {
    first + position: letter
    for first, letters in ((0x1100, _INITIALS), (0x1161, _VOWELS), (0x11A8, _FINALS))
    for position, letter in enumerate(letters)
}
"""Conjoining Hangul letters -> the same letters standing alone."""
_PRINTABLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_UNPRINTABLE = tuple(byte for byte in range(0x100) if byte not in _PRINTABLE)
_BYTES = {chr(byte): byte for byte in _PRINTABLE} | {
    chr(0x100 + position): byte for position, byte in enumerate(_UNPRINTABLE)
}
"""Letters of byte-level pieces -> the bytes they stand for: those that cannot be printed have letters from
U+0100 on, so that a space is Ġ."""
_BROKEN = re.compile("[\udc80-\udcff]+")
"""Bytes that are no whole character, as Python's "surrogateescape" writes them."""


def label(piece: str, spelling: Spelling = "plain") -> str:
    """Return `piece` for drawing, out of a vocabulary that is written in `spelling`.

    A space before a word is ␣ in all of them. Of bytes whole characters are shown; those of a part of one
    are hexadecimal, as ⟨EA B3⟩.

    Uncased BERT splits Hangul into letters (NFD): they are composed again, and a letter that is left
    alone is written as the letter one reads in a dictionary, since fonts draw the conjoining one
    off its place. Control and formatting characters are invisible or reorder the text around them, so
    they are shown as signs; a right-to-left piece would move its "##" to the other end.
    """
    composed = unicodedata.normalize("NFC", _text(piece, spelling)).translate(_LETTERS)
    visible = _BROKEN.sub(_hexadecimal, "".join(_visible(character) for character in composed))
    if any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in visible):
        return LEFT_TO_RIGHT_MARK + visible
    return visible


def _text(piece: str, spelling: Spelling) -> str:
    """Return the text of a piece; bytes that do not form a whole character become surrogates."""
    if spelling == "spaces":
        return piece.replace("▁", " ")
    numbers = [_BYTES.get(letter) for letter in piece] if spelling == "bytes" else [None]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):  # such as an added token, which is stored as plain text
        return piece
    return bytes(known).decode("utf-8", "surrogateescape")


def _hexadecimal(found: re.Match[str]) -> str:
    return f"⟨{' '.join(f'{ord(byte) - 0xDC00:02X}' for byte in found[0])}⟩"


def _visible(character: str) -> str:
    if character in _NAMED:
        return _NAMED[character]
    category = unicodedata.category(character)
    if category == "Cc":
        code = ord(character)
        return chr(0x2400 + code) if code < 0x20 else f"‹{code:02X}›"
    if category in {"Cf", "Co", "Cn", "Zs", "Zl", "Zp"} and character != "\u200d":
        return f"‹{ord(character):04X}›"
    return character
