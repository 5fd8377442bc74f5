"""Tokenizers of sentence pieces, byte pairs and tweets against those of their libraries."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_app.checkpoint.loader import open_checkpoint
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.checkpoint.tokenizer_files import word_pieces
from bertviz_app.errors import TextError, TokenizerError
from bertviz_app.features.tokenizers.classes import Tweets
from bertviz_app.text import Tokens
from bertviz_app.text.classes.unigram import albert
from bertviz_app.text.classes.vocabulary import Declared, Vocabulary, bert
from bertviz_app.text.cutter import Backend
from bertviz_app.text.numbering import ALBERT, FAIRSEQ, PLAIN, PieceNumbering
from bertviz_app.text.sentence_pieces import SPACE, read_sentence_pieces
from bertviz_app.text.tokenizer import Numbering, Tokenizer, tokenizer_fingerprint
from bertviz_app.text.tokens import Aligned
from tests.support import tokenizer_files as sentence_pieces
from tests.support.families import CORPUS, byte_pairs, write_family, write_tokenizer
from tests.support.older_tokenizers import of_merges, of_vocabulary
from tests.support.tokenizer_files import KINDS, Settings, cut_by_library, lines, processor, write_model

LENGTH = 512


def _tokenizer(path: Path, layout: PieceNumbering = PLAIN, max_tokens: int = LENGTH) -> Tokenizer:
    cutter = read_sentence_pieces(path, layout)
    return Tokenizer(Backend(cutter.backend(), cutter, spelling="spaces"), max_tokens)


@pytest.fixture(scope="module", params=KINDS)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of each kind, as Korean notebooks train them."""
    return write_model(tmp_path_factory.mktemp("model") / "kowiki.model", request.param)


@pytest.fixture(scope="module")
def unigram(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model") / "kowiki.model")


def _inner(tokens: Tokens) -> list[int]:
    ids: list[int] = tokens.ids.tolist()
    return ids[1:-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"byte_fallback": True, "vocab_size": 460},
        {"normalization_rule_name": "identity"},
        {"normalization_rule_name": "nmt_nfkc_cf"},
        {"treat_whitespace_as_suffix": True},
        {"remove_extra_whitespaces": False},
        {"add_dummy_prefix": False, "split_by_whitespace": False},
    ],
)
@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_ids_are_the_librarys(kind: str, more: Settings, tmp_path: Path) -> None:
    path = write_model(tmp_path / "spm.model", kind, **more)
    ours, texts = _tokenizer(path), [text for text in lines() if text.strip()]
    assert len(texts) >= 300
    for text, theirs in zip(texts, cut_by_library(path, texts), strict=True):
        assert _inner(ours.encode(text)) == theirs, text


def test_ids_of_all_kinds_are_the_librarys(model: Path) -> None:
    ours, texts = _tokenizer(model), lines(100, seed=1)
    for text, theirs in zip(texts, cut_by_library(model, texts), strict=True):
        assert _inner(ours.encode(text)) == theirs, text


def _bare(text: str) -> str:
    """Return what of `text` any normalising leaves comparable."""
    return "".join(unicodedata.normalize("NFKC", text).split()).replace(SPACE, "")


@pytest.mark.parametrize("layout", [PLAIN, ALBERT], ids=["plain", "albert"])
def test_spans_are_the_characters_of_the_text(unigram: Path, layout: PieceNumbering) -> None:
    ours = _tokenizer(unigram, layout)
    for text in (
        "The cat ate  the fish",
        "고양이가\t배가 고파서",
        "ＦＵＬＬ ① ㎏ ﬁne",
        "é 🙂 [MASK] x[MASK]y",
        "Ça va, 20,",
    ):
        tokens = ours.encode(text)
        spans = tokens.spans[~tokens.is_special]
        pieces = [
            piece for piece, is_added in zip(tokens.pieces, tokens.is_special, strict=True) if not is_added
        ]
        assert (np.diff(spans[:, 0]) >= 0).all()
        covered = "".join(text[first:last] for first, last in dict.fromkeys(map(tuple, spans.tolist())))
        assert _bare(covered) == _bare(text)
        for piece, (first, last) in zip(pieces, spans.tolist(), strict=True):
            written = text[first:last]
            assert written == written.strip() or piece == SPACE
            if piece not in ("[UNK]", SPACE):
                assert piece.strip(SPACE).lower()[:1] in _bare(written).lower() or layout.drops_accents


