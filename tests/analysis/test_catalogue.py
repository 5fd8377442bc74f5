"""What every analysis of the catalogue promises: words, families, shapes, files, and no side effects."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
import torch
from PySide6.QtCore import QTranslator

import bertviz_app
from bertviz_app import open_model
from bertviz_app.analysis.catalogue import CATALOGUE, THEMES, by_theme, find_analysis
from bertviz_app.analysis.entry import Analysis, Needs
from bertviz_app.analysis.parameters import Reporter, allowed_values, parameters_of
from bertviz_app.analysis.results import Result
from bertviz_app.api import Model
from bertviz_app.errors import AnalysisError, Cancelled, Message
from bertviz_app.paths import resources
from bertviz_app.trace import Trace
from tests.support.families import COMPUTED_ALIKE, FAMILIES, WITHOUT_MASKED_HEAD, write_family
from tests.support.notebooks import (
    ALL_KINDS,
    HEADED,
    NotebookModel,
    random_headed,
    random_notebook,
    write_notebook,
)
from tests.support.peers import EngineModel

TEXT, OTHER = "the cat ate the fish because it was hungry", "the dog ate the fish"
KEYS = [analysis.key for analysis in CATALOGUE]
NOTEBOOKS: dict[str, Callable[[], NotebookModel]] = {
    f"notebook {name}": partial(random_notebook, name) for name in ALL_KINDS
} | {f"notebook heads {name}": partial(random_headed, name) for name in HEADED}
GLOBAL = {
    "longformer of texts": "AutoModelForSequenceClassification",
    "longformer of answers": "AutoModelForQuestionAnswering",
    "longformer of choices": "AutoModelForMultipleChoice",
}
MODELS = (*(name for name in FAMILIES if name not in COMPUTED_ALIKE), *GLOBAL, *NOTEBOOKS)
DIFFERENT = {"bert", "roberta-prelayernorm", "deberta-v2", "longformer of answers", "mobilebert", "convbert"}
"""Models that differ in structure: what an analysis gets wrong of any other, it does of one of these."""
OF_ALL = (
    *("head-measures", "score-parts", "norm-attention-residual", "decompx"),
    *("layer-details", "gradient-input", "value-zeroing", "predictions"),
)
"""Analyses that read different points of a pass: what a model gets wrong shows in one of these."""
FEW_CHECKS = dict.fromkeys(("layer-details", "predictions", "logits", "text-cosines", "query-key-map"), 2)
"""Of analyses of one layer or head alone, or of the last vectors."""
MOST_OFF = {"integrated-gradients": 0.01}
"""What an identity may be off by where it is not rounding: 50 points of a way on which random models bend."""


def _model(name: str, folder: Path) -> Model:
    if name in NOTEBOOKS:
        write_notebook(folder, NOTEBOOKS[name]())
    elif name in GLOBAL:
        write_family(folder, "longformer", GLOBAL[name])
    else:
        write_family(folder, name, "AutoModel" if name in WITHOUT_MASKED_HEAD else "AutoModelForMaskedLM")
    return open_model(str(folder), "cpu")


@pytest.fixture(scope="module")
def bundled() -> EngineModel:
    return EngineModel(None)


@pytest.fixture(scope="module")
def korean() -> QTranslator:
    translator = QTranslator()
    assert translator.load(str(resources() / "translations" / "bertviz_app_ko.qm"))
    return translator


def _arrays(trace: Trace) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    for field in fields(trace):
        value = getattr(trace, field.name)
        if isinstance(value, np.ndarray):
            yield field.name, value


def test_keys_are_unique_and_found() -> None:
    assert len(set(KEYS)) == len(KEYS)
    assert [find_analysis(key) for key in KEYS] == list(CATALOGUE)
    with pytest.raises(AnalysisError, match=r"no analysis “rollouts”\. There are: head-measures"):
        find_analysis("rollouts")


def test_each_names_its_paper_and_its_limits_in_both_languages(korean: QTranslator) -> None:
    for analysis in CATALOGUE:
        assert any(year in analysis.paper for year in map(str, range(1948, 2030))), analysis.key
        messages = [analysis.title, analysis.summary, analysis.limits]
        for parameter in parameters_of(analysis.parameters):
            assert isinstance(parameter.label, Message), analysis.key
            messages += [parameter.label, allowed_values(parameter)]
        for message in messages:
            assert isinstance(message, Message), analysis.key
            assert korean.translate("Errors", message.template), (analysis.key, message)
        assert analysis.limits.endswith("."), analysis.key
        assert analysis.summary.endswith("."), analysis.key


@pytest.mark.slow
@pytest.mark.usefixtures("plain_lenses")
@pytest.mark.parametrize("name", MODELS)
def test_each_refuses_or_succeeds_on_every_model(name: str, tmp_path: Path) -> None:
    model = _model(name, tmp_path / name)
    trace, other = model.trace(TEXT), model.trace(OTHER)
    before = {field: array.copy() for field, array in _arrays(trace)}
    for key in KEYS if name in DIFFERENT else OF_ALL:
        analysis = find_analysis(key)
        second = other if Needs.SECOND_RUN in analysis.needs else None
        refusal = analysis.refuses(trace.form, model.facts.task_heads) or analysis.refuses_trace(trace)
        if refusal is not None:
            with pytest.raises(AnalysisError, match=str(refusal.message)):
                model.analyse(key, trace, second)
            continue
        found = model.analyse(key, trace, second)
        _check(found, analysis)
        assert found.identity_error is None or found.identity_error < MOST_OFF.get(key, 1e-4), key
        if name == "bert":
            again = model.analyse(key, trace, second)
            for of, array in found.arrays().items():
                np.testing.assert_array_equal(array, again.arrays()[of], err_msg=key)
        for field, array in _arrays(trace):
            np.testing.assert_array_equal(array, before[field], err_msg=key)


def _check(found: Result, analysis: Analysis[Any, Any]) -> None:
    """The result is of the declared kind, its values are in their range, and shaped as its axes.

    They are finite, but for pairs of heads that no path joins.
    """
    assert isinstance(found, analysis.result), analysis.key
    arrays = found.arrays()
    assert arrays["values"].shape == tuple(map(len, found.axes)), analysis.key
    for array in arrays.values():
        known = array[~np.isnan(array)] if analysis.key == "composition" else array
        assert np.isfinite(known).all(), analysis.key
        assert known.size or not array.size, analysis.key
    table = found.as_table()
    assert all(len(row) == len(table.columns) for row in table.rows), analysis.key
    assert found.n_bytes >= 0
    quantity = getattr(found, "quantity", None)
    if quantity is not None:
        values = arrays["values"]
        assert quantity.lowest is None or values.min() >= quantity.lowest - 1e-6, analysis.key
        assert quantity.highest is None or values.max() <= quantity.highest + 1e-6, analysis.key


@pytest.mark.slow
@pytest.mark.usefixtures("plain_lenses")
@pytest.mark.parametrize("key", KEYS)
def test_it_reports_its_progress_asks_in_each_layer_and_ends_at_any_check(
    bundled: EngineModel, key: str
) -> None:
    """Cancelled at its first check, at some of those in between, and at its last, it raises Cancelled.

    How much work lies between two checks is counted in layers, not in seconds of whichever machine.
    """
    analysis, trace, shares = find_analysis(key), bundled.trace(TEXT), list[float]()
    other = bundled.trace(OTHER) if Needs.SECOND_RUN in analysis.needs else None
    n_checks = 0

    def count() -> None:
        nonlocal n_checks
        n_checks += 1

    bundled.analyse(key, trace, other, reporter=Reporter(check=count, progress=shares.append))
    assert n_checks >= FEW_CHECKS.get(key, trace.n_layers)
    assert shares == sorted(shares)
    assert not shares or shares[-1] == pytest.approx(1)
    for last in sorted({1, 2, n_checks // 2, n_checks} - {0}):
        n_left = last

        class Cancelling(Reporter):
            def check(self) -> None:
                nonlocal n_left
                n_left -= 1
                if n_left <= 0:
                    raise Cancelled

        with pytest.raises(Cancelled):
            bundled.analyse(key, trace, other, reporter=Cancelling())
    with bundled.engine.using(None) as opened:
        parameters = [*opened.checkpoint.encoder.parameters(), *opened.checkpoint.task_heads.parameters()]
    assert parameters
    assert all(parameter.grad is None and not parameter.requires_grad for parameter in parameters)
    assert torch.is_grad_enabled()


def test_each_analysis_belongs_to_one_theme(korean: QTranslator, monkeypatch: pytest.MonkeyPatch) -> None:
    found = by_theme()
    assert sorted(entry.key for _, entries in found for entry in entries) == sorted(KEYS)
    for title, entries in found:
        assert korean.translate("Errors", title.template)
        assert 0 < len(entries) <= 12, "more than a menu should hold"
    monkeypatch.setattr("bertviz_app.analysis.catalogue.THEMES", THEMES[1:])
    last = by_theme()[-1]
    assert last.analyses == THEMES[0].analyses, "what has no theme is listed after the others"
    assert korean.translate("Errors", last.title.template)


@pytest.mark.slow
def test_a_new_analysis_is_one_file(tmp_path: Path) -> None:
    new = """
        from bertviz_app.analysis.entry import Inputs, analysis
        from bertviz_app.analysis.parameters import NoParameters, Reporter
        from bertviz_app.analysis.results import Quantity, TokenScalars
        from bertviz_app.errors import Message

        @analysis(
            key="received",
            place=("layers", 0),
            title=Message("Received"),
            summary=Message("What each token gets."),
            limits=Message("None."),
            paper="Nobody 2020",
        )
        def received(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> TokenScalars:
            weights = inputs.trace.attention(0, 0).mean(0)
            return TokenScalars(inputs.trace.tokens.pieces, weights, Quantity("weight", 0, 1))
    """
    package = Path(bertviz_app.__file__).parent
    shutil.copytree(package, tmp_path / "bertviz_app")  # with what Python has compiled of it
    (tmp_path / "models").symlink_to(package.parent / "models")
    (tmp_path / "resources").symlink_to(package.parent / "resources")
    (tmp_path / "bertviz_app" / "features" / "methods" / "received.py").write_text(dedent(new))
    used = """
        from bertviz_app import open_model
        from bertviz_app.analysis.catalogue import THEMES

        model = open_model()
        print(THEMES[1].analyses[0].key, model.analyse("received", model.trace("a cat")).values.sum())
    """
    run = [sys.executable, "-c", dedent(used)]
    found = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    key, total = found.stdout.split() or [found.stderr[-300:], "0"]
    assert key == "received"
    assert float(total) == pytest.approx(1, abs=1e-5)
    listed = tmp_path / "bertviz_app" / "features" / "methods"
    (listed / "copy_of_received.py").write_text(dedent(new))
    found = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "received: its place ('layers', 0) names no theme, or the key is there twice" in found.stderr


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "longformer of texts": ("mixing-ratio", {}, "two value vectors"),
    "modernbert": ("globenc", {}, "norms follow the sums"),
    "deberta-v2": ("decompx", {"conv_kernel_size": 3, "conv_act": "gelu"}, "convolution"),
    "xmod": ("decompx", {}, "adapters of a language"),
    "convbert": ("globenc", {}, "convolutions beside"),
}
"""What an analysis cannot be computed of: the model, its sizes, and the reason."""


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_the_method_is_refused_with_the_reason(name: str, tmp_path: Path) -> None:
    key, sizes, reason = REFUSED[name]
    write_family(tmp_path, name.partition(" ")[0], GLOBAL.get(name, "AutoModel"), **sizes)
    model = open_model(str(tmp_path), "cpu")
    with pytest.raises(AnalysisError, match=reason):
        model.analyse(key, model.trace("the cat"))
