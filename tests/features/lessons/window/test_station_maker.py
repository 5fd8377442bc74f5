"""A station of what the window shows: it is checked, written into a lesson file, and plays what was shown."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel
from pytestqt.qtbot import QtBot

from bertviz_app import paths
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.results import TokenScalars
from bertviz_app.features.lessons.course.lesson import Scene, SceneRuns, Station, check_lesson
from bertviz_app.features.lessons.course.reading import (
    free_key,
    key_of,
    lesson_text,
    parse_lesson,
    read_lesson,
    rules_of,
    station_rules,
)
from bertviz_app.features.lessons.course.tasks import (
    CONDITIONS,
    KINDS,
    Condition,
    DoTask,
    NumbersTask,
    TokenRule,
    TokenTask,
)
from bertviz_app.features.lessons.state import player as own_lessons
from bertviz_app.features.lessons.state.player import predicted_classes
from bertviz_app.features.lessons.state.scenes import shown_scene
from bertviz_app.features.lessons.views.arrangement import ArrangementDialog
from bertviz_app.features.lessons.views.teaching import StationForm
from bertviz_app.features.lessons.window.lessons import Lessons
from bertviz_app.features.lessons.window.station_maker import StationMaker
from bertviz_app.features.training.process.labels import train_labels
from bertviz_app.inference.engine import Engine
from bertviz_app.shell.settings import SettingsStore
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text import Edits
from bertviz_app.text.edits import HeadIntervention
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import Content, Panel, ParametersChoice, StepsChoice
from bertviz_app.viewmodels.state import change_overview
from tests.support.fakes import FakeEngine
from tests.support.lesson_scene import card_of
from tests.support.window_fixtures import Settle


@pytest.fixture
def folder(store: SettingsStore, tmp_path: Path) -> Path:
    folder = tmp_path / "lessons"
    store.change(lessons_folder=str(folder))
    return folder


@pytest.fixture
def filled_window(
    folder: Path, qtbot: QtBot, window: MainWindow, app_state: AppState, settle: Settle
) -> MainWindow:
    """The window with something in every part that a station has."""
    app_state.workspace.set_texts("the cat saw the dog", "it ran off", at_once=True)
    settle()
    app_state.workspace.set_edits(Edits(((0, 1), (1, 2)), ((2, "[MASK]"), (5, "fish"))))
    settle()
    steps = StepsChoice("layer", "softmax")
    app_state.panels.open([Panel(0, 1, 1, "matrix"), Panel(0, 1, 1, "steps", steps=steps)])
    app_state.selection.pin(query=4)
    app_state.selection.pin(query=4, key=8)
    change_overview(app_state.store, shows="entropy")
    return window


def test_what_is_shown_and_not_in_the_station_is_said(
    filled_window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    before = shown_scene(app_state, ())
    assert before is not None
    assert before.left_out == ()
    app_state.workspace.set_edits(Edits.of([HeadIntervention(1, 1, "uniform")]))
    settle()
    product = ParametersChoice("product", "layers.0.attention.query", 2)
    app_state.panels.open([Panel(0, 1, 1, "matrix"), Panel(0, 1, 1, "parameters", parameters=product)])
    found = shown_scene(app_state, ())
    assert found is not None
    assert found.left_out == (
        "Of interventions a station has replaced tokens and heads replaced by zeros, no others.",
    )
    assert found.scene.views == ("matrix", "parameters")
    assert (found.scene.matrix, found.scene.output) == (product.key, 2)


def opened_form(window: MainWindow) -> StationForm:
    window.part(StationMaker).ask()
    (form,) = [each for each in window.findChildren(StationForm) if each.isVisible()]
    return form


def fill(
    form: StationForm, question: str, key: str = "en", what: str = "", value: str = "", **texts: str
) -> None:
    rows = form.rows
    rows.kinds.setCurrentIndex(rows.kinds.findData(question))
    assert not what or rows.rules.findData(what) >= 0
    rows.rules.setCurrentIndex(max(0, rows.rules.findData(what)))
    if value and rows.values.isEditable():
        rows.values.setEditText(value)
    elif value:
        assert rows.values.findData(value) >= 0
        rows.values.setCurrentIndex(rows.values.findData(value))
    defaults = {
        "lesson": "My lesson",
        "title": "Look here",
        "text": "It is seen.",
        "hint": "Look.",
        "why": "So.",
    }
    for name, text in (defaults | texts).items():
        field = form.fields[key][name]
        (field.setPlainText if hasattr(field, "setPlainText") else field.setText)(text)


def state(app_state: AppState) -> dict[str, Any]:
    pinned = app_state.selection.pinned
    return {
        "texts": (app_state.workspace.text, app_state.workspace.pair),
        "edits": app_state.workspace.edits,
        "panels": [(each.layer, each.head, each.view_kind) for each in app_state.panels.panels],
        "stage": app_state.panels.panels[1].steps.stage,
        "pinned": (pinned.query, pinned.key),
        "overview": app_state.store.now.overview.shows,
    }


def test_the_station_is_seen_as_it_will_be_and_can_be_given_up(
    filled_window: MainWindow, folder: Path
) -> None:
    form = opened_form(filled_window)
    fill(form, "numbers", key="ko", title="보세요")
    form.tabs.setCurrentIndex(0)
    preview = form.preview
    assert (preview.lesson.text(), preview.title.text(), preview.text.text()) == (
        "My lesson",
        "보세요",
        "It is seen.",
    )
    assert preview.ask.text() == form.fields["en"]["ask"].text()
    form.fields["en"]["title"].setText("Here")
    assert preview.title.text() == "Here", "the language of the tab, where it has a text"
    form.tabs.setCurrentIndex(1)
    assert preview.title.text() == "보세요"
    fill(form, "none")
    assert preview.task.isHidden()
    form.cancel.click()
    assert not form.isVisible()
    assert not list(folder.glob("*.json"))


def test_a_station_plays_what_was_shown(
    qtbot: QtBot, filled_window: MainWindow, app_state: AppState, folder: Path, settle: Settle
) -> None:
    before = state(app_state)
    form = opened_form(filled_window)
    fill(form, "numbers")
    assert form.fields["en"]["ask"].text() == "How large is the weight of “the#2” on “ran”?"
    form.save.click()
    assert not form.isVisible(), form.problem.text()
    (path,) = folder.glob("*.json")
    lesson = read_lesson(path)
    assert list(check_lesson(lesson, SceneRuns(FakeEngine()), train_labels)) == []
    station = lesson.stations[0]
    assert station.text.ko == "It is seen."
    assert station.task is not None
    assert station.task.ask.ko == "“the#2” 토큰이 “ran” 토큰을 보는 가중치는 얼마입니까?"

    app_state.workspace.set_edits(Edits())
    app_state.workspace.set_texts("something else", None, at_once=True)
    settle()
    change_overview(app_state.store, shows="attention")
    filled_window.part(Lessons).catalogue.open_file(path)
    qtbot.waitUntil(lambda: filled_window.part(Lessons).player.is_ready)
    assert state(app_state) == before
    assert filled_window.part(Lessons).player.right_answer() == f"{_weight(app_state):.4f}"


def _weight(app_state: AppState) -> float:
    result = app_state.workspace.shown
    assert result is not None
    return float(result.result.trace.attention(1, 1)[4, 8])


def test_stations_are_added_to_a_lesson_that_there_is(filled_window: MainWindow, folder: Path) -> None:
    for question, more in (
        ("none", {}),
        ("token", {}),
        ("choice", {"ask": "Which?", "options": "yes\nno\nmaybe"}),
    ):
        form = opened_form(filled_window)
        fill(form, question, **more)
        form.save.click()
        assert not form.isVisible(), form.problem.text()
    (path,) = folder.glob("*.json")
    lesson = read_lesson(path)
    assert [station.key for station in lesson.stations] == ["look-here", "look-here-2", "look-here-3"]
    task: Any = lesson.stations[2].task
    assert task.options[task.right].en == "yes"
    assert {option.en for option in task.options} == {"yes", "no", "maybe"}
    assert list(check_lesson(lesson, SceneRuns(FakeEngine()), train_labels)) == []
    assert filled_window.part(Lessons).catalogue.own.lessons[0].lesson == lesson


_DONE_BY = {
    "masked": ("a token", "cat"),
    "view": ("a view", "lines"),
    "stage": ("a stop", "values"),
    "text has": ("a text", "bird"),
    "at least tokens": ("a number", "40"),
    "state": ("a number", "1"),
}


TASKS: tuple[tuple[str, str, str], ...] = (
    ("order", "", ""),
    ("numbers", "weight", ""),
    ("numbers", "typed", "0,45 −3; 2"),
    ("token", "looked at most", ""),
    ("token", "scores least", ""),
    ("token", "looks most", ""),
    ("token", "named", "dog"),
    ("head", "pair", ""),
    ("head", "largest", "entropy"),
    ("head", "smallest", "entropy"),
    *(
        ("do", rule, _DONE_BY.get(rule, ("", ""))[1])
        for rule in station_rules()["do"]
        if rule != "predicted class"
    ),
)


def test_every_kind_of_task_can_be_made(
    filled_window: MainWindow, app_state: AppState, folder: Path, settle: Settle
) -> None:
    app_state.workspace.set_edits(Edits())
    app_state.workspace.set_texts("the cat saw the dog", None, at_once=True)
    settle()
    app_state.selection.pin(query=4, key=2)
    for kind, what, value in TASKS:
        form = opened_form(filled_window)
        fill(form, kind, what=what, value=value, options="one\ntwo\nthree")
        if not form.fields["en"]["ask"].text():
            form.fields["en"]["ask"].setText("Ask")
        form.save.click()
        assert not form.isVisible(), (kind, what, form.problem.text())
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    (path,) = folder.glob("*.json")
    lesson = read_lesson(path)
    assert list(check_lesson(lesson, SceneRuns(FakeEngine()), train_labels)) == []
    for (kind, what, _), station in zip(TASKS, lesson.stations, strict=True):
        task = station.task
        assert task is not None
        assert task.kind == kind
        if isinstance(task, NumbersTask) and what == "typed":
            assert [answer.value for answer in task.answers] == [0.45, -3.0, 2.0]
        if isinstance(task, DoTask):
            assert task.done.of == what
            assert (station.scene.query is None) == what.startswith("pinned")


def test_every_rule_of_lesson_files_can_be_chosen() -> None:
    assert {*station_rules()} == {"none", "kept", *KINDS}
    assert {*station_rules()["do"]} == {*CONDITIONS} - {"trained", "drawn", "a claim", "text makes"}
    assert {*station_rules()["token"]} == {*get_args(get_type_hints(TokenRule)["of"])}


@pytest.mark.parametrize(
    ("query", "key", "offered"),
    [
        (None, None, set()),
        ("cat", None, {"looked at most", "scores least", "pinned query"}),
        (None, "saw", {"looks most"}),
        (
            "cat",
            "saw",
            {"looked at most", "scores least", "pinned query", "looks most", "weight", "pair", "pinned"},
        ),
    ],
)
def test_a_rule_about_pinned_tokens_is_offered_where_they_are_pinned(
    query: str | None, key: str | None, offered: set[str]
) -> None:
    scene = Scene(query=query, key=key)
    found = {
        rule for kind in station_rules() for rule in rules_of(kind, scene) if station_rules()[kind][rule].of
    }
    assert found == offered


def test_the_largest_value_of_a_shown_analysis_can_be_asked_for(
    filled_window: MainWindow, app_state: AppState, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app_state.panels.open([Panel(0, 1, 1, "matrix"), Panel(0, 1, 1, "matrix", content=Content("occlusion"))])
    form = opened_form(filled_window)
    form.rows.kinds.setCurrentIndex(form.rows.kinds.findData("token"))
    assert form.rows.rules.findData("largest value") < 0, "nothing is computed yet"
    form.reject()

    def result_of(content: Content, trace: Trace) -> TokenScalars:
        values = np.arange(trace.n_tokens, dtype=np.float32)
        return TokenScalars(trace.tokens.labels, values, Quantity("bits"))

    monkeypatch.setattr(app_state.shown_runs.analyses, "result_of", result_of)
    form = opened_form(filled_window)
    fill(form, "token", what="largest value")
    assert form.rows.values.currentText() == "Occlusion"
    assert "panel of the analysis" in form.fields["en"]["ask"].text()
    form.save.click()
    assert not form.isVisible(), form.problem.text()
    (path,) = folder.glob("*.json")
    station = read_lesson(path).stations[0]
    assert isinstance(station.task, TokenTask)
    assert (station.task.answer.of, station.task.answer.analysis) == ("largest value", "occlusion")
    assert station.scene.analyses == ("occlusion",)


def test_a_class_can_be_asked_for_where_the_model_predicts_one(
    qtbot: QtBot,
    window: MainWindow,
    app_state: AppState,
    engine: FakeEngine,
    folder: Path,
    settle: Settle,
) -> None:
    engine.task_heads = ("classes",)
    app_state.workspace.set_texts("the cat", None, at_once=True)
    settle()
    window.main_area.inspector_page.predictions.open(True)
    qtbot.waitUntil(lambda: predicted_classes(app_state) == ("good", "so so", "bad"))
    form = opened_form(window)
    fill(form, "do", what="predicted class", value="bad")
    assert form.rows.values.findData("good") < 0, "that would be done already"
    assert form.fields["en"]["ask"].text() == "Type a sentence for which the model predicts “bad”."
    form.save.click()
    assert not form.isVisible(), form.problem.text()
    (path,) = folder.glob("*.json")
    station = read_lesson(path).stations[0]
    assert isinstance(station.task, DoTask)
    assert station.task.done == Condition("predicted class", text="bad")
    assert station.own_text


IMPOSSIBLE: tuple[tuple[str, str, str, str], ...] = (
    ("numbers", "typed", "", "Still empty: Value."),  # first: none was typed before
    ("numbers", "typed", "0.4 abc", "“abc” is not a number."),
    ("numbers", "typed", "0.4 nan", "“nan” is not a number."),
    ("do", "at least tokens", "1e999", "“1e999” is not a number."),
    ("do", "at least tokens", "4.5", "“4.5” is not a whole number."),
    ("do", "at least tokens", "3", "the task is done before the learner does anything"),
    ("do", "text has", "cat", "the task is done before the learner does anything"),
    ("do", "view", "matrix", "the task is done before the learner does anything"),
    ("order", "", "", "fewer than 3 items"),
)


def test_a_station_with_errors_shows_them_and_writes_nothing(filled_window: MainWindow, folder: Path) -> None:
    form = opened_form(filled_window)
    for kind, what, value, problem in IMPOSSIBLE:
        fill(form, kind, what=what, value=value, ask="Ask", options="one\ntwo")
        form.save.click()
        assert problem in form.problem.text()
    fill(form, "token", title=" ", hint="")
    form.save.click()
    assert form.problem.text() == "Still empty: Title, Hint."
    fill(form, "token", text="There are {n_dogs} dogs.")
    form.save.click()
    assert "n_dogs" in form.problem.text()
    fill(form, "choice", ask="Which?", options="yes\nno")
    fill(form, "choice", key="ko", ask="무엇?", options="예")
    form.save.click()
    assert form.problem.text() == "The two languages have different numbers of answers."
    assert form.isVisible()
    assert not list(folder.glob("*.json"))


def test_a_file_that_was_not_read_is_not_written_over(
    filled_window: MainWindow, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_lessons, "MOST", 0)
    folder.mkdir()
    (folder / "my-lesson.json").write_text("kept", encoding="utf-8")
    form = opened_form(filled_window)
    fill(form, "none")
    form.save.click()
    assert not form.isVisible(), form.problem.text()
    assert (folder / "my-lesson.json").read_text(encoding="utf-8") == "kept"
    assert (folder / "my-lesson-2.json").exists()


def written(form: StationForm, folder: Path) -> Station:
    """Press the button that writes, and return the last station of the only lesson."""
    form.save.click()
    assert not form.isVisible(), form.problem.text()
    (path,) = folder.glob("*.json")
    return read_lesson(path).stations[-1]


def choose(box: QComboBox, key: str) -> None:
    assert box.findData(key) >= 0, [box.itemData(index) for index in range(box.count())]
    box.setCurrentIndex(box.findData(key))


def test_a_station_shows_a_picture_or_one_panel_without_the_cards(
    qtbot: QtBot, filled_window: MainWindow, app_state: AppState, folder: Path
) -> None:
    lessons, area = filled_window.part(Lessons), filled_window.main_area
    app_state.panels.activate(app_state.panels.panels[1].number)
    for shows, views, picture in (
        ("panels", ("matrix", "steps"), None),
        ("panel", ("steps",), None),
        ("arcs", (), "arcs"),
        ("both_ways", (), "both_ways"),
    ):
        form = opened_form(filled_window)
        fill(form, "none")
        choose(form.shows, shows)
        scene = written(form, folder).scene
        assert (scene.views, scene.picture, scene.cards) == (views, picture, ())
    (path,) = folder.glob("*.json")
    assert list(check_lesson(read_lesson(path), SceneRuns(FakeEngine()), train_labels)) == []
    lessons.catalogue.open_file(path)
    for index in range(4):
        lessons.player.go(index)
        qtbot.waitUntil(lambda: lessons.player.is_ready)
        assert all(dock.isHidden() for dock in area.docks.docks.values())
        assert (area.middle.picture is not None) == (index > 1)


def test_a_picture_that_needs_a_pair_is_offered_where_one_is_pinned(
    filled_window: MainWindow, app_state: AppState
) -> None:
    assert opened_form(filled_window).shows.findData("both_ways") > 0
    filled_window.part(StationMaker).form = None
    app_state.selection.clear()
    (form,) = [each for each in filled_window.findChildren(StationForm) if each.isVisible()]
    form.reject()
    form = opened_form(filled_window)
    assert form.shows.findData("both_ways") < 0
    assert form.shows.findData("arcs") > 0


def test_a_question_that_a_picture_would_hide_is_refused(filled_window: MainWindow, folder: Path) -> None:
    form = opened_form(filled_window)
    choose(form.shows, "row")
    fill(form, "token", what="looked at most")
    form.save.click()
    assert "the picture would hide" in form.problem.text()
    choose(form.shows, "arcs")
    assert written(form, folder).scene.picture == "arcs"
    form = opened_form(filled_window)
    choose(form.shows, "arcs")
    fill(form, "head", what="pair")
    assert written(form, folder).scene.cards == ("overview",), "in which the head is clicked"


def open_own(qtbot: QtBot, window: MainWindow, path: Path) -> Lessons:
    lessons = window.part(Lessons)
    lessons.catalogue.open_file(path)
    qtbot.waitUntil(lambda: lessons.player.is_ready)
    return lessons


def test_a_station_is_changed_again_and_the_file_before_is_kept(
    qtbot: QtBot, filled_window: MainWindow, folder: Path
) -> None:
    form = opened_form(filled_window)
    fill(form, "vote", ask="Which?", options="yes\nno\nmaybe")
    fill(
        form,
        "vote",
        key="ko",
        ask="무엇?",
        options="예\n아니요\n글쎄요",
        title="제목",
        text="글",
        hint="힌트",
        why="왜",
    )
    before = written(form, folder)
    (path,) = folder.glob("*.json")
    content = path.read_bytes()
    lessons = open_own(qtbot, filled_window, path)
    card_of(filled_window).stations_button.change.trigger()
    (form,) = [each for each in filled_window.findChildren(StationForm) if each.isVisible()]
    assert form.rows.question.kind == "vote"
    assert form.fields["ko"]["title"].text() == "제목"
    assert form.fields["en"]["options"].toPlainText() == "yes\nno\nmaybe", "the right one first"
    form.fields["en"]["title"].setText("Changed")
    after = written(form, folder)
    assert after == replace(before, title=replace(before.title, en="Changed"))
    assert lessons.player.station == after, "the open lesson shows it at once"
    (kept,) = folder.glob("*.before")
    assert kept.read_bytes() == content


def test_what_no_form_has_stays_in_a_station_that_is_changed(
    qtbot: QtBot, filled_window: MainWindow, folder: Path
) -> None:
    lesson = json.loads((paths.resources() / "lessons" / "04_self_attention.json").read_text("utf-8"))
    folder.mkdir()
    path = folder / "own.json"
    path.write_text(json.dumps(lesson | {"key": "own"}), encoding="utf-8")
    lessons = open_own(qtbot, filled_window, path)
    for index, before in enumerate(lesson["stations"]):
        lessons.player.go(index)
        qtbot.waitUntil(lambda: lessons.player.is_ready)
        filled_window.part(StationMaker).change()
        (form,) = [each for each in filled_window.findChildren(StationForm) if each.isVisible()]
        form.fields["en"]["title"].setText("Changed")
        form.save.click()
        after = json.loads(path.read_text("utf-8"))["stations"][index]
        assert parsed(after) == parsed(before | {"title": before["title"] | {"en": "Changed"}})
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def parsed(station: dict[str, Any]) -> Station:
    words = {"en": "A", "ko": "가"}
    lesson = {"key": "a", "title": words, "summary": words, "minutes": 5, "stations": [station]}
    return parse_lesson(lesson_text(lesson), "a.json").stations[0]


def test_the_stations_of_a_lesson_are_moved_and_removed_and_show_what_they_showed(
    qtbot: QtBot, filled_window: MainWindow, folder: Path
) -> None:
    lesson = json.loads((paths.resources() / "lessons" / "07_residual_and_norm.json").read_text("utf-8"))
    folder.mkdir()
    path = folder / "own.json"
    path.write_text(json.dumps(lesson | {"key": "own"}), encoding="utf-8")
    before = read_lesson(path)
    lessons = open_own(qtbot, filled_window, path)
    filled_window.part(StationMaker).arrange()
    (dialog,) = filled_window.findChildren(ArrangementDialog)
    keys = [station.key for station in before.stations]
    items = dialog.items.list
    assert not dialog.save.isEnabled(), "there is nothing to write"
    items.setCurrentRow(0)
    qtbot.waitUntil(dialog.isActiveWindow)
    assert items.hasFocus()
    QTest.keyClick(items, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    items.setCurrentRow(2)
    qtbot.waitUntil(dialog.undo.isEnabled)
    QTest.keyClick(items, Qt.Key.Key_Delete)
    assert dialog.items.order == (keys[1], keys[0], *keys[3:])
    dialog.undo.click()
    assert dialog.items.order == (keys[1], keys[0], *keys[2:])
    assert lesson == json.loads(path.read_text("utf-8")) | {"key": lesson["key"]}, "nothing is written yet"
    dialog.save.click()
    assert not dialog.isVisible()
    after = read_lesson(path)
    assert [station.key for station in after.stations] == [keys[1], keys[0], *keys[2:]]
    for station in after.stations:
        old = next(each for each in before.stations if each.key == station.key)
        assert after.scene_of(station).text == before.scene_of(old).text
        assert after.scene_of(station).picture == before.scene_of(old).picture
    assert lessons.player.station is not None
    assert lessons.player.station.key == keys[0], "the station that was shown is shown"


def test_a_file_that_was_changed_meanwhile_is_not_written_over(
    qtbot: QtBot, filled_window: MainWindow, folder: Path
) -> None:
    for _ in range(2):
        form = opened_form(filled_window)
        fill(form, "none")
        written(form, folder)
    (path,) = folder.glob("*.json")
    open_own(qtbot, filled_window, path)
    filled_window.part(StationMaker).arrange()
    filled_window.part(StationMaker).change()
    (dialog,) = filled_window.findChildren(ArrangementDialog)
    (form,) = [each for each in filled_window.findChildren(StationForm) if each.isVisible()]
    other = path.read_text("utf-8").replace("Look here", "Written elsewhere")
    path.write_text(other, encoding="utf-8")
    form.save.click()
    assert form.problem.text().startswith("The file of the lesson has changed meanwhile.")
    dialog.items.list.setCurrentRow(0)
    dialog.remove.click()
    qtbot.waitUntil(dialog.save.isEnabled)
    dialog.save.click()
    assert dialog.problem.text().startswith("The file of the lesson has changed meanwhile.")
    assert path.read_text("utf-8") == other


def test_a_lesson_of_the_program_cannot_be_changed(qtbot: QtBot, filled_window: MainWindow) -> None:
    lessons = filled_window.part(Lessons)
    lessons.catalogue.open_first()
    qtbot.waitUntil(lambda: lessons.player.is_ready)
    assert not any(action.isVisible() for action in card_of(filled_window).stations_button.own)
    for order in (filled_window.part(StationMaker).change, filled_window.part(StationMaker).arrange):
        order()
        texts = [label.text() for label in filled_window.frame.status.findChildren(QLabel)]
        assert any("Open a lesson of your own first" in text for text in texts)
    assert not [form for form in filled_window.findChildren(StationForm) if form.isVisible()]


def test_what_a_station_cannot_hold_is_named(
    filled_window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.comparison.set_texts("a dog", None)
    settle()
    app_state.panels.open([Panel(0, 0, 0, "lines"), Panel(0, 1, 1, "matrix"), Panel(0, 1, 1, "matrix", "B")])
    found = shown_scene(app_state, ("overview",))
    assert found is not None
    assert found.left_out == (
        "Run B and panels of it are not part of a station.",
        "All panels of a station show one head: that of the active panel.",
    )
    assert found.scene.cards == ("overview",)


def test_an_analysis_is_part_of_a_station_unless_its_parameters_were_changed(
    qtbot: QtBot, filled_window: MainWindow, app_state: AppState, folder: Path
) -> None:
    plain = Panel(0, 1, 1, "matrix", content=Content("attention-rollout"))
    changed = Panel(0, 1, 1, "matrix", content=Content("attention-rollout", (("residual", 0.1),)))
    app_state.panels.open([Panel(0, 1, 1, "matrix"), plain])
    form = opened_form(filled_window)
    fill(form, "none")
    form.save.click()
    (path,) = folder.glob("*.json")
    assert read_lesson(path).stations[0].scene.analyses == ("attention-rollout",)
    filled_window.part(Lessons).catalogue.open_file(path)
    qtbot.waitUntil(lambda: filled_window.part(Lessons).player.is_ready)
    assert [each.content for each in app_state.panels.panels] == [Content(), plain.content]
    app_state.panels.open([Panel(0, 1, 1, "matrix"), changed])
    found = shown_scene(app_state, ())
    assert found is not None
    assert found.scene.analyses == ()
    assert found.left_out == ("Analyses with parameters of their own are not part of a station.",)


def test_without_a_result_there_is_nothing_to_make(
    window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    for text in ("", "the cat"):
        app_state.workspace.set_texts(text, None, at_once=True)
        settle()
        app_state.workspace.set_texts(" ", None, at_once=True)  # one that was deleted is none
        window.part(StationMaker).ask()
        assert not [form for form in window.findChildren(StationForm) if form.isVisible()]
        texts = [label.text() for label in window.frame.status.findChildren(QLabel)]
        assert any("needs a text" in text for text in texts)


def test_braces_in_a_text_are_letters(window: MainWindow, app_state: AppState, settle: Settle) -> None:
    for text in ("the cat {", "the {query} cat", "the } cat"):
        app_state.workspace.set_texts(text, text, at_once=True)
        settle()
        shown = shown_scene(app_state, ())
        assert shown is not None
        words = {"en": "A", "ko": "가"}
        scene = {"text": {"en": text, "ko": text}, "pair": {"en": text, "ko": text}}
        station = {"key": "a", "title": words, "text": words, "scene": scene}
        lesson = {"key": "a", "title": words, "summary": words, "minutes": 5, "stations": [station]}
        read = parse_lesson(lesson_text(lesson), "a.json").stations[0].scene
        assert (read.text, read.pair) == (shown.scene.text, shown.scene.pair)


def test_on_the_real_model_it_passes_the_check(tmp_path: Path) -> None:
    scene = {
        "text": {"en": "the cat sat", "ko": "the cat sat"},
        "model": "bert-mini-en-ko",
        "layer": 1,
        "head": 0,
    }
    scene |= {
        "query": "cat",
        "key": "the",
        "replaced": [{"token": "sat", "piece": "ran"}],
        "muted": [[0, 1], [2, 3]],
    }
    words = {"en": "A", "ko": "가"}
    station = {"key": "a", "title": words, "text": words, "scene": scene}
    lesson = {"key": "a", "title": words, "summary": words, "minutes": 5, "stations": [station]}
    (tmp_path / "a.json").write_text(lesson_text(lesson), encoding="utf-8")
    runs = SceneRuns(Engine())
    read = read_lesson(tmp_path / "a.json")
    assert list(check_lesson(read, runs, train_labels)) == []
    trace = runs(read.stations[0].scene, "en").trace
    assert trace.muted == ((0, 1), (2, 3))
    assert trace.provenance.replaced == ((3, "ran"),)
    broken = replace(read.stations[0], scene=replace(read.stations[0].scene, query="dog"))
    (mistake, _) = check_lesson(replace(read, stations=(broken,)), runs, train_labels)
    assert mistake.words == "there is no token “dog”"


def test_files_are_written_to_be_read_and_edited() -> None:
    lesson = {"key": "a", "title": {"en": "A", "ko": "가"}, "stations": [{"key": "x" * 50, "text": "y" * 80}]}
    text = lesson_text(lesson)
    assert json.loads(text) == lesson
    assert '  "title": {"en": "A", "ko": "가"},\n' in text
    assert max(map(len, text.splitlines())) <= 112
    assert (key_of("Who looks at “it”?"), key_of("나는 밥을"), key_of("?!")) == (
        "who-looks-at-it",
        "나는-밥을",
        "station",
    )
    assert free_key("a", {"a", "a-2"}) == "a-3"
