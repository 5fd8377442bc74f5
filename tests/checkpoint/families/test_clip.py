"""CLIP's texts: nested settings, later tokens that are not seen, and the vector of the last token."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bertviz_app import open_model
from bertviz_app.analysis.pairs import head_steps
from bertviz_app.checkpoint.families.distant import text_settings
from bertviz_app.errors import CheckpointError, InterventionError
from bertviz_app.text.edits import CellIntervention
from bertviz_app.trace.archive import load_trace, save_trace
from bertviz_app.viewmodels.steps import stops as words
from bertviz_app.viewmodels.steps.stops import Stop, statistics, stop_tensors
from tests.support.checkpoint_folders import change_config
from tests.support.families import fill, write_family, write_tokenizer

TEXT = "the cat ate the fish because it was hungry"
SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "vocab_size": 520,
    "bos_token_id": 518,
    "eos_token_id": 519,
}


def write_both(folder: Path, **text: object) -> Any:
    """Write a CLIP of texts and images, and return it."""
    import transformers

    write_tokenizer(folder, "clip_text_model")
    images = {key: SMALL[key] for key in list(SMALL)[:4]} | {"image_size": 16, "patch_size": 8}
    config = transformers.CLIPConfig(
        text_config=SMALL | text, vision_config=images, projection_dim=12, attn_implementation="eager"
    )
    model = transformers.CLIPModel(config)
    fill(model)
    model.save_pretrained(folder)
    return model.eval()


def ids_of(trace: Any) -> torch.Tensor:
    return torch.from_numpy(trace.tokens.ids.astype(np.int64))[None]


def test_the_texts_of_a_model_of_texts_and_images(tmp_path: Path) -> None:
    theirs = write_both(tmp_path)
    model = open_model(str(tmp_path), "cpu")
    assert any("images are not" in remark for remark in model.facts.remarks)
    assert not any("nknown" in remark or "not used" in remark for remark in model.facts.remarks)
    trace = model.trace(TEXT)
    with torch.inference_mode():
        output = theirs.text_model(ids_of(trace))
        vector = theirs.text_projection(output.pooler_output)[0].numpy()
    assert np.abs(trace.hidden[-1] - output.last_hidden_state[0].numpy()).max() < 1e-5
    assert trace.sentence_vector is not None
    assert trace.sentence_vector.shape == (12,)
    assert np.abs(trace.sentence_vector - vector).max() < 1e-5


@pytest.mark.parametrize(("kind", "size"), [("CLIPTextModelWithProjection", 512), ("CLIPTextModel", 32)])
def test_the_vector_of_a_model_of_texts(kind: str, size: int, tmp_path: Path) -> None:
    theirs = write_family(tmp_path, "clip_text_model", kind)
    trace = open_model(str(tmp_path), "cpu").trace(TEXT)
    with torch.inference_mode():
        output = theirs(ids_of(trace))
    expected = output.pooler_output if size == 32 else output.text_embeds
    assert trace.sentence_vector is not None
    assert trace.sentence_vector.shape == (size,)
    assert np.abs(trace.sentence_vector - expected[0].numpy()).max() < 1e-5


def test_the_projection_is_listed_and_is_a_part_of_the_fingerprint(tmp_path: Path) -> None:
    write_family(tmp_path / "one", "clip_text_model", "CLIPTextModelWithProjection")
    write_family(tmp_path / "other", "clip_text_model", "CLIPTextModel")
    one, other = (open_model(str(tmp_path / name), "cpu") for name in ("one", "other"))
    assert one.facts.fingerprint != other.facts.fingerprint
    names = [entry.name for entry in one.parameters() if entry.key == "sentence.steps.0.linear.weight"]
    assert names == ["text_projection.weight"]


def test_what_the_settings_of_texts_leave_out_is_as_in_transformers() -> None:
    wide = dict(text_settings({})) | {"hidden_size": 768}
    assert text_settings({"text_config": {"hidden_size": 768}}) == wide
    assert text_settings({})["max_position_embeddings"] == 77
    both = {"text_config": {"hidden_size": 64, "vocab_size": 9}, "text_config_dict": {"hidden_size": 32}}
    assert (text_settings(both)["hidden_size"], text_settings(both)["vocab_size"]) == (32, 49408)


@pytest.mark.parametrize("key", ["text_config", "text_config_dict"])
@pytest.mark.parametrize("value", [3, "x", [1]])
def test_settings_that_are_no_object_are_refused(key: str, value: object) -> None:
    with pytest.raises(CheckpointError, match=key):
        text_settings({key: value})


def test_settings_that_were_left_out_are_read(tmp_path: Path) -> None:
    write_both(tmp_path, num_attention_heads=8, hidden_act="quick_gelu")
    settings = json.loads((tmp_path / "config.json").read_text("utf-8"))
    del settings["text_config"]["num_attention_heads"]
    (tmp_path / "config.json").write_text(json.dumps(settings), "utf-8")
    assert open_model(str(tmp_path), "cpu").facts.n_heads == 8


def test_a_token_sees_what_comes_before_it(tmp_path: Path) -> None:
    write_family(tmp_path, "clip_text_model")
    model = open_model(str(tmp_path), "cpu")
    trace = model.trace(TEXT)
    later = np.triu(np.ones((trace.n_tokens, trace.n_tokens), bool), 1)
    assert not trace.attention()[..., later].any()
    assert (trace.attention()[..., ~later] > 0).all()
    assert np.isneginf(trace.scores(1)[..., later]).all()
    part = trace.attention(1, 2, rows=[0, 5], columns=slice(2, 9))
    assert np.abs(part - trace.attention(1, 2)[[0, 5], 2:9]).max() < 1e-6
    save_trace(trace, tmp_path / "trace.npz")
    again = load_trace(tmp_path / "trace.npz")
    assert again.form == trace.form
    assert np.array_equal(again.attention(), trace.attention())
    for layer in range(trace.n_layers):
        details = model.analyse("layer-details", trace, layer=layer)
        assert details.identity_error is not None
        assert details.identity_error < 1e-5


def test_steps_say_that_later_keys_are_not_seen(tmp_path: Path) -> None:
    write_family(tmp_path, "clip_text_model")
    trace = open_model(str(tmp_path), "cpu").trace(TEXT)
    tensors = stop_tensors(trace, Stop(1, "biased"), 2, 4, None, head_steps(trace, 1, 2, 4))
    assert "later key" in words.sentence("biased", words.traits_of(tensors))
    found = statistics(tensors)
    assert found is not None
    assert (found.n_outside, found.is_causal) == (trace.n_tokens - 5, True)


def test_a_weight_of_a_later_token_cannot_be_set(tmp_path: Path) -> None:
    write_family(tmp_path, "clip_text_model")
    model = open_model(str(tmp_path), "cpu")
    with pytest.raises(InterventionError, match="comes after its query"):
        model.trace(TEXT, interventions=[CellIntervention(0, 2, 3, 4, 0.25)])


def test_a_decoder_is_refused(tmp_path: Path) -> None:
    write_family(tmp_path, "clip_text_model")
    change_config(tmp_path, add_cross_attention=True)
    with pytest.raises(CheckpointError, match="add_cross_attention"):
        open_model(str(tmp_path), "cpu")
