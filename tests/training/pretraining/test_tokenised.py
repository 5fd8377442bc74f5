"""A corpus as numbers is the corpus, whatever part of it is taken."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from bertviz_app.errors import Cancelled, FileError
from bertviz_app.training.pretraining.vocabulary import (
    Tokenised,
    load_tokenised,
    save_tokenised,
    tokenise,
    train_tokenizer,
)
from bertviz_app.training.settings import sentences
from tests.support.training_texts import english, korean

DOCUMENTS = [*english(6).split("\n\n"), "\u200b", *korean(5).split("\n")]
BACKEND = train_tokenizer(DOCUMENTS, 300)


def _documents(corpus: Tokenised) -> list[list[list[int]]]:
    starts = corpus.sentence_starts
    found = [corpus.ids[a:b].tolist() for a, b in pairwise(starts)]
    owners = corpus.document_starts
    return [found[a:b] for a, b in pairwise(owners)]


def test_every_sentence_has_its_ids_and_empty_documents_are_gone() -> None:
    expected = [
        [BACKEND.encode(sentence, add_special_tokens=False).ids for sentence in sentences(document)]
        for document in DOCUMENTS
        if document != "\u200b"
    ]
    found = tokenise(DOCUMENTS, BACKEND)
    assert _documents(found) == expected
    assert found.ids.dtype == np.uint16


def test_a_part_has_the_documents_asked_for() -> None:
    whole = tokenise(DOCUMENTS, BACKEND)
    chosen = np.array([1, 2, 8])
    assert _documents(whole.part(chosen)) == [_documents(whole)[number] for number in chosen]
    assert whole.part(np.zeros(0, np.int64)).n_documents == 0


def test_it_is_kept_and_read_again(tmp_path: Path) -> None:
    whole = tokenise(DOCUMENTS, BACKEND)
    save_tokenised(whole, tmp_path / "a.npz")
    assert _documents(load_tokenised(tmp_path / "a.npz")) == _documents(whole)


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 half of one"])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(FileError, match=r"a\.npz"):
        load_tokenised(tmp_path / "a.npz")


def test_it_can_be_stopped() -> None:
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        tokenise(DOCUMENTS, BACKEND, stop)
