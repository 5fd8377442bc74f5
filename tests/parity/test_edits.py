"""Edited runs against `transformers`: a muted head is its columns of W_O at zero, a token is its id."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from bertviz_app.api import open_model
from bertviz_app.encoder.recorder import record
from bertviz_app.text import Edits
from tests.support.checkpoints import random_bert, vocabulary
from tests.support.difference_table import Note
from tests.support.peers import LIMIT, compare, difference, random_tokens, same_encoder

if TYPE_CHECKING:
    from transformers import BertModel

Heads = tuple[tuple[int, int], ...]
TEXT = "A cat ate the fish because it was hungry"


def without_heads(model: BertModel, heads: Heads) -> BertModel:
    """Return a copy of `model` whose W_O takes nothing from `heads`."""
    copy = deepcopy(model)
    for layer, head in heads:
        part = copy.encoder.layer[layer].attention
        width = part.self.attention_head_size
        with torch.no_grad():
            part.output.dense.weight[:, head * width : (head + 1) * width] = 0
    return copy


@pytest.mark.parametrize(
    "muted", [((0, 0),), ((1, 3),), ((0, 1), (0, 2), (1, 0)), ((0, 0), (0, 1), (0, 2), (0, 3))]
)
@pytest.mark.parametrize("n_tokens", [5, 129, 300])
def test_muted_heads_of_a_random_model(n_tokens: int, muted: Heads, note: Note) -> None:
    model = random_bert(seed=3)
    tokens = random_tokens(n_tokens, len(vocabulary()), pair=True)
    trace = record(same_encoder(model), tokens, "ours", edits=Edits(muted))
    apart = difference(without_heads(model, muted), trace)
    note("random bert, muted heads", apart)
    assert apart.absolute <= LIMIT
    assert difference(model, trace).hidden > 0.01


def test_muted_heads_and_replaced_tokens_of_the_real_model(minilm: Path, note: Note) -> None:
    from transformers import BertModel, BertTokenizerFast

    muted, replaced = ((0, 2), (3, 5), (4, 0)), {2: "dog", 5: "[MASK]"}
    trace = open_model("all-MiniLM-L6-v2", device="cpu").trace(TEXT, muted=muted, replaced=replaced)
    ids = BertTokenizerFast.from_pretrained(minilm).encode(TEXT)
    names = BertTokenizerFast.from_pretrained(minilm)
    ids[2], ids[5] = names.convert_tokens_to_ids(["dog", "[MASK]"])
    np.testing.assert_array_equal(trace.tokens.ids, ids)
    model = BertModel.from_pretrained(minilm, attn_implementation="eager").eval()
    with torch.inference_mode():
        theirs = without_heads(model, muted)(
            input_ids=torch.tensor([ids]), output_attentions=True, output_hidden_states=True
        )
    apart = compare(trace, theirs)
    note("all-MiniLM-L6-v2, muted and replaced", apart)
    assert apart.absolute <= LIMIT
