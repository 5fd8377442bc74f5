"""Checkpoints of other formats: Korean files, folders of sentence encoders, questions, LoRA."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from torch import nn
from transformers import AutoTokenizer, PreTrainedModel

from bertviz_app import api
from bertviz_app.analysis.model_access import ModelAccess
from bertviz_app.checkpoint.config import seems_lower_case
from bertviz_app.checkpoint.folder import module_files
from bertviz_app.checkpoint.loader import Checkpoint, open_checkpoint
from bertviz_app.checkpoint.question_table import validate
from bertviz_app.checkpoint.questions import Answers, AnswersError, ClassOutputs, Prompt, Questions
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.checkpoint.tokenizer_files import validate_size
from bertviz_app.checkpoint.weights.shards import files_read
from bertviz_app.encoder.output import task_logits
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import CheckpointError, SelectionError, TokenizerError, TruncationWarning
from bertviz_app.text.edits import TokenIntervention
from tests.checkpoint.test_tokenizer_layouts import KoBert, read
from tests.parity.test_families import encoder_of
from tests.support.checkpoint_folders import (
    NORMALISE,
    OF_BERT,
    TARGETS,
    Module,
    change_config,
    copy_of,
    dense,
    opened,
    pooling,
    to_pickle,
    unreadable,
    write_adapter,
    write_modules,
    write_settings,
)
from tests.support.checkpoints import random_bert, write_bert
from tests.support.exactness import of_bound, passes
from tests.support.families import COMPUTED_ALIKE, FAMILIES, write_family
from tests.support.notebooks import N_HEADS, random_notebook, write_notebook
from tests.support.peers import EngineModel, compare, outputs
from tests.support.tokenizer_files import LINES, bert, sentence_pieces, write_json, write_rules

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 437955512\n"


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin", "tokenizer.json", "config.json"])
def test_a_pointer_of_git_lfs_is_refused_with_the_command_that_fetches_the_file(
    name: str, folder: Path
) -> None:
    if name == "pytorch_model.bin":
        (folder / "model.safetensors").unlink()
    (folder / name).write_text(POINTER, "utf-8")
    with pytest.raises(CheckpointError, match="pointer of git-lfs") as caught:
        opened(folder)
    assert "git lfs pull" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "number", "hint"),
    [
        ("model.safetensors", errno.EACCES, "Check the folder's permissions"),
        ("pytorch_model.bin", errno.EIO, "Fetch the file again"),
        ("tokenizer.json", errno.EACCES, "Check the folder's permissions"),
        ("config.json", errno.EIO, "Fetch the file again"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_reason(
    name: str, number: int, hint: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "pytorch_model.bin":
        to_pickle(folder)
    unreadable(monkeypatch, folder / name, number)
    with pytest.raises(CheckpointError, match=f"{name} cannot be read: {os.strerror(number)}") as caught:
        opened(folder)
    assert hint in caught.value.hint


def test_a_file_that_is_gone_when_its_size_is_asked_is_named(
    tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    monkeypatch.setattr(Path, "stat", gone)
    with pytest.raises(CheckpointError, match=r"tokenizer\.json cannot be read: No such file"):
        validate_size(tiny_bert / "tokenizer.json")


@pytest.mark.parametrize(
    ("name", "way_out"),
    [
        ("tf_model.h5", "from_tf=True"),
        ("flax_model.msgpack", "from_flax=True"),
        ("model-q4.gguf", "exported from"),
        ("model.onnx", "exported from"),
        ("openvino_model.bin", "exported from"),
        ("rust_model.ot", "exported from"),
        ("bert_model.ckpt.index", "from_tf=True"),
        ("bert_model.ckpt.meta", "from_tf=True"),
        ("bert_model.ckpt.data-00000-of-00001", "from_tf=True"),
        ("__0_0.distcp", "dcp_to_torch"),
    ],
)
def test_another_format_is_named(name: str, way_out: str, folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / name).write_bytes(b"\0" * 64)
    for ref in (folder, folder / name):
        with pytest.raises(CheckpointError, match=name.replace(".", r"\.")) as caught:
            opened(ref)
        assert way_out in caught.value.hint


@pytest.mark.parametrize("ref", [".", "bert_model.ckpt"])
def test_a_google_folder_is_named_before_its_config_is_missed(ref: str, tmp_path: Path) -> None:
    """TensorFlow names a checkpoint by what its files' names begin with."""
    for name in ("bert_config.json", "bert_model.ckpt.index", "bert_model.ckpt.data-00000-of-00001"):
        (tmp_path / name).write_bytes(b"{}")
    with pytest.raises(CheckpointError, match="TensorFlow") as caught:
        opened(tmp_path / ref)
    line = "BertForPreTraining.from_pretrained('bert_model.ckpt.index', from_tf=True, config=config)"
    assert line in caught.value.hint


