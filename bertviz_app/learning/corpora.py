"""Example corpora: sentences in a file for each language, to measure every head on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bertviz_app import paths
from bertviz_app.errors import FileError, Message
from bertviz_app.learning.words import LANGUAGES


@dataclass(frozen=True)
class ExampleCorpus:
    """The sentences of one language; `first` is the first of them."""

    language: str
    first: str
    n_sentences: int


def example_corpora() -> tuple[ExampleCorpus, ...]:
    """Return what the example corpora have, one for each language."""
    found = []
    for language in LANGUAGES:
        sentences = _shipped(language).read_text(encoding="utf-8").splitlines()
        found.append(ExampleCorpus(language, sentences[0], len(sentences)))
    return tuple(found)


def copy_of_corpus(language: str) -> Path:
    """Return a copy of an example corpus in the user's folder, since its table is written beside the file.

    Raises FileError where the folder cannot be written to.
    """
    source = _shipped(language)
    copy = paths.corpora() / source.name
    content = source.read_bytes()
    try:
        if not copy.is_file() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            with paths.replacing(copy) as beside:
                beside.write_bytes(content)
    except OSError as error:
        raise FileError(
            Message("The example cannot be copied to {0}: {1}", copy.parent, error.strerror or error),
            Message("Choose a text file of your own in a folder that can be written to."),
        ) from error
    return copy


def _shipped(language: str) -> Path:
    return paths.resources() / "examples" / f"sentences_{language}.txt"
