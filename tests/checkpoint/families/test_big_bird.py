"""BigBird's blocks: which tokens of a long text attend to which, in traces, files and Steps."""

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
from bertviz_app.checkpoint.families.distant import big_bird_fields
from bertviz_app.encoder.config import Blocks
from bertviz_app.encoder.recorder import record, record_batch
from bertviz_app.errors import CheckpointError
from bertviz_app.trace.archive import load_trace, save_trace
from bertviz_app.trace.bias import BlockSparse
from bertviz_app.viewmodels.steps import stops as words
from bertviz_app.viewmodels.steps.stops import Stop, stop_tensors
from tests.support.checkpoint_folders import change_config, opened
from tests.support.families import write_family
from tests.support.peers import LIMIT, compare, outputs, random_tokens, tensors

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
        assert np.abs(trace.hidden - together.hidden).max() < LIMIT
        assert np.abs(trace.attention() - together.attention()).max() < LIMIT


@pytest.mark.parametrize("n_tokens", [LONGEST, LONGEST + 1, LONGEST + 3, 1010])
def test_the_numbers_of_transformers(n_tokens: int, tmp_path: Path) -> None:
    """Of 1,024 tokens, to which 1,010 are filled up, `transformers` draws its random blocks otherwise."""
    blocks: dict[str, Any] = {"block_size": 16, "num_random_blocks": 3, "max_position_embeddings": 1100}
    theirs = write_family(tmp_path, "big_bird", **(blocks if n_tokens > 1000 else {}))
    encoder = opened(tmp_path).encoder
    tokens = random_tokens(n_tokens, encoder.config.vocabulary_size - 5)
    tokens = replace(tokens, ids=tokens.ids + 5)
    ids, segment_ids, _ = tensors(tokens)
    with torch.inference_mode():
        found = compare(
            record(encoder, tokens, "ours"), outputs(theirs, input_ids=ids, token_type_ids=segment_ids)
        )
    assert found.absolute <= LIMIT
    assert found.attention <= LIMIT


def test_a_saved_trace_has_its_blocks(model: Model, tmp_path: Path) -> None:
    trace = model.trace(TEXT)
    save_trace(trace, tmp_path / "trace.npz")
    again = load_trace(tmp_path / "trace.npz")
    assert isinstance(again.bias, BlockSparse)
    assert (again.bias.size, again.bias.n_random, again.bias.n_tokens) == (SIZE, N_RANDOM, trace.n_tokens)
    assert np.array_equal(again.attention(), trace.attention())


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


def test_what_is_left_out_is_as_transformers_has_it() -> None:
    assert big_bird_fields({}, {})["blocks"] == Blocks(64, 3)
    assert "blocks" not in big_bird_fields({"attention_type": "original_full"}, {})


@pytest.mark.parametrize(
    "settings",
    [
        {"attention_type": "sparse"},
        {"block_size": 0},
        {"block_size": "64"},
        {"num_random_blocks": True},
        {"num_random_blocks": 0},
        {"rescale_embeddings": 1},
    ],
)
def test_what_makes_no_sense_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(CheckpointError, match=next(iter(settings))) as caught:
        big_bird_fields(settings, {})
    assert caught.value.hint


def test_projections_without_biases_are_refused(tmp_path: Path) -> None:
    write_family(tmp_path, "big_bird")
    change_config(tmp_path, use_bias=False)
    with pytest.raises(CheckpointError, match="use_bias"):
        opened(tmp_path)
