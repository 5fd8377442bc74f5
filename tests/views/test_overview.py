"""The overview of all heads: its cells pixel by pixel, its menus and filter, mouse and keys."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QSizeF, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.attention.stamp import AttentionNumbers
from bertviz_app.analysis.measures import (
    KEYS,
    MEASURES,
    HeadOverview,
    MeasureKey,
    Measures,
    PairColumn,
    Sample,
    head_overview,
)
from bertviz_app.text import Edits
from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.inspected import PairInHeads
from bertviz_app.viewmodels.overview import GAP
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.state import ATTENTION, SHOWS, Order, Store, change_overview
from bertviz_app.views.kit.labels import drawn_texts
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.widgets import WrappingRow
from bertviz_app.views.overview.card import OverviewCard
from bertviz_app.views.overview.heads_table import measure_words
from bertviz_app.views.overview.view import OverviewView
from tests.support.factories import dense, make_trace, trace_of
from tests.support.scene import (
    click,
    context_menu,
    double_click,
    drag,
    leave,
    move,
    on_screen,
    pixels_of,
    turn_events,
    wheel,
)

VALUES = np.array([[0.0, 0.5, 0.25], [1.0, 0.75, 0.1]], np.float32)


def _overview(shape: tuple[int, int] = (2, 3)) -> HeadOverview:
    measures: Measures = {key: np.zeros(shape, np.float32) for key in KEYS}
    if shape == (2, 3):
        measures["previous"] = VALUES
    return HeadOverview(np.ones((*shape, 4, 4), np.float32), measures, 0.0)


@pytest.fixture
def card(qtbot: QtBot, look: Look, panels: Panels) -> OverviewCard:
    card = OverviewCard(look, panels)
    card.show_overview(_overview())
    return on_screen(qtbot, card, 420, 420)


def _choose(button: QPushButton, text: str) -> None:
    actions = {action.text(): action for action in button.menu().actions()}
    actions[text].trigger()


def _colour_of(view: OverviewView, layer: int, head: int) -> int:
    """Return the colour of a cell beside its number."""
    rect = view.cell_rect(layer, head)
    return int(pixels_of(view)[int(rect.bottom()) - 3, int(rect.left()) + 3])


PAIR = np.array([[0.2, 0.0, 0.1], [0.3, 0.4, 0.05]], np.float32)


def _pair() -> PairInHeads:
    return PairInHeads(AttentionNumbers(make_trace(9)), PairColumn(7, 2, ("it", "cat"), PAIR))


def _shows_pair(card: OverviewCard) -> bool:
    """Return whether each cell has the colour of the pair's weight in that head."""
    look = card.view.look
    return all(
        _colour_of(card.view, *at) == int(look.weights[round(float(PAIR[at]) / 0.4 * 255)]) & 0xFFFFFF
        for at in np.ndindex(2, 3)
    )


CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def many_panels() -> Panels:
    many_panels = Panels()
    many_panels.set_size(24, 16)
    many_panels.open([Panel(0, 0, 1, "matrix")])
    return many_panels


@pytest.fixture
def grid(qtbot: QtBot, look: Look, many_panels: Panels) -> OverviewView:
    """24 layers of 16 heads: each looks from every token at one, another one in each head."""
    attention = np.zeros((24, 16, 8, 8))
    for layer, head in np.ndindex(24, 16):
        attention[layer, head, :, (layer + head) % 8] = 1
    grid = OverviewView(look, many_panels)
    overview = head_overview(trace_of(attention))
    grid.show_overview(replace(overview, sample=Sample(5, np.arange(24) > 9)))
    written = {text for _, text in drawn_texts(grid)}
    assert {"\u224810", "\u224822", "9"} <= written, "no number of a layer is cut"
    grid.show_overview(overview)
    grid.part_chosen.connect(lambda head: many_panels.show(*head))
    return on_screen(qtbot, grid, 420, 620)


@pytest.fixture
def heard(grid: OverviewView) -> list[tuple[str, int, int]]:
    heard: list[tuple[str, int, int]] = []
    grid.part_chosen.connect(lambda at: heard.append(("chosen", *at)))
    grid.part_added.connect(lambda at: heard.append(("added", *at)))
    return heard


@pytest.fixture
def plain_view(look: Look) -> OverviewView:
    return OverviewView(look, Panels())


def _show(qtbot: QtBot, plain_view: OverviewView, trace: Trace, width: int, height: int) -> None:
    plain_view.show_overview(head_overview(trace))
    on_screen(qtbot, plain_view, width, height)


