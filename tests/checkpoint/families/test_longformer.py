"""Longformer's windows, and the models whose tokens attend to all others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app import Model, open_model
from bertviz_app.analysis.pairs import head_steps
from bertviz_app.checkpoint.families.roberta import longformer_fields
from bertviz_app.encoder.config import GlobalTokens
from bertviz_app.errors import AnalysisError, CheckpointError
from bertviz_app.trace import Trace
from bertviz_app.trace.archive import load_trace, save_trace
from bertviz_app.trace.bias import GlobalAttention
from bertviz_app.trace.form import BERT
from bertviz_app.trace.global_tokens import is_global
from bertviz_app.viewmodels.steps.stops import STAGES, Stop, statistics, stop_tensors
from tests.support.checkpoint_folders import opened
from tests.support.families import write_family

SIZES = {"n_layers": 3}


@pytest.mark.parametrize(
    ("window", "reaches"), [(512, (256, 256, 256)), ([8, 4, 64], (4, 2, 32)), (2, (1, 1, 1))]
)
def test_a_window_reaches_half_its_size_to_each_side(window: object, reaches: tuple[int, ...]) -> None:
    fields = {"reaches": reaches, "global_tokens": None}
    assert longformer_fields({"attention_window": window}, SIZES) == fields | {"form": BERT}


def test_the_window_left_out_is_as_transformers_has_it() -> None:
    assert longformer_fields({}, SIZES)["reaches"] == (256, 256, 256)


@pytest.mark.parametrize("window", [3, 0, -2, True, "512", None, [8, 4], [8, 4, 5], [8, 4, "6"], 10**7])
def test_a_window_that_makes_no_sense_is_refused(window: object) -> None:
    with pytest.raises(CheckpointError, match="attention_window") as caught:
        longformer_fields({"attention_window": window}, SIZES)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("task", "settings", "chosen"),
    [
        ("SequenceClassification", {}, GlobalTokens()),
        ("QuestionAnswering", {}, GlobalTokens(until=2)),
        ("QuestionAnswering", {"sep_token_id": 5}, GlobalTokens(until=5)),
        ("MultipleChoice", {}, GlobalTokens(until=2, is_rest=True)),
        ("TokenClassification", {}, None),
        ("MaskedLM", {}, None),
    ],
)
def test_the_task_decides_which_tokens_are_global(
    task: str, settings: dict[str, object], chosen: GlobalTokens | None
) -> None:
    settings = {"architectures": [f"LongformerFor{task}"], **settings}
    assert longformer_fields(settings, SIZES)["global_tokens"] == chosen


@pytest.mark.parametrize("separator", ["2", None, True, 1.0, -1, 2**31, 1 << 70])
def test_a_separator_that_is_no_id_is_refused(separator: object) -> None:
    settings = {"architectures": ["LongformerForQuestionAnswering"], "sep_token_id": separator}
    with pytest.raises(CheckpointError, match="sep_token_id"):
        longformer_fields(settings, SIZES)


TASKS = ("SequenceClassification", "QuestionAnswering", "MultipleChoice")
QUESTION, LONG = "What did the cat eat ?", "the cat ate the fish because it was hungry " * 4


@pytest.fixture(scope="module", params=TASKS)
def of_global_tokens(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("longformer")
    write_family(folder, "longformer", f"AutoModelFor{request.param}")
    return open_model(str(folder), "cpu")


def chosen(model: Model, trace: Trace) -> range:
    """Return which tokens of `QUESTION` and `LONG` are global."""
    if model.facts.task_heads == ("classes",):
        return range(1)
    end = trace.tokens.pieces.index("</s>")
    return range(end) if model.facts.task_heads == ("answer",) else range(end + 2, trace.n_tokens)


def one_of_each(model: Model, trace: Trace) -> tuple[int, int]:
    """Return a global token and one that is not, as far from each other as can be."""
    last = trace.n_tokens - 1
    return (0, last) if 0 in chosen(model, trace) else (last, 0)


def test_a_global_token_attends_to_all_and_all_to_it(of_global_tokens: Model) -> None:
    trace = of_global_tokens.trace(QUESTION, LONG)
    positions = np.arange(trace.n_tokens)
    assert any("global attention" in remark for remark in of_global_tokens.facts.remarks)
    far = np.abs(np.subtract.outer(positions, positions))
    is_chosen = np.isin(positions, chosen(of_global_tokens, trace))
    free = is_chosen[:, None] | is_chosen
    assert not free.all()
    for layer, reach in enumerate((4, 2, 32)):
        attention, is_computed = trace.attention(layer), free | (far <= reach)
        assert (attention[:, is_computed] > 0).all()
        assert np.isneginf(trace.scores(layer)[:, ~is_computed]).all()
        assert np.abs(attention.sum(-1) - 1).max() < 1e-6


def test_steps_of_a_query_gather_what_the_layer_computed(of_global_tokens: Model) -> None:
    trace = of_global_tokens.trace(QUESTION, LONG)
    positions = chosen(of_global_tokens, trace)
    for layer in range(trace.n_layers):
        mixed = of_global_tokens.analyse("layer-details", trace, layer=layer).arrays()["mixed"]
        for query in {
            0,
            positions[0],
            positions[-1],
            min(positions[-1], trace.n_tokens - 2) + 1,
            trace.n_tokens - 1,
        }:
            steps = head_steps(trace, layer, 1, query)
            assert is_global(trace, query) == (query in positions)
            assert np.abs(steps.gathered - mixed[1, query]).max() < 1e-5
            assert np.abs(steps.keys @ steps.query_row - steps.products).max() < 1e-4
            assert np.array_equal(steps.keys, trace.keys[layer, 1]) != is_global(trace, query)


@pytest.mark.parametrize("stage", ["keys", "values"])
def test_the_stages_show_what_the_query_meets(of_global_tokens: Model, stage: str) -> None:
    trace = of_global_tokens.trace(QUESTION, LONG)
    queries = one_of_each(of_global_tokens, trace)
    shown, ordinary = (stop_tensors(trace, Stop(1, stage), 2, query, None, None) for query in queries)
    assert isinstance(trace.bias, GlobalAttention)
    for tensors, source in ((shown, trace.bias), (ordinary, trace)):
        array = tensors.tensor()
        assert array is not None
        assert np.array_equal(array, getattr(source, stage)[1, 2])
    formulas = [STAGES[stage].formulas(tensors)[0] for tensors in (shown, ordinary)]
    assert [f"W_{{{stage[0].upper()}_g}}" in formula for formula in formulas] == [True, False]


def test_keys_outside_of_the_window_are_counted_for_ordinary_queries_alone(of_global_tokens: Model) -> None:
    trace = of_global_tokens.trace(QUESTION, LONG)
    (free, ordinary), counts = one_of_each(of_global_tokens, trace), []
    for query in (free, ordinary):
        steps = head_steps(trace, 1, 2, query)
        found = statistics(stop_tensors(trace, Stop(1, "softmax"), 2, query, None, steps))
        assert found is not None
        counts.append(found.n_outside)
    positions = chosen(of_global_tokens, trace)
    far = [key for key in range(trace.n_tokens) if abs(key - ordinary) > 2 and key not in positions]
    assert counts == [0, len(far)]
    assert far


def test_details_end_in_the_next_hidden_state(of_global_tokens: Model) -> None:
    trace = of_global_tokens.trace(QUESTION, LONG)
    for layer in range(trace.n_layers):
        details = of_global_tokens.analyse("layer-details", trace, layer=layer)
        assert details.identity_error is not None
        assert details.identity_error < 1e-5


def test_a_saved_trace_has_its_global_tokens(of_global_tokens: Model, tmp_path: Path) -> None:
    trace = of_global_tokens.trace(QUESTION, LONG)
    save_trace(trace, tmp_path / "trace.npz")
    again = load_trace(tmp_path / "trace.npz")
    assert isinstance(again.bias, GlobalAttention)
    assert isinstance(trace.bias, GlobalAttention)
    positions = chosen(of_global_tokens, trace)
    assert (again.bias.first, again.bias.n_global) == (positions.start, len(positions))
    assert np.array_equal(again.attention(), trace.attention())
    assert np.array_equal(again.bias.values, trace.bias.values)


def test_a_part_of_the_attention_is_that_of_the_whole(of_global_tokens: Model) -> None:
    trace = of_global_tokens.trace(QUESTION, LONG)
    whole = trace.attention(1)
    part = trace.attention(1, rows=[0, 3, 40], columns=slice(2, 30))
    assert np.abs(part - whole[:, [0, 3, 40]][..., 2:30]).max() < 1e-5
    assert np.isclose(sum(trace.score_parts(1, 0).values()), trace.scores(1, 0)).all()


def test_lengths_of_value_vectors_are_refused(of_global_tokens: Model) -> None:
    trace = of_global_tokens.trace(QUESTION, LONG)
    with pytest.raises(AnalysisError, match="two value vectors"):
        of_global_tokens.analyse("norm-attention", trace)


def test_nothing_beyond_a_window_is_attended_to_and_a_remark_names_what_is_not_used(tmp_path: Path) -> None:
    write_family(tmp_path, "longformer")
    model = open_model(str(tmp_path), "cpu")
    assert any("global attention" in remark for remark in model.facts.remarks)
    trace = model.trace("the cat ate the fish because it was hungry " * 4)
    far = np.abs(np.subtract.outer(np.arange(trace.n_tokens), np.arange(trace.n_tokens)))
    for layer, reach in enumerate((4, 2, 32)):
        attention = trace.attention(layer)
        assert not attention[:, far > reach].any()
        assert (attention[:, far <= reach] > 0).all()
        assert np.isneginf(trace.scores(layer)[:, far > reach]).all()


def test_weights_of_global_attention_are_left_out(tmp_path: Path) -> None:
    write_family(tmp_path, "longformer")
    report = opened(tmp_path).report
    assert report.not_computed == report.missing == ()
