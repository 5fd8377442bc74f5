"""How a token is written on screen. Ids and files keep the tokenizer's own piece."""

from __future__ import annotations

import unicodedata

_LEFT_TO_RIGHT_MARK = "\u200e"
_RIGHT_TO_LEFT = {"R", "AL"}
_NAMED = {"\t": "⇥", "\n": "⏎", "\r": "␍", " ": "␣", "\u00a0": "⍽", "\u3000": "□"}
_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_FINALS = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
_LETTERS = {
    first + place: letter
    for first, letters in ((0x1100, _INITIALS), (0x1161, _VOWELS), (0x11A8, _FINALS))
    for place, letter in enumerate(letters)
}
"""Conjoining Hangul letters -> the same letters standing alone."""


def label(piece: str) -> str:
    """Return `piece` for drawing.

    Uncased BERT splits Hangul into letters (NFD): they are composed again, and a letter that is left
    alone is written as the letter one reads in a dictionary, since fonts draw the conjoining one
    off its place. Control and formatting characters are invisible or reorder the text around them, so
    they are shown as signs; a right-to-left piece would move its "##" to the other end.
    """
    composed = unicodedata.normalize("NFC", piece).translate(_LETTERS)
    visible = "".join(_visible(character) for character in composed)
    if any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in visible):
        return _LEFT_TO_RIGHT_MARK + visible
    return visible


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
