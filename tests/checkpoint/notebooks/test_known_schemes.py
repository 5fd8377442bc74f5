"""Public BERTs that students copy: opened with the right numbers, or refused with the true reason."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor
from transformers import BertConfig, BertForPreTraining

from bertviz_app.api import open_model
from bertviz_app.checkpoint.questions import AnswersError
from bertviz_app.errors import CheckpointError, TokenizerError
from tests.support.checkpoint_folders import opened
from tests.support.own_berts import (
    ALIKE,
    D2L,
    INNER,
    KNOWN,
    N_HEADS,
    N_LAYERS,
    N_PIECES,
    PYTORCHIC,
    WIDTH,
    ZOLDA,
    OwnBert,
)

LIMIT = 1e-5
TEXT, PAIR = "The cat ate the fish", "It was hungry."


@pytest.mark.parametrize("name", KNOWN)
def test_hidden_states_are_those_of_the_formula(name: str, tmp_path: Path) -> None:
    scheme = KNOWN[name]
    tensors = scheme.tensors()
    model = open_model(str(scheme.write(tmp_path, tensors)), "cpu")
    pair = PAIR if "segment" in scheme.names else None
    trace = model.trace(TEXT, pair)
    ids = torch.from_numpy(trace.tokens.ids.astype(np.int64))
    segments = torch.from_numpy(trace.tokens.segment_ids.astype(np.int64))
    assert int(segments.min()) == scheme.first_segment
    expected = scheme.hidden(tensors, ids, segments)
    for ours, theirs in zip(trace.hidden, expected, strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), atol=LIMIT)


@pytest.mark.parametrize("name", KNOWN)
def test_nothing_is_asked_but_what_config_json_may_say(name: str, tmp_path: Path) -> None:
    questions = opened(KNOWN[name].write(tmp_path)).facts.questions
    assert questions is not None
    assert questions.unanswered == ()


def test_pytorchic_bert_is_berts_arithmetic(tmp_path: Path) -> None:
    tensors = PYTORCHIC.tensors()
    model = open_model(str(PYTORCHIC.write(tmp_path, tensors)), "cpu")
    peer = _bert_of(tensors)
    trace = model.trace(TEXT, PAIR)
    ids, segments = (
        torch.from_numpy(each.astype(np.int64))[None] for each in (trace.tokens.ids, trace.tokens.segment_ids)
    )
    with torch.inference_mode():
        theirs = peer(input_ids=ids, token_type_ids=segments, output_hidden_states=True)
        pooled = peer.bert(input_ids=ids, token_type_ids=segments).pooler_output
    np.testing.assert_allclose(trace.hidden[-1], theirs.hidden_states[-1][0], atol=LIMIT)
    assert trace.pooled is not None
    np.testing.assert_allclose(trace.pooled, pooled[0], atol=LIMIT)
    logits = model.logits(trace)
    assert logits.masked is not None
    assert logits.next_sentence is not None
    np.testing.assert_allclose(logits.masked, theirs.prediction_logits[0], atol=LIMIT)
    # Its label 1 means “it follows”; transformers' first output does.
    np.testing.assert_allclose(logits.next_sentence, theirs.seq_relationship_logits[0].flip(-1), atol=LIMIT)


def _bert_of(tensors: dict[str, Tensor]) -> BertForPreTraining:
    config = BertConfig(
        vocab_size=N_PIECES,
        hidden_size=WIDTH,
        num_hidden_layers=N_LAYERS,
        num_attention_heads=N_HEADS,
        intermediate_size=INNER,
        max_position_embeddings=64,
        layer_norm_eps=1e-12,
    )
    names = {
        "transformer.embed.tok_embed": "bert.embeddings.word_embeddings",
        "transformer.embed.pos_embed": "bert.embeddings.position_embeddings",
        "transformer.embed.seg_embed": "bert.embeddings.token_type_embeddings",
        "transformer.embed.norm": "bert.embeddings.LayerNorm",
        "transformer.blocks.": "bert.encoder.layer.",
        ".attn.proj_q": ".attention.self.query",
        ".attn.proj_k": ".attention.self.key",
        ".attn.proj_v": ".attention.self.value",
        ".proj.": ".attention.output.dense.",
        ".norm1": ".attention.output.LayerNorm",
        ".pwff.fc1": ".intermediate.dense",
        ".pwff.fc2": ".output.dense",
        ".norm2": ".output.LayerNorm",
        "gamma": "weight",
        "beta": "bias",
    }
    tops = {"fc": "bert.pooler.dense", "linear": "cls.predictions.transform.dense"}
    tops |= {"norm": "cls.predictions.transform.LayerNorm", "classifier": "cls.seq_relationship"}
    renamed = {}
    for name, tensor in tensors.items():
        top, _, rest = name.partition(".")
        theirs = f"{tops[top]}.{rest}" if top in tops else name
        for ours, other in names.items():
            theirs = theirs.replace(ours, other)
        renamed[theirs.replace("decoder_bias", "cls.predictions.bias")] = tensor
    peer = BertForPreTraining(config).eval()
    missing = set(peer.state_dict()) - {
        *renamed,
        "cls.predictions.decoder.weight",
        "cls.predictions.decoder.bias",
    }
    assert {name for name in missing if "position_ids" not in name} == set()
    peer.load_state_dict(renamed, strict=False)
    return peer


def test_the_heads_of_d2l_use_relu(tmp_path: Path) -> None:
    tensors = D2L.tensors()
    model = open_model(str(D2L.write(tmp_path, tensors)), "cpu")
    trace = model.trace(TEXT, PAIR)
    last = torch.from_numpy(trace.hidden[-1].copy())

    def dense(x: Tensor, name: str) -> Tensor:
        return x @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]

    x = torch.relu(dense(last, "mlm.mlp.0"))
    centred = x - x.mean(-1, keepdim=True)
    normed = centred / (centred.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt()
    normed = normed * tensors["mlm.mlp.2.weight"] + tensors["mlm.mlp.2.bias"]
    pooled = dense(last[0], "hidden.0").tanh()
    logits = model.logits(trace)
    assert logits.masked is not None
    assert logits.next_sentence is not None
    np.testing.assert_allclose(logits.masked, dense(normed, "mlm.mlp.3"), atol=1e-5)
    np.testing.assert_allclose(logits.next_sentence, dense(pooled, "nsp.output").flip(-1), atol=LIMIT)


def _with_list(folder: Path, pieces: list[str]) -> Path:
    """Write D2L's model with a vocab.json that is a list, filled up to the rows of the table."""
    folder = D2L.write(folder)
    (folder / "vocab.txt").unlink()
    listed = [*pieces, *(f"w{number}" for number in range(N_PIECES - len(pieces)))]
    (folder / "vocab.json").write_text(json.dumps(listed), encoding="utf-8")
    return folder


