"""Heads over files, against `transformers` with hooks, and cases computed by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import bertviz_app
from bertviz_app.analysis.class_labels import ClassLabels
from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.measures import head_overview
from bertviz_app.analysis.model_access import ModelOutput
from bertviz_app.analysis.parameters import SILENT, NoParameters
from bertviz_app.analysis.pure.heads import PATTERNS, head_patterns, inter_sentence
from bertviz_app.analysis.results import HeadMap
from bertviz_app.errors import AnalysisError
from bertviz_app.features.corpora.process.studies import StudySettings
from bertviz_app.features.corpora.studies.outcomes import (
    FileOutcome,
    PruningCurve,
    masked_positions,
    outcomes_of,
    pruned_counts,
    pruning_order,
)
from bertviz_app.features.corpora.studies.statistics import HeadStatistics, is_punctuation
from tests.support.checkpoints import vocabulary, write_bert

TEXTS = (
    "the cat ate fish because it was hungry.",
    "it was hungry, the cat!",
    "fish ate the cat",
    "was it the hungry cat ? it was.",
    "because fish",
)
LABELS = ("good", "bad", "good", "so-so", "bad")
NAMES = ("bad", "so-so", "good")
ROWS = StudySettings(label_column="label", text_column="text", block_units=2)


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random classifier of three labels whose heads matter."""
    return write_bert(tmp_path_factory.mktemp("made") / "classifier", _peer("BertForSequenceClassification"))


@pytest.fixture(scope="module")
def of_classes(classifier: Path) -> bertviz_app.Model:
    return bertviz_app.open_model(str(classifier), "cpu")


@pytest.fixture(scope="module")
def model(tiny_bert: Path) -> bertviz_app.Model:
    return bertviz_app.open_model(str(tiny_bert), "cpu")


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random checkpoint that predicts masked tokens."""
    return write_bert(tmp_path_factory.mktemp("made") / "masked", _peer("BertForMaskedLM"))


def _peer(kind: str, names: tuple[str, ...] = NAMES) -> Any:
    import transformers

    config = transformers.BertConfig(
        vocab_size=len(vocabulary()),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        attn_implementation="eager",
        id2label=dict(enumerate(names)),
        label2id={name: number for number, name in enumerate(names)},
    )
    torch.manual_seed(3)
    model = getattr(transformers, kind)(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.4)
    return model


def _table(path: Path, labels: Sequence[str]) -> Path:
    lines = ["label\ttext", *(f"{label}\t{text}" for label, text in zip(labels, TEXTS, strict=True))]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return _table(tmp_path / "rows.tsv", LABELS)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(TEXTS) + "\n", "utf-8")
    return path


@dataclass(frozen=True)
class Numbered:
    """What the loss of masked tokens reads of a text."""

    ids: Any
    is_special: Any


@contextmanager
def _scaled(model: Any, switches: torch.Tensor) -> Iterator[None]:
    """Multiply the output of each head of `transformers`' model by its switch [L, H]."""
    hooks = []
    for layer, block in enumerate(model.bert.encoder.layer):

        def scale(module: Any, inputs: Any, layer: int = layer) -> Any:
            (context, *rest) = inputs
            heads = context.reshape(*context.shape[:-1], switches.shape[1], -1)
            return ((heads * switches[layer][:, None]).reshape(context.shape), *rest)

        hooks.append(block.attention.output.register_forward_pre_hook(scale))
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _their_losses(folder: Path, switches: torch.Tensor) -> tuple[torch.Tensor, list[bool]]:
    """Return the loss of each row, with gradients by the switches, and whether it is right."""
    from transformers import AutoTokenizer, BertForSequenceClassification

    model = BertForSequenceClassification.from_pretrained(folder, attn_implementation="eager").eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    losses, right = [], []
    with _scaled(model.double(), switches):
        for text, label in zip(TEXTS, LABELS, strict=True):
            logits = model(**tokenizer(text, return_tensors="pt")).logits
            answer = NAMES.index(label)
            losses.append(-logits.log_softmax(-1)[0, answer])
            right.append(int(logits.argmax()) == answer)
    return torch.stack(losses), right


