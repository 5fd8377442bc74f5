"""`Glossary`: the terms of the program, explained in English and Korean, with an example of the text shown.

The entries are JSON files in `resources/glossary`, one for each theme, in the order of their names.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bertviz_app import paths
from bertviz_app.json_store import decode
from bertviz_app.learning.words import Words


@dataclass(frozen=True)
class Entry:
    """One term.

    `text` says in two to four sentences what it is, `is_not` what it is mistaken for, `where` where the
    program shows it. `also` are other names by which people look for it. `example`, if there is one, has
    fields of `example_facts`.
    """

    key: str
    name: Words
    text: Words
    is_not: Words
    where: Words
    also: tuple[str, ...] = ()
    example: Words | None = None

    def example_in(self, language: str, facts: Mapping[str, str]) -> str:
        """Return the example filled with `facts`; "" where it has none, or a fact is not known."""
        if self.example is None or not self.example.fields() <= facts.keys():
            return ""
        return self.example.in_language(language).format_map(facts)


@dataclass(frozen=True)
class GlossaryTheme:
    """The entries of one file."""

    theme: Words
    entries: tuple[Entry, ...]


class Glossary:
    """All entries, in their order, by key and by what people type."""

    def __init__(self, themes: tuple[GlossaryTheme, ...]) -> None:
        """Index the entries. Raises ValueError for two entries of the same key."""
        self.themes = themes
        self._entries = {entry.key: entry for theme in themes for entry in theme.entries}
        if len(self._entries) != sum(len(theme.entries) for theme in themes):
            raise ValueError("two entries have the same key")
        self._by_name: dict[str, Entry] = {}
        for entry in self._entries.values():
            for name in _names(entry):
                self._by_name.setdefault(name, entry)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, key: str) -> Entry:
        return self._entries[key]

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def named(self, name: str) -> Entry | None:
        """Return the entry that has exactly this name, in either language; None if there is none."""
        return self._by_name.get(_folded(name))

    def found(self, typed: str) -> list[Entry]:
        """Return the entries that fit what was typed, in either language, the best ones first.

        Names that begin with it come before names that contain it, those before texts that do.
        """
        words = _folded(typed).split()
        ranked = [(rank, entry) for entry in self if (rank := _rank(entry, words)) is not None]
        return [entry for _, entry in sorted(ranked, key=lambda pair: pair[0])]


@cache
def glossary() -> Glossary:
    """Return the glossary that ships with the program; it is read once."""
    return Glossary(tuple(shipped_themes()))


def shipped_themes() -> Iterator[GlossaryTheme]:
    """Yield the themes that ship with the program; each is read once, some milliseconds long."""
    for path in sorted((paths.resources() / "glossary").glob("*.json")):
        yield _shipped_theme(path)


@cache
def _shipped_theme(path: Path) -> GlossaryTheme:
    return read_theme(path)


def term_of_analysis(key: str) -> str:
    """Return the key of the entry about an analysis of the catalogue, "" for one that a user added."""
    term = key.replace("-", "_")
    return term if term in glossary() else ""


def read_theme(path: Path) -> GlossaryTheme:
    """Read one file of entries. Raises ValueError that names the file and what is wrong in it."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return decode(GlossaryTheme, _with_our_names(content))
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from error


def _with_our_names(content: Any) -> Any:
    """Return the content with `not`, which is a word of Python, as `is_not`."""
    if isinstance(content, dict) and isinstance(content.get("entries"), list):
        entries = [
            {("is_not" if key == "not" else key): value for key, value in entry.items()}
            if isinstance(entry, dict)
            else entry
            for entry in content["entries"]
        ]
        return content | {"entries": entries}
    return content


def _rank(entry: Entry, words: list[str]) -> int | None:
    """Return 0 for the best fit of all `words`, None where one of them is nowhere."""
    names = _names(entry)
    joined = " ".join(words)
    if joined in names:
        return 0
    if any(name.startswith(joined) for name in names):
        return 1
    all_names = " ".join(names)
    if all(word in all_names for word in words):
        return 2
    texts = (entry.text, entry.is_not, entry.where)
    everything = all_names + _folded(" ".join(part for text in texts for part in (text.en, text.ko)))
    return 3 if all(word in everything for word in words) else None


def _names(entry: Entry) -> list[str]:
    """Return all its names, folded; "[CLS] (first token)" also as "[CLS]"."""
    whole = [_folded(name) for name in (entry.name.en, entry.name.ko, *entry.also)]
    return [*whole, *(name.split(" (")[0] for name in whole if " (" in name)]


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()
