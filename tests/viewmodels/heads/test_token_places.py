"""Token orders: pieces joined, tokens left out, rows made whole again; all against slow sums by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bertviz_app.analysis.matrices import AttentionMatrix
from bertviz_app.text import Tokenizer, Tokens
from bertviz_app.text.tokens import SPECIAL
from bertviz_app.types import Doubles, Floats
from bertviz_app.viewmodels.heads.token_places import TokenOrder, order_of
from bertviz_app.viewmodels.options import SENTENCES, DrawOptions, Sentences
from tests.support.factories import dense, make_tokens, random_trace, trace_of

# [CLS] un ##happy cat , [SEP] dogs . [SEP]
PIECES = ("[CLS]", "un", "##happy", "cat", ",", "[SEP]", "dogs", ".", "[SEP]")
SENTENCE = (SPECIAL, 0, 0, 0, 0, SPECIAL, 1, 1, SPECIAL)
WORDS = (SPECIAL, 0, 0, 1, 2, SPECIAL, 0, 1, SPECIAL)
SPANS = ((0, 0), (0, 2), (2, 7), (8, 11), (11, 12), (0, 0), (0, 4), (4, 5), (0, 0))


def _array(values: object) -> NDArray[np.int32]:
    return np.array(values, np.int32)


@pytest.fixture
def tokens() -> Tokens:
    positions = np.arange(len(PIECES), dtype=np.int32)
    segments = _array([0] * 6 + [1] * 3)
    return Tokens(
        "unhappy cat,",
        "dogs.",
        PIECES,
        1000 + positions,
        segments,
        positions,
        _array(SENTENCE),
        _array(WORDS),
        _array(SPANS),
    )


def _groups(token_order: TokenOrder) -> tuple[list[list[int]], list[list[int]]]:
    queries, keys = (
        [list(range(a, b)) for a, b in zip(side.starts.tolist(), side.ends.tolist(), strict=True)]
        for side in (token_order.queries, token_order.keys)
    )
    return queries, keys


def _by_hand(weights: Doubles, token_order: TokenOrder, *, renormalises: bool) -> Doubles:
    """Mean over the query's tokens of the sum over the key's, cell by cell."""
    queries, keys = _groups(token_order)
    table = [
        [sum(sum(weights[i, j] for j in key) for i in query) / len(query) for key in keys]
        for query in queries
    ]
    made = np.array(table)
    return made / made.sum(1, keepdims=True) if renormalises else made


def test_as_it_is_every_token_is_a_place(tokens: Tokens) -> None:
    token_order = order_of(tokens, DrawOptions())
    assert token_order.is_plain
    assert token_order.queries.labels == tokens.labels
    assert [token_order.keys.place(token) for token in range(9)] == list(range(9))


def test_words_are_joined_and_named_as_in_the_text(tokens: Tokens) -> None:
    token_order = order_of(tokens, DrawOptions(joins_words=True))
    assert token_order.queries.labels == ("[CLS]", "unhappy", "cat", ",", "[SEP]", "dogs", ".", "[SEP]")
    assert [token_order.queries.place(token) for token in range(9)] == [0, 1, 1, 2, 3, 4, 5, 6, 7]
    assert [token_order.queries.token(place) for place in range(8)] == [0, 1, 3, 4, 5, 6, 7, 8]


def test_equal_words_beside_each_other_and_the_first_words_of_two_sentences_stay_apart() -> None:
    tokens = Tokens(
        "a",
        "b",
        ("a", "b"),
        _array([0, 1]),
        _array([0, 1]),
        _array([0, 1]),
        _array([0, 1]),
        _array([0, 0]),
        _array([[0, 1], [0, 1]]),
    )
    assert order_of(tokens, DrawOptions(joins_words=True)).queries.labels == ("a", "b")


def test_special_tokens_and_punctuation_can_be_left_out(tokens: Tokens) -> None:
    token_order = order_of(tokens, DrawOptions(hides_special=True, hides_punctuation=True))
    assert token_order.keys.labels == ("un", "##happy", "cat", "dogs")
    assert [token_order.keys.place(token) for token in range(9)] == [None, 0, 1, 2, None, None, 3, None, None]


@pytest.mark.parametrize(
    ("sentences", "queries", "keys"),
    [
        ("all", range(9), range(9)),
        ("aa", range(6), range(6)),
        ("ab", range(6), range(6, 9)),
        ("ba", range(6, 9), range(6)),
        ("bb", range(6, 9), range(6, 9)),
    ],
)
def test_a_sentence_looks_at_a_sentence(
    tokens: Tokens, sentences: Sentences, queries: range, keys: range
) -> None:
    token_order = order_of(tokens, DrawOptions(sentences=sentences))
    assert token_order.queries.starts.tolist() == list(queries)
    assert token_order.keys.starts.tolist() == list(keys)


def test_joined_words_leave_nothing_out_of_a_row(tokens: Tokens) -> None:
    class Lengths(AttentionMatrix):
        def rows(self, at: slice | NDArray[np.intp]) -> Floats:
            doubled: Floats = 2 * super().rows(at)
            return doubled

    joined = order_of(tokens, DrawOptions(joins_words=True, renormalises=True))
    assert not joined.is_plain
    assert not joined.rescales
    found = joined.weights(Lengths(random_trace(tokens), 1, 2), 0, len(joined.queries))
    np.testing.assert_allclose(found.sum(1), 2, atol=1e-5)
    assert order_of(tokens, DrawOptions(hides_special=True, renormalises=True)).rescales


@pytest.mark.parametrize("sentences", SENTENCES)
@pytest.mark.parametrize("joins", [False, True])
@pytest.mark.parametrize("renormalises", [False, True])
@pytest.mark.parametrize("hides", [False, True])
def test_the_weights_are_those_summed_by_hand(
    tokens: Tokens, sentences: Sentences, joins: bool, renormalises: bool, hides: bool
) -> None:
    trace = random_trace(tokens)
    options = DrawOptions(
        sentences=sentences,
        joins_words=joins,
        renormalises=renormalises,
        hides_special=hides,
        hides_punctuation=hides,
    )
    token_order = order_of(tokens, options)
    weights = token_order.weights(AttentionMatrix(trace, 1, 2), 0, len(token_order.queries))
    is_whole = token_order.is_plain
    expected = _by_hand(dense(trace)[1, 2], token_order, renormalises=renormalises and not is_whole)
    np.testing.assert_allclose(weights, expected, atol=2e-6)
    for query in range(len(token_order.queries)):
        np.testing.assert_allclose(
            token_order.weights(AttentionMatrix(trace, 1, 2), query, query + 1)[0], expected[query], atol=2e-6
        )


def test_a_word_by_hand() -> None:
    """Two pieces look at the third token with 0.2 and 0.6: the word does with 0.4."""
    attention = np.array([[0.5, 0.3, 0.2], [0.1, 0.3, 0.6], [0.25, 0.25, 0.5]])
    tokens = Tokens(
        "unhappy cat",
        None,
        ("un", "##happy", "cat"),
        _array([0, 0, 0]),
        _array([0, 0, 0]),
        _array([0, 0, 0]),
        _array([0, 0, 0]),
        _array([0, 0, 1]),
        _array([[0, 2], [2, 7], [8, 11]]),
    )
    token_order = order_of(tokens, DrawOptions(joins_words=True))
    weights = token_order.weights(AttentionMatrix(trace_of(attention[None, None], tokens), 0, 0), 0, 2)
    np.testing.assert_allclose(weights, [[0.6, 0.4], [0.5, 0.5]], atol=1e-6)


def test_where_nothing_would_be_left_everything_is_shown() -> None:
    tokens = Tokens(
        "!?",
        None,
        ("[CLS]", "!", "?", "[SEP]"),
        _array([0, 0, 0, 0]),
        _array([0, 0, 0, 0]),
        _array([0, 0, 0, 0]),
        _array([SPECIAL, 0, 0, SPECIAL]),
        _array([SPECIAL, 0, 1, SPECIAL]),
        _array([[0, 0], [0, 1], [1, 2], [0, 0]]),
    )
    token_order = order_of(tokens, DrawOptions(hides_special=True, hides_punctuation=True))
    assert token_order.is_plain


def test_without_a_second_sentence_the_choice_of_sentences_changes_nothing() -> None:
    assert order_of(make_tokens(5), DrawOptions(sentences="ab")).is_plain


@pytest.mark.parametrize(
    "wrong", [{"sentences": "ac"}, {"scale": "cube"}, {"colours": "jet"}, {"threshold": 1.5}]
)
def test_options_that_do_not_exist_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        DrawOptions(**wrong)  # type: ignore[arg-type]


def test_words_between_spaces_are_joined_with_their_signs(tiny_bert: Path) -> None:
    tokenizer = Tokenizer.from_json(tiny_bert / "tokenizer.json", 64)
    tokens = tokenizer.encode("I can't, 3.14 고양이가\u3000x", "(a b)")
    order = order_of(tokens, DrawOptions(joins_at_spaces=True))
    expected = ["i", "can't,", "3.14", "고양이가", "x", "(a", "b)"]
    assert [one for one in order.queries.labels if not one.startswith("[")] == expected
    by_tokenizer = order_of(tokens, DrawOptions(joins_words=True)).queries.labels
    assert len(by_tokenizer) > len(order.queries.labels)
    both = order_of(tokens, DrawOptions(joins_words=True, joins_at_spaces=True))
    assert both.queries.labels == order.queries.labels
    assert tokens.space_words[0] == SPECIAL
