"""Getting about in Steps: the navigator as a column, and in rows where a column has no room."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from bertviz_app.features.steps.views.navigator import Cell, Navigator
from bertviz_app.features.steps.walk import Walk
from bertviz_app.viewmodels.stages import stops as step_words
from bertviz_app.viewmodels.stages.stage import Architecture
from bertviz_app.viewmodels.stages.stops import BELOW, Stop
from bertviz_app.views.kit.labels import drawn_texts
from bertviz_app.views.kit.look import Look
from tests.support.factories import make_trace
from tests.support.panel_scenes import StepsScene
from tests.support.scene import click, move, on_screen, pixels_of


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> StepsScene:
    return StepsScene(qtbot, look, size=(900, 560))


def _click(navigator: Navigator, cell: Cell) -> None:
    click(navigator, cell.box.center().x(), cell.box.center().y())


def _section(navigator: Navigator, section: int) -> QPointF:
    cell = next(one for one in navigator.cells if (one.section, one.position) == (section, None))
    return QPointF(cell.box.left() + 4, cell.box.center().y())


def _cell_of(navigator: Navigator, walk: Walk, stop: Stop, *, is_small: bool = False) -> Cell:
    """Return the cell of a stop that is shown."""
    found = walk.stops.index(stop), is_small
    return next(one for one in navigator.cells if (one.position, one.is_small) == found)


@pytest.mark.parametrize("size", [(900, 560), (305, 480), (330, 300), (640, 400)])
def test_every_stop_can_be_clicked_and_no_cell_covers_another(
    qtbot: QtBot, look: Look, size: tuple[int, int]
) -> None:
    scene = StepsScene(qtbot, look, size=size)
    scene.finish()
    navigator, walk = scene.view.navigator, scene.view.walk
    for section in (BELOW, 1, 3):
        at = _section(navigator, section)
        click(navigator, at.x(), at.y())
        for stop in walk.section(section):
            cell = _cell_of(navigator, walk, stop)
            assert cell.box.height() >= look.pixels(12), "a sign has room"
            _click(navigator, cell)
            assert walk.stop == stop
        cells = [cell.box for cell in navigator.cells if cell.position is not None]
        assert all(navigator.rect().contains(box.toAlignedRect()) for box in cells)
        overlaps = [one.intersected(other) for one, other in combinations(cells, 2)]
        assert all(min(box.width(), box.height()) < 0.01 for box in overlaps if box.isValid())


def test_a_column_leads_to_every_stop_and_the_name_of_a_section_into_it(scene: StepsScene) -> None:
    view, navigator = scene.view, scene.view.navigator
    assert navigator.is_column
    for stop in view.walk.stops:
        _click(navigator, _cell_of(navigator, view.walk, stop, is_small=True))
        assert view.walk.stop == stop
    view.walk.go(Stop(1, "active"))
    for section, reached in ((0, Stop(0, "active")), (BELOW, Stop(BELOW, "token"))):
        at = _section(navigator, section)
        click(navigator, at.x(), at.y())
        assert view.walk.stop == reached


def test_the_stop_is_marked_and_those_behind_are_filled(scene: StepsScene, look: Look) -> None:
    view, navigator = scene.view, scene.view.navigator
    view.walk.go(Stop(1, "softmax"))
    QApplication.processEvents()
    drawn = pixels_of(navigator)

    def colour(stop: Stop) -> int:
        at = _cell_of(navigator, view.walk, stop, is_small=True).box.center()
        return int(drawn[int(at.y()), int(at.x())])

    assert colour(Stop(1, "softmax")) == look.colour("accent").rgb() & 0xFFFFFF
    assert colour(Stop(1, "queries")) == colour(Stop(0, "output"))
    assert colour(Stop(1, "weighted")) == colour(Stop(3, "first")) != colour(Stop(1, "queries"))
    position, n_stops = view.walk.stops.index(Stop(1, "softmax")) + 1, len(view.walk.stops)
    assert navigator.accessibleDescription() == f"Layer 1, softmax, {position} of {n_stops}"


@pytest.mark.parametrize("size", [(900, 560), (305, 480)])
def test_a_cell_says_what_it_leads_to_and_is_tinted_under_the_pointer(
    qtbot: QtBot, look: Look, size: tuple[int, int]
) -> None:
    view = StepsScene(qtbot, look, size=size).view
    navigator = view.navigator
    cell = _cell_of(navigator, view.walk, Stop(1, "softmax"))
    at, before = cell.box.center().toPoint(), pixels_of(navigator)
    move(navigator, at.x(), at.y())
    changed = pixels_of(navigator) != before
    assert changed[int(cell.box.top()) + 4, int(cell.box.left()) + 4]
    assert not changed[: int(cell.box.top()) - 1].any()
    for point, text in ((at, "Layer 1 · softmax"), (_section(navigator, 2).toPoint(), "Layer 2")):
        event = QHelpEvent(QEvent.Type.ToolTip, point, navigator.mapToGlobal(point))
        QApplication.sendEvent(navigator, event)
        assert text in QToolTip.text()
    assert navigator.term_at(at) == "softmax"
    assert navigator.term_at(QPoint(1, -5)) == ""


@pytest.mark.parametrize("n_layers", [1, 48])
def test_a_column_of_few_or_many_layers_fits(qtbot: QtBot, look: Look, n_layers: int) -> None:
    walk = Walk()
    walk.set_architecture(Architecture(n_layers))
    walk.go(Stop(n_layers // 2, "scores"))
    navigator = Navigator(Look(look.palette, 1.5), walk)
    navigator.set_form(is_column=True)
    on_screen(qtbot, navigator, 330, 660)
    rows = sorted((cell.box for cell in navigator.cells if not cell.is_small), key=lambda box: box.top())
    assert all(one.bottom() <= other.top() + 0.01 for one, other in pairwise(rows))
    assert rows[-1].bottom() <= 660


@pytest.mark.parametrize(
    ("size", "is_column"), [((620, 600), False), ((700, 420), False), ((700, 460), True)]
)
def test_where_there_is_no_room_for_a_column_there_are_rows(
    qtbot: QtBot, look: Look, size: tuple[int, int], is_column: bool
) -> None:
    navigator = StepsScene(qtbot, look, size=size).view.navigator
    assert navigator.isVisible()
    assert (navigator.is_column, navigator.width() == size[0]) == (is_column, not is_column)


def test_where_the_rows_are_too_low_for_names_only_the_section_one_is_in_has_its_name(
    qtbot: QtBot, look: Look
) -> None:
    walk = Walk()
    walk.set_architecture(Architecture(12))
    navigator = Navigator(look, walk)
    navigator.set_form(is_column=True)
    on_screen(qtbot, navigator, 240, 300)
    for section, name in ((0, "Layer 0"), (9, "Layer 9")):
        walk.enter(section)
        sections = {step_words.section_name(number, 12) for number in range(BELOW, 13)}
        drawn = [(box, text) for box, text in drawn_texts(navigator) if text in sections]
        assert [text for _, text in drawn] == [name]
        assert navigator.rect().contains(drawn[0][0].toAlignedRect()), drawn[0][0]


@pytest.mark.parametrize("size", [(305, 480), (640, 400)])
def test_words_are_whole_in_a_narrow_panel(qtbot: QtBot, look: Look, size: tuple[int, int]) -> None:
    scene = StepsScene(qtbot, look, size=size, trace=make_trace(7, n_layers=6))
    scene.finish()
    written = "".join(text for _, text in drawn_texts(scene.view.navigator))
    assert [word for word in ("softmax", "concat", "norm", "GELU") if word not in written] == []


def test_rows_keep_their_height_on_the_way_through_the_encoder(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, size=(305, 480))
    heights = set()
    for stop in scene.view.walk.stops:
        scene.view.walk.go(stop)
        QApplication.processEvents()
        heights.add(scene.view.navigator.height())
    assert len(heights) == 1
