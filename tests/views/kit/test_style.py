"""The style sheet is complete, and follows the theme and the text size."""

from __future__ import annotations

import re

import pytest

from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import style_sheet


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_name_is_replaced(theme: str) -> None:
    palette = read_palette(theme)
    sheet = style_sheet(Look(palette))
    assert "@" not in sheet
    assert f"QMainWindow, QDialog, #ground {{ background: {palette.window}; }}" in sheet
    assert f"check_{theme}.svg" in sheet


def test_lengths_grow_with_the_text_but_for_thin_lines() -> None:
    def lengths(scale: float) -> list[int]:
        return [
            int(found) for found in re.findall(r"(\d+)px", style_sheet(Look(read_palette("light"), scale)))
        ]

    pairs = set(zip(lengths(1.0), lengths(2.0), strict=True))
    assert {(13, 26), (30, 60), (1, 1), (4, 4)} <= pairs
    assert all(twice in (once, 2 * once) for once, twice in pairs)
