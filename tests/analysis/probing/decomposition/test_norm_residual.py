"""Parts of vectors after the attention block: by hand, against the definition, and the numbers of MiniLM."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app import open_model
from bertviz_app.analysis.probing.decomposition.blocks import Norm
from bertviz_app.analysis.results import NamedArrays, TokenMatrices, TokenScalars
from bertviz_app.errors import AnalysisError
from tests.support.families import write_family
from tests.support.naive_bert import NaiveBert, S, array


def test_the_linear_part_of_a_norm_by_hand() -> None:
    """Of (1, 3): mean 2, spread 1. The parts (1, 1) and (0, 2) become (0, 0) and (-1, 1), times (2, 3)."""
    norm = Norm(np.array([2.0, 3.0]), np.array([0.5, 0.5]), 0.0, by_deviation=False)
    whole, parts = np.array([[1.0, 3.0]]), np.array([[[1.0, 1.0], [0.0, 2.0]]])
    spread = norm.spread(whole)
    np.testing.assert_allclose(spread, [1.0])
    np.testing.assert_allclose(norm.linear(parts, spread[:, None]), [[[0, 0], [-2, 3]]])
    by_deviation = Norm(norm.weight, norm.bias, 1.0, by_deviation=True)
    np.testing.assert_allclose(by_deviation.spread(whole), [np.sqrt(2) + 1])


def test_it_is_its_definition(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate", pair="fish")
    naive = NaiveBert(tiny_bert, trace)
    found = model.analyse("norm-attention-residual", trace)
    ratio = model.analyse("mixing-ratio", trace)
    assert isinstance(found, TokenMatrices)
    assert isinstance(ratio, TokenScalars)
    for layer in range(2):
        parts, rest, after = map(array, naive.parts(layer))
        np.testing.assert_allclose(parts.sum(1) + rest, after, atol=1e-12)
        np.testing.assert_allclose(
            found.source(layer).rows(slice(None)), np.linalg.norm(parts, axis=-1), rtol=1e-4
        )
        for i in range(trace.n_tokens):
            others = np.linalg.norm(np.delete(parts[i], i, axis=0).sum(0))
            own = np.linalg.norm(parts[i, i])
            assert ratio.values[layer, i] == pytest.approx(others / (others + own), abs=1e-5)
    assert found.identity_error is not None
    assert 0 < found.identity_error < 1e-5


def test_a_muted_head_adds_nothing(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    muted = [(0, head) for head in range(4)]
    ratio = model.analyse("mixing-ratio", model.trace("the cat ate", muted=muted))
    assert isinstance(ratio, TokenScalars)
    assert not ratio.values[0].any(), "without any head a vector is its token's own"
    assert ratio.values[1].all()
    assert ratio.identity_error is not None
    assert ratio.identity_error < 1e-5


def test_a_model_with_global_attention_is_refused(tmp_path: Path) -> None:
    write_family(tmp_path / "longformer", "longformer", "AutoModelForSequenceClassification")
    model = open_model(str(tmp_path / "longformer"), "cpu")
    with pytest.raises(AnalysisError, match="two value vectors"):
        model.analyse("mixing-ratio", model.trace("the cat"))


def test_a_model_whose_norms_only_scale_is_refused(tmp_path: Path) -> None:
    """A MobileBERT without bottlenecks, in whose layers the parts would be added up by other norms."""
    write_family(tmp_path / "mobile", "mobilebert", "AutoModelForMaskedLM", use_bottleneck=False)
    model = open_model(str(tmp_path / "mobile"), "cpu")
    trace = model.trace("the cat ate [MASK]")
    assert trace.form.has_scaling_norms
    assert not trace.form.has_bottleneck
    for key in ("norm-attention-residual", "mixing-ratio", "globenc", "alti", "decompx", "direct-logits"):
        with pytest.raises(AnalysisError, match="only scale and shift"):
            model.analyse(key, trace)
    tested = model.analyse("self-test", trace)
    assert isinstance(tested, NamedArrays)
    assert "parts" not in tested.axes[0].labels
    assert "writers" not in model.analyse("score-parts", trace, query=1, key=2).arrays()
    assert model.analyse("expansion-rate", trace).arrays()["values"].all(), "it reads no norm"


def test_the_numbers_of_minilm(minilm: Path) -> None:
    """Kobayashi's fifth variant, by the released code: 21.11 % on average over layers and tokens."""
    model = open_model(str(minilm), "cpu")
    found = model.analyse("mixing-ratio", model.trace(S))
    assert isinstance(found, TokenScalars)
    assert 100 * found.values.mean() == pytest.approx(21.11, abs=0.01)
