"""A file is opened by what it holds; its name alone decides where the content does not."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from bertviz_app.errors import FileError
from bertviz_app.trace import Trace, save_trace
from bertviz_app.viewmodels.session.archive import Session, save_session
from bertviz_app.viewmodels.session.reading import is_checkpoint, read_file
from bertviz_app.viewmodels.session.snapshot import Snapshot
from tests.support.factories import random_trace
from tests.support.fakes import tokens_of

TRACE = random_trace(tokens_of("the cat"))


@pytest.mark.parametrize("name", ["work.bva", "work.npz", "work.zip", "work"])
def test_a_session_is_one_by_any_name(tmp_path: Path, name: str) -> None:
    save_session(tmp_path / name, Session(Snapshot("the cat"), TRACE))
    found = read_file(tmp_path / name)
    assert isinstance(found, Session)
    assert found.trace is not None


@pytest.mark.parametrize("name", ["trace.npz", "trace.bva", "trace.zip", "trace"])
def test_a_trace_is_one_by_any_name(tmp_path: Path, name: str) -> None:
    save_trace(TRACE, tmp_path / "trace.npz")
    (tmp_path / "trace.npz").rename(tmp_path / name)
    assert isinstance(read_file(tmp_path / name), Trace)


@pytest.mark.parametrize("name", ["text.txt", "text.TXT", "notes.md", "text"])
def test_a_text_is_read_in_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("the cat\n  sat\n", encoding="utf-8-sig")
    assert read_file(tmp_path / name) == "the cat sat"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.npz", b"PK", "not a trace"),
        ("a.bva", b"PK", "no session"),
        ("a.bva", b"", "no session"),
        ("a.pdf", b"%PDF", "not a file of a kind that can be opened"),
        ("a", b"\xff\xfe", "no text in UTF-8"),
        ("a", b"", "holds no text"),
    ],
)
def test_what_is_none_of_these_is_one_sentence(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileError, match=words):
        read_file(tmp_path / name)


@pytest.mark.parametrize("name", ["a.txt", "a.bva", "a.npz", "a"])
def test_a_file_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError, match="There is no file"):
        read_file(tmp_path / name)


def test_another_zip_archive_is_neither(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "a.docx", "w") as archive:
        archive.writestr("word/document.xml", "<w/>")
    with pytest.raises(FileError, match="not a file of a kind that can be opened"):
        read_file(tmp_path / "a.docx")


def test_checkpoints_are_known_by_their_names(tmp_path: Path) -> None:
    names = ("model.safetensors", "model.safetensors.index.json", "config.json", "x.gguf", "tf_model.h5")
    assert all(is_checkpoint(tmp_path / name) for name in names)
    assert is_checkpoint(tmp_path)
    assert not any(is_checkpoint(tmp_path / name) for name in ("a.txt", "a.bva", "a.npz", "a"))