def test_pieces_of_one_character_stand_for_all_of_it(tmp_path: Path) -> None:
    path = write_model(tmp_path / "spm.model", "bpe", byte_fallback=True, vocab_size=460)
    tokens = _tokenizer(path).encode("a 🙂 ㎏")
    found = dict(zip(tokens.pieces, tokens.spans.tolist(), strict=True))
    assert [found[piece] for piece in ("<0xF0>", "<0x9F>", "<0x99>", "<0x82>")] == [[2, 3]] * 4
    assert found["k"] == found["g"] == [4, 5]


def test_words_begin_with_their_space(unigram: Path, tmp_path: Path) -> None:
    tokens = _tokenizer(unigram).encode("the cat [MASK] ate", "the fish")
    text = tokens.text.split()
    for word, first, of in zip(
        tokens.words.tolist(), tokens.spans[:, 0].tolist(), tokens.sentences, strict=True
    ):
        if of == 0 and tokens.text[first] != " ":
            assert tokens.text[:first].count(" ") == word, text
    suffixed = _tokenizer(write_model(tmp_path / "spm.model", treat_whitespace_as_suffix=True))
    tokens = suffixed.encode("the cat ate")
    assert sorted({*tokens.words.tolist()}) == [-1, 0, 1, 2]


def test_the_space_before_a_word_is_drawn_as_in_other_vocabularies(unigram: Path) -> None:
    tokens = _tokenizer(unigram).encode("The cat ate the fish")
    assert tokens.spelling == "spaces"
    assert any(piece.startswith("▁") for piece in tokens.pieces)
    assert [shown.replace("␣", "▁") for shown in tokens.labels] == list(tokens.pieces)


def test_a_pair_and_what_does_not_fit(unigram: Path) -> None:
    ours = _tokenizer(unigram)
    tokens = ours.encode("the cat", "the dog")
    assert (tokens.pieces[0], tokens.pieces[-1]) == ("[CLS]", "[SEP]")
    assert tokens.segment_ids.tolist() == sorted(tokens.segment_ids.tolist())
    assert {*tokens.sentences.tolist()} == {-1, 0, 1}
    cut = _tokenizer(unigram, max_tokens=6).encode("the cat ate the fish")
    whole = ours.encode("the cat ate the fish")
    assert len(cut) == 6
    assert cut.n_left_out == len(whole) - 6
    assert cut.pieces[:5] == whole.pieces[:5]
    np.testing.assert_array_equal(cut.spans[:5], whole.spans[:5])


def test_a_piece_is_found_and_the_mask_is_the_models_own(unigram: Path) -> None:
    ours, reader = _tokenizer(unigram), processor(unigram)
    assert ours.piece("[MASK]") == ("[MASK]", reader.piece_to_id("[MASK]"))
    name = next(
        name for name in map(reader.id_to_piece, range(7, 120)) if name.startswith(SPACE) and len(name) > 3
    )
    assert ours.piece(name) == (name, reader.piece_to_id(name))
    with pytest.raises(TextError, match="no piece of this model's vocabulary"):
        ours.piece("뷁뷁")


def test_nothing_but_what_is_dropped_is_refused(unigram: Path) -> None:
    with pytest.raises(TextError, match="keeps nothing"):
        _tokenizer(unigram).encode("\u200b")


# The ids of families whose repositories have a .model and nothing else


def test_fairseqs_ids(tmp_path: Path) -> None:
    path = write_model(tmp_path / "sentencepiece.bpe.model", special=sentence_pieces.XLM_ROBERTA)
    ours, reader = _tokenizer(path, FAIRSEQ), processor(path)
    tokens = ours.encode("the cat 뷁 <mask> ate", "the fish")
    assert [*tokens.ids[[0, -1]]] == [0, 2]
    assert [piece for piece in tokens.pieces if piece.startswith("<")] == [
        *("<s>", "<unk>", "<mask>", "</s>", "</s>", "</s>")
    ]
    assert dict(zip(tokens.pieces, tokens.ids.tolist(), strict=True))["<unk>"] == 3
    assert ours.highest_id() == ("<mask>", reader.get_piece_size() + 1)
    for text in lines(60):
        assert "<" in text or _inner(ours.encode(text)) == [n + 1 if n else 3 for n in reader.encode(text)]


def test_alberts_ids_and_what_it_does_to_a_text(tmp_path: Path) -> None:
    path = write_model(tmp_path / "spiece.model", special=sentence_pieces.ALBERT)
    ours, reader = _tokenizer(path, ALBERT), processor(path)
    tokens = ours.encode("``The'' CÅT [MASK]")
    assert tokens.ids[[0, -1]].tolist() == [2, 3]
    assert tokens.ids[-2] == 4
    assert _inner(tokens)[:-1] == reader.encode('"the" cat')
    assert _inner(_tokenizer(path, replace(ALBERT, lower_case=False)).encode("The")) == reader.encode("The")


