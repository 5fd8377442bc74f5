"""What stands at each stop: the trace's numbers and the layer's, and the equations between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from bertviz_app.analysis.steps import head_steps
from bertviz_app.encoder.activations import ACTIVATIONS
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Form
from bertviz_app.viewmodels.steps import words as step_words
from bertviz_app.viewmodels.steps.activations import activation_name
from bertviz_app.viewmodels.steps.stage import Architecture, Part, Term
from bertviz_app.viewmodels.steps.stages import STAGES, equation
from bertviz_app.viewmodels.steps.stops import (
    BELOW,
    Stop,
    all_stops,
)
from bertviz_app.viewmodels.steps.tensors import StopTensors, bound_of, stop_tensors
from bertviz_app.views.steps.formula import parse
from tests.support.factories import biased_trace, make_details, make_trace, projected

LAYER, HEAD, QUERY = 1, 2, 3


def _tensors(
    stage: str, section: int = LAYER, *, has_details: bool = True, trace: Trace | None = None
) -> StopTensors:
    trace = trace or make_trace(6, n_layers=3)
    layer = min(max(0, section), trace.n_layers - 1)
    details = make_details(trace, layer) if has_details else None
    steps = head_steps(trace, layer, HEAD, QUERY)
    return stop_tensors(trace, Stop(section, stage), HEAD, QUERY, details, steps)


@pytest.mark.parametrize(
    ("stage", "section"),
    [(stop.stage, stop.section) for stop in all_stops(Architecture(3, has_pooler=True, has_bias=True))],
)
def test_every_stop_has_numbers_and_words(stage: str, section: int) -> None:
    tensors = _tensors(stage, section)
    tensor = tensors.tensor()
    assert tensor is not None
    assert tensor.ndim == 2
    assert len(tensor) in (1, 6)
    row = tensors.row(stage)
    assert row is not None
    np.testing.assert_array_equal(row, tensor[0 if len(tensor) == 1 else QUERY])
    assert step_words.title(stage)
    assert step_words.sentence(stage)
    assert "[" in step_words.shapes(tensors)
    for formula in (*step_words.formulas(tensors), step_words.sign(stage)):
        assert _braces(formula) == 0
        assert parse(formula).parts


@pytest.mark.parametrize(
    "stop", all_stops(Architecture(3, has_pooler=True, has_segments=False, has_projection=True))[:5]
)
def test_narrow_embeddings_without_segments_have_numbers_and_words(stop: Stop) -> None:
    trace = replace(projected(make_trace(6, n_layers=3)), segment_embeddings=None)
    tensors = _tensors(stop.stage, stop.section, trace=trace)
    tensor = tensors.tensor()
    assert tensor is not None
    width = trace.width if stop.stage == "embedding_projection" else 6
    assert tensor.shape == (6, width)
    assert step_words.shapes(tensors).endswith(f"[6, {width}]")
    for formula in step_words.formulas(tensors):
        assert "s_i" not in formula
        assert parse(formula).parts
    lines = [line.name for line in equation(stop.stage, 9, tensors.absent)]
    assert lines == ["token", "position", "embedding_sum", "embedding_norm", "embedding_projection"]
    assert [line.name for line in equation("embedding_sum", 3, tensors.absent)] == lines[:3]


def test_layers_that_share_their_weights_are_named_so() -> None:
    assert step_words.where(Stop(1, "queries"), 3, 2) == "Layer 1 · Head 2"
    shared = step_words.where(Stop(1, "queries"), 3, 2, shares_layers=True)
    assert shared == "Layer 1 · weights shared by all layers · Head 2"
    assert "shared" not in step_words.where(Stop(BELOW, "token"), 3, 2, shares_layers=True)


def _braces(formula: str) -> int:
    return formula.count("{") - formula.count("}")


def test_the_numbers_are_those_of_the_trace_and_of_the_layer() -> None:
    tensors = _tensors("output")
    trace, details = tensors.trace, tensors.details
    assert details is not None
    expected = {
        "queries": trace.queries[LAYER, HEAD],
        "keys": trace.keys[LAYER, HEAD],
        "values": trace.values[LAYER, HEAD],
        "scores": trace.scores(LAYER, HEAD, scaled=False)[QUERY : QUERY + 1],
        "softmax": trace.attention(LAYER, HEAD)[QUERY : QUERY + 1],
        "mixed": details.mixed[HEAD],
        "input": trace.hidden[LAYER],
        "concat": details.concat,
        "active": details.active,
        "output": trace.hidden[LAYER + 1],
    }
    for name, values in expected.items():
        found = tensors.tensor(name)
        assert found is not None
        np.testing.assert_allclose(found, values, rtol=1e-6, err_msg=name)


FORM = Form(
    is_pre_norm=True,
    is_first_without_norm=True,
    has_final_norm=True,
    has_biases=False,
    is_gated=True,
    is_rotary=True,
)


def _modern() -> Trace:
    trace = make_trace(6, n_layers=3)
    return replace(trace, form=FORM, segment_embeddings=None, position_embeddings=None, pooled=None)


@pytest.mark.parametrize(
    "stop",
    all_stops(Architecture(3, has_pooler=False, has_segments=False, has_positions=False, form=FORM)),
    ids=lambda stop: f"{stop.stage}-{stop.section}",
)
def test_every_stop_of_a_gated_pre_norm_encoder_has_numbers_and_words(stop: Stop) -> None:
    tensors = _tensors(stop.stage, stop.section, trace=_modern())
    tensor = tensors.tensor()
    assert tensor is not None
    assert stop.stage not in tensors.absent
    assert step_words.title(stop.stage)
    assert step_words.sentence(stop.stage)
    assert "[" in step_words.shapes(tensors)
    for formula in (*step_words.formulas(tensors), step_words.sign(stop.stage)):
        assert _braces(formula) == 0
        assert parse(formula).parts
        assert "b_" not in formula
    for line in equation(stop.stage, 9, tensors.absent, tensors.trace.form):
        assert tensors.row(line.name) is not None
        assert step_words.symbol(line.name)


def _row(tensors: StopTensors, name: str) -> NDArray[np.float32]:
    row = tensors.row(name)
    assert row is not None
    return row


def test_a_pre_norm_layer_adds_what_its_norm_was_given() -> None:
    tensors = _tensors("output_sum", trace=_modern())
    lines = equation("output_sum", 9, tensors.absent, tensors.trace.form)
    assert [line.name for line in lines] == [
        *("attention_norm", "expanded", "active", "gate", "gated", "contracted"),
        *("attention_sum", "output_sum"),
    ]
    rows = {line.name: _row(tensors, line.name) for line in lines}
    np.testing.assert_allclose(rows["attention_sum"] + rows["contracted"], rows["output_sum"], atol=1e-6)
    np.testing.assert_allclose(rows["active"] * rows["gate"], rows["gated"], atol=1e-6)


def test_the_scores_have_their_bias_in_them() -> None:
    trace = biased_trace(6, n_layers=3)
    found = _tensors("biased", trace=trace).tensor()
    assert found is not None
    np.testing.assert_array_equal(found[0], trace.scores(LAYER, HEAD, slice(QUERY, QUERY + 1))[0])


def test_without_details_only_what_the_trace_has_is_there() -> None:
    around = (Part.EMBEDDINGS, Part.TOP)
    in_a_layer = [stage.key for stage in STAGES.values() if stage.part not in around]
    missing = {stage for stage in in_a_layer if _tensors(stage, has_details=False).tensor() is None}
    assert missing == {
        *("input_norm", "mixed", "span_convolved", "concat", "projected", "attention_sum", "attention_norm"),
        *("expanded", "active", "gate", "gated", "contracted", "output_sum", "output_norm"),
        *("convolved", "convolution_sum", "adapter_norm", "adapted", "adapter_sum"),
        *("narrowed", "narrowed_for_attention", "widened", "widened_sum"),
        *(f"earlier_{number}" for number in range(1, 8)),
    }
    assert _tensors("dense", 3, has_details=False).tensor() is None
    assert _tensors("pooled", 3, has_details=False).tensor() is not None


@pytest.mark.parametrize(
    ("stage", "section"),
    [("embedding_sum", BELOW), ("attention_sum", LAYER), ("output_sum", LAYER)],
)
def test_what_is_added_on_screen_adds_up(stage: str, section: int) -> None:
    tensors = _tensors(stage, section)
    total = np.zeros(tensors.trace.width)
    for line in equation(stage, 2, tensors.absent):
        row = tensors.row(line.name)
        assert row is not None
        if line.sign == "=":
            np.testing.assert_allclose(row, total, atol=1e-6)
            return
        total += row
    pytest.fail("nothing is added")


def test_an_equation_has_all_lines_of_its_part_or_those_it_is_made_of() -> None:
    assert [line.name for line in equation("attention_sum", 5, ["span_convolved"])] == [
        *("concat", "projected", "input", "attention_sum", "attention_norm")
    ]
    assert equation("attention_sum", 4, ["span_convolved"]) == (
        Term("", "projected"),
        Term("+", "input"),
        Term("=", "attention_sum"),
    )
    assert equation("active", 1) == (Term("", "expanded"), Term("f", "active"))
    assert equation("concat", 1, ["span_convolved"]) == (Term("", "concat"),)


def test_colours_are_full_from_where_99_of_100_numbers_end() -> None:
    values = np.arange(1, 1001, dtype=np.float32).reshape(10, 100)
    values[0, 0] = -5000
    assert bound_of(values) == pytest.approx(991, abs=2)
    assert bound_of(np.zeros((3, 4), np.float32)) == 1.0
    assert bound_of(np.array([[0, 0, -2]], np.float32)) == 2.0


def test_the_formula_names_the_querys_own_ids() -> None:
    trace = make_trace(6, n_layers=3)
    assert f"[{trace.tokens.ids[QUERY]}]" in step_words.formulas(_tensors("token", BELOW, trace=trace))[0]
    assert f"[{QUERY}]" in step_words.formulas(_tensors("position", BELOW, trace=trace))[0]


def test_the_activation_is_named() -> None:
    assert "GELU" in step_words.sign("active", "gelu_new")
    assert "Mish" in step_words.sign("active", "mish")
    assert "novel" in step_words.sign("active", "novel")


def test_every_activation_has_a_name_and_a_formula() -> None:
    for name in ACTIVATIONS:
        assert activation_name(name) in step_words.sign("active", name)
        tensors = _tensors("active")
        assert tensors.details is not None
        formula = step_words.formulas(replace(tensors, details=replace(tensors.details, activation=name)))[0]
        assert activation_name(name) == "tanh" or " = " in formula.partition(" = ")[2]
        assert parse(formula).parts


def test_task_embeddings_are_one_more_term_of_the_sum() -> None:
    trace = make_trace(6, n_layers=3)
    tasks = np.full_like(trace.token_embeddings, 0.5)
    trace = replace(trace, task_embeddings=tasks)
    tensors = _tensors("task", BELOW, trace=trace)
    np.testing.assert_array_equal(tensors.tensor(), tasks)
    assert "[0]" in step_words.formulas(tensors)[0]
    tensors = _tensors("embedding_sum", BELOW, trace=trace)
    assert step_words.formulas(tensors) == ("e_i = t_i + s_i + p_i + τ_i",)
    assert step_words.shapes(tensors).startswith("4 × ")
    lines = equation("embedding_sum", 2, tensors.absent)
    assert [line.name for line in lines] == ["token", "segment", "position", "task", "embedding_sum"]


def test_the_bound_of_a_large_tensor_counts_every_dimension() -> None:
    values = np.zeros((512, 384), np.float32)  # three of its numbers for each sampled one, and 384 = 3 * 128
    values[:, 1::3] = 5.0
    assert bound_of(values) == 5.0
