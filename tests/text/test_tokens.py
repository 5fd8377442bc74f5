"""Tests of `Tokens`: read-only, and judged when they are made."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from bertviz_app.text.tokens import BERT_NAMES, SPECIAL, SpecialNames
from tests.support.factories import make_tokens

ARRAYS = ("ids", "segment_ids", "position_ids", "sentences", "words", "spans")


def test_they_cannot_be_changed() -> None:
    tokens = make_tokens(5)
    with pytest.raises(FrozenInstanceError):
        setattr(tokens, ARRAYS[0], tokens.ids)
    for name in ARRAYS:
        with pytest.raises(ValueError, match="read-only"):
            getattr(tokens, name)[0] = 0


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_of_another_shape_or_type_is_refused(name: str) -> None:
    tokens = make_tokens(5)
    array = getattr(tokens, name)
    for wrong in (array[:-1], array.astype(np.int64), array[..., None]):
        with pytest.raises(ValueError, match=f"{name} must be int32"):
            replace(tokens, **{name: wrong})


def test_their_number() -> None:
    assert len(make_tokens(5)) == 5


def test_the_names_of_special_tokens_are_the_texts_own() -> None:
    tokens = make_tokens(6, pair=True)
    assert tokens.special_names == SpecialNames("[CLS]", "[SEP]")
    roberta = replace(tokens, pieces=("<s>", *tokens.pieces[1:-1], "</s>"))
    assert roberta.special_names == SpecialNames("<s>", "</s>")
    bare = replace(tokens, sentences=np.zeros(6, np.int32))
    assert bare.special_names == BERT_NAMES
    alone = replace(roberta, sentences=np.array([SPECIAL, 0, 0, 0, 0, 0], np.int32))
    assert alone.special_names == SpecialNames("<s>", "[SEP]")
