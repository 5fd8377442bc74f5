"""Every family against `transformers`, read from a folder as it was written, with its own tokenizer."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from torch import Tensor

from bertviz_app.checkpoint.loader import Checkpoint
from bertviz_app.encoder.encoder import Encoder, encoder_inputs
from bertviz_app.encoder.recorder import record
from bertviz_app.text import Tokens
from bertviz_app.trace.archive import load_trace, save_trace
from bertviz_app.trace.form import Capture, Point
from tests.support.checkpoint_folders import change_weights, opened
from tests.support.exactness import of_bound, passes
from tests.support.families import FAMILIES, WITH_SEGMENTS, write_family, write_tokenizer
from tests.support.peers import compare, outputs, random_tokens, tensors
from tests.support.plugins import Difference, Note, largest

if TYPE_CHECKING:
    from transformers import PreTrainedModel

# One token, and one more than a whole block of queries; sentences are shorter than a block.
LENGTHS = [1, 129]
TEXTS = [
    ("The cat ate the fish because it was hungry", None),
    ("The cat ate the fish", "It was hungry."),
    ("고양이가 배가 고파서 생선을 먹었다", "Où est le chat ?"),
]
KINDS: dict[str, tuple[str, str, dict[str, Any]]] = {
    **{family: (family, "AutoModel", {}) for family in FAMILIES},
    "roberta of a language model": ("roberta", "AutoModelForMaskedLM", {}),
    "roberta, padding is 0, two segments": (
        "roberta",
        "AutoModel",
        {"pad_token_id": 0, "type_vocab_size": 2},
    ),
    "roberta, eps 1e-5, relu": ("roberta", "AutoModel", {"layer_norm_eps": 1e-5, "hidden_act": "relu"}),
    "distilbert, sinusoidal": (
        "distilbert",
        "AutoModel",
        {"sinusoidal_pos_embds": True, "activation": "relu"},
    ),
    "electra without projection": ("electra", "AutoModel", {"embedding_size": 32}),
    "electra of a generator": ("electra", "AutoModelForMaskedLM", {}),
    "albert, embeddings as wide as layers": ("albert", "AutoModel", {"embedding_size": 32}),
    "mpnet of a language model": ("mpnet", "AutoModelForMaskedLM", {"layer_norm_eps": 1e-5}),
    "modernbert of a language model": ("modernbert", "AutoModelForMaskedLM", {"hidden_activation": "relu"}),
    "modernbert, every second layer global, window 6": (
        "modernbert",
        "AutoModel",
        {"global_attn_every_n_layers": 2, "local_attention": 6, "norm_eps": 1e-6},
    ),
    "modernbert, biased norms": ("modernbert", "AutoModel", {"norm_bias": True}),
    "nomic_bert, gelu, base 10000": (
        "nomic_bert",
        "AutoModel",
        {"hidden_act": "gelu", "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}},
    ),
    "nomic_bert with a pooler": ("nomic_bert", "AutoModelForSequenceClassification", {}),
    "deberta, content to position alone": ("deberta-v2", "AutoModel", {"pos_att_type": ["c2p"]}),
    "deberta, position to content alone": ("deberta-v2", "AutoModel", {"pos_att_type": "p2c"}),
    "deberta, neither": ("deberta-v2", "AutoModel", {"pos_att_type": []}),
    "deberta, own layers of distances, no norm": (
        "deberta-v2",
        "AutoModel",
        {"share_att_key": False, "norm_rel_ebd": "none", "pos_att_type": "c2p|p2c"},
    ),
    "deberta, own layers, position to content": (
        "deberta-v2",
        "AutoModel",
        {"share_att_key": False, "pos_att_type": ["p2c"]},
    ),
    "deberta, no buckets, 40 distances": (
        "deberta-v2",
        "AutoModel",
        {"position_buckets": -1, "max_relative_positions": 40},
    ),
    "deberta, positions and segments embedded": (
        "deberta-v2",
        "AutoModel",
        {"position_biased_input": True, "type_vocab_size": 2},
    ),
    "deberta, buckets up to 700": ("deberta-v2", "AutoModel", {"max_position_embeddings": 700}),
    "deberta-v1, content to position alone": ("deberta", "AutoModel", {"pos_att_type": "c2p"}),
    "deberta-v1, position to content alone": ("deberta", "AutoModel", {"pos_att_type": ["p2c"]}),
    "deberta-v1, neither": ("deberta", "AutoModel", {"pos_att_type": []}),
    "deberta-v1, as far as there are positions": ("deberta", "AutoModel", {"max_relative_positions": -1}),
    "deberta-v1, positions and segments embedded": (
        "deberta",
        "AutoModelForMaskedLM",
        {"position_biased_input": True, "type_vocab_size": 2},
    ),
    "deberta, convolution": ("deberta-v2", "AutoModel", {"conv_kernel_size": 3, "conv_act": "gelu"}),
    "deberta, convolution of 5 in 4 groups": (
        "deberta-v2",
        "AutoModel",
        {"conv_kernel_size": 5, "conv_groups": 4, "num_hidden_layers": 1},
    ),
    "esm, positions and embeddings normed": (
        "esm",
        "AutoModelForMaskedLM",
        {"position_embedding_type": "absolute", "emb_layer_norm_before": True, "pad_token_id": 1},
    ),
    "esm without dropout of tokens": ("esm", "AutoModel", {"token_dropout": False}),
    "big_bird, all tokens": ("big_bird", "AutoModelForMaskedLM", {"attention_type": "original_full"}),
    "big_bird, blocks of 7, scaled": (
        "big_bird",
        "AutoModel",
        {"block_size": 7, "num_random_blocks": 3, "rescale_embeddings": True},
    ),
    "squeezebert, other groups, relu": (
        "squeezebert",
        "AutoModelForMaskedLM",
        {"q_groups": 1, "k_groups": 2, "v_groups": 8, "output_groups": 1, "hidden_act": "relu"},
    ),
    "convbert, as wide embeddings, one head, groups": (
        "convbert",
        "AutoModelForMaskedLM",
        {"embedding_size": 32, "head_ratio": 8, "num_groups": 4, "conv_kernel_size": 1},
    ),
    "convbert, all heads, a kernel of 9": ("convbert", "AutoModel", {"head_ratio": 1, "conv_kernel_size": 9}),
    "xmod, norms before the parts": (
        "xmod",
        "AutoModelForMaskedLM",
        {"pre_norm": True, "adapter_reduction_factor": 4, "ln_before_adapter": False},
    ),
    "xmod, own norms of adapters": ("xmod", "AutoModel", {"adapter_layer_norm": True}),
    "xmod, no norms of adapters": (
        "xmod",
        "AutoModel",
        {"adapter_reuse_layer_norm": False, "pre_norm": True, "default_language": "ko"},
    ),
    "longformer of a language model": ("longformer", "AutoModelForMaskedLM", {"attention_window": 16}),
    "roformer, embeddings as wide as layers": ("roformer", "AutoModelForMaskedLM", {"embedding_size": 32}),
    "albert, 2 groups of 2 layers": (
        "albert",
        "AutoModel",
        {"num_hidden_layers": 3, "num_hidden_groups": 2, "inner_group_num": 2},
    ),
    "mpnet, 40 buckets": ("mpnet", "AutoModel", {"relative_attention_num_buckets": 40}),
    "ernie without tasks": ("ernie", "AutoModel", {"use_task_id": False}),
    "ernie of a language model": ("ernie", "AutoModelForMaskedLM", {}),
    "dpr, context, projected": ("dpr", "DPRContextEncoder", {"projection_dim": 12}),
    "dpr, reader": ("dpr", "DPRReader", {}),
    "megatron-bert of pre-training": ("megatron-bert", "MegatronBertForPreTraining", {}),
    "roberta-prelayernorm of a language model": ("roberta-prelayernorm", "AutoModelForMaskedLM", {}),
    "xlm-roberta-xl of a language model": ("xlm-roberta-xl", "AutoModelForMaskedLM", {}),
    "data2vec-text of a language model": ("data2vec-text", "AutoModelForMaskedLM", {}),
    "mobilebert of pre-training": ("mobilebert", "AutoModelForPreTraining", {}),
    "mobilebert, one narrowed input for all": ("mobilebert", "AutoModel", {"use_bottleneck_attention": True}),
    "mobilebert without bottleneck, one feed-forward part": (
        "mobilebert",
        "AutoModelForMaskedLM",
        {"use_bottleneck": False, "num_feedforward_networks": 1, "hidden_act": "gelu"},
    ),
    "mobilebert without trigrams, 5 feed-forward parts": (
        "mobilebert",
        "AutoModel",
        {"trigram_input": False, "num_feedforward_networks": 5},
    ),
    "mobilebert, tokens as wide as layers": (
        "mobilebert",
        "AutoModel",
        {"trigram_input": False, "embedding_size": 32},
    ),
    "mobilebert, trigrams as wide as layers": ("mobilebert", "AutoModel", {"embedding_size": 32}),
    "t5, gated, whole model": (
        "t5",
        "AutoModelForSeq2SeqLM",
        {"feed_forward_proj": "gated-silu", "relative_attention_num_buckets": 20, "n_positions": 512},
    ),
    "t5, encoder alone": ("t5", "T5EncoderModel", {"relative_attention_max_distance": 40}),
    "eurobert, a key for each query, wider heads": (
        "eurobert",
        "AutoModelForMaskedLM",
        {"num_key_value_heads": 4, "head_dim": 12, "hidden_act": "gelu", "rms_norm_eps": 1e-6},
    ),
    "eurobert, one key for all queries": (
        "eurobert",
        "AutoModel",
        {"num_key_value_heads": 1, "rope_parameters": {"rope_type": "default", "rope_theta": 250000}},
    ),
    "gte without segments": ("gte", "AutoModelForMaskedLM", {"type_vocab_size": 0, "hidden_act": "silu"}),
    "gte with a pooler": ("gte", "AutoModelForSequenceClassification", {"layer_norm_eps": 1e-5}),
    "jina_embeddings_v3, another base": (
        "jina_embeddings_v3",
        "AutoModelForMaskedLM",
        {"rope_parameters": {"rope_type": "default", "rope_theta": 500.0}},
    ),
    "albert of pre-training": ("albert", "AutoModelForPreTraining", {"num_hidden_layers": 5}),
}


@pytest.fixture(scope="module", params=KINDS)
def peers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Checkpoint, PreTrainedModel]:
    """The name of a kind, its checkpoint as we open it, and the encoder of `transformers`."""
    family, made_by, sizes = KINDS[request.param]
    folder = tmp_path_factory.mktemp("family")
    model = write_family(folder, family, made_by, **sizes)
    return request.param, opened(folder), encoder_of(model)


def encoder_of(model: PreTrainedModel) -> PreTrainedModel:
    """Return the encoder within `model`; that of DPR is a BERT."""
    base: PreTrainedModel = model.base_model
    if model.config.model_type in ("t5", "mt5"):
        return base.encoder
    if model.config.model_type != "dpr":
        return base
    return base.encoder.bert_model if hasattr(base, "encoder") else base.bert_model


def has_segments(model: PreTrainedModel) -> bool:
    """Return whether `model` tells the texts of a pair apart."""
    model_type = model.config.model_type
    is_told = model_type in WITH_SEGMENTS or model_type.startswith("deberta")
    return bool(is_told and model.config.type_vocab_size > 1)


def difference(checkpoint: Checkpoint, model: PreTrainedModel, tokens: Tokens) -> Difference:
    """Return how far our trace of `tokens` is from what `model` computes of the same ids."""
    ids, segment_ids, _ = tensors(tokens)
    segments = {"token_type_ids": segment_ids} if has_segments(model) else {}
    theirs, exact = passes(model, lambda: outputs(model, input_ids=ids, **segments))
    return compare(record(checkpoint.encoder, tokens, "ours"), theirs, exact)


def test_numbers(peers: tuple[str, Checkpoint, PreTrainedModel], note: Note, tmp_path: Path) -> None:
    """Judged together: in a pass over one token, the largest error of 32 numbers is a matter of chance.

    What is saved of the longest text has the same scores, whatever its distances, blocks and windows.
    """
    kind, checkpoint, model = peers
    found = []
    first, n_pieces = checkpoint.encoder.config.first_position, checkpoint.encoder.config.vocabulary_size - 5
    for n_tokens, pair in product(LENGTHS, (False, True)):
        tokens = random_tokens(n_tokens, n_pieces, seed=n_tokens, pair=pair)
        # Ids from 5 on: positions do not count padding.
        tokens = replace(tokens, ids=tokens.ids + 5, position_ids=tokens.position_ids + np.int32(first))
        if not has_segments(model):
            tokens = replace(tokens, segment_ids=np.zeros(n_tokens, np.int32))
        found.append(difference(checkpoint, model, tokens))
    apart = reduce(largest, found)
    note(kind, apart)
    assert apart.of_bound <= 1
    trace = record(checkpoint.encoder, tokens, "ours")
    again = load_trace(save_trace(trace, tmp_path / "trace.npz"))
    assert (type(again.bias), again.form) == (type(trace.bias), trace.form)
    np.testing.assert_array_equal(again.scores(), trace.scores())


@pytest.mark.parametrize("n_tokens", [260, 511, 600])
@pytest.mark.parametrize("sizes", [{}, {"position_buckets": -1, "max_relative_positions": 128}])
def test_a_long_text_of_deberta(n_tokens: int, sizes: dict[str, Any], tmp_path: Path, note: Note) -> None:
    model = write_family(tmp_path, "deberta-v2", max_position_embeddings=700, **sizes)
    checkpoint = opened(tmp_path)
    n_pieces = checkpoint.encoder.config.vocabulary_size
    tokens = random_tokens(n_tokens, n_pieces, seed=n_tokens)
    tokens = replace(tokens, ids=np.maximum(tokens.ids, 1))  # 0 is padding
    apart = difference(checkpoint, model, tokens)
    note("deberta-v2, 260 to 600 tokens", apart)
    assert apart.of_bound <= 1


def test_sentences(peers: tuple[str, Checkpoint, PreTrainedModel], note: Note) -> None:
    kind, checkpoint, model = peers
    apart = reduce(largest, [difference(checkpoint, model, checkpoint.tokens(*texts)) for texts in TEXTS])
    note(kind, apart)
    assert apart.of_bound <= 1


@pytest.mark.parametrize("family", FAMILIES)
def test_tokens(family: str, tmp_path: Path) -> None:
    write_family(tmp_path, family)
    theirs, checkpoint = write_tokenizer(tmp_path, family), opened(tmp_path)
    for text, pair in TEXTS:
        expected = theirs(text, pair, return_token_type_ids=True)
        ours = checkpoint.tokens(text, pair)
        assert ours.ids.tolist() == expected["input_ids"]
        assert ours.pieces == tuple(theirs.convert_ids_to_tokens(expected["input_ids"]))
        if family in WITH_SEGMENTS:
            assert ours.segment_ids.tolist() == expected["token_type_ids"]
        else:
            assert not ours.segment_ids.any()


def test_positions_do_not_count_padding(tmp_path: Path, note: Note) -> None:
    model = write_family(tmp_path, "roberta")
    checkpoint = opened(tmp_path)
    tokens = checkpoint.tokens("The <pad> cat <pad> <pad> ate")
    assert tokens.pieces.count("<pad>") == 3
    apart = difference(checkpoint, model, tokens)
    note("roberta", apart)
    assert apart.of_bound <= 1


PADDED: list[tuple[str, str, dict[str, Any]]] = [
    *((family, "AutoModel", {}) for family in FAMILIES),
    ("deberta-v2", "AutoModel", {"conv_kernel_size": 3}),
    ("longformer", "AutoModelForSequenceClassification", {}),
    ("longformer", "AutoModelForQuestionAnswering", {"sep_token_id": 30}),
    ("longformer", "AutoModelForMultipleChoice", {"sep_token_id": 30}),
]
LONG, SHORT = 150, 60
"""More tokens than one block of rows, and padding wider than any window of these models."""


@pytest.mark.parametrize(("family", "made_by", "sizes"), PADDED)
def test_padding_changes_no_input(family: str, made_by: str, sizes: dict[str, Any], tmp_path: Path) -> None:
    write_family(tmp_path, family, made_by, **sizes)
    encoder = opened(tmp_path).encoder
    alone = [tensors(random_tokens(n_tokens, encoder.config.vocabulary_size)) for n_tokens in (LONG, SHORT)]
    together = [torch.cat((long, _padded(short))) for long, short in zip(*alone, strict=True)]
    seen = torch.arange(LONG) < torch.tensor([[LONG], [SHORT]])
    for points in ((), (Point.LSE,), (Point.WEIGHTS,)):
        capture = Capture(points)
        _assert_alike(encoder, alone, together, seen, capture)
        assert {point for point, _ in capture.tensors} == set(points)


def _assert_alike(
    encoder: Encoder, alone: list[list[Tensor]], together: list[Tensor], seen: Tensor, capture: Capture
) -> None:
    with torch.inference_mode():
        batch = encoder(*together, seen=seen, tap=capture)
        for number, ids in enumerate(alone):
            output, n_tokens = encoder(*ids), ids[0].shape[1]
            ours = batch.hidden[number, :n_tokens]
            assert of_bound([ours.numpy()], [output.hidden[0].numpy()]) <= 1
            if output.pooled is not None:
                assert of_bound([batch.pooled[number].numpy()], [output.pooled[0].numpy()]) <= 1
    assert batch.hidden.isfinite().all()
    for (point, _), tensor in capture.tensors.items():
        if point is Point.WEIGHTS:
            assert not tensor[1, :, :SHORT, SHORT:].any()


def _padded(ids: Tensor) -> Tensor:
    """Return `ids` [1, T] with the last of them repeated up to the longer input's length."""
    return torch.cat((ids, ids[:, -1:].expand(-1, LONG - SHORT)), dim=1)