def test_a_vocab_json_that_is_a_list_is_numbered_in_its_order(tmp_path: Path) -> None:
    words = ["<unk>", "<pad>", "<mask>", "<cls>", "<sep>", "the", "cat", "fish.", "ate", "é"]
    model = open_model(str(_with_list(tmp_path, words)), "cpu")
    tokens = model.tokens("The cat É <mask> fish. dog", "ate")
    assert tokens.pieces == ("<cls>", "the", "cat", "é", "<mask>", "fish.", "<unk>", "<sep>", "ate", "<sep>")
    assert tokens.ids.tolist() == [3, 5, 6, 9, 2, 7, 0, 4, 8, 4]
    assert tokens.segment_ids.tolist() == [0] * 8 + [1] * 2
    assert any("is a list" in remark for remark in model.facts.remarks)


def test_a_list_of_word_pieces_is_berts(tmp_path: Path) -> None:
    words = ["[UNK]", "[PAD]", "[MASK]", "[CLS]", "[SEP]", "fish", "##ing", "."]
    model = open_model(str(_with_list(tmp_path, words)), "cpu")
    assert model.tokens("Fishing.").pieces == ("[CLS]", "fish", "##ing", ".", "[SEP]")


def test_a_list_of_other_things_is_refused(tmp_path: Path) -> None:
    folder = _with_list(tmp_path, ["the", "the"])
    with pytest.raises(TokenizerError, match="not of pieces that are all different"):
        opened(folder)


def test_the_token_that_is_added_twice_is_said(tmp_path: Path) -> None:
    remarks = opened(ZOLDA.write(tmp_path)).facts.remarks
    assert any("adds the token embedding twice" in remark for remark in remarks)


def test_numbers_of_positions_are_no_parameters(tmp_path: Path) -> None:
    scheme = KNOWN["dreamgonfly"]
    buffer = {"model.positional_embedding.positions": torch.arange(64)}
    folder = scheme.write(tmp_path, {**scheme.tensors(), **buffer})
    assert opened(folder).facts.n_layers == N_LAYERS


GRAYKODE = OwnBert(
    {
        "query": "layers.{}.enc_self_attn.W_Q",
        "key": "layers.{}.enc_self_attn.W_K",
        "value": "layers.{}.enc_self_attn.W_V",
        "expand": "layers.{}.pos_ffn.fc1",
        "contract": "layers.{}.pos_ffn.fc2",
        "token": "embedding.tok_embed",
        "position": "embedding.pos_embed",
        "segment": "embedding.seg_embed",
        "embedding_norm": "embedding.norm",
    },
    heads={"fc.weight": (WIDTH, WIDTH), "norm.weight": (WIDTH,), "decoder_bias": (N_PIECES,)},
)


