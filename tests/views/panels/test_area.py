"""How panels are tiled: as large and as square as they can be."""

from __future__ import annotations

import pytest

from bertviz_app.views.panels.area import columns_for


@pytest.mark.parametrize(
    ("count", "width", "height", "columns"),
    [
        (1, 800, 700, 1),
        (2, 880, 760, 2),
        (2, 500, 900, 1),
        (2, 871, 796, 2),  # the window as it is first opened
        (3, 880, 760, 2),
        (3, 1500, 500, 3),
        (4, 880, 760, 2),
        (5, 1300, 760, 3),
        (6, 1300, 760, 3),
        (6, 700, 900, 2),
        (0, 800, 600, 1),
    ],
)
def test_panels_stand_in_rows_that_suit_the_room(count: int, width: int, height: int, columns: int) -> None:
    assert columns_for(count, width, height) == columns
