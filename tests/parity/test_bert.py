"""BERT against `transformers`: every hidden state, every head's attention, details and the pooled vector."""

from __future__ import annotations

from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from bertviz_app.encoder import attention
from bertviz_app.encoder.recorder import Recorder, record
from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.text import Tokenizer, Tokens
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import LayerDetails
from tests.support.checkpoints import random_bert, vocabulary
from tests.support.exactness import of_bound, passes
from tests.support.peers import difference, random_tokens, same_encoder, tensors
from tests.support.plugins import Note, largest

if TYPE_CHECKING:
    from transformers import BertModel

# Around a block of 128 queries and around 32, to which the fused kernel pads, and as long as positions go.
LENGTHS = [1, 2, 3, 17, 127, 128, 129, 300, 512]
# What differs between kinds does not depend on the length: less than a block, and two blocks.
LENGTHS_OF_KINDS = [3, 129]
KINDS: dict[str, dict[str, Any]] = {
    "gelu": {},
    "gelu_new": {"hidden_act": "gelu_new"},
    "gelu_pytorch_tanh": {"hidden_act": "gelu_pytorch_tanh"},
    "relu": {"hidden_act": "relu"},
    "silu": {"hidden_act": "silu"},
    "swish": {"hidden_act": "swish"},
    "tanh": {"hidden_act": "tanh"},
    "without pooler": {"has_pooler": False},
    "one head": {"num_attention_heads": 1, "num_hidden_layers": 1},
    "heads of width 1": {"num_attention_heads": 32},
    "heads of width 6, layers 5": {"hidden_size": 30, "num_attention_heads": 5, "num_hidden_layers": 5},
    "wide": {"hidden_size": 192, "num_attention_heads": 3, "intermediate_size": 700},
    "eps 1e-5, one segment": {"layer_norm_eps": 1e-5, "type_vocab_size": 1},
}
PARAGRAPH = """
A cat ate the fish because it was hungry. The fisherman, who had been away since five in the morning,
found nothing but bones on the table; he laughed, fed the cat some milk and went back to the harbour.
"You cannot blame her," his daughter said: in winter, animals eat whatever they can find. Two days later
the same thing happened again, although this time the window had been closed and the kitchen door locked.
Nobody in the village could explain how a small grey cat opened a drawer, turned a key and left no trace.
"""


@pytest.fixture(scope="module")
def real(minilm: Path) -> BertModel:
    """`transformers`' own MiniLM."""
    from transformers import BertModel

    return BertModel.from_pretrained(minilm, attn_implementation="eager").eval()


def prose(minilm: Path, n_tokens: int, *, pair: bool) -> Tokens:
    """Return `n_tokens` tokens of English, cut to that length by the tokenizer."""
    words = PARAGRAPH.split() * 6
    text, other = " ".join(words), " ".join(words[40:])
    return Tokenizer.from_json(minilm / "tokenizer.json", n_tokens).encode(text, other if pair else None)


def by_public_operations(model: BertModel, tokens: Tokens, monkeypatch: pytest.MonkeyPatch) -> Trace:
    """Return the trace computed as training does: with gradients and without fused kernels."""
    monkeypatch.setattr(attention, "attend", attention.attend_by_rows)
    encoder = same_encoder(model)
    recorder = Recorder(encoder, len(tokens))
    with torch.enable_grad():
        encoder(*tensors(tokens), tap=recorder)
    return recorder.trace("ours", tokens)


@pytest.mark.parametrize("kind", KINDS)
def test_a_random_model(kind: str, note: Note) -> None:
    found = []
    for n_tokens in LENGTHS if kind == "gelu" else LENGTHS_OF_KINDS:
        model = random_bert(seed=n_tokens, **KINDS[kind])
        for pair in [False, True] if model.config.type_vocab_size > 1 else [False]:
            tokens = random_tokens(n_tokens, len(vocabulary()), seed=n_tokens, pair=pair)
            found.append(difference(model, record(same_encoder(model), tokens, "ours")))
    apart = reduce(largest, found)
    note(f"random bert, {kind}", apart)
    assert apart.of_bound <= 1


def test_a_random_model_by_public_operations(note: Note, monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_bert(seed=1)
    found = []
    for n_tokens in LENGTHS:
        tokens = random_tokens(n_tokens, len(vocabulary()), pair=True)
        found.append(difference(model, by_public_operations(model, tokens, monkeypatch)))
    apart = reduce(largest, found)
    note("random bert, by public operations", apart)
    assert apart.of_bound <= 1


@pytest.mark.parametrize("pair", [False, True])
@pytest.mark.parametrize("n_tokens", [17, 128, 129, 512])
def test_the_real_model(real: BertModel, minilm: Path, n_tokens: int, pair: bool, note: Note) -> None:
    tokens = prose(minilm, n_tokens, pair=pair)
    assert len(tokens) == n_tokens
    apart = difference(real, record(same_encoder(real), tokens, "ours"))
    note(f"all-MiniLM-L6-v2, {'pair' if pair else 'text'} of {n_tokens} tokens", apart)
    assert apart.of_bound <= 1


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("A cat ate the fish because it was hungry", None),
        ("A cat ate the fish because it was hungry", "The cat was starving"),
        ("고양이가 배가 고파서 생선을 먹었다", None),
        ("정말 재미있게 봤습니다. 배우들의 연기가 훌륭했고 음악도 좋았어요", "다시 보고 싶은 영화"),
        ("The quick brown fox jumps over the lazy dog.", None),
    ],
)
def test_the_real_model_on_sentences(
    real: BertModel, minilm: Path, text: str, pair: str | None, note: Note
) -> None:
    tokens = Tokenizer.from_json(minilm / "tokenizer.json", 512).encode(text, pair)
    apart = difference(real, record(same_encoder(real), tokens, "ours"))
    note("all-MiniLM-L6-v2, sentences", apart)
    assert apart.of_bound <= 1