MASK = 4
FREQUENCIES = "encoder.layer.*.attention.self.rotary_embeddings.inv_freq"


def _masked(n_tokens: int, masked: list[int]) -> Tokens:
    tokens = random_tokens(n_tokens, 100, seed=n_tokens)
    ids = tokens.ids + 5
    ids[masked] = MASK
    return replace(tokens, ids=ids)


def _compare(checkpoint: Checkpoint, model: PreTrainedModel, tokens: Tokens, note: Note, kind: str) -> None:
    apart = difference(checkpoint, model, tokens)
    note(kind, apart)
    assert apart.of_bound <= 1


@pytest.mark.parametrize("n_tokens", [3, 37, 200])
@pytest.mark.parametrize("zeroes", [True, False])
def test_masked_tokens(n_tokens: int, zeroes: bool, tmp_path: Path, note: Note) -> None:
    model = write_family(tmp_path, "esm", token_dropout=zeroes)
    checkpoint = opened(tmp_path)
    for masked in ([], [1], list(range(0, n_tokens, 2))):
        _compare(checkpoint, model, _masked(n_tokens, masked), note, "esm, masked tokens")


def test_the_share_is_that_of_each_text_without_its_padding(tmp_path: Path) -> None:
    write_family(tmp_path, "esm")
    encoder = opened(tmp_path).encoder
    texts = [_masked(9, [2, 3]), _masked(5, [1, 4])]  # padding repeats the last token, a mask here
    with torch.inference_mode():
        batch = encoder(*encoder_inputs(encoder.config, texts, torch.device("cpu"))).hidden
        for number, tokens in enumerate(texts):
            alone = encoder(*encoder_inputs(encoder.config, [tokens], torch.device("cpu"))).hidden[0]
            assert of_bound([batch[number, : len(tokens)].numpy()], [alone.numpy()]) <= 1


