"""What two runs differ in, and how far the first token's vector was moved by it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bertviz_app.text.interventions import CellIntervention, HeadIntervention, TokenIntervention
from bertviz_app.viewmodels.runs.consequences import consequences
from tests.support.factories import make_trace


def test_a_muted_head_is_named_with_what_it_changed() -> None:
    one = make_trace(5)
    assert one.pooled is not None
    other = replace(one, muted=((1, 2),), pooled=np.roll(one.pooled, 1))
    found = consequences(one, other)
    assert found.muted == ((1, 2),)
    assert found.n_differences == 1
    a, b = one.pooled.astype(float), np.roll(one.pooled, 1).astype(float)
    assert found.cosine == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_heads_that_both_runs_mute_are_no_difference() -> None:
    one = replace(make_trace(5), muted=((0, 1),))
    assert consequences(one, replace(one, muted=((0, 1), (1, 0)))).muted == ((1, 0),)


def test_what_one_run_alone_does_to_heads_weights_and_ids_is_named_with_that_run() -> None:
    one = make_trace(5)
    both, of_a = HeadIntervention(0, 1, "uniform"), HeadIntervention(1, 0, "mean", "a text")
    segment, cell = TokenIntervention(2, "segment", 1), CellIntervention(0, 0, 1, 3, 0.5)
    a = replace(one, heads=(both, of_a))
    b = replace(one, heads=(both,), cells=(cell,), provenance=replace(one.provenance, tokens=(segment,)))
    found = consequences(a, b)
    assert found.others == (("A", of_a), ("B", segment), ("B", cell))
    assert found.n_differences == 1
    assert not consequences(a, a).others


def test_several_differences_are_counted() -> None:
    one = make_trace(5)
    assert consequences(one, one).n_differences == 0
    assert consequences(one, replace(make_trace(6), muted=((1, 2),), model="another")).n_differences == 3


def test_without_a_pooler_it_is_the_last_hidden_state() -> None:
    one = replace(make_trace(5), pooled=None)
    found = consequences(one, one)
    assert not found.is_pooled
    assert found.cosine == pytest.approx(1)


def test_other_widths_have_no_cosine() -> None:
    assert consequences(make_trace(5), make_trace(5, n_heads=2)).cosine is None


def test_sentence_vectors_have_a_cosine_where_both_runs_have_one() -> None:
    one = make_trace(5)
    assert consequences(one, one).sentence_cosine is None
    a, b = (replace(one, sentence_vector=np.array(x, np.float32)) for x in ([1, 0], [3, 4]))
    assert consequences(a, b).sentence_cosine == pytest.approx(0.6)
    assert consequences(a, one).sentence_cosine is None