def test_the_conversion_of_a_google_folder_names_the_files_that_are_there(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    for ending in ("data-00000-of-00001", "index", "meta"):
        (folder / f"model.ckpt-900.{ending}").write_bytes(b"\0" * 64)
    with pytest.raises(CheckpointError, match="TensorFlow") as caught:
        opened(folder)
    assert "from_json_file('config.json')" in caught.value.hint
    assert "from_pretrained('model.ckpt-900.index'" in caught.value.hint


@pytest.mark.parametrize(
    "name", ["onnx/model_quantized.onnx", "openvino/openvino_model.bin", "coreml/model.mlmodel"]
)
def test_a_model_exported_into_a_folder_is_named(name: str, folder: Path) -> None:
    """A repository for browsers has its weights nowhere else."""
    (folder / "model.safetensors").unlink()
    (folder / name).parent.mkdir()
    (folder / name).write_bytes(b"\0" * 64)
    with pytest.raises(CheckpointError, match=f"format of {name}") as caught:
        opened(folder)
    assert "exported from" in caught.value.hint


@pytest.mark.parametrize(
    "names", [("optimizer.pt",), ("rng_state_0.pth", "scheduler.pt", "training_args.bin")]
)
def test_the_state_of_a_training_is_not_taken_for_weights(names: tuple[str, ...], folder: Path) -> None:
    for name in names:
        torch.save({"param_groups": [{"lr": 1e-4}]}, folder / name)
    assert opened(folder), "beside weights it changes nothing"
    (folder / "model.safetensors").rename(folder / "mine.safetensors")
    assert opened(folder), "nor beside weights by another name"
    (folder / "mine.safetensors").unlink()
    for ref in (folder, folder / names[0]):
        with pytest.raises(CheckpointError, match=f"{names[0]} holds no weights") as caught:
            opened(ref)
        assert "trainer.save_model(folder)" in caught.value.hint


def test_several_files_of_weights_are_listed(folder: Path) -> None:
    weights = folder / "model.safetensors"
    for name in ("epoch-1.safetensors", "epoch-2.safetensors"):
        shutil.copy(weights, folder / name)
    weights.unlink()
    with pytest.raises(
        CheckpointError, match=r"several files of weights: epoch-1\.safetensors, ep"
    ) as caught:
        opened(folder)
    assert caught.value.hint == f"Open one of them: {folder / 'epoch-2.safetensors'}."
    assert opened(folder / "epoch-2.safetensors")


@pytest.mark.parametrize(("has_script", "ref"), [(True, "."), (False, "global_step10")])
def test_the_parts_of_deepspeed_are_known_without_their_script(
    has_script: bool, ref: str, folder: Path
) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "global_step10").mkdir()
    (folder / "global_step10" / "mp_rank_00_model_states.pt").write_bytes(b"")
    if has_script:
        (folder / "zero_to_fp32.py").write_text("")
    with pytest.raises(CheckpointError, match="processes of DeepSpeed") as caught:
        opened(folder / ref)
    script = "zero_to_fp32.py" if has_script else "-m deepspeed.utils.zero_to_fp32"
    assert f"in the folder {folder}: python {script} ." in caught.value.hint


def test_weights_alone_of_unknown_names_are_no_checkpoint(folder: Path) -> None:
    (folder / "config.json").unlink()
    (folder / "model.safetensors").unlink()
    torch.save({"embedding.weight": torch.zeros(2, 2)}, folder / "model.pt")
    with pytest.raises(CheckpointError, match=r"has no config\.json, and no layers of an encoder") as caught:
        opened(folder)
    assert "embedding.weight" in caught.value.message
    assert find(str(folder)).problem is not None


@pytest.mark.parametrize(
    "inner", [("0_Transformer",), ("checkpoint-500", "checkpoint-1000", "checkpoint-90")]
)
def test_a_checkpoint_inside_of_the_folder_is_offered(
    inner: tuple[str, ...], tiny_bert: Path, tmp_path: Path
) -> None:
    for name in inner:
        shutil.copytree(tiny_bert, tmp_path / "out" / name)
    with pytest.raises(CheckpointError, match="no checkpoint") as caught:
        opened(tmp_path / "out")
    expected = "0_Transformer" if len(inner) == 1 else "checkpoint-1000"
    assert str(tmp_path / "out" / expected) in caught.value.hint
    assert opened(tmp_path / "out" / expected)


