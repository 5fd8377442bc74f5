"""T5's config.json and weights: its feed-forward part, its table of tokens, what is refused or left out."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from bertviz_app import api
from bertviz_app.checkpoint.families.distant import LONGEST, MT5, T5
from bertviz_app.errors import CheckpointError
from tests.support import sentence_piece_models as sentence_pieces
from tests.support.checkpoint_folders import change_config, change_weights, opened
from tests.support.families import write_family

SIZES = {"n_layers": 2, "n_heads": 4, "width": 32}


def _fields(**settings: object) -> dict[str, object]:
    assert T5.fields is not None
    return T5.fields(settings, SIZES)


@pytest.mark.parametrize(
    ("name", "activation", "is_gated"),
    [
        ("relu", "relu", False),
        ("gated-gelu", "gelu_new", True),
        ("gated-silu", "silu", True),
        ("gelu", "gelu", False),
    ],
)
def test_the_feed_forward_part_has_its_activation_and_its_gate(
    name: str, activation: str, is_gated: bool
) -> None:
    found = _fields(feed_forward_proj=name)
    assert found["activation"] == activation
    assert getattr(found["form"], "is_gated", None) is is_gated


def test_without_a_name_t5_has_a_relu_and_mt5_a_gate() -> None:
    assert MT5.fields is not None
    assert _fields()["activation"] == "relu"
    assert MT5.fields({}, SIZES)["activation"] == "gelu_new"
    assert _fields()["n_positions"] == LONGEST
    assert _fields(n_positions=512)["n_positions"] == 512


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"feed_forward_proj": "gated-"}, "feed_forward_proj"),
        ({"feed_forward_proj": "other-gelu"}, "feed_forward_proj"),
        ({"feed_forward_proj": 7}, "feed_forward_proj"),
        ({"d_kv": 0}, "d_kv"),
        ({"d_kv": "64"}, "d_kv"),
        ({"relative_attention_num_buckets": 3}, "relative_attention_num_buckets"),
        ({"relative_attention_max_distance": 8}, "relative_attention_max_distance"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(settings: dict[str, object], message: str) -> None:
    with pytest.raises(CheckpointError, match=message) as caught:
        _fields(**settings)
    assert caught.value.hint


def test_a_decoder_is_refused(tmp_path: Path) -> None:
    write_family(tmp_path, "t5")
    change_config(tmp_path, is_decoder=True)
    with pytest.raises(CheckpointError, match="is_decoder"):
        opened(tmp_path)


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


def test_a_classifier_of_tokens_reads_the_encoder(tmp_path: Path) -> None:
    theirs = write_family(tmp_path, "t5", "T5ForTokenClassification", num_labels=5)
    model = api.open_model(str(tmp_path), "cpu")
    trace = model.trace("The cat ate the fish")
    with torch.inference_mode():
        expected = theirs(torch.tensor(trace.tokens.ids[None].astype("int64"))).logits[0]
    found = model.logits(trace).token_labels
    assert found is not None
    assert abs(found - expected.numpy()).max() < 1e-5


def test_a_text_ends_in_its_token_and_begins_with_none(tmp_path: Path) -> None:
    write_family(tmp_path, "t5")
    model = api.open_model(str(tmp_path), "cpu")
    trace = model.trace("The cat ate", "the fish")
    special = [
        piece
        for piece, is_special in zip(trace.tokens.pieces, trace.tokens.is_special, strict=True)
        if is_special
    ]
    assert special == ["</s>", "</s>"]
    assert trace.tokens.pieces[-1] == "</s>"
    assert trace.scale == 1.0
    rows = trace.attention(1, 2, slice(0, 3))
    assert rows.sum(-1) == pytest.approx(1.0, abs=1e-5)


def test_a_sentence_piece_model_of_another_kind_begins_with_no_piece(tmp_path: Path) -> None:
    write_family(tmp_path, "t5", vocab_size=400)
    (tmp_path / "tokenizer.json").unlink()
    kind = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": 3}
    (tmp_path / "spiece.model").write_bytes(sentence_pieces.trained("bpe", kind))
    tokens = opened(tmp_path).tokens("the cat ate", "the fish")
    assert tokens.ids[0] > 3
    assert [
        number for number, is_special in zip(tokens.ids, tokens.is_special, strict=True) if is_special
    ] == [
        1,
        1,
    ]
