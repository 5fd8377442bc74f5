"""Linear probes: the optimum by Newton's method, the control task, the split, files, and applying them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app import open_model
from bertviz_app.analysis.parameters import SILENT, Reporter
from bertviz_app.api import Model
from bertviz_app.errors import AnalysisError, Cancelled, FileError
from bertviz_app.features.corpora.studies.marked_texts import read_labelled_words
from bertviz_app.features.corpora.studies.probe import (
    Numbers,
    ProbeParameters,
    ProbeResult,
    fitted,
    open_probe,
    score,
    text_probe,
    word_probe,
)
from bertviz_app.features.corpora.studies.study import Measured
from bertviz_app.paths import resources
from bertviz_app.tables import write_npz
from bertviz_app.text_tables.items import Item
from bertviz_app.text_tables.table import TableChoices
from bertviz_app.types import Doubles
from tests.support.studied import measured_by, run_here

pytestmark = pytest.mark.slow  # trains probes

WORDS = TableChoices(label_column="UPOS")


def _nothing() -> None:
    pass


def _newton(features: Doubles, labels: Numbers, n_classes: int, decay: float) -> tuple[Doubles, Doubles]:
    """Return weights and bias by Newton's method on the whole Hessian, which L-BFGS never forms."""
    inputs = np.hstack(((features - features.mean(0)) / features.std(0), np.ones((len(features), 1))))
    n, width = inputs.shape
    penalty = np.tile([*[decay] * (width - 1), 0.0], n_classes)
    theta = np.zeros(n_classes * width)
    targets = np.eye(n_classes)[labels]
    for _ in range(60):
        logits = inputs @ theta.reshape(n_classes, width).T
        shares = np.exp(logits - logits.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        gradient = ((shares - targets).T @ inputs / n).reshape(-1) + penalty * theta
        hessian = np.diag(penalty)
        for one in range(n_classes):
            for other in range(n_classes):
                curve = shares[:, one] * ((one == other) - shares[:, other])
                block = (inputs * curve[:, None]).T @ inputs / n
                hessian[one * width : (one + 1) * width, other * width : (other + 1) * width] += block
        # The biases may all be moved together: the step of least length does not.
        theta -= np.linalg.lstsq(hessian, gradient, rcond=1e-12)[0]
    found = theta.reshape(n_classes, width)
    return found[:, :-1], found[:, -1]


@pytest.mark.parametrize("decay", [1e-1, 1e-2])
def test_probe_is_the_optimum_that_newton_finds(decay: float) -> None:
    random = np.random.default_rng(3)
    features = random.normal(2, 3, (60, 4))
    labels = (features @ random.normal(size=(4, 3)) + random.normal(size=(60, 3))).argmax(1)
    probe = fitted(features, labels, 3, decay, _nothing)
    weights, bias = _newton(features, labels, 3, decay)
    np.testing.assert_allclose(probe.weights, weights, atol=2e-5)
    np.testing.assert_allclose(probe.bias, bias, atol=2e-5)
    assert probe.gradient < 1e-6
    again = fitted(features, labels, 3, decay, _nothing)
    assert np.array_equal(again.weights, probe.weights)


def test_feature_that_does_not_vary_has_no_weight() -> None:
    features = np.stack([np.array([0.0, 1, 2, 3]), np.full(4, 7.0)], axis=1)
    probe = fitted(features, np.array([0, 0, 1, 1]), 2, 0.1, _nothing)
    assert not probe.weights[:, 1].any()
    assert probe.probabilities(features).argmax(1).tolist() == [0, 0, 1, 1]


def test_scores_by_hand() -> None:
    labels, predicted = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 0, 0])
    found = score(labels, predicted, np.arange(6), 4, 0)
    assert found.accuracy == pytest.approx(3 / 6)
    assert found.f1 == pytest.approx((4 / 7 + 2 / 4 + 0) / 3)  # class 3 does not occur
    assert found.low <= found.accuracy <= found.high
    one_group = score(labels, predicted, np.zeros(6, np.intp), 4, 0)
    assert one_group.low == one_group.high == found.accuracy


@pytest.fixture(scope="module")
def model(tiny_bert: Path) -> Model:
    return open_model(str(tiny_bert), "cpu")


