"""Tokenizer classes that a checkpoint names: read as that class does, or refused by name."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import transformers

from bertviz_app.checkpoint.tokenizer_class import SAVE, kind_of_tokenizer
from bertviz_app.errors import TokenizerError
from bertviz_app.paths import resources
from tests.support.checkpoint_folders import change_config, copy_of, opened


def change_rules(folder: Path, **changes: object) -> None:
    """Set keys of tokenizer_config.json."""
    path = folder / "tokenizer_config.json"
    rules = json.loads(path.read_text("utf-8")) if path.exists() else {}
    path.write_text(json.dumps(rules | changes), "utf-8")


def without_json(folder: Path) -> None:
    (folder / "tokenizer.json").unlink(missing_ok=True)


@pytest.mark.parametrize(
    "name", ["BertTokenizer", "BertTokenizerFast", "ElectraTokenizer", "DistilBertTokenizerFast"]
)
def test_classes_that_read_vocab_txt_alike_open(name: str, tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    without_json(folder)
    change_rules(folder, tokenizer_class=name)
    assert opened(folder).tokens("the cat").pieces == ("[CLS]", "the", "cat", "[SEP]")


@pytest.mark.parametrize(
    "name", ["TapasTokenizer", "XLNetTokenizer", "RoCBertTokenizer", "KoBertTokenizer", "MyTokenizer"]
)
@pytest.mark.parametrize("where", ["tokenizer_config.json", "config.json"])
def test_another_class_is_refused_by_name(name: str, where: str, tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    without_json(folder)
    if where == "config.json":
        change_config(folder, tokenizer_class=name)
        change_rules(folder, tokenizer_class=None)
    else:
        change_rules(folder, tokenizer_class=name)
    with pytest.raises(TokenizerError, match=name) as caught:
        opened(folder)
    # KoBERT's layout, which XLNet's class of a BERT with [CLS] and [SEP] is too, lacks a .model here.
    assert ("tokenizer.json" in caught.value.hint) != (name in ("KoBertTokenizer", "XLNetTokenizer"))
    assert "auto_map" not in caught.value.hint, "there is none to remove"


def test_a_class_that_is_not_known_is_not_called_different(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    without_json(folder)
    change_rules(folder, tokenizer_class="MyTokenizer")
    with pytest.raises(TokenizerError, match="How that class splits text is not known here"):
        opened(folder)


def test_the_way_out_of_a_refused_class_is_open() -> None:
    """Only a class on top of the Rust library has a tokenizer that can be saved as tokenizer.json."""
    for name in (each for each in dir(transformers) if each.endswith("Tokenizer") and _is_refused(each[:-9])):
        with pytest.raises(TokenizerError) as caught:
            kind_of_tokenizer({"tokenizer_class": name}, {}, has_json=True)
        can_save = hasattr(getattr(transformers, name), "backend_tokenizer")
        if name == "XLNetTokenizer":  # saved, it would write A [SEP] [CLS] and add two tokens
            assert SAVE not in caught.value.hint
            continue
        assert (SAVE in caught.value.hint) == can_save, name
        assert ("choose a checkpoint with another tokenizer" in caught.value.hint) != can_save, name


def test_a_class_that_splits_before_tokenizer_json_is_refused(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    assert (folder / "tokenizer.json").exists()
    change_rules(folder, tokenizer_class="TapasTokenizer")
    with pytest.raises(TokenizerError, match="TapasTokenizer"):
        opened(folder)
    change_rules(folder, tokenizer_class="PreTrainedTokenizerFast")
    assert opened(folder).tokens("the cat").pieces == ("[CLS]", "the", "cat", "[SEP]")


@pytest.mark.parametrize(
    "classes", [["own.OwnTokenizer", None], {"AutoTokenizer": ["own.OwnTokenizer", None]}]
)
def test_a_class_in_the_checkpoints_own_code_is_refused(
    classes: object, tiny_bert: Path, tmp_path: Path
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    change_rules(folder, tokenizer_class="OwnTokenizer", auto_map=classes)
    with pytest.raises(TokenizerError, match="OwnTokenizer") as caught:
        opened(folder)
    assert "not run" in caught.value.message
    assert "AutoTokenizer.from_pretrained(folder, trust_remote_code=True)" in caught.value.hint
    assert "remove “auto_map”" in caught.value.hint


def test_a_byte_pair_vocabulary_that_is_not_of_bytes_is_refused(tiny_bert: Path, tmp_path: Path) -> None:
    """HerBERT's layout: pieces end in </w>, and a text would lose its letters if it were read as bytes."""
    folder = copy_of(tiny_bert, tmp_path)
    without_json(folder)
    (folder / "vocab.txt").unlink()
    (folder / "tokenizer_config.json").unlink(missing_ok=True)
    pieces = ["<s>", "</s>", "<unk>", "k", "o", "t</w>", "ot</w>", "kot</w>"]
    (folder / "vocab.json").write_text(
        json.dumps({piece: number for number, piece in enumerate(pieces)}), "utf-8"
    )
    (folder / "merges.txt").write_text("o t</w>\nk ot</w>\n", "utf-8")
    with pytest.raises(TokenizerError, match=r"vocab\.json is no vocabulary of bytes"):
        opened(folder)


def _is_refused(name: str) -> bool:
    """Return whether a class of `transformers` is refused with a tokenizer.json, too."""
    try:
        kind_of_tokenizer({"tokenizer_class": f"{name}Tokenizer"}, {}, has_json=True)
    except TokenizerError:
        return True
    return False


def test_the_reference_names_every_class_that_is_refused() -> None:
    """And none of them as one that is read."""
    page = (resources() / "docs" / "reference" / "tokenizers.md").read_text("utf-8")
    table = page[page.index("| class | files |") :].split("\n\n")[0].splitlines()
    refused = next(row for row in table if "also with a `tokenizer.json`" in row)
    names = {name.strip() for name in refused.split("|")[1].split(",")}
    classes = {name.removesuffix("Tokenizer") for name in dir(transformers) if name.endswith("Tokenizer")}
    assert len(classes) > 80
    assert names >= {name for name in classes if _is_refused(name)}
    assert [name for name in names if not _is_refused(name)] == []
    others = "\n".join(row for row in table if row is not refused)
    assert not [name for name in names if re.search(rf"\b{name}\b", others)]
