"""The program from Python: what the README promises."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import bertviz_app
from bertviz_app import api, compare
from bertviz_app.analysis.measures import NAME_RULES
from bertviz_app.errors import (
    AppError,
    CheckpointError,
    DeviceError,
    SelectionError,
    TextError,
    TruncationWarning,
)
from tests.support.families import write_family

TEXT = "A cat ate the fish because it was hungry"


@pytest.fixture(scope="module")
def model(tiny_bert: Path) -> bertviz_app.Model:
    return bertviz_app.open_model(str(tiny_bert), device="cpu")


def test_a_trace_has_everything(model: bertviz_app.Model) -> None:
    trace = model.trace("the cat", pair="fish")
    assert trace.tokens.pieces == ("[CLS]", "the", "cat", "[SEP]", "fish", "[SEP]")
    assert trace.tokens.segment_ids.tolist() == [0, 0, 0, 0, 1, 1]
    assert trace.tokens.position_ids.tolist() == [0, 1, 2, 3, 4, 5]
    assert trace.tokens.ids.shape == (6,)
    assert trace.attention(1, 3).shape == (6, 6)
    assert trace.attention(1, 3).dtype == np.float32
    assert trace.attention().shape == (2, 4, 6, 6)
    assert trace.hidden.shape == (3, 6, 32)
    assert trace.pooled is not None
    assert trace.pooled.shape == (32,)
    np.testing.assert_allclose(trace.attention().sum(-1), 1, atol=1e-5)


def test_a_run_is_edited(model: bertviz_app.Model) -> None:
    plain = model.trace("the cat ate", pair="fish")
    edited = model.trace(
        "the cat ate", pair="fish", muted=[(1, 3), (0, 2)], replaced={2: "Fish", 3: "[MASK]"}
    )
    assert edited.tokens.pieces == ("[CLS]", "the", "fish", "[MASK]", "[SEP]", "fish", "[SEP]")
    assert edited.tokens.ids[2] == plain.tokens.ids[5]
    for name in ("segment_ids", "position_ids", "sentences", "words", "spans"):
        np.testing.assert_array_equal(getattr(edited.tokens, name), getattr(plain.tokens, name))
    assert edited.muted == ((0, 2), (1, 3))
    muted = model.encode("the cat ate", "fish", muted=[(1, 3)]).trace
    np.testing.assert_array_equal(muted.attention(), plain.attention())
    assert np.abs(muted.hidden[2] - plain.hidden[2]).max() > 1e-3


@pytest.mark.parametrize(
    ("edits", "kind", "message"),
    [
        ({"muted": [(2, 0)]}, SelectionError, "no head 2 · 0: this model's last is 1 · 3"),
        ({"muted": [(0, -1)]}, SelectionError, "no head 0 · -1"),
        ({"replaced": {4: "cat"}}, TextError, "no token 4: this text has tokens 0 to 3"),
        ({"replaced": {-1: "cat"}}, TextError, "no token -1"),
        ({"replaced": {0: "cat"}}, TextError, r"Token 0 is \[CLS\]"),
        ({"replaced": {1: "catfish"}}, TextError, "“catfish” is no piece"),
        ({"replaced": {1: " "}}, TextError, "No piece is given"),
    ],
)
def test_an_edit_that_cannot_be_done_is_an_error(
    model: bertviz_app.Model, edits: dict[str, Any], kind: type[AppError], message: str
) -> None:
    with pytest.raises(kind, match=message) as caught:
        model.trace("the cat", **edits)
    assert caught.value.hint


def test_layers_and_heads_count_from_zero(model: bertviz_app.Model) -> None:
    trace = model.trace("cat")
    with pytest.raises(SelectionError, match="layers 0 to 1"):
        trace.attention(2, 0)


def test_the_default_model_is_the_one_that_ships_with_the_program() -> None:
    model = bertviz_app.open_model()
    assert (model.facts.name, model.device.name in {"cpu", "cuda:0", "mps"}) == ("bert-mini-en-ko", True)
    assert model.trace(TEXT).tokens.pieces[1:4] == ("a", "cat", "ate")
    assert repr(model).startswith("<Model bert-mini-en-ko: 6 layers x 8 heads on ")


def test_models_are_listed(minilm: Path) -> None:
    assert "all-MiniLM-L6-v2" in {source.name for source in bertviz_app.list_models()}


def test_tokens_need_no_trace(model: bertviz_app.Model) -> None:
    assert model.tokens("the cat").pieces == model.trace("the cat").tokens.pieces


@pytest.mark.parametrize(
    ("text", "pair", "message"),
    [
        ("", None, "empty"),
        (" \t\n", None, "empty"),
        ("cat", "", "Sentence 2 is empty"),
        ("a\ud800b", None, r"unpaired surrogate U\+D800\) at character 2"),
    ],
)
def test_a_text_that_is_none_is_an_error(
    model: bertviz_app.Model, text: str, pair: str | None, message: str
) -> None:
    with pytest.raises(TextError, match=message):
        model.trace(text, pair)


def test_bad_names_are_errors(tiny_bert: Path) -> None:
    with pytest.raises(CheckpointError):
        bertviz_app.open_model("no such model")
    with pytest.raises(DeviceError):
        bertviz_app.open_model(str(tiny_bert), device="tpu")


def test_details_of_a_layer_end_in_the_hidden_states_of_the_trace(model: bertviz_app.Model) -> None:
    trace = model.trace("the cat ate the fish", muted=[(1, 0)])
    details = model.details(trace, 1)
    np.testing.assert_array_equal(details.output, trace.hidden[2])
    assert not details.mixed[0].any()
    assert details.pooler_dense is not None
    with pytest.raises(SelectionError):
        model.details(trace, 2)


def test_two_runs_are_compared(model: bertviz_app.Model) -> None:
    a, b = model.trace("the cat ate fish"), model.trace("the cat was hungry", muted=[(0, 0)])
    both = compare(a, b)
    assert both.alignment.positions.tolist() == [[position, position] for position in range(6)]
    np.testing.assert_allclose(both.difference(1, 2), a.attention(1, 2) - b.attention(1, 2), atol=1e-7)
    assert both.divergence.shape == (2, 4)
    assert both.divergence[0, 0] == pytest.approx(
        _jensen_shannon(a.attention(0, 0), b.attention(0, 0)), abs=1e-5
    )
    assert not compare(a, a).divergence.any()
    longer = compare(a, model.trace("the cat ate the fish"))
    assert longer.alignment.positions.tolist() == [[0, 0], [1, 1], [2, 2], [3, 3], [-1, 4], [4, 5], [5, 6]]
    assert np.isnan(longer.difference(0, 1)[4]).all()
    with pytest.raises(SelectionError):
        both.difference(0, 4)


def test_a_text_is_aligned_with_itself_whatever_is_replaced(model: bertviz_app.Model) -> None:
    a = model.trace("the cat ate the fish")
    b = model.trace("the cat ate the fish", replaced={1: "cat", 2: "ate", 3: "the", 4: "fish"})
    assert compare(a, b).alignment.pairs.tolist() == [[position, position] for position in range(7)]


def _jensen_shannon(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Return the mean over rows of the divergence in bits, as the textbook has it."""
    one, other = one.astype(np.float64), other.astype(np.float64)
    mean = (one + other) / 2
    apart = [(rows * np.log2(rows / mean)).sum(-1) for rows in (one, other)]
    return float(((apart[0] + apart[1]) / 2).mean())


