"""`Model.trace_many`: many texts in few forward passes, each as exact as alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import bertviz_app
from bertviz_app.api.model import batches_of
from bertviz_app.errors import ArgumentError, TextError
from bertviz_app.trace import Trace
from tests.support.families import FAMILIES, WITH_SEGMENTS, write_family

TEXTS: tuple[str | tuple[str, str], ...] = (
    "the cat ate the fish",
    "fish",
    "a cat ate the fish because it was hungry and the fish was there",
    "the cat",
    "the cat ate fish because the fish",
)


@pytest.mark.parametrize("family", FAMILIES)
def test_each_trace_is_that_of_the_text_alone(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bertviz_app.api.model._MOST_PADDING", 100)
    write_family(tmp_path, family, "AutoModel")
    model = bertviz_app.open_model(str(tmp_path), device="cpu")
    pair: tuple[tuple[str, str], ...] = (("the cat", "the fish"),) if family in WITH_SEGMENTS else ()
    texts = (*TEXTS, *pair)
    traces = list(model.trace_many(texts))
    assert len(traces) == len(texts)
    for text, trace in zip(texts, traces, strict=True):
        alone = model.trace(text) if isinstance(text, str) else model.trace(*text)
        assert trace.tokens.pieces == alone.tokens.pieces
        assert trace.fingerprint == alone.fingerprint
        assert_same_numbers(trace, alone)


def assert_same_numbers(trace: Trace, alone: Trace) -> None:
    for field in fields(Trace):
        ours, theirs = getattr(trace, field.name), getattr(alone, field.name)
        if isinstance(theirs, np.ndarray):
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5, err_msg=field.name)
        else:
            assert type(ours) is type(theirs)
    np.testing.assert_allclose(trace.attention(), alone.attention(), atol=1e-5)
    np.testing.assert_allclose(trace.attention().sum(-1), 1, atol=1e-5)


def test_texts_are_read_as_they_are_needed(tiny_bert: Path) -> None:
    read = 0

    def endless() -> Iterator[str]:
        nonlocal read
        while True:
            read += 1
            yield "the cat " * (read % 5 + 1)

    model = bertviz_app.open_model(str(tiny_bert), device="cpu")
    traces = list(islice(model.trace_many(endless()), 70))
    assert [trace.n_tokens for trace in traces[:6]] == [6, 8, 10, 12, 4, 6]
    assert read == 128


def test_the_traces_before_a_wrong_text_are_there(tiny_bert: Path) -> None:
    model = bertviz_app.open_model(str(tiny_bert), device="cpu")
    traces = model.trace_many(["the cat", "fish", "", "the"])
    assert [next(traces).n_tokens for _ in range(2)] == [4, 3]
    with pytest.raises(TextError):
        next(traces)


@pytest.mark.parametrize("texts", ["the cat", None, [["the", "cat"]], [3]])
def test_what_is_no_list_of_texts_is_refused(texts: object, tiny_bert: Path) -> None:
    model = bertviz_app.open_model(str(tiny_bert), device="cpu")
    with pytest.raises(ArgumentError):
        list(model.trace_many(texts))  # type: ignore[arg-type]  # what a user might give


def test_texts_of_like_length_are_encoded_together() -> None:
    assert batches_of([5, 20, 5, 6, 21]) == [[0, 2, 3], [1, 4]]
    assert batches_of([600, 600, 600]) == [[0], [1], [2]]
    assert batches_of([]) == []