def _switches(off: list[tuple[int, int]], *, grad: bool = False) -> torch.Tensor:
    found = torch.ones(2, 4, dtype=torch.float64)
    for layer, head in off:
        found[layer, head] = 0
    return found.requires_grad_(grad)


def test_importance_is_the_mean_size_of_the_gradient_of_the_loss(
    of_classes: bertviz_app.Model, classifier: Path, rows: Path
) -> None:
    found = of_classes.study("head-importance", rows, settings=ROWS)
    switches = _switches([], grad=True)
    losses, _ = _their_losses(classifier, switches)
    of_each = [torch.autograd.grad(loss, switches, retain_graph=True)[0].abs() for loss in losses]
    expected = torch.stack(of_each).mean(0).numpy()
    assert isinstance(found, HeadStatistics)
    np.testing.assert_allclose(found.of("importance"), expected, rtol=1e-4, atol=1e-6)
    by_layer = of_classes.study("head-importance", rows, settings=ROWS, by_layer=True)
    assert isinstance(by_layer, HeadStatistics)
    norms = np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(by_layer.of("importance"), expected / norms, rtol=1e-4, atol=1e-6)
    assert found.facts == {"n_texts": 5, "n_without_outcome": 0}


def test_ablation_changes_the_loss_and_the_score(
    of_classes: bertviz_app.Model, classifier: Path, rows: Path
) -> None:
    found = of_classes.study("head-ablation", rows, settings=ROWS)
    assert isinstance(found, HeadStatistics)
    whole, right = _their_losses(classifier, _switches([]))
    assert found.facts["outcome"] == pytest.approx(whole.mean().item(), rel=1e-5)
    assert found.facts["score"] == pytest.approx(np.mean(right))
    for head in np.ndindex(2, 4):
        losses, right_without = _their_losses(classifier, _switches([head]))
        changes = (losses - whole).detach().numpy()
        assert found.of("change")[head] == pytest.approx(changes.mean(), abs=1e-5)
        assert found.of("change", "sd")[head] == pytest.approx(changes.std(ddof=1), rel=1e-3, abs=1e-5)
        assert found.of("score change")[head] == pytest.approx(
            np.mean(right_without) - np.mean(right), abs=1e-6
        )


def test_the_pruning_curve_is_that_of_heads_switched_off_in_the_order_of_importance(
    of_classes: bertviz_app.Model, classifier: Path, rows: Path
) -> None:
    found = of_classes.study("pruning-curve", rows, settings=ROWS, steps=4)
    assert isinstance(found, PruningCurve)
    switches = _switches([], grad=True)
    losses, _ = _their_losses(classifier, switches)
    of_each = [torch.autograd.grad(loss, switches, retain_graph=True)[0].abs() for loss in losses]
    importance = torch.stack(of_each).mean(0)
    importance = importance / importance.norm(dim=1, keepdim=True)
    order = [divmod(int(at), 4) for at in importance.reshape(-1).argsort()]
    assert [tuple(map(int, head)) for head in found.named["order"]] == order
    assert found.axes_of["loss"][0].labels == ("0", "2", "4", "6", "8")
    for at, count in enumerate((0, 2, 4, 6, 8)):
        losses, right = _their_losses(classifier, _switches(order[:count]))
        numbers = losses.detach().numpy()
        assert found.named["loss"][at] == pytest.approx(numbers.mean(), rel=1e-4)
        assert found.named["score"][at] == pytest.approx(np.mean(right))
        error = numbers.std(ddof=1) / np.sqrt(len(numbers))
        assert found.named["loss error"][at] == pytest.approx(error, rel=1e-3)
    assert found.main == "score"


