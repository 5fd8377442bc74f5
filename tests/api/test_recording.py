"""`record`: attention of models of transformers, compared with what the models return themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from bertviz_app.api import EncoderDecoderTraces, WeightsTrace, analyse, record
from bertviz_app.errors import ArgumentError, PackageError, SelectionError

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "on", "a", "mat", "it", "was"]
IMPLEMENTATION = "_attn_implementation"  # what transformers calls it
SIZES = {"vocab_size": len(WORDS), "pad_token_id": 0}


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return word_tokenizer()


def word_tokenizer() -> Any:
    inner = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    inner.pre_tokenizer = Whitespace()
    inner.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    names = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=inner, **names)


def bert(**options: Any) -> Any:
    torch.manual_seed(0)
    config = transformers.BertConfig(
        **SIZES, hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=32, **options
    )
    return transformers.BertModel(config)


def gpt2() -> Any:
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=len(WORDS), n_positions=32, n_embd=24, n_layer=2, n_head=3, bos_token_id=2, eos_token_id=3
    )
    return transformers.GPT2LMHeadModel(config)


def t5() -> Any:
    torch.manual_seed(0)
    config = transformers.T5Config(
        **SIZES,
        d_model=24,
        d_kv=8,
        d_ff=32,
        num_layers=2,
        num_heads=3,
        decoder_start_token_id=0,
        eos_token_id=3,
    )
    return transformers.T5ForConditionalGeneration(config)


def test_an_encoder_gives_its_own_attention(tokenizer: Any) -> None:
    model = bert()
    model.train()
    implementation = getattr(model.config, IMPLEMENTATION)
    trace = record(model, tokenizer, "the cat sat", "it was a mat")
    assert isinstance(trace, WeightsTrace)
    assert model.training
    assert getattr(model.config, IMPLEMENTATION) == implementation
    assert trace.tokens.pieces == ("[CLS]", "the", "cat", "sat", "[SEP]", "it", "was", "a", "mat", "[SEP]")
    assert trace.tokens.sentences.tolist() == [-1, 0, 0, 0, -1, 1, 1, 1, 1, -1]
    model.eval()
    model.set_attn_implementation("eager")
    inputs = tokenizer("the cat sat", "it was a mat", return_tensors="pt")
    with torch.no_grad():
        expected = model(**inputs, output_attentions=True).attentions
    for layer, weights in enumerate(expected):
        np.testing.assert_array_equal(trace.attention(layer), weights[0].numpy())
    assert trace.mask is None


def test_a_decoder_gives_its_own_attention(tokenizer: Any) -> None:
    model = gpt2().eval()
    trace = record(model, tokenizer, "the cat sat on a mat")
    assert isinstance(trace, WeightsTrace)
    assert trace.mask is not None
    assert "causal" in trace.remarks[0]
    model.set_attn_implementation("eager")
    with torch.no_grad():
        inputs = tokenizer("the cat sat on a mat", return_tensors="pt")["input_ids"]
        expected = model(inputs, output_attentions=True).attentions
    for layer, weights in enumerate(expected):
        np.testing.assert_array_equal(trace.attention(layer), weights[0].numpy())


@pytest.mark.parametrize("pair", [None, "a mat"])
def test_an_encoder_decoder_gives_three(tokenizer: Any, pair: str | None) -> None:
    model = t5().eval()
    found = record(model, tokenizer, "the cat sat on it", pair)
    assert isinstance(found, EncoderDecoderTraces)
    assert found.cross.is_cross
    assert found.cross.tokens.pieces == found.decoder.tokens.pieces
    assert found.cross.key_tokens.pieces == found.encoder.tokens.pieces
    assert found.encoder.tokens.pieces == ("[CLS]", "the", "cat", "sat", "on", "it", "[SEP]")
    assert found.decoder.mask is not None
    written = found.decoder.tokens.pieces
    if pair is not None:
        assert written == ("[PAD]", "[CLS]", "a", "mat", "[SEP]")[: len(written)]
    model.set_attn_implementation("eager")
    with torch.no_grad():
        expected = model(
            **tokenizer("the cat sat on it", return_tensors="pt"),
            decoder_input_ids=torch.tensor([tokenizer.convert_tokens_to_ids(list(written))]),
            output_attentions=True,
        )
    kinds = {
        "encoder": expected.encoder_attentions,
        "decoder": expected.decoder_attentions,
        "cross": expected.cross_attentions,
    }
    for name, layers in kinds.items():
        for layer, weights in enumerate(layers):
            found_here = getattr(found, name).attention(layer)
            np.testing.assert_allclose(found_here, weights[0].numpy(), atol=1e-6)


def test_half_precision_is_taken(tokenizer: Any) -> None:
    trace = record(bert().to(torch.bfloat16), tokenizer, "the cat sat")
    assert isinstance(trace, WeightsTrace)
    assert trace.attention(0).dtype == np.float32
    assert trace.remarks == ()


def test_a_text_that_is_too_long_is_refused(tokenizer: Any) -> None:
    model = bert(max_position_embeddings=6)
    with pytest.raises(SelectionError, match="7 tokens; this model reads 6"):
        record(model, tokenizer, "the cat sat on it")
    assert model.training


@pytest.mark.parametrize("at", range(4))
def test_other_arguments_are_refused(at: int, tokenizer: Any) -> None:
    arguments: list[Any] = [bert(), tokenizer, "the cat", None]
    arguments[at] = 3
    with pytest.raises(ArgumentError) as caught:
        record(*arguments)
    assert caught.value.hint


def test_without_transformers_it_says_so(tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bertviz_app.api.of_transformers.find_spec", lambda name: None)
    with pytest.raises(PackageError, match="transformers, which is not installed"):
        record(bert(), tokenizer, "the cat")


def test_a_model_that_reads_no_text_and_a_text_without_tokens_are_refused(tokenizer: Any) -> None:
    sizes = {"hidden_size": 24, "num_hidden_layers": 1, "num_attention_heads": 3, "intermediate_size": 32}
    vit = transformers.ViTModel(transformers.ViTConfig(image_size=16, patch_size=8, **sizes))
    with pytest.raises(ArgumentError, match="reads pixel_values, not texts"):
        record(vit, tokenizer, "the cat")
    plain = transformers.PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    )
    with pytest.raises(SelectionError, match="no token"):
        record(gpt2(), plain, "")


def test_the_three_show_themselves_and_name_the_one_that_is_needed(tokenizer: Any) -> None:
    found = record(t5(), tokenizer, "the cat sat", "it was")
    assert isinstance(found, EncoderDecoderTraces)
    assert len(repr(found)) < 120
    assert "encoder 5 tokens" in repr(found)
    assert "<svg" in found._repr_html_()
    assert len(found._repr_html_()) < 200_000
    with pytest.raises(ArgumentError, match=r"\.encoder, \.decoder, \.cross"):
        analyse("head-measures", found)  # type: ignore[arg-type]


def test_a_decoder_without_a_text_says_what_to_give(tokenizer: Any) -> None:
    """The tokenizer of an encoder gives segments, which generate() of an encoder-decoder refuses."""
    names = [*tokenizer.model_input_names, "token_type_ids"]
    with_segments = word_tokenizer()
    with_segments.model_input_names = names
    with pytest.raises(SelectionError, match=r"generate\(\) wrote none.*token_type_ids.*pair="):
        record(t5(), with_segments, "the cat sat")
