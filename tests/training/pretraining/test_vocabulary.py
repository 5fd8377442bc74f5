"""The vocabulary is WordPiece's, uncased, with Hangul in one piece; the files are those of a tokenizer."""

from __future__ import annotations

from pathlib import Path

import pytest

from bertviz_app.errors import FileError
from bertviz_app.text import Tokenizer
from bertviz_app.training.pretraining.vocabulary import (
    SPECIAL_PIECES,
    balanced,
    save_tokenizer,
    train_tokenizer,
)
from tests.support.training_texts import english, korean


def test_the_special_pieces_come_first_and_case_is_gone() -> None:
    backend = train_tokenizer([english(), korean()], 300)
    assert [backend.id_to_token(number) for number in range(5)] == list(SPECIAL_PIECES)
    assert backend.get_vocab_size() <= 300
    assert backend.encode("The CAT ate").tokens == backend.encode("the cat ate").tokens


def test_hangul_stays_composed_however_it_is_typed() -> None:
    backend = train_tokenizer([english(), korean()], 300)
    whole, apart = backend.encode("영화가"), backend.encode("\u110b\u1167\u11bc\u1112\u116a\u1100\u1161")
    assert whole.tokens == apart.tokens == ["[CLS]", "영화가", "[SEP]"]


def test_transformers_reads_the_same_tokens(tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    save_tokenizer(train_tokenizer([english(), korean()], 300), tmp_path, 48)
    (tmp_path / "config.json").write_text('{"model_type": "bert"}', encoding="utf-8")
    theirs = AutoTokenizer.from_pretrained(tmp_path)
    ours = Tokenizer.from_json(tmp_path / "tokenizer.json", 48)
    for pair in (("The cat sold Bread!", None), ("영화가 Good", "음악은 \u1112\u1161\u11ab")):
        tokens = ours.encode(*pair)
        found = theirs(*(text for text in pair if text is not None))
        assert found["input_ids"] == tokens.ids.tolist()
        assert found["token_type_ids"] == tokens.segment_ids.tolist()
    assert theirs.mask_token == "[MASK]"
    assert len((tmp_path / "vocab.txt").read_text("utf-8").splitlines()) == len(theirs)


def test_too_little_text_is_refused() -> None:
    with pytest.raises(FileError, match="pieces only"):
        train_tokenizer(["one two"], 300)


def test_no_corpus_gives_more_than_twice_the_smallest() -> None:
    large, small = ["a" * 10] * 100, ["b" * 10] * 3
    found = "".join(balanced([large, small]))
    assert found.count("a") == 60
    assert found.count("b") == 30