@pytest.mark.parametrize("n_tokens", [129])
def test_the_real_model_by_public_operations(
    real: BertModel, minilm: Path, n_tokens: int, note: Note, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = prose(minilm, n_tokens, pair=True)
    apart = difference(real, by_public_operations(real, tokens, monkeypatch))
    note("all-MiniLM-L6-v2, by public operations", apart)
    assert apart.of_bound <= 1


def test_the_comparison_sees_a_swapped_head() -> None:
    model = random_bert()
    trace = record(same_encoder(model), random_tokens(9, len(vocabulary())), "ours")
    with torch.no_grad():
        query = model.encoder.layer[1].attention.self.query.weight
        query.copy_(query.roll(8, dims=0))
    assert difference(model, trace).attention > 0.1


def test_the_embeddings_are_what_they_are_made_of() -> None:
    model = random_bert()
    tokens = random_tokens(12, len(vocabulary()), pair=True)
    trace = record(same_encoder(model), tokens, "ours")
    tables = model.embeddings
    with torch.no_grad():
        word = tables.word_embeddings.weight.numpy()[tokens.ids]
        segment = tables.token_type_embeddings.weight.numpy()[tokens.segment_ids]
        position = tables.position_embeddings.weight.numpy()[:12]
        normed = tables.LayerNorm(torch.from_numpy(trace.embedding_sum.copy()))
    np.testing.assert_array_equal(trace.token_embeddings, word)
    np.testing.assert_array_equal(trace.segment_embeddings, segment)
    np.testing.assert_array_equal(trace.position_embeddings, position)
    np.testing.assert_array_equal(trace.embedding_sum, word + segment + position)
    np.testing.assert_allclose(trace.hidden[0], normed.numpy(), rtol=0, atol=1e-6)


TEXT = "A cat ate the fish because it was hungry"
LONG = " ".join([TEXT] * 30)


def _caught(model: nn.Module, tokens: Tokens, layer: int) -> dict[str, NDArray[np.float32]]:
    """Return what the modules of a layer gave, by the names of `LayerDetails`."""
    prefix = f"encoder.layer.{layer}."
    modules = {
        "projected": f"{prefix}attention.output.dense",
        "attention_norm": f"{prefix}attention.output.LayerNorm",
        "expanded": f"{prefix}intermediate.dense",
        "active": f"{prefix}intermediate",
        "contracted": f"{prefix}output.dense",
        "output": f"{prefix}output",
        "pooler_dense": "pooler.dense",
    }
    inputs = {
        "concat": f"{prefix}attention.output.dense",
        "attention_sum": f"{prefix}attention.output.LayerNorm",
        "output_sum": f"{prefix}output.LayerNorm",
    }
    found: dict[str, NDArray[np.float32]] = {}

    def keep(name: str, tensor: torch.Tensor) -> None:
        found[name] = tensor[0].numpy().copy()

    hooks = [
        model.get_submodule(path).register_forward_hook(lambda _, __, out, name=name: keep(name, out))
        for name, path in modules.items()
    ]
    hooks += [
        model.get_submodule(path).register_forward_hook(lambda _, given, __, name=name: keep(name, given[0]))
        for name, path in inputs.items()
    ]
    ids = {"input_ids": tokens.ids, "token_type_ids": tokens.segment_ids}
    model(**{name: torch.from_numpy(array[None].astype(np.int64)) for name, array in ids.items()})
    for hook in hooks:
        hook.remove()
    return found


@pytest.mark.parametrize("text", [TEXT, LONG], ids=["short", "long"])
@pytest.mark.parametrize("layer", [0, 3, 5])
def test_every_station_of_a_layer_is_transformers_own(
    minilm: Path, real: BertModel, text: str, layer: int
) -> None:
    engine, request = Engine(), TraceRequest(str(minilm), "cpu", text)
    trace = engine.trace(request).trace
    details = engine.details(request, trace, layer)
    expected, exact = passes(real, lambda: _caught(real, trace.tokens, layer))
    if layer < trace.n_layers - 1:
        assert details.pooler_dense is None
        del expected["pooler_dense"]
    assert len(expected) >= 9
    ours = [_of(details, name) for name in expected]
    assert of_bound(ours, list(expected.values()), [exact[name] for name in expected]) <= 1
    beside = np.concatenate(list(details.mixed), axis=-1)
    np.testing.assert_array_equal(beside, details.concat)
    assert of_bound([details.output], [trace.hidden[layer + 1]]) <= 1


def _of(details: LayerDetails, name: str) -> NDArray[np.float32]:
    values: NDArray[np.float32] = getattr(details, name)
    return values


def test_a_short_text_comes_out_to_the_last_bit(minilm: Path) -> None:
    engine, request = Engine(), TraceRequest(str(minilm), "cpu", TEXT)
    trace = engine.trace(request).trace
    for layer in range(trace.n_layers):
        np.testing.assert_array_equal(engine.details(request, trace, layer).output, trace.hidden[layer + 1])
