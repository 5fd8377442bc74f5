"""Tokenizers of checkpoints: their classes and their pieces against `transformers`."""

from __future__ import annotations

import json
import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tokenizers
import transformers
from transformers import AutoTokenizer
from transformers.utils import logging as transformers_logging

import bertviz_app
from bertviz_app.checkpoint.config import read_config
from bertviz_app.checkpoint.folder import tokenizer_in
from bertviz_app.checkpoint.loader import Checkpoint, read_tokenizer
from bertviz_app.checkpoint.questions import AnswersError
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.checkpoint.tokenizer_files import SAVE, kind_of_tokenizer
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import ArgumentError, CheckpointError, TextError, TokenizerError
from bertviz_app.features.training.base import open_base
from bertviz_app.paths import bundled_models, resources
from bertviz_app.text import Tokenizer, Tokens
from bertviz_app.text.classes.unigram import big_bird, deberta_v2, read_pieces, xlm_roberta
from bertviz_app.text.classes.vocabulary import Declared, Vocabulary
from tests.support import tokenizer_files as sentence_pieces
from tests.support.checkpoint_folders import change_config, copy_of, opened
from tests.support.checkpoints import random_bert, vocabulary, write_bert
from tests.support.families import write_family
from tests.support.notebooks import KINDS, N_PIECES, random_notebook, write_notebook
from tests.support.tokenizer_files import (
    ADDED,
    JSON_RULES,
    JSON_WRITERS,
    LINES,
    WRITERS,
    Settings,
    as_json,
    bert,
    processor,
    write_model,
    write_rules,
)


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
def test_classes_that_read_vocab_txt_alike_open(name: str, folder: Path) -> None:
    without_json(folder)
    change_rules(folder, tokenizer_class=name)
    assert opened(folder).tokens("the cat").pieces == ("[CLS]", "the", "cat", "[SEP]")


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("TapasTokenizer", "config.json"),
        ("XLNetTokenizer", "tokenizer_config.json"),
        ("RoCBertTokenizer", "tokenizer_config.json"),
        ("KoBertTokenizer", "config.json"),
        ("MyTokenizer", "tokenizer_config.json"),
    ],
)
def test_another_class_is_refused_by_name(name: str, where: str, folder: Path) -> None:
    without_json(folder)
    if where == "config.json":
        change_config(folder, tokenizer_class=name)
        change_rules(folder, tokenizer_class=None)
    else:
        change_rules(folder, tokenizer_class=name)
    if name == "MyTokenizer":
        with pytest.raises(TokenizerError, match="How that class splits text is not known here"):
            opened(folder)
    with pytest.raises(TokenizerError, match=name) as caught:
        opened(folder)
    # KoBERT's layout, which XLNet's class of a BERT with [CLS] and [SEP] is too, lacks a .model here.
    assert ("tokenizer.json" in caught.value.hint) != (name in ("KoBertTokenizer", "XLNetTokenizer"))
    assert "auto_map" not in caught.value.hint, "there is none to remove"


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


def test_a_class_that_splits_before_tokenizer_json_is_refused(folder: Path) -> None:
    assert (folder / "tokenizer.json").exists()
    change_rules(folder, tokenizer_class="TapasTokenizer")
    with pytest.raises(TokenizerError, match="TapasTokenizer"):
        opened(folder)
    change_rules(folder, tokenizer_class="PreTrainedTokenizerFast")
    assert opened(folder).tokens("the cat").pieces == ("[CLS]", "the", "cat", "[SEP]")


@pytest.mark.parametrize(
    "classes", [["own.OwnTokenizer", None], {"AutoTokenizer": ["own.OwnTokenizer", None]}]
)
def test_a_class_in_the_checkpoints_own_code_is_refused(classes: object, folder: Path) -> None:
    change_rules(folder, tokenizer_class="OwnTokenizer", auto_map=classes)
    with pytest.raises(TokenizerError, match="OwnTokenizer") as caught:
        opened(folder)
    assert "not run" in caught.value.message
    assert "AutoTokenizer.from_pretrained(folder, trust_remote_code=True)" in caught.value.hint
    assert "remove “auto_map”" in caught.value.hint


