"""LUKE, which is read with words alone: what is left out, and that words need nothing of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from bertviz_app import open_model
from bertviz_app.errors import CheckpointError
from tests.support.checkpoint_folders import opened
from tests.support.families import write_family

TEXT = "The cat ate the fish because it was hungry"


def test_remarks_name_what_is_not_used_and_nothing_else_is_left_over(tmp_path: Path) -> None:
    theirs = write_family(tmp_path, "luke", "LukeForMaskedLM")
    model = open_model(str(tmp_path), "cpu")
    remarks = " ".join(model.facts.remarks)
    assert all(name in remarks for name in ("entities", "w2e_query", "e2w_query", "e2e_query"))
    report = opened(tmp_path).report
    assert (report.unexpected, report.not_computed, report.task_heads) == ((), (), ())
    trace = model.trace(TEXT)
    with torch.inference_mode():
        words = theirs.luke(torch.from_numpy(trace.tokens.ids.astype(np.int64))[None])
    assert np.abs(trace.hidden[-1] - words.last_hidden_state[0].numpy()).max() < 1e-5


@pytest.mark.parametrize("aware", [True, False])
def test_queries_of_entities_change_no_word(aware: bool, tmp_path: Path) -> None:
    write_family(tmp_path, "luke", use_entity_aware_attention=aware)
    before = open_model(str(tmp_path), "cpu").trace(TEXT).hidden
    path = tmp_path / "model.safetensors"
    entities = ("w2e_query", "e2w_query", "e2e_query", "entity_embeddings")
    others = {
        name: tensor for name, tensor in load_file(path).items() if not any(e in name for e in entities)
    }
    save_file(others, path)
    assert np.array_equal(open_model(str(tmp_path), "cpu").trace(TEXT).hidden, before)


def test_another_part_of_the_attention_is_refused(tmp_path: Path) -> None:
    write_family(tmp_path, "luke")
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    save_file(tensors | {"encoder.layer.0.attention.self.e3e_query.weight": torch.ones(32, 32)}, path)
    with pytest.raises(CheckpointError, match="e3e_query"):
        opened(tmp_path)
