"""A tokenizer that the user chose for a checkpoint: compared with the weights, kept, and said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import bertviz_app
from bertviz_app.checkpoint.questions import AnswersError
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.errors import ArgumentError, TokenizerError
from tests.support.checkpoint_folders import copy_of
from tests.support.checkpoints import vocabulary

NAMES = ("vocab.txt", "tokenizer.json", "tokenizer_config.json")


@pytest.fixture
def without(tiny_bert: Path, tmp_path: Path) -> Path:
    """A checkpoint without a tokenizer."""
    folder = copy_of(tiny_bert, tmp_path / "without")
    for name in NAMES:
        (folder / name).unlink(missing_ok=True)
    return folder


@pytest.fixture
def tokenizer(tiny_bert: Path, tmp_path: Path) -> Path:
    """A folder with the tokenizer alone, without a config.json."""
    folder = tmp_path / "tokenizer"
    folder.mkdir()
    for name in NAMES:
        if (tiny_bert / name).exists():
            shutil.copy(tiny_bert / name, folder)
    return folder


def write_vocabulary(folder: Path, pieces: list[str]) -> Path:
    folder.mkdir()
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in pieces), "utf-8")
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer"}', "utf-8")
    return folder


def test_a_checkpoint_without_a_tokenizer_asks_for_a_folder(without: Path) -> None:
    assert find(str(without)).asks
    assert find(str(without)).problem is None
    with pytest.raises(AnswersError, match=r"There is no tokenizer .*: --tokenizer FOLDER") as caught:
        bertviz_app.open_model(without)
    assert caught.value.questions.names == ("tokenizer",)


def test_the_chosen_tokenizer_reads_as_the_own_one_and_is_kept(
    without: Path, tokenizer: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = bertviz_app.open_model(tiny_bert, device="cpu")
    monkeypatch.chdir(tokenizer.parent)
    chosen = bertviz_app.open_model(without, device="cpu", tokenizer="tokenizer")
    assert chosen.tokens("the cat ate").ids.tolist() == own.tokens("the cat ate").ids.tolist()
    assert chosen.facts.identity == own.facts.identity
    assert f"The tokenizer is not the checkpoint's: it was chosen, from {tokenizer}." in chosen.facts.remarks
    assert json.loads((without / "bertviz_app.json").read_text()) == {"tokenizer": str(tokenizer)}
    monkeypatch.chdir("/")
    again = bertviz_app.open_model(without, device="cpu")
    assert again.facts.identity == chosen.facts.identity


def test_another_tokenizer_has_another_fingerprint_and_can_be_given_up(
    tiny_bert: Path, tmp_path: Path
) -> None:
    folder = copy_of(tiny_bert, tmp_path / "model")
    pieces = vocabulary()
    pieces[-1] = "somethingelse"
    other = write_vocabulary(tmp_path / "other", pieces)
    own = bertviz_app.open_model(folder, device="cpu").facts
    chosen = bertviz_app.open_model(folder, device="cpu", tokenizer=str(other)).facts
    assert chosen.identity.fingerprint == own.identity.fingerprint
    assert chosen.identity.tokenizer != own.identity.tokenizer
    assert bertviz_app.open_model(folder, device="cpu", tokenizer="").facts.identity == own.identity


def test_a_larger_vocabulary_is_refused_by_name(tiny_bert: Path, tmp_path: Path) -> None:
    large = write_vocabulary(tmp_path / "large", [*vocabulary(), "onetoomany"])
    size = len(vocabulary())
    message = rf"The tokenizer numbers “onetoomany” {size}, but the weights have ids 0 to {size - 1}\."
    with pytest.raises(TokenizerError, match=message):
        bertviz_app.open_model(tiny_bert, tokenizer=str(large))
    assert not (tiny_bert / "bertviz_app.json").exists()


def test_a_smaller_one_is_remarked(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path / "model")
    small = write_vocabulary(tmp_path / "small", vocabulary()[:-3])
    remarks = bertviz_app.open_model(folder, tokenizer=str(small)).facts.remarks
    assert any("pieces, the model's table" in remark for remark in remarks)


def test_special_tokens_with_other_numbers_are_refused(tiny_bert: Path, tmp_path: Path) -> None:
    pieces = vocabulary()
    at = pieces.index("[PAD]")
    pieces[at], pieces[-1] = pieces[-1], pieces[at]
    other = write_vocabulary(tmp_path / "other", pieces)
    stated = json.loads((tiny_bert / "config.json").read_text())["pad_token_id"]
    message = rf"“\[PAD\]” {len(pieces) - 1}, but config.json says pad_token_id = {stated}\."
    with pytest.raises(TokenizerError, match=message):
        bertviz_app.open_model(tiny_bert, tokenizer=str(other))


@pytest.mark.parametrize("name", ["nowhere", "empty"])
def test_what_is_no_folder_of_a_tokenizer_is_named(name: str, tiny_bert: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(TokenizerError, match=rf"{tmp_path / name}"):
        bertviz_app.open_model(tiny_bert, tokenizer=str(tmp_path / name))


def test_an_argument_that_is_no_folder(tiny_bert: Path) -> None:
    with pytest.raises(ArgumentError, match=r"“tokenizer” is a folder, not 3"):
        bertviz_app.open_model(tiny_bert, tokenizer=3)  # type: ignore[arg-type]
