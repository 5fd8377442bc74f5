"""Models written in notebooks against their own forward pass, read from the files that they save."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from bertviz_app.api import open_model
from bertviz_app.checkpoint.loader import Checkpoint
from bertviz_app.encoder.recorder import layer_details, record
from bertviz_app.text import Tokens
from tests.support.checkpoint_folders import opened
from tests.support.notebooks import (
    ALL_KINDS,
    HEADED,
    NotebookModel,
    random_headed,
    random_notebook,
    write_notebook,
)
from tests.support.peers import LIMIT, tensors
from tests.support.plugins import Difference, Note

TEXTS = [
    ("The cat ate the fish because it was hungry", None),
    ("The cat ate the fish", "It was hungry."),
    ("고양이가 배가 고파서", "Où est le chat ?"),
    ("a", None),
]


@pytest.fixture(scope="module", params=ALL_KINDS)
def peers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Checkpoint, NotebookModel]:
    """The name of a kind, its checkpoint as we open it, and the notebook's own module."""
    model = random_notebook(request.param)
    folder = write_notebook(tmp_path_factory.mktemp("notebook"), model)
    return f"notebook {request.param}", opened(folder), model


def _difference(checkpoint: Checkpoint, model: NotebookModel, tokens: Tokens) -> Difference:
    ids, segment_ids, _ = tensors(tokens)
    with torch.inference_mode():
        theirs = model(ids, segment_ids)
    trace = record(checkpoint.encoder, tokens, "ours")
    assert (trace.pooled is None) == (theirs.pooled is None)
    hidden = np.abs(trace.hidden - torch.cat(theirs.hidden).numpy()).max()
    attention = np.abs(trace.attention() - torch.cat(theirs.attention).numpy()).max()
    pooled = None if trace.pooled is None else float(np.abs(trace.pooled - theirs.pooled[0].numpy()).max())
    return Difference(float(hidden), float(attention), pooled, in_proportion=0.0)


def test_numbers(peers: tuple[str, Checkpoint, NotebookModel], note: Note) -> None:
    kind, checkpoint, model = peers
    for text, pair in TEXTS:
        apart = _difference(checkpoint, model, checkpoint.tokens(text, pair))
        note(kind, apart)
        assert apart.absolute <= LIMIT, text
    trace = record(checkpoint.encoder, checkpoint.tokens("The cat ate the fish"), "ours")
    for layer in range(trace.n_layers):
        details = layer_details(checkpoint.encoder, trace.hidden[layer], layer)
        np.testing.assert_array_equal(details.output, trace.hidden[layer + 1])


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_prefixes(kind: str, tmp_path: Path) -> None:
    model = random_notebook(kind)
    for prefix in ("module.", "bert.", "module.bert."):
        folder = tmp_path / prefix
        checkpoint = opened(write_notebook(folder, model, prefix=prefix, name="pytorch_model.bin"))
        assert _difference(checkpoint, model, checkpoint.tokens("The cat")).absolute <= LIMIT, prefix


HEADED_TEXTS = [
    ("The cat ate the fish because it was hungry", None),
    ("The cat ate the fish", "It was hungry."),
]


@pytest.mark.parametrize(("text", "pair"), HEADED_TEXTS)
@pytest.mark.parametrize("name", HEADED)
def test_numbers_of_heads(name: str, text: str, pair: str | None, tmp_path: Path, note: Note) -> None:
    notebook = random_headed(name)
    model = open_model(str(write_notebook(tmp_path, notebook)), "cpu")
    trace = model.trace(text, pair)
    ids, segment_ids, _ = tensors(trace.tokens)
    with torch.inference_mode():
        expected = notebook.logits(notebook(ids, segment_ids))
    found = model.logits(trace)
    assert set(model.facts.task_heads) == set(expected)
    apart = 0.0
    for task, logits in expected.items():
        ours = getattr(found, task)
        assert ours is not None
        apart = max(apart, float(np.abs(ours - logits[0].numpy()).max()))
    note(f"notebook heads {name}", Difference(0.0, 0.0, None, in_proportion=0.0, logits=apart))
    assert apart <= LIMIT
