"""Documents and sentences are read as the file has them, and a file that is no text is named."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from bertviz_app.errors import FileError
from bertviz_app.training.settings import read_documents, sentences


def test_a_blank_line_separates_documents(tmp_path: Path) -> None:
    path = tmp_path / "books.txt"
    path.write_text("One.\nStill one.\n \nTwo.\r\n\r\n\r\nThree.\n", encoding="utf-8")
    assert read_documents(path) == ["One.\nStill one.", "Two.", "Three."]


def test_without_blank_lines_every_line_is_a_document(tmp_path: Path) -> None:
    path = tmp_path / "reviews.txt"
    path.write_text("\ufeff좋아요.\n나빠요.\n", encoding="utf-8")
    assert read_documents(path) == ["좋아요.", "나빠요."]


@pytest.mark.parametrize(("ending", "pack"), [(".xz", lzma.compress), (".gz", gzip.compress)])
def test_packed_files_are_read_too(tmp_path: Path, ending: str, pack: object) -> None:
    assert callable(pack)
    path = tmp_path / f"a.txt{ending}"
    path.write_bytes(pack("한 줄.\n두 줄.".encode()))
    assert read_documents(path) == ["한 줄.", "두 줄."]


def test_letters_taken_apart_are_composed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\u1112\u1161\u11ab", encoding="utf-8")
    assert read_documents(path) == ["한"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "no text"),
        ("a.txt", b" \n\n \n", "no text"),
        ("a.txt", b"caf\xe9", "UTF-8"),
        ("a.gz", gzip.compress(b"text that is long enough " * 9, mtime=0)[:-9], "could not be read"),
        ("a.xz", lzma.compress(b"text that is long enough " * 9)[:-9], "could not be read"),
    ],
)
def test_a_file_that_is_no_text_is_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileError, match=message) as caught:
        read_documents(path)
    assert name in caught.value.message
    assert caught.value.hint


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"nowhere\.txt could not be read"):
        read_documents(tmp_path / "nowhere.txt")


def test_sentences_end_at_their_signs() -> None:
    text = 'He left. "Why?" she asked (quietly.) No 3.5 answer…\n정말 좋다! 또 봐요'
    assert list(sentences(text)) == [
        "He left.",
        '"Why?"',
        "she asked (quietly.)",
        "No 3.5 answer…",
        "정말 좋다!",
        "또 봐요",
    ]
