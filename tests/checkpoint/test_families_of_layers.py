"""Families with layers of their own: what is read and what is refused."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bertviz_app import Model, api, open_model
from bertviz_app.checkpoint.config import read_config
from bertviz_app.checkpoint.families.registry import convbert_fields, mobile_fields, text_settings
from bertviz_app.encoder.config import Bottleneck, SpanConvolution, TokenProjection
from bertviz_app.errors import CheckpointError, InterventionError
from bertviz_app.text.edits import CellIntervention
from bertviz_app.trace.form import Form
from bertviz_app.viewmodels.stages import stops as words
from bertviz_app.viewmodels.stages.stage import Architecture
from bertviz_app.viewmodels.stages.stops import Stop, all_stops, stop_tensors
from tests.support.checkpoint_folders import (
    Tensors,
    assert_refused,
    change_config,
    change_weights,
    each,
    opened,
)
from tests.support.families import fill, write_family, write_tokenizer

SIZES = {"n_layers": 3, "n_heads": 4, "width": 512}


def test_what_is_left_out_is_as_transformers_has_it() -> None:
    fields = mobile_fields({}, SIZES)
    assert fields["token_projection"] == TokenProjection(128)
    assert fields["bottleneck"] == Bottleneck(128)
    form = fields["form"]
    assert isinstance(form, Form)
    assert (form.n_feed_forwards, form.has_scaling_norms) == (4, True)


def test_a_value_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    assert_refused(
        lambda settings: mobile_fields(settings, SIZES),
        *each(embedding_size=(0,), intra_bottleneck_size=("128",), use_bottleneck=("yes",)),
        ({"num_feedforward_networks": 9}, "from 1 to 8"),
        ({"num_feedforward_networks": True}, "num_feedforward_networks"),
        ({"trigram_input": 1}, "trigram_input in config.json must be true or false"),
        ({"key_query_shared_bottleneck": False}, "queries and keys are made without a bottleneck"),
        ({"intra_bottleneck_size": 126}, "A width of 126 cannot be shared by 4 heads"),
    )
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


def test_a_muted_head_gives_nothing_to_the_output_projection(tmp_path: Path) -> None:
    model = write_family(tmp_path, "mobilebert")
    with torch.no_grad():
        model.encoder.layer[1].attention.output.dense.weight[:, 10:15] = 0  # head 2, of width 5
    trace = open_model(str(tmp_path), "cpu").trace("The cat ate the fish", muted=[(1, 2)])
    with torch.inference_mode():
        theirs = model(input_ids=torch.from_numpy(trace.tokens.ids.astype(np.int64))[None]).last_hidden_state
    np.testing.assert_allclose(trace.hidden[-1], theirs[0].numpy(), atol=1e-5)


PUBLISHED = {
    "model_type": "nomic_bert",
    "auto_map": {"AutoModel": "modeling_hf_nomic_bert.NomicBertModel"},
    "activation_function": "swiglu",
    "architectures": ["NomicBertModel"],
    "causal": False,
    "layer_norm_epsilon": 1e-12,
    "max_trained_positions": 2048,
    "mlp_fc1_bias": False,
    "mlp_fc2_bias": False,
    "n_embd": 768,
    "n_head": 12,
    "n_inner": 3072,
    "n_layer": 12,
    "n_positions": 8192,
    "prenorm": False,
    "qkv_proj_bias": False,
    "rotary_emb_base": 1000,
    "rotary_emb_fraction": 1.0,
    "rotary_emb_interleaved": False,
    "rotary_emb_scale_base": None,
    "rotary_scaling_factor": None,
    "type_vocab_size": 2,
    "use_rms_norm": False,
    "vocab_size": 30528,
}
NEW_KEYS = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "hidden_act",
    "layer_norm_eps",
    "max_position_embeddings",
    "head_dim",
    "rope_parameters",
)
NEW_NAMES = (
    ("encoder.layers.", "layers."),
    ("emb_ln", "embeddings.LayerNorm"),
    ("attn.out_proj", "self_attn.o_proj"),
    ("fc11", "up_proj"),
    ("fc12", "gate_proj"),
    ("fc2", "down_proj"),
    ("norm1", "post_attention_layernorm"),
    ("norm2", "post_mlp_layernorm"),
)
TEXT = ("The cat ate the fish", "It was hungry.")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config.json"


def _write(path: Path, **changes: object) -> None:
    settings = PUBLISHED | changes
    path.write_text(json.dumps({key: value for key, value in settings.items() if value is not ...}), "utf-8")


def test_the_published_configuration(path: Path) -> None:
    _write(path)
    encoder = read_config(path).encoder
    sizes = (encoder.n_layers, encoder.n_heads, encoder.width, encoder.feed_forward_width)
    assert sizes == (12, 12, 768, 3072)
    assert (encoder.vocabulary_size, encoder.n_segments, encoder.max_tokens) == (30528, 2, 8192)
    assert encoder.rotary_bases == (1000.0,) * 12
    assert encoder.reaches == (None,) * 12
    assert (encoder.activation, encoder.norm_eps) == ("silu", 1e-12)
    assert (encoder.form.has_biases, encoder.form.has_norm_biases) == (False, True)
    assert not encoder.has_position_table


@pytest.mark.parametrize(
    ("changes", "n_positions"),
    [
        ({"rotary_scaling_factor": 2}, 2048),
        ({"rotary_scaling_factor": 2, "max_trained_positions": 1}, 1),
        ({"rotary_scaling_factor": 2, "n_positions": 512}, 512),
        ({"rope_parameters": {"rope_type": "dynamic", "factor": 2.0}}, 2048),
        ({"rope_parameters": {"rope_type": "default"}, "max_position_embeddings": 1024}, 1024),
        (
            {"rope_parameters": {"rope_type": "dynamic"}, "n_positions": 99, "max_trained_positions": ...},
            99,
        ),
    ],
)
def test_texts_whose_rotations_would_be_scaled_are_cut(
    path: Path, changes: dict[str, object], n_positions: int
) -> None:
    _write(path, **changes)
    assert read_config(path).encoder.max_tokens == n_positions


def test_what_is_not_computed_is_refused_by_name(path: Path) -> None:
    def read(settings: dict[str, Any]) -> object:
        _write(path, **settings)
        return read_config(path)

    switches = (
        *("prenorm", "parallel_block", "causal", "use_rms_norm", "qkv_proj_bias", "mlp_fc1_bias"),
        *("mlp_fc2_bias", "rotary_emb_interleaved", "rotary_head_dim"),
    )
    assert_refused(
        read,
        *each(**dict.fromkeys(switches, (True,))),
        *each(moe_every_n_layers=(2,), num_heads_kv=(4,), rotary_emb_fraction=(0.5,), head_dim=(32,)),
        *each(rotary_emb_scale_base=(512,), activation_function=("glu", ["swiglu"]), hidden_act=(4,)),
        *each(rotary_emb_base=("x", 1, True), n_embd=(0,), layer_norm_epsilon=(2,)),
        ({"rope_parameters": {"rope_type": "yarn"}}, "yarn"),
        ({"rope_parameters": {"rope_theta": 0}}, "config.json, rope_theta"),
        ({"rotary_scaling_factor": 2, "max_trained_positions": 0}, "max_trained_positions"),
        ({"rotary_scaling_factor": 2, "max_trained_positions": True}, "max_trained_positions"),
        ({"n_embd": ...}, "hidden_size"),
    )


def test_older_words_and_newer_names_give_the_same(tmp_path: Path) -> None:
    write_family(tmp_path, "nomic_bert")
    before = opened(tmp_path)
    trace = api.open_model(str(tmp_path), "cpu").trace(*TEXT)
    sizes = {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_inner": 64, "n_positions": 260}
    given = PUBLISHED | sizes | {"vocab_size": before.encoder.config.vocabulary_size}
    change_config(tmp_path, **dict.fromkeys(NEW_KEYS, ...), **given)
    change_weights(tmp_path, _renamed)
    after = opened(tmp_path)
    assert after.encoder.config == before.encoder.config
    again = api.open_model(str(tmp_path), "cpu").trace(*TEXT)
    assert np.array_equal(again.hidden, trace.hidden)


def _renamed(tensors: Tensors) -> Tensors:
    """Return the tensors by the names of the classes of `transformers`: queries, keys and values apart."""
    named: Tensors = {}
    for name, tensor in tensors.items():
        for older, newer in NEW_NAMES:
            name = name.replace(older, newer)
        if "attn.Wqkv" not in name:
            named[name] = tensor
            continue
        for letter, part in zip("qkv", tensor.chunk(3), strict=True):
            named[name.replace("attn.Wqkv", f"self_attn.{letter}_proj")] = part
    return named


def test_learned_positions_are_refused(tmp_path: Path) -> None:
    write_family(tmp_path, "nomic_bert")
    learned = "embeddings.position_embeddings.weight"
    change_weights(
        tmp_path, lambda tensors: tensors | {learned: tensors["embeddings.word_embeddings.weight"].clone()}
    )
    with pytest.raises(CheckpointError, match="position_embeddings"):
        opened(tmp_path)


def test_a_head_without_biases_is_read(tmp_path: Path) -> None:
    """So it is in the files of the authors' own code, whose decoder has none either."""
    write_family(tmp_path, "nomic_bert", "AutoModelForMaskedLM")
    text = "The cat ate the fish"
    model = api.open_model(str(tmp_path), "cpu")
    biased = model.logits(model.trace(text)).masked
    zero = ("cls.predictions.bias", "cls.predictions.transform.dense.bias")
    change_weights(
        tmp_path,
        lambda tensors: {name: tensor * (name not in zero) for name, tensor in tensors.items()},
    )
    model = api.open_model(str(tmp_path), "cpu")
    zeroed = model.logits(model.trace(text)).masked
    change_weights(
        tmp_path,
        lambda tensors: {name: tensor for name, tensor in tensors.items() if name not in zero},
    )
    model = api.open_model(str(tmp_path), "cpu")
    assert model.facts.task_heads == ("masked",)
    bare = model.logits(model.trace(text)).masked
    assert bare is not None
    assert zeroed is not None
    assert biased is not None
    assert np.abs(bare - zeroed).max() <= 1e-6
    assert np.abs(bare - biased).max() > 0.1


