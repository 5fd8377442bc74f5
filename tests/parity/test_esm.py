"""What only ESM has: embeddings that depend on the share of masked tokens, and stored frequencies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from bertviz_app.checkpoint.loader import Checkpoint
from bertviz_app.encoder.encoder import encoder_inputs
from bertviz_app.encoder.recorder import record
from bertviz_app.text import Tokens
from tests.support.checkpoint_folders import change_weights, opened
from tests.support.difference_table import Note
from tests.support.families import write_family
from tests.support.peers import LIMIT, compare, random_tokens, tensors

if TYPE_CHECKING:
    from transformers import PreTrainedModel

MASK = 4
FREQUENCIES = "encoder.layer.*.attention.self.rotary_embeddings.inv_freq"


def _masked(n_tokens: int, masked: list[int]) -> Tokens:
    tokens = random_tokens(n_tokens, 100, seed=n_tokens)
    ids = tokens.ids + 5
    ids[masked] = MASK
    return replace(tokens, ids=ids)


def _compare(checkpoint: Checkpoint, model: PreTrainedModel, tokens: Tokens, note: Note, kind: str) -> None:
    with torch.inference_mode():
        theirs = model(input_ids=tensors(tokens)[0], output_attentions=True, output_hidden_states=True)
    apart = compare(record(checkpoint.encoder, tokens, "ours"), theirs)
    note(kind, apart)
    assert apart.absolute <= LIMIT


@pytest.mark.parametrize("n_tokens", [3, 37, 200])
@pytest.mark.parametrize("zeroes", [True, False])
def test_masked_tokens(n_tokens: int, zeroes: bool, tmp_path: Path, note: Note) -> None:
    model = write_family(tmp_path, "esm", token_dropout=zeroes)
    checkpoint = opened(tmp_path)
    for masked in ([], [1], list(range(0, n_tokens, 2))):
        _compare(checkpoint, model, _masked(n_tokens, masked), note, "esm, masked tokens")


def test_the_share_is_that_of_each_text_without_its_padding(tmp_path: Path) -> None:
    write_family(tmp_path, "esm")
    encoder = opened(tmp_path).encoder
    texts = [_masked(9, [2, 3]), _masked(5, [1, 4])]  # padding repeats the last token, a mask here
    with torch.inference_mode():
        batch = encoder(*encoder_inputs(encoder.config, texts, torch.device("cpu"))).hidden
        for number, tokens in enumerate(texts):
            alone = encoder(*encoder_inputs(encoder.config, [tokens], torch.device("cpu"))).hidden[0]
            torch.testing.assert_close(batch[number, : len(tokens)], alone, rtol=0, atol=LIMIT)


def test_stored_frequencies_take_precedence_over_those_of_the_base(tmp_path: Path, note: Note) -> None:
    from transformers import EsmModel

    write_family(tmp_path, "esm", rope_theta=500.0)
    change_weights(tmp_path, lambda found: found | {FREQUENCIES: found[FREQUENCIES].half().float()})
    model = EsmModel.from_pretrained(tmp_path, attn_implementation="eager").eval()
    checkpoint = opened(tmp_path)
    _compare(checkpoint, model, _masked(200, [7]), note, "esm, rounded frequencies")
    as_before_version_5 = {
        f"encoder.layer.{layer}.attention.self.rotary_embeddings.inv_freq": model.rotary_embeddings.inv_freq
        for layer in range(3)
    }
    change_weights(
        tmp_path,
        lambda found: (
            {name: tensor for name, tensor in found.items() if name != FREQUENCIES}
            | {name: tensor.clone() for name, tensor in as_before_version_5.items()}
        ),
    )
    _compare(opened(tmp_path), model, _masked(200, [7]), note, "esm, rounded frequencies")


def test_without_stored_frequencies_they_follow_from_the_base(tmp_path: Path, note: Note) -> None:
    model = write_family(tmp_path, "esm", rope_theta=500.0)
    change_weights(tmp_path, lambda found: {name: found[name] for name in found if name != FREQUENCIES})
    _compare(opened(tmp_path), model, _masked(37, []), note, "esm, frequencies of a base")


def test_the_embedding_of_a_masked_token_is_zero_on_screen(tmp_path: Path) -> None:
    write_family(tmp_path, "esm")
    checkpoint = opened(tmp_path)
    trace = record(checkpoint.encoder, _masked(10, [3, 5]), "ours")
    assert not trace.token_embeddings[[3, 5]].any()
    table = checkpoint.encoder.embeddings.token.weight.detach().numpy()
    expected = table[trace.tokens.ids[4]] * 0.88 / (1 - 2 / 10)
    np.testing.assert_allclose(trace.token_embeddings[4], expected, atol=1e-6)
