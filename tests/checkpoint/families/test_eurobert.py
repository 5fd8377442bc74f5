"""EuroBERT's config.json: its grouped queries and rotations, and what of it is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app.checkpoint.families.rotary import eurobert_fields
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import CheckpointError
from tests.support.checkpoint_folders import opened
from tests.support.families import write_family

SIZES = {"n_layers": 2, "n_heads": 18, "width": 2304}


def test_the_published_configuration_of_the_large_one() -> None:
    found = eurobert_fields({"num_key_value_heads": 6, "head_dim": 128, "rope_theta": 250_000}, SIZES)
    assert found["n_key_heads"] == 6
    assert found["own_head_width"] is None
    assert found["rotary_bases"] == (250_000.0, 250_000.0)
    assert getattr(found["form"], "groups_queries", None) is True


def test_without_a_number_each_query_has_its_own_key() -> None:
    found = eurobert_fields({}, SIZES)
    assert found["n_key_heads"] is None
    assert getattr(found["form"], "groups_queries", None) is False


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_key_value_heads": 4}, "num_key_value_heads"),
        ({"num_key_value_heads": 0}, "num_key_value_heads"),
        ({"rope_scaling": {"type": "linear", "factor": 2.0}}, "linear"),
        ({"rope_parameters": {"rope_type": "llama3", "rope_theta": 5e5}}, "llama3"),
        ({"rope_theta": 1}, "rope_theta"),
    ],
)
def test_what_is_not_computed_is_refused_by_name(settings: dict[str, object], message: str) -> None:
    with pytest.raises(CheckpointError, match=message) as caught:
        eurobert_fields(settings, SIZES)
    assert caught.value.hint


def test_heads_that_share_keys_have_the_same_ones_in_a_trace(tmp_path: Path) -> None:
    write_family(tmp_path, "eurobert")
    checkpoint = opened(tmp_path)
    trace = record(checkpoint.encoder, checkpoint.tokens("the cat ate"), "small")
    for shared in (trace.keys, trace.values):
        assert shared.shape == trace.queries.shape
        np.testing.assert_array_equal(shared[:, 0], shared[:, 1])
        assert not np.array_equal(shared[:, 1], shared[:, 2])
    assert not np.array_equal(trace.queries[:, 0], trace.queries[:, 1])
