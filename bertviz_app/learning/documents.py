"""The documents that ship with the program: tutorials, how-to guides, reference, explanation; in Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from bertviz_app.paths import resources

Kind = Literal["tutorials", "how-to", "reference", "explanation"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Document:
    """One page: its kind, which is its folder, its file, and its title, which is its first line."""

    kind: Kind
    path: Path
    title: str

    @property
    def text(self) -> str:
        """The Markdown of the page."""
        return self.path.read_text(encoding="utf-8")

    def contains(self, typed: str) -> bool:
        """Return whether every word of `typed` is in the page."""
        text = self.text.casefold()
        return all(word in text for word in typed.casefold().split())


@cache
def documents() -> tuple[Document, ...]:
    """Return all documents, kind by kind, each kind by its titles."""
    found = []
    for kind in KINDS:
        pages = [Document(kind, path, _title(path)) for path in (resources() / "docs" / kind).glob("*.md")]
        found += sorted(pages, key=lambda page: page.title)
    return tuple(found)


def linked(document: Document, link: str) -> Document | None:
    """Return the document that a relative link in another one leads to; None for everything else."""
    path = (document.path.parent / link.partition("#")[0]).resolve()
    return next((page for page in documents() if page.path.resolve() == path), None)


def _title(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return file.readline().lstrip("# ").strip()
