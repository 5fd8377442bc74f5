"""The numbers of a hand-out, against the trace: which tokens are printed, and what is left out."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from bertviz_app import open_model
from bertviz_app.errors import SelectionError
from bertviz_app.learning.handouts import MOST_IN_MATRIX, MOST_TOKENS, N_NUMBERS, handout_numbers
from bertviz_app.trace.global_tokens import is_global
from tests.support.factories import dense, make_trace
from tests.support.families import write_family

SHORT, LONG = make_trace(9), make_trace(2 * MOST_TOKENS)


def test_without_a_pair_it_is_the_first_word_and_the_other_word_that_it_looks_at_most() -> None:
    special = SHORT.tokens.is_special
    for layer in range(SHORT.n_layers):
        for head in range(SHORT.n_heads):
            numbers = handout_numbers(SHORT, layer, head)
            row = dense(SHORT)[layer, head, 1].copy()
            row[special] = -1
            row[1] = -1
            assert (numbers.query, numbers.key) == (1, int(row.argmax()))
    among_words = np.where(special, -1, dense(SHORT))
    looks_at_itself = (among_words.argmax(-1) == np.arange(9)) & ~special
    layer, head, query = (int(each[0]) for each in np.nonzero(looks_at_itself))
    assert handout_numbers(SHORT, layer, head, query).key != query


def test_the_weights_that_are_not_printed_are_added_up() -> None:
    whole = handout_numbers(SHORT, 0, 1)
    assert whole.is_whole
    assert whole.weight_left == 0.0
    part = handout_numbers(LONG, 0, 1, query=3, key=30)
    assert not part.is_whole
    assert len(part.shown) == MOST_TOKENS
    assert {3, 30} <= set(part.shown)
    assert part.shown == sorted(part.shown)
    row = dense(LONG)[0, 1, 3]
    assert part.weight_left == pytest.approx(1 - row[part.shown].sum(), abs=1e-6)
    assert part.weight_left > 0.001
    left_out = [at for at in range(LONG.n_tokens) if at not in part.shown]
    assert row[left_out].max() <= np.sort(row[[at for at in part.shown if at not in (3, 30)]])[0]


def test_the_products_and_their_rest_add_up_to_the_score() -> None:
    numbers = handout_numbers(SHORT, 1, 2, query=3, key=5)
    queries, keys = SHORT.queries[1, 2].astype(np.float64), SHORT.keys[1, 2].astype(np.float64)
    assert numbers.products == pytest.approx(queries[3, :N_NUMBERS] * keys[5, :N_NUMBERS])
    assert numbers.products.sum() + numbers.rest_of_product == pytest.approx(queries[3] @ keys[5], rel=1e-5)
    assert numbers.scaled[5] == pytest.approx(queries[3] @ keys[5] / math.sqrt(SHORT.head_width), rel=1e-5)


def test_exponentials_give_the_weights_and_weighted_values_the_output() -> None:
    numbers = handout_numbers(SHORT, 1, 2, query=3, key=5)
    assert numbers.exponentials.max() == 1.0
    shares = numbers.exponentials / numbers.exponentials.sum()
    assert shares == pytest.approx(dense(SHORT)[1, 2, 3], abs=1e-6)
    values = SHORT.values[1, 2].astype(np.float64)
    n_summed = numbers.weighted.shape[1]
    assert numbers.weighted.sum(0) == pytest.approx(dense(SHORT)[1, 2, 3] @ values[:, :n_summed], abs=1e-5)


def test_a_query_with_global_attention_meets_its_own_keys_and_values(tmp_path: Path) -> None:
    write_family(tmp_path / "longformer", "longformer", "AutoModelForSequenceClassification")
    model = open_model(str(tmp_path / "longformer"), "cpu")
    trace = model.trace("the cat ate the fish because it was hungry")
    mixed = model.analyse("layer-details", trace, layer=1).arrays()["mixed"]
    for query in (0, 3):
        assert is_global(trace, query) == (query == 0)
        numbers = handout_numbers(trace, 1, 2, query, key=5)
        assert numbers.n_numbers == trace.head_width  # so nothing is left over
        assert numbers.rest_of_product == pytest.approx(0, abs=1e-5)
        assert numbers.weighted.sum(0) == pytest.approx(
            mixed[2, query, : numbers.weighted.shape[1]], abs=1e-5
        )


def test_the_matrix_is_printed_only_where_it_fits() -> None:
    assert make_trace(MOST_IN_MATRIX).n_tokens == MOST_IN_MATRIX
    matrix = handout_numbers(make_trace(MOST_IN_MATRIX), 0, 0).matrix
    assert matrix is not None
    assert matrix.shape == (MOST_IN_MATRIX, MOST_IN_MATRIX)
    assert handout_numbers(make_trace(MOST_IN_MATRIX + 1), 0, 0).matrix is None


def test_a_head_that_there_is_not_is_refused() -> None:
    with pytest.raises(SelectionError):
        handout_numbers(SHORT, 0, 99, query=1, key=2)
