"""A head as arcs above the words: from which word, to which, what is written and read out of it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app import from_arrays
from bertviz_app.analysis.attention.stamp import AttentionNumbers
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.heads.pictures import picture_of_numbers
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import DrawOptions, Pair, Store, change_options
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.attention.lines import WordsView
from bertviz_app.views.kit.arcs import Arcs, WordArcs
from bertviz_app.views.kit.labels import drawn_texts
from bertviz_app.views.kit.look import Look
from tests.support.factories import make_trace
from tests.support.scene import (
    difference_picture,
    leave,
    move,
    on_screen,
    picture_of,
    pixels_of,
    random_attention,
    turn_events,
)

KEY = Qt.Key


def _looking(n_tokens: int, pairs: dict[int, dict[int, float]]) -> Doubles:
    """Return attention in which queries look as `pairs` say, and all others at the first key."""
    attention = np.zeros((n_tokens, n_tokens))
    for query in range(n_tokens):
        for key, weight in pairs.get(query, {0: 1.0}).items():
            attention[query, key] = weight
    return attention


@pytest.fixture
def view(qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport) -> WordsView:
    """A head of seven tokens, of which the fourth looks at the third, and the fifth at itself."""
    attention = _looking(7, {3: {2: 0.75, 1: 0.25}, 4: {4: 1.0}, 5: {0: 0.5, 6: 0.5}})
    viewport.fit(7)
    view = WordsView(look, selection, viewport)
    view.show_picture(picture_of(attention))
    return on_screen(qtbot, view, 600, 300)


def _point_at(view: WordsView, word: int) -> None:
    at = view.words.place_of(word)
    move(view.words, at.x(), at.y())


def test_it_begins_with_the_query_of_the_largest_weight_between_two_words(view: WordsView) -> None:
    assert view.words.marked == 3, "not the one that looks at itself, nor those that look at [CLS]"
    _point_at(view, 5)
    assert view.selection.shown == Pair(5, None)
    leave(view.words)
    assert view.words.part is None
    view.selection.pin(query=1, key=0)
    assert view.words.marked == 1
    view.selection.pin(key=2)
    assert view.words.marked == 2, "who looks at a key that is pinned alone"


def test_what_a_word_looks_at_is_read_out_beside_what_the_others_give(view: WordsView) -> None:
    labels = view.pictures[0].token_order.keys.labels
    _point_at(view, 3)
    title, *lines = view.words.read_out.lines
    assert title == labels[3]
    plain = [tuple(text.replace("\N{NO-BREAK SPACE}", " ") for text in line) for line in lines]
    assert plain == [
        (f"→ {labels[2]}", "75 %; the others 0 % on average"),
        (f"→ {labels[1]}", "25 %; the others 0 % on average"),
    ]
    _point_at(view, 5)
    assert view.words.read_out.lines[1][1].startswith("50"), "the first of two equal ones"
    assert "67" in view.words.read_out.lines[1][1], "four of the six others look at the first token alone"


def test_another_word_has_other_arcs_and_the_keys_walk_and_pin(view: WordsView) -> None:
    before = pixels_of(view)
    view.words.setFocus()
    QTest.keyClick(view.words, KEY.Key_Right)
    assert view.selection.shown == Pair(4, None), "the walk starts from the word that is drawn"
    assert (pixels_of(view) != before).any()
    QTest.keyClick(view.words, KEY.Key_Home)
    assert view.selection.shown == Pair(0, None)
    QTest.keyClick(view.words, KEY.Key_Escape)
    assert view.words.part is None
    leave(view.words)
    view.selection.pin(query=3, key=2)
    before = pixels_of(view)
    change_options(view.store, threshold=0.8)
    turn_events()
    assert (pixels_of(view) != before).any(), "arcs of less than the threshold are left out"


def test_several_heads_have_their_colours_and_a_difference_two(
    qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport
) -> None:
    view, one, other = WordsView(look, selection, viewport), *map(picture_of, map(random_attention, (9, 9)))
    viewport.fit(9)
    view.show_picture(one, (one, other))
    on_screen(qtbot, view, 500, 300)
    assert view.pictures == (one,), "the other one is of another trace"
    view.show_picture(difference_picture(make_trace(9), make_trace(9, seed=1)))
    on_screen(qtbot, view, 500, 300)
    _point_at(view, 4)
    assert any(line[1][0] in "+−" for line in view.words.read_out.lines[1:])


def test_a_small_difference_of_shares_has_one_decimal(qtbot: QtBot, look: Look) -> None:
    tokens = ["a", "b", "c"]
    rows = [0.3, 0.3, 0.4], [0.2961, 0.3039, 0.4]
    one, other = (from_arrays([np.array([[row] * 3], np.float32)], tokens) for row in rows)
    view = WordsView(look, Selection(), Viewport(), Store())
    view.show_picture(difference_picture(one, other, layer=0))
    on_screen(qtbot, view, 500, 300)
    _point_at(view, 1)
    written = {text.replace("\N{NO-BREAK SPACE}", " ") for _, text in drawn_texts(view.words)}
    assert {"+0.4 %", "−0.4 %"} <= written


@pytest.mark.parametrize("hides", [{"hides_special": True}, {"joins_words": True}, {"sentences": "ab"}])
def test_the_options_that_leave_tokens_out_are_followed(
    qtbot: QtBot, look: Look, hides: dict[str, object]
) -> None:
    options = DrawOptions(**hides)  # type: ignore[arg-type]
    picture = picture_of_numbers(AttentionNumbers(make_trace(9, pair=True)), 0, 0, options=options)
    view = WordsView(look, Selection(), Viewport(), Store())
    view.show_picture(picture)
    on_screen(qtbot, view, 500, 300)
    n_queries, n_keys = picture.token_order.counts
    assert view.words.count == n_queries
    assert len(view.words.words.boxes) == n_keys
    assert (view.words.words.sources is not None) == ("sentences" in hides), "two sentences are two texts"
    pixels_of(view)


@pytest.mark.parametrize("width", [200, 1800])
@pytest.mark.parametrize("n_words", [1, 60])
def test_all_words_are_within_the_width_in_as_many_lines_as_they_need(
    look: Look, width: int, n_words: int
) -> None:
    arcs = WordArcs(look)
    arcs.show_words(["[CLS]", "고양이는", "##ing", "extraordinarily"] * n_words)
    arcs.fit(width, 300)
    assert all(box.left() >= 0 and box.right() <= width for box in arcs.boxes)
    boxes = arcs.boxes
    assert not any(a.intersects(b) for at, a in enumerate(boxes) for b in boxes[:at])
    assert arcs.height >= max(box.bottom() for box in boxes) or arcs.height <= 300
    for at, box in enumerate(boxes):
        assert arcs.word_at(box.center()) == at
    down = arcs.beside(0, 1, 0)
    assert boxes[down].top() > boxes[0].top() or boxes[down].top() == boxes[-1].top()


def test_an_arc_to_another_line_keeps_off_the_number_of_its_word(look: Look) -> None:
    arcs, drawn = WordArcs(look), []
    arcs.show_words(["extraordinarily"] * 3)
    arcs.fit(200, 400)
    numbers = Arcs([0.9, 0.0, 0.0], look.colour("accent"), texts=["90 %", "", ""])
    first = arcs.boxes[0].toRect()
    assert arcs.boxes[2].top() > first.bottom()
    for word in (None, 2):
        image = QImage(200, 400, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        with QPainter(image) as painter:
            arcs.draw(painter, [numbers], word)
        drawn.append(image.copy(first.left(), first.bottom() + 2, first.width(), 20))
    assert drawn[0] == drawn[1]
    inks = {drawn[0].pixel(x, y) for x in range(first.width()) for y in range(20)}
    assert len(inks) > 2, "the number is there"


def test_a_word_in_brackets_is_no_special_token(look: Look) -> None:
    arcs, widths = WordArcs(look), []
    for special in (frozenset[str](), frozenset({"[x]"})):
        arcs.show_words(["[x]", "word"], special=special)
        arcs.fit(600, 300)
        widths.append(arcs.boxes[0].width())
    assert widths[1] < widths[0], "smaller only where the tokenizer has added it"


def test_in_a_causal_model_no_mean_of_all_others_is_read_out(qtbot: QtBot, look: Look) -> None:
    row = np.tril(np.ones((4, 4), np.float32)) / np.arange(1, 5, dtype=np.float32)[:, None]
    trace = from_arrays([row[None]], ["a", "b", "c", "d"])
    view = WordsView(look, Selection(), Viewport(), Store())
    view.show_picture(picture_of_numbers(AttentionNumbers(trace), 0, 0))
    on_screen(qtbot, view, 500, 300)
    _point_at(view, 3)
    assert view.words.read_out.lines
    assert trace.mask is not None
    assert not any("others" in line[1] for line in view.words.read_out.lines[1:])


def test_every_layer_is_drawn_with_the_mean_of_its_heads_and_read_out(view: WordsView) -> None:
    trace = make_trace(7)
    view.viewport.fit(7)
    view.show_picture(picture_of_numbers(AttentionNumbers(trace), 1, 0))
    before = pixels_of(view)
    change_options(view.store, every_layer=True)
    turn_events()
    assert (pixels_of(view) != before).any()
    assert view.words.titles == tuple(f"Layer {layer}" for layer in range(trace.n_layers))
    means = trace.attention().mean(1)  # [L, T, T]
    for layer, arcs in enumerate(view.words.arcs_of(3)):
        np.testing.assert_allclose(arcs.numbers, means[layer, 3], atol=1e-6)
    _point_at(view, 4)
    assert view.selection.shown == Pair(4, None)
    title, *lines = view.words.read_out.lines
    assert title == trace.tokens.labels[4]
    assert [line[0] for line in lines] == [
        f"Layer {layer} → {trace.tokens.labels[int(row[4].argmax())]}" for layer, row in enumerate(means)
    ]
    assert "mean" in view.notes_for(view.store.now.options)[0]
    change_options(view.store, every_layer=False)
    turn_events()
    assert view.words.titles == ()


def test_a_shorter_text_has_no_arcs_from_a_word_that_it_lacks(view: WordsView) -> None:
    view.selection.pin(query=5)
    assert view.words.marked == 5
    view.viewport.fit(3)
    view.show_picture(picture_of(_looking(3, {1: {2: 1.0}})))
    assert view.words.marked is None or view.words.marked < 3
