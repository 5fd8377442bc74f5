"""`Dossier`: what the user has noted about the heads of a checkpoint. Loads no torch."""

from __future__ import annotations

import hashlib
import logging
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from bertviz_app import paths
from bertviz_app.errors import FileError, Message, SelectionError
from bertviz_app.json_store import JsonFile, UnfitError, decode, encode
from bertviz_app.notebooks import HasTable
from bertviz_app.tables import Table
from bertviz_app.values import dataclass, replace

_log = logging.getLogger(__name__)

Head = tuple[int, int]
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~])")
_PICTURES = "pictures"
Say = Callable[[Message], str]
"""Returns a message in the user's language."""


@dataclass(frozen=True)
class Evidence:
    """A picture that shows what a head does, by the name of its file, and the text it is of.

    `view`: what the picture shows, in the user's words of the time. `day`: when it was added, as 2026-11-27.
    """

    picture: str
    text: str
    pair: str | None = None
    view: str = ""
    day: str = ""

    def __post_init__(self) -> None:
        if not self.picture or Path(self.picture).name != self.picture:
            raise ValueError(Message("“{0}” is no name of a picture", self.picture), ("picture",))


@dataclass(frozen=True)
class HeadNotes:
    """What is noted about one head: a text, in Markdown, tags, and evidence in the order it was added."""

    layer: int
    head: int
    note: str = ""
    tags: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    def __post_init__(self) -> None:
        if self.layer < 0 or self.head < 0:
            raise ValueError(Message("a head counts from 0"), ())

    @property
    def is_empty(self) -> bool:
        """Whether nothing is noted."""
        return not (self.note.strip() or self.tags or self.evidence)


@dataclass(frozen=True)
class Dossier(HasTable):
    """What is noted about the heads of a checkpoint; heads about which nothing is are not in it.

    `model` is the checkpoint's name, `heads` are in their order. `dossier[0, 1]` are the notes of a head,
    empty ones where there are none. `folder` has the pictures.
    """

    model: str
    heads: tuple[HeadNotes, ...] = ()
    folder: Path = Path()

    def __getitem__(self, head: Head) -> HeadNotes:
        """Return the notes of a head. Raises SelectionError for what is no head."""
        is_head = isinstance(head, tuple) and len(head) == 2 and all(isinstance(at, int) for at in head)
        if not is_head or min(head) < 0:
            message = Message("A head is named by two numbers from 0, not {0}.", repr(head)[:80])
            raise SelectionError(message, Message("Call {0}.", "dossier(model)[0, 1]"))
        return next((one for one in self.heads if (one.layer, one.head) == head), HeadNotes(*head))

    def __iter__(self) -> Iterator[HeadNotes]:
        return iter(self.heads)

    def __len__(self) -> int:
        return len(self.heads)

    def with_notes(self, notes: HeadNotes) -> Dossier:
        """Return the dossier with these notes in place of those that the head had."""
        others = [one for one in self.heads if (one.layer, one.head) != (notes.layer, notes.head)]
        heads = others if notes.is_empty else [*others, notes]
        return replace(self, heads=tuple(sorted(heads, key=lambda one: (one.layer, one.head))))

    def picture(self, evidence: Evidence) -> Path:
        """Return the file of a picture."""
        return self.folder / _PICTURES / evidence.picture

    def as_table(self) -> Table:
        """Return a row for each head: layer, head, its tags, its note, and the number of its pictures."""
        rows = [(one.layer, one.head, ", ".join(one.tags), one.note, len(one.evidence)) for one in self.heads]
        return Table(("layer", "head", "tags", "note", "pictures"), rows)

    def markdown(self, pictures: str = _PICTURES, say: Say = str) -> str:
        """Return all notes as Markdown; pictures are linked in the folder `pictures`.

        `say` translates the few words that are the program's.
        """
        lines = [f"# {say(Message('Heads of {0}', _escaped(self.model)))}"]
        for one in self.heads:
            lines += ["", f"## {say(Message('Layer {0}, head {1}', one.layer, one.head))}", ""]
            if one.tags:
                lines += [say(Message("Tags: {0}", ", ".join(map(_escaped, one.tags)))), ""]
            if one.note.strip():
                lines += [one.note.strip(), ""]
            for evidence in one.evidence:
                lines += [f"![{_escaped(evidence.view)}]({pictures}/{evidence.picture})", ""]
                texts = [evidence.text] if evidence.pair is None else [evidence.text, evidence.pair]
                lines += [f"> {_escaped(' '.join(text.split()))}" for text in texts]
                about = " · ".join(part for part in (evidence.view, evidence.day) if part)
                lines += ["", _escaped(about), ""]
        return "\n".join(lines).rstrip() + "\n"

    def save(self, path: str | Path, say: Say = str) -> Path:
        """Write all notes into a Markdown file, whose path is returned, and pictures into a folder beside it.

        The folder of notes.md is notes_pictures; pictures that are missing are named in the log. Raises
        FileError for another ending, or where it cannot be written.
        """
        path = Path(path).expanduser()
        if path.suffix.lower() != ".md":
            raise FileError(
                Message("“{0}” does not end in {1}.", path, ".md"), Message("Give it another name.")
            )
        folder = path.with_name(f"{path.stem}_{_PICTURES}")
        link = re.sub(r"[ ()]", lambda found: f"%{ord(found[0]):02X}", folder.name)
        with paths.replacing(path) as beside:
            beside.write_text(self.markdown(link, say), encoding="utf-8")
            for evidence in (each for one in self.heads for each in one.evidence):
                folder.mkdir(exist_ok=True)
                try:
                    shutil.copyfile(self.picture(evidence), folder / evidence.picture)
                except FileNotFoundError:
                    _log.info("there is no picture %s", self.picture(evidence))
        return path


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


