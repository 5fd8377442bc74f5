"""The lines of what the task heads predict, and the pointer and the keys on them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.answers import Answer, Span
from bertviz_app.analysis.predictions import Classes, Label, LabelledToken, NextSentence, Predictions
from bertviz_app.errors import CheckpointError
from bertviz_app.viewmodels.runs.predictions import RunPrediction
from bertviz_app.views.inspector.line_pen import LinePen
from bertviz_app.views.inspector.prediction_lines import Line, first_listed, lines_of, n_fixed
from bertviz_app.views.inspector.predictions_view import PredictionsView
from bertviz_app.views.kit.look import Look
from tests.support.fakes import EXPECTED, predictions_of, tokens_of
from tests.support.scene import blended, channels, click, move, on_screen, pixels_of

PLAIN, PAIR = tokens_of("the cat sat"), tokens_of("the cat sat", "it slept")
MASKED = replace(PLAIN, pieces=("[CLS]", "the", "[MASK]", "sat", "[SEP]"))


def _prediction(*heads: str, masks: bool = True, position: int | None = 2) -> RunPrediction:
    tokens = MASKED if masks else PLAIN
    positions = () if position is None else (position,)
    return RunPrediction(heads, False, tokens, position, predictions_of(tokens, positions, heads))


def _kinds(lines: list[Line]) -> list[str]:
    return [line.kind for line in lines]


@pytest.fixture
def view(qtbot: QtBot, look: Look) -> PredictionsView:
    view = on_screen(qtbot, PredictionsView(look, "A"), 250, 400)
    view.show_prediction(_prediction("masked"), None, is_named=False)
    return view


def test_a_masked_token_has_its_fillers_and_what_is_written_there() -> None:
    lines = lines_of(_prediction("masked"), None)
    assert _kinds(lines) == ["title", *["bar"] * 10, "number"]
    assert (lines[0].text, lines[0].note) == ("dog", "masked")
    assert tuple(line.text for line in lines[1:11]) == EXPECTED
    assert [line.text for line in lines if line.is_marked] == ["dog"], "what is written there"
    assert (lines[-1].text, lines[-1].shown_value) == ("original “dog”: rank 3", "0.1250")
    assert not any(line.is_faint for line in lines)


def _first_bar(view: PredictionsView) -> tuple[int, int, int]:
    """Return the colour of the longest bar near its end, right of its word."""
    return channels(int(pixels_of(view)[32, 100]))


def test_predictions_of_a_token_that_is_not_masked_have_another_colour_and_a_note(
    view: PredictionsView, look: Look
) -> None:
    ground = int(pixels_of(view)[1, 1])
    assert _first_bar(view) == pytest.approx(blended(look, "accent", 0.22, ground), abs=1)
    prediction = _prediction("masked", masks=False)
    lines = lines_of(prediction, None)
    assert (lines[0].text, lines[0].note) == ("cat", "not masked")
    assert all(line.is_faint for line in lines if line.kind == "bar")
    view.show_prediction(prediction, None, is_named=False)
    assert _first_bar(view) == pytest.approx(blended(look, "secondary", 0.22, ground), abs=1)


@pytest.mark.parametrize(
    ("prediction", "words"),
    [
        (RunPrediction((), False, PLAIN), "No task head"),
        (RunPrediction(("masked",), True, PLAIN), "A saved trace"),
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


def test_the_second_text_follows_or_is_wanted() -> None:
    assert "Add sentence 2" in lines_of(_prediction("next_sentence"), None)[0].text
    prediction = RunPrediction(
        ("next_sentence",), False, PAIR, None, predictions_of(PAIR, (), ("next_sentence",))
    )
    (line,) = lines_of(prediction, None)
    assert (line.kind, line.text, line.shown_value) == ("bar", "Sentence 2 follows 1", "0.8750")
    ordered = replace(prediction, found=Predictions(next_sentence=NextSentence(0.25, is_order=True)))
    assert lines_of(ordered, None)[0].text == "Sentences 1 and 2 in order"


@pytest.mark.parametrize(
    ("problem", "title", "note", "kind"),
    [
        ("single_label_classification", "Class", "one of 2", "bar"),
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


def test_the_token_pointed_at_is_among_the_suspects() -> None:
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


def _labelled(n_words: int) -> RunPrediction:
    tokens = tokens_of(" ".join(f"w{number}" for number in range(n_words)), most=64)
    labels = tuple(
        LabelledToken(position, piece, (Label(f"L{position}", 0.75), Label("O", 0.25)))
        for position, piece in enumerate(tokens.pieces)
    )
    return RunPrediction(("token_labels",), False, tokens, None, Predictions(token_labels=labels))


def test_each_token_has_its_label() -> None:
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


def test_of_many_labels_a_part_is_listed_and_named_so() -> None:
    lines = lines_of(_labelled(20), None, 4, 5)
    assert lines[0].note == "tokens 5 to 8 of 22"
    assert [line.position for line in lines[1:]] == [5, 6, 7, 8]


@pytest.mark.parametrize(
    ("first", "count", "most", "into_view", "expected"),
    [(0, 22, 4, None, 0), (-3, 22, 4, None, 0), (30, 22, 4, None, 18), (0, 22, 4, 9, 6), (12, 22, 4, 9, 9)],
)
def test_the_list_stays_within_the_tokens(
    first: int, count: int, most: int, into_view: int | None, expected: int
) -> None:
    assert first_listed(first, count, most, into_view) == expected


def test_wheel_arrows_and_the_pointed_token_scroll_the_labels(view: PredictionsView) -> None:
    pinned: list[int] = []
    view.token_chosen.connect(pinned.append)
    view.show_prediction(_labelled(30), None, is_named=False)
    click(view, 60, 30)
    _turn_wheel(view, -120)
    click(view, 60, 30)
    view.show_prediction(_labelled(30), 20, is_named=False)
    click(view, 60, 30)
    for key in (*[Qt.Key.Key_Down] * 40, Qt.Key.Key_Return):
        QTest.keyClick(view, key)
    assert pinned == [0, 3, 11, 31]
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    for key in (*[Qt.Key.Key_Up] * 40, Qt.Key.Key_Return):
        QTest.keyClick(view, key)
    assert pinned[4:] == [0]


def _turn_wheel(view: PredictionsView, by: int) -> None:
    at = QPoint(60, 30)
    none = Qt.MouseButton.NoButton
    event = QWheelEvent(
        at.toPointF(),
        view.mapToGlobal(at).toPointF(),
        QPoint(),
        QPoint(0, by),
        none,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)


def test_answers_are_listed_with_the_probability_of_none() -> None:
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


def test_a_click_or_enter_puts_a_piece_into_its_place(view: PredictionsView) -> None:
    chosen: list[tuple[int, str]] = []
    view.piece_chosen.connect(lambda at, piece: chosen.append((at, piece)))
    y = next(y for y in range(view.height()) if view.line_at(QPoint(60, y).toPointF()) == 2)
    move(view, 60, y + 4)
    assert view.accessibleDescription() == "bird 0.2500"
    click(view, 60, y + 4)
    assert chosen == [(2, "bird")]
    click(view, 60, 8)
    assert chosen == [(2, "bird")], "the title does nothing"
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    view.setFocus()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Return):
        QTest.keyClick(view, key)
    assert chosen[1:] == [(2, "bird")]


def test_a_suspect_is_pinned_by_a_click(view: PredictionsView) -> None:
    pinned: list[int] = []
    view.token_chosen.connect(pinned.append)
    view.show_prediction(_prediction("replaced", masks=False), None, is_named=False)
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert pinned == [0]


def test_the_tip_of_a_line_names_its_value_and_what_a_click_does(view: PredictionsView) -> None:
    at = QPoint(60, 30)
    QApplication.sendEvent(view, QHelpEvent(QHelpEvent.Type.ToolTip, at, view.mapToGlobal(at)))
    assert QToolTip.text() == "mouse  0.5\nClick: put it there"
    QToolTip.hideText()


def test_in_little_room_lists_are_shorter_and_no_line_is_cut(view: PredictionsView) -> None:
    assert view.desired_height < 260
    view.resize(250, view.desired_height)
    assert view.accessibleDescription().count(",") == 11
    view.resize(250, 130)
    shown = view.accessibleDescription().split(", ")
    assert shown[0] == "dog masked"
    assert shown[-1] == "original “dog”: rank 3 0.1250"
    assert 3 <= len(shown) - 2 < 10
    below = pixels_of(view)[118:]
    assert (below == below[-1, -1]).all()


def test_in_little_room_a_list_has_the_place_of_the_hint(view: PredictionsView) -> None:
    def shown() -> list[str]:
        return view.accessibleDescription().split(", ")

    view.show_prediction(_prediction("masked", "next_sentence"), None, is_named=False)
    hint = "Does 2 follow 1? Add sentence 2"
    view.resize(250, view.minimumSizeHint().height())
    assert hint not in shown()
    rows: dict[bool, set[int]] = {True: set(), False: set()}
    while len(shown()) < 13:
        view.resize(250, view.height() + 1)
        rows[hint in shown()].add(len(shown()) - 2 - (hint in shown()))
    assert (min(rows[True]), max(rows[True])) == (4, 10)
    assert min(rows[False]) == 1
    assert max(rows[False]) >= 4
    view.show_prediction(_prediction("next_sentence"), None, is_named=False)
    view.resize(250, 20)
    assert shown() == [hint], "it is all that there is"


def test_where_nothing_was_written_its_row_has_another_piece() -> None:
    prediction = _prediction("masked")
    assert prediction.found is not None
    fillings = tuple(replace(one, written=None) for one in prediction.found.fillings)
    unwritten = replace(prediction, found=replace(prediction.found, fillings=fillings))
    assert _kinds(lines_of(prediction, None, 2)) == ["title", "bar", "bar", "number"]
    assert _kinds(lines_of(unwritten, None, 2)) == ["title", "bar", "bar", "bar"]


def test_nothing_to_click_takes_no_focus(view: PredictionsView) -> None:
    assert view.focusPolicy() == Qt.FocusPolicy.StrongFocus
    view.show_prediction(RunPrediction((), False, PLAIN), None, is_named=True)
    assert view.focusPolicy() == Qt.FocusPolicy.NoFocus
    assert view.accessibleDescription() == "A, No task head: nothing is predicted."
    view.show_prediction(None, None, is_named=False)
    assert view.desired_height == 0


def test_what_has_no_room_beside_its_number_is_wrapped_and_never_cut(qtbot: QtBot, look: Look) -> None:
    narrow = on_screen(qtbot, PredictionsView(look, "A"), 110, 500)
    wide = on_screen(qtbot, PredictionsView(look, "A"), 400, 500)
    found = replace(predictions_of(PAIR, (2,), ("masked",)), next_sentence=NextSentence(0.75, is_order=False))
    prediction = RunPrediction(("masked", "next_sentence"), False, PAIR, 2, found)
    for view in (narrow, wide):
        view.show_prediction(prediction, None, is_named=True)
    pen = LinePen(look, 110, is_narrow=True)
    lines = lines_of(prediction, None)
    wrapping = [line for line in lines if line.wraps]
    assert [line.text for line in wrapping] == ["original “dog”: rank 3", "Sentence 2 follows 1"]
    heights = [pen.height(line) for line in wrapping]
    assert all(height >= 2 * pen.pitch for height in heights)
    assert all(LinePen(look, 400, is_narrow=True).height(line) == pen.pitch for line in wrapping)
    more = sum(heights) - 2 * pen.pitch
    assert narrow.desired_height == pytest.approx(wide.desired_height + more, abs=1)
    boxes = pen.boxes(lines)
    assert boxes[-1].bottom() <= narrow.desired_height
    assert all(above.bottom() <= below.top() + 0.01 for above, below in pairwise(boxes))


def test_two_runs_beside_each_other_leave_out_the_hint_on_a_second_sentence() -> None:
    prediction = _prediction("masked", "next_sentence")
    hint = "Does 2 follow 1? Add sentence 2"
    assert [line.text for line in lines_of(prediction, None)][-1] == hint
    assert hint not in [line.text for line in lines_of(prediction, None, has_hints=False)]
    assert n_fixed(prediction) == n_fixed(prediction, has_hints=False) + 1.5


def test_the_hint_has_room_in_a_narrow_column_beside_another_run(qtbot: QtBot, look: Look) -> None:
    view = on_screen(qtbot, PredictionsView(look, "A"), 110, 400)
    view.show_prediction(_prediction("masked", masks=False, position=None), None, is_named=True)
    lines = [Line("run", "A"), *lines_of(_prediction("masked", masks=False, position=None), None)]
    hint = LinePen(look, 110, is_narrow=True).boxes(lines)[-1]
    assert lines[-1].text.startswith("Click a token")
    assert hint.bottom() <= view.minimumSizeHint().height() + 1
