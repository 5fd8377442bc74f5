"""Vectors of distances in the scores, against the formula that `transformers` computed up to version 4."""

from __future__ import annotations

from dataclasses import replace
from functools import partial, reduce
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from bertviz_app.checkpoint.loader import Checkpoint
from bertviz_app.encoder.encoder import encoder_inputs
from bertviz_app.encoder.recorder import record
from bertviz_app.trace import Trace, load_trace, save_trace
from tests.support.checkpoint_folders import opened, write_relative
from tests.support.exactness import of_bound, passes
from tests.support.families import WITH_SEGMENTS
from tests.support.peers import LIMIT, compare, random_tokens, tensors
from tests.support.plugins import Note, largest

if TYPE_CHECKING:
    from transformers import PreTrainedModel

FAMILIES = ("bert", "roberta", "electra", "megatron-bert", "ernie", "roberta-prelayernorm")
KINDS = ("relative_key", "relative_key_query")


@pytest.fixture(
    scope="module", params=[(family, kind) for family in FAMILIES for kind in KINDS], ids=" ".join
)
def peers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Checkpoint, PreTrainedModel]:
    """The name of a kind, its checkpoint as we open it, and the encoder of `transformers`."""
    family, kind = request.param
    folder = tmp_path_factory.mktemp("relative")
    model = write_relative(folder, family, kind)
    return f"{family}, {kind}", opened(folder), model.base_model


def _trace(checkpoint: Checkpoint, model: PreTrainedModel, n_tokens: int, *, pair: bool) -> Trace:
    config = checkpoint.encoder.config
    tokens = random_tokens(n_tokens, config.vocabulary_size - 5, seed=n_tokens, pair=pair)
    tokens = replace(
        tokens, ids=tokens.ids + 5, position_ids=tokens.position_ids + np.int32(config.first_position)
    )
    if model.config.model_type not in WITH_SEGMENTS:
        tokens = replace(tokens, segment_ids=np.zeros(n_tokens, np.int32))
    return record(checkpoint.encoder, tokens, "ours")


def test_numbers(peers: tuple[str, Checkpoint, PreTrainedModel], note: Note) -> None:
    kind, checkpoint, model = peers
    assert checkpoint.report.unexpected == ()
    found = []
    for n_tokens, pair in product((1, 129), (False, True)):
        trace = _trace(checkpoint, model, n_tokens, pair=pair)
        ids, segment_ids, _ = tensors(trace.tokens)
        segments = {"token_type_ids": segment_ids} if model.config.model_type in WITH_SEGMENTS else {}
        given = {"input_ids": ids, "output_attentions": True, "output_hidden_states": True} | segments
        found.append(compare(trace, *passes(model, partial(model, **given))))
    apart = reduce(largest, found)
    note(kind, apart)
    assert apart.of_bound <= 1


def test_the_parts_of_a_score_add_up(peers: tuple[str, Checkpoint, PreTrainedModel]) -> None:
    kind, checkpoint, model = peers
    trace = _trace(checkpoint, model, 37, pair=False)
    names = ("content_to_position", "position_to_content")
    assert trace.added == (names if kind.endswith("query") else names[:1])
    assert trace.position_embeddings is None
    assert trace.radicand == trace.head_width
    parts = trace.score_parts(1, 2)
    assert of_bound([np.asarray(sum(parts.values()))], [trace.scores(1, 2)]) <= 1
    table = checkpoint.encoder.state_dict()["layers.1.attention.distance.weight"].numpy()
    middle = len(table) // 2
    queries, keys = trace.queries[1, 2], trace.keys[1, 2]
    for row, column in ((0, 0), (3, 30), (36, 2)):
        vector = table[middle + row - column]
        expected = queries[row] @ vector * trace.scale
        assert parts[names[0]][row, column] == pytest.approx(expected, abs=LIMIT)
        if names[1] in parts:
            expected = vector @ keys[column] * trace.scale
            assert parts[names[1]][row, column] == pytest.approx(expected, abs=LIMIT)
    whole = trace.attention()
    assert of_bound([trace.attention(1), trace.attention(1, 2)], [whole[1], whole[1, 2]]) <= 1


def test_padding_changes_no_input(peers: tuple[str, Checkpoint, PreTrainedModel]) -> None:
    _, checkpoint, _ = peers
    encoder = checkpoint.encoder
    texts = [checkpoint.tokens("the cat ate the fish"), checkpoint.tokens("it was")]
    with torch.inference_mode():
        batch = encoder(*encoder_inputs(encoder.config, texts, torch.device("cpu"))).hidden
        for number, tokens in enumerate(texts):
            alone = encoder(*encoder_inputs(encoder.config, [tokens], torch.device("cpu"))).hidden[0]
            assert of_bound([batch[number, : len(tokens)].numpy()], [alone.numpy()]) <= 1


def test_a_saved_trace_has_the_same_scores(tmp_path: Path) -> None:
    write_relative(tmp_path / "model", "bert", "relative_key_query")
    checkpoint = opened(tmp_path / "model")
    trace = record(checkpoint.encoder, checkpoint.tokens("the cat ate the fish"), "ours")
    save_trace(trace, tmp_path / "trace.npz")
    np.testing.assert_array_equal(load_trace(tmp_path / "trace.npz").scores(), trace.scores())
