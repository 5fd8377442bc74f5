"""CKA of layers: from sums over a file against Gram matrices of all its vectors at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_app.analysis.parameters import SILENT
from bertviz_app.errors import AnalysisError, AppError
from bertviz_app.features.corpora.studies.layer_similarity import (
    LayerSimilarity,
    SimilarityParameters,
    _sums,
    checkpoint_similarity,
    layer_similarity,
)
from bertviz_app.features.corpora.studies.study import Measured, Part, Unit, joined
from bertviz_app.text import Tokens
from bertviz_app.text_tables.items import Item
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from tests.support.checkpoints import random_bert, vocabulary, write_bert
from tests.support.peers import EngineModel
from tests.support.studied import run_here

TEXTS = ("the cat ate the fish", "because it was hungry", "fish", "the hungry cat was eating it", "a b c d")


def _gram_cka(x: Doubles, y: Doubles, *, is_debiased: bool) -> float:
    """Return the CKA of [n, D] and [n, D'] by their Gram matrices [n, n]."""

    def criterion(k: Doubles, m: Doubles) -> float:
        n = len(k)
        if not is_debiased:
            centring = np.eye(n) - 1 / n
            return float(np.trace(k @ centring @ m @ centring))
        k, m = k.copy(), m.copy()
        np.fill_diagonal(k, 0)
        np.fill_diagonal(m, 0)
        ones = np.ones(n)
        whole = (ones @ k @ ones) * (ones @ m @ ones) / ((n - 1) * (n - 2))
        return float((np.trace(k @ m) + whole - 2 / (n - 2) * ones @ k @ m @ ones) / (n * (n - 3)))

    k, m = x @ x.T, y @ y.T
    return criterion(k, m) / float(np.sqrt(criterion(k, k) * criterion(m, m)))


def _measured(model: EngineModel, texts: Sequence[str] = TEXTS) -> Measured:
    units = [Unit(Item(at + 1, text), model.engine.tokens(model.ref, text)) for at, text in enumerate(texts)]
    trace = model.trace("the")

    def record(tokens: Tokens) -> Trace:
        return model.trace(tokens.text)

    return model.with_model(trace, lambda access: Measured(units, access, record))


def _run(measured: Measured, block: int = 2, **parameters: Any) -> LayerSimilarity:
    entry = layer_similarity if measured.second is None else checkpoint_similarity
    found = run_here(entry, measured, SimilarityParameters(**parameters), SILENT, block)
    assert isinstance(found, LayerSimilarity)
    return found


@pytest.mark.parametrize("estimator", ["debiased", "biased"])
@pytest.mark.parametrize("vectors", ["tokens", "texts"])
def test_it_is_cka_by_gram_matrices(tiny_bert: Path, estimator: str, vectors: str) -> None:
    model = EngineModel(tiny_bert)
    rows = []
    for text in TEXTS:
        trace = model.trace(text)
        inner = trace.hidden[:, ~trace.tokens.is_special].astype(np.float64)
        rows.append(inner.mean(1, keepdims=True) if vectors == "texts" else inner)
    every = np.concatenate(rows, 1)  # [L + 1, n, D]
    found = _run(_measured(model), estimator=estimator, vectors=vectors)
    assert found.facts["vectors"] == every.shape[1]
    values = found.arrays()["values"]
    for i, x in enumerate(every):
        for j, y in enumerate(every):
            expected = _gram_cka(x, y, is_debiased=estimator == "debiased")
            assert values[i, j] == pytest.approx(expected, rel=1e-5, abs=1e-6)
    assert found.identity_error is not None
    assert found.identity_error < 1e-6


def test_blocks_change_nothing(tiny_bert: Path) -> None:
    measured = _measured(EngineModel(tiny_bert))
    one, many = (_run(measured, block).arrays()["values"] for block in (1, 10))
    np.testing.assert_allclose(one, many, rtol=1e-6)


def _of(vectors: dict[str, Doubles], estimator: str = "debiased") -> Doubles:
    part = _sums(vectors, 0, SILENT)
    found = layer_similarity.finish(None, part, SimilarityParameters(estimator=estimator), SILENT)  # type: ignore[arg-type]
    values: Doubles = found.arrays()["values"]
    return values


@pytest.mark.parametrize("estimator", ["debiased", "biased"])
def test_turns_and_scales_change_nothing_and_noise_does(estimator: str) -> None:
    random = np.random.default_rng(3)
    x = random.normal(size=(200, 6)) * [5, 3, 1, 1, 1, 1] + 7
    turn, _ = np.linalg.qr(random.normal(size=(6, 6)))
    values = _of({"a0": x, "a1": x @ turn * 4 - 30, "a2": random.normal(size=(200, 6))}, estimator)
    assert values[0, 1] == pytest.approx(1, abs=1e-6)
    assert values[0, 2] < 0.1


def test_the_biased_estimator_is_too_high_where_vectors_are_few() -> None:
    random = np.random.default_rng(5)
    vectors = {f"a{at}": random.normal(size=(20, 100)) for at in range(2)}
    assert _of(vectors, "biased")[0, 1] > 0.7
    assert abs(_of(vectors)[0, 1]) < 0.3


def test_by_hand() -> None:
    """Of the four numbers 0, 0, 1, 1 and 0, 1, 0, 1 the biased CKA is 0, with themselves it is 1."""
    x, y = np.array([[0.0], [0], [1], [1]]), np.array([[0.0], [1], [0], [1]])
    assert _of({"a0": x, "a1": y, "a2": x + 3}, "biased").tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]