def test_stored_frequencies_take_precedence_over_those_of_the_base(tmp_path: Path, note: Note) -> None:
    from transformers import EsmModel

    write_family(tmp_path, "esm", rope_theta=500.0)
    change_weights(tmp_path, lambda found: found | {FREQUENCIES: found[FREQUENCIES].half().float()})
    model = EsmModel.from_pretrained(tmp_path, attn_implementation="eager").eval()
    checkpoint = opened(tmp_path)
    _compare(checkpoint, model, _masked(200, [7]), note, "esm, rounded frequencies")
    as_before_version_5 = {
        f"encoder.layer.{layer}.attention.self.rotary_embeddings.inv_freq": model.rotary_embeddings.inv_freq
        for layer in range(3)
    }
    change_weights(
        tmp_path,
        lambda found: (
            {name: tensor for name, tensor in found.items() if name != FREQUENCIES}
            | {name: tensor.clone() for name, tensor in as_before_version_5.items()}
        ),
    )
    _compare(opened(tmp_path), model, _masked(200, [7]), note, "esm, rounded frequencies")


def test_without_stored_frequencies_they_follow_from_the_base(tmp_path: Path, note: Note) -> None:
    model = write_family(tmp_path, "esm", rope_theta=500.0)
    change_weights(tmp_path, lambda found: {name: found[name] for name in found if name != FREQUENCIES})
    _compare(opened(tmp_path), model, _masked(37, []), note, "esm, frequencies of a base")


def test_the_embedding_of_a_masked_token_is_zero_on_screen(tmp_path: Path) -> None:
    write_family(tmp_path, "esm")
    checkpoint = opened(tmp_path)
    trace = record(checkpoint.encoder, _masked(10, [3, 5]), "ours")
    assert not trace.token_embeddings[[3, 5]].any()
    table = checkpoint.encoder.embeddings.token.weight.detach().numpy()
    expected = table[trace.tokens.ids[4]] * 0.88 / (1 - 2 / 10)
    np.testing.assert_allclose(trace.token_embeddings[4], expected, rtol=1e-6)
