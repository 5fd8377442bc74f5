"""Pictures without a screen: every view, of the size asked for, and nothing lost where it fails."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import qInstallMessageHandler
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QApplication

from bertviz_app.errors import AppError, CheckpointError, DeviceError, FileError, SelectionError, TextError
from bertviz_app.options import CARDS, OtherOptions, RenderOptions
from bertviz_app.shell.rendering.rendering import render
from bertviz_app.text import Edits
from bertviz_app.viewmodels.panel_kinds import PANEL_KINDS
from tests.support.families import write_family

SIZE = (1000, 640)


@pytest.fixture(autouse=True)
def _own_settings(
    application: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Keep settings out of the user's folder, and Qt's messages where they were sent before."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    before = qInstallMessageHandler(None)
    qInstallMessageHandler(before)
    yield
    qInstallMessageHandler(before)


@pytest.fixture
def options(tiny_bert: Path, tmp_path: Path) -> RenderOptions:
    return RenderOptions(
        text="the cat ate fish",
        view="matrix",
        out=tmp_path / "picture.png",
        model=str(tiny_bert),
        device="cpu",
        size=SIZE,
    )


def _with(options: RenderOptions, **changes: object) -> RenderOptions:
    return RenderOptions(**{**vars(options), **changes})


def _pixels(path: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    image = QImage(str(path))
    assert not image.isNull()
    assert (image.width(), image.height()) == SIZE
    words = image.convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(words.constBits(), np.uint8).reshape(SIZE[1], SIZE[0], 4)[..., :3].copy()


@pytest.mark.parametrize("view", [*CARDS, *PANEL_KINDS])
def test_every_view_is_drawn_in_the_size_asked_for(options: RenderOptions, view: str) -> None:
    other = OtherOptions(text="the cat was hungry") if view == "divergence" else None
    render(_with(options, view=view, other=other))
    colours = np.unique(_pixels(options.out).reshape(-1, 3), axis=0)
    assert len(colours) > 30
    assert [file.name for file in options.out.parent.glob("*.png")] == ["picture.png"]


@pytest.mark.parametrize("view", ["window", "overview", "matrix", "lines"])
def test_runs_a_and_b_and_their_difference_are_different_pictures(options: RenderOptions, view: str) -> None:
    other = OtherOptions(edits=Edits(((0, 1),), ((2, "[MASK]"),)))
    pictures = []
    for run in ("A", "B", "A-B") if view in ("matrix", "lines") else ("A", "B"):
        is_alone = view == "window" and run == "A"
        render(_with(options, view=view, run=run, other=None if is_alone else other))
        pictures.append(_pixels(options.out))
    assert all((one != two).any() for one, two in combinations(pictures, 2))


def test_edited_tokens_and_heads_are_drawn(options: RenderOptions) -> None:
    pictures = []
    for edits in (None, Edits(((0, 1),)), Edits((), ((2, "[MASK]"),))):
        render(_with(options, layer=1, edits=edits))
        pictures.append(_pixels(options.out))
    assert all((one != two).any() for one, two in combinations(pictures, 2))


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"view": "steps", "run": "A-B"}, SelectionError, "has no steps"),
        ({"other": OtherOptions(edits=Edits(((9, 9),)))}, SelectionError, "no head 9 · 9"),
        ({"other": OtherOptions(edits=Edits((), ((0, "cat"),)))}, TextError, "Token 0"),
        ({"other": OtherOptions(text="a\0")}, TextError, "NUL"),
        ({"other": OtherOptions(model="nothing")}, CheckpointError, "nothing"),
    ],
)
def test_a_run_b_that_cannot_be_is_an_error(
    options: RenderOptions, changes: dict[str, object], kind: type[AppError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        render(_with(options, **changes))
    assert not options.out.exists()


def test_the_steps_stand_where_they_are_asked_to(options: RenderOptions) -> None:
    pictures = []
    for changes in ({}, {"stage": "active"}, {"stage": "active", "token": 3}, {"stage": "pooled"}):
        render(_with(options, view="steps", **changes))
        pictures.append(_pixels(options.out))
    assert all((one != other).any() for one, other in pairwise(pictures))


def test_stages_are_those_of_the_family(options: RenderOptions, tmp_path: Path) -> None:
    for family in ("albert", "distilbert"):
        write_family(tmp_path / family, family)
    albert = _with(options, view="steps", model=str(tmp_path / "albert"))
    render(_with(albert, stage="embedding_projection"))
    projected = _pixels(options.out)
    render(_with(albert, stage="segment"))
    assert (_pixels(options.out) != projected).any()
    distilbert = _with(options, view="steps", model=str(tmp_path / "distilbert"))
    for stage, message in (
        ("segment", "has no segments"),
        ("embedding_projection", "does not project"),
        ("pooled", "has no pooler"),
        ("disentangled", "does not add up content and position"),
    ):
        with pytest.raises(SelectionError, match=message):
            render(_with(distilbert, stage=stage))


def test_a_head_of_content_and_position_is_drawn_in_every_way(options: RenderOptions, tmp_path: Path) -> None:
    write_family(tmp_path / "deberta", "deberta-v2")
    deberta = _with(options, model=str(tmp_path / "deberta"))
    for view in ("lines", "matrix", "steps", "vectors", "overview", "window"):
        render(_with(deberta, view=view))
        assert len(np.unique(_pixels(options.out))) > 2
    render(_with(deberta, view="steps", stage="disentangled"))
    with pytest.raises(SelectionError, match="divides its products where it adds them up"):
        render(_with(deberta, view="steps", stage="scaled"))
    masked = OtherOptions(edits=Edits(((0, 1),), ((2, "[MASK]"),)))
    for view, run in (("matrix", "A-B"), ("lines", "B"), ("divergence", "A")):
        render(_with(deberta, view=view, run=run, other=masked))
        assert len(np.unique(_pixels(options.out))) > 2


@pytest.mark.parametrize("wrong", [{"stage": "nothing"}, {"token": 6}])
def test_a_stage_or_a_token_that_is_not_there_is_an_error(
    options: RenderOptions, wrong: dict[str, object]
) -> None:
    with pytest.raises(SelectionError):
        render(_with(options, view="steps", **wrong))


def test_the_settings_of_the_user_are_left_alone(
    options: RenderOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bertviz_app.paths.settings", lambda: tmp_path / "settings")
    render(replace(options, view="window"))
    assert not (tmp_path / "settings").exists()


def test_the_same_twice_is_the_same_picture(options: RenderOptions) -> None:
    render(_with(options, view="lines"))
    first = _pixels(options.out)
    render(_with(options, view="lines"))
    np.testing.assert_array_equal(_pixels(options.out), first)


def test_the_head_asked_for_is_drawn(options: RenderOptions) -> None:
    pictures = []
    for layer, head in ((0, 1), (1, 3), (None, None)):
        render(_with(options, layer=layer, head=head))
        pictures.append(_pixels(options.out))
    assert (pictures[0] != pictures[1]).any()
    np.testing.assert_array_equal(pictures[1], pictures[2])  # the last head is what a view begins with


def test_the_theme_asked_for_is_used(options: RenderOptions) -> None:
    means = []
    for theme in ("light", "dark"):
        render(_with(options, theme=theme, view="window"))
        means.append(_pixels(options.out).mean())
    assert means[0] > 180 > 80 > means[1]


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"layer": 2}, SelectionError, "no layer 2"),
        ({"head": 4}, SelectionError, "no head 4"),
        ({"layer": -1}, SelectionError, "no layer -1"),
        ({"out": Path("picture.jpg")}, FileError, ".png"),
        ({"text": ""}, TextError, "empty"),
        ({"text": "  "}, TextError, "empty"),
        ({"pair": ""}, TextError, "empty"),
        ({"text": "a\x00b"}, TextError, ""),
        ({"device": "cuda:9"}, DeviceError, "cuda:9"),
        ({"model": "/nowhere/at/all"}, CheckpointError, "/nowhere"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_nothing_is_written(
    options: RenderOptions,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, object],
    error: type[Exception],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error) as raised:
        render(_with(options, **changes))
    assert words in str(raised.value)
    assert list(tmp_path.glob("*.*g")) == []


def _no_space(*_: object) -> bool:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("failing", ["save", "replace"])
def test_a_full_disk_leaves_the_old_file(
    options: RenderOptions, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    options.out.write_bytes(b"the old picture")
    if failing == "save":
        monkeypatch.setattr(QPixmap, "save", lambda *_: False)
    else:
        monkeypatch.setattr(Path, "replace", _no_space)
    with pytest.raises(FileError):
        render(options)
    assert options.out.read_bytes() == b"the old picture"
    assert [file.name for file in options.out.parent.iterdir() if file.is_file()] == ["picture.png"]


def test_a_folder_that_is_not_there_is_named(options: RenderOptions) -> None:
    with pytest.raises(FileError, match="nowhere"):
        render(_with(options, out=options.out.parent / "nowhere" / "picture.png"))
