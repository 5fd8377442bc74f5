"""Why a word is cut where it is: the steps end in the pieces of the encoding, in every kind of tokenizer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app.checkpoint.config import read_config
from bertviz_app.checkpoint.tokenizer_build import read_tokenizer
from bertviz_app.errors import TextError
from bertviz_app.text import Tokenizer
from tests.support.older_tokenizers import of_vocabulary
from tests.support.tokenizer_layouts import LINES, WRITERS


def _opened(name: str, folder: Path) -> Tokenizer:
    WRITERS[name](folder)
    return read_tokenizer(folder, read_config(folder / "config.json"))


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("bert, other names", 0.98),
        ("mpnet", 0.99),
        ("roberta", 0.99),
        ("deberta", 0.99),
        ("herbert", 0.99),
        ("xlm-roberta", 0.99),
        ("albert", 0.99),
        ("deberta-v2", 0.99),
        ("big bird", 0.99),
    ],
)
def test_the_steps_end_in_the_pieces_of_the_encoding(name: str, least: float, tmp_path: Path) -> None:
    tokenizer = _opened(name, tmp_path)
    n_words = n_explained = 0
    for line in LINES[:120]:
        try:
            tokens = tokenizer.encode(line)
        except TextError:
            continue
        for position in np.flatnonzero(~tokens.is_special):
            n_words += 1
            why = tokenizer.why_cut(tokens, int(position))
            if why is None:
                continue
            n_explained += 1
            is_word = tokens.words == tokens.words[position]
            assert why.pieces == tuple(tokens.pieces[at] for at in np.flatnonzero(is_word))
            if why.kind == "merges":
                assert (why.merges[-1].parts if why.merges else why.begins) or not why.pieces
                assert all(one.pair[0] and one.pair[1] for one in why.merges)
    assert n_explained >= least * n_words > 1_000


def _vocabulary(folder: Path, *pieces: str) -> Path:
    path = folder / "vocab.txt"
    special = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    path.write_text("".join(f"{piece}\n" for piece in (*special, *pieces)), "utf-8")
    return path


def test_word_pieces_are_tried_from_the_longest(tmp_path: Path) -> None:
    tokenizer = of_vocabulary(_vocabulary(tmp_path, "un", "##fair", "##a"), 64, do_lower_case=True)
    why = tokenizer.why_cut(tokenizer.encode("so Unfair"), 2)
    assert why is not None
    assert (why.typed, why.normal, why.word, why.kind) == ("Unfair", "unfair", "unfair", "pieces")
    tries = [(one.piece, one.is_found) for one in why.tries]
    begin = [(name, False) for name in ("unfair", "unfai", "unfa", "unf")]
    assert tries == [*begin, ("un", True), ("##fair", True)]
    assert why.pieces == ("un", "##fair")


def test_what_has_no_piece_at_some_place_is_unknown_as_a_whole(tmp_path: Path) -> None:
    tokenizer = of_vocabulary(_vocabulary(tmp_path, "un", "##a"), 64, do_lower_case=True)
    why = tokenizer.why_cut(tokenizer.encode("unq"), 1)
    assert why is not None
    assert [one.piece for one in why.tries] == ["unq", "un", "##q"]
    assert why.pieces == ("[UNK]",)
    too_long = tokenizer.why_cut(tokenizer.encode("u" * 101), 1)
    assert too_long is not None
    assert too_long.is_too_long


def test_an_uncased_model_takes_syllables_apart(tmp_path: Path) -> None:
    tokenizer = of_vocabulary(_vocabulary(tmp_path, "\u1112", "##\u1161", "##\u11ab"), 64, do_lower_case=True)
    why = tokenizer.why_cut(tokenizer.encode("\ud55c"), 1)  # T5: 한
    assert why is not None
    assert why.syllables == (("\ud55c", "\u1112 \u1161 \u11ab"),)
    assert why.pieces == ("\u1112", "##\u1161", "##\u11ab")
    cased = of_vocabulary(_vocabulary(tmp_path, "\ud55c"), 64, do_lower_case=False)
    kept = cased.why_cut(cased.encode("\ud55c"), 1)
    assert kept is not None
    assert (kept.syllables, kept.pieces) == ((), ("\ud55c",))


def test_special_tokens_and_tokenizers_in_python_have_no_steps(tmp_path: Path) -> None:
    tokenizer = of_vocabulary(_vocabulary(tmp_path, "a"), 64)
    tokens = tokenizer.encode("a [MASK]")
    assert tokenizer.why_cut(tokens, 0) is None
    mask = tokenizer.why_cut(tokens, 2)
    assert mask is not None
    assert mask.kind == "added"
    (tmp_path / "phobert").mkdir()
    other = _opened("phobert", tmp_path / "phobert")
    assert other.why_cut(other.encode("cat"), 1) is None
