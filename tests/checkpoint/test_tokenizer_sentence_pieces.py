"""Checkpoints with a SentencePiece model for a vocabulary: notebooks' ones, and those of families."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bertviz_app.checkpoint.folder import tokenizer_in
from bertviz_app.checkpoint.loader import Checkpoint
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import CheckpointError, TokenizerError
from tests.support import sentence_piece_models as sentence_pieces
from tests.support.checkpoint_folders import copy_of, opened
from tests.support.families import write_family
from tests.support.notebooks import KINDS, N_PIECES, random_notebook, write_notebook
from tests.support.sentence_piece_models import Settings, processor, write_model

TEXT, PAIR = "고양이가 배가 고파서 the fish를 먹었다", "it was hungry"


def with_model(folder: Path, name: str, special: Settings, size: int = 120) -> Path:
    """Put a SentencePiece model into `folder` in the place of the other files of a tokenizer."""
    for other in ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "vocab.json", "merges.txt"):
        (folder / other).unlink(missing_ok=True)
    return write_model(
        folder / name, "bpe" if name == "kowiki.model" else "unigram", special, vocab_size=size
    )


def _ids(checkpoint: Checkpoint, text: str = TEXT) -> list[int]:
    ids: list[int] = checkpoint.tokens(text).ids.tolist()
    return ids


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebooks_model_opens_with_its_kowiki_model(kind: str, tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook(kind))
    path = with_model(folder, "kowiki.model", sentence_pieces.NOTEBOOK, size=N_PIECES)
    checkpoint, reader = opened(folder), processor(path)
    assert _ids(checkpoint) == [5, *reader.encode(TEXT), 4]  # [CLS] and [SEP] are its sixth and fifth
    trace = record(checkpoint.encoder, checkpoint.tokens(TEXT, PAIR), "ours")
    assert trace.tokens.segment_ids.tolist()[-1] == 1


@pytest.mark.parametrize(
    ("family", "name", "special", "shift"),
    [
        ("xlm-roberta", "sentencepiece.bpe.model", sentence_pieces.XLM_ROBERTA, 1),
        ("camembert", "sentencepiece.bpe.model", sentence_pieces.XLM_ROBERTA, 4),
        ("albert", "spiece.model", sentence_pieces.ALBERT, 0),
        ("deberta-v2", "spm.model", sentence_pieces.DEBERTA, 0),
    ],
)
def test_a_family_opens_without_tokenizer_json(
    family: str, name: str, special: Settings, shift: int, tmp_path: Path
) -> None:
    write_family(tmp_path, family, vocab_size=300)
    reader = processor(with_model(tmp_path, name, special))
    checkpoint = opened(tmp_path)
    unknown = 1 if family == "albert" else 3
    if family == "deberta-v2":  # its mask is no piece of the model's
        assert checkpoint.tokenizer.piece("[MASK]") == ("[MASK]", reader.get_piece_size())
    theirs = [number + shift if number != reader.unk_id() else unknown for number in reader.encode(PAIR)]
    assert _ids(checkpoint, PAIR)[1:-1] == theirs
    assert record(checkpoint.encoder, checkpoint.tokens(TEXT, PAIR), "ours").n_layers == 3


def test_tokenizer_config_decides_letter_case_and_accents(tmp_path: Path) -> None:
    write_family(tmp_path, "albert", vocab_size=300)
    with_model(tmp_path, "spiece.model", sentence_pieces.ALBERT)
    small = _ids(opened(tmp_path), "The CÅT")
    assert small == _ids(opened(tmp_path), "the cat")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": False}), encoding="utf-8")
    assert _ids(opened(tmp_path), "The CAT") != small
    assert _ids(opened(tmp_path), "thé cåt") == small
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"keep_accents": True}), encoding="utf-8")
    assert _ids(opened(tmp_path), "thé cåt") != small


@pytest.mark.parametrize("is_same", [True, False])
def test_a_vocab_txt_numbers_the_pieces(is_same: bool, tmp_path: Path) -> None:
    """KoBERT's layout: the weights were trained with the ids of vocab.txt, the model only splits."""
    folder = write_notebook(tmp_path, random_notebook(next(iter(KINDS))))
    reader = processor(with_model(folder, "kowiki.model", sentence_pieces.NOTEBOOK, size=N_PIECES))
    pieces = [reader.id_to_piece(number) for number in range(len(reader))]
    if not is_same:
        pieces[4:] = reversed(pieces[4:])
    (folder / "vocab.txt").write_text("\n".join(pieces), "utf-8")
    checkpoint = opened(folder)
    written = ["[CLS]", *reader.encode(TEXT, out_type=str), "[SEP]"]
    unknown = pieces.index("[UNK]")
    expected = [pieces.index(piece) if piece in pieces else unknown for piece in written]
    assert _ids(checkpoint) == expected
    assert (expected == [5, *reader.encode(TEXT), 4]) == is_same
    remarks = [remark for remark in checkpoint.facts.remarks if "differently" in remark]
    assert [remark.startswith("vocab.txt and kowiki.model") for remark in remarks] == [True] * (not is_same)