def test_a_random_order_is_a_control(of_classes: bertviz_app.Model, rows: Path, tmp_path: Path) -> None:
    out = tmp_path / "curve.json"
    one = of_classes.study("pruning-curve", rows, out, settings=ROWS, order="random", seed=4)
    two = of_classes.study("pruning-curve", rows, settings=ROWS, order="random", seed=4)
    other = of_classes.study("pruning-curve", rows, settings=ROWS, order="random", seed=5)
    assert np.array_equal(one.arrays()["order"], two.arrays()["order"])
    assert not np.array_equal(one.arrays()["order"], other.arrays()["order"])
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["curve.json", "curve.json.about.json", "curve.json.remarks.csv", "rows.tsv"]


def test_the_first_of_two_passes_is_resumed_too(
    of_classes: bertviz_app.Model, rows: Path, tmp_path: Path
) -> None:
    from tests.features.corpora.process.test_studies import Stops

    whole, resumed = tmp_path / "whole.npz", tmp_path / "resumed.npz"
    of_classes.study("pruning-curve", rows, whole, settings=ROWS)

    class StopsLate(Stops):
        def check(self) -> None:
            if self.done and (self.done[-1].share or 0) >= 0.9:
                raise bertviz_app.errors.Cancelled

    with pytest.raises(bertviz_app.errors.Cancelled):
        of_classes.study("pruning-curve", rows, resumed, settings=ROWS, progress=StopsLate(0))
    assert len(list((tmp_path / "resumed.npz.first.parts").iterdir())) == 3
    again = Stops(1000)
    of_classes.study("pruning-curve", rows, resumed, settings=ROWS, progress=again)
    assert again.done[0].n_earlier == 2
    assert resumed.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.glob("resumed*")) == [
        "resumed.npz",
        "resumed.npz.about.json",
        "resumed.npz.remarks.csv",
    ]


def test_counts_and_orders() -> None:
    assert pruned_counts(8, 4).tolist() == [0, 2, 4, 6, 8]
    assert pruned_counts(3, 10).tolist() == [0, 1, 2, 3]
    importance = np.array([[3.0, 1.0], [0.5, 2.0]])
    assert pruning_order(importance, (2, 2), 0).tolist() == [[1, 0], [0, 1], [1, 1], [0, 0]]


def test_the_loss_of_texts_is_that_of_their_masked_tokens(masked: Path, texts: Path) -> None:
    from transformers import BertForMaskedLM

    model = bertviz_app.open_model(str(masked), "cpu")
    found = model.study("pruning-curve", texts, steps=1, order="random")
    assert isinstance(found, PruningCurve)
    peer = BertForMaskedLM.from_pretrained(masked, attn_implementation="eager").eval().double()
    for at, off in ((0, 1.0), (1, 0.0)):
        losses, right = [], []
        for text in TEXTS:
            tokens = model.tokens(text)
            positions = masked_positions(tokens)
            assert len(positions) == max(1, round(0.15 * (len(tokens) - 2)))
            ids = torch.from_numpy(tokens.ids[None].astype(np.int64))
            hidden = ids.clone()
            hidden[0, positions] = 4  # [MASK]
            with _scaled(peer, torch.full((2, 4), off, dtype=torch.float64)), torch.no_grad():
                logits = peer(input_ids=hidden).logits[0, positions]
            written = ids[0, positions]
            losses.append(float(torch.nn.functional.cross_entropy(logits, written)))
            right.append(float((logits.argmax(-1) == written).double().mean()))
        assert found.named["loss"][at] == pytest.approx(np.mean(losses), rel=1e-4)
        assert found.named["score"][at] == pytest.approx(np.mean(right), abs=1e-6)


