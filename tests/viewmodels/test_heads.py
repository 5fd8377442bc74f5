"""Token orders against sums by hand, the pinned pair in every head, and the head that opens first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtWidgets import QApplication

from bertviz_app import paths
from bertviz_app.analysis.attention.stamp import AttentionNumbers
from bertviz_app.analysis.compare import AttentionMatrix
from bertviz_app.analysis.measures import head_measures, head_overview
from bertviz_app.api import open_model
from bertviz_app.options import Run
from bertviz_app.text import Tokenizer, Tokens
from bertviz_app.text.tokens import SPECIAL
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.heads.pictures import PREVIOUS_TOKEN, first_head
from bertviz_app.viewmodels.heads.places import TokenOrder, order_of
from bertviz_app.viewmodels.inspected import PinnedPair
from bertviz_app.viewmodels.pointer import Pointer, Selection
from bertviz_app.viewmodels.state import DrawOptions, Pair, Sentences
from tests.support.factories import dense, make_trace, random_trace
from tests.support.scene import not_none

# [CLS] un ##happy cat , [SEP] dogs . [SEP]
PIECES = ("[CLS]", "un", "##happy", "cat", ",", "[SEP]", "dogs", ".", "[SEP]")
SENTENCE = (SPECIAL, 0, 0, 0, 0, SPECIAL, 1, 1, SPECIAL)
WORDS = (SPECIAL, 0, 0, 1, 2, SPECIAL, 0, 1, SPECIAL)
SPANS = ((0, 0), (0, 2), (2, 7), (8, 11), (11, 12), (0, 0), (0, 4), (4, 5), (0, 0))


def _array(values: object) -> NDArray[np.int32]:
    return np.array(values, np.int32)


def _tokens(text: str, pair: str | None, pieces: tuple[str, ...], *of_each: object) -> Tokens:
    """Return tokens of these sentences, words and spans."""
    positions = np.arange(len(pieces), dtype=np.int32)
    sentences, words, spans = map(_array, of_each)
    segments = (sentences == 1).astype(np.int32)
    return Tokens(text, pair, pieces, 1000 + positions, segments, positions, sentences, words, spans)


@pytest.fixture
def tokens() -> Tokens:
    return _tokens("unhappy cat,", "dogs.", PIECES, SENTENCE, WORDS, SPANS)


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


Selections = dict[Run, Selection]


@pytest.fixture
def selections(qapp: QApplication) -> Selections:
    return Pointer().selections


@pytest.fixture
def pinned(selections: Selections) -> PinnedPair:
    return PinnedPair(selections["A"].pointer)


_EVERY = 12  # sentences: five in each language


def _sentences(*languages: str) -> list[str]:
    found: list[str] = []
    for language in languages:
        text = (paths.resources() / "examples" / f"sentences_{language}.txt").read_text(encoding="utf-8")
        found += [line for line in text.splitlines() if line.strip()][::_EVERY]
    return found


def test_words_are_joined_and_named_as_in_the_text(tokens: Tokens) -> None:
    token_order = order_of(tokens, DrawOptions(joins_words=True))
    assert token_order.queries.labels == ("[CLS]", "unhappy", "cat", ",", "[SEP]", "dogs", ".", "[SEP]")
    assert [token_order.queries.place(token) for token in range(9)] == [0, 1, 1, 2, 3, 4, 5, 6, 7]
    assert [token_order.queries.token(place) for place in range(8)] == [0, 1, 3, 4, 5, 6, 7, 8]


def test_equal_words_beside_each_other_and_the_first_words_of_two_sentences_stay_apart() -> None:
    tokens = _tokens("a", "b", ("a", "b"), [0, 1], [0, 0], [[0, 1], [0, 1]])
    assert order_of(tokens, DrawOptions(joins_words=True)).queries.labels == ("a", "b")


@pytest.mark.parametrize(
    ("sentences", "queries", "keys"), [("ab", range(6), range(6, 9)), ("ba", range(6, 9), range(6))]
)
def test_a_sentence_looks_at_a_sentence(
    tokens: Tokens, sentences: Sentences, queries: range, keys: range
) -> None:
    token_order = order_of(tokens, DrawOptions(sentences=sentences))
    assert token_order.queries.starts.tolist() == list(queries)
    assert token_order.keys.starts.tolist() == list(keys)


@pytest.mark.parametrize(
    ("sentences", "joins", "renormalises", "hides"),
    [
        *(("all", False, False, True), ("all", True, True, True), ("aa", False, True, False)),
        *(("ab", True, False, False), ("ba", False, True, True), ("bb", True, False, True)),
    ],
)
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


def test_where_nothing_would_be_left_everything_is_shown() -> None:
    sentences, words = (SPECIAL, 0, 0, SPECIAL), (SPECIAL, 0, 1, SPECIAL)
    spans = [[0, 0], [0, 1], [1, 2], [0, 0]]
    tokens = _tokens("!?", None, ("[CLS]", "!", "?", "[SEP]"), sentences, words, spans)
    token_order = order_of(tokens, DrawOptions(hides_special=True, hides_punctuation=True))
    assert token_order.is_plain


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


def test_a_pinned_pair_has_its_weight_in_every_head(pinned: PinnedPair, selections: Selections) -> None:
    trace = make_trace(9)
    pinned.show("A", AttentionNumbers(trace))
    selections["A"].pin(7, 2)
    found = not_none(pinned.of("A"))
    assert (found.title, found.tokens, found.numbers.trace) == ("w7 → w2", Pair(7, 2), trace)
    np.testing.assert_array_equal(found.column.weights, trace.attention(rows=slice(7, 8))[:, :, 0, 2])
    strongest = found.strongest()
    assert len(strongest) == 3
    assert strongest[0].weight == found.column.weights.max()
    assert found.fits(head_overview(trace))
    assert not found.fits(head_overview(make_trace(9, 4)))


def test_run_b_has_a_pair_of_its_own_until_it_is_dropped(pinned: PinnedPair, selections: Selections) -> None:
    pinned.show("A", AttentionNumbers(make_trace(9)))
    pinned.show("B", AttentionNumbers(make_trace(12, seed=1)))
    selections["A"].pin(7, 2)
    assert pinned.of("B") is None
    selections["B"].show(Pair(10, 2))
    found = not_none(pinned.of("B"))
    assert found.title == "w10 → w2"
    changes: list[None] = []
    pinned.changed.connect(lambda: changes.append(None))
    pinned.drop("B")
    assert pinned.of("B") is None
    assert len(changes) == 1
    pinned.drop("B")
    assert len(changes) == 1


def test_of_two_runs_there_is_the_difference_in_the_heads_of_both(
    pinned: PinnedPair, selections: Selections
) -> None:
    one, other = make_trace(9), make_trace(8, n_layers=3, n_heads=2, seed=1)
    pinned.show("A", AttentionNumbers(one))
    selections["A"].pin(7, 2)
    assert pinned.difference() is None
    pinned.show("B", AttentionNumbers(other))
    selections["B"].show(Pair(query=6))
    assert pinned.difference() is None  # half of it has no counterpart
    selections["B"].show(Pair(6, 2))
    found = not_none(pinned.difference())
    expected = one.attention()[:, :2, 7, 2] - other.attention()[:2, :, 6, 2]
    np.testing.assert_allclose(found.values, expected, atol=1e-6)
    assert found.title == "w7 → w2 | w6 → w2"
    layer, head = np.unravel_index(np.abs(expected).argmax(), expected.shape)
    assert found.farthest == (int(layer), int(head))
    expected_weights = one.attention()[1, 1, 7, 2], other.attention()[1, 1, 6, 2]
    assert found.weights(1, 1) == pytest.approx(expected_weights, rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", PREVIOUS_TOKEN)
def test_it_looks_at_the_token_before_in_every_example_sentence(name: str, minilm: Path) -> None:
    is_english = name == "all-MiniLM-L6-v2"
    model = open_model(str(minilm) if is_english else name)
    sentences = _sentences("en") if is_english else _sentences("en", "ko")
    assert len(sentences) >= 5
    layer, head = PREVIOUS_TOKEN[name]
    for sentence in sentences:
        trace = model.trace(sentence)
        assert first_head(name, trace) == (layer, head)
        shares = head_measures(trace)["previous"]
        assert shares[layer, head] >= 0.9, sentence
        assert shares[layer, head] == shares.max(), sentence
