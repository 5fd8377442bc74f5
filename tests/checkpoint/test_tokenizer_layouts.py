"""What each tokenizer's files may be: damaged, incomplete, contradictory, or in need of a package."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tokenizers
import transformers
from tokenizers.normalizers import BertNormalizer

from bertviz_app.checkpoint import folder as json_files
from bertviz_app.checkpoint.config import read_config
from bertviz_app.checkpoint.loader import read_tokenizer
from bertviz_app.checkpoint.tokenizer_files import build
from bertviz_app.errors import CheckpointError, TextError, TokenizerError
from bertviz_app.text import Tokenizer, Tokens
from tests.checkpoint.test_tokenizers import assert_spans
from tests.support.tokenizer_files import (
    JSON_WRITERS,
    LINES,
    NOTEBOOK,
    WRITERS,
    as_json,
    bert,
    sentence_pieces,
    word_pieces,
    write_json,
    write_rules,
)


def read(folder: Path, **config: object) -> Tokenizer:
    path = folder / "config.json"
    write_json(path, json.loads(path.read_text("utf-8")) | config)
    return read_tokenizer(folder, read_config(path))


def change_rules(folder: Path, **rules: object) -> None:
    path = folder / "tokenizer_config.json"
    write_json(path, json.loads(path.read_text("utf-8")) | rules)


@pytest.mark.parametrize(
    ("name", "package", "command"),
    [
        ("japanese, mecab", "fugashi", "pip install fugashi"),
        ("japanese, mecab", "unidic_lite", "pip install fugashi unidic-lite"),
        ("japanese, mecab ipadic", "ipadic", "pip install fugashi ipadic"),
        ("roformer", "rjieba", "pip install rjieba"),
        ("bertweet, normalised", "emoji", "pip install emoji"),
    ],
)
def test_a_package_that_is_not_installed_is_named_with_the_command(
    name: str, package: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    {**WRITERS, **JSON_WRITERS}[name](tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(TokenizerError, match=package) as caught:
        read(tmp_path)
    assert command in caught.value.hint


@pytest.mark.parametrize("name", ["bert", "roberta"])
def test_a_special_token_that_is_very_long_is_named_briefly(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path)
    path = tmp_path / "tokenizer_config.json"
    rules = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    path.write_text(json.dumps(rules | {"cls_token": "x" * 5000}), "utf-8")
    with pytest.raises(TokenizerError, match=r"it has no x+") as caught:
        read(tmp_path)
    assert len(caught.value.message) < 200


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"word_tokenizer_type": "sudachi"}, "cut by “sudachi”, which is not supported"),
        ({"word_tokenizer_type": "jumanpp"}, "cut by “jumanpp”, which is not supported"),
        ({"word_tokenizer_type": "\0"}, r"cut by “'\\x00'”, which is not supported"),
        ({"subword_tokenizer_type": "sentencepiece"}, "cut by “sentencepiece”, which is not supported"),
        ({"word_tokenizer_type": 3}, "word_tokenizer_type in tokenizer_config.json must be text"),
        ({"word_tokenizer_type": "mecab", "mecab_kwargs": []}, "mecab_kwargs .* must be an object"),
        ({"word_tokenizer_type": "mecab", "mecab_kwargs": {"mecab_dic": "x"}}, "mecab_dic .* must be unidic"),
        (
            {"word_tokenizer_type": "mecab", "mecab_kwargs": {"mecab_option": "-d x"}},
            "mecab_option .* must be empty",
        ),
        ({"never_split": "cat"}, "never_split .* must be a list"),
        ({"do_lower_case": 1}, "do_lower_case .* must be true or false"),
    ],
)
def test_options_of_japanese_that_cannot_be_read(
    rules: Mapping[str, object], message: str, tmp_path: Path
) -> None:
    bert("BertJapaneseTokenizer", **rules)(tmp_path)
    with pytest.raises(TokenizerError, match=message) as caught:
        read(tmp_path)
    assert caught.value.hint


def test_a_dictionary_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    WRITERS["japanese, mecab"](tmp_path)
    monkeypatch.setattr("unidic_lite.DICDIR", str(tmp_path / "none"))
    with pytest.raises(TokenizerError, match="MeCab cannot open its dictionary “unidic_lite”") as caught:
        read(tmp_path)
    assert "pip install" in caught.value.hint


HALF = "\ud800"  # of a pair of UTF-16: no text can hold it alone


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        ("added_tokens.json", ({"<e1>": "a"}, {"<e1>": None}, {HALF: 5})),
        (
            "special_tokens_map.json",
            (
                *({"mask_token": 3}, {"mask_token": {"text": "a"}}, {"mask_token": {"content": HALF}}),
                *({"additional_special_tokens": "<e1>"}, {"additional_special_tokens": [1]}),
            ),
        ),
        (
            "tokenizer_config.json",
            (
                *({"added_tokens_decoder": []}, {"added_tokens_decoder": {"a": {"content": "<e1>"}}}),
                *({"added_tokens_decoder": {"5": "<e1>"}}, {"cls_token": []}, {"truncation_side": 1}),
                {"added_tokens_decoder": {"5": {"content": "<e1>", "lstrip": "no"}}},
                {"added_tokens_decoder": {"5": {"content": HALF}}},
                *({"extra_special_tokens": 4}, {"cls_token": {"content": HALF}}),
            ),
        ),
    ],
)
def test_added_tokens_that_cannot_be_read(
    name: str, contents: tuple[Mapping[str, object], ...], tmp_path: Path
) -> None:
    bert(None)(tmp_path)
    for content in contents:
        (tmp_path / name).write_text(json.dumps(content), "utf-8")
        is_damaged = "ud800" in json.dumps(content)
        words = "files do not fit together" if is_damaged else r"must be|no id"
        with pytest.raises(TokenizerError, match=words) as caught:
            read(tmp_path)
        assert "again" in caught.value.hint if is_damaged else caught.value.hint, content


def test_half_a_character_without_an_id_is_written_out_in_the_message(tmp_path: Path) -> None:
    bert(None)(tmp_path)
    (tmp_path / "added_tokens.json").write_text(json.dumps({HALF: None}), "utf-8")
    with pytest.raises(TokenizerError, match=r"gives “'\\ud800'” no id"):
        read(tmp_path)


def test_a_pointer_in_place_of_a_tokenizer_s_file_is_named(tmp_path: Path) -> None:
    WRITERS["phobert"](tmp_path)
    (tmp_path / "bpe.codes").write_text("version https://git-lfs", "utf-8")
    with pytest.raises(CheckpointError, match=r"bpe\.codes is a pointer of git-lfs"):
        read(tmp_path)


def test_damaged_files_of_merge_codes(tmp_path: Path) -> None:
    damaged: dict[str, tuple[bytes | None, ...]] = {
        "vocab.txt": (b"\xff\xfe", b"", b"piece-without-count\n", None),
        "bpe.codes": (b"\xff\xfe", b"only 1\n", b"a b c 7\n", None),
    }
    for name, contents in damaged.items():
        for content in contents:
            WRITERS["phobert"](tmp_path)
            if content is None:
                (tmp_path / name).unlink()
            else:
                (tmp_path / name).write_bytes(content)
            with pytest.raises(TokenizerError, match=r"vocab\.txt|bpe\.codes|PhobertTokenizer") as caught:
                read(tmp_path)
            assert caught.value.hint
        WRITERS["phobert"](tmp_path)


@pytest.mark.parametrize("name", ["xlm-roberta", "albert", "deberta-v2"])
def test_damaged_sentence_piece_models(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path)
    (path,) = tmp_path.glob("*.model")
    for content in (b"", b"abc", b"\0" * 50, b"\x0a\x05a", b"\x0a" + b"\xff" * 9 + b"\x01"):
        path.write_bytes(content)
        with pytest.raises(TokenizerError, match="no SentencePiece model"):
            read(tmp_path)


@pytest.mark.parametrize("name", ["xlm-roberta", "camembert", "albert", "deberta-v2", "big bird"])
def test_a_sentence_piece_model_of_another_kind_is_cut_by_its_own_library(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path)
    (path,) = tmp_path.glob("*.model")
    model = sentence_pieces("bpe", **NOTEBOOK)
    path.write_bytes(model)
    reader = sentencepiece.SentencePieceProcessor()
    reader.load_from_serialized_proto(model)
    text = "the cat ate the fish"
    assert read(tmp_path).encode(text).ids.tolist()[1:-1] == reader.encode(text)


def test_a_tokenizer_json_of_another_kind_is_used_as_it_is_with_a_remark(tmp_path: Path) -> None:
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1}, "unk_token": "[UNK]"}
    bert()(tmp_path)
    as_json(tmp_path)
    path = tmp_path / "tokenizer.json"
    content = json.loads(path.read_text("utf-8")) | {
        "model": model,
        "added_tokens": [],
        "post_processor": None,
    }
    write_json(path, content)
    tokenizer = read(tmp_path)
    assert tokenizer.encode("a b").ids.tolist() == [1, 0]
    assert "is of the kind WordLevel" in tokenizer.remarks[0]


@pytest.mark.parametrize("lowercase", [True, False])
def test_padding_and_truncation_of_a_tokenizer_json_are_no_other_rules(
    lowercase: bool, tmp_path: Path
) -> None:
    bert()(tmp_path)
    as_json(tmp_path)
    path = tmp_path / "tokenizer.json"
    saved = tokenizers.Tokenizer.from_file(str(path))
    saved.enable_padding(length=64)
    saved.enable_truncation(4)
    # Accents are dropped with lower case anyway: the first is written otherwise only, the second is another.
    saved.normalizer = BertNormalizer(strip_accents=lowercase, lowercase=lowercase)
    saved.save(str(path))
    remarks = read(tmp_path).remarks
    assert any("has other rules (normalizer)" in remark for remark in remarks) == (not lowercase)


@pytest.mark.parametrize("name", ["BertTokenizer", "AlbertTokenizer", "RobertaTokenizer"])
def test_a_damaged_tokenizer_json(name: str, tmp_path: Path) -> None:
    write_rules(tmp_path, name)
    for content in ("{}", "[]", '{"model": 3}', '{"model": {"vocab": 1}}', "nonsense"):
        (tmp_path / "tokenizer.json").write_text(content, "utf-8")
        with pytest.raises(TokenizerError, match=r"tokenizer\.json"):
            read(tmp_path)


def test_a_remark_names_an_added_token_whose_declared_id_is_not_used(tmp_path: Path) -> None:
    bert()(tmp_path)
    write_json(tmp_path / "added_tokens.json", {"<e1>": 3000})
    tokenizer, size = read(tmp_path), len(word_pieces())
    assert tokenizer.backend.rust.token_to_id("<e1>") == size
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert theirs.convert_tokens_to_ids("<e1>") == size
    assert tokenizer.remarks[0].startswith("The added token “<e1>” is declared with the id 3000; here")


def test_a_class_s_own_token_without_an_embedding_is_not_added(tmp_path: Path) -> None:
    bert()(tmp_path)
    pieces = [piece for piece in word_pieces() if piece != "[MASK]"]
    (tmp_path / "vocab.txt").write_text("\n".join(pieces), "utf-8")
    assert read(tmp_path, vocab_size=len(pieces)).mask is None
    assert read(tmp_path, vocab_size=len(pieces) + 1).mask == ("[MASK]", len(pieces))


def test_remarks_name_options_without_effect(tmp_path: Path) -> None:
    WRITERS["bert, never split"](tmp_path)
    remarks = read(tmp_path).remarks
    assert [remark.split("”")[0] for remark in remarks] == ["“never_split", "“do_basic_tokenize"]


@pytest.mark.parametrize("name", ["phobert", "japanese, mecab", "roformer", "bert, cased"])
def test_a_tokenizer_may_lower_case_texts_first(name: str, tmp_path: Path) -> None:
    """As sentence-transformers does where its folder declares it; the spans are of the text as typed."""
    {**WRITERS, **JSON_WRITERS}[name](tmp_path)
    tokenizer = read(tmp_path)
    text = "The CAT ate İstanbul ŁÓDŹ"
    small, plain = tokenizer.lower_cased().encode(text), tokenizer.encode(text.lower())
    assert small.ids.tolist() == plain.ids.tolist()
    assert small.text == text
    # The lower-cased I with a dot is two characters.
    behind = [first - (first > 12) for first, _ in plain.spans.tolist()]
    assert [first for first, _ in small.spans.tolist()] == behind


@pytest.mark.parametrize(
    ("name", "side"), [("bert", "left"), ("roberta", "right"), ("xlm-roberta", "left"), ("bert", "right")]
)
def test_what_is_too_long_is_cut_on_the_declared_side(name: str, side: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path)
    change_rules(tmp_path, truncation_side=side)
    if name == "xlm-roberta":
        as_json(tmp_path)
    tokenizer = read(tmp_path).limited(12)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    for text, pair in ((LINES[0], None), (LINES[1], LINES[2]), (LINES[0], LINES[3] * 3)):
        expected = theirs(text, pair, truncation="longest_first", max_length=12)["input_ids"]
        assert tokenizer.encode(text, pair).ids.tolist() == expected
    assert bool(tokenizer.remarks) == (side == "left")


def test_a_side_that_only_the_file_of_the_library_names_is_cut(tmp_path: Path) -> None:
    WRITERS["xlm-roberta"](tmp_path)
    as_json(tmp_path)
    json = tmp_path / "tokenizer.json"
    saved = tokenizers.Tokenizer.from_file(str(json))
    saved.enable_truncation(8, direction="left")
    saved.save(str(json))
    tokenizer, theirs = read(tmp_path).limited(9), transformers.AutoTokenizer.from_pretrained(tmp_path)
    expected = theirs(LINES[0], truncation=True, max_length=9)["input_ids"]
    assert theirs.truncation_side == "left"
    assert tokenizer.encode(LINES[0]).ids.tolist() == expected


def test_letters_of_dna_have_no_token_at_their_end_and_no_pairs(tmp_path: Path) -> None:
    WRITERS["esm"](tmp_path)
    change_rules(tmp_path, eos_token=None)
    tokenizer, theirs = read(tmp_path), transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert theirs.eos_token is None
    for line in LINES:
        assert tokenizer.encode(line).ids.tolist() == theirs(line)["input_ids"]
    with pytest.raises(TextError, match="it reads no pairs") as caught:
        tokenizer.encode(LINES[0], LINES[1])
    assert caught.value.field == "pair"


@pytest.mark.parametrize("name", ["japanese, mecab", "phobert", "esm"])
@pytest.mark.parametrize("limit", [7, 12, 13])
def test_what_is_too_long_for_a_class_in_python(name: str, limit: int, tmp_path: Path) -> None:
    WRITERS[name](tmp_path)
    tokenizer = read(tmp_path).limited(limit)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    expected = theirs(LINES[0], truncation=True, max_length=limit)["input_ids"]
    assert tokenizer.encode(LINES[0]).ids.tolist() == expected


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(
    "name",
    ["japanese", "japanese, mecab", "japanese, characters", "phobert", "bertweet", "esm", "bert", "roberta"],
)
def test_pairs_that_are_too_long_are_divided_as_in_transformers(name: str, side: str, tmp_path: Path) -> None:
    """The classes in Python divide what is too much otherwise than the library does."""
    WRITERS[name](tmp_path)
    change_rules(tmp_path, truncation_side=side)
    whole, theirs = read(tmp_path), transformers.AutoTokenizer.from_pretrained(tmp_path)
    n_cut = 0
    pairs = list(zip(LINES[::12], LINES[1::12], strict=True))
    full = [encoded.ids for encoded in whole.encode_many(pairs)]
    for limit in (9, 16):
        ours = whole.limited(limit)
        for (text, pair), encoded, uncut in zip(pairs, ours.encode_many(pairs), full, strict=True):
            expected = theirs(
                text, pair, truncation="longest_first", max_length=limit, return_token_type_ids=True
            )
            assert encoded.ids == expected["input_ids"], (text, pair)
            assert encoded.segment_ids == expected["token_type_ids"]
            assert encoded.is_cut == (len(uncut) > limit)
            n_cut += encoded.is_cut
            tokens = _tokens_of(ours, text, pair)
            if tokens is not None:
                assert tokens.ids.tolist() == encoded.ids
                assert tokens.n_left_out == len(uncut) - len(encoded.ids)
                assert_spans(tokens)
    assert n_cut > 30


def _tokens_of(tokenizer: Tokenizer, text: str, pair: str) -> Tokens | None:
    try:
        return tokenizer.encode(text, pair)
    except TextError:
        return None  # nothing of it is left


@pytest.mark.parametrize("name", ["roformer", "japanese, mecab", "bertweet, normalised", "xlm-roberta"])
def test_threads_and_copies_agree(name: str, tmp_path: Path) -> None:
    {**WRITERS, **JSON_WRITERS}[name](tmp_path)
    tokenizer = read(tmp_path)
    expected = [tokenizer.encode(line).ids.tolist() for line in LINES[:60]]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda line: tokenizer.encode(line).ids.tolist(), LINES[:60] * 4))
    assert found == expected * 4
    backend = build(tmp_path, read_config(tmp_path / "config.json"))
    copy = Tokenizer(pickle.loads(pickle.dumps(backend)), 4000)
    assert [copy.encode(line).ids.tolist() for line in LINES[:60]] == expected
    many = tokenizer.limited(9).encode_many([(line, None) for line in LINES[:60]])
    assert [one.ids for one in many] == [
        tokenizer.limited(9).encode(line).ids.tolist() for line in LINES[:60]
    ]


def test_roformer_s_words_are_those_of_its_vocabulary(tmp_path: Path) -> None:
    """With vocab.txt alone: `transformers` reads it right if it is given the pieces."""
    JSON_WRITERS["roformer"](tmp_path)
    tokenizer = read(tmp_path)
    theirs = transformers.RoFormerTokenizer(vocab=dict(word_pieces()))
    for line in LINES:
        assert tokenizer.encode(line).ids.tolist() == theirs(line)["input_ids"], line


class KoBert:
    """What KoBertTokenizer does to a text, written once more: its class is not in `transformers`."""

    def __init__(self, model: bytes, pieces: list[str]) -> None:
        self.reader = sentencepiece.SentencePieceProcessor()
        self.reader.load_from_serialized_proto(model)
        self.ids = {piece: number for number, piece in enumerate(pieces)}

    def __call__(self, text: str) -> list[int]:
        import unicodedata

        text = " ".join(text.strip().split()).replace("``", '"').replace("''", '"')
        text = unicodedata.normalize("NFKD", text)
        text = "".join(letter for letter in text if not unicodedata.combining(letter))
        found: list[str] = []
        for piece in self.reader.encode(text, out_type=str):
            if len(piece) > 1 and piece[-1] == "," and piece[-2].isdigit():
                parts = self.reader.encode(piece[:-1].replace("▁", ""), out_type=str)
                if piece[0] != "▁" and parts[0][0] == "▁":
                    parts = parts[1:] if len(parts[0]) == 1 else [parts[0][1:], *parts[1:]]
                found += [*parts, ","]
            else:
                found.append(piece)
        written = ["[CLS]", *found, "[SEP]"]
        return [self.ids.get(piece, self.ids["[UNK]"]) for piece in written]


@pytest.mark.parametrize(
    "rules", [{}, {"auto_map": {"AutoTokenizer": ["tokenization_kobert.KoBertTokenizer", None]}}]
)
def test_kobert_s_layout(rules: Mapping[str, Any], tmp_path: Path) -> None:
    write_rules(tmp_path, "KoBertTokenizer", **rules)
    model = sentence_pieces(**NOTEBOOK)
    (tmp_path / "tokenizer_78b3253a26.model").write_bytes(model)
    reader = sentencepiece.SentencePieceProcessor()
    reader.load_from_serialized_proto(model)
    pieces = [reader.id_to_piece(number) for number in range(reader.get_piece_size())]
    order = [*pieces[::-1][:-20], *pieces[:20]]
    (tmp_path / "vocab.txt").write_text("\n".join(order), "utf-8")
    tokenizer, theirs = read(tmp_path), KoBert(model, order)
    plain = [line for line in LINES if not any(mark in line for mark in ("[", "<", "]", ">"))]
    assert len(plain) > 250
    for line in plain:
        assert tokenizer.encode(line).ids.tolist() == theirs(line), line
    assert "vocab.txt is used" in tokenizer.remarks[0]
    assert f"such as “{order[0]}”" in tokenizer.remarks[0], "the same one each time"


def test_a_tokenizer_json_may_be_larger_than_a_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bert()(tmp_path)
    as_json(tmp_path)
    monkeypatch.setattr(json_files, "MAX_BYTES", 2_000)
    assert (tmp_path / "tokenizer.json").stat().st_size > 2_000
    assert read(tmp_path).backend.rust.token_to_id("<e1>") is not None


@pytest.mark.parametrize("name", ["xlm-roberta", "rembert"])
def test_a_converted_sentence_piece_model_has_a_remark(name: str, tmp_path: Path) -> None:
    {**WRITERS, **JSON_WRITERS}[name](tmp_path)
    tokenizer = read(tmp_path)
    assert "as transformers converts it" in tokenizer.remarks[0]
    assert (
        tokenizer.encode("the cat").is_special.tolist()[:: len(tokenizer.encode("the cat")) - 1] == [True] * 2
    )
