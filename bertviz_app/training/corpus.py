"""Texts to train on: files of documents, and the sentences of a document."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from bertviz_app.errors import FileError, Message
from bertviz_app.text_tables.table import unpacked

SENTENCE_ENDS = frozenset(".!?…。！？")
_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s+|(?<=[.!?…。！？][\"'”’)\]])\s+")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")


def read_documents(path: Path) -> list[str]:
    """Return the documents of a UTF-8 text file, which may be packed (.xz, .gz).

    A blank line separates documents; in a file without blank lines every line is one. Raises FileError for
    a file that is missing, empty, damaged or no text.
    """
    text = _text(path)
    is_by_lines = _BLANK_LINE.search(text) is None
    parts = text.split("\n") if is_by_lines else _BLANK_LINE.split(text)
    documents = [part.strip() for part in parts if part.strip()]
    if not documents:
        raise FileError(
            Message("{0} has no text in it.", path.name), Message("Give a file with sentences to train on.")
        )
    return documents


def sentences(document: str) -> Iterator[str]:
    """Yield the sentences of a document, line by line: cut after a full stop, question or exclamation mark.

    Abbreviations are cut, too: the cuts need not be grammatical, only places where a text can be split.
    """
    for line in document.split("\n"):
        yield from (part for part in _SENTENCE_END.split(line.strip()) if part)


def _text(path: Path) -> str:
    try:
        text = unpacked(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = Message("{0} is not UTF-8 text: byte {1} fits no character.", path.name, f"{error.start:,}")
        raise FileError(message, Message("Save it as UTF-8.")) from error
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n"))
