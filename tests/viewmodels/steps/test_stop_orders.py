"""Encoders whose layers compute in another order: `stops`, `words`, `columns` and `tensors` follow it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from bertviz_app.analysis.steps import head_steps
from bertviz_app.encoder.config import Bottleneck, Convolution, RelativeKeys, TokenProjection
from bertviz_app.encoder.details import layer_details
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.layers import BottleneckLayer
from bertviz_app.encoder.recorder import record
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import DisentangledBias
from bertviz_app.trace.form import Form
from bertviz_app.viewmodels.steps import words as step_words
from bertviz_app.viewmodels.steps.columns import columns_in_focus, columns_of
from bertviz_app.viewmodels.steps.stage import Term, Traits
from bertviz_app.viewmodels.steps.stages import equation
from bertviz_app.viewmodels.steps.stops import BELOW, Stop, Walk
from bertviz_app.viewmodels.steps.tensors import StopTensors, stop_tensors
from bertviz_app.viewmodels.steps.why import why
from bertviz_app.views.steps.formula import parse
from tests.support.encoder_sizes import DISENTANGLED, small_encoder
from tests.support.factories import disentangled_trace, make_tokens

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
    "vectors of distances": {
        "relative_keys": RelativeKeys(meets_keys=True),
        "has_position_table": False,
    },
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
    "tokens alone": {
        "form": Form(has_embedding_norm=False, is_pre_norm=True),
        "has_position_table": False,
        "n_segments": 0,
    },
}
QUERY = 2
WITH_BIASES = ("queries", "expanded", "output")


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


def _walk(trace: Trace) -> Walk:
    walk = Walk()
    walk.fit(trace)
    return walk


@pytest.mark.parametrize("order", ORDERS)
def test_every_stop_has_numbers_and_words(order: str) -> None:
    trace = _trace(order)
    for stop in _walk(trace).stops:
        tensors = _tensors(order, trace, stop)
        assert tensors.tensor() is not None
        assert step_words.title(stop.stage, form=trace.form)
        assert step_words.sentence(stop.stage, Traits(form=trace.form))
        assert "[" in step_words.shapes(tensors)
        for language in ("en", "ko"):
            text, example = why(tensors, language)
            assert text
            assert "nan" not in example
        for formula in (*step_words.formulas(tensors), step_words.sign(stop.stage, form=trace.form)):
            assert parse(formula).parts
        if not stop.is_of_a_head:
            assert stop.stage in [line.name for line in _lines(tensors)]
            assert all(step_words.symbol(line.name, tensors.absent) for line in _lines(tensors))


@pytest.mark.parametrize("order", ORDERS)
def test_sums_on_screen_add_up_and_what_a_layer_ends_in_is_the_next_hidden_state(order: str) -> None:
    trace = _trace(order)
    stops = _walk(trace).section(1)
    for stage in ("attention_sum", "output_sum"):
        tensors = _tensors(order, trace, Stop(1, stage))
        lines = _lines(tensors)
        at = lines.index(Term("=", stage))
        terms = [tensors.row(line.name) for line in lines[at - 2 : at + 1]]
        first, second, total = terms
        assert first is not None
        assert second is not None
        assert total is not None
        np.testing.assert_allclose(first + second, total, atol=1e-6)
    end = _tensors(order, trace, stops[-1]).tensor()
    assert end is not None
    np.testing.assert_array_equal(end, trace.hidden[2])


def test_a_pre_norm_layer_begins_with_its_norm_and_ends_with_a_sum() -> None:
    trace = _trace("pre-norm")
    stages = [stop.stage for stop in _walk(trace).section(0)]
    assert (stages[0], stages[-1]) == ("input_norm", "output_sum")
    assert step_words.formulas(_tensors("pre-norm", trace, Stop(0, "queries"))) == ("q_i = n_i W_Q + b_Q",)
    assert step_words.formulas(_tensors("pre-norm", trace, Stop(0, "output_sum"))) == ("r'_i = r_i + f_i",)


def test_what_is_added_first_is_projected_after_it() -> None:
    trace = _trace("added first")
    stages = [stop.stage for stop in _walk(trace).section(0)]
    assert stages.index("attention_sum") + 1 == stages.index("projected")
    tensors = _tensors("added first", trace, Stop(0, "projected"))
    assert step_words.formulas(tensors) == ("o_i = r_i W_O + b_O",)
    lines = [line.name for line in _lines(tensors)]
    assert lines == ["concat", "input", "attention_sum", "projected", "attention_norm"]


def test_embeddings_without_a_norm_end_in_their_sum() -> None:
    order = "no embedding norm, heads of their own width"
    trace = _trace(order)
    assert _walk(trace).section(BELOW)[-1] == Stop(BELOW, "embedding_sum")
    np.testing.assert_array_equal(trace.embedding_sum, trace.hidden[0])
    assert step_words.formulas(_tensors(order, trace, Stop(BELOW, "embedding_sum")))[0].startswith("x_i =")
    shapes = step_words.shapes(_tensors(order, trace, Stop(0, "projected")))
    assert shapes == "[6, 24] · [24, 32] → [6, 32]"


def test_the_formula_of_position_embeddings_is_of_sines_and_cosines() -> None:
    trace = _trace("sines and cosines")
    formula = step_words.formulas(_tensors("sines and cosines", trace, Stop(BELOW, "position")))[0]
    assert "sin" in formula
    expected = [np.sin(QUERY), np.cos(QUERY), np.sin(QUERY / 10000 ** (2 / 32))]
    assert trace.position_embeddings is not None
    np.testing.assert_allclose(trace.position_embeddings[QUERY, :3], expected, atol=1e-7)


def test_sines_and_cosines_with_a_frequency_for_each_column_have_a_formula_of_their_own() -> None:
    order = "sines and cosines by column"
    trace = _trace(order)
    formula = step_words.formulas(_tensors(order, trace, Stop(BELOW, "position")))[0]
    assert "ω_{2k+1}" in formula
    assert "10000^{−2c/D}" in formula
    expected = [np.sin(QUERY), np.cos(QUERY / 10000 ** (2 / 32)), np.sin(QUERY / 10000 ** (4 / 32))]
    assert trace.position_embeddings is not None
    np.testing.assert_allclose(trace.position_embeddings[QUERY, :3], expected, atol=1e-7)


def test_the_last_layer_may_end_in_two_norms() -> None:
    order = "two norms at the end"
    trace = _trace(order)
    ends = [[stop.stage for stop in _walk(trace).section(layer)][-2:] for layer in range(trace.n_layers)]
    assert ends == [["output_sum", "output"]] * (trace.n_layers - 1) + [["output_norm", "output"]]
    last = trace.n_layers - 1
    before = _tensors(order, trace, Stop(last, "output_norm"))
    assert step_words.formulas(before)[1] == "y'_i = \\t{LayerNorm}(r'_i)"
    assert (
        step_words.formulas(_tensors(order, trace, Stop(last, "output")))[1] == "x'_i = \\t{LayerNorm}(y'_i)"
    )
    norm = _encoder(order).final_norm
    numbers = before.tensor()
    assert norm is not None
    assert numbers is not None
    with torch.no_grad():
        np.testing.assert_allclose(norm(torch.from_numpy(numbers.copy())), trace.hidden[-1], atol=1e-6)


def test_a_norm_that_divides_by_the_deviation_has_a_formula_of_its_own() -> None:
    order = "norms that divide by the deviation"
    trace = _trace(order)
    tensors = _tensors(order, trace, Stop(0, "attention_norm"))
    assert "\\frac{r_i − μ}{s + ε}" in step_words.formulas(tensors)[0]
    given, numbers = _tensors(order, trace, Stop(0, "attention_sum")).tensor(), tensors.tensor()
    assert given is not None
    assert numbers is not None
    norm = _encoder(order).layer(0).attention_norm
    assert isinstance(norm, nn.LayerNorm)
    centred = given - given.mean(-1, keepdims=True)
    expected = centred / (given.std(-1, ddof=1, keepdims=True) + norm.eps)
    gain, bias = norm.weight.detach().numpy(), norm.bias.detach().numpy()
    np.testing.assert_allclose(numbers, expected * gain + bias, atol=1e-5)
    token = step_words.formulas(_tensors(order, trace, Stop(BELOW, "token")))[0]
    assert "\\sqrt{D}" in token


def test_token_embeddings_alone_are_the_input_of_the_first_layer() -> None:
    trace = _trace("tokens alone")
    assert [stop.stage for stop in _walk(trace).section(BELOW)] == ["token"]
    tensors = _tensors("tokens alone", trace, Stop(BELOW, "token"))
    assert step_words.formulas(tensors) == (f"x_i = E_{{\\t{{token}}}}[{QUERY}]",)
    assert step_words.symbol("token", tensors.absent) == "x_i"
    np.testing.assert_array_equal(trace.token_embeddings, trace.hidden[0])


def test_what_has_no_position_embedding_adds_two_and_only_the_pooler_has_a_bias() -> None:
    order = "rotary, gated, norms after the sums"
    trace = _trace(order)
    tensors = _tensors(order, trace, Stop(BELOW, "embedding_sum"))
    assert step_words.formulas(tensors) == ("e_i = t_i + s_i",)
    assert step_words.shapes(tensors) == "2 × [6, 32] → [6, 32]"
    formulas = {
        stage: step_words.formulas(_tensors(order, trace, Stop(0, stage)))[0] for stage in WITH_BIASES
    }
    assert formulas["queries"] == "q_i = R_i (x_i W_Q)"
    assert formulas["expanded"] == "u_i = y_i W_1"
    assert formulas["output"].endswith("⊙ γ + β")
    dense = step_words.formulas(_tensors(order, trace, Stop(3, "dense")))
    assert dense == ("d = h W_P + b_P",)


def test_a_convolution_is_added_to_the_first_layer_alone() -> None:
    trace = _trace("a convolution")
    tensors = _tensors("a convolution", trace, Stop(0, "convolution_sum"))
    parts = [tensors.tensor(name) for name in ("output_norm", "convolved", "convolution_sum", "output")]
    normed, convolved, total, output = (part for part in parts if part is not None)
    np.testing.assert_allclose(normed + convolved, total, atol=1e-6)
    np.testing.assert_array_equal(output, trace.hidden[1])
    assert "GELU" in step_words.formulas(_tensors("a convolution", trace, Stop(0, "convolved")))[0]
    assert step_words.formulas(_tensors("a convolution", trace, Stop(0, "output_norm")))[0].startswith(
        "y'_i = "
    )
    assert "r''_i" in step_words.formulas(_tensors("a convolution", trace, Stop(0, "output")))[0]
    later = _tensors("a convolution", trace, Stop(1, "output"))
    assert {"convolved", "convolution_sum", "output_norm"} <= later.absent
    assert "r''_i" not in step_words.formulas(later)[0]


NARROW = "bottleneck, three feed-forward parts, trigrams"


def _numbers(stage: str, section: int = 1, order: str = NARROW) -> Tensor:
    found = _tensors(order, _trace(order), Stop(section, stage)).tensor()
    assert found is not None
    return torch.from_numpy(found.copy())


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
    layer = small_encoder(**ORDERS[NARROW]).layer(1)
    assert isinstance(layer, BottleneckLayer)
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


def test_of_a_bottleneck_the_columns_of_what_queries_and_values_read_are_in_focus() -> None:
    trace = _trace(NARROW)
    queries, values = (_tensors(NARROW, trace, Stop(0, stage)) for stage in ("queries", "values"))
    assert columns_in_focus(queries) == ("narrowed_for_attention", "queries")
    assert columns_in_focus(values) == ("input", "values")
    names = [column.name for column in columns_of(queries)]
    assert names == ["narrowed_for_attention", "queries", "keys", "input", "values"]


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


def test_the_embedding_of_a_masked_token_is_zero() -> None:
    trace = _trace("masks that count as zero")
    (formula,) = step_words.formulas(_tensors("masks that count as zero", trace, Stop(BELOW, "token")))
    assert formula.startswith("t_i = \\frac{0.88}{1 − m / T} · E_")
    tensors = replace(_tensors("masks that count as zero", trace, Stop(BELOW, "token")), query=3)
    assert step_words.formulas(tensors) == ("t_i = 0",)


def test_keys_without_biases_have_none_in_their_formula() -> None:
    trace = _trace("keys without biases")
    formulas = {
        stage: step_words.formulas(_tensors("keys without biases", trace, Stop(0, stage)))[0]
        for stage in ("queries", "keys", "values")
    }
    assert formulas == {
        "queries": "q_i = x_i W_Q + b_Q",
        "keys": "k_j = x_j W_K",
        "values": "v_j = x_j W_V + b_V",
    }


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
        found = tensors.tensor()
        assert found is not None
        np.testing.assert_allclose(found[0], trace.scores(0, 1)[QUERY], atol=1e-5)


def test_the_sum_of_content_and_position_has_the_terms_that_there_are() -> None:
    for names, n_terms in ((("position_keys", "position_queries"), 3), (("position_queries",), 2)):
        trace = disentangled_trace(6, names=names)
        tensors = stop_tensors(trace, Stop(0, "disentangled"), 1, QUERY, None, head_steps(trace, 0, 1, QUERY))
        whole, fraction, short = step_words.formulas(tensors)
        assert f"\\sqrt{{{n_terms} d_k}}" in fraction
        assert whole.endswith(f"{n_terms} d_k = {8 * n_terms}")
        assert short.count("s^{") == n_terms
        assert ("k^r_" in fraction) == ("position_keys" in names)
        assert step_words.shapes(tensors).count("[6, 6]") == n_terms + 1
