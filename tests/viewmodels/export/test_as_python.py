"""The copied Python is run: it computes what the panel shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_app.analysis.attention.stamp import WEIGHTS, Stamp
from bertviz_app.analysis.compare import by_position, divergence
from bertviz_app.analysis.measures import head_measures
from bertviz_app.analysis.results import HeadMatrices, Result, TokenMatrices
from bertviz_app.api import Model, open_model
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.options import RUNS, Run
from bertviz_app.text import Edits
from bertviz_app.trace.details import LayerDetails
from bertviz_app.viewmodels.export.as_python import (
    Runs,
    divergence_as_python,
    inspector_as_python,
    overview_as_python,
    result_as_python,
    steps_as_python,
    vector_as_python,
    weights_as_python,
    with_remark,
)
from bertviz_app.viewmodels.export.numbers import head_numbers
from bertviz_app.viewmodels.heads.pictures import head_picture
from bertviz_app.viewmodels.options import DrawOptions
from bertviz_app.viewmodels.panel_choices import Content
from bertviz_app.viewmodels.panels import Panel
from tests.support.families import write_family

TEXT, PAIR = "the cat ate fishes because it was hungry", "it's the \"hungry\" cat's"
EDITS = Edits(muted=((0, 1),), replaced=((2, "fish"), (3, "[MASK]")))


@pytest.fixture(scope="module")
def model(tiny_bert: Path) -> Model:
    return open_model(str(tiny_bert), "cpu")


def _run(lines: str) -> dict[str, object]:
    found: dict[str, object] = {}
    exec(compile(lines, "copied", "exec"), found)
    return found


def _request(tiny_bert: Path, edits: Edits = EDITS) -> TraceRequest:
    return TraceRequest(str(tiny_bert), "cpu", TEXT, PAIR, edits)


@pytest.mark.parametrize(
    "options",
    [
        DrawOptions(),
        DrawOptions(joins_words=True),
        DrawOptions(joins_words=True, hides_special=True, hides_punctuation=True, renormalises=True),
        DrawOptions(sentences="ab"),
    ],
)
@pytest.mark.parametrize("heads", [(), (1, 3)])
def test_lines_and_matrix(
    tiny_bert: Path, model: Model, options: DrawOptions, heads: tuple[int, ...]
) -> None:
    trace = model.trace(TEXT, PAIR, muted=EDITS.muted, replaced=dict(EDITS.replaced))
    panel = Panel(1, 1, 3, "lines", heads=heads)
    pictures = [head_picture(trace, 1, head, options=options) for head in panel.shown_heads]
    weights = _run(weights_as_python(panel, Runs(_request(tiny_bert)), pictures[-1]))["weights"]
    expected = head_numbers(panel, tuple(pictures)).arrays["weights"]
    if heads:
        assert isinstance(weights, dict)
        assert list(weights) == [1, 3]
        weights = np.stack(list(weights.values()))
    assert isinstance(weights, np.ndarray)
    np.testing.assert_allclose(weights, expected, atol=1e-6)


@pytest.mark.parametrize(
    ("options", "special_tokens"),
    [
        (DrawOptions(), "shown"),
        (DrawOptions(hides_special=True), "hidden"),
        (DrawOptions(hides_special=True, renormalises=True), "removed"),
    ],
)
def test_a_comment_in_python_names_the_tokens_that_are_among_the_weights(
    tiny_bert: Path, options: DrawOptions, special_tokens: str
) -> None:
    picture = head_picture(open_model(str(tiny_bert), "cpu").trace(TEXT), 1, 3, options=options)
    runs = Runs(_request(tiny_bert))
    for content in (Content(), Content("attention-rollout")):
        lines = weights_as_python(Panel(1, 1, 3, "lines", content=content), runs, picture)
        assert f"# special tokens {special_tokens}; each row is a query" in lines


def test_the_difference_of_two_runs(tiny_bert: Path, model: Model) -> None:
    runs = Runs(_request(tiny_bert, Edits()), _request(tiny_bert))
    found = _run(weights_as_python(Panel(1, 1, 3, "matrix", "A-B"), runs, None))["weights"]
    a = model.trace(TEXT, PAIR)
    b = model.trace(TEXT, PAIR, muted=EDITS.muted, replaced=dict(EDITS.replaced))
    assert isinstance(found, np.ndarray)
    np.testing.assert_allclose(found, a.attention(1, 3) - b.attention(1, 3), atol=1e-6)
    apart = _run(divergence_as_python(runs))["apart"]
    np.testing.assert_array_equal(apart, divergence(a, b, by_position(len(a.tokens))))


def test_run_b_alone_is_its_own_text(tiny_bert: Path) -> None:
    other = TraceRequest(str(tiny_bert), "cpu", "it was hungry")
    lines = weights_as_python(Panel(1, 0, 0, "matrix", "B"), Runs(_request(tiny_bert), other), None)
    assert "the cat" not in lines
    weights = _run(lines)["weights"]
    assert isinstance(weights, np.ndarray)
    assert weights.shape == (5, 5)


def test_another_checkpoint_is_opened_as_well(tiny_bert: Path) -> None:
    other = TraceRequest(None, "auto", "it was hungry")
    lines = weights_as_python(Panel(1, 0, 0, "matrix", "A-B"), Runs(_request(tiny_bert), other), None)
    assert "other_model = open_model()\n" in lines
    assert "other = other_model.trace('it was hungry')\n" in lines


def test_steps_have_every_stage_of_their_layer(tiny_bert: Path, model: Model) -> None:
    details = _run(steps_as_python(Panel(1, 1, 3, "steps"), Runs(_request(tiny_bert)), None))["details"]
    trace = model.trace(TEXT, PAIR, muted=EDITS.muted, replaced=dict(EDITS.replaced))
    assert isinstance(details, LayerDetails)
    np.testing.assert_array_equal(details.output, trace.hidden[2])


def test_steps_of_content_and_position_have_their_parts(tmp_path: Path) -> None:
    write_family(tmp_path, "deberta-v2")
    request = TraceRequest(str(tmp_path), "cpu", "The cat ate")
    trace = open_model(str(tmp_path), "cpu").trace("The cat ate")
    picture = head_picture(trace, 1, 3)
    parts = _run(steps_as_python(Panel(1, 1, 3, "steps"), Runs(request), picture))["parts"]
    assert isinstance(parts, dict)
    assert list(parts) == ["content", "content_to_position", "position_to_content"]
    np.testing.assert_allclose(sum(parts.values()), trace.scores(1, 3), atol=1e-5)


def test_overview_and_vectors(tiny_bert: Path, model: Model) -> None:
    trace = model.trace(TEXT, PAIR, muted=EDITS.muted, replaced=dict(EDITS.replaced))
    measures = _run(overview_as_python(_request(tiny_bert)))["measures"]
    assert isinstance(measures, dict)
    for key, values in head_measures(trace).items():
        np.testing.assert_array_equal(measures[key], values)
    np.testing.assert_array_equal(_run(vector_as_python(_request(tiny_bert)))["pooled"], trace.pooled)


def test_python_of_the_inspector_has_the_predictions_of_both_runs(tmp_path: Path) -> None:
    write_family(tmp_path, "bert", "AutoModelForPreTraining")
    model = open_model(str(tmp_path), "cpu")
    runs = Runs(_request(tmp_path), _request(tmp_path, Edits()))
    found = _run(inspector_as_python(Panel(1, 1, 3, "matrix", "B"), runs, {"A": 3, "B": 2}))
    a = model.trace(TEXT, PAIR, muted=EDITS.muted, replaced=dict(EDITS.replaced))
    b = model.trace(TEXT, PAIR)
    assert found["predictions"] == model.predict(a, [3])
    assert found["other_predictions"] == model.predict(b, [2])
    assert isinstance(found["weights"], np.ndarray)
    np.testing.assert_array_equal(found["weights"], b.attention(1, 3))


def test_the_inspector_without_heads_has_its_weights(tiny_bert: Path) -> None:
    runs, panel = Runs(_request(tiny_bert)), Panel(1, 1, 3, "matrix")
    assert inspector_as_python(panel, runs, {}) == weights_as_python(panel, runs, None)
    assert "model.predict(trace)\n" in inspector_as_python(panel, runs, {"A": None})


@pytest.mark.parametrize(
    ("content", "view"),
    [
        (Content("attention-rollout", (("residual", 0.25),)), "matrix"),
        (Content("norm-attention"), "lines"),
        (Content("head-measures"), "grid"),
        (Content("divergence"), "grid"),
    ],
)
@pytest.mark.parametrize("run", RUNS)
def test_the_python_of_an_analysis_is_the_call_that_computes_it(
    tiny_bert: Path, model: Model, content: Content, view: str, run: Run
) -> None:
    of_a, of_b = _request(tiny_bert), _request(tiny_bert, Edits())
    a, b = (
        model.trace(TEXT, PAIR, muted=one.edits.muted, replaced=dict(one.edits.replaced))
        for one in (of_a, of_b)
    )
    panel = Panel(1, 1, 2, view, run, content=content)
    python = weights_as_python if view in ("matrix", "lines") else result_as_python
    found = _run(python(panel, Runs(of_a, of_b), None))
    given: dict[str, Any] = dict(content.parameters)
    if content.analysis == "divergence":
        expected = model.analyse("divergence", *((b, a) if run == "B" else (a, b)))
    else:
        results = [model.analyse(content.analysis, trace, **given) for trace in (a, b)]
        alignment = by_position(a.n_tokens)
        expected = results[0].minus(results[1], alignment) if run == "A-B" else results[run == "B"]
    result = found["result"]
    assert isinstance(result, Result)
    np.testing.assert_array_equal(result.arrays()["values"], expected.arrays()["values"])
    if isinstance(expected, HeadMatrices | TokenMatrices):
        matrix = expected.source(1, 2) if isinstance(expected, HeadMatrices) else expected.source(1)
        np.testing.assert_array_equal(found["weights"], matrix.rows(slice(None)))


def test_the_python_of_several_heads_of_an_analysis_has_each(tiny_bert: Path, model: Model) -> None:
    request = _request(tiny_bert, Edits())
    panel = Panel(1, 1, 2, "lines", heads=(0, 2), content=Content("norm-attention"))
    weights = _run(weights_as_python(panel, Runs(request), None))["weights"]
    assert isinstance(weights, dict)
    assert list(weights) == [0, 2]


def test_python_of_weights_begins_with_a_remark_where_the_window_shows_other_numbers(tiny_bert: Path) -> None:
    lines = divergence_as_python(Runs(_request(tiny_bert), _request(tiny_bert)))
    assert with_remark(lines, WEIGHTS) == lines
    remarked = with_remark(lines, Stamp("norm", "hidden"))
    first, rest = remarked.split("\n", 1)
    assert rest == lines
    assert first.startswith("# of attention weights of all tokens; the window shows: ")
    assert Stamp("norm", "hidden").text in first
