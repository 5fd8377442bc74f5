"""The example corpora: sentences in both languages, copied to where their table can be written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bertviz_app import paths
from bertviz_app.errors import FileError
from bertviz_app.learning.words import copy_of_corpus, example_corpora


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "corpora", lambda: tmp_path / "corpora")


def test_the_sentences_are_in_the_language_and_differ() -> None:
    for example in example_corpora():
        lines = copy_of_corpus(example.language).read_text(encoding="utf-8").splitlines()
        assert len(lines) == len(set(lines)) == example.n_sentences == 60
        assert lines[0] == example.first
        assert all(bool(re.search(r"[가-힣]", line)) == (example.language == "ko") for line in lines)


def test_a_copy_is_used_again_and_mended_where_it_was_changed() -> None:
    copy = copy_of_corpus("en")
    written = copy.stat().st_mtime_ns
    assert copy_of_corpus("en") == copy
    assert copy.stat().st_mtime_ns == written
    whole = copy.read_bytes()
    copy.write_text("changed", encoding="utf-8")
    assert copy_of_corpus("en").read_bytes() == whole


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "corpora").write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(FileError, match="corpora"):
        copy_of_corpus("en")
