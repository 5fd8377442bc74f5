"""The fonts that everything is drawn with."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont

from bertviz_app.views.kit.look import Look


@pytest.mark.parametrize("bold", [False, True])
def test_letters_are_drawn_as_they_are_written(look: Look, *, bold: bool) -> None:
    """The text face has alternates: "4x2" is drawn as "4×2" by it, and "->" as an arrow."""
    for font in (look.font(13, bold=bold), look.number_font(12, bold=bold)):
        assert font.isFeatureSet(QFont.Tag("calt"))
        assert font.featureValue(QFont.Tag("calt")) == 0
