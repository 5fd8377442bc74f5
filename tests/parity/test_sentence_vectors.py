"""Sentence vectors against the published formulas in float64, of hidden states by `transformers`.

The formulas are those of Reimers and Gurevych 2019, arXiv:1908.10084, section 3 (cls, mean, max), Muennighoff
2022, arXiv:2202.08904 (weighted mean), and of the documentation of sentence-transformers (the others).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from bertviz_app import api
from bertviz_app.trace import Trace
from tests.support.checkpoint_folders import NORMALISE, Module, dense, pooling, write_modules, write_settings
from tests.support.exactness import of_bound, passes
from tests.support.families import write_family
from tests.support.peers import tensors

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Vector = NDArray[np.float64]
WIDTH = 32
TEXTS = ("The cat ate the fish because it was hungry", "a", "고양이가 배가 고파서 생선을 먹었다")


def _weighted(states: Vector) -> Vector:
    total = sum((weight * state for weight, state in enumerate(states, start=1)), np.zeros(states.shape[1]))
    return np.asarray(total / (len(states) * (len(states) + 1) / 2))


FORMULAS: dict[str, Callable[[Vector], Vector]] = {
    "cls": lambda states: states[0],
    "max": lambda states: np.stack([max(column) for column in states.T]),
    "mean": lambda states: np.asarray(sum(states)) / len(states),
    "mean_sqrt_len_tokens": lambda states: np.asarray(sum(states)) / math.sqrt(len(states)),
    "weightedmean": _weighted,
    "lasttoken": lambda states: states[-1],
}
ACTIVATIONS: dict[str, Callable[[float], float]] = {
    "linear.Identity": lambda x: x,
    "activation.Tanh": math.tanh,
    "activation.ReLU": lambda x: max(x, 0.0),
    "activation.GELU": lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
    "activation.SiLU": lambda x: x / (1 + math.exp(-x)),
    "activation.Sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "activation.ELU": lambda x: x if x > 0 else math.expm1(x),
    "activation.LeakyReLU": lambda x: x if x > 0 else 0.01 * x,
    "activation.SELU": lambda x: 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * math.expm1(x)),
    "activation.Softplus": lambda x: math.log1p(math.exp(x)),
    "activation.Mish": lambda x: x * math.tanh(math.log1p(math.exp(x))),
}


def _pooled(states: Vector, modes: Sequence[str]) -> Vector:
    return np.concatenate([FORMULAS[mode](states) for mode in modes])


def _through(layer: Module, vector: Vector, activation: str) -> Vector:
    weight, bias = (layer.tensors[f"linear.{name}"].double().numpy() for name in ("weight", "bias"))
    return np.array([ACTIVATIONS[activation](x) for x in (weight @ vector + bias).tolist()])


def _unit(vector: Vector) -> Vector:
    unit: Vector = vector / math.sqrt(sum(x * x for x in vector.tolist()))
    return unit


def _assert_same(trace: Trace, model: PreTrainedModel, formula: Callable[[Vector], Vector]) -> None:
    """Compare with `formula` of the last hidden states [T, D] by `transformers`, and these themselves."""
    ids, segments, _ = tensors(trace.tokens)
    both = passes(model, lambda: model(input_ids=ids, token_type_ids=segments).last_hidden_state[0])
    theirs, exact = (states.double().numpy() for states in both)
    assert trace.sentence_vector is not None
    assert trace.sentence_vector.dtype == np.float32
    ours = [trace.hidden[-1], trace.sentence_vector]
    assert of_bound(ours, [theirs, formula(theirs)], [exact, formula(exact)]) <= 1


@pytest.mark.parametrize("modes", [*((mode,) for mode in FORMULAS), ("cls", "mean"), tuple(FORMULAS)])
def test_each_pooling(modes: tuple[str, ...], tmp_path: Path) -> None:
    model = write_family(tmp_path, "bert")
    write_modules(tmp_path, pooling(WIDTH, *modes))
    ours = api.open_model(str(tmp_path), "cpu")
    for text in TEXTS:
        trace = ours.trace(text)
        _assert_same(trace, model, lambda states: _pooled(states, modes))


@pytest.mark.parametrize("stated", ["lasttoken", ["max", "lasttoken"]])
def test_pooling_as_newer_files_name_it(stated: str | list[str], tmp_path: Path) -> None:
    model = write_family(tmp_path, "bert")
    settings = {"embedding_dimension": WIDTH, "pooling_mode": stated, "include_prompt": True}
    package = "sentence_transformers.sentence_transformer.modules.pooling"
    write_modules(tmp_path, Module("Pooling", settings), package=package)
    trace = api.open_model(str(tmp_path), "cpu").trace(TEXTS[0])
    modes = [stated] if isinstance(stated, str) else stated
    _assert_same(trace, model, lambda states: _pooled(states, modes))


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_dense_layers_and_the_length_of_one(activation: str, tmp_path: Path) -> None:
    model = write_family(tmp_path, "bert")
    first = dense(2 * WIDTH, WIDTH, activation)
    second = dense(WIDTH, 12, "linear.Identity", seed=1)
    dropout = Module("Dropout", {"dropout": 0.5})
    write_modules(tmp_path, pooling(WIDTH, "cls", "mean"), first, dropout, second, NORMALISE)
    trace = api.open_model(str(tmp_path), "cpu").trace(TEXTS[0])

    def formula(states: Vector) -> Vector:
        pooled = _pooled(states, ("cls", "mean"))
        return _unit(_through(second, _through(first, pooled, activation), "linear.Identity"))

    _assert_same(trace, model, formula)


@pytest.mark.parametrize("kind", ["BERT", "Transformer"])
def test_a_folder_of_before_version_2_opens_with_its_modules(kind: str, tmp_path: Path) -> None:
    inner = tmp_path / f"0_{kind}"
    model = write_family(inner, "bert")
    last = dense(WIDTH, 12, "activation.Tanh")
    write_modules(tmp_path, pooling(WIDTH, "mean"), last, path=inner.name)
    listed = tmp_path / "modules.json"
    listed.write_text(listed.read_text("utf-8").replace("models.Transformer", f"models.{kind}"), "utf-8")
    write_settings(tmp_path / "config.json", __version__="0.2.5")
    write_settings(inner / "sentence_bert_config.json", max_seq_length=9, do_lower_case=False)
    for folder in (tmp_path, inner):
        opened = api.open_model(folder, "cpu")
        trace = opened.trace("The cat ate")
        _assert_same(
            trace, model, lambda states: _through(last, _pooled(states, ("mean",)), "activation.Tanh")
        )
        assert any("9 tokens at most" in remark for remark in opened.facts.remarks)


def _last_states(model: PreTrainedModel, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
    states: torch.Tensor = model(**inputs).last_hidden_state[0]
    return states


@pytest.mark.parametrize("is_new", [False, True])
def test_a_dense_layer_without_a_pooling_is_of_every_token(is_new: bool, tmp_path: Path) -> None:
    """As PyLate saves a ColBERT: its settings of today name input and output, and need no activation."""
    theirs = write_family(tmp_path, "bert")
    layers = dense(WIDTH, 14, "linear.Identity"), dense(14, 12, "linear.Identity", seed=1)
    sizes = {"in_features": 14, "out_features": 12, "bias": True, "use_residual": False}
    names = dict.fromkeys(("module_input_name", "module_output_name"), "token_embeddings")
    second = replace(layers[1], settings={**sizes, **names}) if is_new else layers[1]
    write_modules(tmp_path, layers[0], second)
    write_settings(tmp_path / "config_sentence_transformers.json", query_prefix="[unused0]", prompts={})
    model = api.open_model(str(tmp_path), "cpu")
    [remark] = [remark for remark in model.facts.remarks if "ColBERT" in remark]
    assert "each token's vector to 12 numbers" in remark
    assert "“[unused0]” to queries and “[D] ” to documents" in remark
    assert not model.facts.has_sentence_vector

    def formula(states: Vector) -> Vector:
        once = [_through(layers[0], token, "linear.Identity") for token in states]
        return np.stack([_unit(_through(layers[1], token, "linear.Identity")) for token in once])

    traces = [model.trace(text) for text in TEXTS[:2]]
    for trace in traces:
        assert trace.sentence_vector is None
        assert trace.token_vectors is not None
        assert trace.token_vectors.shape == (trace.n_tokens, 12)
        ids, segments, _ = tensors(trace.tokens)
        inputs = {"input_ids": ids, "token_type_ids": segments}
        both = passes(theirs, partial(_last_states, theirs, inputs))
        plain, exact = (states.double().numpy() for states in both)
        assert of_bound([trace.token_vectors], [formula(plain)], [formula(exact)]) <= 1
    one, other = (np.asarray(trace.token_vectors) for trace in traces)
    largest = [max(vector @ each for each in other) for vector in one]
    found = model.analyse("text-cosines", *traces)
    assert found.axes[0].labels[-1] == "mean MaxSim", "a sum is what the paper calls so"
    assert found.arrays()["cosine"][-1] == pytest.approx(np.mean(largest), abs=1e-6)
    again = api.load_trace(api.save_trace(traces[0], tmp_path / "trace.npz"))
    np.testing.assert_array_equal(np.asarray(again.token_vectors), one)


@pytest.mark.parametrize("n_outputs", [WIDTH, 12])
def test_a_dense_layer_beside_its_input(n_outputs: int, tmp_path: Path) -> None:
    model = write_family(tmp_path, "bert")
    layer = dense(WIDTH, n_outputs)
    shortcut = torch.randn(n_outputs, WIDTH, generator=torch.Generator().manual_seed(5))
    tensors = layer.tensors if n_outputs == WIDTH else {**layer.tensors, "residual.weight": shortcut}
    assert layer.settings is not None
    residual = Module("Dense", {**layer.settings, "use_residual": True}, tensors)
    write_modules(tmp_path, pooling(WIDTH, "mean"), residual)
    trace = api.open_model(str(tmp_path), "cpu").trace(TEXTS[0])

    def formula(states: Vector) -> Vector:
        pooled = _pooled(states, ("mean",))
        beside = pooled if n_outputs == WIDTH else shortcut.double().numpy() @ pooled
        return np.asarray(_through(layer, pooled, "activation.Tanh") + beside)

    _assert_same(trace, model, formula)


def test_a_layer_norm(tmp_path: Path) -> None:
    model = write_family(tmp_path, "bert")
    gain, offset = torch.randn(2, WIDTH, generator=torch.Generator().manual_seed(3))
    numbers = {"norm.weight": gain.clone(), "norm.bias": offset.clone()}
    norm = Module("LayerNorm", {"dimension": WIDTH}, numbers)
    write_modules(tmp_path, pooling(WIDTH, "mean"), norm)
    trace = api.open_model(str(tmp_path), "cpu").trace(TEXTS[0])

    def formula(states: Vector) -> Vector:
        pooled = _pooled(states, ("mean",))
        scaled = (pooled - pooled.mean()) / np.sqrt(pooled.var() + 1e-5)
        return np.asarray(scaled * gain.double().numpy() + offset.double().numpy())

    _assert_same(trace, model, formula)


def test_minilm(minilm: Path) -> None:
    from transformers import AutoModel

    model = AutoModel.from_pretrained(minilm, dtype=torch.float32).eval()
    trace = api.open_model(str(minilm), "cpu").trace(TEXTS[0])
    _assert_same(trace, model, lambda states: _unit(_pooled(states, ("mean",))))


@pytest.mark.parametrize("mode", FORMULAS)
def test_the_tokens_of_a_prompt_are_left_out_by_the_settings_of_the_folder(mode: str, tmp_path: Path) -> None:
    model = write_family(tmp_path, "bert")
    settings = {"embedding_dimension": WIDTH, "pooling_mode": mode, "include_prompt": False}
    write_modules(tmp_path, Module("Pooling", settings))
    prompts = {"query": "the cat : ", "none": "", "longer": "the cat : a "}
    write_settings(tmp_path / "config_sentence_transformers.json", prompts=prompts)
    ours = api.open_model(str(tmp_path), "cpu")
    for prompt, n_prompt_tokens in (("query", 4), ("longer", 5)):
        trace = ours.trace(TEXTS[0], prompt=prompt)
        assert trace.tokens.text == prompts[prompt] + TEXTS[0]
        _assert_same(trace, model, partial(_without_prompt, mode, n_prompt_tokens))
    _assert_same(ours.trace(TEXTS[0]), model, FORMULAS[mode])


def _without_prompt(mode: str, n_prompt_tokens: int, states: Vector) -> Vector:
    if mode != "weightedmean":
        return FORMULAS[mode](states[n_prompt_tokens:])
    weights = np.arange(n_prompt_tokens + 1, len(states) + 1)  # the tokens that are left have those of all
    return np.asarray((weights[:, None] * states[n_prompt_tokens:]).sum(0) / weights.sum())
