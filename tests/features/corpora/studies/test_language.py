"""Heads against parses and coreference, worked out by hand and anew by loops over words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bertviz_app import open_model
from bertviz_app.analysis.parameters import SILENT, Reporter
from bertviz_app.errors import AnalysisError, Cancelled
from bertviz_app.features.corpora.studies.marked_texts import read_mentions, read_parses
from bertviz_app.features.corpora.studies.relations import (
    DIRECTIONS,
    CoreferenceParameters,
    RelationParameters,
    head_coreference,
    head_relations,
)
from bertviz_app.features.corpora.studies.statistics import wilson
from bertviz_app.features.corpora.studies.study import Measured
from bertviz_app.paths import resources
from bertviz_app.text import Tokens
from bertviz_app.text.tokens import NO_UNIT, word_units
from bertviz_app.text_tables.items import ROOT, Item
from bertviz_app.trace import Trace
from tests.support.factories import trace_of
from tests.support.studied import measured_by, measured_of, run_here

EXAMPLES = resources() / "examples"


def _tokens(text: str, *pieces: tuple[str, int, int]) -> Tokens:
    """Return [CLS], pieces with their spans, [SEP]."""
    names = ("[CLS]", *(piece for piece, _, _ in pieces), "[SEP]")
    n_tokens = len(names)
    numbers = np.arange(n_tokens, dtype=np.int32)
    is_special = np.array([True, *[False] * len(pieces), True])
    spans = np.array([(0, 0), *((start, end) for _, start, end in pieces), (0, 0)], np.int32)
    inside = np.where(is_special, -1, 0).astype(np.int32)
    return Tokens(
        text, None, names, numbers, np.zeros(n_tokens, np.int32), numbers.copy(), inside, inside.copy(), spans
    )


# words and tokens


def test_units_of_pieces_of_words() -> None:
    tokens = _tokens("hungry cats.", ("hung", 0, 3), ("##ry", 3, 6), (" cats", 6, 11), (".", 11, 12))
    units = word_units(tokens, [(0, 6), (7, 11), (11, 12)])
    assert units.of_word.tolist() == [0, 1, 2]
    assert units.of_token.tolist() == [NO_UNIT, 0, 0, 1, 2, NO_UNIT]
    assert units.tokens_of(0).tolist() == [1, 2]


def test_words_in_one_token_are_one_unit_and_words_without_a_token_none() -> None:
    tokens = _tokens("don't go far", ("don't", 0, 5), ("go", 6, 8))
    units = word_units(tokens, [(0, 2), (2, 5), (6, 8), (9, 12)])
    assert units.of_word.tolist() == [0, 0, 1, NO_UNIT]
    assert units.count == 2
    assert not len(units.tokens_of(3))


def test_weights_to_a_word_are_added_and_from_a_word_averaged() -> None:
    tokens = _tokens("ab c", ("a", 0, 1), ("##b", 1, 2), ("c", 3, 4))
    units = word_units(tokens, [(0, 2), (3, 4)])
    weights = np.array(
        [
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [0.1, 0.2, 0.3, 0.3, 0.1],
            [0.0, 0.4, 0.2, 0.4, 0.0],
            [0.0, 0.1, 0.5, 0.2, 0.2],
            [0.0, 0.0, 0.0, 0.0, 1.0],
        ],
        np.float32,
    )
    expected = [[(0.5 + 0.6) / 2, (0.3 + 0.4) / 2], [0.6, 0.2]]
    np.testing.assert_allclose(units.between(weights), expected, atol=1e-7)


# relations


@pytest.fixture
def parsed() -> Measured:
    """“the cat sat”, head 0 of which looks at the next word, head 1 at the one before, and both at itself."""
    item = Item(1, "the cat sat", marks=((0, 3, "det"), (4, 7, "nsubj"), (8, 11, "root")), heads=(1, 2, ROOT))
    tokens = _tokens(item.text, ("the", 0, 3), ("cat", 4, 7), ("sat", 8, 11))
    attention = np.full((1, 2, 5, 5), 0.02)
    for at in range(5):
        attention[0, 0, at, min(at + 1, 4)] = attention[0, 1, at, max(at - 1, 0)] = 0.4
        attention[0, :, at, at] = 0.54
    attention[0, 0, 3, 1] = attention[0, 1, 1, 3] = 0.03
    attention /= attention.sum(-1, keepdims=True)
    return measured_of({item: trace_of(attention, tokens)})


def test_relations_by_hand(parsed: Measured) -> None:
    result = run_here(head_relations, parsed, RelationParameters(), SILENT)
    assert result.relations == ("all", "det", "nsubj")
    # Head 0: a dependent looks at the next word, its head. Head 1: the word that looks most at a dependent is
    # the next one, which is its head, too.
    for name in (0, 1, 2):
        assert result.named["accuracy"][name, 0, 0].tolist() == [1, 0]
        assert result.named["accuracy"][name, 1, 0].tolist() == [0, 1]
    assert result.named["count"].tolist() == [2, 1, 1]
    row = next(iter(result.as_table().rows))
    assert row[:5] == ("all", DIRECTIONS[0], 2, 0, 0)
    assert row[8:] == (1, 1.0)
    assert result.named["best"][0, 1, :2].tolist() == [0, 1]
    assert result.named["best"][0, 1, 5] == -1
    assert result.identity_error < 1e-6
    assert [(one.relation, one.dependent) for one in result.examples] == [("det", 0), ("nsubj", 1)]
    assert result.examples[0].item.heads == (1, 2, ROOT)


def test_a_word_may_find_itself_where_that_is_asked_for(parsed: Measured) -> None:
    result = run_here(head_relations, parsed, RelationParameters(includes_self=True), SILENT)
    assert not result.named["accuracy"].any()


def test_subtypes_are_joined_and_few_words_left_out(parsed: Measured) -> None:
    (unit,) = parsed.units
    labels = ("nsubj:pass", "nsubj", "root")
    marks = tuple((*mark[:2], label) for mark, label in zip(unit.item.marks, labels, strict=True))
    measured = replace(parsed, units=[replace(unit, item=replace(unit.item, marks=marks))])
    apart = run_here(head_relations, measured, RelationParameters(), SILENT)
    assert set(apart.relations) == {"all", "nsubj", "nsubj:pass"}
    joined = run_here(head_relations, measured, RelationParameters(joins_subtypes=True, least=2), SILENT)
    assert joined.relations == ("all", "nsubj")
    few = run_here(head_relations, measured, RelationParameters(least=2), SILENT)
    assert few.relations == ("all",)
    assert few.facts["left out: relations of few words"] == 2


def test_sentences_of_two_words_are_left_out(parsed: Measured) -> None:
    """Each word could find but the other one: every head would be right."""
    two = Item(2, "the cat", marks=((0, 3, "det"), (4, 7, "root")), heads=(1, ROOT))
    trace = trace_of(np.full((1, 2, 4, 4), 0.25), _tokens("the cat", ("the", 0, 3), ("cat", 4, 7)))
    (unit,) = parsed.units
    both = measured_of({unit.item: parsed.record(unit.tokens), two: trace})
    found = run_here(head_relations, both, RelationParameters(), SILENT)
    alone = run_here(head_relations, parsed, RelationParameters(), SILENT)
    np.testing.assert_array_equal(found.named["accuracy"], alone.named["accuracy"])
    assert (found.facts["words"], found.facts["left out: no other word to look at"]) == (2, 1)
    itself = run_here(head_relations, both, RelationParameters(includes_self=True), SILENT)
    assert (itself.facts["words"], itself.facts["left out: no other word to look at"]) == (3, 0)
    with pytest.raises(AnalysisError, match="No word of the file has a head"):
        run_here(head_relations, measured_of({two: trace}), RelationParameters(), SILENT)


def test_file_without_pairs_is_refused() -> None:
    item = Item(1, "sat", marks=((0, 3, "root"),), heads=(ROOT,))
    tokens = _tokens("sat", ("sat", 0, 3))
    measured = measured_of({item: trace_of(np.full((1, 1, 3, 3), 1 / 3), tokens)})
    with pytest.raises(AnalysisError, match="No word of the file has a head"):
        run_here(head_relations, measured, RelationParameters(), SILENT)


def _naive(trace: Trace, item: Item, layer: int, head: int, way: int) -> int:
    """Return how many words a head finds, by loops over characters, words and tokens."""
    weights = trace.attention(layer, head).astype(np.float64)
    spans, sentences = trace.tokens.spans.tolist(), trace.tokens.sentences.tolist()

    def pieces(mark: tuple[int, int, str]) -> list[int]:
        wanted = set(range(*mark[:2]))
        return [
            at
            for at, span in enumerate(spans)
            if sentences[at] == 0 and wanted & {c for c in range(*span) if not trace.tokens.text[c].isspace()}
        ]

    of_words = [pieces(mark) for mark in item.marks]
    n_words = len(of_words)
    between = [
        [np.mean([sum(weights[q, k] for k in of_words[j]) for q in of_words[i]]) for j in range(n_words)]
        for i in range(n_words)
    ]
    n_found = 0
    for dependent, its_head in enumerate(item.heads):
        if its_head == ROOT:
            continue
        others = [at for at in range(n_words) if at != dependent]
        if way == 0:
            n_found += max(others, key=lambda at: between[dependent][at]) == its_head
        elif way == 1:
            n_found += max(others, key=lambda at: between[at][dependent]) == its_head
        else:
            others = [at for at in range(n_words) if at != its_head]
            n_found += max(others, key=lambda at: between[its_head][at]) == dependent
    return n_found


@pytest.mark.parametrize("language", ["en", "ko"])
def test_relations_are_those_of_loops_over_words(language: str, tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    # Without words that the tokenizer has in one token or not at all, which the loops do not know.
    items = list(read_parses(EXAMPLES / f"parses_{language}.conllu"))[:6]
    items = [item for item in items if "'" not in item.text]
    measured = measured_by(model, items)
    by_column = run_here(head_relations, measured, RelationParameters(), SILENT, block=2)
    by_row = run_here(head_relations, measured, RelationParameters(other_way="row"), SILENT, block=3)
    n_words = sum(len(item.heads) - 1 for item in items)
    assert by_column.facts["words"] == n_words
    np.testing.assert_array_equal(by_column.named["accuracy"][:, 0], by_row.named["accuracy"][:, 0])
    traces = [model.trace(item.text) for item in items]
    for layer, head in ((0, 0), (1, 3), (1, 1)):
        for way, found in ((0, by_column), (1, by_column), (2, by_row)):
            expected = sum(
                _naive(trace, item, layer, head, way) for trace, item in zip(traces, items, strict=True)
            )
            share = found.named["accuracy"][0, min(way, 1), layer, head]
            assert share == pytest.approx(expected / n_words, abs=1e-6)


def test_best_offset_is_that_of_the_file(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    items = list(read_parses(EXAMPLES / "parses_en.conllu"))
    result = run_here(head_relations, measured_by(model, items), RelationParameters(), SILENT)
    distances = [
        head - at
        for item in items
        for at, (head, mark) in enumerate(zip(item.heads, item.marks, strict=True))
        if mark[2] == "det"
    ]
    row = next(row for row in result.as_table().rows if row[:2] == ("det", DIRECTIONS[0]))
    assert row[8] == max(set(distances), key=distances.count) == 1
    assert row[9] == pytest.approx(distances.count(1) / len(distances), abs=1e-6)


def test_study_is_cancelled(parsed: Measured) -> None:
    def check() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        run_here(head_relations, parsed, RelationParameters(), Reporter(check))


def test_interval_is_that_of_published_examples() -> None:
    # Newcombe 1998, Statistics in Medicine 17, table I, method 3.
    low, high = wilson([81, 15, 0, 1], [263, 148, 20, 29])
    np.testing.assert_allclose(low, [0.2553, 0.0624, 0.0, 0.0061], atol=5e-5)
    np.testing.assert_allclose(high, [0.3662, 0.1605, 0.1611, 0.1718], atol=5e-5)
    assert np.isnan(wilson(0, 0)[0])


# coreference


def _row(text: str, *marks: tuple[str, str]) -> Item:
    return Item(
        1, text, marks=tuple((text.index(word), text.index(word) + len(word), kind) for word, kind in marks)
    )


def _looking(text: str, words: list[str], weights: list[float]) -> Trace:
    """Return the trace of one head, whose every token looks at words with these weights."""
    spans = [(word, text.index(word), text.index(word) + len(word)) for word in words]
    tokens = _tokens(text, *spans)
    attention = np.full((1, 1, len(tokens), len(tokens)), 1e-6)
    attention[..., 1:-1] += weights
    return trace_of(attention / attention.sum(-1, keepdims=True), tokens)


def test_coreference_by_hand() -> None:
    text = "Anna told Paul that she slept"
    words = text.split()
    with_candidates = _row(text, ("Anna", "antecedent"), ("Paul", "candidate"), ("she", "mention"))
    plain = _row(text, ("Paul", "antecedent"), ("she", "mention"))
    measured = measured_of(
        {
            # "told" has the largest weight, but is no candidate.
            with_candidates: _looking(text, words, [0.2, 0.5, 0.1, 0.1, 0.05, 0.05]),
            plain: _looking(text, words, [0.2, 0.5, 0.1, 0.1, 0.05, 0.05]),
        }
    )
    result = run_here(head_coreference, measured, CoreferenceParameters(), SILENT)
    assert result.of("accuracy").tolist() == [[0.5]]
    assert result.of("weight on the antecedent")[0, 0] == pytest.approx((0.2 + 0.1) / 2, abs=1e-4)
    assert (result.n_pairs, result.n_with_candidates, result.n_left_out) == (2, 1, 0)
    assert result.nearest_candidate == 0  # Paul is nearer than Anna
    assert (result.offset, result.at_offset) == (-4, 0.5)
    assert result.by_chance == pytest.approx((1 / 2 + 1 / 5) / 2)
    assert result.same_word == 0
    best = result.pictures()[0]
    assert best.values.tolist() == pytest.approx([0.5, 0, 0, 0.5, (1 / 2 + 1 / 5) / 2])
    assert [str(best.words[label]) for label in best.axes[0].labels[:2]] == [
        "Best head: 0·0",
        "Nearest same word",
    ]
    assert best.low is not None
    assert best.high is not None
    assert (best.low[0], best.high[0]) == (result.of("lower end")[0, 0], result.of("upper end")[0, 0])
    assert (best.stands_for({"rule": 0}), best.stands_for({"rule": 1})) == ({"layer": 0, "head": 0}, {})


def test_row_whose_only_choice_is_the_antecedent_is_left_out() -> None:
    text = "Anna slept"
    row = _row(text, ("Anna", "antecedent"), ("slept", "mention"))
    other = _row("Anna told Paul", ("Anna", "antecedent"), ("Paul", "mention"))
    measured = measured_of(
        {
            row: _looking(text, text.split(), [0.5, 0.4]),
            other: _looking("Anna told Paul", ["Anna", "told", "Paul"], [0.1, 0.5, 0.3]),
        }
    )
    result = run_here(head_coreference, measured, CoreferenceParameters(), SILENT)
    assert (result.n_pairs, result.n_left_out, result.best, result.by_chance) == (1, 1, 0, 0.5)


def test_same_word_is_a_rule_that_may_do() -> None:
    text = "the cat slept and a cat ate"
    item = Item(1, text, marks=((0, 7, "antecedent"), (18, 23, "mention")))
    spans = [(text[a:b], a, b) for a, b in ((0, 3), (4, 7), (8, 13), (14, 17), (18, 19), (20, 23), (24, 27))]
    tokens = _tokens(text, *spans)
    measured = measured_of({item: trace_of(np.full((1, 1, 9, 9), 1 / 9), tokens)})
    result = run_here(head_coreference, measured, CoreferenceParameters(), SILENT)
    assert result.same_word == 1


def test_first_word_may_stand_for_a_mention() -> None:
    text = "Anna saw Tom Ray who slept"
    item = _row(text, ("Tom Ray", "antecedent"), ("Anna", "candidate"), ("who", "mention"))
    measured = measured_of({item: _looking(text, text.split(), [0.3, 0.1, 0.5, 0.02, 0.04, 0.04])})
    last = run_here(head_coreference, measured, CoreferenceParameters(), SILENT)
    first = run_here(head_coreference, measured, CoreferenceParameters("first word"), SILENT)
    assert (last.best, first.best) == (0, 1)


def test_row_whose_words_share_a_token_is_left_out() -> None:
    text = "she-she"
    item = Item(1, text, marks=((0, 3, "antecedent"), (4, 7, "mention")))
    tokens = _tokens(text, (text, 0, 7))
    measured = measured_of({item: trace_of(np.full((1, 1, 3, 3), 1 / 3), tokens)})
    with pytest.raises(AnalysisError, match="no row whose mention"):
        run_here(head_coreference, measured, CoreferenceParameters(), SILENT)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_coreference_of_the_examples(language: str, tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    items = list(read_mentions(EXAMPLES / f"mentions_{language}.txt"))
    result = run_here(head_coreference, measured_by(model, items), CoreferenceParameters(), SILENT, block=3)
    assert result.n_pairs == len(items)
    assert result.identity_error < 1e-5
    n_right = 0
    for item in items:
        trace = model.trace(item.text)
        weights = trace.attention(1, 2).astype(np.float64)

        def pieces(mark: tuple[int, int, str], trace: Trace = trace, text: str = item.text) -> list[int]:
            end = mark[1]
            start = text.rfind(" ", mark[0], end) + 1 or mark[0]
            # The word may go on behind the mark, as with a Korean particle.
            while end < len(text) and text[end].isalnum():
                end += 1
            spans = trace.tokens.spans
            return [
                at
                for at in range(len(spans))
                if trace.tokens.sentences[at] == 0 and spans[at, 0] < end and spans[at, 1] > start
            ]

        of_kind = {kind: [mark for mark in item.marks if mark[2] == kind] for *_, kind in item.marks}
        (mention,) = of_kind["mention"]
        choices = [*of_kind["antecedent"], *of_kind["candidate"]]
        sums = [weights[np.ix_(pieces(mention), pieces(mark))].sum(1).mean() for mark in choices]
        n_right += int(np.argmax(sums) == 0)
    assert result.of("accuracy")[1, 2] == pytest.approx(n_right / len(items))
