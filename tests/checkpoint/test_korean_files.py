"""What Korean students' folders hold: KoBERT's, ETRI's, and state dicts saved in SKT's notebook."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from torch import nn

from bertviz_app import open_model
from bertviz_app.checkpoint.answers import Answers
from bertviz_app.checkpoint.loader import Checkpoint, open_checkpoint
from bertviz_app.checkpoint.questions import AnswersError
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.encoder.output import task_logits
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import CheckpointError, TokenizerError
from tests.checkpoint.test_tokenizer_layouts import KoBert, read
from tests.support.checkpoint_folders import change_config, copy_of, opened
from tests.support.tokenizer_layouts import LINES, bert, sentence_pieces, write_json, write_rules

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


def test_google_s_name_of_the_configuration_is_named_and_the_advice_opens(
    tiny_bert: Path, tmp_path: Path
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    change_config(folder, model_type=..., architectures=...)
    (folder / "config.json").rename(folder / "bert_config.json")
    with pytest.raises(CheckpointError, match=r"Google's bert_config\.json in place") as caught:
        opened(folder)
    assert '"model_type": "bert"' in caught.value.hint
    (folder / "bert_config.json").rename(folder / "config.json")
    change_config(folder, model_type="bert")
    assert opened(folder).facts.family == "BERT"


def test_a_longer_table_of_positions_is_named_and_the_advice_opens(tiny_bert: Path, tmp_path: Path) -> None:
    """BertSum makes the table of BERT longer, for documents, and keeps its config.json."""
    folder = copy_of(tiny_bert, tmp_path)
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


@pytest.mark.parametrize("reads", ["pooled", "first", "mean"])
@pytest.mark.parametrize("is_wrapped", [False, True])
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
    assert any("epsilon 1e-12" in remark for remark in checkpoint.facts.remarks)
    unused = open_checkpoint(source, answers=replace(answers, classifier_reads="none", labels=None))
    assert unused.task_heads.names() == ()
    assert any("not used: classifier" in remark for remark in unused.facts.remarks)


def test_the_command_line_s_answers_open_it_too(tiny_bert: Path, tmp_path: Path) -> None:
    folder = _notebook(tiny_bert, tmp_path, _state(tiny_bert), "model_state_dict.pt")
    model = open_model(folder, n_heads=4, classifier_reads="pooled")
    assert model.facts.family == "BERT"


def test_a_head_outside_of_an_encoder_by_another_name_is_found(tiny_bert: Path, tmp_path: Path) -> None:
    state = {
        name.replace("bert.", "backbone.", 1).replace("classifier.", "fc."): tensor
        for name, tensor in _state(tiny_bert).items()
    }
    folder = _notebook(tiny_bert, tmp_path, state, "model.pt")
    checkpoint = open_checkpoint(find(str(folder)), answers=Answers(n_heads=4, classifier_reads="pooled"))
    ids = checkpoint.tokens("the cat sat").ids
    np.testing.assert_allclose(_classes(checkpoint), _expected(tiny_bert, "pooled", ids), atol=1e-5)


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


def test_a_classifier_beside_the_base_s_configuration_is_asked_about(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
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