@pytest.fixture(scope="module")
def measured(model: Model) -> Measured:
    return measured_by(model, read_labelled_words(resources() / "examples" / "parses_en.conllu", WORDS))


@pytest.fixture(scope="module")
def result(measured: Measured) -> ProbeResult:
    found: ProbeResult = run_here(
        word_probe, measured, ProbeParameters(held_out=0.3, decay=0.01), SILENT, block=5
    )
    return found


def test_numbers_of_a_probe_of_words(result: ProbeResult, measured: Measured) -> None:
    n_states = 3
    assert result.named["scores"].shape == (n_states, 6)
    assert sum(int(result.facts[name]) for name in ("trained on", "held out", "left out")) == 101
    assert result.facts["sentences held out"] == 4  # of 12, 0.3
    np.testing.assert_allclose(
        result.named["selectivity"], result.named["accuracy"] - result.named["control"], atol=1e-7
    )
    assert result.named["confusion"].sum() == result.facts["held out"]
    best = int(result.facts["best state"])
    assert np.trace(result.named["confusion"]) / int(result.facts["held out"]) == pytest.approx(
        result.named["accuracy"][best]
    )
    assert (result.identity_error or 0) < 1e-6
    assert len(list(result.as_table().rows)) == n_states


def test_probe_of_first_pieces_and_of_means_differ(measured: Measured) -> None:
    mean = run_here(word_probe, measured, ProbeParameters("mean", 0.3, 0.01), SILENT)
    first = run_here(word_probe, measured, ProbeParameters("first", 0.3, 0.01), SILENT)
    assert not np.array_equal(mean.probe.mean, first.probe.mean)


def test_blocks_change_no_number(measured: Measured, result: ProbeResult) -> None:
    whole = run_here(word_probe, measured, ProbeParameters(held_out=0.3, decay=0.01), SILENT)
    for name, array in result.named.items():
        np.testing.assert_array_equal(array, whole.named[name])


def test_another_seed_holds_out_others(measured: Measured, result: ProbeResult) -> None:
    other = run_here(word_probe, measured, ProbeParameters(held_out=0.3, decay=0.01, seed=1), SILENT)
    assert not np.array_equal(other.probe.mean, result.probe.mean)


def _marks(at: int) -> list[tuple[int, int, str]]:
    """Return the marks of "the cat", `at` times of which stand before it."""
    return [(8 * at, 8 * at + 3, "D"), (8 * at + 4, 8 * at + 7, "N")]


def test_control_task_has_one_label_a_type(model: Model) -> None:
    """One form only: all words have one label in the control task, which is then always right."""
    items = [
        Item(
            count,
            " ".join(["the cat"] * count),
            marks=tuple(mark for at in range(count) for mark in _marks(at)),
        )
        for count in range(1, 11)
    ]
    found = run_here(word_probe, measured_by(model, items), ProbeParameters(), SILENT)
    assert found.named["accuracy"].tolist() == [1, 1, 1]
    # Two types: each has one label wherever it stands, so what is memorised is right on what is held out.
    assert found.named["control"].tolist() == [1, 1, 1]
    assert found.named["selectivity"].tolist() == [0, 0, 0]


def test_probe_of_texts_is_beside_shuffled_labels(model: Model) -> None:
    texts = [
        text
        for count in range(10)
        for text in (
            ("the cat ate the fish" + " cat" * count, "food"),
            ("it was hungry" + " it" * count, "state"),
        )
    ]
    items = [Item(line, text, label=label) for line, (text, label) in enumerate(texts, 1)]
    for place in ("first", "mean"):
        found = run_here(text_probe, measured_by(model, items), ProbeParameters(place), SILENT)
        assert found.named["accuracy"].tolist() == [1, 1, 1] or place == "first"
        assert "control" not in found.named
        assert "selectivity" not in found.named
        assert found.beside == "shuffled"


def test_share_uses_some_sentences_by_their_lines(measured: Measured) -> None:
    some = run_here(word_probe, measured, ProbeParameters(share=0.6, held_out=0.3), SILENT)
    assert some.facts["trained on"] + some.facts["held out"] < 90


