"""Models written in notebooks against their own forward pass, read from the files that they save."""

from __future__ import annotations

from functools import reduce
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bertviz_app.api import open_model
from bertviz_app.checkpoint.loader import Checkpoint
from bertviz_app.encoder.recorder import layer_details, record
from bertviz_app.text import Tokens
from tests.support.checkpoint_folders import opened
from tests.support.exactness import passes
from tests.support.notebooks import (
    ALL_KINDS,
    HEADED,
    NotebookModel,
    Output,
    random_headed,
    random_notebook,
    write_notebook,
)
from tests.support.peers import compare, tensors
from tests.support.plugins import Difference, Note, largest

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
    trace = record(checkpoint.encoder, tokens, "ours")

    theirs, exact = passes(model, lambda: model(ids, segment_ids))
    assert (trace.pooled is None) == (theirs.pooled is None)
    return compare(trace, _named(theirs), _named(exact))


def _named(output: Output) -> Any:
    """Return `output` by the names that `transformers` gives."""
    return SimpleNamespace(
        hidden_states=output.hidden, attentions=output.attention, pooler_output=output.pooled
    )


def test_numbers(peers: tuple[str, Checkpoint, NotebookModel], note: Note) -> None:
    kind, checkpoint, model = peers
    apart = reduce(largest, [_difference(checkpoint, model, checkpoint.tokens(*texts)) for texts in TEXTS])
    note(kind, apart)
    assert apart.of_bound <= 1
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
        assert _difference(checkpoint, model, checkpoint.tokens("The cat")).of_bound <= 1, prefix


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
    made = passes(notebook, lambda: notebook(ids, segment_ids))
    expected, exact = passes(notebook, lambda: notebook.logits(notebook(ids, segment_ids)))
    found = model.logits(trace)
    assert set(model.facts.task_heads) == set(expected)
    for task, logits in expected.items():
        both = logits[0].numpy(), exact[task][0].numpy()
        apart = compare(trace, _named(made[0]), _named(made[1]), (getattr(found, task), *both))
        note(f"notebook heads {name}", apart)
        assert apart.of_bound <= 1