def test_projections_made_anew_at_each_pass_are_the_reason(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="makes them anew, at random, at each pass"):
        opened(GRAYKODE.write(tmp_path))


def test_a_copy_that_keeps_its_projection_is_not_refused_for_it() -> None:
    """Forks that moved them into __init__ have names for them, and lack nothing."""
    fixed = {
        "output": "layers.{}.enc_self_attn.linear",
        "norm1": "layers.{}.enc_self_attn.norm",
        "norm2": "layers.{}.pos_ffn.norm",
    }
    from bertviz_app.checkpoint.notebooks.recognise import notebook_of

    notebook = notebook_of(OwnBert({**GRAYKODE.names, **fixed}).tensors())
    assert notebook is not None
    assert notebook.reading.roles["layers.{layer}.enc_self_attn.linear"] == "output"


def test_no_residuals_and_other_scores_are_the_reason(tmp_path: Path) -> None:
    tensors = {"embedding.token_emb.weight": torch.rand(N_PIECES, WIDTH)}
    for head in range(2):
        for part in "qkv":
            tensors[f"encoder.attention.heads.{head}.{part}.weight"] = torch.rand(16, WIDTH)
    tensors["encoder.attention.linear.weight"] = torch.rand(WIDTH, 32)
    tensors["encoder.feed_forward.0.weight"] = torch.rand(16, WIDTH)
    with pytest.raises(CheckpointError, match="no residual sums, and divides its scores"):
        opened(GRAYKODE.write(tmp_path, tensors))


def _masked(mask: Tensor) -> dict[str, Tensor]:
    scheme = OwnBert(
        {
            "query": "bert.encoder.encoder_layers.{}.self_attention_block.w_q!",
            "key": "bert.encoder.encoder_layers.{}.self_attention_block.w_k!",
            "value": "bert.encoder.encoder_layers.{}.self_attention_block.w_v!",
            "output": "bert.encoder.encoder_layers.{}.self_attention_block.w_o!",
            "norm1": "bert.encoder.encoder_layers.{}.residual_connection.0.norm",
            "expand": "bert.encoder.encoder_layers.{}.feed_forward_block.linear_1",
            "contract": "bert.encoder.encoder_layers.{}.feed_forward_block.linear_2",
            "norm2": "bert.encoder.encoder_layers.{}.residual_connection.1.norm",
            "token": "bert.bert_emb.token",
            "segment": "bert.bert_emb.segment",
            "position": "bert.bert_emb.position.pe",
            "last_norm": "bert.encoder.norm",
        },
        weight="alpha",
        bare=("position",),
    )
    masks = {f"bert.encoder.encoder_layers.{layer}.self_attention_block.mask": mask for layer in range(2)}
    return {**scheme.tensors(), **masks}


def test_a_stored_mask_is_named(tmp_path: Path) -> None:
    mask = torch.tril(torch.ones(1, 1, 1, 64, dtype=torch.long))
    with pytest.raises(CheckpointError, match=r"encoder_layers\.0\.self_attention_block\.mask is a mask"):
        opened(GRAYKODE.write(tmp_path, _masked(mask)))


def test_a_mask_that_hides_nothing_is_left_out(tmp_path: Path) -> None:
    folder = GRAYKODE.write(tmp_path, _masked(torch.ones(1, 1, 1, 64, dtype=torch.bool)))
    answers = {"n_heads": 4, "norm_eps": 1e-6, "norm_first": True, "activation": "gelu"}
    answers |= {"scales_tokens": False, "sample_deviation": True, "lone_norm": "last"}
    facts = open_model(str(folder), "cpu", **answers).facts  # type: ignore[arg-type]
    assert any("self_attention_block.mask" in remark for remark in facts.remarks)


def test_one_matrix_for_all_heads_is_used_for_each_and_the_divisor_is_asked(tmp_path: Path) -> None:
    tensors = ALIKE.tensors()
    folder = ALIKE.write(tmp_path, tensors)
    answers = {"norm_eps": 1e-5, "norm_first": False, "scales_tokens": False, "activation": "relu"}
    with pytest.raises(AnswersError, match="--score-scale") as raised:
        open_model(str(folder), "cpu", **answers)  # type: ignore[arg-type]
    assert raised.value.questions.unanswered == ("score_scale",)
    model = open_model(str(folder), "cpu", **answers, score_scale="width")  # type: ignore[arg-type]
    trace = model.trace(TEXT)
    assert model.facts.n_heads == N_HEADS
    ids = torch.from_numpy(trace.tokens.ids.astype(np.int64))
    for ours, theirs in zip(trace.hidden, ALIKE.hidden(tensors, ids, ids * 0), strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), atol=LIMIT)
    assert any("the same matrices" in str(remark) for remark in model.facts.remarks)
