"""BERTs that people wrote themselves: the schemes of their names, and their parts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from transformers import BertConfig, BertForPreTraining

from bertviz_app.api import Model, open_model
from bertviz_app.checkpoint.questions import NO_ANSWERS, Answers, AnswersError
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.errors import CheckpointError, TokenizerError
from bertviz_app.features.own_checkpoints.check import OutputCase, check_parts
from bertviz_app.features.own_checkpoints.config import listed_parts
from tests.support.checkpoint_folders import opened
from tests.support.own_berts import (
    ALIKE,
    D2L,
    INNER,
    KNOWN,
    N_HEADS,
    N_LAYERS,
    N_PIECES,
    NAMELESS,
    PARTS,
    PYTORCHIC,
    SETTINGS,
    WIDTH,
    ZOLDA,
    OwnBert,
    saved_output,
)

LIMIT = 1e-5
TEXT, PAIR = "The cat ate the fish", "It was hungry."


def _computed(scheme: OwnBert, tensors: dict[str, Tensor], folder: Path, *pair: str, **given: Any) -> Model:
    """Open a folder with these answers; every hidden state must be that of the formula with these tensors."""
    model = open_model(str(folder), "cpu", **given)
    trace = model.trace(TEXT, *pair)
    ids = torch.from_numpy(trace.tokens.ids.astype(np.int64))
    segments = torch.from_numpy(trace.tokens.segment_ids.astype(np.int64))
    for ours, theirs in zip(trace.hidden, scheme.hidden(tensors, ids, segments), strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), atol=LIMIT)
    return model


@pytest.mark.parametrize("name", KNOWN)
def test_hidden_states_are_those_of_the_formula(name: str, tmp_path: Path) -> None:
    scheme = KNOWN[name]
    tensors = scheme.tensors()
    pair = [PAIR] if "segment" in scheme.names else []
    model = _computed(scheme, tensors, scheme.write(tmp_path, tensors), *pair)
    assert model.tokens(TEXT, *pair).segment_ids.min() == scheme.first_segment


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
    from bertviz_app.features.own_checkpoints.recognise import notebook_of

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
    with pytest.raises(AnswersError, match="score_scale=") as raised:
        open_model(str(folder), "cpu", **answers)  # type: ignore[arg-type]
    assert raised.value.questions.unanswered == ("score_scale",)
    model = _computed(ALIKE, tensors, folder, **answers, score_scale="width")
    assert model.facts.n_heads == N_HEADS
    assert any("the same matrices" in str(remark) for remark in model.facts.remarks)


def test_names_that_say_nothing_are_refused_with_the_form(tmp_path: Path) -> None:
    with pytest.raises(AnswersError, match="no layers of an encoder are recognised") as raised:
        open_model(str(NAMELESS.write(tmp_path)), "cpu")
    assert raised.value.questions.names == ("parts",)
    assert {part.name for part in raised.value.questions.parts} >= {"tower.{layer}.one", "a"}


def test_a_dictionary_of_parts_opens_it_and_is_kept(tmp_path: Path) -> None:
    tensors = NAMELESS.tensors()
    folder = NAMELESS.write(tmp_path, tensors)
    _computed(NAMELESS, tensors, folder, PAIR, **SETTINGS, parts=PARTS)
    saved = json.loads((folder / "bertviz_app.json").read_text("utf-8"))
    assert saved["parts"] == PARTS
    _computed(NAMELESS, tensors, folder, PAIR)


def test_other_parts_make_another_fingerprint(tmp_path: Path) -> None:
    folder = NAMELESS.write(tmp_path)
    found = {
        open_model(str(folder), "cpu", **SETTINGS, parts=parts).facts.fingerprint  # type: ignore[arg-type]
        for parts in (PARTS, {**PARTS, "tower.{layer}.one": "key", "tower.{layer}.two": "query"})
    }
    assert len(found) == 2


def test_a_saved_output_shows_whether_the_parts_are_right(tmp_path: Path) -> None:
    tensors = NAMELESS.tensors()
    folder = NAMELESS.write(tmp_path / "model", tensors)
    saved = saved_output(tmp_path, tensors)
    answers = Answers(**SETTINGS, parts=PARTS, lower_case=None)  # type: ignore[arg-type]
    found = check_parts(find(str(folder)), answers, OutputCase(saved))
    assert found.error is None
    assert found.n_tokens == 5
    assert found.largest is not None
    assert found.largest < 1e-5
    swapped = {**PARTS, "tower.{layer}.one": "value", "tower.{layer}.three": "query"}
    wrong = check_parts(find(str(folder)), answers.over(NO_ANSWERS).over(Answers()), OutputCase(saved))
    assert wrong.largest == found.largest
    other = Answers(**{**SETTINGS, "parts": swapped})  # type: ignore[arg-type]
    largest = check_parts(find(str(folder)), other, OutputCase(saved)).largest
    assert largest is not None
    assert largest > 0.1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"output": torch.zeros(4, WIDTH), "ids": torch.arange(5)}, r"has shape \[4, 32\]"),
        ({"output": torch.zeros(5, WIDTH), "ids": torch.tensor([1, N_PIECES])}, "ids has"),
        (torch.zeros(3), r"holds a tensor of shape \[3\]"),
        ({"ids": ["x"], "output": torch.zeros(1, 8)}, "The ids in .* are no whole numbers"),
        ({"ids": [2, None], "output": torch.zeros(2, 8)}, "The ids in .* are no whole numbers"),
        ({"segment_ids": torch.ones(2) / 2, "output": torch.zeros(2, 8)}, "The segment_ids in .* are no"),
        ({"model": torch.zeros(3)}, "holds no tensor of an output"),
    ],
)
def test_an_output_that_cannot_be_compared_is_explained(content: object, reason: str, tmp_path: Path) -> None:
    folder = NAMELESS.write(tmp_path / "model")
    torch.save(content, tmp_path / "output.pt")
    answers = Answers(**SETTINGS, parts=PARTS)  # type: ignore[arg-type]
    error = check_parts(find(str(folder)), answers, OutputCase(tmp_path / "output.pt")).error
    assert error is not None
    with pytest.raises(type(error), match=reason):
        raise error


def test_a_file_that_is_no_output_is_explained(tmp_path: Path) -> None:
    folder = NAMELESS.write(tmp_path / "model")
    (tmp_path / "output.pt").write_bytes(b"no tensor")
    answers = Answers(**SETTINGS, parts=PARTS)  # type: ignore[arg-type]
    error = check_parts(find(str(folder)), answers, OutputCase(tmp_path / "output.pt")).error
    assert error is not None
    assert "is no tensor that torch.save wrote" in error.message


def test_matrices_may_be_stored_the_other_way_round(tmp_path: Path) -> None:
    """As [in, out] parameters of their own, which a forward multiplies from the right."""
    tensors = NAMELESS.tensors()
    turned = {
        name.removesuffix(".weight")
        if tensor.dim() == 2 and name.startswith("tower")
        else name: tensor.T.contiguous() if tensor.dim() == 2 and name.startswith("tower") else tensor
        for name, tensor in tensors.items()
    }
    folder = NAMELESS.write(tmp_path, turned)
    _computed(NAMELESS, tensors, folder, **{**SETTINGS, "transposed": True}, parts=PARTS)


@pytest.mark.parametrize("by_head", [False, True])
def test_queries_keys_and_values_may_be_fused(by_head: bool, tmp_path: Path) -> None:
    tensors = NAMELESS.tensors()
    fused = {
        name: each
        for name, each in tensors.items()
        if not name.endswith(
            ("one.weight", "two.weight", "three.weight", "one.bias", "two.bias", "three.bias")
        )
    }
    for layer in range(N_LAYERS):
        for kind in ("weight", "bias"):
            parts = [tensors[f"tower.{layer}.{name}.{kind}"] for name in ("one", "two", "three")]
            if by_head:
                heads = [part.reshape(N_HEADS, -1, *part.shape[1:]) for part in parts]
                fused[f"tower.{layer}.all.{kind}"] = torch.stack(heads, 1).flatten(0, 2)
            else:
                fused[f"tower.{layer}.all.{kind}"] = torch.cat(parts)
    parts_given = {name: role for name, role in PARTS.items() if role not in ("query", "key", "value")}
    parts_given["tower.{layer}.all"] = "qkv_by_head" if by_head else "qkv"
    _computed(NAMELESS, tensors, NAMELESS.write(tmp_path, fused), PAIR, **SETTINGS, parts=parts_given)


@pytest.mark.parametrize("stacked", [False, True])
def test_each_head_may_have_a_projection_of_its_own(stacked: bool, tmp_path: Path) -> None:
    tensors = NAMELESS.tensors()
    split = dict(tensors)
    names = {"one": "query", "two": "key", "three": "value"}
    parts = {name: role for name, role in PARTS.items() if role not in names.values()}
    for layer in range(N_LAYERS):
        for name, role in names.items():
            weight, bias = (split.pop(f"tower.{layer}.{name}.{kind}") for kind in ("weight", "bias"))
            pieces = zip(weight.chunk(N_HEADS), bias.chunk(N_HEADS), strict=True)
            if stacked:
                split[f"tower.{layer}.{name}.weight"] = torch.stack(weight.chunk(N_HEADS))
                split[f"tower.{layer}.{name}.bias"] = torch.stack(bias.chunk(N_HEADS))
                parts[f"tower.{{layer}}.{name}"] = role
                continue
            for head, (of_weight, of_bias) in enumerate(pieces):
                split[f"tower.{layer}.heads.{head}.{role}.weight"] = of_weight
                split[f"tower.{layer}.heads.{head}.{role}.bias"] = of_bias
                parts[f"tower.{{layer}}.heads.{{head}}.{role}"] = role
    _computed(NAMELESS, tensors, NAMELESS.write(tmp_path, split), PAIR, **SETTINGS, parts=parts)
    if not stacked:  # their number is in the names
        others = {name: value for name, value in SETTINGS.items() if name != "n_heads"}
        folder = str(NAMELESS.write(tmp_path / "again", split))
        model = open_model(folder, "cpu", **others, parts=parts)  # type: ignore[arg-type]
        assert model.facts.n_heads == N_HEADS


def test_names_and_parts_that_there_are_not_are_refused(tmp_path: Path) -> None:
    folder = str(NAMELESS.write(tmp_path))
    with pytest.raises(CheckpointError, match=r"no tensors called tower\.\{layer\}\.nine"):
        open_model(folder, "cpu", parts={**PARTS, "tower.{layer}.nine": "query"})
    with pytest.raises(CheckpointError, match="“querry”, the part of a, is none that there is"):
        open_model(folder, "cpu", parts={"a": "querry"})
    with pytest.raises(CheckpointError, match="have the same part"):
        open_model(folder, "cpu", parts={**PARTS, "tower.{layer}.two": "query"})


def test_what_is_unused_is_named(tmp_path: Path) -> None:
    tensors = {**NAMELESS.tensors(), "lstm.weight_ih_l0": torch.zeros(4, WIDTH)}
    folder = NAMELESS.write(tmp_path, tensors)
    model = open_model(str(folder), "cpu", **SETTINGS, parts={**PARTS, "lstm.weight_ih_l0": "unused"})  # type: ignore[arg-type]
    assert any("lstm.weight_ih_l0" in remark for remark in model.facts.remarks)
    assert any("No public code is known" in remark for remark in model.facts.remarks)


def test_the_parts_of_a_known_scheme_are_listed(tmp_path: Path) -> None:
    from tests.support.own_berts import ANNOTATED

    folder = ANNOTATED.write(tmp_path)
    found = {part.name: part.role for part in listed_parts(folder / "model.pt", NO_ANSWERS)}
    assert found["encoder.layers.{layer}.self_attn.linears.2"] == "value"
    assert found["encoder.norm"] == "last_norm"


@pytest.mark.parametrize(("scale", "divisor"), [("head", 8), ("width", WIDTH), ("none", 1)])
def test_scores_may_be_divided_by_something_else(scale: str, divisor: int, tmp_path: Path) -> None:
    tensors = NAMELESS.tensors()
    # The same scores, where the usual divisor is the root of 8, are those of queries so much larger.
    turned = {
        name: tensor * (8 / divisor) ** 0.5 if ".one." in name else tensor for name, tensor in tensors.items()
    }
    given = {**SETTINGS, "parts": PARTS, "score_scale": scale}
    model = _computed(NAMELESS, turned, NAMELESS.write(tmp_path, tensors), **given)
    assert model.trace(TEXT).scale == pytest.approx(divisor**-0.5)


def _named(n_segments: int) -> OwnBert:
    """Return a model of no known code, whose names show its parts."""
    layers = {role: f"stack.{{}}.{name}" for role, name in _WORDS.items()}
    tables = {"token": "tok_emb", "position": "pos_emb", "segment": "segment_label"}
    return OwnBert({**layers, **tables}, n_segments=n_segments)


_WORDS = {
    "query": "attn.q_lin",
    "key": "attn.k_lin",
    "value": "attn.v_lin",
    "output": "attn.o_lin",
    "norm1": "ln_1",
    "expand": "mlp.up",
    "contract": "mlp.down",
    "norm2": "ln_2",
}
_ANSWERS = {"n_heads": 4, "norm_eps": 1e-5, "norm_first": False, "activation": "gelu", "scales_tokens": False}


def test_a_row_of_zeros_is_that_of_padding(tmp_path: Path) -> None:
    scheme = _named(3)
    tensors = scheme.tensors()
    tensors["segment_label.weight"][0] = 0
    model = _computed(scheme, tensors, scheme.write(tmp_path, tensors), PAIR, **_ANSWERS)
    assert set(model.tokens(TEXT, PAIR).segment_ids.tolist()) == {1, 2}


def test_of_three_trained_segments_the_first_is_an_open_question(tmp_path: Path) -> None:
    folder = str(_named(3).write(tmp_path))
    with pytest.raises(AnswersError) as raised:
        open_model(folder, "cpu", **_ANSWERS)  # type: ignore[arg-type]
    assert raised.value.questions.unanswered == ("first_segment",)
    model = open_model(folder, "cpu", **_ANSWERS, first_segment=1)  # type: ignore[arg-type]
    assert set(model.tokens("The cat", "ate").segment_ids.tolist()) == {1, 2}


def test_the_own_words_of_a_tensor_decide_not_those_of_what_it_is_in(tmp_path: Path) -> None:
    scheme = replace(_named(2), prefix="sentence_encoder.")
    tensors = scheme.tensors()
    _computed(scheme, tensors, scheme.write(tmp_path, tensors), PAIR, **_ANSWERS)


_FAIRSEQ = OwnBert(
    {
        "token": "embed_tokens",
        "position": "embed_positions",
        "key": "layers.{}.self_attn.k_proj",
        "value": "layers.{}.self_attn.v_proj",
        "query": "layers.{}.self_attn.q_proj",
        "output": "layers.{}.self_attn.out_proj",
        "norm1": "layers.{}.self_attn_layer_norm",
        "expand": "layers.{}.fc1",
        "contract": "layers.{}.fc2",
        "norm2": "layers.{}.final_layer_norm",
        "embedding_norm": "emb_layer_norm",
    },
    prefix="decoder.sentence_encoder.",
)
"""The names of fairseq's RoBERTa: positions begin after the id of padding, whose row is never trained."""
_OF_FAIRSEQ = {name: value for name, value in _ANSWERS.items() if name != "scales_tokens"}
_POSITIONS = "decoder.sentence_encoder.embed_positions.weight"


