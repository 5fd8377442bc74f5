"""The fingerprint of a tokenizer: of what it does, not of how it is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bertviz_app.checkpoint.tokenizer_class import word_pieces
from bertviz_app.text.classes.vocabulary import Declared, bert
from bertviz_app.text.tokenizer import Numbering, Tokenizer, tokenizer_fingerprint
from tests.support.older_tokenizers import of_vocabulary

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "The", "cafe", "café", "a", "##b", "我"]


def _vocabulary(folder: Path, pieces: list[str]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    return folder / "vocab.txt"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return _vocabulary(tmp_path, PIECES)


def _of(path: Path, max_tokens: int = 64, **options: Any) -> str:
    return tokenizer_fingerprint(of_vocabulary(path, max_tokens, **options))


def test_it_is_of_what_the_tokenizer_does(path: Path, tmp_path: Path) -> None:
    bert(word_pieces(path), Declared({})).save(str(tmp_path / "tokenizer.json"))
    stored = Tokenizer.from_json(tmp_path / "tokenizer.json", 64)
    assert tokenizer_fingerprint(stored) == _of(path)
    assert len(_of(path)) == 64


@pytest.mark.parametrize(
    "options", [{"do_lower_case": False}, {"strip_accents": False}, {"tokenize_chinese_chars": False}]
)
def test_another_option_gives_another(path: Path, options: dict[str, bool]) -> None:
    assert _of(path, **options) != _of(path)


def test_another_order_of_the_vocabulary_or_another_limit_gives_another(path: Path, tmp_path: Path) -> None:
    swapped = [*PIECES[:-2], PIECES[-1], PIECES[-2]]
    assert _of(_vocabulary(tmp_path / "other", swapped)) != _of(path)
    assert _of(_vocabulary(tmp_path / "longer", [*PIECES, "unused"])) != _of(path)
    assert _of(path, 63) != _of(path)


def test_other_positions_give_another(path: Path) -> None:
    shifted = of_vocabulary(path, 64, numbering=Numbering(first_position=2))
    assert tokenizer_fingerprint(shifted) != _of(path)


def test_a_tokenizer_without_room_for_any_text_has_one(path: Path) -> None:
    assert _of(path, 2) != _of(path)