def test_a_byte_pair_vocabulary_that_is_not_of_bytes_is_refused(folder: Path) -> None:
    """HerBERT's layout: pieces end in </w>, and a text would lose its letters if it were read as bytes."""
    without_json(folder)
    (folder / "vocab.txt").unlink()
    (folder / "tokenizer_config.json").unlink(missing_ok=True)
    pieces = ["<s>", "</s>", "<unk>", "k", "o", "t</w>", "ot</w>", "kot</w>"]
    (folder / "vocab.json").write_text(
        json.dumps({piece: number for number, piece in enumerate(pieces)}), "utf-8"
    )
    (folder / "merges.txt").write_text("o t</w>\nk ot</w>\n", "utf-8")
    with pytest.raises(TokenizerError, match=r"vocab\.json is no vocabulary of bytes: it lacks 254"):
        opened(folder)


def test_a_vocabulary_without_all_bytes_is_named_and_the_advice_opens(tmp_path: Path) -> None:
    """ChemBERTa's: characters of molecules, and a merges.txt of nothing but its first line."""
    write_family(tmp_path, "roberta")
    (tmp_path / "tokenizer.json").unlink(missing_ok=True)
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *"CNOcno123()=#"]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    (tmp_path / "vocab.json").write_text(json.dumps(vocabulary), "utf-8")
    (tmp_path / "merges.txt").write_text("#version: 0.2\n", "utf-8")
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "RobertaTokenizer"}', "utf-8")
    theirs = transformers.RobertaTokenizer.from_pretrained(tmp_path)
    theirs.save_pretrained(tmp_path)
    with pytest.raises(TokenizerError, match="such as “!”") as caught:
        opened(tmp_path)
    assert "let “tokenizer_class” in tokenizer_config.json be “PreTrainedTokenizerFast”" in caught.value.hint
    change_rules(tmp_path, tokenizer_class="PreTrainedTokenizerFast")
    assert list(opened(tmp_path).tokens("CC(N)O").ids) == theirs("CC(N)O")["input_ids"]


@pytest.mark.parametrize(
    "rule",
    [
        {"type": "Prepend", "prepend": "x" * 10_000_000},
        {"type": "Replace", "pattern": {"String": "a"}, "content": "x" * 20_000},
    ],
    ids=["before each text", "for each letter"],
)
def test_a_rule_with_a_text_of_megabytes_is_refused(rule: dict[str, object], folder: Path) -> None:
    path = folder / "tokenizer.json"
    content = json.loads(path.read_text("utf-8"))
    content["normalizer"] = {"type": "Sequence", "normalizers": [rule]}
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(TokenizerError, match=r"among the rules of its normalizer; at most 10,000 are taken"):
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


PAIRS = tuple(zip(LINES[::4], LINES[1::4], strict=True))


@pytest.mark.parametrize("make", [deberta_v2, big_bird])
def test_a_map_of_characters_that_a_class_does_not_use_may_be_damaged(
    make: Callable[[Vocabulary, Declared], tokenizers.Tokenizer],
) -> None:
    pieces = ["<pad>", "</s>", "<s>", "<unk>", "[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]", "\u2581cat"]
    scores = [(piece, 0.0) for piece in pieces]
    damaged = Vocabulary("spiece.model", {}, scores, charsmap=b"damaged")
    assert "\u2581cat" in make(damaged, Declared()).encode("cat").tokens
    with pytest.raises(Exception, match=r"(?i)precompiled"):
        xlm_roberta(damaged, Declared())


class _Message(SimpleNamespace):
    """A stand-in for the class that protobuf would make: `transformers` reads models through it."""

    def ParseFromString(self, content: bytes) -> None:  # noqa: N802
        model = read_pieces(content)
        unknown = next(number for number, piece in enumerate(model.pieces) if piece[2] == 2)
        pieces = [SimpleNamespace(piece=text, score=score, type=kind) for text, score, kind in model.pieces]
        self.pieces, self.trainer_spec = pieces, SimpleNamespace(unk_id=unknown, model_type=model.kind)
        self.normalizer_spec = SimpleNamespace(precompiled_charsmap=model.charsmap)


@pytest.fixture
def oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    # By its name: `transformers` has a function of the same name, which hides the module once it was used.
    convert_slow_tokenizer = import_module("transformers.convert_slow_tokenizer")
    monkeypatch.setattr(convert_slow_tokenizer, "requires_backends", lambda *_: None)
    modules = SimpleNamespace(ModelProto=_Message)
    monkeypatch.setattr(convert_slow_tokenizer, "import_protobuf", lambda *_: modules)
    transformers_logging.set_verbosity_error()