def test_a_small_loss_in_a_large_vocabulary_is_that_of_float64() -> None:
    """Four texts of one masked token each, predicted with confidence: pieces add less than half an ulp."""
    logits = 1.5 * torch.randn(4, 1, 250_002, generator=torch.Generator().manual_seed(0))
    logits[..., 2] += 22
    predicts = SimpleNamespace(masked=logits)
    model: Any = SimpleNamespace(task_heads=("masked",), mask_id=4, task_logits=lambda *_, **__: predicts)
    tokens: Any = Numbered(ids=np.array([2], np.int32), is_special=np.zeros(1, bool))
    measured: Any = SimpleNamespace(
        model=model, units=[SimpleNamespace(item=SimpleNamespace(label=""), tokens=tokens)]
    )
    (outcome,) = outcomes_of(measured, FileOutcome())
    assert outcome is not None
    exact = -logits.double().log_softmax(-1)[:, 0, 2].numpy()
    assert exact.max() < 6e-3
    passed = ModelOutput(torch.zeros(4, 1, 1), None, None)
    assert outcome.values(passed, grad=False).numpy() == pytest.approx(exact, rel=1e-5)


def test_labels_that_the_checkpoint_does_not_know_are_counted(
    of_classes: bertviz_app.Model, tmp_path: Path
) -> None:
    table = tmp_path / "rows.tsv"
    table.write_text("label\ttext\ngood\tthe cat\nawful\tthe fish\n2\tit was\n", "utf-8")
    found = of_classes.study("head-importance", table, settings=ROWS)
    assert isinstance(found, HeadStatistics)
    labels = "0=bad, 1=so-so, 2=good"
    assert found.facts == {"n_texts": 2, "n_without_outcome": 1, "labels": labels}
    table.write_text("label\ttext\nawful\tthe cat\n", "utf-8")
    with pytest.raises(AnalysisError, match="none of the labels"):
        of_classes.study("head-importance", table, settings=ROWS)


def test_labels_that_cannot_be_told_are_stated(tmp_path: Path) -> None:
    stars = ("1 star", "2 stars", "3 stars")
    folder = write_bert(tmp_path / "stars", _peer("BertForSequenceClassification", stars))
    model = bertviz_app.open_model(str(folder), "cpu")
    from_0 = _table(tmp_path / "from_0.tsv", "21220")
    named = _table(tmp_path / "named.tsv", [stars[int(one)] for one in "21220"])
    for key in ("head-ablation", "pruning-curve"):
        with pytest.raises(AnalysisError, match=r"label 0 .* 1 star, 2 stars, 3 stars\..* parameter labels"):
            model.study(key, from_0, settings=ROWS)
        out = tmp_path / f"{key}.csv"
        stated = model.study(key, from_0, out, labels="0=0, 1=1, 2=3 stars", settings=ROWS)
        assert isinstance(stated, HeadStatistics | PruningCurve)
        assert stated.facts["labels"] == "0=1 star, 1=2 stars, 2=3 stars"
        assert out.read_text("utf-8").splitlines()[1].endswith(',"0=1 star, 1=2 stars, 2=3 stars"')
        by_name = model.study(key, named, settings=ROWS)
        for name, array in by_name.arrays().items():
            np.testing.assert_array_equal(stated.arrays()[name], array)


@pytest.mark.parametrize(
    ("classes", "label", "number"),
    [
        *((NAMES, label, number) for label, number in (("GOOD", 2), ("1", 1), ("3", None), ("x", None))),
        (("LABEL_0", "LABEL_1"), "1", 1),
        (("1 star", "2 stars"), "1", 0),
        (("5 stars", "4 stars"), "04", 1),
        (("1", "0"), "0", 1),
        (("0 no", "1 yes"), "2", None),
        (("none", "1 star", "2 stars"), "1", 1),
    ],
)
def test_a_class_is_named_or_numbered(classes: tuple[str, ...], label: str, number: int | None) -> None:
    assert ClassLabels(classes).of(label) == number


@pytest.mark.parametrize(
    ("classes", "label"),
    [(("1 star", "2 stars"), "3"), (("LABEL_1", "LABEL_2"), "1"), (("1 a", "1 b"), "1"), (("x", "2"), "1")],
)
def test_a_number_that_may_be_several_classes_is_not_guessed(classes: tuple[str, ...], label: str) -> None:
    with pytest.raises(AnalysisError, match="cannot be told"):
        ClassLabels(classes).of(label)