def test_parameters_are_listed_read_and_multiplied(tiny_bert: Path) -> None:
    model = bertviz_app.open_model(tiny_bert)
    table = model.parameters()
    name = "encoder.layer.1.attention.self.query.weight"
    matrix = model.parameter(name)
    trace = model.trace("the cat ate the fish")
    found = model.linear_product(trace, name, token=3, output=9)
    np.testing.assert_array_equal(found.weights, matrix[9])
    np.testing.assert_array_equal(found.inputs, trace.hidden[1, 3])
    assert found.total == pytest.approx(float(trace.queries[1, 1, 3, 1]), abs=1e-6)
    assert table[name].n_numbers == matrix.size
    assert repr(table) == f"<ParameterTable: {len(table)} matrices and vectors, {table.total:,} numbers>"
    assert name in table._repr_html_()
    with pytest.raises(AppError, match="named by a text"):
        model.parameter(3)  # type: ignore[arg-type]


def test_which_head_looks_from_one_token_to_another(model: bertviz_app.Model) -> None:
    trace = model.trace("the cat ate")
    weights = bertviz_app.pair_weights(trace, "ate", "cat")
    np.testing.assert_array_equal(weights, trace.attention(rows=slice(3, 4))[:, :, 0, 2])
    best = api.strongest_heads(weights)
    assert [one.weight for one in best] == sorted(weights.ravel().tolist(), reverse=True)[:3]
    for name in bertviz_app.head_names(trace).values():
        assert name.rule in NAME_RULES


@pytest.mark.parametrize("family", ["albert", "modernbert", "deberta-v2", "longformer", "distilbert"])
def test_a_pair_has_its_weights_in_groups_of_layers_windows_and_biases(tmp_path: Path, family: str) -> None:
    write_family(tmp_path / family, family)
    trace = bertviz_app.open_model(tmp_path / family).trace("the cat ate the fish")
    query, key = 4, 2
    weights = bertviz_app.pair_weights(trace, query, key)
    assert weights.shape == (trace.n_layers, trace.n_heads)
    for layer, head in np.ndindex(*weights.shape):
        assert weights[layer, head] == pytest.approx(trace.attention(layer, head)[query, key], abs=1e-6)


def test_a_trace_that_is_cut_warns_and_shows_it(model: bertviz_app.Model) -> None:
    with pytest.warns(TruncationWarning, match=r"tokens were left out: this model reads at most") as caught:
        trace = model.trace("cat " * 2_000)
    assert [one.filename for one in caught] == [__file__]
    cut = f"{trace.n_tokens} tokens ({trace.tokens.n_left_out} more left out)"
    assert cut in repr(trace)
    assert cut.replace(" tokens", "") in repr(trace.tokens)
    with pytest.warns(TruncationWarning) as caught:
        list(model.trace_many(["cat", "cat " * 2_000]))
    assert [one.filename for one in caught] == [__file__]


def test_the_rows_of_a_table_can_be_read_again(model: bertviz_app.Model) -> None:
    for key in ("head-measures", "attention-rollout", "norm-attention"):
        table = model.analyse(key, model.trace("the cat")).as_table()
        first = [[str(cell) for cell in row] for row in table.rows]
        assert first
        assert [[str(cell) for cell in row] for row in table.rows] == first
