"""Families with distances or windows in attention: what is read and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bertviz_app import Model, open_model
from bertviz_app.analysis.pairs import head_steps
from bertviz_app.checkpoint.config import read_config
from bertviz_app.checkpoint.families.registry import big_bird_fields
from bertviz_app.checkpoint.families.roberta import disentangling, disentangling_v1, longformer_fields
from bertviz_app.encoder.config import Blocks, Convolution, Disentangling, GlobalTokens
from bertviz_app.encoder.recorder import record, record_batch
from bertviz_app.errors import CheckpointError
from bertviz_app.trace import Trace
from bertviz_app.trace.archive import load_trace, save_trace
from bertviz_app.trace.bias import BlockSparse, GlobalAttention
from bertviz_app.trace.trace import is_global
from bertviz_app.viewmodels.stages import stops as words
from bertviz_app.viewmodels.stages.stops import Stop, formulas, statistics, stop_tensors
from tests.support.checkpoint_folders import assert_refused, change_config, change_weights, each, opened
from tests.support.exactness import of_bound, passes
from tests.support.families import write_family
from tests.support.peers import compare, outputs, random_tokens, tensors

SIZES = {"width": 768, "n_positions": 512}
V3 = {
    "relative_attention": True,
    "position_buckets": 256,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": "p2c|c2p",
    "max_relative_positions": -1,
    "position_biased_input": False,
    "type_vocab_size": 0,
}


def test_the_published_configuration_of_version_3() -> None:
    assert disentangling(V3, SIZES) == {
        "n_segments": 0,
        "has_position_table": False,
        "disentangling": Disentangling(span=256, farthest=512),
    }
    in_a_list = V3 | {"pos_att_type": ["c2p", "p2c"], "embedding_size": 768, "conv_kernel_size": 0}
    assert disentangling(in_a_list, SIZES) == disentangling(V3, SIZES)


def test_what_is_left_out_is_as_transformers_has_it() -> None:
    plain: dict[str, object] = {"n_segments": 0, "has_position_table": True}
    assert disentangling({}, SIZES) == plain
    assert disentangling({"relative_attention": True}, SIZES) == plain  # no part of it is there
    assert disentangling({"type_vocab_size": 2}, SIZES) == plain | {"n_segments": 2}
    found = disentangling({"relative_attention": True, "pos_att_type": " C2P | p2c"}, SIZES)
    assert found["disentangling"] == Disentangling(span=512, shares_projections=False, has_norm=False)
    distances = disentangling(V3 | {"position_buckets": -1, "max_relative_positions": 30}, SIZES)
    assert distances["disentangling"] == Disentangling(span=30)
    alone = disentangling(V3 | {"pos_att_type": ["p2c"], "max_relative_positions": 300}, SIZES)
    assert alone["disentangling"] == Disentangling(span=256, farthest=300, to_position=False)


def test_the_convolution_of_the_published_version_2() -> None:
    xlarge = V3 | {"conv_kernel_size": 3, "conv_act": "gelu"}
    assert disentangling(xlarge, SIZES)["convolution"] == Convolution(3, 1, "gelu")
    plain = disentangling(V3 | {"conv_kernel_size": 5, "conv_groups": 4}, SIZES)
    assert plain["convolution"] == Convolution(5, 4, "tanh")


def test_version_1_has_vectors_of_distances_and_layers_of_their_own() -> None:
    published = {
        "relative_attention": True,
        "max_relative_positions": -1,
        "position_biased_input": False,
        "pos_att_type": "c2p|p2c",
        "type_vocab_size": 0,
    }
    assert disentangling_v1(published, SIZES) == {
        "n_segments": 0,
        "has_position_table": False,
        "disentangling": Disentangling(span=512, shares_projections=False, has_norm=False),
    }
    of_v2 = {
        "position_buckets": 8,
        "share_att_key": True,
        "norm_rel_ebd": "layer_norm",
        "conv_kernel_size": 3,
    }
    assert disentangling_v1(published | of_v2, SIZES) == disentangling_v1(published, SIZES)


def test_rows_of_queries_keys_and_values_lie_head_by_head(tmp_path: Path) -> None:
    write_family(tmp_path, "deberta")
    change_weights(
        tmp_path,
        lambda tensors: {
            name: torch.arange(96.0)[:, None].expand(96, 32) if name.endswith("in_proj.weight") else tensor
            for name, tensor in tensors.items()
        },
    )
    attention = opened(tmp_path).encoder.layer(0).attention
    expected = {"query": [0, 7, 24, 31], "key": [8, 15, 32, 39], "value": [16, 23, 40, 47]}
    for name, rows in expected.items():
        weight = getattr(attention, name).weight[:, 0]
        assert weight[[0, 7, 8, 15]].tolist() == rows


def test_what_makes_no_sense_or_is_not_computed_is_refused_by_name() -> None:
    assert_refused(
        lambda settings: disentangling(V3 | settings, SIZES),
        *each(conv_kernel_size=(4, "3"), embedding_size=(128, "x"), pos_att_type=(7, [7])),
        *each(relative_attention=(False, 1), share_att_key=("yes",), position_biased_input=(None,)),
        *each(norm_rel_ebd=(3,), position_buckets=(1, 2000, 10**12, True), type_vocab_size=(10**9,)),
        *each(max_relative_positions=(2.5,)),
        ({"pos_att_type": "c2p|p2p"}, "p2p"),
        ({"conv_kernel_size": 3, "conv_groups": 7}, "conv_groups"),
        ({"conv_kernel_size": 3, "conv_groups": 0}, "conv_groups"),
        ({"conv_kernel_size": 3, "conv_act": 1}, "conv_act"),
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_family(tmp_path, "deberta-v2")
    return tmp_path


def test_a_convolution_of_config_json_must_be_among_the_weights(folder: Path) -> None:
    change_config(folder, conv_kernel_size=3, conv_act="gelu")
    with pytest.raises(CheckpointError, match=r"Missing: convolution\.convolution"):
        opened(folder)


def test_talking_heads_are_refused_by_name(folder: Path) -> None:
    change_config(folder, model_type="deberta", talking_head=True)
    with pytest.raises(CheckpointError, match="talking_head = true"):
        read_config(folder / "config.json")


def test_the_table_of_distances_must_be_there_in_its_size(folder: Path) -> None:
    change_config(folder, position_buckets=8)
    with pytest.raises(CheckpointError, match=r"disentangled\.table\.weight is \[32, 32\]"):
        opened(folder)
    change_config(folder, position_buckets=16)
    change_weights(folder, lambda tensors: {n: t for n, t in tensors.items() if "rel_embeddings" not in n})
    with pytest.raises(CheckpointError, match=r"Missing: disentangled\.table\.weight"):
        opened(folder)


def test_what_published_files_hold_besides_is_no_remark(folder: Path) -> None:
    change_weights(
        folder,
        lambda tensors: tensors | {"embeddings.word_embeddings._weight": torch.ones(3, 32)},
    )
    assert opened(folder).report.summary() == ""


LONGFORMER = {"n_layers": 3}


@pytest.mark.parametrize(
    ("window", "reaches"), [(512, (256, 256, 256)), ([8, 4, 64], (4, 2, 32)), (2, (1, 1, 1))]
)
def test_a_window_reaches_half_its_size_to_each_side(window: object, reaches: tuple[int, ...]) -> None:
    fields = {"reaches": reaches, "global_tokens": None}
    assert longformer_fields({"attention_window": window}, LONGFORMER) == fields


def test_the_window_left_out_is_as_transformers_has_it() -> None:
    assert longformer_fields({}, LONGFORMER)["reaches"] == (256, 256, 256)


def test_a_window_and_a_separator_that_make_no_sense_are_refused() -> None:
    of_answers = {"architectures": ["LongformerForQuestionAnswering"]}
    windows = (3, 0, -2, True, "512", None, [8, 4], [8, 4, 5], [8, 4, "6"], 10**7)
    assert_refused(
        lambda settings: longformer_fields(of_answers | settings, LONGFORMER),
        *each(attention_window=windows, sep_token_id=("2", None, True, 1.0, -1, 2**31, 1 << 70)),
    )


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
    assert longformer_fields(settings, LONGFORMER)["global_tokens"] == chosen


TASKS = ("QuestionAnswering", "MultipleChoice")
"""Whose global tokens are many; that of classes is the first alone."""
QUESTION, LONG = "What did the cat eat ?", "the cat ate the fish because it was hungry " * 4


@pytest.fixture(scope="module", params=TASKS)
def of_global_tokens(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("longformer")
    write_family(folder, "longformer", f"AutoModelFor{request.param}")
    return open_model(str(folder), "cpu")


def chosen(model: Model, trace: Trace) -> range:
    """Return which tokens of `QUESTION` and `LONG` are global."""
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
    for tensors_of_stop, source in ((shown, trace.bias), (ordinary, trace)):
        array = tensors_of_stop.tensor()
        assert array is not None
        assert np.array_equal(array, getattr(source, stage)[1, 2])
    written = [formulas(of_stop)[0] for of_stop in (shown, ordinary)]
    assert [f"W_{{{stage[0].upper()}_g}}" in formula for formula in written] == [True, False]


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


TEXT = "the cat ate the fish because it was hungry " * 6
SIZE, N_RANDOM = 4, 2
LONGEST = (5 + 2 * N_RANDOM) * SIZE


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("big_bird")
    write_family(folder, "big_bird")
    return open_model(str(folder), "cpu")


def expected_bias(n_tokens: int) -> np.ndarray:
    """Return what is added to each score, written out pair by pair."""
    last = math.ceil(n_tokens / SIZE) - 1
    bias = np.full((n_tokens, n_tokens), -np.inf)
    for query in range(n_tokens):
        for key in range(n_tokens):
            of_query, of_key = query // SIZE, key // SIZE
            if of_query in (0, last):
                bias[query, key] = 0.0
            elif of_key == 0:
                bias[query, key] = math.log(1 + N_RANDOM)
            elif of_key == last or abs(of_key - of_query) <= 1:
                bias[query, key] = 0.0
    return bias


def test_a_token_of_a_long_text_attends_to_blocks(model: Model) -> None:
    trace = model.trace(TEXT)
    assert trace.n_tokens > LONGEST
    expected = expected_bias(trace.n_tokens)
    assert np.isneginf(expected).any()
    for layer in range(trace.n_layers):
        added = trace.score_parts(layer, 1)["distance"]
        np.testing.assert_allclose(added, expected, atol=1e-6)
        attention = trace.attention(layer)
        assert not attention[:, np.isneginf(expected)].any()
        assert np.abs(attention.sum(-1) - 1).max() < 1e-6
        details = model.analyse("layer-details", trace, layer=layer)
        assert details.identity_error is not None
        assert details.identity_error < 1e-5
    part = trace.attention(1, 2, rows=[0, 9, 30], columns=slice(2, 40))
    assert np.abs(part - trace.attention(1, 2)[[0, 9, 30], 2:40]).max() < 1e-5


def test_a_short_text_is_read_as_by_bert(model: Model) -> None:
    trace = model.trace("the cat ate the fish")
    assert trace.n_tokens <= LONGEST
    assert trace.bias is None
    assert (trace.attention() > 0).all()


def test_remarks_say_what_is_read(model: Model) -> None:
    remarks = " ".join(model.facts.remarks)
    assert f"more than {LONGEST} tokens" in remarks
    assert f"counts {1 + N_RANDOM} times" in remarks


def test_each_of_a_batch_has_its_own_blocks(tmp_path: Path) -> None:
    write_family(tmp_path, "big_bird")
    encoder = opened(tmp_path).encoder
    inputs = [random_tokens(n_tokens, encoder.config.vocabulary_size) for n_tokens in (LONGEST, 41, 90)]
    for alone, together in zip(inputs, record_batch(encoder, inputs, "ours"), strict=True):
        trace = record(encoder, alone, "ours")
        assert of_bound([trace.hidden], [together.hidden]) <= 1
        assert of_bound([trace.attention()], [together.attention()]) <= 1


@pytest.mark.parametrize("n_tokens", [LONGEST, LONGEST + 1, LONGEST + 3, 1010])
def test_the_numbers_of_transformers(n_tokens: int, tmp_path: Path) -> None:
    """Of 1,024 tokens, to which 1,010 are filled up, `transformers` draws its random blocks otherwise."""
    blocks: dict[str, Any] = {"block_size": 16, "num_random_blocks": 3, "max_position_embeddings": 1100}
    theirs = write_family(tmp_path, "big_bird", **(blocks if n_tokens > 1000 else {}))
    encoder = opened(tmp_path).encoder
    tokens = random_tokens(n_tokens, encoder.config.vocabulary_size - 5)
    tokens = replace(tokens, ids=tokens.ids + 5)
    ids, segment_ids, _ = tensors(tokens)
    both = passes(theirs, lambda: outputs(theirs, input_ids=ids, token_type_ids=segment_ids))
    assert compare(record(encoder, tokens, "ours"), *both).of_bound <= 1


@pytest.mark.parametrize("numbers", [(0, 1, 40), (4, -1, 40), (41, 1, 40)])
def test_blocks_that_make_no_sense_are_refused(numbers: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="block"):
        BlockSparse(*numbers)


def test_steps_add_a_number_for_the_block(model: Model) -> None:
    trace = model.trace(TEXT)
    steps = head_steps(trace, 1, 2, 20)
    tensors_of_stop = stop_tensors(trace, Stop(1, "biased"), 2, 20, None, steps)
    assert "first block" in words.sentence("biased", words.traits_of(tensors_of_stop))
    assert "b_{ij}" in words.formulas(tensors_of_stop)[0]
    assert np.abs(steps.weights - trace.attention(1, 2, [20])[0]).max() < 1e-6


def test_what_big_bird_leaves_out_is_as_transformers_has_it() -> None:
    assert big_bird_fields({}, {})["blocks"] == Blocks(64, 3)
    assert "blocks" not in big_bird_fields({"attention_type": "original_full"}, {})


def test_what_makes_no_sense_of_big_bird_is_refused(tmp_path: Path) -> None:
    assert_refused(
        lambda settings: big_bird_fields(settings, {}),
        *each(attention_type=("sparse",), block_size=(0, "64"), num_random_blocks=(True, 0)),
        *each(rescale_embeddings=(1,)),
    )
    write_family(tmp_path, "big_bird")
    change_config(tmp_path, use_bias=False)
    with pytest.raises(CheckpointError, match="use_bias"):
        opened(tmp_path)
