"""Views of one head that share a selection and a viewport."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.selection import Selection
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.attention.head_view import HeadView
from bertviz_app.views.attention.lines import LinesView
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.kit.look import Look
from tests.support.scene import on_screen, picture_of, random_attention

N_TOKENS = 40
Kind = type[MatrixView] | type[LinesView]
Make = Callable[[Kind], HeadView]


@pytest.fixture
def make(qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport) -> Make:
    """Make views of one head on the same selection and viewport."""
    picture = picture_of(random_attention(N_TOKENS))
    viewport.fit(N_TOKENS)

    def make(kind: Kind) -> HeadView:
        view = kind(look, selection, viewport)
        view.show_picture(picture)
        return on_screen(qtbot, view, 500, 500)

    return make


def cell(view: HeadView, query: int, key: int) -> tuple[float, float]:
    """Return the middle of a cell of the matrix."""
    assert isinstance(view, MatrixView)
    middle = view.plot.cell_rect(query, key).center()
    return middle.x(), middle.y()
