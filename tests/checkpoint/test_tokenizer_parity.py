"""Each tokenizer class and layout against `transformers`: ids, segments and masks of 400 lines."""

from __future__ import annotations

import unicodedata
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from transformers import AutoTokenizer
from transformers.utils import logging as transformers_logging

from bertviz_app.checkpoint.config import read_config
from bertviz_app.checkpoint.tokenizer_build import read_tokenizer
from bertviz_app.errors import TextError
from bertviz_app.paths import bundled_models
from bertviz_app.text import Tokenizer, Tokens
from bertviz_app.text.classes.unigram import read_pieces
from tests.support.tokenizer_layouts import (
    ADDED,
    JSON_RULES,
    JSON_WRITERS,
    LINES,
    WRITERS,
    as_json,
    bert,
    write_rules,
)

PAIRS = tuple(zip(LINES[::4], LINES[1::4], strict=True))


class _Message(SimpleNamespace):
    """A stand-in for the class that protobuf would make: `transformers` reads models through it."""

    def ParseFromString(self, content: bytes) -> None:  # noqa: N802
        model = read_pieces(content)
        unknown = next(number for number, piece in enumerate(model.pieces) if piece[2] == 2)
        pieces = [SimpleNamespace(piece=text, score=score, type=kind) for text, score, kind in model.pieces]
        self.pieces, self.trainer_spec = pieces, SimpleNamespace(unk_id=unknown, model_type=model.kind)
        self.normalizer_spec = SimpleNamespace(precompiled_charsmap=model.charsmap)


@pytest.fixture(autouse=True)
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
    """Assert that all lines and pairs have the ids, segments and masks that `transformers` gives them."""
    ours, theirs = ours_in(folder), theirs_in(folder)
    given: list[tuple[str, str | None]] = [*((line, None) for line in lines), *PAIRS]
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


@pytest.mark.parametrize("name", WRITERS)
def test_a_class_without_tokenizer_json(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path)
    assert_same(tmp_path)


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


@pytest.mark.parametrize("name", _DROPPED)
def test_control_characters_are_dropped_where_the_models_own_tokenizer_drops_them(
    name: str, tmp_path: Path
) -> None:
    WRITERS[name](tmp_path)
    assert_same(tmp_path, tuple(f"cat{sign}fish the{sign} dog {sign} 고{sign}양이" for sign in _CONTROLS))
    ours = ours_in(tmp_path)
    assert ours.encode(f"cat{'a'.join(_CONTROLS)}").dropped == _DROPPED[name]


def test_a_nul_is_refused_where_the_text_would_end_there(tmp_path: Path) -> None:
    WRITERS["japanese, mecab"](tmp_path)
    with pytest.raises(TextError, match="MeCab reads a text up to a NUL"):
        ours_in(tmp_path).encode("cat\0fish")


_WITH_ADDED = ("bert", "mpnet", "roberta", "herbert", "phobert", "bertweet, normalised", "japanese, mecab")


@pytest.mark.parametrize("where", ADDED)
@pytest.mark.parametrize("name", [*_WITH_ADDED, "xlm-roberta", "camembert", "albert", "deberta-v2"])
def test_added_tokens_wherever_they_are_written(name: str, where: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path)
    size = len(theirs_in(tmp_path))
    ADDED[where](tmp_path, size)
    ours = assert_same(tmp_path, LINES[::2])
    assert ours.backend.rust.token_to_id("<e1>") is not None or name in (
        "camembert",
        "xlm-roberta",
        "albert",
        "deberta-v2",
        "rembert",
    )


IN_PYTHON = ("japanese", "phobert", "bertweet", "bert-generation", "esm")
FAST = [name for name in WRITERS if not name.startswith(IN_PYTHON)]


@pytest.mark.parametrize("name", [*FAST, "rembert", "roformer"])
def test_a_class_with_tokenizer_json(name: str, tmp_path: Path) -> None:
    ({**WRITERS, **JSON_WRITERS})[name](tmp_path)
    as_json(tmp_path)
    assert_same(tmp_path)


@pytest.mark.parametrize("where", ADDED)
@pytest.mark.parametrize("name", ["bert", "convbert", "roberta", "xlm-roberta", "albert", "deberta-v2"])
def test_added_tokens_beside_tokenizer_json(name: str, where: str, tmp_path: Path) -> None:
    ({**WRITERS, **JSON_WRITERS})[name](tmp_path)
    as_json(tmp_path)
    ADDED[where](tmp_path, len(theirs_in(tmp_path)))
    assert_same(tmp_path, LINES[::2])


@pytest.mark.parametrize("where", ADDED)
def test_added_tokens_beside_a_tokenizer_json_that_is_taken_as_it_is(where: str, tmp_path: Path) -> None:
    bert()(tmp_path)
    as_json(tmp_path)
    write_rules(tmp_path, "PreTrainedTokenizerFast", cls_token="[CLS]", mask_token="[MASK]")
    ADDED[where](tmp_path, len(theirs_in(tmp_path)))
    assert_same(tmp_path, LINES[::2])


@pytest.mark.parametrize("rules", JSON_RULES)
def test_tokenizer_config_beside_another_tokenizer_json(rules: str, tmp_path: Path) -> None:
    """Where the two files disagree the one counts that `transformers` lets win, and a remark says so."""
    bert()(tmp_path)
    json_rules, config_rules = JSON_RULES[rules]
    as_json(tmp_path, **json_rules)
    write_rules(tmp_path, **config_rules)
    ours = assert_same(tmp_path, LINES[::2])
    assert ours.remarks if rules.startswith("other") else not ours.remarks


@pytest.mark.parametrize("folder", ["bert-mini-en-ko", "bert-mini-en-ko-sentiment"])
def test_the_bundled_checkpoints(folder: str) -> None:
    ours = assert_same(bundled_models() / folder)
    assert ours.remarks == ()