def _fairseq(n_rows: int, *, has_padding: bool) -> dict[str, Tensor]:
    tensors = _FAIRSEQ.tensors()
    tensors[_POSITIONS] = 0.2 * torch.randn(n_rows, WIDTH, generator=torch.Generator().manual_seed(5))
    if has_padding:
        tensors[_POSITIONS][1] = 0
    return tensors


def _assert_begins(folder: Path, tensors: dict[str, Tensor], first: int, **answers: object) -> None:
    shifted = {**tensors, _POSITIONS: tensors[_POSITIONS][first:]}
    _computed(_FAIRSEQ, shifted, folder, **_OF_FAIRSEQ | answers)


def test_positions_of_fairseq_begin_after_the_row_of_padding(tmp_path: Path) -> None:
    tensors = _fairseq(66, has_padding=True)
    folder = _FAIRSEQ.write(tmp_path, tensors, max_position_embeddings=66)
    _assert_begins(folder, tensors, 2)
    remarks = open_model(str(folder), "cpu").facts.remarks
    assert any("Row 1 of its position embeddings is all zeros" in remark for remark in remarks)
    _assert_begins(folder, tensors, 0, first_position=0)


def test_where_positions_begin_is_asked_of_a_table_with_rows_more(tmp_path: Path) -> None:
    tensors = _fairseq(66, has_padding=False)
    folder = _FAIRSEQ.write(tmp_path, tensors)
    with pytest.raises(AnswersError, match="first_position=") as raised:
        open_model(str(folder), "cpu", **_OF_FAIRSEQ)  # type: ignore[arg-type]
    assert raised.value.questions.unanswered == ("first_position",)
    _assert_begins(folder, tensors, 2, first_position=2)
    tensors = _fairseq(64, has_padding=False)  # without more rows it can be answered, and must not be
    folder = _FAIRSEQ.write(tmp_path / "64", tensors)
    _assert_begins(folder, tensors, 0)
    _assert_begins(folder, tensors, 1, first_position=1)


def test_only_bare_matrices_are_turned(tmp_path: Path) -> None:
    """Their biases show it; those of nn.Linear beside them are as ever."""
    scheme = _named(2)
    tensors = scheme.tensors()
    turned = dict(tensors)
    for layer in range(N_LAYERS):
        for part in ("up", "down"):
            name = f"stack.{layer}.mlp.{part}"
            turned[f"{name}_weight"] = turned.pop(f"{name}.weight").T.contiguous()
            turned[f"{name}_bias"] = turned.pop(f"{name}.bias")
    _computed(scheme, tensors, scheme.write(tmp_path, turned), **_ANSWERS)
