"""What every analysis of the catalogue promises: words, families, shapes, files, and no side effects."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QTranslator

from bertviz_app import open_model
from bertviz_app.analysis.catalogue import CATALOGUE, THEMES, by_theme, find_analysis
from bertviz_app.analysis.entry import Analysis, Needs
from bertviz_app.analysis.parameters import Callbacks, allowed_values, parameters_of
from bertviz_app.analysis.results import Result
from bertviz_app.api import Model
from bertviz_app.errors import AnalysisError, Cancelled, Message
from bertviz_app.paths import resources
from bertviz_app.trace import Trace
from tests.support.families import FAMILIES, WITHOUT_MASKED_HEAD, write_family
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
LONG = " ".join([TEXT] * 12)
KEYS = [analysis.key for analysis in CATALOGUE]
NOTEBOOKS: dict[str, Callable[[], NotebookModel]] = {
    f"notebook {name}": partial(random_notebook, name) for name in ALL_KINDS
} | {f"notebook heads {name}": partial(random_headed, name) for name in HEADED}
GLOBAL = {
    "longformer of texts": "AutoModelForSequenceClassification",
    "longformer of answers": "AutoModelForQuestionAnswering",
    "longformer of choices": "AutoModelForMultipleChoice",
}
MODELS = (*FAMILIES, *GLOBAL, *NOTEBOOKS)
DIFFERENT = {
    *("bert", "roberta-prelayernorm", "deberta-v2", "longformer", "mobilebert", "albert", "t5", "convbert"),
}
"""Families that differ in structure: what an analysis gets wrong of any other, it does of one of these."""
OF_ALL = (
    *("head-measures", "score-parts", "norm-attention-residual", "decompx"),
    *("layer-details", "gradient-input", "value-zeroing", "predictions"),
)
"""Analyses that read different points of a pass: what a model gets wrong shows in one of these."""
PAIRS = [(model, key) for model in MODELS for key in (KEYS if model in DIFFERENT else OF_ALL)]
MOST_OFF = {"integrated-gradients": 0.01}
"""What an identity may be off by where it is not rounding: 50 points of a way on which random models bend."""
OF_LONG_TEXTS: dict[str, dict[str, Any]] = {"attention-flow": {"query": 0}}
"""Parameters without which an analysis takes short texts only."""
ENOUGH = 2.0
"""Seconds of an analysis that are watched."""
SLOWEST = 0.1
"""Seconds between two questions whether the analysis was cancelled."""


@pytest.fixture(scope="module")
def family(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Model:
    if request.param in NOTEBOOKS:
        folder = tmp_path_factory.mktemp("notebook") / "notebook"
        return open_model(str(write_notebook(folder, NOTEBOOKS[request.param]())), "cpu")
    if request.param in GLOBAL:
        folder = tmp_path_factory.mktemp("longformer") / "longformer"
        write_family(folder, "longformer", GLOBAL[request.param])
        return open_model(str(folder), "cpu")
    folder = tmp_path_factory.mktemp(request.param) / request.param
    has_head = request.param not in WITHOUT_MASKED_HEAD
    write_family(folder, request.param, "AutoModelForMaskedLM" if has_head else "AutoModel")
    return open_model(str(folder), "cpu")


@pytest.fixture(scope="module")
def traces(family: Model) -> tuple[Trace, Trace]:
    return family.trace(TEXT), family.trace(OTHER)


@pytest.fixture(scope="module")
def bundled() -> EngineModel:
    return EngineModel(None)


@pytest.fixture(scope="module")
def korean() -> QTranslator:
    translator = QTranslator()
    assert translator.load(str(resources() / "translations" / "bertviz_app_ko.qm"))
    return translator


def _other(analysis: Analysis[Any, Any], model: Model) -> Trace | None:
    return model.trace(OTHER) if Needs.SECOND_RUN in analysis.needs else None


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


@pytest.mark.parametrize("analysis", CATALOGUE, ids=KEYS)
def test_it_names_its_paper_and_its_limits_in_both_languages(
    analysis: Analysis[Any, Any], korean: QTranslator
) -> None:
    assert any(year in analysis.paper for year in map(str, range(1948, 2030))), "a paper has a year"
    for message in (analysis.title, analysis.summary, analysis.limits):
        assert isinstance(message, Message)
        assert korean.translate("Errors", message.template)
    assert analysis.limits.endswith(".")
    assert analysis.summary.endswith(".")
    for parameter in parameters_of(analysis.parameters):
        assert isinstance(parameter.label, Message)
        assert korean.translate("Errors", parameter.label.template)
        assert korean.translate("Errors", allowed_values(parameter).template)


@pytest.mark.slow
@pytest.mark.parametrize(("family", "key"), PAIRS, indirect=["family"], scope="module")
def test_it_refuses_or_succeeds_on_every_family(family: Model, traces: tuple[Trace, Trace], key: str) -> None:
    analysis, (trace, other) = find_analysis(key), traces
    second = other if Needs.SECOND_RUN in analysis.needs else None
    before = {name: array.copy() for name, array in _arrays(trace)}
    refusal = analysis.refuses(trace.form, family.facts.task_heads) or analysis.refuses_trace(trace)
    if refusal is not None:
        with pytest.raises(AnalysisError, match=str(refusal.message)):
            family.analyse(key, trace, second)
        return
    found = family.analyse(key, trace, second)
    _check(found, analysis)
    assert found.identity_error is None or found.identity_error < MOST_OFF.get(key, 1e-4)
    again = family.analyse(key, trace, second)
    for name, array in found.arrays().items():
        np.testing.assert_array_equal(array, again.arrays()[name])
    for name, array in _arrays(trace):
        np.testing.assert_array_equal(array, before[name])


def _check(found: Result, analysis: Analysis[Any, Any]) -> None:
    """The result is of the declared kind, its values are finite, in their range, and shaped as its axes."""
    assert isinstance(found, analysis.result)
    arrays = found.arrays()
    assert arrays["values"].shape == tuple(map(len, found.axes))
    for array in arrays.values():
        assert np.isfinite(array).all()
    table = found.as_table()
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert found.n_bytes >= 0
    quantity = getattr(found, "quantity", None)
    if quantity is not None:
        values = arrays["values"]
        assert quantity.lowest is None or values.min() >= quantity.lowest - 1e-6
        assert quantity.highest is None or values.max() <= quantity.highest + 1e-6


@pytest.mark.parametrize("key", KEYS)
def test_progress_ends_at_the_whole_and_no_gradient_is_left_behind(bundled: EngineModel, key: str) -> None:
    import torch

    analysis, shares = find_analysis(key), list[float]()
    reporter = Callbacks(progress=shares.append)
    bundled.analyse(key, bundled.trace(TEXT), _other(analysis, bundled), reporter=reporter)
    assert shares == sorted(shares)
    assert not shares or shares[-1] == pytest.approx(1)
    with bundled.engine.using(None) as opened:
        parameters = [*opened.checkpoint.encoder.parameters(), *opened.checkpoint.task_heads.parameters()]
    assert parameters
    assert all(parameter.grad is None and not parameter.requires_grad for parameter in parameters)
    assert torch.is_grad_enabled()


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_it_ends_at_any_check(bundled: Model, key: str) -> None:
    """Cancelled at its first check, at some of those in between, and at its last, it raises Cancelled."""
    analysis, trace = find_analysis(key), bundled.trace(TEXT)
    other = _other(analysis, bundled)
    n_checks = 0

    def count() -> None:
        nonlocal n_checks
        n_checks += 1

    bundled.analyse(key, trace, other, reporter=Callbacks(check=count))
    assert n_checks
    for last in sorted({1, 2, n_checks // 2, n_checks} - {0}):
        n_left = last

        def cancel() -> None:
            nonlocal n_left
            n_left -= 1
            if n_left <= 0:
                raise Cancelled

        with pytest.raises(Cancelled):
            bundled.analyse(key, trace, other, reporter=Callbacks(check=cancel))


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_it_checks_often_enough(bundled: Model, key: str) -> None:
    """Of 110 tokens no 100 ms of the thread's own time pass without a check: others may use the processor.

    What takes longer than two seconds is not waited for.
    """
    analysis, trace = find_analysis(key), bundled.trace(LONG)
    other, given = _other(analysis, bundled), OF_LONG_TEXTS.get(key, {})
    bundled.analyse(key, bundled.trace(TEXT), other)  # what is loaded once is not counted
    gc.collect()
    longest, start = 0.0, time.thread_time()
    before = start

    def check() -> None:
        nonlocal longest, before
        now = time.thread_time()
        longest, before = max(longest, now - before), now
        if now - start > ENOUGH:
            raise Cancelled

    gc.disable()  # collecting what thousands of tests left behind is no work of the analysis
    try:
        with suppress(Cancelled):
            bundled.analyse(key, trace, other, reporter=Callbacks(check=check), **given)
            check()
    finally:
        gc.enable()
    assert longest < SLOWEST


def test_each_analysis_belongs_to_one_theme(korean: QTranslator, monkeypatch: pytest.MonkeyPatch) -> None:
    found = by_theme()
    assert sorted(entry.key for _, entries in found for entry in entries) == sorted(KEYS)
    for title, entries in found[:-1]:
        assert title is not None
        assert korean.translate("Errors", title.template)
        assert 0 < len(entries) <= 12, "more than a menu should hold"
    assert found[-1] == (None, [])
    monkeypatch.setattr("bertviz_app.analysis.catalogue.THEMES", THEMES[1:])
    assert by_theme()[-1] == (None, list(THEMES[0].analyses)), "what has no theme is listed after the others"


def test_logits_of_a_checkpoint_without_task_heads_are_refused(minilm: Path) -> None:
    model = open_model(str(minilm), "cpu")
    with pytest.raises(AnalysisError, match="has no task head"):
        model.analyse("logits", model.trace("the cat"))
