"""Pictures of chips: the pixels of chips drawn one by one, and made no more often than they are needed."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPixmap
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.text import Tokens
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.views.kit.look import Look
from bertviz_app.views.tokens import chip_pictures
from bertviz_app.views.tokens.chip import Chip, draw_chip, draw_ground, write_piece
from bertviz_app.views.tokens.chip_pictures import ChipPictures
from bertviz_app.views.tokens.strip import TokenStrip
from bertviz_app.views.tokens.strip_layout import StripLayout
from tests.support.factories import make_tokens
from tests.support.scene import on_screen, pixels_of, wheel

_PIECES = (
    "한국어",
    "##를",
    "because",
    "漢字",
    "i",
    "[SEP]",
    "a-very-long-piece-that-has-no-room-in-its-chip",
)
_AROUND = 2


def _rows(look: Look) -> list[QRectF]:
    layout = StripLayout(look)
    layout.resize(QSize(900, 104))
    return layout.lines()


def _all_kinds() -> list[tuple[Chip, QRectF]]:
    """Return chips of every sentence and state, each in a box of another width, as a strip has them."""
    chips, left = [], 20.0
    states = product(
        ("accent", "sentence_b", "special"), (False, True), (frozenset[int](), frozenset({0, 2}))
    )
    for number, (colour, is_highlighted, edited) in enumerate(states):
        piece = _PIECES[number % len(_PIECES)]
        texts = (piece, str(7 * number), str(number % 2), str(number))
        is_special = colour == "special"
        chip = Chip(texts, colour, is_highlighted, is_special, edited, is_cut=len(piece) > 20)
        box = QRectF(left, 8, 46 + 7 * (number % 5), 82)
        chips.append((chip, box))
        left += box.width() + 4
    return chips


def _pixels(picture: QPixmap) -> NDArray[np.uint32]:
    image = picture.toImage().convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    words = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return words[:, : image.width()].copy()


def _drawn_alone(look: Look, chip: Chip, box: QRectF, rows: Sequence[QRectF], ratio: float) -> QPixmap:
    """Return a chip drawn by itself, with all its parts by one painter."""
    sides = box.width() + 2 * _AROUND, box.height() + 2 * _AROUND
    picture = QPixmap(*(math.ceil(side * ratio) for side in sides))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(_AROUND - box.left(), _AROUND - box.top())
    draw_chip(painter, look, chip, box, rows)
    painter.end()
    return picture


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("scale", [1.0, 1.25])
@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_chips_painted_on_one_sheet_have_every_pixel_of_chips_drawn_alone(
    qapp: QApplication, theme: str, scale: float, ratio: float
) -> None:
    look = Look(read_palette(theme), scale)
    chips, rows = _all_kinds(), _rows(look)
    made = ChipPictures(look).pictures(chips, rows, ratio)
    assert len({_pixels(picture).tobytes() for picture in made}) == len(chips)
    for (chip, box), picture in zip(chips, made, strict=True):
        assert picture.devicePixelRatio() == ratio
        np.testing.assert_array_equal(_pixels(picture), _pixels(_drawn_alone(look, chip, box, rows, ratio)))


def test_equal_chips_have_one_picture(look: Look) -> None:
    """Where only pieces and ids are shown, a word that comes again has the same chip."""
    chip, box = Chip(("the", "7"), "accent"), QRectF(20, 8, 46, 40)
    one, other = ChipPictures(look).pictures(
        [(chip, box), (chip, box.translated(50, 0))], _rows(look)[:2], 1.0
    )
    assert one.cacheKey() == other.cacheKey()


def test_what_is_behind_the_texts_is_drawn_once_for_all_chips_that_look_alike(
    look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Chip] = []

    def counted(painter: QPainter, look: Look, chip: Chip, box: QRectF) -> None:
        drawn.append(chip)
        draw_ground(painter, look, chip, box)

    monkeypatch.setattr(chip_pictures, "draw_ground", counted)
    alike = [(Chip(("w", str(at), "0", str(at)), "accent"), QRectF(20, 8, 46, 82)) for at in range(35)]
    pictures = ChipPictures(look)
    pictures.pictures(alike, _rows(look), 1.0)
    assert len(drawn) == 1
    pictures.pictures([(replace(chip, is_highlighted=True), box) for chip, box in alike], _rows(look), 1.0)
    assert len(drawn) == 2


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[Chip]:
    """The chips whose texts were written since the test began."""
    chips: list[Chip] = []

    def noted(painter: QPainter, look: Look, chip: Chip, box: QRectF, rows: Sequence[QRectF]) -> None:
        chips.append(chip)
        write_piece(painter, look, chip, box, rows)

    monkeypatch.setattr(chip_pictures, "write_piece", noted)
    return chips


def _strip_of(qtbot: QtBot, look: Look, selection: Selection, tokens: Tokens) -> TokenStrip:
    strip = on_screen(qtbot, TokenStrip(look, selection), 900, 104)
    strip.show_tokens(tokens)
    return strip


def test_a_chip_that_was_seen_before_is_copied_when_the_strip_scrolls_back_to_it(
    qtbot: QtBot, look: Look, selection: Selection, written: list[Chip]
) -> None:
    strip = _strip_of(qtbot, look, selection, make_tokens(512))
    for notches, n_written in ((-1, 512), (1, 0)):
        written.clear()
        for _ in range(300):
            strip.repaint()
            wheel(strip, 400, 40, notches)
        assert len(written) == n_written


def test_what_the_wheel_brings_into_sight_was_made_while_nothing_happened(
    qtbot: QtBot, look: Look, selection: Selection, written: list[Chip]
) -> None:
    strip = _strip_of(qtbot, look, selection, make_tokens(512))
    strip.repaint()
    in_sight = len(written)
    qtbot.waitUntil(lambda: len(written) == in_sight + 40)
    written.clear()
    for _ in range(5):
        wheel(strip, 400, 40, -1)
        strip.repaint()
    assert written == []


def test_of_8_192_tokens_the_last_24_mib_of_pictures_are_kept(look: Look) -> None:
    pictures, rows = ChipPictures(look), _rows(look)
    made: list[tuple[weakref.ref[QPixmap], int]] = []
    for first in range(0, 8192, 32):
        chips = [
            (Chip(("w", str(at), "0", str(at)), "accent", at % 3 == 0), QRectF(20, 8, 46 + at % 5, 82))
            for at in range(first, first + 32)
        ]
        for picture in pictures.pictures(chips, rows, 2.0):
            made.append((weakref.ref(picture), 4 * picture.width() * picture.height()))
        del picture
    kept = [n_bytes for picture, n_bytes in made if picture() is not None]
    assert 20 << 20 < sum(kept) <= 24 << 20 < sum(n_bytes for _, n_bytes in made)
    assert all(picture() is not None for picture, _ in made[-len(kept) :])


def _other_theme(strip: TokenStrip) -> None:
    strip.look.set_palette(read_palette("dark"))


def _other_text_size(strip: TokenStrip) -> None:
    strip.look.set_scale(1.25)


def _other_language(strip: TokenStrip) -> None:
    QApplication.sendEvent(strip, QEvent(QEvent.Type.LanguageChange))


def _other_tokens(strip: TokenStrip) -> None:
    tokens = make_tokens(100)
    strip.show_tokens(replace(tokens, pieces=tuple(f"{piece}를" for piece in tokens.pieces)))


def _other_edits(strip: TokenStrip) -> None:
    strip.show_edits({at: frozenset({0}) for at in range(0, 100, 3)})


@pytest.mark.parametrize(
    "change", [_other_theme, _other_text_size, _other_language, _other_tokens, _other_edits]
)
def test_what_was_made_in_advance_is_not_shown_once_it_is_out_of_date(
    qtbot: QtBot,
    look: Look,
    selection: Selection,
    written: list[Chip],
    change: Callable[[TokenStrip], None],
) -> None:
    strip = _strip_of(qtbot, look, selection, make_tokens(100))
    strip.repaint()
    in_sight = len(written)
    qtbot.waitUntil(lambda: len(written) == in_sight + 40)
    change(strip)
    wheel(strip, 400, 40, -8)
    assert strip.tokens is not None
    anew = _strip_of(qtbot, look, selection, strip.tokens)
    anew.show_edits(strip.edited)
    wheel(anew, 400, 40, -8)
    np.testing.assert_array_equal(pixels_of(strip), pixels_of(anew))