def test_a_model_beside_the_files_of_another_class_has_a_remark(tiny_bert: Path, tmp_path: Path) -> None:
    """Without a named class `transformers` takes a BERT's vocab.txt for a WordPiece vocabulary."""
    folder = copy_of(tiny_bert, tmp_path)
    reader = processor(with_model(folder, "own.model", sentence_pieces.NOTEBOOK, size=120))
    pieces = [reader.id_to_piece(number) for number in range(len(reader))]
    (folder / "vocab.txt").write_text("\n".join(pieces), "utf-8")
    expected = "texts are split by own.model. transformers would read a BertTokenizer."
    assert any(expected in remark for remark in opened(folder).facts.remarks)
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "KoBertTokenizer"}), "utf-8")
    assert not any("transformers would read" in remark for remark in opened(folder).facts.remarks)


def test_tokenizer_json_comes_first_and_vocab_txt_after_it(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    write_model(folder / "spiece.model")
    assert tokenizer_in(folder).name == "tokenizer.json"
    (folder / "tokenizer.json").unlink()
    assert (folder / "vocab.txt").is_file()
    assert tokenizer_in(folder).name == "spiece.model"


def test_one_model_by_any_name_is_taken_two_are_not(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook("b"))
    with_model(folder, "kowiki.model", sentence_pieces.NOTEBOOK)
    assert tokenizer_in(folder).name == "kowiki.model"
    write_model(folder / "other.model")
    with pytest.raises(TokenizerError, match=r"nor a single \.model"):
        tokenizer_in(folder)


def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path / "notebook", random_notebook("b"))
    (folder / "vocab.txt").unlink()
    (folder / "kowiki.model").symlink_to(write_model(tmp_path / "elsewhere" / "kowiki.model"))
    with pytest.raises(CheckpointError, match=r"kowiki\.model is a link that leads out of"):
        opened(folder)


def test_a_vocabulary_larger_than_the_weights_is_refused(tmp_path: Path) -> None:
    write_family(tmp_path, "xlm-roberta", vocab_size=50)
    with_model(tmp_path, "sentencepiece.bpe.model", sentence_pieces.XLM_ROBERTA)
    with pytest.raises(TokenizerError, match="but the weights have ids 0 to 49"):
        opened(tmp_path)


def test_without_the_package_the_error_names_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_notebook(tmp_path, random_notebook("b"))
    with_model(folder, "kowiki.model", sentence_pieces.NOTEBOOK)
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    assert find(str(folder)).problem is None  # nothing is wrong with the files
    with pytest.raises(TokenizerError, match="not installed") as caught:
        opened(folder)
    assert "pip install sentencepiece" in caught.value.hint
