"""The overview's card: what its menus change, and what the cells then show, pixel by pixel."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.attention.numbers import AttentionNumbers
from bertviz_app.analysis.measure_table import Measures, PairColumn
from bertviz_app.analysis.measures import KEYS, MEASURES, HeadOverview, MeasureKey
from bertviz_app.text import Edits
from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.viewmodels.heads.pinned_pair import PairInHeads
from bertviz_app.viewmodels.overview_options import ATTENTION, SHOWS, Order, OverviewOptions
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.views.kit.look import Look
from bertviz_app.views.overview.card import OverviewCard
from bertviz_app.views.overview.measure_words import measure_words
from bertviz_app.views.overview.view import OverviewView
from tests.support.factories import make_trace
from tests.support.scene import click, on_screen, pixels_of, turn_events

VALUES = np.array([[0.0, 0.5, 0.25], [1.0, 0.75, 0.1]], np.float32)


def _overview(shape: tuple[int, int] = (2, 3)) -> HeadOverview:
    measures: Measures = {key: np.zeros(shape, np.float32) for key in KEYS}
    if shape == (2, 3):
        measures["previous"] = VALUES
    return HeadOverview(np.ones((*shape, 4, 4), np.float32), measures, 0.0)


@pytest.fixture
def options() -> OverviewOptions:
    return OverviewOptions()


@pytest.fixture
def panels() -> Panels:
    panels = Panels()
    panels.set_size(2, 3)
    return panels


@pytest.fixture
def card(qtbot: QtBot, look: Look, panels: Panels, options: OverviewOptions) -> OverviewCard:
    card = OverviewCard(look, panels, options)
    card.show_overview(_overview())
    return on_screen(qtbot, card, 420, 420)


def _choose(button: QPushButton, text: str) -> None:
    actions = {action.text(): action for action in button.menu().actions()}
    actions[text].trigger()


def _colour_of(view: OverviewView, layer: int, head: int) -> int:
    """Return the colour of a cell beside its number."""
    rect = view.cell_rect(layer, head)
    return int(pixels_of(view)[int(rect.bottom()) - 3, int(rect.left()) + 3])


def test_a_cell_has_the_colour_of_its_value(card: OverviewCard) -> None:
    _choose(card.shows, "Previous token")
    for at in np.ndindex(2, 3):
        level = round(float(VALUES[at]) * 255)
        assert _colour_of(card.view, *at) == int(card.view.look.weights[level]) & 0xFFFFFF


def test_rearranged_cells_stand_from_the_largest_on_and_a_click_shows_that_head(
    card: OverviewCard, panels: Panels
) -> None:
    chosen: list[tuple[int, int]] = []
    card.head_chosen.connect(lambda *at: chosen.append(at))
    _choose(card.order, "Previous token")
    assert card.view.cells.heads == ((1, 0), (1, 1), (0, 1), (0, 2), (1, 2), (0, 0))
    second = card.view.cell_rect(1, 1)
    assert second.left() > card.view.cell_rect(1, 0).left()
    click(card.view, second.center().x(), second.center().y())
    assert chosen == [(1, 1)]


def test_arrows_walk_the_cells_in_their_order(qtbot: QtBot, card: OverviewCard, panels: Panels) -> None:
    card.head_chosen.connect(panels.show)
    _choose(card.order, "Previous token")
    panels.show(1, 0)
    walked = []
    for _ in range(3):
        QTest.keyClick(card.view, Qt.Key.Key_Right)
        assert panels.active is not None
        walked.append((panels.active.layer, panels.active.head))
    assert walked == [(1, 1), (0, 1), (0, 2)]


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
    assert (card.options.value.least, card.filter.count.text()) == (0.55, "0 of 6")
    card.filter.least.selectAll()
    QTest.keyClick(card.filter.least, Qt.Key.Key_Delete)
    assert card.options.value.least is None
    QTest.keyClicks(card.filter.least, "x-2e")
    assert card.filter.least.text() == "2"
    assert card.options.value.least is None  # no weight is 2
    _choose(card.filter.button, "All heads")
    assert not card.filter.isVisible()


def test_muted_heads_are_crossed_out(card: OverviewCard) -> None:
    card.view.show_edits(Edits(tuple({(0, 1)})))
    middle = card.view.cell_rect(0, 1).center()
    drawn = int(pixels_of(card.view)[int(middle.y()), int(middle.x())])
    assert drawn == QColor(card.view.look.palette.error).rgb() & 0xFFFFFF


def test_the_read_out_names_the_head_and_every_measure(card: OverviewCard) -> None:
    title, *lines = card.view.described(1, 1)
    assert title == "Layer 1 · Head 1"
    assert "0.75" in str(lines)
    assert [line[0] for line in lines] == [words.title for words in measure_words().values()]


def test_every_measure_has_the_words_of_the_catalogue(card: OverviewCard) -> None:
    words = measure_words()
    assert list(words) == list(KEYS)
    # The catalogue is of no one checkpoint; the window names the tokens of the one that is shown.
    meanings = [measure.words(BERT_NAMES).meaning for measure in MEASURES]
    assert [words[measure.key].meaning for measure in MEASURES] == meanings
    assert len(card.shows.menu().actions()) == len(SHOWS)


@pytest.mark.parametrize("shape", [(1, 1), (6, 12), (24, 16)])
@pytest.mark.parametrize("ordered_by", ["", "entropy"])
def test_all_cells_can_be_scrolled_to(card: OverviewCard, shape: tuple[int, int], ordered_by: Order) -> None:
    card.options.change(ordered_by=ordered_by, shows="entropy")
    card.show_overview(_overview(shape))
    card.resize(400, 300)
    turn_events()  # Qt lays out in the next turn
    last = card.view.cell_rect(*card.view.cells.heads[-1])
    assert last.bottom() < card.view.height()
    assert last.right() < card.view.width()


@pytest.mark.parametrize("key", ["", *KEYS])
def test_in_the_narrowest_column_no_choice_is_cut(
    qtbot: QtBot, card: OverviewCard, options: OverviewOptions, key: MeasureKey | Literal[""]
) -> None:
    corner = QWidget()
    corner.setFixedWidth(96)  # what a dock has there
    card.add_corner(corner)
    card.resize(330, 420)
    options.change(ordered_by=key)
    options.filter_by(key)
    shown = [button for button in card.findChildren(QPushButton) if button.isVisible()]
    assert len(shown) >= 4

    def is_whole() -> None:
        for button in shown:
            assert button.width() >= button.sizeHint().width(), button.text()
            assert card.rect().contains(button.mapTo(card, button.rect().bottomRight()))

    qtbot.waitUntil(is_whole, timeout=2000)  # Qt lays out in later turns


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


def test_a_pinned_pair_is_shown_in_every_head_and_what_was_shown_comes_back(
    card: OverviewCard, options: OverviewOptions
) -> None:
    _choose(card.shows, "Previous token")
    assert card.pair.isHidden()
    card.show_pair(_pair())
    assert _shows_pair(card)
    assert card.pair.isVisible()
    assert (card.pair.text(), card.pair.isChecked()) == ("it → cat", True)
    assert options.value.shows == "previous"  # what the user chose is as it was
    card.show_pair(None)
    assert not _shows_pair(card)
    assert card.pair.isHidden()


def test_the_button_of_the_pair_switches_to_what_was_shown_and_back(
    card: OverviewCard, options: OverviewOptions
) -> None:
    card.show_pair(_pair())
    assert not card.scales.isVisible()  # attention is not shown, so it has no scale
    QTest.mouseClick(card.pair, Qt.MouseButton.LeftButton)
    assert (card.view.shown_pair, card.pair.isChecked(), options.value.shows) == (None, False, ATTENTION)
    assert card.scales.isVisible()
    assert not _shows_pair(card)
    QTest.mouseClick(card.pair, Qt.MouseButton.LeftButton)
    assert _shows_pair(card)


def test_to_choose_what_cells_show_ends_the_pair_only_if_it_was_shown(
    card: OverviewCard, options: OverviewOptions
) -> None:
    _choose(card.shows, "Entropy")
    assert options.value.shows_pair
    card.show_pair(_pair())
    _choose(card.shows, "Previous token")
    assert (options.value.shows, options.value.shows_pair) == ("previous", False)
    assert _colour_of(card.view, 1, 0) == int(card.view.look.weights[255]) & 0xFFFFFF


def test_order_filter_and_crosses_stay_with_the_pair(card: OverviewCard, options: OverviewOptions) -> None:
    _choose(card.order, "Previous token")
    options.filter_by("previous")
    options.change(least=0.2)
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
    tip = str(card.view.described(1, 0))
    assert "previous token 1.00" in tip
    assert tip.index("it → cat") < tip.index("0.3000") < tip.index("Entropy")
    assert "previous token" not in str(card.view.described(0, 2))


def test_a_pair_of_another_model_is_not_shown(card: OverviewCard) -> None:
    card.show_pair(
        PairInHeads(
            AttentionNumbers(make_trace(9)), PairColumn(7, 2, ("it", "cat"), np.ones((5, 5), np.float32))
        )
    )
    assert card.view.shown_pair is None
    card.view.described(1, 0)


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
    card: OverviewCard, options: OverviewOptions
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
    assert options.value.ordered_by == "pair"