def test_a_comma_after_a_digit_is_alberts_own_piece(tmp_path: Path) -> None:
    special = {**sentence_pieces.ALBERT, "user_defined_symbols": ["99,"], "required_chars": ",0123456789"}
    path = write_model(tmp_path / "spiece.model", special=special)
    reader = processor(path)
    assert reader.id_to_piece(reader.encode("in 99,"))[-1] == "99,"
    tokens = _tokenizer(path, ALBERT).encode("in 99, no")
    assert "99," not in tokens.pieces
    position = tokens.pieces.index(",")
    assert "".join(tokens.pieces[position - 2 : position]).strip(SPACE) == "99"
    assert tokens.text[slice(*tokens.spans[position].tolist())] == "99,"


@pytest.mark.parametrize(
    ("ends", "special"),
    [
        (("[CLS]", "[SEP]"), sentence_pieces.NOTEBOOK),
        (("<s>", "</s>"), sentence_pieces.XLM_ROBERTA),
        (("[BOS]", "[EOS]"), {**sentence_pieces.NOTEBOOK, "user_defined_symbols": ["[MASK]"]}),
        (("<cls>", "<sep>"), {"control_symbols": ["<cls>", "<sep>"]}),
    ],
)
def test_the_ends_are_what_the_model_has(ends: tuple[str, str], special: Settings, tmp_path: Path) -> None:
    tokens = _tokenizer(write_model(tmp_path / "spm.model", special=special)).encode("the cat")
    assert (tokens.pieces[0], tokens.pieces[-1]) == ends


# What is refused


@pytest.mark.parametrize("content", [b"", b"abc", b"\0" * 100, b"[CLS]\n[SEP]\n"])
def test_what_is_no_model_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "spm.model"
    path.write_bytes(content)
    with pytest.raises(TokenizerError, match=r"spm\.model is no SentencePiece model") as caught:
        read_sentence_pieces(path, PLAIN)
    assert caught.value.hint


def test_a_model_cut_short_is_refused(unigram: Path, tmp_path: Path) -> None:
    path = tmp_path / "spm.model"
    path.write_bytes(unigram.read_bytes()[:5000])
    with pytest.raises(TokenizerError):
        _tokenizer(path).encode("the cat")


def test_a_model_without_special_pieces_is_refused(tmp_path: Path) -> None:
    path = write_model(tmp_path / "spm.model", special={"bos_id": -1, "eos_id": -1})
    with pytest.raises(TokenizerError, match=r"it has no \[CLS\] and \[SEP\]"):
        read_sentence_pieces(path, PLAIN)


def test_ids_that_meet_are_refused(tmp_path: Path) -> None:
    path = write_model(tmp_path / "spm.model", special={"unk_id": 7, "bos_id": 5, "eos_id": 6})
    with pytest.raises(TokenizerError, match="several pieces alike"):
        read_sentence_pieces(path, FAIRSEQ)


PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "The", "cafe", "café", "a", "##b", "我"]