CLIP_TEXT = "the cat ate the fish because it was hungry"
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
    trace = model.trace(CLIP_TEXT)
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
    trace = open_model(str(tmp_path), "cpu").trace(CLIP_TEXT)
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


def test_settings_that_are_no_object_are_refused() -> None:
    values = (3, "x", [1])
    assert_refused(text_settings, *each(text_config=values, text_config_dict=values))


def test_settings_that_were_left_out_are_read(tmp_path: Path) -> None:
    write_both(tmp_path, num_attention_heads=8, hidden_act="quick_gelu")
    settings = json.loads((tmp_path / "config.json").read_text("utf-8"))
    del settings["text_config"]["num_attention_heads"]
    (tmp_path / "config.json").write_text(json.dumps(settings), "utf-8")
    assert open_model(str(tmp_path), "cpu").facts.n_heads == 8


def test_a_token_sees_what_comes_before_it(tmp_path: Path) -> None:
    write_family(tmp_path, "clip_text_model")
    model = open_model(str(tmp_path), "cpu")
    trace = model.trace(CLIP_TEXT)
    later = np.triu(np.ones((trace.n_tokens, trace.n_tokens), bool), 1)
    assert not trace.attention()[..., later].any()
    assert (trace.attention()[..., ~later] > 0).all()
    assert np.isneginf(trace.scores(1)[..., later]).all()
    part = trace.attention(1, 2, rows=[0, 5], columns=slice(2, 9))
    assert np.abs(part - trace.attention(1, 2)[[0, 5], 2:9]).max() < 1e-6
    for layer in range(trace.n_layers):
        details = model.analyse("layer-details", trace, layer=layer)
        assert details.identity_error is not None
        assert details.identity_error < 1e-5


