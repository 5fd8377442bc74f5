"""How panels are tiled, as large and as square as they can be, and closed, whatever closing one sets off."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.panels import RUNS, Panel, Panels
from bertviz_app.views.kit.look import Look
from bertviz_app.views.panels.area import PanelArea, columns_for
from bertviz_app.views.panels.card import PanelCard
from tests.support.fakes import HeldJobs
from tests.support.scene import on_screen
from tests.support.vector_scene import VectorScene


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


class _ActivatesWhenHidden(QObject):
    """Activates each panel in turn when a card it watches is hidden, as the card does that gets the focus."""

    def __init__(self, panels: Panels) -> None:
        super().__init__()
        self._panels = panels

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Hide:
            for panel in self._panels.panels:
                self._panels.activate(panel.number)
        return False


def test_switches_that_stay_as_they_are_are_fitted_once_for_each_result(qtbot: QtBot, look: Look) -> None:
    scene = VectorScene(look, HeldJobs())
    qtbot.addWidget(scene.view)
    panels = Panels()
    panels.set_size(2, 3)
    panels.open([Panel(0, 1, 0, "vectors", "A")])
    area = PanelArea(panels, dict.fromkeys(RUNS, scene.tools))
    area.refresh()
    on_screen(qtbot, area, 900, 700)
    (card,) = area.cards.values()
    fitted = []
    card.switches.fitted.connect(lambda: fitted.append(card.width()))
    area.refresh()
    assert len(fitted) == 1
    area.show_runs(RUNS)
    assert len(fitted) == 3, "another choice of runs, and the panel"
    assert card.switches.runs.isVisibleTo(area)


def test_a_panel_that_changes_leaves_the_others_as_they_are_drawn(
    qtbot: QtBot, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = VectorScene(look, HeldJobs())
    qtbot.addWidget(scene.view)
    panels = Panels()
    panels.set_size(2, 3)
    panels.open([Panel(0, 1, 0, "vectors", "A"), Panel(1, 1, 0, "vectors", "A")])
    area = PanelArea(panels, dict.fromkeys(RUNS, scene.tools))
    area.refresh()
    on_screen(qtbot, area, 900, 700)
    shown: list[int] = []
    show = PanelCard.show_panel

    def counted(card: PanelCard, panel: Panel, *, can_close: bool, n_heads: int | None) -> None:
        shown.append(panel.number)
        show(card, panel, can_close=can_close, n_heads=n_heads)

    monkeypatch.setattr(PanelCard, "show_panel", counted)
    first, second = (panel.number for panel in panels.panels)
    panels.draw_as(second, "parameters")
    assert shown == [second]
    panels.close(second)
    assert shown == [second, first], "it can no longer be closed"


def test_cards_are_closed_where_hiding_one_refreshes_the_area(qtbot: QtBot, look: Look) -> None:
    scene = VectorScene(look, HeldJobs())
    qtbot.addWidget(scene.view)
    panels = Panels()
    panels.set_size(2, 3)
    panels.open([Panel(0, 1, 0, "vectors", run) for run in ("A", "A", "B", "B")])
    area = PanelArea(panels, dict.fromkeys(RUNS, scene.tools))
    area.refresh()
    on_screen(qtbot, area, 900, 700)
    activates = _ActivatesWhenHidden(panels)
    for card in area.cards.values():
        card.installEventFilter(activates)

    panels.leave_runs()

    assert list(area.cards) == [panel.number for panel in panels.panels]
    assert [panel.run for panel in panels.panels] == ["A", "A"]
    assert not any(card.isHidden() for card in area.cards.values())
