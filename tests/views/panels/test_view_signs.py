"""The sign that stands for a view in a header without room for its name."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.panel_kinds import ALL_KINDS
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.look import Look
from bertviz_app.views.panels.view_signs import view_sign

HEADS = ("lines", "matrix", "steps", "vectors", "parameters")


def _pixels(look: Look, view: str) -> bytes:
    image = view_sign(look, view).pixmap(14, 14).toImage().convertToFormat(QImage.Format.Format_RGBA8888)
    return bytes(image.constBits())


def test_the_views_of_a_head_have_signs_that_differ(look: Look) -> None:
    drawn = {view: _pixels(look, view) for view in HEADS}
    assert len(set(drawn.values())) == len(HEADS)


@pytest.mark.parametrize("view", sorted(ALL_KINDS))
def test_every_view_has_a_sign_in_the_colour_of_texts(look: Look, view: str) -> None:
    pixels = np.frombuffer(_pixels(look, view), np.uint8).reshape(-1, 4)
    opaque = pixels[pixels[:, 3] > 120]
    assert len(opaque) > 4
    colour = look.colour("text")
    np.testing.assert_allclose(
        np.median(opaque[:, :3], axis=0), (colour.red(), colour.green(), colour.blue()), atol=8
    )


def test_a_switch_without_room_shows_the_sign_and_keeps_its_name(qtbot: QtBot, look: Look) -> None:
    switch = Segments([("lines", "Lines", "A line"), ("matrix", "Matrix", "A cell")])
    qtbot.addWidget(switch)
    switch.sign_of = lambda key: view_sign(look, key)
    switch.set_compact(True)
    switch.choose("matrix")
    button = next(one for one in switch.findChildren(QPushButton) if one.menu() is not None)
    assert (button.text(), button.icon().isNull()) == ("Matrix", True)
    switch.set_brief(True)
    assert (button.text(), button.icon().isNull()) == ("", False)
    assert (button.accessibleName(), button.toolTip()) == ("Matrix", "A cell")
    switch.set_brief(False)
    assert (button.text(), button.icon().isNull()) == ("Matrix", True)
