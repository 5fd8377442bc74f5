"""Names of heads: each rule on attention made by hand, and the heads that get none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bertviz_app.analysis.measures import (
    BROAD_SHARE,
    KEYS,
    LEAST_QUERIES,
    LEAST_SHARE,
    NAME_RULES,
    head_names,
)
from bertviz_app.errors import ArgumentError
from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.types import Doubles
from tests.support.factories import make_tokens, trace_of

T = 9


def _looking_at(keys: list[int], share: float = 1.0) -> Doubles:
    """Return attention [T, T]: query i puts `share` on keys[i], and the rest evenly on all others."""
    n_tokens = len(keys)
    attention = np.full((n_tokens, n_tokens), (1 - share) / (n_tokens - 1))
    attention[np.arange(n_tokens), keys] = share
    return attention


def _name(attention: Doubles, pieces: tuple[str, ...] | None = None) -> tuple[str, object] | None:
    tokens = make_tokens(len(attention))
    tokens = tokens if pieces is None else replace(tokens, pieces=pieces)
    found = head_names(trace_of(attention[None, None], tokens)).get((0, 0))
    return None if found is None else (found.rule.key, found.value)


HEADS = {
    "previous": [max(0, at - 1) for at in range(T)],
    "next": [min(T - 1, at + 1) for at in range(T)],
    "first": [0] * T,
    "separator": [T - 1] * T,
    "same": list(range(T)),
}


@pytest.mark.parametrize("key", HEADS)
def test_a_head_that_puts_all_its_attention_on_one_kind_of_token_has_its_name(key: str) -> None:
    assert _name(_looking_at(HEADS[key])) == (key, pytest.approx(1.0, abs=1e-6))


def test_half_of_the_attention_is_enough_and_less_is_not() -> None:
    assert LEAST_SHARE == 0.5
    others = [*range(2, T), 1, 1]  # two tokens on: none of the rules
    for share, expected in ((0.52, "previous"), (0.48, None)):
        mixed = share * _looking_at(HEADS["previous"]) + (1 - share) * _looking_at(others)
        mixed[0] = _looking_at(others)[0]
        found = _name(mixed)
        assert (None if found is None else found[0]) == expected
        assert found is None or found[1] == pytest.approx(share, abs=1e-6)


def test_of_two_names_the_head_has_the_one_with_more_weight() -> None:
    """Every token but the first is of one word, so that a head of neighbours looks at its own word, too."""
    pieces = ("[CLS]", *["a"] * (T - 2), "[SEP]")
    attention = _looking_at(HEADS["previous"])
    # previous: all eight queries; same word: the first "a" looks at [CLS], so six of seven
    assert _name(attention, pieces) == ("previous", pytest.approx(1.0, abs=1e-6))
    attention[T - 1] = 1 / T  # now previous is (7 + 1/9) / 8 = 0.889, same word still 6/7 = 0.857
    assert _name(attention, pieces) == ("previous", pytest.approx((7 + 1 / 9) / 8, abs=1e-6))
    attention[T - 1] = _looking_at([0] * T)[0]
    attention[1] = _looking_at([2] * T)[0]  # previous 6/8, same word 7/7
    assert _name(attention, pieces) == ("word", pytest.approx(1.0, abs=1e-6))


def test_the_same_word_needs_several_queries() -> None:
    """Two tokens of one word are two queries: no evidence. Four are."""
    assert LEAST_QUERIES == 4
    once = ("[CLS]", "a", "b", "a", "c", "d", "e", "f", "[SEP]")
    twice = ("[CLS]", "a", "b", "a", "b", "d", "e", "f", "[SEP]")
    partners = [2, 3, 4, 1, 2, 7, 5, 6, 5]
    assert _name(_looking_at(partners), once) is None
    assert _name(_looking_at(partners), twice) == ("word", pytest.approx(1.0, abs=1e-6))


def test_a_head_is_broad_from_three_quarters_of_all_tokens_on() -> None:
    assert BROAD_SHARE == 0.75
    for n_tokens, n_looked_at, expected in ((12, 12, "broad"), (12, 10, "broad"), (12, 8, None)):
        attention = np.zeros((n_tokens, n_tokens))
        attention[:, :n_looked_at] = 1 / n_looked_at
        found = _name(attention)
        assert (None if found is None else found[0]) == expected
        assert found is None or found[1] == pytest.approx(np.log2(n_looked_at), abs=1e-5)


def test_in_a_text_of_few_tokens_nothing_is_plain() -> None:
    """Of four tokens three have a token before them."""
    assert _name(_looking_at([1, 0, 1, 2])) is None
    assert _name(_looking_at([1, 0, 1, 2, 3])) == ("previous", pytest.approx(1.0, abs=1e-6))


def test_every_name_is_of_a_measure_and_has_words() -> None:
    assert {rule.measure for rule in NAME_RULES} <= set(KEYS)
    titles = [rule.title(BERT_NAMES) for rule in NAME_RULES]
    assert titles == ["previous token", "next token", "on [CLS]", "on [SEP]", "itself", "same word", "broad"]


def test_heads_stand_by_layer_and_head() -> None:
    attention = np.stack([_looking_at(HEADS["next"]), _looking_at(HEADS["same"])])[None].repeat(2, 0)
    found = head_names(trace_of(attention))
    assert [(at, name.rule.key) for at, name in found.items()] == [
        ((0, 0), "next"),
        ((0, 1), "same"),
        ((1, 0), "next"),
        ((1, 1), "same"),
    ]


def test_names_are_of_a_trace() -> None:
    with pytest.raises(ArgumentError, match="trace"):
        head_names("text")  # type: ignore[arg-type]
