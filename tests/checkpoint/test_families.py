"""What families add to BERT: which settings are read, and which are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from bertviz_app import Model, api, open_model
from bertviz_app.checkpoint.families.registry import MT5, T5
from bertviz_app.checkpoint.families.roberta import esm_fields, xmod_fields
from bertviz_app.checkpoint.families.rotary import (
    GTE,
    eurobert_fields,
    layer_kinds,
    modern_heads,
    neobert_fields,
)
from bertviz_app.checkpoint.loader import Checkpoint
from bertviz_app.encoder.config import TaskHeadsConfig
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import CheckpointError
from bertviz_app.trace.form import Form
from bertviz_app.viewmodels.stages import stops as words
from bertviz_app.viewmodels.stages.stage import Architecture
from bertviz_app.viewmodels.stages.stops import Stop, all_stops, stop_tensors
from tests.support import tokenizer_files as sentence_pieces
from tests.support.checkpoint_folders import assert_refused, change_config, change_weights, each, opened
from tests.support.families import write_family

PUBLISHED = {
    "global_attn_every_n_layers": 3,
    "global_rope_theta": 160000.0,
    "local_attention": 128,
    "local_rope_theta": 10000.0,
}


def test_the_published_configuration() -> None:
    assert layer_kinds(PUBLISHED, 5) == {
        "rotary_bases": (160000.0, 10000.0, 10000.0, 160000.0, 10000.0),
        "reaches": (None, 64, 64, None, 64),
    }
    assert layer_kinds({}, 5) == layer_kinds(PUBLISHED, 5)


def test_the_words_of_newer_files() -> None:
    settings = {
        "layer_types": ["sliding_attention", "full_attention"],
        "rope_parameters": {
            "full_attention": {"rope_type": "default", "rope_theta": 50},
            "sliding_attention": {"rope_theta": 7.5},
        },
        "local_attention": 9,
        "global_rope_theta": 1000.0,
    }
    assert layer_kinds(settings, 2) == {"rotary_bases": (7.5, 50.0), "reaches": (4, None)}


def test_what_is_no_configuration_of_rotations_is_refused() -> None:
    every, sliding = "full_attention", "sliding_attention"
    assert_refused(
        lambda settings: layer_kinds(settings, 2),
        *each(global_attn_every_n_layers=(0, True), local_attention=(-4, 1.5), global_rope_theta=("x",)),
        *each(local_rope_theta=(0, float("nan")), rope_scaling=({"type": "yarn"},)),
        ({"layer_types": [every]}, "list of 2"),
        ({"layer_types": every}, "list of 2"),
        ({"layer_types": [every, "round_attention"]}, "round_attention"),
        ({"layer_types": [every, {}]}, "not known"),
        ({"rope_parameters": {every: {"rope_type": "yarn"}}}, "yarn"),
        ({"rope_parameters": {every: {"rope_type": ["a"]}}}, "rotations of the type"),
        ({"rope_parameters": {sliding: {"rope_theta": None}}}, "config.json, rope_theta"),
    )


SIZES = {"n_layers": 2}
ESM_2 = {
    "position_embedding_type": "rotary",
    "token_dropout": True,
    "mask_token_id": 32,
    "pad_token_id": 1,
    "emb_layer_norm_before": False,
}


def test_the_published_configuration_of_esm_2() -> None:
    assert esm_fields(ESM_2, SIZES) == {
        "form": Form(is_pre_norm=True, has_final_norm=True, has_embedding_norm=False),
        "zeroed_id": 32,
        "rotary_bases": (10_000.0, 10_000.0),
        "reaches": (None, None),
        "has_position_table": False,
    }


def test_the_published_configuration_of_esm_1b() -> None:
    of_1b = ESM_2 | {"position_embedding_type": "absolute", "emb_layer_norm_before": True}
    found = esm_fields(of_1b, SIZES)
    assert found["first_position"] == 2
    assert found["form"] == Form(is_pre_norm=True, has_final_norm=True)
    without = esm_fields(of_1b | {"token_dropout": False, "mask_token_id": None}, SIZES)
    assert without["zeroed_id"] is None


def test_what_makes_no_sense_of_esm_is_refused_by_name() -> None:
    assert_refused(
        lambda settings: esm_fields(ESM_2 | settings, SIZES),
        *each(position_embedding_type=("relative_key", 1), token_dropout=("yes",), rope_theta=(1, "10000")),
        *each(emb_layer_norm_before=(1,), mask_token_id=(None, -1)),
        ({"position_embedding_type": "absolute", "pad_token_id": None}, "pad_token_id"),
    )


EUROBERT = {"n_layers": 2, "n_heads": 18, "width": 2304}


def test_the_published_configuration_of_the_large_one() -> None:
    found = eurobert_fields({"num_key_value_heads": 6, "head_dim": 128, "rope_theta": 250_000}, EUROBERT)
    assert found["n_key_heads"] == 6
    assert found["own_head_width"] is None
    assert found["rotary_bases"] == (250_000.0, 250_000.0)


def test_what_is_not_computed_of_eurobert_is_refused_by_name() -> None:
    assert_refused(
        lambda settings: eurobert_fields(settings, EUROBERT),
        *each(num_key_value_heads=(4, 0), rope_theta=(1,)),
        ({"rope_scaling": {"type": "linear", "factor": 2.0}}, "linear"),
        ({"rope_parameters": {"rope_type": "llama3", "rope_theta": 5e5}}, "llama3"),
    )


_GTE = {"n_layers": 2, "n_heads": 3, "width": 12}


def test_rotations_of_gte_are_scaled_by_its_formula() -> None:
    fields = GTE.fields
    assert fields is not None
    plain = {"rotary_bases": (160_000.0,) * 2, "reaches": (None, None), "n_segments": 1}
    assert fields({}, _GTE) == plain
    both = {"rope_theta": 500, "rope_parameters": {"rope_type": "default", "rope_theta": 70}}
    assert fields(both, _GTE) == plain | {"rotary_bases": (70.0,) * 2}
    scaled = {"rope_theta": 500, "type_vocab_size": 0, "rope_scaling": {"type": "ntk", "factor": 8}}
    expected = plain | {"rotary_bases": (4000.0,) * 2, "rotary_factor": 8 ** (-2 / 4), "n_segments": 0}
    assert fields(scaled, _GTE) == expected
    assert_refused(
        lambda settings: fields(settings, _GTE),
        ({"rope_scaling": {"type": "ntk", "factor": 8, "mixed_b": 1}}, "ntk, mixed_b"),
        ({"rope_scaling": {"type": "yarn", "factor": 8}}, "“yarn”"),
        *(({"rope_scaling": {"type": "ntk", "factor": each}}, "factor") for each in (0.5, True, "8", 1e4)),
    )


def test_neobert_has_two_thirds_of_the_stated_width_in_its_gated_parts() -> None:
    sizes = {"n_layers": 2, "n_heads": 3, "width": 12, "feed_forward_width": 3072}
    assert neobert_fields({"dim_head": 4}, sizes)["feed_forward_width"] == 2048
    found = neobert_fields({"hidden_act": "SwiGLU"}, sizes | {"feed_forward_width": 14})
    assert found["feed_forward_width"] == 16  # rounded up
    assert_refused(
        lambda settings: neobert_fields(settings, sizes),
        ({"dim_head": 5}, "dim_head"),
        *(({"hidden_act": each}, "hidden_act") for each in ("gelu", 3)),
    )


def test_heads_that_share_keys_have_the_same_ones_in_a_trace(tmp_path: Path) -> None:
    write_family(tmp_path, "eurobert")
    checkpoint = opened(tmp_path)
    trace = record(checkpoint.encoder, checkpoint.tokens("the cat ate"), "small")
    for shared in (trace.keys, trace.values):
        assert shared.shape == trace.queries.shape
        np.testing.assert_array_equal(shared[:, 0], shared[:, 1])
        assert not np.array_equal(shared[:, 1], shared[:, 2])
    assert not np.array_equal(trace.queries[:, 0], trace.queries[:, 1])


TABLE = "encoder.embed_positions.weight"


def _sines(n_positions: int, width: int) -> torch.Tensor:
    exponents = torch.arange(0, width, 2, dtype=torch.float64) / width
    angles = torch.arange(n_positions)[:, None] / 10_000.0**exponents
    return torch.cat((angles.sin(), angles.cos()), dim=1).float()


def test_the_usual_rotations_are_computed(tmp_path: Path) -> None:
    write_family(tmp_path, "roformer")
    config = opened(tmp_path).encoder.config
    usual = _sines(64, config.head_width)
    change_weights(tmp_path, lambda tensors: tensors | {TABLE: usual})
    assert not opened(tmp_path).report.unexpected
    change_weights(tmp_path, lambda tensors: tensors | {TABLE: usual.half()})
    assert not opened(tmp_path).report.unexpected


@pytest.mark.parametrize("other", [lambda table: table * 0.9, lambda table: table[:, :-1], torch.Tensor.long])
def test_rotations_of_another_kind_are_refused(
    tmp_path: Path, other: Callable[[torch.Tensor], torch.Tensor]
) -> None:
    write_family(tmp_path, "roformer")
    usual = _sines(64, opened(tmp_path).encoder.config.head_width)
    change_weights(tmp_path, lambda tensors: tensors | {TABLE: other(usual).contiguous()})
    with pytest.raises(CheckpointError, match=r"embed_positions\.weight are not those of base 10000"):
        opened(tmp_path)


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


def test_another_part_of_the_attention_is_refused(tmp_path: Path) -> None:
    write_family(tmp_path, "luke")
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    save_file(tensors | {"encoder.layer.0.attention.self.e3e_query.weight": torch.ones(32, 32)}, path)
    with pytest.raises(CheckpointError, match="e3e_query"):
        opened(tmp_path)


def test_the_published_heads() -> None:
    published = TaskHeadsConfig(
        masked_activation="gelu",
        classifier_activation="gelu",
        has_dense_bias=False,
        has_norm_bias=False,
        has_decoder_bias=True,
        norms_classes=True,
        transforms_tokens=True,
    )
    given = {
        "classifier_activation": "gelu",
        "classifier_bias": False,
        "classifier_pooling": "cls",
        "decoder_bias": True,
        "norm_bias": False,
    }
    assert modern_heads({}) == published
    assert modern_heads(given) == published
    assert modern_heads({"classifier_pooling": "mean"}).averages_tokens


def test_heads_that_are_not_computed_are_refused_by_name() -> None:
    bad = each(norm_bias=(1,), classifier_bias=("no",), decoder_bias=(None,), classifier_pooling=("max", []))
    assert_refused(modern_heads, *bad, *each(classifier_activation=(3, "a\nb")))


def test_a_head_that_names_tokens_is_not_the_one_for_masked_tokens(tmp_path: Path) -> None:
    """Without a bias of its decoder that head has no parameter that the other lacks."""
    write_family(tmp_path, "modernbert", "AutoModelForTokenClassification", decoder_bias=False)
    checkpoint = opened(tmp_path)
    assert checkpoint.facts.task_heads == ("token_labels",)
    change_config(tmp_path, architectures=["ModernBertForMultipleChoice"])
    checkpoint = opened(tmp_path)
    assert checkpoint.facts.task_heads == ()
    assert "head.dense.weight" in checkpoint.report.task_heads
    change_config(tmp_path, architectures=["ModernBertForMaskedLM"])
    assert opened(tmp_path).facts.task_heads == ("masked",)


def test_a_layer_in_groups_is_a_whole_matrix(tmp_path: Path) -> None:
    theirs = write_family(tmp_path, "squeezebert")
    model = open_model(str(tmp_path), "cpu")
    assert any("zeros between the groups" in remark for remark in model.facts.remarks)
    ours, name = opened(tmp_path).encoder.state_dict(), "encoder.layers.1.output.conv1d.weight"
    weight = ours["layers.1.feed_forward.contract.weight"].numpy()  # [32, 64]
    of_groups = theirs.state_dict()[name][..., 0].numpy()  # [32, 16]
    for group in range(4):
        rows, columns = slice(8 * group, 8 * group + 8), slice(16 * group, 16 * group + 16)
        assert np.array_equal(weight[rows, columns], of_groups[rows])
        assert not np.delete(weight[rows], np.r_[columns], axis=1).any()


def test_what_makes_no_sense_of_squeezebert_is_refused(tmp_path: Path) -> None:
    write_family(tmp_path, "squeezebert")
    sound = json.loads((tmp_path / "config.json").read_text("utf-8"))

    def read(settings: dict[str, Any]) -> Checkpoint:
        change_config(tmp_path, **(sound | settings))
        return opened(tmp_path)

    values = (0, 3, 65, "4", True)
    wrong = each(q_groups=values, output_groups=values, embedding_size=(16,), layer_norm_eps=(1e-5,))
    assert_refused(read, *wrong, ({"v_groups": 2}, r"attention\.value\.weight is \[32, 8\].*\[32, 16\]"))


def test_weights_of_half_precision_are_read(tmp_path: Path) -> None:
    """The whole matrices are larger than such a file, which is no sign of damage."""
    write_family(tmp_path, "squeezebert")
    path = tmp_path / "model.safetensors"
    save_file({name: tensor.half() for name, tensor in load_file(path).items()}, path)
    assert opened(tmp_path).report.missing == ()


T5_SIZES = {"n_layers": 2, "n_heads": 4, "width": 32}


def _fields(**settings: object) -> dict[str, object]:
    assert T5.fields is not None
    return T5.fields(settings, T5_SIZES)


def test_without_a_name_t5_has_a_relu_and_mt5_a_gate() -> None:
    assert MT5.fields is not None
    assert _fields()["activation"] == "relu"
    assert MT5.fields({}, T5_SIZES)["activation"] == "gelu_new"
    assert _fields()["n_positions"] == 100_000
    assert _fields(n_positions=512)["n_positions"] == 512


def test_what_makes_no_sense_of_t5_is_refused_by_name() -> None:
    assert_refused(
        lambda settings: _fields(**settings),
        *each(feed_forward_proj=("gated-", "other-gelu", 7), d_kv=(0, "64")),
        *each(relative_attention_num_buckets=(3,), relative_attention_max_distance=(8,)),
    )


@pytest.mark.parametrize("name", ["encoder.embed_tokens.weight", "shared.weight"])
def test_the_table_of_tokens_is_read_under_either_name(name: str, tmp_path: Path) -> None:
    write_family(tmp_path, "t5")
    before = opened(tmp_path).encoder.state_dict()

    def only(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        table = tensors.pop("shared.weight")
        return tensors | {name: table}

    change_weights(tmp_path, only)
    assert torch.equal(
        opened(tmp_path).encoder.state_dict()["embeddings.token.weight"], before["embeddings.token.weight"]
    )


def test_two_tables_of_tokens_must_be_the_same(tmp_path: Path) -> None:
    write_family(tmp_path, "t5")
    change_weights(
        tmp_path,
        lambda tensors: tensors | {"encoder.embed_tokens.weight": tensors["shared.weight"].clone()},
    )
    assert opened(tmp_path).report.unexpected == ()
    change_weights(
        tmp_path, lambda tensors: tensors | {"encoder.embed_tokens.weight": tensors["shared.weight"] + 1}
    )
    with pytest.raises(CheckpointError, match=r"stand for one parameter, embeddings\.token\.weight"):
        opened(tmp_path)


@pytest.mark.parametrize("kind", ["T5ForSequenceClassification", "T5ForQuestionAnswering"])
def test_heads_that_read_the_decoder_are_not_read(kind: str, tmp_path: Path) -> None:
    write_family(tmp_path, "t5", kind, num_labels=3)
    model = api.open_model(str(tmp_path), "cpu")
    assert model.facts.task_heads == ()
    assert any("its encoder alone" in remark for remark in model.facts.remarks)
    assert any("Task heads that are not used" in remark for remark in model.facts.remarks)


def test_a_sentence_piece_model_of_another_kind_begins_with_no_piece(tmp_path: Path) -> None:
    write_family(tmp_path, "t5", vocab_size=400)
    (tmp_path / "tokenizer.json").unlink()
    kind = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": 3}
    (tmp_path / "spiece.model").write_bytes(sentence_pieces.trained("bpe", kind))
    tokens = opened(tmp_path).tokens("the cat ate", "the fish")
    assert tokens.ids[0] > 3
    assert tokens.ids[tokens.is_special].tolist() == [1, 1]


XMOD_TEXT = "the cat ate the fish because it was hungry"
LANGUAGES = ["en_XX", "ko_KR", "ko"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("xmod")
    write_family(folder, "xmod")
    return open_model(str(folder), "cpu")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_its_own_numbers(language: str, tmp_path: Path) -> None:
    theirs = write_family(tmp_path, "xmod", default_language="en_XX")
    change_config(tmp_path, default_language=language)
    model = open_model(str(tmp_path), "cpu")
    assert any(f"adapters of {language}, of 3 languages" in remark for remark in model.facts.remarks)
    trace = model.trace(XMOD_TEXT)
    ids = torch.from_numpy(trace.tokens.ids.astype(np.int64))[None]
    with torch.inference_mode():
        expected = theirs(ids, lang_ids=torch.tensor([LANGUAGES.index(language)])).last_hidden_state[0]
    assert np.abs(trace.hidden[-1] - expected.numpy()).max() < 1e-5
    report = opened(tmp_path).report
    assert (report.unexpected, report.not_computed) == ((), ())


def test_a_language_that_is_left_open_is_refused_with_the_list(tmp_path: Path) -> None:
    write_family(tmp_path, "xmod")
    change_config(tmp_path, default_language=None)
    with pytest.raises(CheckpointError, match="3 languages") as caught:
        opened(tmp_path)
    assert "default_language" in caught.value.hint
    assert all(language in caught.value.hint for language in LANGUAGES)
    change_config(tmp_path, default_language="fr_XX")
    with pytest.raises(CheckpointError, match="fr_XX"):
        opened(tmp_path)
    change_config(tmp_path, default_language=caught.value.hint.split(": ")[1].split(", ")[1])
    assert opened(tmp_path).facts.family == "X-MOD"


def test_the_only_language_need_not_be_named(tmp_path: Path) -> None:
    write_family(tmp_path, "xmod", languages=["ko_KR"], default_language="ko_KR")
    change_config(tmp_path, default_language=None)
    assert "ko_KR" in " ".join(opened(tmp_path).facts.remarks)


def test_what_makes_no_sense_of_xmod_is_refused(tmp_path: Path) -> None:
    assert_refused(
        lambda settings: xmod_fields(settings, {"width": 32}),
        *each(adapter_reduction_factor=(0, True, 33), adapter_layer_norm=(1,), ln_before_adapter=(None,)),
        *each(adapter_reuse_layer_norm=("yes",), pre_norm=(0,)),
    )
    write_family(tmp_path, "xmod")
    wrong: tuple[object, ...] = ([], "en_XX", 3)
    for languages in wrong:
        change_config(tmp_path, languages=languages)
        with pytest.raises(CheckpointError, match="languages"):
            opened(tmp_path)


FORMS: list[tuple[dict[str, Any], list[str], str]] = [
    ({}, ["adapter_norm", "adapted", "adapter_sum", "output"], "adapter_norm"),
    ({"ln_before_adapter": False}, ["adapter_norm", "adapted", "adapter_sum", "output"], "output_sum"),
    ({"adapter_reuse_layer_norm": False, "pre_norm": True}, ["adapted", "adapter_sum"], "output_sum"),
]


@pytest.mark.parametrize(("sizes", "expected", "added"), FORMS)
def test_steps_have_the_adapter(
    sizes: dict[str, Any], expected: list[str], added: str, tmp_path: Path
) -> None:
    write_family(tmp_path, "xmod", **sizes)
    model = open_model(str(tmp_path), "cpu")
    trace = model.trace(XMOD_TEXT)
    stages = [stop.stage for stop in all_stops(Architecture.of(trace)) if stop.section == 1]
    assert stages[stages.index("output_sum") + 1 :] == expected
    details = model.details(trace, 1)
    assert details.adapted is not None
    assert details.adapter_sum is not None
    total = details.adapted + getattr(details, added)
    np.testing.assert_allclose(details.adapter_sum, total, atol=1e-6)
    assert np.abs(details.output - trace.hidden[2]).max() < 1e-5
    shown = stop_tensors(trace, Stop(1, "adapter_sum"), 0, 2, details, None)
    tensor = shown.tensor()
    assert tensor is not None
    assert np.array_equal(tensor, details.adapter_sum)
    letter = "n''_i" if added == "adapter_norm" else "r'_i"
    assert words.formulas(shown)[0] == f"r''_i = {letter} + d_i"
