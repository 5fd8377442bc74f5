"""`Tokens` of pieces that were given as they are: those of another program, whose ids are not known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bertviz_app.text.tokens import LEFT_TO_RIGHT_MARK, SPECIAL, Spelling, Tokens, label

SPECIAL_PIECES = frozenset(
    (
        *("[CLS]", "[SEP]", "[PAD]", "<s>", "</s>", "<pad>", "<cls>", "<sep>", "<eos>", "<bos>"),
        *("<|endoftext|>", "<|startoftext|>", "<|begin_of_text|>", "<|end_of_text|>"),
        *("<|im_start|>", "<|im_end|>", "<start_of_turn>", "<end_of_turn>"),
        *(f"[S{number}]" for number in range(32)),  # ahead of the patches of an image, see `trace.patches`
    )
)
"""Pieces that vocabularies add to a text. Without its tokenizer nothing else tells them from words."""

_MARKS: dict[str, Spelling] = {"Ġ": "bytes", "▁": "spaces"}
_CONTINUES = "##"


def tokens_of_pieces(
    pieces: Sequence[str], second: int | None = None, spelling: Spelling | None = None
) -> Tokens:
    """Return the tokens of `pieces`; those from position `second` on are of a second text.

    Words, spans and texts follow from how the pieces are written: WordPiece's ##, the Ġ of byte-level
    vocabularies, SentencePiece's ▁. `spelling` None: found by these signs. The ids are all 0, see `has_ids`.
    """
    in_use = (kind for mark, kind in _MARKS.items() if any(mark in piece for piece in pieces))
    found: Spelling = next(in_use, "plain") if spelling is None else spelling
    marks = any(piece.startswith(tuple(_MARKS)) for piece in pieces)
    sides = [0 if second is None or at < second else 1 for at in range(len(pieces))]
    texts, word = ["", ""], [-1, -1]
    sentences, words, spans = [], [], []
    for at, (piece, side) in enumerate(zip(pieces, sides, strict=True)):
        if piece in SPECIAL_PIECES:
            sentences.append(SPECIAL)
            words.append(SPECIAL)
            spans.append((0, 0))
            continue
        follows_word = at > 0 and sentences[-1] == side
        is_rest = not piece.startswith(tuple(_MARKS)) if marks else piece.startswith(_CONTINUES)
        begins = not (follows_word and is_rest)
        word[side] += begins
        texts[side] += " " if begins and texts[side] else ""
        first = len(texts[side])
        shown = label(piece, found).removeprefix(LEFT_TO_RIGHT_MARK)
        texts[side] += shown.removeprefix(_CONTINUES).removeprefix("␣") or shown
        sentences.append(side)
        words.append(word[side])
        spans.append((first, len(texts[side])))
    numbers = np.zeros(len(pieces), np.int32)
    return Tokens(
        text=texts[0],
        pair=None if second is None else texts[1],
        pieces=tuple(pieces),
        ids=numbers,
        segment_ids=np.array(sides, np.int32),
        position_ids=np.arange(len(pieces), dtype=np.int32),
        sentences=np.array(sentences, np.int32),
        words=np.array(words, np.int32),
        spans=np.array(spans, np.int32).reshape(-1, 2),
        has_segments=second is not None,
        spelling=found,
        has_ids=False,
    )