def ours_in(folder: Path) -> Tokenizer:
    return read_tokenizer(folder, read_config(folder / "config.json"))


def theirs_in(folder: Path) -> Any:
    return AutoTokenizer.from_pretrained(folder, local_files_only=True)


def encoded(ours: Tokenizer, text: str, pair: str | None) -> Tokens | None:
    try:
        return ours.encode(text, pair)
    except TextError:
        return None  # nothing of it is left


def assert_same(folder: Path, lines: tuple[str, ...] = LINES) -> Tokenizer:
    """Assert that lines and as many of the pairs have the ids, segments and masks of `transformers`."""
    ours, theirs = ours_in(folder), theirs_in(folder)
    given: list[tuple[str, str | None]] = [
        *((line, None) for line in lines),
        *PAIRS[:: len(LINES) // len(lines)],
    ]
    for text, pair in given:
        expected = theirs(
            text,
            pair,
            return_token_type_ids=True,
            return_special_tokens_mask=True,
            return_offsets_mapping=theirs.is_fast,
        )
        tokens = encoded(ours, text, pair)
        if tokens is None:
            assert all(expected["special_tokens_mask"]), (text, pair)
            continue
        pieces = theirs.convert_ids_to_tokens(expected["input_ids"])
        message = f"{text!r}, {pair!r}: {tokens.pieces}, {pieces}"
        assert tokens.ids.tolist() == expected["input_ids"], message
        assert tokens.segment_ids.tolist() == expected["token_type_ids"], message
        assert tokens.is_special.astype(int).tolist() == expected["special_tokens_mask"], message
        # LUKE's own, made beside the rules of the library, have the space before a word in its span.
        if theirs.is_fast and type(theirs).__name__ != "LukeTokenizer":
            assert [tuple(span) for span in tokens.spans.tolist()] == expected["offset_mapping"], message
        else:
            assert_spans(tokens)
    return ours


def assert_spans(tokens: Tokens) -> None:
    """Assert that spans lie in the typed texts, in order, and that a plain piece is what stands there."""
    texts = (tokens.text, tokens.pair or "")
    for number, text in enumerate(texts):
        spans = tokens.spans[tokens.sentences == number].tolist()
        assert all(0 <= first <= last <= len(text) for first, last in spans)
        assert [first for first, _ in spans] == sorted(first for first, _ in spans)
    for piece, (first, last), sentence in zip(tokens.pieces, tokens.spans, tokens.sentences, strict=True):
        plain = piece.removeprefix("##").removesuffix("@@")
        if sentence < 0 or not (plain.isascii() and plain.isalpha() and plain.islower()):
            continue
        written = texts[sentence][first:last]
        # Emoji and entities of HTML are written as other words.
        is_other = not any(map(str.isalpha, written)) or "&" in written
        assert is_other or plain in _bare(written) or last - first == 1, tokens


def _bare(text: str) -> str:
    """Return the letters of `text` in small letters, without accents and without what cannot be seen."""
    apart = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in apart if unicodedata.category(letter) not in ("Mn", "Cf")).lower()


@pytest.mark.usefixtures("oracle")
@pytest.mark.parametrize("name", WRITERS)
def test_a_class_without_tokenizer_json(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path)
    assert_same(tmp_path)


# `transformers` looks for LUKE's own marks in a text even where a checkpoint has others in their place.
@pytest.mark.usefixtures("oracle")
@pytest.mark.parametrize("name", [name for name in WRITERS if name != "luke, other marks"])
def test_special_tokens_that_are_typed_take_the_white_space_that_they_take_in_transformers(
    name: str, tmp_path: Path
) -> None:
    WRITERS[name](tmp_path)
    specials = dict.fromkeys(theirs_in(tmp_path).all_special_tokens)
    assert_same(tmp_path, tuple(f"a  {special}  cat {special}cat" for special in specials))


_CONTROLS = "\0\x07\x0b\x0c\x1b\x1f\x7f\x85\x9f\u200b\u200d\u00ad\ufeff\ufffd\ue000"
_BY_CHARSMAP = "\x07\x0b\x1b\x1f\x7f\x9f"  # the map of their files reads the others as spaces, or keeps them
_DROPPED = {
    "bert, other names": _CONTROLS,
    "mpnet": _CONTROLS,
    "herbert": _CONTROLS,
    "japanese": _CONTROLS,
    "roberta": "",
    "deberta": "",
    "phobert": "",
    "bertweet, normalised": "",
    "xlm-roberta": _BY_CHARSMAP,
    "albert": _BY_CHARSMAP,
    "deberta-v2": "",
}