def _vocabulary(folder: Path, pieces: list[str]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    return folder / "vocab.txt"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return _vocabulary(tmp_path, PIECES)


def _of(path: Path, max_tokens: int = 64, **options: Any) -> str:
    return tokenizer_fingerprint(of_vocabulary(path, max_tokens, **options))


def test_it_is_of_what_the_tokenizer_does(path: Path, tmp_path: Path) -> None:
    bert(word_pieces(path), Declared({})).save(str(tmp_path / "tokenizer.json"))
    stored = Tokenizer.from_json(tmp_path / "tokenizer.json", 64)
    assert tokenizer_fingerprint(stored) == _of(path)
    assert len(_of(path)) == 64


@pytest.mark.parametrize(
    "options", [{"do_lower_case": False}, {"strip_accents": False}, {"tokenize_chinese_chars": False}]
)
def test_another_option_gives_another(path: Path, options: dict[str, bool]) -> None:
    assert _of(path, **options) != _of(path)


def test_another_order_of_the_vocabulary_or_another_limit_gives_another(path: Path, tmp_path: Path) -> None:
    swapped = [*PIECES[:-2], PIECES[-1], PIECES[-2]]
    assert _of(_vocabulary(tmp_path / "other", swapped)) != _of(path)
    assert _of(_vocabulary(tmp_path / "longer", [*PIECES, "unused"])) != _of(path)
    assert _of(path, 63) != _of(path)


def test_other_positions_give_another(path: Path) -> None:
    shifted = of_vocabulary(path, 64, numbering=Numbering(first_position=2))
    assert tokenizer_fingerprint(shifted) != _of(path)


def test_albert_writes_the_special_tokens_that_are_declared_around_a_text() -> None:
    names = ("<unk>", "<s>", "</s>", "<pad>", "[MASK]", "\u2581ab", "\u2581c")
    scores = [(name, -float(at)) for at, name in enumerate(names)]
    vocabulary = Vocabulary("spiece.model", {name: at for at, name in enumerate(names)}, scores)
    declared = Declared(specials={"cls_token": "<s>", "sep_token": "</s>", "unk_token": "<unk>"})
    assert albert(vocabulary, declared).encode("ab c").ids == [1, 5, 6, 2]


def _normalised(text: str) -> str:
    return Tweets(demojize=str).normalised(Aligned.typed(text)).text


@pytest.mark.parametrize(
    ("tweet", "expected"),
    [
        ("see https://t.co/abc now", "see HTTPURL now"),
        ("see https://t.co/abc!? @you", "see HTTPURL ! ? @USER"),
        ("(http://a.b/c_(d)) ok", "( HTTPURL ) ok"),
        ("Wow =OD :o) (O: 8O)", "Wow =OD :o) (O: 8O)"),
    ],
)
def test_a_link_and_a_user_become_words(tweet: str, expected: str) -> None:
    assert _normalised(tweet) == expected


def test_a_link_before_thousands_of_signs_is_found_without_trying_every_way_to_part_them() -> None:
    words = _normalised("see https://t.co/abc" + "?!" * 1000).split()
    assert words == ["see", "HTTPURL", *["?", "!"] * 1000]


TEXTS = [*CORPUS, "The <mask> cat", "  two  spaces\n", "émigré 고양이 🐈"]


@pytest.mark.slow
def test_the_two_files_read_as_the_tokenizer_they_were(tmp_path: Path) -> None:
    theirs = write_tokenizer(tmp_path, "roberta")
    ours = of_merges(tmp_path, 200)
    for text in TEXTS:
        assert ours.encode(text).ids.tolist() == theirs(text)["input_ids"]
        assert ours.encode(text, "It was.").ids.tolist() == theirs(text, "It was.")["input_ids"]


def test_a_pair_has_two_separators_and_one_segment(tmp_path: Path) -> None:
    byte_pairs(tmp_path)
    numbering = Numbering(first_position=2, has_segments=False)
    tokenizer = of_merges(tmp_path, 200, numbering)
    tokens = tokenizer.encode("cat", "fish")
    assert [piece for piece in tokens.pieces if piece.startswith("<")] == ["<s>", "</s>", "</s>", "</s>"]
    assert not tokens.segment_ids.any()
    assert not tokens.has_segments
    assert tokens.position_ids.tolist() == list(range(2, len(tokens) + 2))
    assert sorted({*tokens.sentences.tolist()}) == [-1, 0, 1]


@pytest.mark.slow
def test_a_checkpoint_without_tokenizer_json_opens(tmp_path: Path) -> None:
    write_family(tmp_path, "roberta")
    whole = open_checkpoint(find(str(tmp_path)))
    (tmp_path / "tokenizer.json").unlink()
    mask = {"content": "<mask>", "lstrip": True}  # which transformers writes into tokenizer.json only
    (tmp_path / "special_tokens_map.json").write_text(json.dumps({"mask_token": mask}), "utf-8")
    older = open_checkpoint(find(str(tmp_path)))
    for text in TEXTS:
        assert older.tokens(text).ids.tolist() == whole.tokens(text).ids.tolist()
    (tmp_path / "merges.txt").unlink()
    with pytest.raises(TokenizerError, match=r"without merges\.txt"):
        open_checkpoint(find(str(tmp_path)))


@pytest.mark.parametrize(
    ("vocabulary", "merges", "message"),
    [
        ("{", "#version\n", "A tokenizer cannot be made"),
        ("[]", "#version\n", "A tokenizer cannot be made"),
        ('{"a": 0}', "#version\na b\n", "A tokenizer cannot be made"),
        ('{"<s>": 0, "</s>": 1}', "#version\n", "has no <unk>"),
    ],
)
def test_files_that_make_none_are_refused(vocabulary: str, merges: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text(vocabulary)
    (tmp_path / "merges.txt").write_text(merges)
    with pytest.raises(TokenizerError, match=message) as caught:
        of_merges(tmp_path, 200)
    assert caught.value.hint