SEVERAL = (("good",), (), ("bad", "good"), ("bad", "so-so", "good"), ("so-so",))


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random classifier of three labels, any of which a text may have."""
    made = _peer("BertForSequenceClassification")
    made.config.problem_type = "multi_label_classification"
    return write_bert(tmp_path_factory.mktemp("made") / "several", made)


def _several_rows(form: str) -> list[dict[str, object]]:
    """Return the labels of SEVERAL as lists, as columns of 0 and 1, as numbers, and joined in a cell."""
    found = []
    for text, labels in zip(TEXTS, SEVERAL, strict=True):
        cells: dict[str, dict[str, object]] = {
            "lists": {"label": list(labels)},
            "columns": {name: int(name in labels) for name in NAMES},
            "numbers": {"label": [NAMES.index(label) for label in labels]},
            "joined": {"label": "|".join(labels) or "[]"},
        }
        found.append({"text": text, **cells[form]})
    return found


@pytest.mark.parametrize("form", ["lists", "columns", "numbers", "joined"])
def test_the_loss_of_several_labels_is_that_of_transformers(several: Path, form: str, tmp_path: Path) -> None:
    from transformers import AutoTokenizer, BertForSequenceClassification

    theirs = BertForSequenceClassification.from_pretrained(several, attn_implementation="eager").eval()
    tokenizer = AutoTokenizer.from_pretrained(several)
    switches, losses, right = _switches([], grad=True), [], []
    with _scaled(theirs.double(), switches):
        for text, labels in zip(TEXTS, SEVERAL, strict=True):
            true = torch.tensor([[float(name in labels) for name in NAMES]], dtype=torch.float64)
            output = theirs(**tokenizer(text, return_tensors="pt"), labels=true)
            losses.append(output.loss)
            right.append(float(((output.logits.sigmoid() >= 0.5) == true.bool()).double().mean()))
    assert min(right) < 0.9, "wrong answers, too"
    data = tmp_path / "rows.jsonl"
    data.write_text("".join(f"{json.dumps(row)}\n" for row in _several_rows(form)), "utf-8")
    model = bertviz_app.open_model(str(several), "cpu")
    column = ",".join(NAMES) if form == "columns" else "label"
    curve = model.study("pruning-curve", data, steps=2, label=column)
    assert isinstance(curve, PruningCurve)
    assert curve.facts["n_texts"] == len(TEXTS)
    assert curve.facts.get("labels") == ("0=bad, 1=so-so, 2=good" if form == "numbers" else None)
    assert curve.named["loss"][0] == pytest.approx(float(torch.stack(losses).mean().detach()), abs=1e-5)
    assert curve.named["score"][0] == pytest.approx(np.mean(right), abs=1e-6)
    if form == "lists":
        of_each = [torch.autograd.grad(loss, switches, retain_graph=True)[0].abs() for loss in losses]
        found = model.study("head-importance", _several_rows(form), label="label")
        assert isinstance(found, HeadStatistics)
        expected = torch.stack(of_each).mean(0).numpy()
        np.testing.assert_allclose(found.of("importance"), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("classes", "stated", "label", "held"),
    [
        (NAMES, None, "bad, good", (1, 0, 1)),
        (("a, b", "a", "b"), None, "a, b", (1, 0, 0)),
        (NAMES, None, "bad, worse", None),
        (NAMES, None, '["bad", "worse"]', None),
        (NAMES, "worse=bad", '["worse"]', (1, 0, 0)),
        (("toxic",), None, "1", (1,)),
        (("toxic",), None, "0", (0,)),
        (("toxic",), "0=toxic", "0", (1,)),
        (("toxic",), None, "[]", (0,)),
        (("toxic",), None, "toxic", (1,)),
    ],
)
def test_several_labels_of_a_row(
    classes: tuple[str, ...], stated: str | None, label: str, held: tuple[float, ...] | None
) -> None:
    assert ClassLabels(classes, stated).held(label) == held


def test_columns_must_say_each_class_of_several(several: Path) -> None:
    model = bertviz_app.open_model(str(several), "cpu")
    rows = _several_rows("columns")
    with pytest.raises(AnalysisError, match="these classes: so-so"):
        model.study("head-importance", rows, label="bad,good")
    rows = [{**row, "worse": 0} for row in rows]
    with pytest.raises(AnalysisError, match="worse are no classes"):
        model.study("head-importance", rows, label="bad,so-so,good,worse")


@pytest.mark.parametrize("form", ["lists", "columns"])
@pytest.mark.parametrize("key", ["head-ablation", "classifier", "text-probe"])
def test_studies_of_one_right_label_refuse_several(
    of_classes: bertviz_app.Model, key: str, form: str
) -> None:
    column = ",".join(NAMES) if form == "columns" else "label"
    with pytest.raises(AnalysisError, match="needs one label a text, and a row has several") as raised:
        of_classes.study(key, _several_rows(form), label=column)
    assert raised.value.hint == "Give a column with one label for each text."


def test_without_a_task_head_there_is_no_loss(
    tiny_bert: Path, classifier: Path, rows: Path, texts: Path
) -> None:
    plain = bertviz_app.open_model(str(tiny_bert), "cpu")
    with pytest.raises(AnalysisError, match="it has no loss"):
        plain.study("head-importance", texts)
    with pytest.raises(AnalysisError, match="has no classes"):
        plain.study("head-importance", rows, settings=ROWS)
    with pytest.raises(AnalysisError, match="this file has none"):
        bertviz_app.open_model(str(classifier), "cpu").study("head-ablation", texts)


def test_another_outcome_is_the_mean_of_the_analysis_of_each_text(
    model: bertviz_app.Model, texts: Path
) -> None:
    traces = [model.trace(text) for text in TEXTS]
    for key, scalar in (("head-ablation", "change"), ("head-importance", "importance")):
        found = model.study(key, texts, outcome="pooled", settings=StudySettings(block_units=2))
        assert isinstance(found, HeadStatistics)
        of_each = [model.analyse(key, trace, target="pooled").arrays()["values"][0] for trace in traces]
        np.testing.assert_allclose(found.of(scalar), np.mean(of_each, axis=0), rtol=1e-4, atol=1e-6)


def test_measures_of_texts_that_are_too_short_for_names(model: bertviz_app.Model, tmp_path: Path) -> None:
    path = tmp_path / "short.txt"
    path.write_text("fish\nthe cat\n", "utf-8")
    found = model.study("head-measures", path)
    assert isinstance(found, HeadStatistics)
    assert (found.n_named, found.facts["n_named"]) == (0, 0)
    of_each = [head_overview(model.trace(text)).measures["entropy"] for text in ("fish", "the cat")]
    np.testing.assert_allclose(found.of("entropy"), np.mean(of_each, axis=0), rtol=1e-5)
    assert found.shares is not None
    assert np.isnan(found.shares).all()
    columns, rows = found.as_table().columns, list(found.as_table().rows)
    assert {row[columns.index("name")] for row in rows} == {""}
    assert {str(row[columns.index("share")]) for row in rows} == {"nan"}
    path.write_text("fish\nthe cat ate the fish .\n", "utf-8")
    again = model.study("head-measures", path)
    assert isinstance(again, HeadStatistics)
    assert again.n_named == 1
    assert again.as_table().columns == columns


def test_patterns_are_shares_of_the_texts(model: bertviz_app.Model, texts: Path) -> None:
    found = model.study("head-patterns", texts)
    assert isinstance(found, HeadStatistics)
    of_each = [
        head_patterns(Inputs(model.trace(text)), NoParameters(), SILENT).of("pattern") for text in TEXTS
    ]
    assert found.shares is not None
    for number, name in enumerate(PATTERNS):
        expected = np.mean([kinds == number for kinds in of_each], axis=0)
        np.testing.assert_allclose(found.shares[number], expected, atol=1e-6)
        assert found.facts[f"share of {name}"] == pytest.approx(expected.mean())
    np.testing.assert_allclose(found.shares.sum(0), 1, atol=1e-6)
    assert found.name_of(0, 0)[0] in PATTERNS


def test_distances_are_the_mean_over_all_queries(model: bertviz_app.Model, texts: Path) -> None:
    found = model.study("head-distance", texts, settings=StudySettings(block_units=2))
    assert isinstance(found, HeadMap)
    total, n_queries = np.zeros((8, 8)), 0
    for text in TEXTS:
        weights = model.trace(text).attention(0)
        trace = model.trace(text)
        rows = np.concatenate([trace.attention(layer) for layer in range(2)]).astype(np.float64)
        rows = 0.999 * rows + 0.001 / rows.shape[-1]
        n_queries += len(weights[0])
        for a, b in np.ndindex(8, 8):
            middle = (rows[a] + rows[b]) / 2
            total[a, b] += (rows[a] * np.log(rows[a] / middle) + rows[b] * np.log(rows[b] / middle)).sum() / 2
    np.testing.assert_allclose(found.named["values"], total / n_queries, atol=1e-6)
    assert found.facts == {"n_queries": n_queries}


def test_crossings_leave_out_what_a_text_does_not_have(model: bertviz_app.Model, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("sentence1\tsentence2\nthe cat\tit was\nfish ate\tthe hungry cat\n", "utf-8")
    found = model.study("inter-sentence", pairs, settings=StudySettings(pair_column="sentence2"))
    assert isinstance(found, HeadStatistics)
    traces = [model.trace("the cat", "it was"), model.trace("fish ate", "the hungry cat")]
    of_each = [inter_sentence(Inputs(trace), NoParameters(), SILENT).of("1 → 2") for trace in traces]
    np.testing.assert_allclose(found.of("1 → 2"), np.mean(of_each, axis=0), atol=1e-6)
    (together,) = found.pictures()
    drawn = dict(together.side_by_side({"statistic": 0}))
    assert together.labels_beside[1] == "1 → 2"
    np.testing.assert_array_equal(drawn[1].values, found.of("1 → 2"))
    assert drawn[1].details({"layer": 0, "head": 0})[0].startswith("mean ")
    single = tmp_path / "texts.txt"
    single.write_text("the cat\n", "utf-8")
    alone = model.study("inter-sentence", single)
    assert isinstance(alone, HeadStatistics)
    assert np.isnan(alone.of("1 → 2")).all()
    np.testing.assert_allclose(alone.of("1 → 1") + alone.of("1 → special"), 1, atol=1e-5)


def test_targets_are_sums_of_columns(model: bertviz_app.Model, texts: Path) -> None:
    found = model.study("attention-targets", texts)
    layers = model.study("attention-targets", texts, per="layer")
    assert isinstance(found, HeadStatistics)
    assert isinstance(layers, HeadStatistics)
    on_signs, entropies = [], []
    for text in TEXTS:
        trace = model.trace(text)
        signs = [at for at, piece in enumerate(trace.tokens.pieces) if piece in ".,!?"]
        weights = np.stack([trace.attention(layer) for layer in range(2)]).astype(np.float64)
        on_signs.append(weights[..., signs].sum(-1).mean(-1))
        first = weights[:, :, 0]
        entropies.append(-(first * np.log2(first)).sum(-1))
    np.testing.assert_allclose(found.of("punctuation"), np.mean(on_signs, axis=0), atol=1e-6)
    np.testing.assert_allclose(found.of("entropy of the first"), np.mean(entropies, axis=0), atol=1e-5)
    np.testing.assert_allclose(layers.of("punctuation")[:, 0], np.mean(on_signs, axis=(0, 2)), atol=1e-6)
    assert layers.axes[-1].labels == ("all",)


def test_punctuation_is_what_unicode_calls_so(tiny_bert: Path) -> None:
    tokens = bertviz_app.open_model(str(tiny_bert), "cpu").tokens("(the cat), it was?", "fish!")
    signs = [piece for piece, found in zip(tokens.pieces, is_punctuation(tokens), strict=True) if found]
    assert signs == ["(", ")", ",", "?", "!"]


def test_studies_of_one_file_share_the_passes_of_its_texts(
    model: bertviz_app.Model, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bertviz_app.inference.opened_checkpoint import OpenedCheckpoint

    n_texts = 0
    record_batch = OpenedCheckpoint.record_batch

    def counted(opened: OpenedCheckpoint, inputs: Any, *others: Any) -> Any:
        nonlocal n_texts
        n_texts += len(inputs)
        return record_batch(opened, inputs, *others)

    monkeypatch.setattr(OpenedCheckpoint, "record_batch", counted)
    keys = ("head-measures", "head-patterns", "inter-sentence", "head-distance")
    model.studies({key: {} for key in keys}, texts, tmp_path / "tables")
    assert n_texts == len(TEXTS)
    assert {path.stem for path in (tmp_path / "tables").glob("*.csv")} == {*keys, "remarks"}


def test_corpus_with_analyses_writes_a_table_of_each(
    classifier: Path, rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from bertviz_app.cli import main

    out = tmp_path / "tables"
    words = ["corpus", str(rows), "--model", str(classifier), "--device", "cpu", "--out", str(out)]
    keys = "head-patterns,head-ablation,head-importance,inter-sentence,head-distance"
    given = ["--label-column", "label", "--text-column", "text"]
    assert main([*words, *given, "--analyses", keys, "--set", "head-ablation.flavour=mean"]) == 0
    assert "Wrote 5 tables" in capsys.readouterr().out
    assert {path.stem for path in out.glob("*.csv")} == {*keys.split(","), "remarks"}
    first, second = (out / "head-ablation.csv").read_text("utf-8").splitlines()[:2]
    assert first.startswith("layer,head,change_mean,change_sd,change_median,score_change_mean")
    model = bertviz_app.open_model(str(classifier), "cpu")
    ablated = model.study("head-ablation", rows, settings=ROWS, flavour="mean")
    assert isinstance(ablated, HeadStatistics)
    assert float(second.split(",")[2]) == pytest.approx(ablated.of("change")[0, 0], rel=1e-5)
    for wrong, message in (
        (["--analyses", keys, "--set", "flavour=mean"], "no parameter of these analyses"),
        (["--analyses", "head-patterns", "--names", "x.csv"], "of the table of measures"),
        (["--label-column", "label"], "for --analyses"),
        (["--analyses", "no-such"], "no study"),
    ):
        assert main([*words, *wrong]) == 2
        assert message in capsys.readouterr().err


def test_the_names_of_the_window_are_written(
    tiny_bert: Path, texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from bertviz_app.cli import main

    out, names = tmp_path / "heads.npz", tmp_path / "names.csv"
    words = ["corpus", str(texts), "--model", str(tiny_bert), "--device", "cpu", "--out", str(out)]
    assert main([*words, "--names", str(names)]) == 0
    summary = bertviz_app.corpus_summary(out)
    lines = names.read_text("utf-8").splitlines()
    assert lines[0].startswith("layer,head,name,share,entropy_mean")
    assert len(lines) == 1 + 8
    for line in lines[1:]:
        layer, head, name, share, *_ = line.split(",")
        found = summary.names.get((int(layer), int(head)))
        assert name == ("" if found is None else found.rule.key)
        if found is not None:
            assert float(share) == pytest.approx(found.share)
    study = bertviz_app.open_model(str(tiny_bert), "cpu").study("head-measures", texts)
    assert isinstance(study, HeadStatistics)
    for at, one in summary.names.items():
        own, own_share = study.name_of(*at)
        assert own == one.rule.key
        assert own_share == pytest.approx(one.share)
