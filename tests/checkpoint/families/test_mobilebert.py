"""MobileBERT's config.json, and what its files hold that a model does not use."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

from bertviz_app import open_model
from bertviz_app.checkpoint.families.distant import mobile_fields
from bertviz_app.encoder.config import Bottleneck, TokenProjection
from bertviz_app.errors import CheckpointError
from bertviz_app.trace.archive import load_trace, save_trace
from bertviz_app.trace.form import Form
from tests.support.checkpoint_folders import change_config, opened
from tests.support.families import write_family

SIZES = {"n_layers": 3, "n_heads": 4, "width": 512}


def test_what_is_left_out_is_as_transformers_has_it() -> None:
    fields = mobile_fields({}, SIZES)
    assert fields["token_projection"] == TokenProjection(128)
    assert fields["bottleneck"] == Bottleneck(128)
    form = fields["form"]
    assert isinstance(form, Form)
    assert (form.n_feed_forwards, form.has_scaling_norms) == (4, True)
    assert form.attends_beside_bottleneck
    assert form.has_trigrams


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"embedding_size": 0}, "embedding_size"),
        ({"intra_bottleneck_size": "128"}, "intra_bottleneck_size"),
        ({"num_feedforward_networks": 9}, "from 1 to 8"),
        ({"num_feedforward_networks": True}, "num_feedforward_networks"),
        ({"trigram_input": 1}, "trigram_input in config.json must be true or false"),
        ({"use_bottleneck": "yes"}, "use_bottleneck"),
        ({"key_query_shared_bottleneck": False}, "queries and keys are made without a bottleneck"),
        ({"intra_bottleneck_size": 126}, "A width of 126 cannot be shared by 4 heads"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(CheckpointError, match=message) as caught:
        mobile_fields(settings, SIZES)
    assert caught.value.hint


def test_another_norm_is_refused_by_name(tmp_path: Path) -> None:
    write_family(tmp_path, "mobilebert")
    change_config(tmp_path, normalization_type="layer_norm")
    with pytest.raises(CheckpointError, match="has normalization_type = "):
        opened(tmp_path)


@pytest.mark.parametrize("has_layer", [False, True])
def test_without_an_activation_there_is_no_pooler_as_in_the_published_checkpoint(
    has_layer: bool, tmp_path: Path
) -> None:
    write_family(tmp_path, "mobilebert", "AutoModelForMaskedLM", classifier_activation=has_layer)
    change_config(tmp_path, classifier_activation=False)
    found = opened(tmp_path)
    assert not found.facts.has_pooler
    assert found.facts.task_heads == ("masked",)
    change_config(tmp_path, classifier_activation="no")
    with pytest.raises(CheckpointError, match=r"classifier_activation in config\.json must be true or false"):
        opened(tmp_path)


def test_heads_share_the_width_of_the_bottleneck_not_that_of_the_hidden_states(tmp_path: Path) -> None:
    write_family(tmp_path, "mobilebert", hidden_size=30, intra_bottleneck_size=20)
    config = opened(tmp_path).encoder.config
    assert (config.width, config.inner_width, config.head_width) == (30, 20, 5)


def test_a_head_for_masked_tokens_may_have_a_table_without_rows(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of torch, about the empty table
        model = write_family(tmp_path, "mobilebert", "AutoModelForMaskedLM", embedding_size=32)
    ours = open_model(str(tmp_path), "cpu")
    assert ours.facts.task_heads == ("masked",)
    trace = ours.trace("The cat ate the fish")
    with torch.inference_mode():
        theirs = model(input_ids=torch.from_numpy(trace.tokens.ids.astype(np.int64))[None]).logits[0]
    found = ours.logits(trace).masked
    assert found is not None
    np.testing.assert_allclose(found, theirs.numpy(), atol=1e-5)


def test_a_feed_forward_part_too_many_is_a_part_that_is_not_computed(tmp_path: Path) -> None:
    write_family(tmp_path, "mobilebert", num_feedforward_networks=4)
    change_config(tmp_path, num_feedforward_networks=3)
    with pytest.raises(CheckpointError, match="holds more than the encoder computes"):
        opened(tmp_path)


def test_a_trace_and_its_details_come_back_from_a_file(tmp_path: Path) -> None:
    write_family(tmp_path / "model", "mobilebert")
    model = open_model(str(tmp_path / "model"), "cpu")
    trace = model.trace("The cat ate the fish", muted=[(1, 2)])
    save_trace(trace, tmp_path / "trace.npz")
    loaded = load_trace(tmp_path / "trace.npz")
    assert loaded.form == trace.form
    assert loaded.token_projection is not None
    assert trace.token_projection is not None
    np.testing.assert_array_equal(loaded.token_projection, trace.token_projection)
    np.testing.assert_array_equal(loaded.token_embeddings, trace.token_embeddings)
    assert trace.token_embeddings.shape[1] == 12


def test_a_muted_head_gives_nothing_to_the_output_projection(tmp_path: Path) -> None:
    model = write_family(tmp_path, "mobilebert")
    with torch.no_grad():
        model.encoder.layer[1].attention.output.dense.weight[:, 10:15] = 0  # head 2, of width 5
    trace = open_model(str(tmp_path), "cpu").trace("The cat ate the fish", muted=[(1, 2)])
    with torch.inference_mode():
        theirs = model(input_ids=torch.from_numpy(trace.tokens.ids.astype(np.int64))[None]).last_hidden_state
    np.testing.assert_allclose(trace.hidden[-1], theirs[0].numpy(), atol=1e-5)
