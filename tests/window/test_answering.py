"""What the files of a checkpoint leave open, and what is unusual about it; with a real engine."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import torch
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from bertviz_app.features.own_checkpoints.dialog import PartsDialog
from bertviz_app.features.own_checkpoints.part import PartsPart
from bertviz_app.inference.engine import Engine
from bertviz_app.inference.fetching import SavedCheckpoint
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.session.archive import Session, save_session
from bertviz_app.viewmodels.state import OtherRun, WindowState
from bertviz_app.views.bars.questions import AnswerForm, QuestionList
from bertviz_app.views.bars.top_bar import CompareBar
from bertviz_app.views.kit.widgets import Notice
from tests.support.checkpoint_folders import change_weights, copy_of
from tests.support.notebooks import random_headed, random_notebook, write_notebook
from tests.support.own_berts import NAMELESS, PARTS, saved_output
from tests.support.scene import drag_into, drop_onto, not_none, turn_events
from tests.support.window_fixtures import window_of_checkpoint

pytestmark = pytest.mark.fresh_window

__all__ = ["window_of_checkpoint"]


SAVED = {"n_heads": 4, "norm_eps": 1e-5, "lower_case": True}


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def silent(tmp_path: Path) -> Path:
    """A checkpoint whose config.json is empty."""
    return write_notebook(tmp_path / "mine", random_notebook("c"), config={})


def _form(qtbot: QtBot, window: MainWindow) -> AnswerForm:
    """Return the form, once it asks."""
    qtbot.waitUntil(lambda: window.questions.form is not None and window.questions.form.isVisible())
    assert window.questions.form is not None
    return window.questions.form


def _await(qtbot: QtBot, app_state: AppState, name: str) -> None:
    """Wait until the checkpoint of this name is open, and the text encoded with it."""
    workspace = app_state.workspace

    def is_there() -> bool:
        shown, is_settled = workspace.shown, workspace.is_current and not workspace.is_busy
        return is_settled and shown is not None and shown.result.facts.name == name

    qtbot.waitUntil(is_there)


def _click(questions: QuestionList, name: str, text: str) -> None:
    """Click the answer that is called `text`."""
    part = questions.by_name[name]
    (button,) = (one for one in part.findChildren(QPushButton) if one.isVisible() and one.text() == text)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def _answer(form: AnswerForm, heads: str = "4") -> None:
    """Type and click as one does, and press Enter."""
    field = form.questions.typed["n_heads"].field
    form.questions.typed["n_heads"].take_cursor()
    QTest.keyClicks(field, heads)
    _click(form.questions, "norm_eps", "1e-5")
    _click(form.questions, "lower_case", "Yes")
    QTest.keyClick(field, Qt.Key.Key_Return)


def _drop(window: MainWindow, url: QUrl) -> None:
    data = QMimeData()
    data.setUrls([url])
    data.setText(url.toString())
    assert drag_into(window, data)
    drop_onto(window, data)


def test_a_folder_with_open_questions_opens_once_they_are_answered(
    qtbot: QtBot, window: MainWindow, app_state: AppState, silent: Path
) -> None:
    before = app_state.workspace.shown
    window.files.open_model(str(silent))
    form = _form(qtbot, window)
    assert not window.notice.isVisible(), "the form says it"
    assert app_state.workspace.shown is before, "the last picture stays"
    assert not form.open_button.isEnabled()
    assert form.geometry().top() >= window.frame.bar.geometry().bottom() - 10
    _answer(form)
    _await(qtbot, app_state, "mine")
    assert not form.isVisible()
    assert json.loads((silent / "bertviz_app.json").read_text("utf-8")) == SAVED
    assert not_none(app_state.workspace.facts).n_heads == 4
    assert "the" in window.main_area.strip.accessibleDescription()
    assert not window.notice.isVisible()


def test_a_classifier_with_open_questions_opens_with_named_classes(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    folder = write_notebook(tmp_path / "mine", random_headed("tokens alone, classes"), config={})
    window.files.open_model(str(folder))
    form = _form(qtbot, window)
    reads = form.questions.by_name["classifier_reads"].findChildren(QPushButton)
    assert not next(button for button in reads if button.text() == "Pooled").isEnabled()
    _click(form.questions, "positions", "None")
    _click(form.questions, "classifier_reads", "Mean")
    QTest.keyClicks(form.questions.typed["labels"].field, "bad, good")
    _answer(form)
    _await(qtbot, app_state, "mine")
    saved = json.loads((folder / "bertviz_app.json").read_text("utf-8"))
    assert saved == SAVED | {"positions": "none", "classifier_reads": "mean", "labels": ["bad", "good"]}
    facts = not_none(app_state.workspace.facts)
    assert facts.task_heads == ("classes",)


def test_a_dropped_folder_opens_its_questions_and_escape_cancels_them(
    qtbot: QtBot, window: MainWindow, app_state: AppState, silent: Path, tiny_bert: Path
) -> None:
    _drop(window, QUrl.fromLocalFile(str(silent)))
    form = _form(qtbot, window)
    assert form.title.text() == "The files of mine do not say everything"
    heads = form.questions.typed["n_heads"]
    heads.take_cursor()
    QTest.keyClicks(heads.field, "7")
    assert heads.verdict.text() == "7 heads cannot share 32 numbers."
    QTest.keyClick(heads.field, Qt.Key.Key_Escape)
    assert not form.isVisible()
    assert app_state.workspace.ref == str(tiny_bert)
    assert app_state.workspace.is_current
    assert window.frame.bar.text.text() == "The cat ate"
    assert not (silent / "bertviz_app.json").exists()


def test_the_answers_can_be_changed_later(
    qtbot: QtBot, window: MainWindow, app_state: AppState, silent: Path
) -> None:
    (silent / "bertviz_app.json").write_text(json.dumps(SAVED), encoding="utf-8")
    window.files.open_model(str(silent))
    _await(qtbot, app_state, "mine")
    labels = [action.text() for action in window.frame.bar.models.menu().actions()]
    assert "Answers about this checkpoint …" in labels
    window.questions.ask_again()
    form = _form(qtbot, window)
    assert [form.questions.typed[name].field.text() for name in ("n_heads", "norm_eps")] == ["4", "1e-5"]
    _answer(form, "2")
    qtbot.waitUntil(lambda: app_state.workspace.facts is not None and app_state.workspace.facts.n_heads == 2)
    qtbot.waitUntil(lambda: not app_state.workspace.is_busy)
    assert not_none(app_state.workspace.shown).result.trace.n_heads == 2
    assert json.loads((silent / "bertviz_app.json").read_text("utf-8"))["n_heads"] == 2


def test_a_checkpoint_of_a_family_has_no_questions_and_the_command_shows_a_notice(window: MainWindow) -> None:
    window.questions.ask_again()
    assert window.questions.form is None
    assert "nothing to answer" in window.notice.message


def test_a_single_file_of_weights_is_picked(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_notebook(tmp_path / "mine", random_notebook("a"), name="epoch3.pt")
    write_notebook(folder, random_notebook("a", seed=1), name="epoch2.pt")
    chosen = str(folder / "epoch3.pt")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (chosen, ""))
    window.file_dialogs.ask_for_file()
    _await(qtbot, app_state, "mine/epoch3.pt")
    assert app_state.workspace.ref == chosen
    assert window.questions.form is None


def test_a_single_file_of_weights_is_dropped(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tiny_bert: Path
) -> None:
    _drop(window, QUrl.fromLocalFile(str(tiny_bert / "model.safetensors")))
    qtbot.waitUntil(lambda: app_state.workspace.opening.pending is None)
    assert app_state.workspace.ref == str(tiny_bert / "model.safetensors")
    _await(qtbot, app_state, tiny_bert.name)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("weights.pt", "weights.pt"),
        ("picture.png", "This cannot be opened: drop a checkpoint folder or its weights"),
    ],
)
def test_a_notice_names_the_problem_of_a_dropped_file(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path, name: str, words: str
) -> None:
    before, path = app_state.workspace.shown, tmp_path / "wrong" / name
    path.parent.mkdir()
    path.write_bytes(b"nothing")
    _drop(window, QUrl.fromLocalFile(str(path)))
    qtbot.waitUntil(window.notice.isVisible)
    assert words in window.notice.message
    assert app_state.workspace.shown is before


def test_a_dropped_web_address_is_refused_as_one(window: MainWindow, app_state: AppState) -> None:
    _drop(window, QUrl("https://example.org/model"))
    assert "This is a web address" in window.notice.message
    assert app_state.workspace.text == "The cat ate"


def test_the_picker_lists_what_was_opened_and_what_is_damaged(
    qtbot: QtBot, window: MainWindow, app_state: AppState, silent: Path, tmp_path: Path
) -> None:
    damaged = write_notebook(tmp_path / "broken", random_notebook("c"))
    (damaged / "model.pt").write_bytes((damaged / "model.pt").read_bytes()[:3000])
    for folder in (damaged, silent):
        window.session.recents.add_checkpoint(str(folder))
    app_state.workspace.available.look_for_sources()
    qtbot.waitUntil(lambda: len(app_state.workspace.available.sources) == 2)
    heads, *lines = window.frame.bar.models.menu().actions()
    assert re.split(r"\s{2,}", heads.text())[:3] == ["Checkpoint", "family", "layers × heads × width"]
    assert re.split(r"\s{2,}", lines[0].text())[:3] == ["mine", "Notebook", "3 × ? × 32"]
    assert "has open questions" in lines[0].text()
    assert lines[1].text().startswith("broken   damaged: model.pt is damaged: its end")
    assert [action.isEnabled() for action in (heads, *lines[:2])] == [False, True, False]


def test_the_form_is_in_korean_and_stays_within_a_small_window(
    qtbot: QtBot, window: MainWindow, silent: Path
) -> None:
    window.files.open_model(str(silent))
    _form(qtbot, window)
    window.appearance.choose_language("ko")
    turn_events()
    form = _form(qtbot, window)
    assert form.give_up.text() == "취소"
    assert form.questions.typed["n_heads"].title.text() == "레이어마다 있는 헤드 수"
    window.resize(960, 600)
    window.appearance.set_text_size(1.6)
    assert window.rect().contains(form.geometry())
    assert form.rect().contains(form.open_button.geometry())
    window.appearance.choose_language("en")


def test_the_form_of_the_window_before_follows_no_field(
    qtbot: QtBot, window: MainWindow, app_state: AppState, silent: Path
) -> None:
    window.files.open_model(str(silent))
    before = _form(qtbot, window)
    window.appearance.choose_language("ko")
    # Before the event loop deletes what is no longer shown. A warning of Qt fails the test.
    window.appearance.set_text_size(1.3)
    app_state.answering.changed.emit()
    assert not before.isVisible()
    assert _form(qtbot, window) is not before
    window.appearance.choose_language("en")


def test_links_are_followed_once_that_is_allowed(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tiny_bert: Path, tmp_path: Path
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").symlink_to(tiny_bert / "model.safetensors")
    window.files.open_model(str(folder))
    form = _form(qtbot, window)
    question = form.questions.by_name["links"]
    assert str(tiny_bert / "model.safetensors") in question.meaning.text()
    _click(form.questions, "links", "Follow them")
    QTest.mouseClick(form.open_button, Qt.MouseButton.LeftButton)
    _await(qtbot, app_state, "copy")
    assert not (folder / "bertviz_app.json").exists()


CHOSEN = {
    "norm_first": "After the sums",
    "activation": "ReLU",
    "scales_tokens": "No",
    "sample_deviation": "x.std()",
    "transposed": "[out, in]",
}


@pytest.fixture
def nameless(tmp_path: Path) -> Path:
    return NAMELESS.write(tmp_path / "mine")


def _dialog(qtbot: QtBot, window: MainWindow, folder: Path) -> PartsDialog:
    """Open a checkpoint; return the dialog, once it asks."""
    window.files.open_model(str(folder))
    part = window.part(PartsPart)
    qtbot.waitUntil(lambda: part.dialog is not None and part.dialog.isVisible())
    assert part.dialog is not None
    return part.dialog


def _choose(dialog: PartsDialog, name: str, role: str) -> None:
    box = dialog.boxes[name]
    box.setCurrentIndex(box.findData(role))
    box.activated.emit(box.currentIndex())


def _settled(qtbot: QtBot, window: MainWindow) -> None:
    form = window.part(PartsPart).form
    qtbot.waitUntil(lambda: form.found is not None and not form.is_checking)


def _fill(qtbot: QtBot, window: MainWindow, dialog: PartsDialog, parts: dict[str, str]) -> None:
    """Choose the parts, then answer what they open."""
    for name, role in parts.items():
        _choose(dialog, name, role)
    qtbot.waitUntil(dialog.questions.typed["n_heads"].isVisible)
    qtbot.waitUntil(lambda: "Still to be answered: Heads in each layer, " in dialog.verdict.text())
    assert "--" not in dialog.verdict.text()
    for name, text in CHOSEN.items():
        _click(dialog.questions, name, text)
    QTest.keyClicks(dialog.questions.typed["n_heads"].field, "4")
    QTest.keyClicks(dialog.questions.typed["norm_eps"].field, "1e-6")
    _settled(qtbot, window)


def test_a_model_opens_once_every_tensor_has_a_part(
    qtbot: QtBot, window: MainWindow, app_state: AppState, nameless: Path
) -> None:
    dialog = _dialog(qtbot, window, nameless)
    assert set(dialog.boxes) == set(PARTS)
    assert not dialog.open_button.isEnabled()
    assert window.questions.form is None or not window.questions.form.isVisible()
    _fill(qtbot, window, dialog, PARTS)
    qtbot.waitUntil(lambda: "finite numbers" in dialog.verdict.text())
    QTest.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    workspace = app_state.workspace
    qtbot.waitUntil(lambda: workspace.facts is not None and workspace.facts.name == "mine")
    assert not dialog.isVisible()
    saved = json.loads((nameless / "bertviz_app.json").read_text("utf-8"))
    assert saved["parts"] == PARTS
    assert saved["sample_deviation"] is True


def test_long_names_are_told_apart_and_take_the_room_that_is_there(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    long = "bert.encoder.sentence_transformer_blocks." * 2
    tensors = {long + name: tensor for name, tensor in NAMELESS.tensors().items()}
    dialog = _dialog(qtbot, window, NAMELESS.write(tmp_path / "mine", tensors))
    assert not dialog.questions.isVisible()
    assert dialog.table.width() > 0.9 * dialog.width()
    for part in PARTS:
        _choose(dialog, long + part, PARTS[part])
    qtbot.waitUntil(dialog.questions.isVisible)
    table = dialog.table
    name = long + "tower.{layer}.one"
    assert table.textElideMode() == Qt.TextElideMode.ElideMiddle
    assert not table.wordWrap()
    (item,) = table.findItems(name, Qt.MatchFlag.MatchExactly)
    assert item.toolTip() == name
    accessible = QAccessible.queryAccessibleInterface(table)
    cells = [accessible.child(at) for at in range(accessible.childCount())]
    assert name in [cell.text(QAccessible.Text.Name) for cell in cells if cell is not None]


def test_an_output_shows_whether_the_parts_are_right(
    qtbot: QtBot, window: MainWindow, nameless: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = saved_output(tmp_path, torch.load(nameless / "model.pt", weights_only=True))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(saved), ""))
    dialog = _dialog(qtbot, window, nameless)
    swapped = {**PARTS, "tower.{layer}.one": "value", "tower.{layer}.three": "query"}
    _fill(qtbot, window, dialog, swapped)
    QTest.mouseClick(dialog.output, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Not the numbers of output.pt" in dialog.compared.text())
    _choose(dialog, "tower.{layer}.one", "query")
    _choose(dialog, "tower.{layer}.three", "value")
    qtbot.waitUntil(lambda: "The same as output.pt" in dialog.compared.text())
    dialog.reject()
    assert not dialog.isVisible()
    assert not (nameless / "bertviz_app.json").exists()


def test_what_is_wrong_is_said_while_it_is_filled_in(
    qtbot: QtBot, window: MainWindow, app_state: AppState, nameless: Path
) -> None:
    dialog = _dialog(qtbot, window, nameless)
    for name, role in {**PARTS, "tower.{layer}.two": "query"}.items():
        _choose(dialog, name, role)
    qtbot.waitUntil(lambda: "have the same part" in dialog.verdict.text())
    _choose(dialog, "c", "")
    qtbot.waitUntil(lambda: "1 of 11 rows have no part" in dialog.verdict.text())
    dialog.close()
    assert app_state.answering.open_questions is None


def test_the_parts_of_a_model_that_opens_can_be_shown_and_changed(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    folder = write_notebook(tmp_path / "own", random_notebook("c"))
    window.files.open_model(str(folder))
    workspace = app_state.workspace
    qtbot.waitUntil(lambda: workspace.facts is not None and workspace.facts.name == "own")
    window.questions.ask_again()
    form = not_none(window.questions.form)
    QTest.mouseClick(form.questions.parts.button, Qt.MouseButton.LeftButton)
    dialog = not_none(window.part(PartsPart).dialog)
    assert dialog.isVisible()
    assert not form.isVisible()
    assert dialog.boxes["encoder.layers.{layer}.attn.weight_q"].currentData() == "query"
    _settled(qtbot, window)
    assert "finite numbers" in dialog.verdict.text()
    dialog.reject()


REMARK = "Unknown tensors that are not used: extra.weight."


@pytest.fixture
def unusual(tiny_bert: Path, tmp_path: Path) -> Path:
    """A checkpoint with a tensor too many."""
    folder = copy_of(tiny_bert, tmp_path)
    change_weights(folder, lambda tensors: tensors | {"extra.weight": torch.zeros(3)})
    return folder


def test_a_remark_stands_beside_the_name_of_the_checkpoint(
    qtbot: QtBot, window: MainWindow, unusual: Path
) -> None:
    button = window.frame.bar.remarks
    assert not button.isVisible()
    window.resize(2200, 800)  # room for the remark whatever the length of the folder's name
    window.files.open_model(str(unusual))
    qtbot.waitUntil(button.isVisible, timeout=20_000)
    qtbot.waitUntil(lambda: button.text().startswith("Unknown tensors"))  # once the bar is laid out
    assert button.toolTip() == REMARK
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert any(notice.isVisible() and notice.message == REMARK for notice in window.findChildren(Notice))
    window.resize(900, 800)
    qtbot.waitUntil(lambda: button.text() == "Remarks: 1")


def test_a_remark_about_the_checkpoint_of_run_b_stands_in_its_row(
    qtbot: QtBot, window: MainWindow, app_state: AppState, unusual: Path
) -> None:
    app_state.comparison.set_other(OtherRun(str(unusual), None, None))
    bar = not_none(window.findChild(CompareBar))
    qtbot.waitUntil(bar.remarks.isVisible, timeout=20_000)
    assert bar.remarks.text() == "Remarks: 1"
    QTest.mouseClick(bar.remarks, Qt.MouseButton.LeftButton)
    assert any(notice.isVisible() and notice.message == REMARK for notice in window.findChildren(Notice))
    assert not window.frame.bar.remarks.isVisible()


def _notice(window: MainWindow, words: str) -> Notice | None:
    return next(
        (one for one in window.findChildren(Notice) if one.isVisible() and words in one.message), None
    )


def test_the_choice_of_a_folder_is_confirmed_and_remarked(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tiny_bert: Path, tmp_path: Path
) -> None:
    chosen = copy_of(tiny_bert, tmp_path / "chosen")
    file = tmp_path / "old.bva"
    save_session(file, Session(WindowState("the fish"), None, SavedCheckpoint("toy", "/gone/toy")))
    window.files.open_path(file)
    missing = "toy is not on this computer: the text is encoded with the checkpoint in use."
    qtbot.waitUntil(lambda: _notice(window, missing) is not None, timeout=20_000)
    window.files.opener.try_checkpoint(str(chosen))
    qtbot.waitUntil(lambda: _notice(window, "Nothing in it contradicts that.") is not None, timeout=20_000)
    assert app_state.workspace.ref != str(chosen.resolve())
    asking = not_none(_notice(window, "Nothing in it contradicts that."))
    use = next(one for one in asking.findChildren(QPushButton) if one.text() == "Use it")
    QTest.mouseClick(use, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: app_state.workspace.ref == str(chosen.resolve()), timeout=20_000)
    remarks = window.frame.bar.remarks
    qtbot.waitUntil(lambda: remarks.isVisible() and "fingerprint" in remarks.toolTip(), timeout=20_000)
    assert _notice(window, "Nothing in it contradicts that.") is None
    window.files.open_path(file)
    qtbot.waitUntil(lambda: _notice(window, missing) is not None, timeout=20_000)
    window.files.open_model(str(tiny_bert))
    qtbot.waitUntil(lambda: _notice(window, missing) is None, timeout=20_000)
    window.files.open_path(file)
    qtbot.waitUntil(lambda: _notice(window, missing) is not None, timeout=20_000)
    window.files.opener.try_checkpoint(str(chosen))
    qtbot.waitUntil(lambda: app_state.workspace.problem is None, timeout=20_000)
    qtbot.waitUntil(lambda: _notice(window, "Nothing in it contradicts that.") is not None, timeout=20_000)
    window.files.opener.encode()
    qtbot.waitUntil(lambda: remarks.isVisible(), timeout=20_000)
    assert _notice(window, "Nothing in it contradicts that.") is None
    app_state.workspace.set_texts("another text", None, at_once=True)
    qtbot.waitUntil(lambda: not remarks.isVisible(), timeout=20_000)