def _expected(weights: Doubles, side: int, top: float) -> Doubles:
    """Return the levels [side, side] of a thumbnail of `weights` [T, T], by their definition."""
    n_tokens = len(weights)
    block = -(-n_tokens // min(64, n_tokens))
    thumbnail = _maxima(weights, block)
    again = -(-len(thumbnail) // side)
    smaller = _maxima(thumbnail, again)
    indices = [pixel * len(smaller) // side for pixel in range(side)]
    levels: Doubles = np.rint(np.minimum(smaller[np.ix_(indices, indices)] / top, 1) * 255)
    return levels


def _maxima(weights: Doubles, block: int) -> Doubles:
    firsts = range(0, len(weights), block)
    return np.array([[weights[i : i + block, j : j + block].max() for j in firsts] for i in firsts])


def _on_screen_of(plain_view: OverviewView, ratio: float) -> NDArray[np.uint32]:
    """Return what the view draws on a screen with `ratio` pixels to one of Qt's, as 0xRRGGBB."""
    image = QImage((QSizeF(plain_view.size()) * ratio).toSize(), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    QWidget.render(plain_view, image)
    words = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return (words[:, : image.width()] & np.uint32(0xFFFFFF)).copy()


@pytest.fixture
def buttons() -> tuple[QPushButton, ...]:
    return tuple(QPushButton(text) for text in ("it → cat", "Layer · head", "All heads", "Per head"))


def _is_whole(row: WrappingRow, buttons: tuple[QPushButton, ...]) -> bool:
    """Return whether every button has its size, lies within the row, and covers no other."""
    shown = [button for button in buttons if button.isVisible()]
    apart = all(not one.geometry().intersects(other.geometry()) for one, other in combinations(shown, 2))
    inside = all(row.rect().contains(button.geometry()) for button in shown)
    return apart and inside and all(button.size() == button.sizeHint() for button in shown)


def test_numbers_are_larger_in_large_cells(card: OverviewCard) -> None:
    heights = []
    for shape in ((2, 3), (8, 8)):
        card.show_overview(_overview(shape))
        weights = np.full(shape, 0.4, np.float32)
        column = PairColumn(7, 2, ("it", "cat"), weights)
        card.show_pair(PairInHeads(AttentionNumbers(make_trace(9)), column))
        turn_events()
        heights.append(max(box.height() for box, text in drawn_texts(card.view) if text == ".40"))
    assert heights[0] > 1.15 * heights[1]


def test_cells_have_the_colours_of_their_values_and_measures_their_words(card: OverviewCard) -> None:
    _choose(card.shows, "Previous token")
    for at in np.ndindex(2, 3):
        level = round(float(VALUES[at]) * 255)
        assert _colour_of(card.view, *at) == int(card.view.look.weights[level]) & 0xFFFFFF
    # every measure has the words of the catalogue
    words = measure_words()
    assert list(words) == list(KEYS)
    # The catalogue is of no one checkpoint; the window names the tokens of the one that is shown.
    meanings = [measure.words(BERT_NAMES).meaning for measure in MEASURES]
    assert [words[measure.key].meaning for measure in MEASURES] == meanings
    assert len(card.shows.menu().actions()) == len(SHOWS)


def test_rearranged_cells_stand_from_the_largest_on_and_a_click_shows_that_head(
    card: OverviewCard, panels: Panels
) -> None:
    chosen: list[tuple[int, int]] = []
    card.view.part_chosen.connect(chosen.append)
    _choose(card.order, "Previous token")
    assert card.view.cells.heads == ((1, 0), (1, 1), (0, 1), (0, 2), (1, 2), (0, 0))
    second = card.view.cell_rect(1, 1)
    assert second.left() > card.view.cell_rect(1, 0).left()
    click(card.view, second.center().x(), second.center().y())
    assert chosen == [(1, 1)]


def test_a_filter_dims_what_it_leaves_out_and_counts_the_rest(card: OverviewCard) -> None:
    _choose(card.shows, "Previous token")
    before = {at: _colour_of(card.view, *at) for at in np.ndindex(2, 3)}
    _choose(card.filter.button, "Previous token")
    assert card.filter.isVisible()
    QTest.keyClicks(card.filter.least, "0.5")
    assert card.filter.count.text() == "3 of 6"
    for at in np.ndindex(2, 3):
        # zero has the card's own colour already
        is_same = VALUES[at] >= 0.5 or VALUES[at] == 0
        assert (_colour_of(card.view, *at) == before[at]) == is_same
    QTest.keyClicks(card.filter.most, ".5")
    assert card.filter.count.text() == "1 of 6"
    QTest.keyClick(card.filter.least, Qt.Key.Key_Up)
    assert (card.view.choice.least, card.filter.count.text()) == (0.55, "0 of 6")
    card.filter.least.selectAll()
    QTest.keyClick(card.filter.least, Qt.Key.Key_Delete)
    assert card.view.choice.least is None
    QTest.keyClicks(card.filter.least, "x-2e")
    assert card.filter.least.text() == "2"
    assert card.view.choice.least is None  # no weight is 2
    _choose(card.filter.button, "All heads")
    assert not card.filter.isVisible()


@pytest.mark.parametrize("key", ["", KEYS[0], KEYS[-1]])
def test_in_the_narrowest_column_no_choice_is_cut(
    qtbot: QtBot, card: OverviewCard, store: Store, key: MeasureKey | Literal[""]
) -> None:
    corner = QWidget()
    corner.setFixedWidth(96)  # what a dock has there
    card.add_corner(corner)
    card.resize(330, 420)
    change_overview(store, ordered_by=key)
    store.change(overview=store.now.overview.filtered(key))
    shown = [button for button in card.findChildren(QPushButton) if button.isVisible()]
    assert len(shown) >= 4

    def is_whole() -> None:
        for button in shown:
            assert button.width() >= button.sizeHint().width(), button.text()
            assert card.rect().contains(button.mapTo(card, button.rect().bottomRight()))

    qtbot.waitUntil(is_whole, timeout=2000)  # Qt lays out in later turns


def test_a_pinned_pair_is_shown_in_every_head_and_what_was_shown_comes_back(
    card: OverviewCard, store: Store
) -> None:
    _choose(card.shows, "Previous token")
    assert card.pair.isHidden()
    card.show_pair(_pair())
    assert _shows_pair(card)
    assert card.pair.isVisible()
    assert (card.pair.text(), card.pair.isChecked()) == ("it → cat", True)
    assert store.now.overview.shows == "previous"  # what the user chose is as it was
    card.show_pair(None)
    assert not _shows_pair(card)
    assert card.pair.isHidden()


def test_the_button_of_the_pair_switches_to_what_was_shown_and_back(card: OverviewCard, store: Store) -> None:
    card.show_pair(_pair())
    assert not card.scales.isVisible()  # attention is not shown, so it has no scale
    QTest.mouseClick(card.pair, Qt.MouseButton.LeftButton)
    assert (card.view.shown_pair, card.pair.isChecked(), store.now.overview.shows) == (None, False, ATTENTION)
    assert card.scales.isVisible()
    assert not _shows_pair(card)
    QTest.mouseClick(card.pair, Qt.MouseButton.LeftButton)
    assert _shows_pair(card)


def test_order_filter_and_crosses_stay_with_the_pair(card: OverviewCard, store: Store) -> None:
    _choose(card.order, "Previous token")
    store.change(overview=store.now.overview.filtered("previous"))
    change_overview(store, least=0.2)
    card.view.show_edits(Edits(tuple({(1, 1)})))
    card.show_pair(_pair())
    assert card.view.cells.heads == ((1, 0), (1, 1), (0, 1), (0, 2))
    rect = card.view.cell_rect(1, 1)
    crossed = card.view.look.colour("error").rgb() & 0xFFFFFF
    drawn = pixels_of(card.view)[int(rect.top()) : int(rect.bottom()), int(rect.left()) : int(rect.right())]
    assert (drawn == crossed).any()


def test_the_read_out_has_the_pair_and_the_name_before_the_measures(card: OverviewCard) -> None:
    overview = _overview()
    n_queries: dict[MeasureKey, int] = dict.fromkeys(KEYS, 9)
    card.show_overview(HeadOverview(overview.pictures, overview.measures, 0.0, n_queries=n_queries))
    card.show_pair(_pair())
    tip = str(card.view.lines_of((1, 0)))
    assert "previous token 1.00" in tip
    assert tip.index("it → cat") < tip.index("0.3000") < tip.index("Entropy")
    assert "previous token" not in str(card.view.lines_of((0, 2)))


def test_the_button_of_a_pair_that_is_pinned_before_its_overview_comes_follows_the_cells(
    card: OverviewCard,
) -> None:
    card.show_overview(_overview((5, 5)))
    card.show_pair(_pair())
    assert (card.pair.isChecked(), card.scales.isVisible()) == (False, True)
    card.show_overview(_overview())
    assert _shows_pair(card)
    assert (card.pair.isChecked(), card.scales.isVisible()) == (True, False)


def test_a_long_pair_is_shortened_as_far_as_the_other_buttons_need_its_room(card: OverviewCard) -> None:
    labels = "internationalization", "misunderstanding"
    card.show_pair(PairInHeads(AttentionNumbers(make_trace(9)), PairColumn(7, 2, labels, PAIR)))
    assert card.pair.text() == " → ".join(labels)
    assert " → ".join(labels) in card.pair.accessibleName()
    one_line = card.bar.height_for(1000)
    for width in (1000, 460, 340):
        card.resize(width, 500)
        QApplication.processEvents()
        assert card.bar.height_for(card.bar.width()) == one_line, "the buttons stay in one line"
        shown = card.pair.shown_text
        assert (shown == card.pair.text()) == (width == 1000)
        query, arrow, key = shown.partition(" → ")
        assert arrow, "a pair without its arrow is no pair"
        assert query.startswith("int")
        assert key.startswith("mi")
        assert card.pair.width() >= card.pair.least_width


def test_an_ampersand_of_a_pair_is_written_on_buttons_and_in_the_menu(card: OverviewCard) -> None:
    card.show_pair(PairInHeads(AttentionNumbers(make_trace(9)), PairColumn(7, 2, ("R", "&"), PAIR)))
    assert card.pair.text() == "R → &&"  # Qt would take a single one for the mark of a mnemonic
    _choose(card.order, "R → &&")
    assert card.order.text() == "R → && ↓"
    assert card.order.accessibleName() == "Order: R → &"


def test_cells_are_ordered_by_the_pair_and_stand_by_layer_and_head_without_one(
    card: OverviewCard, store: Store
) -> None:
    assert "it → cat" not in [action.text() for action in card.order.menu().actions()]
    card.show_pair(_pair())
    _choose(card.order, "it → cat")
    assert card.view.cells.heads == ((1, 1), (1, 0), (0, 0), (0, 2), (1, 2), (0, 1))
    assert card.order.text() == "it → cat ↓"
    card.show_pair(None)
    assert not card.view.cells.is_rearranged
    assert card.order.text() == "Layer · head"
    card.show_pair(_pair())
    assert card.view.cells.heads[0] == (1, 1)  # the choice was kept
    assert store.now.overview.ordered_by == "pair"


def test_the_wheel_enlarges_the_cells_about_the_pointer_and_a_double_click_shows_all(
    grid: OverviewView,
) -> None:
    side, at = grid.cell_grid().side, grid.cell_rect(10, 6).center()
    wheel(grid, at.x(), at.y(), 6)
    assert grid.cell_grid().side > 2 * side
    assert grid.part_at(at) == (10, 6)
    wheel(grid, at.x(), at.y(), 60)
    assert 180 <= grid.cell_grid().side <= 200
    assert grid.part_at(at) == (10, 6)
    double_click(grid, at.x(), at.y())
    assert grid.cell_grid().side == side
    wheel(grid, at.x(), at.y(), -3)
    assert grid.cell_grid().side == side


def test_enlarged_cells_have_the_colours_of_their_heads_to_the_pixel(grid: OverviewView) -> None:
    at = grid.cell_rect(10, 6).center()
    wheel(grid, at.x(), at.y(), 9)
    side, full = grid.cell_grid().side, int(grid.look.weights[255]) & 0xFFFFFF
    drawn, room, n_whole = pixels_of(grid), grid.box.geometry(), 0
    for layer, head in grid.heads:
        rect = grid.cell_rect(layer, head)
        if not room.adjusted(3, 3, -3, -3).contains(rect):
            continue
        n_whole += 1
        tile = drawn[int(rect.top()) : int(rect.bottom()), int(rect.left()) : int(rect.right())]
        tokens = np.arange(side) * 8 // side
        expected = np.broadcast_to(tokens == (layer + head) % 8, (side, side))
        np.testing.assert_array_equal((tile == full)[2:-2, 2:-2], expected[2:-2, 2:-2])
    assert n_whole >= 6


def test_keys_enlarge_and_the_head_that_is_walked_to_comes_into_sight(
    grid: OverviewView, many_panels: Panels
) -> None:
    many_panels.show(12, 8)
    for _ in range(4):
        QTest.keyClicks(grid, "+")
    for _ in range(9):
        QTest.keyClick(grid, Qt.Key.Key_Down)
        assert grid.active is not None
        assert grid.box.geometry().adjusted(-1, -1, 1, 1).contains(grid.cell_rect(*grid.active))
    assert grid.active == (21, 8)
    assert grid.read_out.lines == grid.lines_of((21, 8))
    QTest.keyClicks(grid, "-0")
    assert grid.box.is_whole


def test_what_is_enlarged_stays_so_in_another_size_and_with_another_text(grid: OverviewView) -> None:
    wheel(grid, 200, 300, 6)
    assert grid.overview is not None
    middle, room = grid.part_at(QPointF(200, 300)), grid.box.geometry()
    shown = grid.box.viewRect().height() / grid.box.whole.height()
    grid.show_overview(grid.overview)
    assert grid.part_at(QPointF(200, 300)) == middle
    grid.resize(500, 760)
    assert grid.box.geometry() != room
    assert grid.box.viewRect().height() / grid.box.whole.height() == pytest.approx(shown, rel=0.05)


@pytest.mark.parametrize(("keys", "kind"), [(SHIFT, "added"), (Qt.KeyboardModifier(0), "chosen")])
def test_a_click_acts_when_the_button_is_released_and_a_drag_is_no_click(
    grid: OverviewView, heard: list[tuple[str, int, int]], keys: Qt.KeyboardModifier, kind: str
) -> None:
    at = grid.cell_rect(3, 5).center()
    QTest.mousePress(grid.viewport(), Qt.MouseButton.LeftButton, keys, at.toPoint())
    assert heard == []
    QTest.mouseRelease(grid.viewport(), Qt.MouseButton.LeftButton, keys, at.toPoint())
    assert heard == [(kind, 3, 5)]
    drag(grid, [at.toTuple(), (at.x() + 40, at.y() + 40), (at.x() + 80, at.y() + 80)])
    click(grid, grid.box.geometry().left() + 5, grid.cell_grid().bottom + 12)  # the colours
    click(grid, 5, 5)
    assert len(heard) == 1


def test_enter_adds_a_panel_of_the_active_head(
    grid: OverviewView, many_panels: Panels, heard: list[tuple[str, int, int]]
) -> None:
    many_panels.show(2, 3)
    QTest.keyClick(grid, Qt.Key.Key_Return)
    assert heard == [("added", 2, 3)]


def test_the_pointer_reads_out_at_once_and_takes_it_away(grid: OverviewView) -> None:
    at = grid.cell_rect(2, 3).center()
    move(grid, at.x(), at.y())
    assert grid.read_out.lines == grid.lines_of((2, 3))
    assert grid.read_out.lines[0] == "Layer 2 · Head 3"
    assert ("Entropy", "0.00 bits") in grid.read_out.lines
    move(grid, at.x(), grid.cell_grid().bottom + 12)
    assert (grid.hovered, grid.read_out.lines) == (None, ())
    move(grid, at.x(), at.y())
    leave(grid)
    assert (grid.hovered, grid.read_out.lines) == (None, ())


@pytest.mark.parametrize(("x", "is_taken"), [(200, True), (8, False)])
def test_the_wheel_zooms_over_the_cells_and_scrolls_beside_them(
    grid: OverviewView, x: int, *, is_taken: bool
) -> None:
    at, nothing = QPointF(x, 300), (Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier)
    where = QPointF(grid.mapToGlobal(at.toPoint()))
    event = QWheelEvent(at, where, QPoint(), QPoint(0, 120), *nothing, Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(grid.viewport(), event)
    assert event.isAccepted() == is_taken  # else it goes on to the scroll area around the view
    assert grid.box.is_whole != is_taken


def test_the_menu_has_what_can_be_done_to_the_head(grid: OverviewView, many_panels: Panels) -> None:
    done: list[tuple[int, int]] = []
    grid.items_of_head = lambda layer, head: [
        (f"Head {layer}·{head}", None),
        ("", None),
        ("Do", lambda: done.append((layer, head))),
    ]
    context_menu(grid, grid.cell_rect(4, 6).center().toPoint())["Do"]()
    assert done == [(4, 6)]
    assert grid.menu_items()[0] == ("Head 4·6", None)
    grid.findChild(QMenu).close()
    turn_events()
    leave(grid)
    many_panels.show(7, 9)
    here = grid.cell_rect(7, 9).center().toPoint()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, here, grid.mapToGlobal(here))
    QApplication.sendEvent(grid, event)
    menu = next(each for each in grid.findChildren(QMenu) if each.isVisible())
    next(action for action in menu.actions() if action.text() == "Do").trigger()
    assert done[-1] == (7, 9)
    menu.close()


@pytest.mark.parametrize("is_per_head", [True, False])
@pytest.mark.parametrize(("n_tokens", "width"), [(64, 160), (130, 400)])
def test_thumbnails_hold_the_maxima(
    qtbot: QtBot, plain_view: OverviewView, n_tokens: int, width: int, is_per_head: bool
) -> None:
    trace = make_trace(n_tokens)
    change_overview(plain_view.panels.store, is_per_head=is_per_head)
    _show(qtbot, plain_view, trace, width, width)
    drawn, weights = pixels_of(plain_view), dense(trace)
    for layer in range(trace.n_layers):
        for head in range(trace.n_heads):
            rect = plain_view.cell_rect(layer, head)
            left, top, side = int(rect.left()), int(rect.top()), int(rect.width())
            most = max(weights[layer, head].max(), min(1.0, 5 / n_tokens)) if is_per_head else 1.0
            levels = _expected(weights[layer, head], side, most)
            tile = drawn[top : top + side, left : left + side]
            colours = np.stack(
                [plain_view.look.weights[(levels + change).clip(0, 255).astype(int)] for change in (0, -1, 1)]
            ) & np.uint32(0xFFFFFF)
            assert (tile == colours).any(axis=0).all()  # float32 may round to the next level
            assert (tile == colours[0]).mean() > 0.99


@pytest.mark.parametrize("order", ["", "entropy"])
@pytest.mark.parametrize("ratio", [1.25, 1.5])
def test_thumbnails_lie_in_their_cells_on_every_screen(
    qtbot: QtBot, plain_view: OverviewView, monkeypatch: pytest.MonkeyPatch, ratio: float, order: Order
) -> None:
    """On a screen with 1.5 pixels to one of Qt's they drifted by half a cell, from one to the next."""
    monkeypatch.setattr(plain_view, "devicePixelRatioF", lambda: ratio)
    change_overview(plain_view.panels.store, ordered_by=order)
    _show(qtbot, plain_view, trace_of(np.full((12, 12, 4, 4), 0.25)), 12 * 42, 12 * 42)
    colour, grid = int(plain_view.look.weights[64]) & 0xFFFFFF, plain_view.cell_grid()  # a quarter
    drawn = _on_screen_of(plain_view, ratio) == colour
    rows, columns = np.arange(drawn.shape[0])[:, None] / ratio, np.arange(drawn.shape[1]) / ratio
    pixel = 1 / ratio
    for index in range(len(grid.heads)):
        left, top = grid.corner(index)
        right, bottom = left + grid.side, top + grid.side
        below = plain_view.look.pixels(14) if order else 0  # its name, rearranged
        inside = (columns >= left + pixel) & (columns <= right - 2 * pixel)
        inside = inside & (rows >= top + below + pixel) & (rows <= bottom - 2 * pixel)
        assert drawn[inside].all(), f"cell {index} is filled"
        beside = (columns >= right + pixel) & (columns <= right + GAP - pixel)
        beside = beside & (rows >= top) & (rows < bottom)
        assert not drawn[beside].any(), f"the gap behind cell {index} is free"


def test_the_open_heads_are_framed(qtbot: QtBot, look: Look) -> None:
    panels = Panels()
    plain_view = OverviewView(look, panels)
    _show(qtbot, plain_view, make_trace(8), 300, 300)
    panels.set_size(2, 3)
    panels.open([Panel(0, 0, 1, "matrix"), Panel(0, 1, 2, "matrix")])
    drawn = pixels_of(plain_view)
    accent = QColor(look.palette.accent).rgb() & 0xFFFFFF
    framed = plain_view.cell_rect(0, 1)
    assert drawn[int(framed.top()) + 9, int(framed.left()) - 1] == accent
    for layer, head in ((0, 0), (1, 1)):
        rect = plain_view.cell_rect(layer, head)
        assert drawn[int(rect.top()) + 9, int(rect.left()) - 1] != accent


def test_what_has_no_room_goes_into_a_further_line(qtbot: QtBot, buttons: tuple[QPushButton, ...]) -> None:
    row = WrappingRow(buttons)
    on_screen(qtbot, row, 1000, row.height_for(1000))
    one_line = row.height()
    assert _is_whole(row, buttons)
    row.resize(250, one_line)
    qtbot.waitUntil(lambda: _is_whole(row, buttons))
    assert row.height() == row.height_for(250) > one_line