def test_a_checkpoint_of_lightning_opens(folder: Path) -> None:
    tensors = {f"model.{name}": tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    (folder / "model.safetensors").unlink()
    content = {"epoch": 1, "global_step": 7, "state_dict": tensors, "hyper_parameters": {"lr": 1e-4}}
    torch.save(content, folder / "epoch=1.ckpt")
    of_folder, of_file = opened(folder), opened(folder / "epoch=1.ckpt")
    assert of_folder.facts.n_parameters == of_file.facts.n_parameters


SPECIAL: Mapping[str, Any] = {
    "unk_id": 0,
    "pad_id": 1,
    "bos_id": -1,
    "eos_id": -1,
    "unk_piece": "[UNK]",
    "pad_piece": "[PAD]",
    "control_symbols": ("[CLS]", "[SEP]", "[MASK]"),
}
"""The special pieces of SKT's model, in their order."""
SKT = {
    "do_lower_case": False,
    "remove_space": True,
    "keep_accents": False,
    "bos_token": "[CLS]",
    "cls_token": "[CLS]",
    "eos_token": "[SEP]",
    "sep_token": "[SEP]",
    "unk_token": "[UNK]",
    "pad_token": "[PAD]",
    "mask_token": {"content": "[MASK]", "lstrip": True, "special": True, "__type": "AddedToken"},
}
"""The tokenizer_config.json of skt/kobert-base-v1."""
PLAIN = [line for line in LINES if not any(mark in line for mark in "[]<>")]


def _pieces(model: bytes) -> list[str]:
    import sentencepiece

    reader = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [reader.id_to_piece(number) for number in range(len(reader))]


def test_skt_s_xlnet_class_is_kobert_s_layout(tmp_path: Path) -> None:
    """SKT's own class derives from XLNet's, and writes [CLS] A [SEP] B [SEP]."""
    write_rules(tmp_path, "XLNetTokenizer", **SKT)
    model = sentence_pieces(**SPECIAL)
    (tmp_path / "spiece.model").write_bytes(model)
    tokenizer, theirs = read(tmp_path), KoBert(model, _pieces(model))
    for line in PLAIN:
        assert tokenizer.encode(line).ids.tolist() == theirs(line), line
    pair = tokenizer.encode("고양이가 먹었다", "생선을")
    first, second = theirs("고양이가 먹었다"), theirs("생선을")[1:]
    assert pair.ids.tolist() == [*first, *second]
    assert pair.segment_ids.tolist() == [0] * len(first) + [1] * len(second)
    assert tokenizer.encode("이 [MASK] 것").pieces.count("[MASK]") == 1
    assert tokenizer.remarks[0].startswith("XLNetTokenizer is named, but these are KoBERT's files")


@pytest.mark.parametrize("rules", [{}, {"cls_token": "<cls>", "sep_token": "<sep>"}])
def test_another_xlnet_is_refused_without_advice_that_makes_other_ids(
    rules: Mapping[str, str], tmp_path: Path
) -> None:
    write_rules(tmp_path, "XLNetTokenizer", **rules)
    (tmp_path / "spiece.model").write_bytes(sentence_pieces(**SPECIAL))
    with pytest.raises(TokenizerError, match="XLNetTokenizer, which is not supported") as caught:
        read(tmp_path)
    assert "backend_tokenizer" not in caught.value.hint


def test_the_advice_about_another_class_keeps_the_ids(tmp_path: Path) -> None:
    """What is printed for a class that is refused, typed: here MBart's."""
    write_rules(tmp_path, None)
    trained = transformers.MBartTokenizer().train_new_from_iterator(PLAIN, 2000)
    trained.save_pretrained(tmp_path)
    with pytest.raises(TokenizerError, match="MBartTokenizer") as caught:
        read(tmp_path)
    assert "backend_tokenizer.save('tokenizer.json')" in caught.value.hint
    again = transformers.AutoTokenizer.from_pretrained(tmp_path)
    again.backend_tokenizer.save(str(tmp_path / "tokenizer.json"))
    rules = json.loads((tmp_path / "tokenizer_config.json").read_text("utf-8"))
    write_json(tmp_path / "tokenizer_config.json", rules | {"tokenizer_class": "PreTrainedTokenizerFast"})
    ours = read(tmp_path)
    for line in PLAIN[:50]:
        assert ours.encode(line).ids.tolist() == again(line)["input_ids"], line


@pytest.mark.parametrize("name", ["KoBertTokenizer", "BertTokenizer", "BertTokenizerFast"])
def test_monologg_s_kobert_opens_with_either_class(name: str, tmp_path: Path) -> None:
    """Its vocab.txt lists the pieces of the model beside it: WordPiece would find none of them."""
    write_rules(tmp_path, name)
    model = sentence_pieces(**SPECIAL)
    (tmp_path / "tokenizer_78b3253a26.model").write_bytes(model)
    (tmp_path / "vocab.txt").write_text("\n".join(_pieces(model)) + "\n", "utf-8")
    tokenizer, theirs = read(tmp_path), KoBert(model, _pieces(model))
    for line in PLAIN:
        assert tokenizer.encode(line).ids.tolist() == theirs(line), line
    assert any("are KoBERT's files" in remark for remark in tokenizer.remarks) == (name != "KoBertTokenizer")


def test_a_bert_s_own_vocabulary_beside_a_model_stays_a_bert_s(tmp_path: Path) -> None:
    bert()(tmp_path)
    expected = read(tmp_path).encode("the cat").ids.tolist()
    (tmp_path / "old.model").write_bytes(sentence_pieces(**SPECIAL))
    assert read(tmp_path).encode("the cat").ids.tolist() == expected


def test_another_model_s_vocabulary_is_remarked_at_once(tmp_path: Path) -> None:
    """Of the same size, so that nothing else shows it: nearly all words are unknown."""
    write_rules(tmp_path, "KoBertTokenizer")
    model = sentence_pieces(**SPECIAL)
    (tmp_path / "own.model").write_bytes(model)
    n_pieces = len(_pieces(model))
    others = ["[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]", *(f"w{number}" for number in range(n_pieces - 5))]
    (tmp_path / "vocab.txt").write_text("\n".join(others), "utf-8")
    remarks = read(tmp_path).remarks
    assert any(f"vocab.txt lacks {n_pieces - 5} of the {n_pieces} pieces" in remark for remark in remarks)


def test_etri_s_files_are_named_for_what_they_are(tiny_bert: Path, tmp_path: Path) -> None:
    torch.save(_state(tiny_bert), tmp_path / "pytorch_model.bin")
    shutil.copy(tiny_bert / "config.json", tmp_path / "bert_config.json")
    (tmp_path / "vocab.korean.rawtext.list").write_text("[PAD]\t0\n고양이_\t10\n", "utf-8")
    with pytest.raises(CheckpointError, match=r"ETRI's KorBERT: bert_config\.json holds its sizes") as caught:
        opened(tmp_path)
    assert "vocab.korean.rawtext.list" in caught.value.message
    assert "would give other IDs" in caught.value.hint
    (tmp_path / "bert_config.json").rename(tmp_path / "config.json")
    with pytest.raises(CheckpointError, match=r"ETRI's KorBERT: config\.json holds its sizes"):
        opened(tmp_path)


def test_a_class_of_transformers_without_a_family_is_read_by_it_with_a_remark(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = opened(folder).facts.fingerprint
    change_config(folder, model_type=..., architectures=["BertForMaskedLM"])
    facts = opened(folder).facts
    assert facts.fingerprint == expected
    assert any("its “architectures” are of BERT" in remark for remark in facts.remarks)
    assert find(str(folder)).family == "BERT"
    with monkeypatch.context() as patch:
        patch.setenv("BERTVIZ_APP_SAFE", "yes")  # without what recognises models by their weights, too
        assert opened(folder).facts.fingerprint == expected
    change_config(folder, architectures=["BertForMaskedLM", "RobertaModel"])
    with pytest.raises(CheckpointError, match="does not say what family"):
        opened(folder)


def test_weights_without_a_tensor_are_named_and_not_asked_about(folder: Path) -> None:
    change_config(folder, model_type=..., architectures=...)
    save_file({}, folder / "model.safetensors")
    with pytest.raises(CheckpointError, match=r"There is no tensor in model\.safetensors"):
        opened(folder)


def test_without_a_tokenizer_weights_of_ones_own_ask_for_its_folder(tiny_bert: Path, tmp_path: Path) -> None:
    """As AllenNLP leaves them."""
    prefix = "_text_field_embedder.token_embedder_tokens.transformer_model."
    tensors = {prefix + name: tensor for name, tensor in _state(tiny_bert).items()}
    torch.save(tensors, tmp_path / "weights.th")
    (tmp_path / "config.json").write_text('{"dataset_reader": {}, "model": {}}', "utf-8")
    with pytest.raises(AnswersError, match=r"There is no tokenizer .* --tokenizer FOLDER"):
        opened(tmp_path)


def test_google_s_name_of_the_configuration_is_named_and_the_advice_opens(folder: Path) -> None:
    change_config(folder, model_type=..., architectures=...)
    (folder / "config.json").rename(folder / "bert_config.json")
    with pytest.raises(CheckpointError, match=r"Google's bert_config\.json in place") as caught:
        opened(folder)
    assert '"model_type": "bert"' in caught.value.hint
    (folder / "bert_config.json").rename(folder / "config.json")
    change_config(folder, model_type="bert")
    assert opened(folder).facts.family == "BERT"


def test_a_longer_table_of_positions_is_named_and_the_advice_opens(folder: Path) -> None:
    """BertSum makes the table of BERT longer, for documents, and keeps its config.json."""
    n_positions = json.loads((folder / "config.json").read_text("utf-8"))["max_position_embeddings"]
    change_config(folder, max_position_embeddings=n_positions // 2)
    with pytest.raises(CheckpointError) as caught:
        opened(folder)
    assert f"let “max_position_embeddings” in config.json be {n_positions}" in caught.value.hint
    change_config(folder, max_position_embeddings=n_positions)
    assert opened(folder).encoder.config.n_positions == n_positions


def _state(folder: Path) -> dict[str, torch.Tensor]:
    """Return the state dict of the notebook's classifier: `bert` and a dense layer for 7 classes."""
    model = transformers.BertModel.from_pretrained(folder)
    torch.manual_seed(3)
    classifier = nn.Linear(model.config.hidden_size, 7)
    found = {f"bert.{name}": tensor for name, tensor in model.state_dict().items()}
    return found | {f"classifier.{name}": tensor for name, tensor in classifier.state_dict().items()}


def _notebook(tiny_bert: Path, to: Path, content: object, name: str) -> Path:
    """Return a folder with a file of the notebook and a tokenizer, without config.json."""
    folder = copy_of(tiny_bert, to)
    for other in ("config.json", "model.safetensors"):
        (folder / other).unlink()
    torch.save(content, folder / name)
    return folder


def _expected(folder: Path, reads: str, ids: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the notebook's logits by `transformers` and a product written down."""
    model = transformers.BertModel.from_pretrained(folder).eval()
    state = _state(folder)
    with torch.no_grad():
        output = model(torch.from_numpy(ids.astype(np.int64))[None])
    vector = {
        "pooled": output.pooler_output[0],
        "first": output.last_hidden_state[0, 0],
        "mean": output.last_hidden_state[0].mean(0),
    }[reads]
    logits = vector @ state["classifier.weight"].T + state["classifier.bias"]
    return np.asarray(logits.detach().numpy())


def _classes(checkpoint: Checkpoint, text: str = "the cat sat") -> np.ndarray[Any, Any]:
    trace = record(checkpoint.encoder, checkpoint.tokens(text), "ours")
    classes = task_logits(checkpoint.task_heads, trace, checkpoint.meaning).classes
    assert classes is not None
    return classes


@pytest.mark.parametrize(("reads", "is_wrapped"), [("pooled", False), ("first", True), ("mean", False)])
def test_a_state_dict_of_skt_s_notebook_opens_with_its_classifier(
    is_wrapped: bool, reads: Any, tiny_bert: Path, tmp_path: Path
) -> None:
    state = _state(tiny_bert)
    content = {"model": state, "optimizer": {"state": {}, "param_groups": []}} if is_wrapped else state
    folder = _notebook(tiny_bert, tmp_path, content, "all.tar" if is_wrapped else "model_state_dict.pt")
    source = find(str(folder))
    assert source.asks
    assert source.problem is None
    with pytest.raises(AnswersError) as caught:
        open_checkpoint(source)
    assert set(caught.value.questions.unanswered) == {"n_heads", "classifier_reads"}
    assert caught.value.questions.n_classes == 7
    n_heads = json.loads((tiny_bert / "config.json").read_text("utf-8"))["num_attention_heads"]
    labels = tuple(f"감정 {number}" for number in range(7))
    answers = Answers(n_heads=n_heads, classifier_reads=reads, labels=labels)
    checkpoint = open_checkpoint(source, answers=answers)
    assert checkpoint.meaning.labels == labels
    ids = checkpoint.tokens("the cat sat").ids
    np.testing.assert_allclose(_classes(checkpoint), _expected(tiny_bert, reads, ids), atol=1e-5)
    assert any("layer_norm_eps = 1e-12, hidden_act = gelu" in remark for remark in checkpoint.facts.remarks)
    unused = open_checkpoint(source, answers=replace(answers, classifier_reads="none", labels=None))
    assert unused.task_heads.names() == ()
    assert any("not used: classifier" in remark for remark in unused.facts.remarks)


OUTPUTS: tuple[ClassOutputs, ...] = ("sigmoid", "number")
SEVERAL: tuple[ClassOutputs | None, ...] = (None, "softmax")


def test_one_output_is_a_class_or_a_number_as_the_user_says(tiny_bert: Path, tmp_path: Path) -> None:
    state = {
        name: tensor[:1] if name.startswith("classifier.") else tensor
        for name, tensor in _state(tiny_bert).items()
    }
    source = find(str(_notebook(tiny_bert, tmp_path, state, "model.bin")))
    answers = Answers(n_heads=4, classifier_reads="pooled")
    with pytest.raises(AnswersError) as caught:
        open_checkpoint(source, answers=answers)
    assert caught.value.questions.unanswered == ("outputs",)
    assert "--classifier-outputs sigmoid (or number)" in caught.value.hint
    found = {}
    for kind in OUTPUTS:
        model = api.open_model(str(source.folder), "cpu", n_heads=4, classifier_reads="pooled", outputs=kind)
        found[kind] = model.classify("the cat sat")
    assert (found["sigmoid"].problem, found["number"].problem) == ("multi_label_classification", "regression")
    number = found["number"].labels[0].value
    assert found["sigmoid"].labels[0].value == pytest.approx(1 / (1 + np.exp(-number)))
    with pytest.raises(CheckpointError, match="cannot be “softmax” for this checkpoint"):
        open_checkpoint(source, answers=replace(answers, outputs="softmax"))
    unused = open_checkpoint(source, answers=replace(answers, classifier_reads="none"))
    assert unused.task_heads.names() == ()


def test_several_outputs_may_each_have_a_sigmoid(tiny_bert: Path, folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    torch.save(_state(tiny_bert), folder / "model_state_dict.pt")
    change_config(folder, architectures=["BertModel"], problem_type="multi_label_classification")
    for outputs_are in SEVERAL:
        model = api.open_model(str(folder), "cpu", classifier_reads="pooled", outputs=outputs_are)
        classes = model.classify("the cat sat")
        kind = "single_label_classification" if outputs_are else "multi_label_classification"
        assert classes.problem == kind
        assert (sum(one.value for one in classes.labels) == pytest.approx(1)) == bool(outputs_are)
    change_config(folder, problem_type=None)
    classes = api.open_model(str(folder), "cpu", classifier_reads="pooled").classify("the cat sat")
    assert classes.problem == "single_label_classification"


def test_a_head_outside_of_an_encoder_by_another_name_is_found(tiny_bert: Path, tmp_path: Path) -> None:
    state = {
        name.replace("bert.", "backbone.", 1).replace("classifier.", "fc."): tensor
        for name, tensor in _state(tiny_bert).items()
    }
    folder = _notebook(tiny_bert, tmp_path, state, "model.pt")
    checkpoint = open_checkpoint(find(str(folder)), answers=Answers(n_heads=4, classifier_reads="pooled"))
    ids = checkpoint.tokens("the cat sat").ids
    np.testing.assert_allclose(_classes(checkpoint), _expected(tiny_bert, "pooled", ids), atol=1e-5)


@pytest.mark.parametrize("words", ["theirs", "others"])
def test_every_key_of_a_configuration_without_a_family_is_used_or_named(words: str, tmp_path: Path) -> None:
    model = random_bert(layer_norm_eps=1e-3, hidden_act="relu")
    folder = write_bert(tmp_path, model)
    theirs = model.config.to_dict()
    stated = {key: theirs[key] for key in ("num_attention_heads", "layer_norm_eps", "hidden_act")}
    if words == "others":
        stated = dict(zip(("n_heads", "layer_norm_epsilon", "activation"), stated.values(), strict=True))
        stated["n_layers"] = 2
    stated |= {"vocab_size": theirs["vocab_size"], "hidden_size": 32, "gadget": 7}
    (folder / "config.json").write_text(json.dumps(stated), "utf-8")
    checkpoint = opened(folder)
    trace = record(checkpoint.encoder, checkpoint.tokens("the cat sat"), "ours")
    ids = torch.from_numpy(trace.tokens.ids.astype(np.int64))[None]
    theirs, exact = passes(model, lambda: model(ids).last_hidden_state[0].numpy())
    assert of_bound([trace.hidden[-1]], [theirs], [exact]) <= 1
    said = " ".join(checkpoint.facts.remarks)
    assert "not known here: gadget." in said
    assert "BERT's own configuration" not in said
    (folder / "config.json").write_text(json.dumps({**stated, "n_layers": 3}), "utf-8")
    with pytest.raises(CheckpointError, match=r"n_layers in config\.json is 3, but the weights make it 2"):
        opened(folder)


def test_what_bert_s_own_configuration_adds_is_named(tmp_path: Path) -> None:
    folder = write_bert(tmp_path)
    both = {"layer_norm_eps": "layer_norm_eps = 1e-12", "hidden_act": "hidden_act = gelu"}
    for stated in ({}, {"hidden_act": "relu"}, {"layer_norm_eps": 1e-5}):
        (folder / "config.json").write_text(json.dumps({"num_attention_heads": 4, **stated}), "utf-8")
        added = ", ".join(said for key, said in both.items() if key not in stated)
        assert any(remark.endswith(f"own configuration: {added}.") for remark in opened(folder).facts.remarks)


def test_a_key_that_a_model_of_ones_own_does_not_use_is_named(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook("a"))
    change_config(folder, gadget=7)
    assert any("not known here: gadget." in remark for remark in opened(folder).facts.remarks)


@pytest.mark.parametrize("kind", ["roberta", "one segment"])
def test_shapes_of_another_family_need_its_configuration(kind: str, tiny_bert: Path, tmp_path: Path) -> None:
    state = _state(tiny_bert)
    if kind == "roberta":
        state = {name.replace("bert.", "roberta.", 1): tensor for name, tensor in state.items()}
    else:
        state["bert.embeddings.token_type_embeddings.weight"] = torch.zeros(1, 32)
    folder = _notebook(tiny_bert, tmp_path, state, "model.pt")
    with pytest.raises(CheckpointError, match="not those of a BERT") as caught:
        open_checkpoint(find(str(folder)), answers=Answers(n_heads=4, classifier_reads="none"))
    assert "Put the config.json" in caught.value.hint


def test_a_classifier_beside_the_base_s_configuration_is_asked_about(tiny_bert: Path, folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    change_config(folder, architectures=["BertModel"])
    torch.save(_state(tiny_bert), folder / "model_state_dict.pt")
    plain = opened(folder)
    assert any("there are 7 outputs (classifier)" in remark for remark in plain.facts.remarks)
    assert plain.facts.questions is not None
    assert plain.facts.questions.unanswered == ()
    assert plain.task_heads.names() == ()
    answered = open_checkpoint(find(str(folder)), answers=Answers(classifier_reads="pooled"))
    ids = answered.tokens("the cat sat").ids
    np.testing.assert_allclose(_classes(answered), _expected(tiny_bert, "pooled", ids), atol=1e-5)
    with pytest.raises(CheckpointError, match="says itself") as caught:
        open_checkpoint(find(str(folder)), answers=Answers(n_heads=4))
    assert "--heads" in caught.value.hint


WIDTH = 32
TEXT = "The cat ate the fish because it was hungry"
MEAN = pooling(WIDTH, "mean")


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    write_family(tmp_path, "bert")
    write_modules(tmp_path, MEAN, NORMALISE)
    return tmp_path


def test_the_transformer_of_an_older_folder_has_the_modules_around_it(tmp_path: Path) -> None:
    write_family(tmp_path / "0_Transformer", "bert")
    write_modules(tmp_path, pooling(WIDTH, "max"), path="0_Transformer")
    trace = api.open_model(str(tmp_path / "0_Transformer"), "cpu").trace(TEXT)
    assert trace.sentence_vector is not None
    np.testing.assert_array_equal(trace.sentence_vector, trace.hidden[-1].max(0))


def test_a_text_is_cut_at_the_length_of_the_folder(sentences: Path) -> None:
    write_settings(sentences / "sentence_bert_config.json", max_seq_length=6, do_lower_case=False)
    model = api.open_model(str(sentences), "cpu")
    with pytest.warns(TruncationWarning, match="5 tokens were left out"):
        trace = model.trace(TEXT)
    assert (trace.n_tokens, trace.tokens.n_left_out) == (6, 5)
    assert "sentence-transformers reads 6 tokens at most" in model.facts.remarks[-1]


def test_weights_that_are_not_finite_give_no_vector_and_a_remark(sentences: Path) -> None:
    damaged = dense(32, 8)
    damaged.tensors["linear.weight"][0, 0] = float("nan")
    write_modules(sentences, MEAN, damaged)
    model = api.open_model(str(sentences), "cpu")
    assert any("linear.weight in a module of modules.json is not finite" in r for r in model.facts.remarks)
    assert model.trace("the cat").sentence_vector is None


def test_a_vector_that_is_not_finite_is_refused(sentences: Path) -> None:
    huge = dense(32, 8, "linear.Identity")
    huge.tensors["linear.weight"].fill_(3e38)
    write_modules(sentences, MEAN, huge)
    model = api.open_model(str(sentences), "cpu")
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


def test_prompts_are_offered_and_never_added_by_themselves(sentences: Path) -> None:
    prompts = {"query": "query: ", "passage": "passage: ", "document": ""}
    settings = {"prompts": prompts, "default_prompt_name": "query"}
    write_settings(sentences / "config_sentence_transformers.json", **settings)
    model = api.open_model(str(sentences), "cpu")
    assert model.facts.prompts == (Prompt("query", "query: "), Prompt("passage", "passage: "))
    assert model.trace(TEXT).tokens.text == TEXT
    assert model.trace(TEXT, prompt="passage").tokens.text == f"passage: {TEXT}"
    assert "begins each text with the prompt “query”" in model.facts.remarks[-1]
    with pytest.raises(SelectionError, match="no prompt “search”") as caught:
        model.trace(TEXT, prompt="search")
    assert caught.value.hint == "It has query, passage."


DROPPED = {(): 3, (2,): 2, (1, 4): 2, (1, 2): 1, (4,): 3}
"""Dropped tokens of "the fish the cat ...", and how many are left of [CLS] and the prompt."""


def _without_prompt(folder: Path, *modules: Module) -> EngineModel:
    """Return a model that leaves the prompt "the fish " out of its pooling."""
    write_family(folder, "bert")
    write_modules(folder, Module("Pooling", {**(MEAN.settings or {}), "include_prompt": False}), *modules)
    write_settings(folder / "config_sentence_transformers.json", prompts={"query": "the fish "})
    return EngineModel(folder)


def test_dropping_a_token_of_the_prompt_leaves_no_other_one_out(tmp_path: Path) -> None:
    plain, dense_too = (_without_prompt(tmp_path / str(n), *([dense(WIDTH, 8)] * n)) for n in (0, 1))
    for dropped, n_of_prompt in DROPPED.items():
        drops = [TokenIntervention(at, "drop") for at in dropped]
        trace, other = (one.trace(TEXT, prompt="query", interventions=drops) for one in (plain, dense_too))
        mean = trace.hidden[-1][n_of_prompt:].mean(0)
        assert trace.sentence_vector is not None
        np.testing.assert_allclose(trace.sentence_vector, mean, atol=1e-6)
        shares = plain.with_model(trace, partial(ModelAccess.pooling_shares, trace=trace))
        assert (shares == 0).tolist() == [at < n_of_prompt for at in range(trace.n_tokens)]
        parameters = dense_too.engine.parameters(dense_too.ref, other)
        key = next(entry.key for entry in parameters.table if entry.key.startswith("sentence"))
        np.testing.assert_allclose(parameters.product(other, key, 0, 0).inputs, mean, atol=1e-6)


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
    modules: tuple[Module, ...], words: str, sentences: Path
) -> None:
    write_modules(sentences, *modules)
    checkpoint = opened(sentences)
    assert checkpoint.sentence is None
    (remark,) = checkpoint.facts.remarks
    assert remark.startswith("The sentence vector is not computed. ")
    assert words in remark


def test_weights_that_are_too_many_or_too_few_are_named(sentences: Path) -> None:
    layer = dense(WIDTH, 4)
    write_modules(sentences, MEAN, layer)
    path = sentences / "2_Dense" / "model.safetensors"
    for tensors, words in (
        ({"linear.weight": layer.tensors["linear.weight"]}, "lacks linear.bias"),
        ({**layer.tensors, "linear.scale": torch.ones(1)}, "not known: linear.scale"),
    ):
        save_file(tensors, path)
        assert words in opened(sentences).facts.remarks[0]


def test_weights_in_the_older_format_and_in_half_precision(sentences: Path) -> None:
    layer = dense(WIDTH, 4)
    write_modules(sentences, MEAN, Module("Dense", layer.settings))
    halves = {name: tensor.half() for name, tensor in layer.tensors.items()}
    torch.save(halves, sentences / "2_Dense" / "pytorch_model.bin")
    vector = opened(sentences).sentence
    assert vector is not None
    weight = vector.state_dict()["steps.0.linear.weight"]
    assert torch.equal(weight, halves["linear.weight"].float())


@pytest.mark.parametrize("settings", [{"max_seq_length": 0}, {"max_seq_length": "6"}])
def test_a_longest_input_that_is_none_is_refused(settings: dict[str, object], sentences: Path) -> None:
    write_settings(sentences / "sentence_bert_config.json", **settings)
    with pytest.raises(CheckpointError, match="max_seq_length"):
        opened(sentences)


def test_checkpoints_with_other_sentence_vectors_have_other_fingerprints(sentences: Path) -> None:
    found = {opened(sentences).facts.fingerprint}
    for modules in ((pooling(WIDTH, "cls"),), (pooling(WIDTH, "cls"), dense(WIDTH, 4)), ()):
        write_modules(sentences, *modules)
        found.add(opened(sentences).facts.fingerprint)
    write_modules(sentences, pooling(WIDTH, "cls"), dense(WIDTH, 4, seed=1))
    assert opened(sentences).facts.fingerprint not in found
    assert len(found) == 4


def test_the_files_of_modules_are_part_of_the_checkpoint(sentences: Path) -> None:
    write_modules(sentences, MEAN, dense(WIDTH, 4))
    read = {path.relative_to(sentences).as_posix() for path in files_read(sentences)}
    weights = "2_Dense/model.safetensors"
    assert {"modules.json", "1_Pooling/config.json", "2_Dense/config.json", weights} <= read
    names = ["modules.json", "1_Pooling/config.json", weights, "2_Dense/pytorch_model.bin"]
    assert module_files([*names, "onnx/model.onnx", "a/b/config.json"]) == names[1:3]
    assert module_files(names[1:]) == []


def _questions_of(folder: Path) -> Questions:
    with pytest.raises(AnswersError) as raised:
        opened(folder)
    return raised.value.questions


def test_questions_without_an_answer_are_unanswered() -> None:
    assert Questions(768).unanswered == ("n_heads", "norm_eps", "lower_case")
    assert Questions(768, names=("n_heads", "norm_eps")).unanswered == ("n_heads", "norm_eps")
    assert Questions(768, Answers(12, 1e-12, False)).unanswered == ()


def test_the_counts_that_are_offered_make_heads_of_usual_widths() -> None:
    counts = Questions(768).head_counts()
    assert counts[0] == 12
    assert set(counts) == {6, 8, 12, 16, 24, 32, 48, 64, 96}
    assert Questions(32).head_counts() == (1, 2, 4)
    assert Questions(7).head_counts() == (1, 7), "none is usual: all that there are"


def test_the_facts_of_an_opened_notebook_have_the_answers_in_force(tmp_path: Path) -> None:
    facts = opened(write_notebook(tmp_path, random_notebook("a"))).facts
    assert facts.questions is not None
    assert facts.questions.in_force == Answers(N_HEADS, 1e-6, True)
    assert facts.questions.n_shared == 24


def test_an_impossible_count_of_heads_opens_the_questions_again(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook("c"))
    change_config(folder, n_heads=7)
    questions = _questions_of(folder)
    assert questions.in_force.n_heads == 7
    assert questions.unanswered == ()


def test_a_tokenizer_config_with_the_letter_case_leaves_no_question_of_it(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook("c"), config={"eps": 1e-5})
    assert _questions_of(folder).unanswered == ("n_heads", "lower_case")
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": false}', encoding="utf-8")
    assert _questions_of(folder).unanswered == ("n_heads",)


@pytest.mark.parametrize(
    ("pieces", "seems"),
    [
        (("[PAD]", "[UNK]", "<S>", "the", "##s"), True),
        (("[UNK]", "the", "The"), False),
        (("[UNK]", "고양이"), False),
        (("[UNK]", "\u1100\u1161"), True),
        (("[UNK]", "고양이", "\u1100\u1161"), None),
        (("[PAD]", "1", "猫"), None),
    ],
)
def test_the_letter_case_of_a_vocabulary_is_found_in_its_pieces(
    tmp_path: Path, pieces: tuple[str, ...], seems: bool | None
) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(pieces), encoding="utf-8")
    assert seems_lower_case(path) is seems


def test_an_impossible_answer_is_named_without_its_control_characters() -> None:
    questions = Questions(32, choices={"activation": ("relu", "gelu")}, names=("activation",))
    with pytest.raises(AnswersError, match="--activation cannot be") as raised:
        validate(questions, Answers(activation="\x00"))
    assert raised.value.message.isprintable()


def _difference(checkpoint: Checkpoint, merged: PreTrainedModel, folder: Path) -> float:
    """Return the distance from what the merged model computes, as a share of what it may be."""
    tokens = checkpoint.tokens(TEXT)
    inputs = AutoTokenizer.from_pretrained(folder)(TEXT, return_tensors="pt")
    assert tokens.ids.tolist() == inputs["input_ids"][0].tolist()
    both = passes(merged, lambda: outputs(encoder_of(merged), **inputs))
    return compare(record(checkpoint.encoder, tokens, "ours"), *both).of_bound


@pytest.mark.parametrize("family", sorted({*FAMILIES} - COMPUTED_ALIKE))
def test_the_numbers_are_those_of_the_merged_model(family: str, tmp_path: Path) -> None:
    base, folder = tmp_path / "base", tmp_path / "adapter"
    plain = write_family(base, family)
    merged = write_adapter(folder, base, target_modules=TARGETS.get(family, OF_BERT))
    checkpoint = opened(folder)
    assert _difference(checkpoint, merged, base) <= 1
    if family == "bert":
        assert _difference(checkpoint, plain, base) > 1000
    assert any("LoRA is added to" in remark for remark in checkpoint.facts.remarks)


VARIANTS: dict[str, dict[str, Any]] = {
    "rslora": {"use_rslora": True},
    "patterns": {
        "rank_pattern": {"query": 2, r"layer\.1\.attention\.self\.value": 8},
        "alpha_pattern": {"encoder.layer.0.attention.self.query": 20, ".*word_embeddings": 3},
    },
    "modules_to_save": {"modules_to_save": ["pooler", "LayerNorm"]},
    "bias of all": {"bias": "all"},
    "bias of lora": {"bias": "lora_only"},
    "bias of B": {"lora_bias": True, "target_modules": ["query", "value", "dense"]},
    "fan_in_fan_out": {"fan_in_fan_out": True},
    "dora": {"use_dora": True},
    "orthogonal": {"init_lora_weights": "orthogonal"},
    "all linear": {"target_modules": "all-linear"},
}


@pytest.mark.parametrize("name", VARIANTS)
def test_every_setting_of_a_lora_is_applied(name: str, tmp_path: Path) -> None:
    base, folder = tmp_path / "base", tmp_path / "adapter"
    write_family(base, "bert")
    merged = write_adapter(folder, base, **{"target_modules": OF_BERT} | VARIANTS[name])
    assert _difference(opened(folder), merged, base) <= 1


def test_a_dora_is_added_to_the_matrix_that_deberta_shares_between_its_heads(tmp_path: Path) -> None:
    base, folder = tmp_path / "base", tmp_path / "adapter"
    write_family(base, "deberta")
    merged = write_adapter(folder, base, use_dora=True)  # of in_proj, which PEFT takes by itself
    assert _difference(opened(folder), merged, base) <= 1


def test_a_lora_without_columns_for_that_matrix_is_refused(tmp_path: Path) -> None:
    base, folder = tmp_path / "base", tmp_path / "adapter"
    write_family(base, "deberta")
    write_adapter(folder, base)
    path = folder / "adapter_model.safetensors"
    factors = load_file(path)
    save_file({name: part[:, :0] if "lora_A" in name else part for name, part in factors.items()}, path)
    with pytest.raises(CheckpointError, match="where the checkpoint has"):
        opened(folder)
