"""The logits of a notebook's task heads against its own forward pass."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from bertviz_app.api import open_model
from tests.support.difference_table import Difference, Note
from tests.support.notebook_heads import HEADED, random_headed
from tests.support.notebooks import write_notebook
from tests.support.peers import LIMIT, tensors

TEXTS = [("The cat ate the fish because it was hungry", None), ("The cat ate the fish", "It was hungry.")]


@pytest.mark.parametrize(("text", "pair"), TEXTS)
@pytest.mark.parametrize("name", HEADED)
def test_numbers(name: str, text: str, pair: str | None, tmp_path: Path, note: Note) -> None:
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
