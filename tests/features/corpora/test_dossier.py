"""Notes about heads: kept by the fingerprint of a checkpoint, never lost, written as Markdown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bertviz_app
from bertviz_app import paths
from bertviz_app.errors import ArgumentError, FileError, SelectionError
from bertviz_app.features.corpora.dossier import Dossier, DossierFile, Evidence, HeadNotes
from bertviz_app.json_store import finish_writing

NOTES = HeadNotes(0, 1, "Looks *back*.", ("previous", "syntax"))


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "dossiers"
    monkeypatch.setattr(paths, "dossiers", lambda: folder)
    return folder


def _with_picture(file: DossierFile) -> HeadNotes:
    picture = file.new_picture()
    picture.write_bytes(b"a picture")
    evidence = Evidence(picture.name, "the cat\nate [MASK]", None, "Matrix", "2026-11-27")
    return HeadNotes(1, 3, "", (), (evidence,))


def test_notes_are_read_again() -> None:
    file = DossierFile("abc", "tiny")
    file.write(file.read().with_notes(NOTES).with_notes(_with_picture(file)))
    found = DossierFile("abc", "tiny").read()
    assert found[0, 1] == NOTES
    assert [(one.layer, one.head) for one in found] == [(0, 1), (1, 3)]
    assert found[1, 3].evidence[0].text == "the cat\nate [MASK]"
    assert found.picture(found[1, 3].evidence[0]).read_bytes() == b"a picture"
    assert found[1, 0].is_empty
    assert DossierFile("abd", "tiny").read().heads == (), "another checkpoint"


def test_empty_notes_are_no_notes() -> None:
    file = DossierFile("abc", "tiny")
    file.write(file.read().with_notes(NOTES).with_notes(HeadNotes(0, 1, "  ")))
    assert len(file.read()) == 0


def test_a_picture_never_takes_the_place_of_another() -> None:
    file = DossierFile("abc", "tiny")
    names = []
    for _ in range(3):
        path = file.new_picture()
        path.write_bytes(b"")
        names.append(path.name)
    assert len(set(names)) == 3


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        '{"version": 1, "heads": 3}',
        '{"version": 1, "heads": [{"layer": 0}]}',
        '{"version": 1, "heads": [{"layer": -1, "head": 0, "note": "x"}]}',
        '{"version": 1, "heads": [{"layer": 0, "head": "1"}]}',
        '{"version": 1, "heads": [{"layer": 0, "head": 1, "tags": "a"}]}',
        '{"version": 1, "heads": [{"layer": 0, "head": 1, "evidence": [{"picture": "../x", "text": "a"}]}]}',
        '{"version": 1, "heads": [{"layer": 0, "head": 1, "evidence": [{"picture": "", "text": "a"}]}]}',
        '{"version": 7, "heads": []}',
    ],
)
def test_a_file_that_cannot_be_used_stays_on_disk(content: str, data: Path) -> None:
    file = DossierFile("abc", "tiny")
    file.folder.mkdir(parents=True)
    (file.folder / "dossier.json").write_text(content, encoding="utf-8")
    assert file.read().heads == ()
    file.write(Dossier("tiny", (NOTES,)))
    finish_writing()
    kept = [path.read_text("utf-8") for path in file.folder.glob("dossier.*.json")]
    assert kept == [content]
    assert file.read()[0, 1] == NOTES


def test_it_is_written_as_markdown_with_its_pictures(tmp_path: Path) -> None:
    file = DossierFile("abc", "my_model")
    dossier = file.read().with_notes(NOTES).with_notes(_with_picture(file))
    out = tmp_path / "my notes.md"
    dossier.save(out)
    assert out.read_text("utf-8").splitlines() == [
        "# Heads of my\\_model",
        "",
        "## Layer 0, head 1",
        "",
        "Tags: previous, syntax",
        "",
        "Looks *back*.",
        "",
        "",
        "## Layer 1, head 3",
        "",
        "![Matrix](my%20notes_pictures/picture-0001.png)",
        "",
        "> the cat ate \\[MASK\\]",
        "",
        "Matrix · 2026-11-27",
    ]
    assert (tmp_path / "my notes_pictures" / "picture-0001.png").read_bytes() == b"a picture"


def test_a_missing_picture_does_not_stop_it(tmp_path: Path) -> None:
    file = DossierFile("abc", "tiny")
    dossier = file.read().with_notes(_with_picture(file))
    dossier.picture(dossier[1, 3].evidence[0]).unlink()
    dossier.save(tmp_path / "notes.md")
    assert "picture-0001.png" in (tmp_path / "notes.md").read_text("utf-8")


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    dossier = Dossier("tiny", (NOTES,))
    with pytest.raises(FileError, match="does not end in"):
        dossier.save(tmp_path / "notes.txt")
    with pytest.raises(FileError, match="could not be written"):
        dossier.save(tmp_path / "missing" / "notes.md")


def test_from_python(tiny_bert: Path) -> None:
    model = bertviz_app.open_model(str(tiny_bert), "cpu")
    file = DossierFile(model.facts.fingerprint, model.facts.name)
    file.write(file.read().with_notes(NOTES))
    found = bertviz_app.dossier(model)
    assert found[0, 1] == NOTES
    assert bertviz_app.dossier(model.trace("the cat"))[0, 1] == NOTES
    assert next(iter(found.as_table().rows)) == (0, 1, "previous, syntax", "Looks *back*.", 0)
    with pytest.raises(SelectionError):
        found[-1, 0]
    with pytest.raises(SelectionError):
        found["0.1"]  # type: ignore[index]
    with pytest.raises(ArgumentError):
        bertviz_app.dossier("model")  # type: ignore[arg-type]
    saved = json.loads((file.folder / "dossier.json").read_text("utf-8"))
    assert saved["model"] == model.facts.name