class DossierFile:
    """The file of a dossier, stored with the user's data under the fingerprint of its checkpoint.

    A file that cannot be used is set aside and named in the log; pictures are never removed.
    """

    def __init__(self, fingerprint: str, model: str) -> None:
        name = re.sub(r"[^0-9a-zA-Z]", "", fingerprint)[:32]
        # Of traces of older versions the fingerprint is not known: their checkpoint is known by its name.
        name = name or f"name-{hashlib.sha256(model.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"
        self.folder = paths.dossiers() / name
        self._model = model
        self._file = JsonFile(self.folder / "dossier.json")

    def read(self) -> Dossier:
        """Return what is noted; nothing where there is no file that can be used."""
        content = self._file.read()
        try:
            found = decode(_Saved, content)
        except UnfitError as error:
            _log.info("%s cannot be used: %s", self._file.path, error)
            path = self._file.path
            number = 1
            while (aside := path.with_name(f"dossier.damaged-{number}.json")).exists():
                number += 1
            try:
                path.replace(aside)
            except OSError as error:
                _log.info("%s could not be renamed: %s", path, error)
            found = _Saved()
        return Dossier(self._model, tuple(one for one in found.heads if not one.is_empty), self.folder)

    def write(self, dossier: Dossier) -> None:
        """Save the dossier soon, on another thread."""
        self._file.write(encode(_Saved(dossier.model, dossier.heads)))

    def new_picture(self) -> Path:
        """Return the path of a picture that does not exist yet, in a folder that does. Raises FileError."""
        folder = self.folder / _PICTURES
        try:
            folder.mkdir(parents=True, exist_ok=True)
            taken = {path.stem for path in folder.iterdir()}
        except OSError as error:
            message = Message("{0} could not be written: {1}.", folder, error.strerror or str(error))
            raise FileError(message, Message("Make room on the disk, or allow writing there.")) from error
        number = next(number for number in range(1, len(taken) + 2) if f"picture-{number:04d}" not in taken)
        return folder / f"picture-{number:04d}.png"


@dataclass(frozen=True)
class _Saved:
    """A dossier as its file has it."""

    model: str = ""
    heads: tuple[HeadNotes, ...] = ()