def test_two_checkpoints_by_tokens_of_the_same_characters(tiny_bert: Path, tmp_path: Path) -> None:
    other = write_bert(tmp_path / "other", random_bert(9, num_hidden_layers=1, hidden_size=16))
    a, b = EngineModel(tiny_bert), EngineModel(other)
    texts = [*TEXTS, "was eating"]
    measured = replace(_measured(a, texts), second=_measured(b, texts))
    found = _run(measured)
    values = found.arrays()["values"]
    assert values.shape == (3, 2)
    assert found.facts["without partner"] == 0
    sides = [
        np.concatenate(
            [(t := m.trace(text)).hidden[:, ~t.tokens.is_special].astype(np.float64) for text in texts], 1
        )
        for m in (a, b)
    ]
    expected = _gram_cka(sides[0][2], sides[1][1], is_debiased=True)
    assert values[2, 1] == pytest.approx(expected, rel=1e-5)


def test_tokens_that_only_one_checkpoint_cuts_are_counted(tiny_bert: Path, tmp_path: Path) -> None:
    other = write_bert(tmp_path / "other")
    vocabulary_file = other / "vocab.txt"
    words = vocabulary()
    words[words.index("hungry")] = "zzz"
    vocabulary_file.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    (other / "tokenizer.json").unlink()
    a, b = EngineModel(tiny_bert), EngineModel(other)
    found = _run(replace(_measured(a), second=_measured(b)))
    n_tokens = sum((~unit.tokens.is_special).sum() for unit in _measured(a).units)
    assert found.facts["without partner"] == 2  # hungry is one token in one, letters in the other
    assert found.facts["vectors"] == n_tokens - 2


def test_a_state_that_never_changes_has_none(tiny_bert: Path) -> None:
    found = _run(_measured(EngineModel(tiny_bert)), vectors="first")
    values = found.arrays()["values"]
    assert np.isnan(values[0]).all(), "[CLS] has one embedding"
    assert found.facts["constant"] == 1
    assert np.isfinite(values[1:, 1:]).all()


def test_what_cannot_be_compared_is_refused(tiny_bert: Path) -> None:
    measured = _measured(EngineModel(tiny_bert), TEXTS[:2])
    with pytest.raises(AnalysisError, match="needs 4 vectors or more; this file gives 2"):
        _run(measured, vectors="texts")
    with pytest.raises(AppError, match="no hidden state 7: there are 0 to 2"):
        _run(measured, states=(0, 7))
    with pytest.raises(AnalysisError, match=r"GiB of sums.*Choose fewer"):
        _sums({f"a{at}": np.zeros((1, 4000)) for at in range(5)}, 0, SILENT)
    nothing = joined([Part()])
    with pytest.raises(AnalysisError, match="gives 0"):
        layer_similarity.finish(measured.model, nothing, SimilarityParameters(), SILENT)


def test_chosen_states_are_those_of_all(tiny_bert: Path) -> None:
    measured = _measured(EngineModel(tiny_bert))
    every, some = _run(measured), _run(measured, states=(2, 0))
    assert some.axes[0].labels == ("0", "2")
    np.testing.assert_allclose(
        some.arrays()["values"], every.arrays()["values"][np.ix_([0, 2], [0, 2])], rtol=1e-6
    )
