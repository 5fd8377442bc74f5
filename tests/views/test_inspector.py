"""The inspector in little room: what it writes it writes whole."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.views.inspector import InspectorView
from bertviz_app.views.look import Look
from tests.factories import make_trace
from tests.scene import on_screen, pixels_of


@pytest.mark.parametrize(("height", "rows"), [(103, 1), (110, 1), (119, 1), (121, 2), (138, 2)])
def test_no_row_is_cut_at_the_lower_edge(
    qtbot: QtBot, look: Look, selection: Selection, height: int, rows: int
) -> None:
    panels = Panels()
    panels.set_size(2, 3)
    view = InspectorView(look, selection, panels)
    view.show_trace(make_trace(6))
    view.setMinimumSize(1, 1)
    drawn = pixels_of(on_screen(qtbot, view, 260, height))
    written = (drawn != drawn[0, 0]).any(axis=1)
    last = 84 + rows * look.pixels(18)  # below title, weight and rank
    assert written[last - 16 : last].any()
    assert not np.any(written[last + 1 :])