@pytest.mark.usefixtures("oracle")
@pytest.mark.parametrize("name", _DROPPED)
def test_control_characters_are_dropped_where_the_models_own_tokenizer_drops_them(
    name: str, tmp_path: Path
) -> None:
    WRITERS[name](tmp_path)
    assert_same(tmp_path, tuple(f"cat{sign}fish the{sign} dog {sign} 고{sign}양이" for sign in _CONTROLS))
    ours = ours_in(tmp_path)
    assert ours.encode(f"cat{'a'.join(_CONTROLS)}").dropped == _DROPPED[name]


@pytest.mark.usefixtures("oracle")
def test_a_nul_is_refused_where_the_text_would_end_there(tmp_path: Path) -> None:
    WRITERS["japanese, mecab"](tmp_path)
    with pytest.raises(TextError, match="MeCab reads a text up to a NUL"):
        ours_in(tmp_path).encode("cat\0fish")


_WITH_ADDED = (
    *("bert", "mpnet", "roberta", "herbert", "phobert", "bertweet, normalised", "japanese, mecab"),
    *("xlm-roberta", "camembert", "albert", "deberta-v2"),
)


def _in_turn(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return each name with two of the ways of writing added tokens, and each of the ways with many names."""
    ways = tuple(ADDED)
    return [(name, ways[(at + step) % len(ways)]) for at, name in enumerate(names) for step in (0, 2)]


@pytest.mark.usefixtures("oracle")
@pytest.mark.parametrize(("name", "where"), _in_turn(_WITH_ADDED))
def test_added_tokens_wherever_they_are_written(name: str, where: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path)
    size = len(theirs_in(tmp_path))
    ADDED[where](tmp_path, size)
    ours = assert_same(tmp_path, LINES[::4])
    assert ours.backend.rust.token_to_id("<e1>") is not None or name in (
        "camembert",
        "xlm-roberta",
        "albert",
        "deberta-v2",
        "rembert",
    )


IN_PYTHON = ("japanese", "phobert", "bertweet", "bert-generation", "esm")
FAST = [name for name in WRITERS if not name.startswith(IN_PYTHON)]


@pytest.mark.usefixtures("oracle")
@pytest.mark.parametrize("name", [*FAST, "rembert", "roformer"])
def test_a_class_with_tokenizer_json(name: str, tmp_path: Path) -> None:
    ({**WRITERS, **JSON_WRITERS})[name](tmp_path)
    as_json(tmp_path)
    assert_same(tmp_path, LINES[::4])


@pytest.mark.usefixtures("oracle")
@pytest.mark.parametrize(
    ("name", "where"), _in_turn(["bert", "convbert", "roberta", "xlm-roberta", "albert", "deberta-v2"])
)
def test_added_tokens_beside_tokenizer_json(name: str, where: str, tmp_path: Path) -> None:
    ({**WRITERS, **JSON_WRITERS})[name](tmp_path)
    as_json(tmp_path)
    ADDED[where](tmp_path, len(theirs_in(tmp_path)))
    assert_same(tmp_path, LINES[::4])


@pytest.mark.usefixtures("oracle")
@pytest.mark.parametrize("where", ADDED)
def test_added_tokens_beside_a_tokenizer_json_that_is_taken_as_it_is(where: str, tmp_path: Path) -> None:
    bert()(tmp_path)
    as_json(tmp_path)
    write_rules(tmp_path, "PreTrainedTokenizerFast", cls_token="[CLS]", mask_token="[MASK]")
    ADDED[where](tmp_path, len(theirs_in(tmp_path)))
    assert_same(tmp_path, LINES[::4])


@pytest.mark.usefixtures("oracle")
@pytest.mark.parametrize("rules", JSON_RULES)
def test_tokenizer_config_beside_another_tokenizer_json(rules: str, tmp_path: Path) -> None:
    """Where the two files disagree the one counts that `transformers` lets win, and a remark says so."""
    bert()(tmp_path)
    json_rules, config_rules = JSON_RULES[rules]
    as_json(tmp_path, **json_rules)
    write_rules(tmp_path, **config_rules)
    ours = assert_same(tmp_path, LINES[::4])
    assert ours.remarks if rules.startswith("other") else not ours.remarks


@pytest.mark.usefixtures("oracle")
@pytest.mark.parametrize("folder", ["bert-mini-en-ko", "bert-mini-en-ko-sentiment", "bert-mini-en-questions"])
def test_the_bundled_checkpoints(folder: str) -> None:
    ours = assert_same(bundled_models() / folder)
    assert ours.remarks == ()


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


def test_a_model_beside_the_files_of_another_class_has_a_remark(folder: Path) -> None:
    """Without a named class `transformers` takes a BERT's vocab.txt for a WordPiece vocabulary."""
    reader = processor(with_model(folder, "own.model", sentence_pieces.NOTEBOOK, size=120))
    pieces = [reader.id_to_piece(number) for number in range(len(reader))]
    (folder / "vocab.txt").write_text("\n".join(pieces), "utf-8")
    expected = "texts are split by own.model. transformers would read a BertTokenizer."
    assert any(expected in remark for remark in opened(folder).facts.remarks)
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "KoBertTokenizer"}), "utf-8")
    assert not any("transformers would read" in remark for remark in opened(folder).facts.remarks)


