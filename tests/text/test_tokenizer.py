"""The tokenizer against `transformers`' own, and what it says about each token."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import tokenizers
from tokenizers.models import WordLevel

from bertviz_app.errors import TextError, TokenizerError
from bertviz_app.text import Tokenizer, Tokens
from bertviz_app.text.tokens import SPECIAL
from tests.support.checkpoints import write_bert
from tests.support.older_tokenizers import of_vocabulary

if TYPE_CHECKING:
    from transformers import BertTokenizerFast

CHECKPOINTS = ["uncased", "cased", "real"]
WAYS = ["tokenizer.json", "vocab.txt"]
TEXTS = [
    "the cat ate the fish because it was hungry.",
    "  The CAT\tate\n\nfish , (it's)  ",
    "고양이가 배고파서 생선을 먹었다",
    "ㄱㄴ 각 뷁 한국어",
    "naïve café Ångström e\u0301",
    "中文字 漢字 かな 🐈‍⬛ 👩🏽‍🚀",
    "שלום مرحبا cat",
    "a\u200bb\u00adc \u3000d\ufffd",
    "[CLS] the [MASK] ate [SEP] [PAD] [UNK] [mask]",
    "x" * 150 + " " + "cat" * 40,
    "!?!?... --- ''' ###",
    "page one\x0cpage\x0btwo\0 three\x7f\x85 한\x10국어",
]
PAIRS = [("the cat", "it was hungry"), ("한국어", "cat fish"), ("a", "b " * 40), ("a b c " * 30, "d " * 50)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory, tiny_bert: Path, minilm: Path) -> dict[str, Path]:
    cased = write_bert(tmp_path_factory.mktemp("cased"), lower_case=False)
    return {"uncased": tiny_bert, "cased": cased, "real": minilm}


@pytest.fixture(scope="module", params=CHECKPOINTS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def theirs(folders: dict[str, Path], name: str) -> BertTokenizerFast:
    from transformers import BertTokenizerFast

    return BertTokenizerFast.from_pretrained(folders[name])


def read(folders: dict[str, Path], name: str, way: str, max_tokens: int = 512) -> Tokenizer:
    """Return our tokenizer of a checkpoint, from either of its files."""
    path = folders[name] / way
    if way == "tokenizer.json":
        return Tokenizer.from_json(path, max_tokens)
    return of_vocabulary(path, max_tokens, do_lower_case=name != "cased")


def assert_same(ours: Tokens, theirs: BertTokenizerFast, text: str, pair: str | None, limit: int) -> None:
    expected = theirs(text, pair, truncation="longest_first", max_length=limit, return_offsets_mapping=True)
    assert ours.ids.tolist() == expected["input_ids"]
    assert ours.segment_ids.tolist() == expected["token_type_ids"]
    assert list(ours.pieces) == theirs.convert_ids_to_tokens(expected["input_ids"])
    assert [tuple(span) for span in ours.spans.tolist()] == expected["offset_mapping"]
    assert ours.position_ids.tolist() == list(range(len(ours)))
    uncut = theirs(text, pair, truncation=False)["input_ids"]
    assert ours.n_left_out == len(uncut) - len(ours)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_texts_and_pairs_cut_to_the_limit(
    folders: dict[str, Path], theirs: BertTokenizerFast, name: str, way: str
) -> None:
    whole = read(folders, name, way)
    for text in TEXTS:
        assert_same(whole.encode(text), theirs, text, None, 512)
    for limit in (5, 16, 17, 512):
        ours = read(folders, name, way, limit)
        for pair in PAIRS:
            assert_same(ours.encode(*pair), theirs, *pair, limit)


def test_cutting_and_padding_of_the_file_do_not_apply(minilm: Path) -> None:
    content = json.loads((minilm / "tokenizer.json").read_text(encoding="utf-8"))
    assert content["truncation"]["max_length"] == 128
    assert content["padding"] is not None
    tokenizer = Tokenizer.from_json(minilm / "tokenizer.json", 512)
    assert len(tokenizer.encode("cat")) == 3
    assert len(tokenizer.encode("cat " * 300)) == 302
    long = tokenizer.encode("cat " * 600)
    assert (len(long), long.n_left_out) == (512, 90)


def test_tokens_have_pieces_segments_positions_sentences_words_and_spans(tiny_bert: Path) -> None:
    tokenizer = Tokenizer.from_json(tiny_bert / "tokenizer.json", 512)
    tokens = tokenizer.encode("The cats ate", "fishing")
    assert tokens.pieces == ("[CLS]", "the", "cat", "##s", "ate", "[SEP]", "fish", "##ing", "[SEP]")
    assert tokens.segment_ids.tolist() == [0, 0, 0, 0, 0, 0, 1, 1, 1]
    assert tokens.position_ids.tolist() == list(range(9))
    assert tokens.sentences.tolist() == [SPECIAL, 0, 0, 0, 0, SPECIAL, 1, 1, SPECIAL]
    assert tokens.words.tolist() == [SPECIAL, 0, 1, 1, 2, SPECIAL, 0, 0, SPECIAL]
    assert tokens.spans.tolist() == [
        [0, 0], [0, 3], [4, 7], [7, 8], [9, 12], [0, 0], [0, 4], [4, 7], [0, 0]
    ]  # fmt: skip
    assert tokens.is_special.tolist() == [True] + [False] * 4 + [True] + [False] * 2 + [True]
    assert (tokens.text, tokens.pair, tokens.n_left_out) == ("The cats ate", "fishing", 0)


def test_a_text_of_which_nothing_is_kept_is_an_error(tiny_bert: Path) -> None:
    tokenizer = Tokenizer.from_json(tiny_bert / "tokenizer.json", 512)
    with pytest.raises(TextError, match="keeps nothing"):
        tokenizer.encode("\u200b\u00ad")


@pytest.mark.parametrize(("limit", "pair"), [(1, None), (2, None), (2, "cat"), (3, "cat")])
def test_a_model_without_room_for_a_text_is_an_error(tiny_bert: Path, limit: int, pair: str | None) -> None:
    tokenizer = Tokenizer.from_json(tiny_bert / "tokenizer.json", limit)
    with pytest.raises(TokenizerError, match=f"reads {limit} tokens at most"):
        tokenizer.encode("the cat", pair)


def test_two_threads_cut_and_do_not_cut_at_once(tiny_bert: Path) -> None:
    tokenizer = Tokenizer.from_json(tiny_bert / "tokenizer.json", 20)
    start, lengths = threading.Barrier(2), dict[str, set[int]]()

    def encode(text: str) -> None:
        start.wait()
        lengths[text] = {len(tokenizer.encode(text)) for _ in range(200)}

    threads = [threading.Thread(target=encode, args=(text,)) for text in ("cat", "cat " * 30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lengths == {"cat": {3}, "cat " * 30: {20}}


@pytest.mark.parametrize("content", [b"", b"{}", b"[1, 2", b"\xff\xfe\x00", b'{"model": {"type": "X"}}'])
def test_a_damaged_tokenizer_file_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "tokenizer.json").write_bytes(content)
    with pytest.raises(TokenizerError, match=r"tokenizer\.json is not a tokenizer"):
        Tokenizer.from_json(tmp_path / "tokenizer.json", 512)


@pytest.mark.parametrize("content", [b"", b"cat\nfish\n", b"[CLS]\n[SEP]\n", b"\xff\xfe[CLS]\n"])
def test_a_damaged_vocabulary_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "vocab.txt").write_bytes(content)
    with pytest.raises(TokenizerError, match=r"vocab\.txt"):
        of_vocabulary(tmp_path / "vocab.txt", 512)


def test_a_vocabulary_with_line_ends_of_windows(tiny_bert: Path, tmp_path: Path) -> None:
    lines = (tiny_bert / "vocab.txt").read_bytes().replace(b"\n", b"\r\n")
    (tmp_path / "vocab.txt").write_bytes(lines)
    there, here = (
        of_vocabulary(folder / "vocab.txt", 512).encode("the cats") for folder in (tiny_bert, tmp_path)
    )
    np.testing.assert_array_equal(there.ids, here.ids)


@pytest.mark.parametrize("ids", [[2, 3], [2**31]])
def test_a_tokenizer_whose_ids_do_not_fit_its_pieces_is_damaged(
    tiny_bert: Path, tmp_path: Path, ids: list[int]
) -> None:
    content = json.loads((tiny_bert / "tokenizer.json").read_text("utf-8"))
    content["post_processor"]["special_tokens"]["[CLS]"]["ids"] = ids
    (tmp_path / "tokenizer.json").write_text(json.dumps(content), "utf-8")
    with pytest.raises(TokenizerError, match="do not fit its pieces"):
        Tokenizer.from_json(tmp_path / "tokenizer.json", 512).encode("the cat")


def test_the_error_of_a_library_for_a_damaged_file_is_printable(tiny_bert: Path, tmp_path: Path) -> None:
    content = json.loads((tiny_bert / "tokenizer.json").read_text("utf-8")) | {"version": "\0\x1b[2J"}
    (tmp_path / "tokenizer.json").write_text(json.dumps(content), "utf-8")
    with pytest.raises(TokenizerError, match="Unknown tokenizer version") as caught:
        Tokenizer.from_json(tmp_path / "tokenizer.json", 512)
    assert caught.value.message.isprintable()


def test_a_mask_and_a_piece_are_found_by_what_tokenizers_call_them(tmp_path: Path, tiny_bert: Path) -> None:
    tokenizer = of_vocabulary(tiny_bert / "vocab.txt", 16)
    assert tokenizer.mask == ("[MASK]", 4)
    assert tokenizer.piece_of(4) == "[MASK]"
    assert tokenizer.piece_of(10**6) == "#1000000"
    (tmp_path / "vocab.txt").write_text("[CLS]\n[SEP]\n[UNK]\ncat\n", encoding="utf-8")
    assert of_vocabulary(tmp_path / "vocab.txt", 16, n_rows=4).mask is None


def test_of_two_masks_the_one_that_is_found_whole_in_a_text_is_the_mask(tmp_path: Path) -> None:
    """MPNet's vocabulary is BERT's with its own special tokens before and after."""
    pieces = ("<s>", "<pad>", "</s>", "[UNK]", "[PAD]", "[MASK]", "cat", "<mask>")
    backend = tokenizers.Tokenizer(
        WordLevel({piece: at for at, piece in enumerate(pieces)}, unk_token="[UNK]")
    )
    backend.save(str(tmp_path / "plain.json"))
    plain = Tokenizer.from_json(tmp_path / "plain.json", 16)
    assert (plain.mask, plain.padding) == (("[MASK]", 5), ("[PAD]", 4))
    backend.add_special_tokens(["<s>", "<pad>", "</s>", "[UNK]", "<mask>"])
    backend.save(str(tmp_path / "added.json"))
    added = Tokenizer.from_json(tmp_path / "added.json", 16)
    assert (added.mask, added.padding) == (("<mask>", 7), ("<pad>", 1))
    assert added.piece("[MASK]") == ("<mask>", 7)


def test_a_letter_that_a_vocabulary_without_an_unknown_piece_lacks_is_no_piece(tmp_path: Path) -> None:
    model = WordLevel({"[CLS]": 0, "[SEP]": 1, "cat": 2}, unk_token="[UNK]")
    tokenizers.Tokenizer(model).save(str(tmp_path / "tokenizer.json"))
    tokenizer = Tokenizer.from_json(tmp_path / "tokenizer.json", 16)
    assert tokenizer.piece("cat") == ("cat", 2)
    with pytest.raises(TextError, match="“ж” is no piece of this model's vocabulary"):
        tokenizer.piece("ж")