@pytest.mark.parametrize("kind", ["words", "texts"])
def test_a_sentence_that_occurs_again_is_in_one_part(model: Model, kind: str) -> None:
    """Random labels of sentences that occur twice: nothing but a copy in the other part could tell them."""
    texts = [" ".join(["the cat", "fish"][count % 2 :] * count) for count in range(1, 13)] * 2
    labels = np.random.default_rng(3).choice(["A", "B"], len(texts) // 2).tolist() * 2
    items = [
        Item(line, text.upper() if line > 12 else text, None, label, marks=((0, 3, label),))
        for line, (text, label) in enumerate(zip(texts, labels, strict=True), 1)
    ]
    entry = word_probe if kind == "words" else text_probe
    found = run_here(entry, measured_by(model, items), ProbeParameters(held_out=0.5), SILENT)
    once = run_here(entry, measured_by(model, items[:12]), ProbeParameters(held_out=0.5), SILENT)
    assert found.facts["sentences that occur again"] == 12
    assert once.facts["sentences that occur again"] == 0
    assert found.facts["sentences held out"] == once.facts["sentences held out"] == 6
    assert found.facts["held out"] == 2 * int(once.facts["held out"])
    np.testing.assert_allclose(found.named["scores"][:, 0], once.named["scores"][:, 0])


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([Item(n, "the cat", marks=((0, 3, "D"), (4, 7, "N"))) for n in (1, 2)], "two different sentences"),
        ([Item(n, "the cat" * n, marks=((0, 3, "D"),)) for n in (1, 2)], "sentences and two labels"),
        (
            [Item(1, "the", marks=((0, 3, "D"),)), Item(2, "cat", marks=((0, 3, "N"),))],
            "are trained on have one label",
        ),
    ],
)
def test_too_few_labels_are_refused(model: Model, items: list[Item], message: str) -> None:
    with pytest.raises(AnalysisError, match=message):
        run_here(word_probe, measured_by(model, items), ProbeParameters(), SILENT)


def test_training_is_cancelled(measured: Measured) -> None:
    calls: list[int] = []

    def check() -> None:
        calls.append(1)
        if len(calls) > 20:
            raise Cancelled

    with pytest.raises(Cancelled):
        run_here(word_probe, measured, ProbeParameters(), Reporter(check))


def test_probe_is_saved_and_applied(result: ProbeResult, model: Model, tmp_path: Path) -> None:
    path = tmp_path / "probe.npz"
    result.probe.save(path)
    opened = open_probe(path)
    assert opened.labels == result.probe.labels
    trace = model.trace("the cat ate")
    found, expected = opened.apply(trace), result.probe.apply(trace)
    np.testing.assert_array_equal(found.values, expected.values)
    assert found.tokens == trace.tokens.pieces
    state, token = 1, 2
    of_state = result.probe
    inputs = (trace.hidden[state, token].astype(np.float64) - of_state.mean[state]) / of_state.scale[state]
    logits = inputs @ of_state.weights[state].T.astype(np.float64) + of_state.bias[state]
    shares = np.exp(logits) / np.exp(logits).sum()
    assert found.values[state, token, 0] == pytest.approx(shares.max(), abs=1e-5)
    assert found.pieces[int(found.ids[state, token, 0])] == opened.labels[int(shares.argmax())]


def test_probe_of_another_checkpoint_is_refused(result: ProbeResult) -> None:
    other = open_model(None, "cpu").trace("the cat")
    with pytest.raises(AnalysisError, match="another checkpoint"):
        result.probe.apply(other)


def test_other_files_are_no_probe(tmp_path: Path, result: ProbeResult) -> None:
    text = tmp_path / "a.npz"
    text.write_text("no archive")
    np.savez(tmp_path / "b.npz", values=np.zeros(3))
    arrays = result.probe.arrays()
    write_npz({**arrays, "bias": arrays["bias"][:, :1]}, tmp_path / "c.npz")
    write_npz({**arrays, "weights": arrays["weights"] * np.nan}, tmp_path / "d.npz")
    for name in ("a", "b", "c", "d", "none"):
        with pytest.raises(FileError, match="has no probe"):
            open_probe(tmp_path / f"{name}.npz")
    with pytest.raises(FileError):
        result.probe.save(tmp_path / "probe.csv")