def test_a_weight_of_a_later_token_cannot_be_set(tmp_path: Path) -> None:
    write_family(tmp_path, "clip_text_model")
    model = open_model(str(tmp_path), "cpu")
    with pytest.raises(InterventionError, match="comes after its query"):
        model.trace(CLIP_TEXT, interventions=[CellIntervention(0, 2, 3, 4, 0.25)])


CONVBERT_TEXT = "the cat ate the fish because it was hungry"
CONVBERT = {"width": 48, "n_heads": 8}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("convbert")
    write_family(folder, "convbert")
    return open_model(str(folder), "cpu")


@pytest.mark.parametrize(
    ("settings", "n_heads", "head_width", "kernel"),
    [({}, 4, 6, 9), ({"head_ratio": 4}, 2, 12, 9), ({"head_ratio": 100, "conv_kernel_size": 3}, 1, 24, 3)],
)
def test_one_head_in_a_few_is_left(
    settings: dict[str, object], n_heads: int, head_width: int, kernel: int
) -> None:
    fields = convbert_fields(settings, CONVBERT)
    assert (fields["n_heads"], fields["own_head_width"]) == (n_heads, head_width)
    assert fields["span_convolution"] == SpanConvolution(kernel)


def test_what_makes_no_sense_of_convbert_is_refused(tmp_path: Path) -> None:
    assert_refused(
        lambda settings: convbert_fields(settings, {"width": 45, "n_heads": 8}),
        *each(head_ratio=(0, "2"), conv_kernel_size=(4, True)),
        ({"head_ratio": 1}, "A width of 45"),
    )
    write_family(tmp_path, "convbert")
    change_config(tmp_path, num_groups=5)
    with pytest.raises(CheckpointError, match="num_groups"):
        opened(tmp_path)


