"""The documents that ship with the program: tutorials, how-to guides, reference, explanation; in Markdown.

A page `name.md` is in English; `name.ko.md` beside it, where there is one, is the same page in Korean. Those
that are in English alone have their titles in other languages in `titles.json`, by language, kind and name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from bertviz_app.learning.words import LANGUAGES
from bertviz_app.paths import bundled_models, resources
from bertviz_app.values import dataclass

Kind = Literal["tutorials", "how-to", "reference", "explanation"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_FIRST = "en"
"""The language that every page is written in."""


@dataclass(frozen=True)
class Document:
    """One page: its kind, which is its folder, its file, and its title, which is its first line.

    `titles`: in each language that the page is written in; `more_titles`: in further languages.
    """

    kind: Kind
    path: Path
    titles: Mapping[str, str]
    more_titles: Mapping[str, str]

    def title(self, language: str) -> str:
        """Return the title, in English where there is none in `language`."""
        return {**self.more_titles, **self.titles}.get(language, self.titles[_FIRST])

    def text(self, language: str) -> str:
        """Return the Markdown of the page, in English where it is not written in `language`."""
        path = _in_language(self.path, language) if language in self.titles else self.path
        return path.read_text(encoding="utf-8")

    def contains(self, typed: str) -> bool:
        """Return whether every word of `typed` is in the page, in one of its languages, or in a title."""
        words = typed.casefold().split()
        texts = [self.text(language).casefold() for language in self.titles]
        texts += [title.casefold() for title in self.more_titles.values()]
        return any(all(word in text for word in words) for text in texts)


@cache
def documents() -> tuple[Document, ...]:
    """Return all documents, kind by kind, each kind by its titles."""
    found: list[Document] = []
    folder = resources() / "docs"
    more = json.loads((folder / "titles.json").read_text(encoding="utf-8"))
    for kind in KINDS:
        pages = []
        for path in (folder / kind).glob("*.md"):
            if not path.name.endswith(".ko.md"):
                files = {language: _in_language(path, language) for language in LANGUAGES}
                titles = {
                    language: file.read_text("utf-8").partition("\n")[0].lstrip("# ").strip()
                    for language, file in files.items()
                    if file.exists()
                }
                elsewhere = {language: kinds.get(kind, {}).get(path.stem) for language, kinds in more.items()}
                others = {language: title for language, title in elsewhere.items() if title is not None}
                pages.append(Document(kind, path, titles, others))
        found += sorted(pages, key=lambda page: page.titles[_FIRST])
    return tuple(found)


def linked(document: Document, link: str) -> Document | None:
    """Return the document that a relative link in another one leads to; None for everything else."""
    path = (document.path.parent / link.partition("#")[0].replace(".ko.md", ".md")).resolve()
    return next((page for page in documents() if page.path.resolve() == path), None)


def linked_card(document: Document, link: str) -> Path | None:
    """Return the card of a bundled checkpoint that a link in a document leads to; None for others."""
    path = (document.path.parent / link).resolve()
    is_card = path.name == "README.md" and path.parent.parent == bundled_models().resolve()
    return path if is_card and path.is_file() else None


def text_of_card(path: Path) -> str:
    """Return the Markdown of the card of a checkpoint, without the head that is for Hugging Face's hub."""
    return re.sub(r"\A---\n.*?\n---\n", "", path.read_text(encoding="utf-8"), flags=re.DOTALL).lstrip()


def _in_language(path: Path, language: str) -> Path:
    return path if language == _FIRST else path.with_suffix(f".{language}.md")
