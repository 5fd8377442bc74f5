"""The files of sentence-transformers beside a checkpoint: what is read, what is refused by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from bertviz_app import api
from bertviz_app.checkpoint.folder import module_files
from bertviz_app.checkpoint.questions import Prompt
from bertviz_app.checkpoint.weights.shards import files_read
from bertviz_app.errors import CheckpointError, SelectionError, TruncationWarning
from bertviz_app.text.edits import TokenIntervention
from bertviz_app.trace import Trace
from tests.support.checkpoint_folders import opened
from tests.support.engine_model import EngineModel
from tests.support.families import write_family
from tests.support.sentence_folders import NORMALISE, Module, dense, pooling, write_modules, write_settings

WIDTH = 32
TEXT = "The cat ate the fish because it was hungry"
MEAN = pooling(WIDTH, "mean")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_family(tmp_path, "bert")
    write_modules(tmp_path, MEAN, NORMALISE)
    return tmp_path


def test_a_checkpoint_without_modules_has_no_sentence_vector(tmp_path: Path) -> None:
    write_family(tmp_path, "bert")
    model = api.open_model(str(tmp_path), "cpu")
    assert model.trace(TEXT).sentence_vector is None
    assert not model.facts.has_sentence_vector
    assert model.facts.remarks == ()


def test_the_transformer_of_an_older_folder_has_the_modules_around_it(tmp_path: Path) -> None:
    write_family(tmp_path / "0_Transformer", "bert")
    write_modules(tmp_path, pooling(WIDTH, "max"), path="0_Transformer")
    trace = api.open_model(str(tmp_path / "0_Transformer"), "cpu").trace(TEXT)
    assert trace.sentence_vector is not None
    np.testing.assert_array_equal(trace.sentence_vector, trace.hidden[-1].max(0))


def test_a_text_is_cut_at_the_length_of_the_folder(folder: Path) -> None:
    write_settings(folder / "sentence_bert_config.json", max_seq_length=6, do_lower_case=False)
    model = api.open_model(str(folder), "cpu")
    with pytest.warns(TruncationWarning, match="5 tokens were left out"):
        trace = model.trace(TEXT)
    assert (trace.n_tokens, trace.tokens.n_left_out) == (6, 5)
    assert "sentence-transformers reads 6 tokens at most" in model.facts.remarks[-1]


def test_weights_that_are_not_finite_give_no_vector_and_a_remark(folder: Path) -> None:
    damaged = dense(32, 8)
    damaged.tensors["linear.weight"][0, 0] = float("nan")
    write_modules(folder, MEAN, damaged)
    model = api.open_model(str(folder), "cpu")
    assert any("linear.weight in a module of modules.json is not finite" in r for r in model.facts.remarks)
    assert model.trace("the cat").sentence_vector is None


def test_a_vector_that_is_not_finite_is_refused(folder: Path) -> None:
    huge = dense(32, 8, "linear.Identity")
    huge.tensors["linear.weight"].fill_(3e38)
    write_modules(folder, MEAN, huge)
    model = api.open_model(str(folder), "cpu")
    with pytest.raises(CheckpointError, match="sentence vector are not finite"):
        model.trace("the cat ate the fish")


def test_texts_are_lower_cased_by_the_settings_of_the_folder(tmp_path: Path) -> None:
    write_family(tmp_path, "roberta")
    write_modules(tmp_path, MEAN)
    cased = api.open_model(str(tmp_path), "cpu").trace("The CAT ate")
    write_settings(tmp_path / "sentence_roberta_config.json", max_seq_length=50, do_lower_case=True)
    model = api.open_model(str(tmp_path), "cpu")
    trace = model.trace("The CAT ate")
    assert trace.tokens.ids.tolist() == model.trace("the cat ate").tokens.ids.tolist()
    assert trace.tokens.ids.tolist() != cased.tokens.ids.tolist()
    assert trace.tokens.text == "The CAT ate"
    spans = [trace.tokens.text[first:last] for first, last in trace.tokens.spans.tolist()]
    assert "".join(spans).replace(" ", "") == "TheCATate"
    assert "Texts are lower-cased" in model.facts.remarks[-1]
    assert "<mask>" in model.trace("The <mask> ate").tokens.pieces


def test_prompts_are_offered_and_never_added_by_themselves(folder: Path) -> None:
    prompts = {"query": "query: ", "passage": "passage: ", "document": ""}
    settings = {"prompts": prompts, "default_prompt_name": "query"}
    write_settings(folder / "config_sentence_transformers.json", **settings)
    model = api.open_model(str(folder), "cpu")
    assert model.facts.prompts == (Prompt("query", "query: "), Prompt("passage", "passage: "))
    assert model.trace(TEXT).tokens.text == TEXT
    assert model.trace(TEXT, prompt="passage").tokens.text == f"passage: {TEXT}"
    assert "begins each text with the prompt “query”" in model.facts.remarks[-1]
    with pytest.raises(SelectionError, match="no prompt “search”") as caught:
        model.trace(TEXT, prompt="search")
    assert caught.value.hint == "It has query, passage."


DROPPED = pytest.mark.parametrize(
    ("dropped", "n_of_prompt"), [((), 3), ((2,), 2), ((1, 4), 2), ((1, 2), 1), ((4,), 3)]
)
"""Dropped tokens of "the fish the cat ...", and how many are left of [CLS] and the prompt."""


def _without_prompt(folder: Path, *modules: Module) -> EngineModel:
    """Return a model that leaves the prompt "the fish " out of its pooling."""
    write_family(folder, "bert")
    write_modules(folder, Module("Pooling", {**(MEAN.settings or {}), "include_prompt": False}), *modules)
    write_settings(folder / "config_sentence_transformers.json", prompts={"query": "the fish "})
    return EngineModel(folder)


def _dropping(model: EngineModel, dropped: tuple[int, ...]) -> Trace:
    return model.trace(TEXT, prompt="query", interventions=[TokenIntervention(at, "drop") for at in dropped])


@DROPPED
def test_dropping_a_token_of_the_prompt_leaves_no_other_one_out(
    tmp_path: Path, dropped: tuple[int, ...], n_of_prompt: int
) -> None:
    model = _without_prompt(tmp_path)
    trace = _dropping(model, dropped)
    assert trace.sentence_vector is not None
    np.testing.assert_allclose(trace.sentence_vector, trace.hidden[-1][n_of_prompt:].mean(0), atol=1e-6)
    shares = model.with_model(trace, lambda access: access.pooling_shares(trace))
    assert (shares == 0).tolist() == [at < n_of_prompt for at in range(trace.n_tokens)]


@DROPPED
def test_the_numbers_of_a_module_are_of_the_tokens_that_are_pooled(
    tmp_path: Path, dropped: tuple[int, ...], n_of_prompt: int
) -> None:
    model = _without_prompt(tmp_path, dense(WIDTH, 8))
    trace = _dropping(model, dropped)
    parameters = model.engine.parameters(model.ref, trace)
    key = next(entry.key for entry in parameters.table if entry.key.startswith("sentence"))
    found = parameters.product(trace, key, 0, 0)
    np.testing.assert_allclose(found.inputs, trace.hidden[-1][n_of_prompt:].mean(0), atol=1e-6)


@pytest.mark.parametrize(
    ("modules", "words"),
    [
        ((Module("CNN", {"in_word_embedding_dimension": WIDTH}),), "Transformer, CNN"),
        ((MEAN, Module("WordWeights")), "WordWeights"),
        ((Module("Pooling", {"pooling_mode": "median"}),), "median"),
        ((Module("Pooling", {"pooling_mode_median_tokens": True}),), "pooling_mode_median_tokens"),
        ((MEAN, dense(WIDTH, 4, "activation.Threshold")), "activation.Threshold"),
        ((MEAN, Module("Normalize", {"module_input_name": "token_embeddings"})), "Normalize"),
        ((pooling(16, "mean"),), "width 16, not 32"),
        ((pooling(WIDTH, "mean", "cls"), dense(WIDTH, 4)), "width 32, not 64"),
        ((MEAN, Module("Dense", {"in_features": 0, "out_features": 3})), "in_features"),
        ((MEAN, Module("Dense", {"in_features": 10**9, "out_features": 3})), "in_features"),
        ((MEAN, Module("Dense", dense(WIDTH, 4).settings)), "no weights"),
        ((MEAN, Module("Dense", dense(WIDTH, 4).settings, dense(WIDTH, 5).tensors)), "shape"),
        ((Module("Pooling", {"pooling_mode": 3}),), "pooling_mode"),
    ],
)
def test_what_is_not_computed_is_named_and_the_encoder_opens(
    modules: tuple[Module, ...], words: str, folder: Path
) -> None:
    write_modules(folder, *modules)
    checkpoint = opened(folder)
    assert checkpoint.sentence is None
    (remark,) = checkpoint.facts.remarks
    assert remark.startswith("The sentence vector is not computed. ")
    assert words in remark


def test_weights_that_are_too_many_or_too_few_are_named(folder: Path) -> None:
    layer = dense(WIDTH, 4)
    write_modules(folder, MEAN, layer)
    path = folder / "2_Dense" / "model.safetensors"
    for tensors, words in (
        ({"linear.weight": layer.tensors["linear.weight"]}, "lacks linear.bias"),
        ({**layer.tensors, "linear.scale": torch.ones(1)}, "not known: linear.scale"),
    ):
        save_file(tensors, path)
        assert words in opened(folder).facts.remarks[0]


def test_weights_in_the_older_format_and_in_half_precision(folder: Path) -> None:
    layer = dense(WIDTH, 4)
    write_modules(folder, MEAN, Module("Dense", layer.settings))
    halves = {name: tensor.half() for name, tensor in layer.tensors.items()}
    torch.save(halves, folder / "2_Dense" / "pytorch_model.bin")
    vector = opened(folder).sentence
    assert vector is not None
    weight = vector.state_dict()["steps.0.linear.weight"]
    assert torch.equal(weight, halves["linear.weight"].float())


@pytest.mark.parametrize("settings", [{"max_seq_length": 0}, {"max_seq_length": "6"}])
def test_a_longest_input_that_is_none_is_refused(settings: dict[str, object], folder: Path) -> None:
    write_settings(folder / "sentence_bert_config.json", **settings)
    with pytest.raises(CheckpointError, match="max_seq_length"):
        opened(folder)


def test_checkpoints_with_other_sentence_vectors_have_other_fingerprints(folder: Path) -> None:
    found = {opened(folder).facts.fingerprint}
    for modules in ((pooling(WIDTH, "cls"),), (pooling(WIDTH, "cls"), dense(WIDTH, 4)), ()):
        write_modules(folder, *modules)
        found.add(opened(folder).facts.fingerprint)
    write_modules(folder, pooling(WIDTH, "cls"), dense(WIDTH, 4, seed=1))
    assert opened(folder).facts.fingerprint not in found
    assert len(found) == 4


def test_the_files_of_modules_are_part_of_the_checkpoint(folder: Path) -> None:
    write_modules(folder, MEAN, dense(WIDTH, 4))
    read = {path.relative_to(folder).as_posix() for path in files_read(folder)}
    weights = "2_Dense/model.safetensors"
    assert {"modules.json", "1_Pooling/config.json", "2_Dense/config.json", weights} <= read
    names = ["modules.json", "1_Pooling/config.json", weights, "2_Dense/pytorch_model.bin"]
    assert module_files([*names, "onnx/model.onnx", "a/b/config.json"]) == names[1:3]
    assert module_files(names[1:]) == []
