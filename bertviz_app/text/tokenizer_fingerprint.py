"""`tokenizer_fingerprint`: a hash of what a tokenizer does, whatever its files and its implementation."""

from __future__ import annotations

import hashlib

from bertviz_app.errors import AppError
from bertviz_app.text.tokenizer import Tokenizer

_MOST_PIECES = 1 << 20
_PROBES: tuple[tuple[str, str | None], ...] = (
    ("The cat sat on the mat, because it was HUNGRY.", None),
    ("Don't you see?  It's 3.14 – or 2,718!", None),
    ("naïve café, Straße, ÅNGSTRÖM, İstanbul, ﬁne, x²", None),
    ("kot zjadł rybę, žluťoučký kůň", None),
    ("나는 어제 학교에 갔다. 안녕하세요!", None),
    ("ㅋㅋㅋ 한국어BERT모델", None),
    ("日本語の文章です。京都タワー", None),
    ("我昨天去了北京大学。", None),
    ("Привет, мир! Ёлка", None),
    ("مرحبا بالعالم  שלום עולם", None),
    ("नमस्ते दुनिया  สวัสดีชาวโลก", None),
    ("👍🏽 🙂 #tag @user https://example.org/a_b?c=d", None),
    ("[MASK] <mask> [CLS] [SEP] <s> </s> [UNK] <unk>", None),
    ("<e1> Ann </e1> met [E2] Bob [/E2]", None),
    ("tab\there, line\nthere,\u00a0no break,\u200bzero width", None),
    ("antidisestablishmentarianism pneumonoultramicroscopic", None),
    ("def f(x): return x ** 2  # `code` {braces} ~/path\\to", None),
    ("A first text", "and a second one: 두 번째"),
)
"""Texts in which tokenizers differ: case, accents, spaces, scripts, special tokens; alone and as a pair."""


def tokenizer_fingerprint(tokenizer: Tokenizer) -> str:
    """Return a hexadecimal SHA-256 of the vocabulary, of the limit, and of the tokens of a set of texts.

    Tokenizers with one vocabulary that divide each of the texts alike have the same fingerprint, however
    they are stored.
    """
    digest = hashlib.sha256(str(tokenizer.max_tokens).encode())
    _, highest = tokenizer.highest_id()
    for number in range(min(highest + 1, _MOST_PIECES)):
        digest.update(f"{tokenizer.piece_of(number)}\n".encode(errors="backslashreplace"))
    for text, pair in _PROBES:
        digest.update(_tokens(tokenizer, text, pair))
    return digest.hexdigest()


def _tokens(tokenizer: Tokenizer, text: str, pair: str | None) -> bytes:
    try:
        tokens = tokenizer.encode(text, pair)
    except AppError as error:  # such as no room for any text
        return type(error).__name__.encode()
    arrays = (tokens.ids, tokens.segment_ids, tokens.position_ids, tokens.spans)
    return b"".join(array.astype("<i4").tobytes() for array in arrays)
