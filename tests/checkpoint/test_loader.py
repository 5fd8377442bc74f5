"""Opening checkpoints: the same numbers as `transformers` gives, whatever the files look like."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer, BertConfig, BertForMultipleChoice, BertForPreTraining, BertModel

from bertviz_app.checkpoint.assemble import placed, verify
from bertviz_app.checkpoint.loader import Checkpoint
from bertviz_app.checkpoint.questions import AnswersError
from bertviz_app.checkpoint.weights.tensors import WeightsError
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import Cancelled, CheckpointError, TextError, TokenizerError
from tests.support.checkpoint_folders import (
    Tensors,
    change_config,
    change_weights,
    copy_of,
    opened,
    to_pickle,
)
from tests.support.checkpoints import random_bert, vocabulary, write_bert
from tests.support.peers import LIMIT, compare

TEXT = "The cat ate the fish because it was hungry"
PAIR = "고양이가 배고파서"
WORDS = "embeddings.word_embeddings.weight"


def _difference(folder: Path, text: str, pair: str | None) -> float:
    """Return the largest difference of any number from what `transformers` makes of the same folder."""
    checkpoint = opened(folder)
    model = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    inputs = AutoTokenizer.from_pretrained(folder)(text, pair, return_tensors="pt")
    tokens = checkpoint.tokens(text, pair)
    assert tokens.ids.tolist() == inputs["input_ids"][0].tolist()
    with torch.inference_mode():
        theirs = model(**inputs, output_attentions=True, output_hidden_states=True)
    return compare(record(checkpoint.encoder, tokens, "ours"), theirs).absolute


@pytest.mark.parametrize("pair", [None, PAIR])
def test_numbers_equal_those_of_transformers(tiny_bert: Path, pair: str | None) -> None:
    assert _difference(tiny_bert, TEXT, pair) <= LIMIT


@pytest.mark.parametrize("pair", [None, PAIR])
def test_the_real_checkpoint_equals_transformers(minilm: Path, pair: str | None) -> None:
    assert _difference(minilm, TEXT, pair) <= LIMIT


def _hidden(checkpoint: Checkpoint) -> np.ndarray:
    return record(checkpoint.encoder, checkpoint.tokens(TEXT, PAIR), "ours").hidden


@pytest.mark.parametrize("in_old_format", [False, True])
def test_a_pickled_checkpoint_gives_the_same(tiny_bert: Path, tmp_path: Path, in_old_format: bool) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    to_pickle(folder, in_old_format=in_old_format)
    np.testing.assert_array_equal(_hidden(opened(folder)), _hidden(opened(tiny_bert)))


def test_vocab_txt_gives_the_same(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    (folder / "tokenizer.json").unlink()
    np.testing.assert_array_equal(_hidden(opened(folder)), _hidden(opened(tiny_bert)))


def test_vocab_txt_alone_is_enough_and_its_settings_count(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").unlink()
    assert opened(folder).tokens("Cat").pieces == ("[CLS]", "cat", "[SEP]")
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    assert opened(folder).tokens("Cat").pieces == ("[CLS]", "[UNK]", "[SEP]")


def test_old_names_give_the_same(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)

    def rename(tensors: Tensors) -> Tensors:
        old = {
            name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
                "LayerNorm.bias", "LayerNorm.beta"
            ): tensor
            for name, tensor in tensors.items()
        }
        return old | {"embeddings.position_ids": torch.arange(512)[None]}

    change_weights(folder, rename)
    checkpoint = opened(folder)
    np.testing.assert_array_equal(_hidden(checkpoint), _hidden(opened(tiny_bert)))
    assert checkpoint.facts.remarks == ()


def _write_task_model(folder: Path, made_by: type[BertForPreTraining] | type[BertForMultipleChoice]) -> None:
    config = BertConfig(
        vocab_size=len(vocabulary()),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
    )
    made_by(config).save_pretrained(write_bert(folder))


def test_heads_of_pre_training_are_opened(tmp_path: Path) -> None:
    _write_task_model(tmp_path / "heads", BertForPreTraining)
    assert _difference(tmp_path / "heads", TEXT, PAIR) <= LIMIT
    facts = opened(tmp_path / "heads").facts
    assert (facts.task_heads, facts.remarks) == (("masked", "next_sentence"), ())


def test_heads_for_other_tasks_are_a_remark(tmp_path: Path) -> None:
    _write_task_model(tmp_path / "heads", BertForMultipleChoice)
    facts = opened(tmp_path / "heads").facts
    assert facts.task_heads == ()
    assert any("Task heads that are not used: classifier" in remark for remark in facts.remarks)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_precisions_are_computed_in_float32(
    tiny_bert: Path, tmp_path: Path, dtype: torch.dtype
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    change_weights(folder, lambda tensors: {name: tensor.to(dtype) for name, tensor in tensors.items()})
    checkpoint = opened(folder)
    assert {parameter.dtype for parameter in checkpoint.encoder.parameters()} == {torch.float32}
    np.testing.assert_allclose(_hidden(checkpoint), _hidden(opened(tiny_bert)), atol=0.3)


def test_no_pooler_is_no_error(tmp_path: Path) -> None:
    folder = write_bert(tmp_path / "bare", random_bert(has_pooler=False))
    checkpoint = opened(folder)
    assert not checkpoint.facts.has_pooler
    assert record(checkpoint.encoder, checkpoint.tokens(TEXT), "ours").pooled is None


def test_half_a_pooler_is_an_error(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    change_weights(folder, lambda tensors: {n: t for n, t in tensors.items() if n != "pooler.dense.bias"})
    with pytest.raises(WeightsError, match=r"Missing: pooler\.dense\.bias"):
        opened(folder)


def test_missing_tensors_are_an_error_that_folds_the_layers(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    change_weights(folder, lambda tensors: {n: t for n, t in tensors.items() if "self.query.weight" not in n})
    with pytest.raises(WeightsError, match=r"layers\.\{0\.\.1\}\.attention\.query\.weight") as caught:
        opened(folder)
    assert caught.value.report.missing == ("layers.{0..1}.attention.query.weight",)
    assert caught.value.hint


def test_sizes_that_disagree_with_the_tensors_are_an_error_with_both_shapes(
    tiny_bert: Path, tmp_path: Path
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    n_pieces = len(vocabulary())
    change_config(folder, vocab_size=n_pieces + 5)
    with pytest.raises(WeightsError, match=rf"\[{n_pieces}, 32\].*\[{n_pieces + 5}, 32\]") as caught:
        opened(folder)
    (mismatch,) = caught.value.report.mismatched
    assert mismatch.name == "embeddings.token.weight"


def test_tensors_nobody_knows_are_a_remark(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    change_weights(folder, lambda tensors: tensors | {"adapter.weight": torch.zeros(3)})
    checkpoint = opened(folder)
    assert checkpoint.report.unexpected == ("adapter.weight",)
    assert checkpoint.facts.remarks == ("Unknown tensors that are not used: adapter.weight.",)


def test_one_parameter_under_two_names_is_an_error_unless_both_are_the_same(
    tiny_bert: Path, tmp_path: Path
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    change_weights(folder, lambda tensors: tensors | {f"bert.{WORDS}": tensors[WORDS].clone()})
    assert opened(folder).report.unexpected == ()
    change_weights(folder, lambda tensors: tensors | {f"bert.{WORDS}": tensors[WORDS] + 1})
    with pytest.raises(CheckpointError, match="Two tensors"):
        opened(folder)


@pytest.mark.parametrize("dtype", [torch.int8, torch.bool, torch.float8_e4m3fn])
def test_quantised_weights_are_refused(tiny_bert: Path, tmp_path: Path, dtype: torch.dtype) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    change_weights(folder, lambda tensors: tensors | {WORDS: tensors[WORDS].to(dtype)})
    with pytest.raises(CheckpointError, match="cannot be computed with"):
        opened(folder)


def test_weights_survive_their_file_being_written_anew(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    checkpoint = opened(folder)
    before = _hidden(checkpoint)
    (folder / "model.safetensors").write_bytes(b"")
    np.testing.assert_array_equal(_hidden(checkpoint), before)


def test_a_copy_on_a_device_gives_the_same(tiny_bert: Path) -> None:
    checkpoint = opened(tiny_bert)
    copy = placed(checkpoint.encoder, "cpu")
    tokens = checkpoint.tokens(TEXT)
    np.testing.assert_array_equal(
        record(copy, tokens, "copy").hidden, record(checkpoint.encoder, tokens, "ours").hidden
    )


def test_a_tokenizer_beyond_the_vocabulary_is_an_error_naming_the_piece(
    tiny_bert: Path, tmp_path: Path
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    path = folder / "tokenizer.json"
    settings = json.loads(path.read_text("utf-8"))
    settings["model"]["vocab"]["zebra"] = 5000
    path.write_text(json.dumps(settings), "utf-8")
    with pytest.raises(TokenizerError, match=r"“zebra” 5000, but the weights have ids 0 to"):
        opened(folder)


def test_special_tokens_beyond_the_vocabulary_are_an_error(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    path = folder / "tokenizer.json"
    settings = json.loads(path.read_text("utf-8"))
    settings["post_processor"]["special_tokens"]["[CLS]"]["ids"] = [7000]
    path.write_text(json.dumps(settings), "utf-8")
    rules = {"tokenizer_class": "PreTrainedTokenizerFast"}  # which takes tokenizer.json as it is
    (folder / "tokenizer_config.json").write_text(json.dumps(rules), "utf-8")
    with pytest.raises(TokenizerError, match=r"“\[CLS\]” 7000"):
        opened(folder)


@pytest.mark.parametrize("key", ["do_lower_case", "strip_accents", "tokenize_chinese_chars"])
def test_tokenizer_settings_of_a_wrong_kind_are_an_error(tiny_bert: Path, tmp_path: Path, key: str) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").write_text(json.dumps({key: "yes"}))
    with pytest.raises(TokenizerError, match=f"{key} in tokenizer_config.json must be true or false"):
        opened(folder)


def test_no_tokenizer_is_an_error(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").unlink()
    with pytest.raises(AnswersError, match=r"neither tokenizer\.json nor vocab\.txt") as caught:
        opened(folder)
    assert caught.value.questions.names == ("tokenizer",)


def test_a_model_of_one_segment_reads_no_pair(tmp_path: Path) -> None:
    checkpoint = opened(write_bert(tmp_path / "one", random_bert(type_vocab_size=1)))
    assert checkpoint.tokens(TEXT).segment_ids.max() == 0
    with pytest.raises(TextError, match="one text at a time") as caught:
        checkpoint.tokens(TEXT, PAIR)
    assert caught.value.field == "pair"


def test_facts_of_the_real_checkpoint(minilm: Path) -> None:
    facts = opened(minilm).facts
    assert (facts.name, facts.family) == ("all-MiniLM-L6-v2", "BERT")
    assert (facts.n_layers, facts.n_heads, facts.width) == (6, 12, 384)
    assert (facts.vocabulary_size, facts.n_positions, facts.n_segments) == (30522, 512, 2)
    assert facts.n_parameters == 22_713_216
    assert facts.has_pooler
    assert facts.remarks == (
        "This checkpoint's pooler is not used by sentence-transformers, which pools the tokens: mean.",
        "sentence-transformers reads 256 tokens at most (max_seq_length), and so are texts read here.",
    )


def test_another_file_under_the_published_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"one")
    verify(path, "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed")
    path.write_bytes(b"other")
    with pytest.raises(CheckpointError, match="SHA-256"):
        verify(path, "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed")


@pytest.mark.parametrize(
    "modules",
    ["[", "3", '[{"type": "x.Pooling", "path": "/etc"}]', '[{"type": "Pooling", "path": "\\u0000"}]', "[7]"],
)
def test_a_strange_modules_json_leaves_out_the_sentence_vector_alone(
    tiny_bert: Path, tmp_path: Path, modules: str
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    (folder / "modules.json").write_text(modules)
    facts = opened(folder).facts
    assert not facts.has_sentence_vector
    (remark,) = facts.remarks
    assert remark.startswith("The sentence vector is not computed. ")


def test_progress_reaches_the_end_and_a_check_stops_it(tiny_bert: Path) -> None:
    from bertviz_app.checkpoint.loader import open_checkpoint
    from bertviz_app.checkpoint.sources.source import find

    reports: list[tuple[int, int]] = []
    open_checkpoint(find(str(tiny_bert)), lambda done, total: reports.append((done, total)))
    assert reports == sorted(reports)
    assert reports[-1][0] == reports[-1][1] > 0

    def check() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        open_checkpoint(find(str(tiny_bert)), check=check)


@pytest.mark.skipif(os.name == "nt", reason="links need a permission there")
@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_link_out_of_the_folder_is_refused(tiny_bert: Path, tmp_path: Path, name: str) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    (folder / name).unlink()
    (folder / name).symlink_to(tiny_bert / name)
    with pytest.raises(CheckpointError, match="link that leads out"):
        opened(folder)


def test_fewer_positions_than_special_tokens_is_an_error(tmp_path: Path) -> None:
    folder = write_bert(tmp_path / "short", random_bert(max_position_embeddings=1))
    with pytest.raises(TokenizerError, match="reads 1 tokens at most"):
        opened(folder)


def test_a_tokenizer_that_panics_is_an_error(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    path = folder / "tokenizer.json"
    settings = json.loads(path.read_text("utf-8"))
    settings["post_processor"]["special_tokens"] = {}
    path.write_text(json.dumps(settings), "utf-8")
    with pytest.raises(TokenizerError):
        opened(folder)