def test_half_of_what_the_output_reads_is_of_convolutions(model: Model) -> None:
    assert any("4 heads and as many convolutions" in remark for remark in model.facts.remarks)
    trace = model.trace(CONVBERT_TEXT)
    assert (trace.n_heads, trace.head_width) == (4, 4)
    for layer in range(trace.n_layers):
        details = model.details(trace, layer)
        assert details.span_convolved is not None
        assert np.array_equal(details.concat[:, 16:], details.span_convolved)
        assert np.abs(details.output - trace.hidden[layer + 1]).max() < 1e-5


def test_a_muted_head_leaves_the_convolutions(model: Model) -> None:
    plain, muted = (model.details(model.trace(CONVBERT_TEXT, muted=muted), 0) for muted in ([], [(0, 1)]))
    assert not muted.mixed[1].any()
    assert plain.span_convolved is not None
    assert muted.span_convolved is not None
    assert np.array_equal(plain.span_convolved, muted.span_convolved)
    assert np.abs(plain.output - muted.output).max() > 1e-4


def test_steps_have_a_stop_before_all_is_joined(model: Model) -> None:
    trace = model.trace(CONVBERT_TEXT)
    stages = [stop.stage for stop in all_stops(Architecture.of(trace)) if stop.section == 1]
    assert stages[stages.index("concat") - 1] == "span_convolved"
    details = model.details(trace, 1)
    shown = stop_tensors(trace, Stop(1, "span_convolved"), 0, 2, details, None).tensor()
    assert shown is not None
    assert details.span_convolved is not None
    assert np.array_equal(shown, details.span_convolved)
    joined = stop_tensors(trace, Stop(1, "concat"), 0, 2, details, None)
    assert words.formulas(joined)[0].endswith("g_i]")
    assert words.shapes(joined).endswith(f"[{trace.n_tokens}, 32]")
    assert "span_convolved" not in [stop.stage for stop in all_stops(Architecture(3))]
