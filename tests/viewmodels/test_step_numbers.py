"""What stands at each stop of the walk: numbers, shapes, formulas and reasons, in encoders of every order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from bertviz_app.analysis.pairs import head_steps
from bertviz_app.encoder.config import Bottleneck, Convolution, RelativeKeys, TokenProjection
from bertviz_app.encoder.dense import ACTIVATIONS, activation
from bertviz_app.encoder.encoder import BottleneckLayer, Encoder
from bertviz_app.encoder.recorder import layer_details, record
from bertviz_app.features.steps.reasons import why
from bertviz_app.features.steps.walk import Walk
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import DisentangledBias
from bertviz_app.trace.form import Form
from bertviz_app.viewmodels.stages import stops as step_words
from bertviz_app.viewmodels.stages.stage import (
    Architecture,
    EncoderPart,
    Term,
    Traits,
    activation as known_activation,
)
from bertviz_app.viewmodels.stages.stops import (
    BELOW,
    STAGES,
    Stop,
    StopTensors,
    all_stops,
    bound_of,
    equation,
    stop_tensors,
)
from bertviz_app.views.kit.formula import parse
from tests.support.checkpoint_folders import DISENTANGLED, small_encoder
from tests.support.factories import disentangled_trace, make_details, make_tokens, make_trace, projected
from tests.support.scene import expect, not_none

ORDERS: dict[str, Mapping[str, Any]] = {
    "post-norm": {},
    "pre-norm": {"form": Form(is_pre_norm=True), "has_pooler": False},
    "added first": {"form": Form(adds_before_projection=True)},
    "no embedding norm, heads of their own width": {
        "form": Form(has_embedding_norm=False),
        "own_head_width": 6,
    },
    "rotary, gated, norms after the sums": {
        "form": Form(has_biases=False, is_gated=True, is_rotary=True),
        "has_position_table": False,
        "rotary_bases": (1000.0,) * 3,
        "reaches": (None,) * 3,
    },
    "content and position": DISENTANGLED,
    "content and position, with segments": {**DISENTANGLED, "n_segments": 2},
    "vectors of distances": {"relative_keys": RelativeKeys(meets_keys=True), "has_position_table": False},
    "tasks": {"n_tasks": 3},
    "a convolution": {"form": Form(has_convolution=True), "convolution": Convolution(3, 2, "gelu")},
    "masks that count as zero": {"form": Form(zeroes_masks=True), "zeroed_id": 3},
    "keys without biases": {"form": Form(has_key_biases=False)},
    "sines and cosines": {"form": Form(has_sinusoids=True, is_pre_norm=True), "has_pooler": False},
    "sines and cosines by column": {"form": Form(has_sinusoids=True, has_column_sinusoids=True)},
    "two norms at the end": {"form": Form(has_final_norm=True)},
    "norms that divide by the deviation": {"form": Form(norms_by_deviation=True, scales_tokens=True)},
    "undivided scores, norms by the root mean square": {
        "form": Form(
            is_pre_norm=True,
            has_final_norm=True,
            has_embedding_norm=False,
            has_biases=False,
            has_norm_biases=False,
            has_rms_norms=True,
            divides_scores=False,
        ),
        "has_position_table": False,
        "n_segments": 0,
        "n_distance_buckets": 16,
        "n_used_buckets": 16,
        "has_pooler": False,
    },
    "grouped queries": {
        "form": Form(is_rotary=True, groups_queries=True),
        "n_key_heads": 2,
        "has_position_table": False,
        "rotary_bases": (1000.0,) * 3,
        "reaches": (None,) * 3,
    },
    "wide layers without biases": {"form": Form(has_wide_biases=False, is_gated=True)},
    "bottleneck, three feed-forward parts, trigrams": {
        "form": Form(
            has_trigrams=True,
            has_bottleneck=True,
            attends_beside_bottleneck=True,
            has_scaling_norms=True,
            n_feed_forwards=3,
        ),
        "bottleneck": Bottleneck(8),
        "token_projection": TokenProjection(6),
    },
    "one bottleneck": {
        "form": Form(has_bottleneck=True, has_scaling_norms=True),
        "bottleneck": Bottleneck(8, is_shared=True),
        "token_projection": TokenProjection(6, has_neighbours=False),
    },
    "first without a norm, no biases, gated": {
        "form": Form(is_pre_norm=True, is_first_without_norm=True, has_final_norm=True, is_gated=True),
        "has_pooler": False,
    },
    "tokens alone": {
        "form": Form(has_embedding_norm=False, is_pre_norm=True),
        "has_position_table": False,
        "n_segments": 0,
    },
}
QUERY = 2


@cache
def _encoder(order: str) -> Encoder:
    return small_encoder(**ORDERS[order])


def _trace(order: str) -> Trace:
    tokens = replace(make_tokens(6), ids=np.arange(6, dtype=np.int32))
    return record(_encoder(order), tokens, "small")


def _tensors(order: str, trace: Trace, stop: Stop) -> StopTensors:
    layer = min(max(0, stop.section), trace.n_layers - 1)
    details = layer_details(_encoder(order), trace.hidden[layer], layer)
    return stop_tensors(trace, stop, 1, QUERY, details, head_steps(trace, layer, 1, QUERY))


def _lines(tensors: StopTensors) -> tuple[Term, ...]:
    return equation(tensors.stop.stage, 9, tensors.absent, tensors.trace.form)


def _adds_up(tensors: StopTensors) -> None:
    """Check that the numbers of a sum on screen are the sum of those above them."""
    lines, total = _lines(tensors), Term("=", tensors.stop.stage)
    at = lines.index(total) if total in lines else 0
    if at and lines[at - 1].sign == "+":
        first = next(before for before in range(at - 1, -1, -1) if lines[before].sign != "+")
        rows = [tensors.row(line.name) for line in lines[first : at + 1]]
        *terms, found = (row for row in rows if row is not None)
        np.testing.assert_allclose(np.sum(terms, 0), found, atol=1e-5, err_msg=tensors.stop.stage)


def _walk(trace: Trace) -> Walk:
    walk = Walk()
    walk.fit(trace)
    return walk


NARROW = "bottleneck, three feed-forward parts, trigrams"


def _numbers(stage: str, section: int = 1, order: str = NARROW) -> Tensor:
    found = not_none(_tensors(order, _trace(order), Stop(section, stage)).tensor())
    return torch.from_numpy(found.copy())


LAYER, HEAD = 1, 2


def _made_tensors(
    stage: str, section: int = LAYER, *, has_details: bool = True, trace: Trace | None = None
) -> StopTensors:
    trace = trace or make_trace(6, n_layers=3)
    layer = min(max(0, section), trace.n_layers - 1)
    details = make_details(trace, layer) if has_details else None
    steps = head_steps(trace, layer, HEAD, QUERY)
    return stop_tensors(trace, Stop(section, stage), HEAD, QUERY, details, steps)


_X = torch.linspace(-12, 12, 2401, dtype=torch.float64)
_NEGATIVE, _POSITIVE = _X < 0, _X > 0
_CLAIMS: dict[str, Callable[[Tensor], bool]] = {
    "Large negative numbers become almost 0": lambda y: bool((y[_X < -7].abs() < 0.02).all()),
    "large positive ones pass almost unchanged": lambda y: bool(((y - _X)[_X > 7].abs() < 0.02).all()),
    "nothing becomes larger than 10": lambda y: float(y.max()) == 10,
    "Negative numbers become 0": lambda y: bool((y[_NEGATIVE] == 0).all()),
    "positive ones pass unchanged": lambda y: bool((y == _X)[_POSITIVE & (_X <= 6)].all()),
    "positive ones pass unchanged up to 6": lambda y: bool((y[_X > 6] == 6).all()),
    "positive ones are squared": lambda y: torch.allclose(y[_POSITIVE], _X[_POSITIVE] ** 2),
    "Negative numbers become a hundred times smaller": lambda y: torch.allclose(
        y[_NEGATIVE], _X[_NEGATIVE] / 100
    ),
    "between −1 and 1": lambda y: bool((y.abs() <= 1).all()),
    "keeps its sign": lambda y: bool((y.sign() == _X.sign()).all()),
    "between 0 and 1": lambda y: bool(((y >= 0) & (y <= 1)).all()),
    "0 becomes one half": lambda y: bool((y[_X.abs() < 1e-9] == 0.5).all()),
    "those below 0 become almost 0": lambda y: bool((y[_NEGATIVE] < 0.01).all()),
    "Nothing changes": lambda y: bool((y == _X).all()),
}
ROTARY = "rotary, gated, norms after the sums"
_NORMED = "\\t{{LayerNorm}}({0}) = \\frac{{{0} − μ}}{{\\sqrt{{σ^2 + ε}}}} ⊙ γ + β"
_BY_DEVIATION = "y_i = \\t{LayerNorm}(r_i) = \\frac{r_i − μ}{s + ε} ⊙ γ + β"
_PRODUCT = "f(y^{(1)}_i W^{(2)}_1 + b^{(2)}_1) W^{(2)}_2 + b^{(2)}_2"
_EARLIER = f"y^{{(2)}}_i = \\t{{NoNorm}}(y^{{(1)}}_i + {_PRODUCT})"
FORMULAS = [
    ("pre-norm", 0, "queries", "q_i = n_i W_Q + b_Q"),
    ("pre-norm", 0, "output_sum", "r'_i = r_i + f_i"),
    ("added first", 0, "projected", "o_i = r_i W_O + b_O"),
    ("keys without biases", 0, "queries", "q_i = x_i W_Q + b_Q"),
    ("keys without biases", 0, "keys", "k_j = x_j W_K"),
    ("keys without biases", 0, "values", "v_j = x_j W_V + b_V"),
    (ROTARY, BELOW, "embedding_sum", "e_i = t_i + s_i"),
    (ROTARY, 0, "queries", "q_i = R_i (x_i W_Q)"),
    (ROTARY, 0, "expanded", "u_i = y_i W_1"),
    (ROTARY, 0, "contracted", "f_i = h_i W_2"),
    (ROTARY, 3, "dense", "d = h W_P + b_P"),
    ("a convolution", 0, "output_norm", "y'_i = " + _NORMED.format("r'_i")),
    ("a convolution", 0, "output", "x'_i = " + _NORMED.format("r''_i")),
    (NARROW, 0, "earlier_2", _EARLIER),
    ("a convolution", 0, "convolved", "c'_i = \\t{GELU}(Σ_k x_{i+k} W_k + b)"),
    ("a convolution", 0, "convolution_sum", "r''_i = y'_i + c'_i"),
    ("a convolution", 1, "output", "x'_i = " + _NORMED.format("r'_i")),
    ("two norms at the end", 2, "output_norm", "y'_i = " + _NORMED.format("r'_i")),
    ("two norms at the end", 2, "output", "x'_i = " + _NORMED.format("y'_i")),
    ("norms that divide by the deviation", 0, "attention_norm", _BY_DEVIATION),
    ("norms that divide by the deviation", BELOW, "token", "t_i = \\sqrt{D} · E_{\\t{token}}[2]"),
    ("tasks", BELOW, "embedding_sum", "e_i = t_i + s_i + p_i + τ_i"),
    ("tokens alone", BELOW, "token", f"x_i = E_{{\\t{{token}}}}[{QUERY}]"),
]
MASKED = "masks that count as zero"


def test_a_layer_with_bottlenecks_has_a_stage_for_each_part_with_its_own_formula_and_shapes() -> None:
    trace = _trace(NARROW)
    stages = [stop.stage for stop in _walk(trace).section(0)]
    assert stages[:3] == ["narrowed", "narrowed_for_attention", "queries"]
    first = stages.index("attention_norm") + 1
    assert stages[first : first + 3] == ["earlier_1", "earlier_2", "expanded"]
    assert stages[-4:] == ["output_norm", "widened", "widened_sum", "output"]
    expected = {
        "narrowed": ("n_i = (x_i W_N + b_N) ⊙ γ + β", "[6, 32] · [32, 8] → [6, 8]"),
        "queries": ("q_i = n'_i W_Q + b_Q", "[6, 8] · [8, 2] → [6, 2]"),
        "values": ("v_j = x_j W_V + b_V", "[6, 32] · [32, 2] → [6, 2]"),
        "attention_sum": ("r_i = n_i + o_i", "[6, 8] + [6, 8] → [6, 8]"),
        "attention_norm": ("y_i = r_i ⊙ γ + β", "[6, 8] → [6, 8]"),
        "expanded": ("u_i = y^{(2)}_i W_1 + b_1", "[6, 8] · [8, 64] → [6, 64]"),
        "output_sum": ("r'_i = y^{(2)}_i + f_i", "[6, 8] + [6, 8] → [6, 8]"),
        "widened": ("w_i = y'_i W_B + b_B", "[6, 8] · [8, 32] → [6, 32]"),
        "output": ("x'_i = r''_i ⊙ γ + β", "[6, 32] → [6, 32]"),
    }
    for stage, (formula, shapes) in expected.items():
        tensors = _tensors(NARROW, trace, Stop(0, stage))
        assert (step_words.formulas(tensors)[0], step_words.shapes(tensors)) == (formula, shapes)
    assert "normalised to mean 0" not in step_words.sentence("attention_norm", Traits(form=trace.form))
    one = _tensors("one bottleneck", _trace("one bottleneck"), Stop(0, "values"))
    assert step_words.formulas(one) == ("v_j = n_j W_V + b_V",)
    assert "narrowed_for_attention" in one.absent


def test_the_stages_of_bottlenecks_follow_from_each_other() -> None:
    layer = expect(BottleneckLayer, small_encoder(**ORDERS[NARROW]).layer(1))
    assert layer.narrow_for_attention is not None
    given = torch.from_numpy(_trace(NARROW).hidden[1].copy())
    follows = {
        "narrowed": layer.narrow(given),
        "narrowed_for_attention": layer.narrow_for_attention(given),
        "attention_sum": _numbers("narrowed") + _numbers("projected"),
        "earlier_1": layer.earlier[0](_numbers("attention_norm")),
        "earlier_2": layer.earlier[1](_numbers("earlier_1")),
        "expanded": layer.feed_forward.expand(_numbers("earlier_2")),
        "output_sum": _numbers("earlier_2") + _numbers("contracted"),
        "widened": layer.widen(_numbers("output_norm")),
        "widened_sum": given + _numbers("widened"),
        "output": layer.output_norm(_numbers("widened_sum")),
    }
    for stage, expected in follows.items():
        torch.testing.assert_close(_numbers(stage), expected.detach(), rtol=0, atol=1e-6)
    head = slice(2, 4)  # head 1, of width 2
    queries = layer.attention.query(_numbers("narrowed_for_attention"))[:, head].detach()
    values = layer.attention.value(given)[:, head].detach()
    torch.testing.assert_close(_numbers("queries"), queries, rtol=0, atol=1e-6)
    torch.testing.assert_close(_numbers("values"), values, rtol=0, atol=1e-6)


def test_trigrams_are_shown_between_the_token_and_the_sum() -> None:
    trace = _trace(NARROW)
    stages = [stop.stage for stop in _walk(trace).section(BELOW)]
    assert stages[:2] == ["token", "token_projection"]
    tensors = _tensors(NARROW, trace, Stop(BELOW, "token_projection"))
    assert step_words.formulas(tensors) == ("t'_i = [t_{i+1} ; t_i ; t_{i−1}] W_T + b_T",)
    assert step_words.shapes(tensors) == "[6, 6] → [6, 32]"
    (formula,) = step_words.formulas(_tensors(NARROW, trace, Stop(BELOW, "embedding_sum")))
    assert formula == "e_i = t'_i + s_i + p_i"
    token, dense = trace.token_embeddings, small_encoder(**ORDERS[NARROW]).embeddings.token_projection
    assert dense is not None
    nothing = np.zeros(6, np.float32)
    for at in range(6):
        following = token[at + 1] if at < 5 else nothing
        before = token[at - 1] if at else nothing
        row = torch.from_numpy(np.concatenate((following, token[at], before)))
        found = _numbers("token_projection", BELOW)[at]
        torch.testing.assert_close(found, dense.dense(row).detach(), rtol=0, atol=1e-6)
    alone = _tensors("one bottleneck", _trace("one bottleneck"), Stop(BELOW, "token_projection"))
    assert step_words.formulas(alone) == ("t'_i = t_i W_T + b_T",)


def test_vectors_of_distances_are_added_without_a_larger_divisor() -> None:
    for names, terms in (
        (("position_keys",), "q_i · k_j + q_i · a_{i−j}"),
        (("position_keys", "position_queries"), "q_i · k_j + q_i · a_{i−j} + a_{i−j} · k_j"),
    ):
        trace = disentangled_trace(6, names=names)
        assert isinstance(trace.bias, DisentangledBias)
        tables = {name: getattr(trace.bias, name)[:, :1] for name in names}
        bias = replace(trace.bias, **tables)  # one of all heads
        trace = replace(trace, bias=bias, scale=8**-0.5)
        tensors = stop_tensors(trace, Stop(0, "disentangled"), 1, QUERY, None, head_steps(trace, 0, 1, QUERY))
        whole, fraction, short = step_words.formulas(tensors)
        assert fraction == f"s_{{ij}} = \\frac{{{terms}}}{{\\sqrt{{d_k}}}}"
        assert whole == f"{fraction},   d_k = 8"
        assert short.count("s^{") == len(names) + 1
        found = not_none(tensors.tensor())
        np.testing.assert_allclose(found[0], trace.scores(0, 1)[QUERY], atol=1e-5)


@pytest.mark.parametrize(
    "stop", all_stops(Architecture(3, has_pooler=True, has_segments=False, has_projection=True))[:5]
)
def test_narrow_embeddings_without_segments_have_numbers_and_words(stop: Stop) -> None:
    trace = replace(projected(make_trace(6, n_layers=3)), segment_embeddings=None)
    tensors = _made_tensors(stop.stage, stop.section, trace=trace)
    tensor = not_none(tensors.tensor())
    width = trace.width if stop.stage == "embedding_projection" else 6
    assert tensor.shape == (6, width)
    assert step_words.shapes(tensors).endswith(f"[6, {width}]")
    for formula in step_words.formulas(tensors):
        assert "s_i" not in formula
        assert parse(formula).parts
    lines = [line.name for line in equation(stop.stage, 9, tensors.absent)]
    assert lines == ["token", "position", "embedding_sum", "embedding_norm", "embedding_projection"]
    assert [line.name for line in equation("embedding_sum", 3, tensors.absent)] == lines[:3]


def test_the_numbers_are_those_of_the_trace_and_of_the_layer() -> None:
    tensors = _made_tensors("output")
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
        found = not_none(tensors.tensor(name))
        np.testing.assert_allclose(found, values, rtol=1e-6, err_msg=name)


def test_without_details_only_what_the_trace_has_is_there() -> None:
    around = (EncoderPart.EMBEDDINGS, EncoderPart.TOP)
    in_a_layer = [stage.key for stage in STAGES.values() if stage.part not in around]
    missing = {stage for stage in in_a_layer if _made_tensors(stage, has_details=False).tensor() is None}
    assert missing == {
        *("input_norm", "mixed", "span_convolved", "concat", "projected", "attention_sum", "attention_norm"),
        *("expanded", "active", "gate", "gated", "contracted", "output_sum", "output_norm"),
        *("convolved", "convolution_sum", "adapter_norm", "adapted", "adapter_sum"),
        *("narrowed", "narrowed_for_attention", "widened", "widened_sum"),
        *(f"earlier_{number}" for number in range(1, 8)),
    }
    assert _made_tensors("dense", 3, has_details=False).tensor() is None
    assert _made_tensors("pooled", 3, has_details=False).tensor() is not None


def test_equations_names_and_colours_of_steps() -> None:
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
    # layers that share their weights are named so
    assert step_words.where(Stop(1, "queries"), 3, 2) == "Layer 1 · Head 2"
    shared = step_words.where(Stop(1, "queries"), 3, 2, shares_layers=True)
    assert shared == "Layer 1 · weights shared by all layers · Head 2"
    assert "shared" not in step_words.where(Stop(BELOW, "token"), 3, 2, shares_layers=True)
    # colours are full from where 99 of 100 numbers end
    values = np.arange(1, 1001, dtype=np.float32).reshape(10, 100)
    values[0, 0] = -5000
    assert bound_of(values) == pytest.approx(991, abs=2)
    assert bound_of(np.zeros((3, 4), np.float32)) == 1.0
    assert bound_of(np.array([[0, 0, -2]], np.float32)) == 2.0


@pytest.mark.parametrize("has_norm_biases", [True, False])
def test_a_norm_without_a_shift_is_explained_without_one(has_norm_biases: bool) -> None:
    trace = make_trace(5)
    trace = replace(trace, form=replace(trace.form, has_norm_biases=has_norm_biases))
    stop = Stop(BELOW, "embedding_norm")
    tensors = StopTensors(trace, 0, 0, 1, None, None, frozenset(), stop)
    text, example = why(tensors, "ko")
    assert ("γ and β" in text or "γ와 β" in text) == has_norm_biases
    assert ("β" in example) == has_norm_biases
    assert example


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_every_stop_has_numbers_and_words_and_sums_on_screen_add_up(order: str) -> None:
    trace = _trace(order)
    for stop in _walk(trace).stops:
        tensors = _tensors(order, trace, stop)
        tensor, row = tensors.tensor(), tensors.row(stop.stage)
        assert tensor is not None
        assert row is not None
        np.testing.assert_array_equal(row, tensor[0 if len(tensor) == 1 else QUERY])
        assert step_words.title(stop.stage, form=trace.form)
        assert step_words.sentence(stop.stage, Traits(form=trace.form))
        assert "[" in step_words.shapes(tensors)
        for language in ("en", "ko"):
            text, example = why(tensors, language)
            assert text
            assert "nan" not in example
        for formula in (*step_words.formulas(tensors), step_words.sign(stop.stage, form=trace.form)):
            assert formula.count("{") == formula.count("}")
            assert parse(formula).parts
        if not stop.is_of_a_head:
            assert stop.stage in [line.name for line in _lines(tensors)]
            assert all(step_words.symbol(line.name, tensors.absent) for line in _lines(tensors))
            short = equation(stop.stage, 0, tensors.absent, trace.form)
            assert len(short) == 1 or short[-1].sign == STAGES[stop.stage].line, "its own line is the last"
            _adds_up(tensors)
    np.testing.assert_array_equal(
        _tensors(order, trace, _walk(trace).section(1)[-1]).tensor(), trace.hidden[2]
    )


def test_formulas_are_those_of_the_encoder() -> None:
    found = [
        (order, section, stage, step_words.formulas(_tensors(order, _trace(order), Stop(section, stage)))[0])
        for order, section, stage, _ in FORMULAS
    ]
    assert found == FORMULAS


@pytest.mark.parametrize(
    ("order", "signs", "frequencies"),
    [
        ("sines and cosines", ("sin",), (1, 1, 10000 ** (2 / 32))),
        ("sines and cosines by column", ("ω_{2k+1}",), (1, 10000 ** (2 / 32), 10000 ** (4 / 32))),
    ],
)
def test_position_embeddings_of_sines_and_cosines_have_their_formula(
    order: str, signs: tuple[str, ...], frequencies: tuple[float, ...]
) -> None:
    trace = _trace(order)
    formula = step_words.formulas(_tensors(order, trace, Stop(BELOW, "position")))[0]
    assert [sign for sign in signs if sign not in formula] == []
    expected = [wave(QUERY / at) for wave, at in zip((np.sin, np.cos, np.sin), frequencies, strict=True)]
    np.testing.assert_allclose(not_none(trace.position_embeddings)[QUERY, :3], expected, atol=1e-7)


def test_the_embedding_of_a_masked_token_is_zero() -> None:
    tensors = _tensors(MASKED, _trace(MASKED), Stop(BELOW, "token"))
    assert step_words.formulas(tensors)[0].startswith("t_i = \\frac{0.88}{1 − m / T} · E_")
    assert step_words.formulas(replace(tensors, query=3)) == ("t_i = 0",)


def test_what_is_said_of_an_activation_is_true_of_it() -> None:
    sentences = {name: known_activation(name).sentence for name in ACTIVATIONS}
    claims = {name: [claim for claim in _CLAIMS if claim in text] for name, text in sentences.items()}
    assert [name for name, of in claims.items() if not of] == []
    assert {claim for of in claims.values() for claim in of} == set(_CLAIMS)
    wrong = [
        (name, claim)
        for name, of in claims.items()
        for claim in of
        if not _CLAIMS[claim](activation(name)(_X))
    ]
    assert wrong == []
