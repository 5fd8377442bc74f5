"""The calls of BertViz's notebooks on made models, with `bertviz` in the import changed to `bertviz_app`.

Its `outputs[-1]` is `outputs.attentions` here: the last output of a BERT of transformers 5 is an empty tuple.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import numpy as np
import pytest
import torch

from bertviz_app.api.notebook import NotebookView
from bertviz_app.errors import SelectionError
from tests.api.test_recording import bert, gpt2, t5, tokenizer as tokenizer
from tests.support.module_facts import run_example
from tests.trace.test_page import data_of

_OF_ONE = """
from bertviz_app import {view}
inputs = tokenizer.encode("the cat sat on a mat", return_tensors="pt")
outputs = model(inputs, output_attentions=True)
attention = outputs.attentions
tokens = tokenizer.convert_ids_to_tokens(inputs[0])
shown = {view}(attention, tokens)
"""
_OF_A_PAIR = """
from bertviz_app import {view}
inputs = tokenizer("the cat sat", "it was a mat", return_tensors="pt", return_token_type_ids=True)
input_ids = inputs["input_ids"]
attention = model(input_ids, token_type_ids=inputs["token_type_ids"], output_attentions=True).attentions
sentence_b_start = inputs["token_type_ids"][0].tolist().index(1)
tokens = tokenizer.convert_ids_to_tokens(input_ids[0].tolist())
shown = {view}(attention, tokens, sentence_b_start)
"""
_OF_TWO_TEXTS = """
from bertviz_app import {view}
encoder_input_ids = tokenizer("the cat sat", return_tensors="pt").input_ids
decoder_input_ids = tokenizer("it was", return_tensors="pt").input_ids
outputs = model(input_ids=encoder_input_ids, decoder_input_ids=decoder_input_ids, output_attentions=True)
shown = {view}(
    encoder_attention=outputs.encoder_attentions,
    decoder_attention=outputs.decoder_attentions,
    cross_attention=outputs.cross_attentions,
    encoder_tokens=tokenizer.convert_ids_to_tokens(encoder_input_ids[0]),
    decoder_tokens=tokenizer.convert_ids_to_tokens(decoder_input_ids[0]),
)
"""


def _run(cell: str, view: str, model: Any, tokenizer: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the data of the pages that a cell shows, and the names it leaves."""
    model.eval().set_attn_implementation("eager")
    names: dict[str, Any] = {"model": model, "tokenizer": tokenizer}
    with torch.no_grad():
        run_example(cell.format(view=view), names)
    assert isinstance(names["shown"], NotebookView)
    pages = [unescape(page) for page in re.findall(r'srcdoc="([^"]*)"', names["shown"].data)]
    return [data_of(page) for page in pages], names


def _are_the_models(data: dict[str, Any], attention: tuple[torch.Tensor, ...]) -> None:
    for (layer, head), weights in data["weights"].items():
        np.testing.assert_array_equal(weights, attention[layer][0, head].numpy())
    assert len(data["weights"]) == len(attention) * attention[0].shape[1]


@pytest.mark.parametrize("make", [bert, gpt2])
@pytest.mark.parametrize(("view", "first"), [("head_view", "lines"), ("model_view", "overview")])
def test_one_text(tokenizer: Any, make: Any, view: str, first: str) -> None:
    (data,), names = _run(_OF_ONE, view, make(), tokenizer)
    _are_the_models(data, names["attention"])
    assert data["queries"]["labels"] == names["tokens"]
    assert data["view"] == first
    assert (data["mask"] is not None and data["mask"] != "") == (make is gpt2), "of a causal model"


@pytest.mark.parametrize("view", ["head_view", "model_view"])
def test_a_pair(tokenizer: Any, view: str) -> None:
    (data,), names = _run(_OF_A_PAIR, view, bert(), tokenizer)
    _are_the_models(data, names["attention"])
    start = names["sentence_b_start"]
    assert {*data["queries"]["sentences"][:start]} == {-1, 0}
    assert {*data["queries"]["sentences"][start:]} == {-1, 1}


@pytest.mark.parametrize("view", ["head_view", "model_view"])
def test_an_encoder_and_a_decoder(tokenizer: Any, view: str) -> None:
    pages, names = _run(_OF_TWO_TEXTS, view, t5(), tokenizer)
    of_each = (names["outputs"][f"{part}_attentions"] for part in ("encoder", "decoder", "cross"))
    for data, attention in zip(pages, of_each, strict=True):
        _are_the_models(data, attention)
    assert pages[2]["queries"]["labels"] == ["[CLS]", "it", "was", "[SEP]"]
    assert pages[2]["keys"]["labels"] == ["[CLS]", "the", "cat", "sat", "[SEP]"]


def test_the_last_output_that_is_empty_is_said_to_be_so(tokenizer: Any) -> None:
    with pytest.raises(SelectionError, match="no layer of attention") as refused:
        _run(_OF_ONE.replace("outputs.attentions", "outputs[-1]"), "head_view", bert(), tokenizer)
    assert "Give outputs.attentions" in str(refused.value.hint)