def test_tokenizer_json_comes_first_and_vocab_txt_after_it(folder: Path) -> None:
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
    with pytest.raises(AnswersError, match=r"There is no tokenizer .*: --tokenizer FOLDER"):
        opened(without)
    with pytest.raises(AnswersError, match=r"There is no tokenizer .*\(folder, tokenizer=") as caught:
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


@pytest.fixture
def cased(tmp_path: Path) -> Path:
    """Return a BERT with capital letters in its vocab.txt, of whose casing no file says anything."""
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "AAT", "ATC", "The", "the", "a", "##a", "##t"]
    folder = write_bert(tmp_path / "cased", random_bert(vocab_size=len(pieces)))
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in pieces), "utf-8")
    return folder


def _remarks_on_case(checkpoint: Checkpoint) -> list[str]:
    return [remark for remark in checkpoint.facts.remarks if "lower-case" in remark]


def test_an_undeclared_cased_vocabulary_is_remarked_and_the_answer_accepted(
    cased: Path, tmp_path: Path
) -> None:
    text = "The AAT ATC"
    plain = opened(cased)
    assert list(plain.tokens(text).pieces) == ["[CLS]", "the", "a", "##a", "##t", "[UNK]", "[SEP]"]
    [remark] = _remarks_on_case(plain)
    assert "vocab.txt has capital letters" in remark
    assert "--cased" in remark
    assert "lower_case=False" in remark
    asked = plain.facts.questions
    assert asked is not None
    assert asked.unanswered == ()
    assert asked.in_force.lower_case is True
    assert asked.seems_lower_case is False
    model = bertviz_app.open_model(str(cased), "cpu", lower_case=False)
    assert model.trace(text).tokens.pieces == ("[CLS]", "The", "AAT", "ATC", "[SEP]")
    assert not [remark for remark in model.facts.remarks if "lower-case" in remark]
    kept = opened(cased)  # with the answer that was kept beside it
    assert (
        list(kept.tokens(text).ids)
        == AutoTokenizer.from_pretrained(cased, do_lower_case=False)(text)["input_ids"]
    )
    open_base(str(cased)).copy_tokenizer(tmp_path)  # what is trained of it
    assert json.loads((tmp_path / "tokenizer_config.json").read_text("utf-8")) == {"do_lower_case": False}
    bertviz_app.open_model(str(cased), "cpu", lower_case=True)
    assert not _remarks_on_case(opened(cased))


def test_a_lower_case_vocabulary_has_no_remark(cased: Path) -> None:
    lines = (cased / "vocab.txt").read_text("utf-8").splitlines()
    lower = [line if line[0] == "[" else f"{line.lower()}{number}" for number, line in enumerate(lines)]
    (cased / "vocab.txt").write_text("\n".join(lower), "utf-8")
    assert not _remarks_on_case(opened(cased))


def test_where_a_file_says_the_letter_case_no_answer_is_taken(cased: Path) -> None:
    change_rules(cased, do_lower_case=False)
    assert not _remarks_on_case(opened(cased))
    with pytest.raises(
        CheckpointError, match=r"says itself what lower_case would answer\. Leave out lower_case\."
    ):
        bertviz_app.open_model(str(cased), "cpu", lower_case=True)
