"""The inspector: numbers of a pair, its strongest heads, predictions, and the rows of interventions."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QGridLayout, QInputDialog, QLabel, QToolTip, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.attention.stamp import AttentionNumbers
from bertviz_app.analysis.measures import NAME_RULES, HeadName, PairColumn
from bertviz_app.analysis.predictions import (
    Answer,
    Classes,
    Label,
    LabelledToken,
    NextSentence,
    Predictions,
    Span,
)
from bertviz_app.errors import CheckpointError
from bertviz_app.viewmodels.inspected import Inspected, PairInHeads
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.pointer import Pointer, Selection
from bertviz_app.viewmodels.runs.shown import RunPrediction
from bertviz_app.viewmodels.state import Pair
from bertviz_app.views.inspector.predictions import Line, PredictionsView, lines_of, n_fixed
from bertviz_app.views.inspector.view import InspectorView, PairHeadsView
from bertviz_app.views.interventions import SwitchRow, add_outcome
from bertviz_app.views.kit.look import Look, style_sheet
from bertviz_app.views.tokens.edit_menus import ask_for_weight
from tests.support.factories import dense, disentangled_trace, make_trace, trace_of
from tests.support.fakes import EXPECTED, predictions_of, tokens_of
from tests.support.scene import (
    blended,
    channels,
    click,
    lines_drawn_by,
    move,
    not_none,
    on_screen,
    pixels_of,
    turn_events,
    wheel,
)

WEIGHTS = np.array([[0.1, 0.75, 0.2], [0.3, 0.5, 0.0]], np.float32)


@pytest.fixture
def inspected(panels: Panels, selection: Selection) -> Inspected:
    return Inspected(panels, selection.pointer)


@pytest.fixture
def strongest(qtbot: QtBot, look: Look) -> PairHeadsView:
    return on_screen(qtbot, PairHeadsView(look), 560, 30)


def _pair(weights: np.ndarray[tuple[int, ...], np.dtype[np.float32]] = WEIGHTS) -> PairInHeads:
    return PairInHeads(AttentionNumbers(make_trace(9)), PairColumn(7, 2, ("it", "cat"), weights))


PLAIN, PAIR = tokens_of("the cat sat"), tokens_of("the cat sat", "it slept")
MASKED = replace(PLAIN, pieces=("[CLS]", "the", "[MASK]", "sat", "[SEP]"))


def _prediction(*heads: str, masks: bool = True, position: int | None = 2) -> RunPrediction:
    tokens = MASKED if masks else PLAIN
    positions = () if position is None else (position,)
    return RunPrediction(heads, False, tokens, position, predictions_of(tokens, positions, heads))


def _kinds(lines: list[Line]) -> list[str]:
    return [line.kind for line in lines]


@pytest.fixture
def predictions(qtbot: QtBot, look: Look) -> PredictionsView:
    predictions = on_screen(qtbot, PredictionsView(look, "A"), 250, 400)
    predictions.show_prediction(_prediction("masked"), None, is_named=False)
    return predictions


def _first_bar(predictions: PredictionsView) -> tuple[int, int, int]:
    """Return the colour of the longest bar near its end, right of its word."""
    return channels(int(pixels_of(predictions)[32, 100]))


def _labelled(n_words: int) -> RunPrediction:
    tokens = tokens_of(" ".join(f"w{number}" for number in range(n_words)), most=64)
    labels = tuple(
        LabelledToken(position, piece, (Label(f"L{position}", 0.75), Label("O", 0.25)))
        for position, piece in enumerate(tokens.pieces)
    )
    return RunPrediction(("token_labels",), False, tokens, None, Predictions(token_labels=labels))


def _ignored(*_: object) -> None:
    """Take whatever is chosen."""


def test_the_parts_of_a_score_add_up(
    qtbot: QtBot, look: Look, selection: Selection, inspected: Inspected, panels: Panels
) -> None:
    view = on_screen(qtbot, InspectorView(look, inspected), 260, 500)
    inspected.show("A", AttentionNumbers(make_trace(6)))
    lone = view.height_for(2000)
    trace = disentangled_trace(6)
    inspected.show("A", AttentionNumbers(trace))
    selection.pin(2, 4)
    panel = not_none(panels.active)
    parts = {name: float(part[2, 4]) for name, part in trace.score_parts(panel.layer, panel.head).items()}
    turn_events()
    description = view.accessibleDescription()
    written = [f"{parts[name]:.4f}" for name in ("content", "content_to_position", "position_to_content")]
    score = float(trace.scores(panel.layer, panel.head)[2, 4])
    assert sum(parts.values()) == pytest.approx(score, abs=1e-5)
    names = ("÷ √24", "+ content → position", "+ position → content", "= score")
    assert (
        ", ".join(f"{name} {value}" for name, value in zip(names, [*written, f"{score:.4f}"], strict=True))
        in description
    )
    assert view.height_for(2000) == lone + 3 * look.pixels(18)


def test_what_the_other_tokens_put_there_stands_beside_the_weight(
    qtbot: QtBot, look: Look, selection: Selection, inspected: Inspected, panels: Panels, tmp_path: Path
) -> None:
    panels.set_size(1, 1)
    view = on_screen(qtbot, InspectorView(look, inspected), 280, 500)
    on_key = np.array([0.7, 0.4, 0.25, 0.1])
    attention = np.repeat(((1 - on_key) / 3)[:, None], 4, 1)
    attention[:, 2] = on_key
    inspected.show("A", AttentionNumbers(trace_of(attention[None, None])))
    selection.pin(0, 2)
    turn_events()
    assert "The other tokens put 25\N{NO-BREAK SPACE}% there on average." in view.accessibleDescription()
    assert "others 0.25 · rank 1 of 4" in lines_drawn_by(view, look, tmp_path)


@pytest.mark.parametrize("pixels", [13, 20])
def test_no_line_is_cut_in_a_card_of_any_size(
    qtbot: QtBot, look: Look, inspected: Inspected, pixels: int
) -> None:
    """In large letters the weight is so wide that its rank has no room beside it."""
    look.set_scale(pixels / 13)
    view = InspectorView(look, inspected)
    inspected.show("A", AttentionNumbers(make_trace(6)))
    view.setMinimumSize(1, 1)
    on_screen(qtbot, view, 160, 400)
    for width in (160, 220, 300):
        for height in range(look.pixels(84), look.pixels(260), 7):
            view.setFixedSize(width, height)
            turn_events()
            drawn = pixels_of(view)
            written = (drawn != drawn[0, 0]).any(axis=1)
            assert not written[-1].any(), (width, height)


def test_the_head_is_named_with_its_number_where_it_has_a_name(
    qtbot: QtBot, look: Look, inspected: Inspected, panels: Panels
) -> None:
    view = on_screen(qtbot, InspectorView(look, inspected), 260, 500)
    names = {(1, 1): HeadName(NAME_RULES[0], 0.875), (0, 2): HeadName(NAME_RULES[-1], 2.5)}
    inspected.show("A", AttentionNumbers(make_trace(6)), names=names)
    for at, words in (
        ((1, 1), "in layer 1, head 1 , mean weight on the previous token 0.88"),
        ((0, 2), "in layer 0, head 2 , mean entropy of its rows 2.50 bits"),
        ((0, 0), "in layer 0, head 0 "),
    ):
        panels.show(*at)
        turn_events()
        assert view.accessibleDescription().partition(". In this head")[0].endswith(words)
    inspected.show("A", AttentionNumbers(make_trace(6, seed=1)))  # another run has names of its own
    panels.show(1, 1)
    turn_events()
    assert view.accessibleDescription().partition(". In this head")[0].endswith("in layer 1, head 1 ")


def test_the_number_of_the_other_run_stands_beside_that_of_this_one(qtbot: QtBot, look: Look) -> None:
    panels, pointer = Panels(), Pointer()
    selections, inspected = pointer.selections, Inspected(panels, pointer)
    one, other = make_trace(6), make_trace(8, seed=1)
    panels.set_size(one.n_layers, one.n_heads, (1, 2))
    view = on_screen(qtbot, InspectorView(look, inspected), 320, 420)
    inspected.show("A", AttentionNumbers(one))
    inspected.show("B", AttentionNumbers(other))
    selections["A"].pin(2, 3)
    turn_events()
    assert "in run B" not in view.accessibleDescription()  # no token of B corresponds to these
    selections["B"].show(Pair(4, 5))
    turn_events()
    assert inspected.pair is not None
    assert inspected.pair.elsewhere == pytest.approx(dense(other)[1, 2, 4, 5], abs=1e-6)
    assert f"in run B {dense(other)[1, 2, 4, 5]:.4f}" in view.accessibleDescription()
    inspected.drop("B")
    assert inspected.pair.elsewhere is None


def test_of_a_head_that_does_not_exist_no_number_of_another_one_stays(
    qtbot: QtBot, look: Look, selection: Selection
) -> None:
    panels = Panels()
    panels.set_size(2, 3, (0, 0))
    inspected = Inspected(panels, selection.pointer)
    view = on_screen(qtbot, InspectorView(look, inspected), 280, 560)
    empty = pixels_of(view).copy()
    inspected.show("A", AttentionNumbers(replace(make_trace(24), pruned=((0, 1),))))
    selection.pin(2, 4)
    turn_events()
    assert (pixels_of(view) != empty).any()
    panels.show(0, 1)
    turn_events()
    assert inspected.lacks_head
    assert inspected.pair is None
    assert view.accessibleDescription() == ""
    np.testing.assert_array_equal(pixels_of(view), empty)


def test_the_strongest_heads_are_named_and_a_click_goes_there(strongest: PairHeadsView) -> None:
    chosen: list[tuple[int, int]] = []
    strongest.head_chosen.connect(lambda *at: chosen.append(at))
    strongest.show_pair(_pair())
    assert [button.text() for button in strongest.buttons] == ["0·1  .75", "1·1  .50", "1·0  .30"]
    assert "it → cat" in strongest.title.accessibleName()
    assert "0.7500" in strongest.buttons[0].toolTip()
    for button in strongest.buttons:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert chosen == [(0, 1), (1, 1), (1, 0)]
    assert strongest.title.text() == "Most in"
    # ranked by the difference where what the other tokens put there is known
    others = np.array([[0.0, 0.7, 0.1], [0.1, 0.1, 0.0]], np.float32)
    column = PairColumn(7, 2, ("it", "cat"), WEIGHTS, others)
    strongest.show_pair(PairInHeads(AttentionNumbers(make_trace(9)), column))
    shown = [button.text() for button in strongest.buttons]
    assert shown == ["1·1  .50", "1·0  .30", "0·0  .10"]
    assert strongest.title.text() == "Stands out in"
    assert "the other tokens put 0.1000 there" in strongest.buttons[0].toolTip()
    # the tool tip of a head does not take a token for a tag
    strongest.show_pair(
        PairInHeads(AttentionNumbers(make_trace(9)), PairColumn(7, 2, ("<s>", "cat"), WEIGHTS))
    )
    assert "&lt;s&gt; → cat" in strongest.buttons[0].toolTip()
    assert strongest.buttons[0].accessibleName().startswith("<s> → cat")


def test_without_a_pair_it_shows_how_to_pin_one_in_the_same_height(strongest: PairHeadsView) -> None:
    assert strongest.title.text() == "Click a pair to see its strongest heads."
    assert not any(button.isVisible() for button in strongest.buttons)
    height = strongest.height()
    strongest.show_pair(_pair())
    assert all(button.isVisible() for button in strongest.buttons)
    assert strongest.height() == height
    strongest.show_pair(None)
    assert strongest.title.text() == "Click a pair to see its strongest heads."
    assert not any(button.isVisible() for button in strongest.buttons)


def test_a_button_that_stands_for_no_head_does_nothing_with_the_focus(strongest: PairHeadsView) -> None:
    chosen: list[tuple[int, int]] = []
    strongest.head_chosen.connect(lambda *at: chosen.append(at))
    strongest.show_pair(_pair())
    strongest.buttons[1].setFocus()
    strongest.hide()  # what is hidden as part of a page can keep the focus
    strongest.show_pair(None)
    QTest.keyClick(strongest.buttons[1], Qt.Key.Key_Space)  # an exception in a slot fails the test
    assert chosen == []
    strongest.show_pair(_pair())
    QTest.keyClick(strongest.buttons[1], Qt.Key.Key_Space)
    assert chosen == [(1, 1)]


@pytest.mark.parametrize(("width", "n_heads", "has_words"), [(300, 3, True), (250, 2, True), (130, 1, False)])
def test_in_little_room_the_last_heads_give_way_before_the_words_do(
    qtbot: QtBot, look: Look, width: int, n_heads: int, has_words: bool
) -> None:
    strongest = PairHeadsView(look)
    strongest.setStyleSheet(style_sheet(look))
    on_screen(qtbot, strongest, width, 40)
    strongest.show_pair(_pair())
    QApplication.processEvents()
    assert [button.isVisible() for button in strongest.buttons] == [number < n_heads for number in range(3)]
    assert strongest.title.isVisible() == has_words
    shown = [each for each in (strongest.title, *strongest.buttons, strongest.why) if each.isVisible()]
    for before, after in pairwise(shown):
        assert before.geometry().right() < after.geometry().left()
    assert shown[-1].geometry().right() < strongest.width() == width
    requests: list[bool] = []
    strongest.why.clicked.connect(lambda: requests.append(True))
    QTest.mouseClick(strongest.why, Qt.MouseButton.LeftButton)
    assert requests == [True]
    strongest.show_pair(None)
    assert strongest.title.isVisible()


def test_each_task_head_has_its_lines() -> None:
    lines = lines_of(_prediction("masked"), None)
    assert _kinds(lines) == ["title", *["bar"] * 10, "number"]
    assert (lines[0].text, lines[0].note) == ("dog", "masked")
    assert tuple(line.text for line in lines[1:11]) == EXPECTED
    assert [line.text for line in lines if line.is_marked] == ["dog"], "what is written there"
    assert (lines[-1].text, lines[-1].shown_value) == ("original “dog”: rank 3", "0.1250")
    assert not any(line.is_faint for line in lines)
    # where nothing was written its row has another piece
    prediction = _prediction("masked")
    assert prediction.found is not None
    fillings = tuple(replace(one, written=None) for one in prediction.found.fillings)
    unwritten = replace(prediction, found=replace(prediction.found, fillings=fillings))
    assert _kinds(lines_of(prediction, None, 2)) == ["title", "bar", "bar", "number"]
    assert _kinds(lines_of(unwritten, None, 2)) == ["title", "bar", "bar", "bar"]
    # the second text follows or is wanted
    assert "Add sentence 2" in lines_of(_prediction("next_sentence"), None)[0].text
    prediction = RunPrediction(
        ("next_sentence",), False, PAIR, None, predictions_of(PAIR, (), ("next_sentence",))
    )
    (line,) = lines_of(prediction, None)
    assert (line.kind, line.text, line.shown_value) == ("bar", "Sentence 2 follows 1", "0.8750")
    ordered = replace(prediction, found=Predictions(next_sentence=NextSentence(0.25, is_order=True)))
    assert lines_of(ordered, None)[0].text == "Sentences 1 and 2 in order"
    # two runs beside each other leave out the hint on a second sentence
    prediction = _prediction("masked", "next_sentence")
    hint = "Add sentence 2 to see whether the model thinks that it follows."
    assert [line.text for line in lines_of(prediction, None)][-1] == hint
    assert hint not in [line.text for line in lines_of(prediction, None, has_hints=False)]
    assert n_fixed(prediction) == n_fixed(prediction, has_hints=False) + 1.5


def test_suspects_labels_and_answers_are_listed_by_token() -> None:
    tokens = tokens_of(" ".join(f"w{number}" for number in range(13)))
    prediction = RunPrediction(("replaced",), False, tokens, None, predictions_of(tokens, (), ("replaced",)))
    assert [line.position for line in lines_of(prediction, None, 4)[1:]] == [0, 1, 2, 3]
    lines = lines_of(prediction, 9, 4)[1:]
    assert [(line.position, line.is_marked) for line in lines] == [
        (0, False),
        (1, False),
        (2, False),
        (9, True),
    ]
    # each token has its label
    lines = lines_of(_labelled(2), 1)
    assert (lines[0].text, lines[0].note) == ("Labels", "likeliest of each")
    assert [(line.text, line.note, line.value) for line in lines[1:]] == [
        ("[CLS]", "L0", 0.75),
        ("w0", "L1", 0.75),
        ("w1", "L2", 0.75),
        ("[SEP]", "L3", 0.75),
    ]
    assert [line.is_faint for line in lines[1:]] == [True, False, False, True], "special tokens are faint"
    assert [line.is_marked for line in lines[1:]] == [False, True, False, False]
    assert lines[2].more == "L1  0.75\nO  0.25"
    # answers are listed with the probability of none
    spans = (Span(5, 6, "it  slept", 0.5), Span(6, 6, "slept", 0.25))
    prediction = RunPrediction(("answer",), False, PAIR, None, Predictions(answer=Answer(spans, 0.125)))
    lines = lines_of(prediction, None)
    assert (lines[0].text, lines[0].note) == ("Answers", "none: 0.1250")
    assert [(line.text, line.value, line.position, line.is_marked) for line in lines[1:]] == [
        ("it slept", 0.5, 5, True),
        ("slept", 0.25, 6, False),
    ]
    assert lines[1].more == "it  slept\ntokens 5 to 6: 0.5"
    alone = replace(prediction, tokens=PLAIN)
    assert "add sentence 2" in lines_of(alone, None)[0].text


def test_predictions_of_a_token_that_is_not_masked_have_another_colour_and_a_note(
    predictions: PredictionsView, look: Look
) -> None:
    ground = int(pixels_of(predictions)[1, 1])
    assert _first_bar(predictions) == pytest.approx(blended(look, "accent", 0.22, ground), abs=1)
    prediction = _prediction("masked", masks=False)
    lines = lines_of(prediction, None)
    assert (lines[0].text, lines[0].note) == ("cat", "not masked")
    assert all(line.is_faint for line in lines if line.kind == "bar")
    predictions.show_prediction(prediction, None, is_named=False)
    assert _first_bar(predictions) == pytest.approx(blended(look, "secondary", 0.22, ground), abs=1)


@pytest.mark.parametrize(
    ("prediction", "words"),
    [
        (RunPrediction((), False, PLAIN), "No task head"),
        (
            replace(_prediction("masked"), problem=CheckpointError("It is gone.", "Look.")),
            "It is gone. Look.",
        ),
        (_prediction("masked", position=None), "Click a token"),
    ],
)
def test_where_there_is_nothing_a_sentence_gives_the_reason(prediction: RunPrediction, words: str) -> None:
    (line,) = lines_of(prediction, None)
    assert line.kind == "sentence"
    assert words in line.text


@pytest.mark.parametrize(
    ("problem", "title", "note", "kind"),
    [
        ("multi_label_classification", "Classes", "each by itself", "bar"),
        ("regression", "Predicted number", "", "number"),
    ],
)
def test_each_kind_of_classifier_has_its_own_title_and_lines(
    problem: str, title: str, note: str, kind: str
) -> None:
    found = Predictions(classes=Classes(problem, (Label("good one", 0.9), Label("bad", -2e-6))))
    lines = lines_of(RunPrediction(("classes",), False, PLAIN, None, found), None)
    assert (lines[0].text, lines[0].note) == (title, note)
    assert [(line.kind, line.text) for line in lines[1:]] == [(kind, "good one"), (kind, "bad")]
    assert lines[2].shown_value == "−2e−06"


def test_wheel_arrows_and_the_pointed_token_scroll_the_labels(predictions: PredictionsView) -> None:
    pinned: list[int] = []
    predictions.token_chosen.connect(pinned.append)
    predictions.show_prediction(_labelled(30), None, is_named=False)
    click(predictions, 60, 30)
    wheel(predictions, 60, 30, -1)
    click(predictions, 60, 30)
    predictions.show_prediction(_labelled(30), 20, is_named=False)
    click(predictions, 60, 30)
    for key in (*[Qt.Key.Key_Down] * 40, Qt.Key.Key_Return):
        QTest.keyClick(predictions, key)
    assert pinned == [0, 3, 11, 31]
    QApplication.sendEvent(predictions, QEvent(QEvent.Type.Leave))
    for key in (*[Qt.Key.Key_Up] * 40, Qt.Key.Key_Return):
        QTest.keyClick(predictions, key)
    assert pinned[4:] == [0]


def test_a_line_has_a_tip_and_is_chosen_by_mouse_and_keys(predictions: PredictionsView) -> None:
    at = QPoint(60, 30)
    QApplication.sendEvent(predictions, QHelpEvent(QHelpEvent.Type.ToolTip, at, predictions.mapToGlobal(at)))
    assert QToolTip.text() == "mouse  0.5\nClick: put it there"
    QToolTip.hideText()
    # a click or enter puts a piece into its place
    chosen: list[tuple[int, str]] = []
    predictions.piece_chosen.connect(lambda at, piece: chosen.append((at, piece)))
    y = next(y for y in range(predictions.height()) if predictions.line_at(QPoint(60, y).toPointF()) == 2)
    move(predictions, 60, y + 4)
    assert predictions.accessibleDescription() == "bird 0.2500"
    click(predictions, 60, y + 4)
    assert chosen == [(2, "bird")]
    click(predictions, 60, 8)
    assert chosen == [(2, "bird")], "the title does nothing"
    QApplication.sendEvent(predictions, QEvent(QEvent.Type.Leave))
    predictions.setFocus()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Return):
        QTest.keyClick(predictions, key)
    assert chosen[1:] == [(2, "bird")]
    # nothing to click takes no focus
    assert predictions.focusPolicy() == Qt.FocusPolicy.StrongFocus
    predictions.show_prediction(RunPrediction((), False, PLAIN), None, is_named=True)
    assert predictions.focusPolicy() == Qt.FocusPolicy.NoFocus
    assert predictions.accessibleDescription() == "A, No task head: nothing is predicted."
    predictions.show_prediction(None, None, is_named=False)
    assert predictions.sizeHint().height() == 0


def test_no_text_takes_a_token_for_a_tag(qtbot: QtBot) -> None:
    row = SwitchRow("<s> → x", "Position 0: <s> is read as x", True, _ignored, _ignored)
    qtbot.addWidget(row)
    for part in (row.switch, row.label, row.remove):
        assert "&lt;s&gt;" in part.toolTip()
    assert row.label.text() == "<s> → x"
    ask_for_weight(row, "Set this weight", "Weight with which <s> attends to </s>", 0.5, _ignored)
    (dialog,) = row.findChildren(QInputDialog)
    assert dialog.labelText() == "<qt>Weight with which &lt;s&gt; attends to &lt;/s&gt;</qt>"
    dialog.close()


def test_the_name_of_an_outcome_is_whole_beside_its_numbers(qtbot: QtBot) -> None:
    card, table = QWidget(), QWidget()
    grid = QGridLayout(table)
    grid.setColumnStretch(0, 1)
    add_outcome(grid, "Cosine with B (pooled)", "of the vectors", "0.9995 → 1.0000")
    column = QVBoxLayout(card)
    column.addWidget(table)
    column.addStretch(1)
    value = next(label for label in table.findChildren(QLabel) if "→" in label.text())
    on_screen(qtbot, card, value.sizeHint().width() + 130, 300)
    name = next(label for label in table.findChildren(QLabel) if label is not value)
    assert name.text() == "Cosine with B (pooled)"
    assert name.width() < name.fontMetrics().horizontalAdvance(name.text()), "it has two lines"
    assert name.height() >= name.heightForWidth(name.width()) > 1.5 * name.fontMetrics().height()
