"""What the colours of a saved picture of lines stand for: written below it, in the colours of the lines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from bertviz_app.options import OtherOptions, RenderOptions
from bertviz_app.shell.rendering.rendering import render
from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.text import Edits
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.views.export.line_key import NO_KEY, LineKey, draw_key, height_of_key, key_of
from bertviz_app.views.kit.look import Look
from tests.support.svg_text import lines_of_text


@dataclass(frozen=True)
class _Picture:
    """What the key reads of a `HeadPicture`."""

    is_signed: bool = False
    is_difference: bool = False


@pytest.fixture
def look(qapp: QApplication) -> Look:
    return Look(read_palette("light"))


@pytest.mark.parametrize(
    ("picture", "heads", "expected"),
    [
        (_Picture(), (3,), NO_KEY),
        (_Picture(), (1, 3), LineKey(heads=(1, 3))),
        (_Picture(is_signed=True, is_difference=True), (3,), LineKey(signs=("A > B", "A < B"))),
        (_Picture(is_signed=True), (1, 3), LineKey(signs=("> 0", "< 0"))),
        (None, (1, 3), LineKey(heads=(1, 3))),
    ],
)
def test_colours_are_those_of_heads_or_of_signs(
    picture: _Picture | None, heads: tuple[int, ...], expected: LineKey
) -> None:
    assert key_of(cast("HeadPicture | None", picture), heads) == expected


@pytest.mark.parametrize("width", [200, 320, 900])
def test_all_heads_have_their_colour_within_any_width(look: Look, width: int) -> None:
    key = LineKey(heads=tuple(range(16)))
    height = height_of_key(look, key, width)
    image = QImage(width + 200, round(height), QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    draw_key(painter, look, key, QRectF(0, 0, width, height))
    painter.end()
    colours = {image.pixel(x, y) for x in range(width) for y in range(image.height())}
    assert {look.head_colour(head).rgb() for head in key.heads} <= colours
    beyond = {image.pixel(x, y) for x in range(width + 1, width + 200) for y in range(image.height())}
    assert beyond == {QColor("white").rgb()}
    assert height_of_key(look, NO_KEY, width) == 0


def test_positive_differences_have_the_colour_that_is_named_first(look: Look) -> None:
    image = QImage(300, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    draw_key(painter, look, LineKey(signs=("A > B", "A < B")), QRectF(0, 0, 300, 40))
    painter.end()
    places: dict[int, int] = {}
    for x in range(300):
        for y in range(40):
            places.setdefault(image.pixel(x, y), x)
    low, high = (QColor(look.palette.differences[at]).rgb() for at in (0, -1))
    assert places[high] < places[low]


def test_a_figure_of_lines_has_its_key(tiny_bert: Path, tmp_path: Path) -> None:
    out = tmp_path / "lines.svg"
    plain = RenderOptions(text="the cat ate fish", view="lines", out=out, model=str(tiny_bert), device="cpu")
    masked = OtherOptions(edits=Edits((), ((2, "[MASK]"),)))

    def words(**changes: Any) -> str:
        render(RenderOptions(**(vars(plain) | changes)))
        return " | ".join(lines_of_text(out))

    assert "head" not in words()
    assert "head" in words(heads=(1, 3))
    assert "A > B" in words(other=masked, run="A-B")
    assert "A > B" not in words(other=masked, run="B")
