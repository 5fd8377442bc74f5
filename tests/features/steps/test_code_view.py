"""The code of Steps: its marked lines, the way from a line to its stop and back, and what is copied."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.features.steps.code import CodeBlock
from bertviz_app.features.steps.views.code import CodeText
from bertviz_app.viewmodels.panel import Panel, StepsChoice
from bertviz_app.viewmodels.stages.stops import BELOW, Stop
from bertviz_app.views.export.recording import record, write
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.subject import PictureSheet
from tests.support.factories import make_trace
from tests.support.panel_scenes import StepsScene
from tests.support.scene import lines_of_text


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> StepsScene:
    made = StepsScene(qtbot, look)
    made.finish()
    made.view.walk.show_form("code")
    return made


def _text(scene: StepsScene) -> CodeText:
    return scene.view.code.text


def _block(scene: StepsScene) -> CodeBlock:
    block = _text(scene).block
    assert block is not None
    return block


def _marked(scene: StepsScene) -> list[str]:
    """Return the lines that are marked, without their shapes."""
    rows = _text(scene).extraSelections()
    cursors = [row.cursor for row in rows]
    written = [cursor.block().text().replace("\N{NO-BREAK SPACE}", " ") for cursor in cursors]
    return [row.split("#")[0].strip() for row in written]


def _middle_of(scene: StepsScene, code: str) -> QPoint:
    """Return a point on the first line with this code."""
    text = _text(scene)
    number = next(at for at, line in enumerate(_block(scene).lines) if code in line.code)
    cursor = QTextCursor(text.document().findBlockByNumber(number))
    cursor.setPosition(cursor.position() + 6)
    return text.cursorRect(cursor).center()


def _go(scene: StepsScene, stage: str, section: int = 1) -> None:
    scene.view.walk.go(Stop(section, stage))
    scene.finish()


def test_the_lines_of_the_stop_are_marked_in_the_code_of_its_part(scene: StepsScene) -> None:
    _go(scene, "scores")
    assert _marked(scene) == ["scores = torch.matmul(Q, K.transpose(-1, -2))"]
    assert "[1, 3, 7, 7]" in _text(scene).accessibleDescription()
    _go(scene, "queries")
    assert _marked(scene) == ["Q = self.query(x)", "Q = Q.view(B, T, H, d_k).transpose(1, 2)"]
    _go(scene, "weighted")
    assert _marked(scene) == ["context = torch.matmul(attn, V)"]
    _go(scene, "contracted")
    assert _marked(scene) == ["h = self.output(h)"]
    assert "torch.matmul" not in _text(scene).toPlainText()
    _go(scene, "token", BELOW)
    assert _marked(scene) == ["tok = self.word_embeddings(input_ids)"]


def test_a_click_on_a_line_goes_to_its_stop_and_a_double_click_to_its_picture(scene: StepsScene) -> None:
    button, keys, viewport = (
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
        _text(scene).viewport(),
    )
    QTest.mouseClick(viewport, button, keys, _middle_of(scene, "attn = torch.softmax"))
    assert scene.view.walk.stop == Stop(1, "softmax")
    assert _text(scene).isVisible()
    QTest.mouseClick(viewport, button, keys, _middle_of(scene, "B, T, _ = x.shape"))
    assert scene.view.walk.stop == Stop(1, "softmax"), "this line computes no stop"
    QTest.mouseDClick(viewport, button, keys, _middle_of(scene, "x = self.LayerNorm"))
    assert scene.view.walk.stop == Stop(1, "attention_norm")
    assert scene.view.walk.form == "walk"


def test_up_and_down_go_from_line_to_line_and_into_the_next_part(scene: StepsScene) -> None:
    _go(scene, "softmax")
    view, stages = scene.view, []
    for _ in range(8):
        QTest.keyClick(view, Qt.Key.Key_Down)
        scene.finish()
        stages.append(view.walk.stop.stage)
    after = [
        "softmax",
        "mixed",
        "concat",
        "concat",
        "projected",
        "attention_sum",
        "attention_norm",
        "expanded",
    ]
    assert stages == after, "two lines lead to the weights, and two to the heads side by side"
    QTest.keyClick(view, Qt.Key.Key_Up)
    assert view.walk.stop == Stop(1, "attention_norm")
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert view.walk.form == "walk"
    assert not view.walk.choice.shows_products


def test_the_block_is_copied_by_the_button_and_by_the_keys_or_what_is_selected(scene: StepsScene) -> None:
    clipboard = QGuiApplication.clipboard()
    clipboard.clear()
    scene.view.code.copy.click()
    assert clipboard.text() == _block(scene).text
    for widget in (scene.view, _text(scene)):
        clipboard.clear()
        keys = Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier
        override = QKeyEvent(QEvent.Type.ShortcutOverride, *keys)
        override.ignore()
        QApplication.sendEvent(widget, override)
        assert override.isAccepted(), "the window's shortcut copies a picture"
        QTest.keyClick(widget, *keys)
        assert clipboard.text() == _block(scene).text
    cursor = QTextCursor(_text(scene).document())
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    _text(scene).setTextCursor(cursor)
    QTest.keyClick(_text(scene), Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard.text() == "def forward(self, x, attention_mask):"


def test_the_form_is_of_the_panel(scene: StepsScene, qtbot: QtBot) -> None:
    chosen: list[StepsChoice] = []
    scene.view.choice_made.connect(chosen.append)
    scene.view.walk.turn("code")
    scene.view.walk.turn("code")
    assert [choice.form for choice in chosen] == ["walk", "code"]
    scene.view.show_panel(Panel(0, 1, 2, "steps", steps=StepsChoice(form="table")))
    assert scene.view.walk.form == "table"
    scene.view.show_panel(Panel(0, 1, 2, "steps", steps=chosen[-1]))
    assert scene.view.title_row.forms.chosen_key == "code"
    assert _text(scene).isVisible()


def test_all_lines_are_in_a_saved_picture_and_fit_a_wide_panel(
    scene: StepsScene, look: Look, tmp_path: Path
) -> None:
    assert not _text(scene).horizontalScrollBar().maximum()
    scene.view.resize(900, 380)
    path = tmp_path / "code.svg"
    write(record(scene.view, look, PictureSheet("Code")), path)
    drawn = "".join("\n".join(lines_of_text(path)).split())
    lines = ["".join(line.code.split()) for line in _block(scene).lines]
    assert [line for line in lines if line not in drawn] == []


def test_in_a_narrow_panel_lines_are_wrapped_before_their_shapes(scene: StepsScene) -> None:
    wide = _text(scene).toPlainText()
    scene.view.resize(330, 620)
    _go(scene, "mixed")
    assert not _text(scene).horizontalScrollBar().maximum()
    assert "transpose(-1, -2))  # [1, 3, 7, 7]" in _text(scene).toPlainText()
    assert _marked(scene) == ["context = torch.matmul(attn, V)"]
    scene.view.code.copy.click()
    assert QGuiApplication.clipboard().text() == wide + "\n"


def test_interventions_on_heads_are_named_as_missing(qtbot: QtBot, look: Look) -> None:
    trace = replace(make_trace(7, n_layers=3), muted=((0, 1),))
    scene = StepsScene(qtbot, look, trace=trace)
    scene.view.walk.show_form("code")
    scene.finish()
    assert scene.view.code.note.text().endswith("is not in these lines.")
