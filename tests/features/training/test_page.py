"""The Training page in the window: pretraining and fine-tuning, led by the test."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QLineEdit, QPushButton, QSlider, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.errors import Message, as_json
from bertviz_app.features.corpora.pages import CorpusController
from bertviz_app.features.training.page import FormFile, TrainingController
from bertviz_app.features.training.process.job import TrainingProcess, save_job
from bertviz_app.features.training.state import Training
from bertviz_app.features.training.views.form import FormDialogs
from bertviz_app.features.training.views.page import TrainingPage
from bertviz_app.json_store import finish_writing
from bertviz_app.shell.settings import SettingsStore, read_palette
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.dialogs.export_dialog import PictureChoice
from bertviz_app.views.kit.look import Look
from tests.support.english_texts import all_texts, english_texts
from tests.support.scene import drag_into, drop_onto, turn_events
from tests.support.training_scene import (
    LEARNING,
    FakeLaunch,
    evaluation,
    report,
    send,
    start,
    tag_evaluation,
    tiny_job,
    tuning_evaluation,
    tuning_report,
    write_corpus,
    write_step,
)
from tests.support.training_texts import write_conll, write_reviews


def _dropped(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def test_the_page_is_opened_by_key_and_left_by_typing_and_a_text_encoded_meanwhile_leaves_it_open(
    qtbot: QtBot, window: MainWindow, app_state: AppState, page: TrainingPage, training: Training
) -> None:
    window.part(TrainingController).toggle()
    assert not page.isVisible()
    assert window.frame.welcome.isVisible()
    window.part(TrainingController).toggle()
    assert page.isVisible()
    window.leave()  # which is what Escape does
    assert not page.isVisible()
    assert "Train a model …" in [command.text for command in window.commands()]
    app_state.workspace.set_texts("the cat", "it slept", at_once=True)
    window.part(TrainingController).open()
    assert (page.form.text.text(), training.form.pair) == ("the cat", "it slept"), "of run A"
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    assert page.isVisible()
    QTest.keyClicks(window.frame.bar.text, " sat")
    qtbot.waitUntil(window.main_area.isVisible)
    assert not page.isVisible()


def test_a_form_is_filled_by_typing_dropping_and_choosing_and_is_there_at_the_next_start(
    page: TrainingPage,
    store: SettingsStore,
    training: Training,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page.form.text.clear()
    QTest.keyClicks(page.form.text, "a dog")
    page.form.pretraining.fields["size"].chosen.emit("own")
    finish_writing()
    saved = json.loads((store.folder / "training.json").read_text(encoding="utf-8"))
    assert (saved["form"]["text"], saved["form"]["size"]) == ("a dog", "own")
    assert all(page.form.pretraining.fields[name].isVisible() for name in ("n_layers", "n_heads", "width"))
    training.change(files=())
    one, two = (write_corpus(tmp_path / name) for name in ("one.txt", "two.txt"))
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(one)], ""))
    page.form.pretraining.add_files.click()
    data = _dropped(one, two)
    assert drag_into(page, data)
    assert page.drops.hint.words == "Train on one.txt, two.txt"
    drop_onto(page, data)
    assert not page.drops.hint.isVisible()
    assert training.form.files == (str(one), str(two))
    turn_events()  # what stood there before is deleted
    remove = page.form.pretraining.files.findChildren(QAbstractButton)[0]
    assert remove.accessibleName() == "Leave out one.txt"
    remove.click()
    assert list(training.form.files) == [str(two)]
    # A folder that is not empty gets one for the model, one that cannot be listed is taken as it is.
    for chosen, taken in ((tmp_path, tmp_path / "model-1"), (tmp_path / "gone", tmp_path / "gone")):
        monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_, chosen=chosen: str(chosen))
        page.form.choose_folder.click()
        assert training.form.folder == str(taken)


def test_the_status_line_shows_the_training_when_the_page_is_left_and_how_it_ended_until_it_was_opened(
    qtbot: QtBot, window: MainWindow, page: TrainingPage, training: Training, launch: FakeLaunch
) -> None:
    process = start(qtbot, page, training, launch)
    window.part(TrainingController).leave()
    send(process, LEARNING, report(1, 0.5))
    link = window.frame.status.training
    assert link.text() == "Training   50%   0:04 left"
    link.click()
    assert page.isVisible()
    assert not link.isVisible()
    window.part(TrainingController).leave()
    send(process, LEARNING, report(2, 1.0), {"kind": "done"})
    assert (link.isVisible(), link.text()) == (True, "Training: Done")
    window.part(TrainingController).open()
    window.part(TrainingController).leave()
    assert not link.isVisible()


def test_a_training_that_the_end_of_the_program_stopped_is_offered_at_the_next_start(
    qtbot: QtBot, window: MainWindow, page: TrainingPage, training: Training, launch: FakeLaunch
) -> None:
    process = start(qtbot, page, training, launch)
    save_job(process.job)
    send(process, LEARNING, report(1, 0.5))
    window.part(TrainingController).close()
    controller = TrainingController(
        window,
        window.app_state,
        Look(read_palette("light")),
        window.session.store,
        window.files,
        window.export,
    )
    messages: list[str] = []
    controller.status_changed.connect(messages.append)
    controller.remind()
    assert messages == [f"The training “{process.job.out.name}” was saved and can be resumed"]


@pytest.mark.fresh_window
def test_other_pages_leave_the_reminder_which_is_said_in_the_language_in_force(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FormFile, "unfinished", lambda _: Path("model-7"))
    messages: list[str] = []
    window.part(TrainingController).status_changed.connect(messages.append)
    window.part(TrainingController).remind()  # as at the start, before the language is chosen
    window.part(CorpusController).toggle()
    window.part(CorpusController).toggle()
    assert messages == ["The training “model-7” was saved and can be resumed"]
    window.appearance.choose_language("ko")
    turn_events()
    assert window.frame.status.training.text() == "저장된 학습 ‘model-7’ · 이어서 할 수 있습니다"


def test_a_training_that_was_stopped_is_listed_and_resumed(
    qtbot: QtBot, page: TrainingPage, training: Training, launch: FakeLaunch, tmp_path: Path
) -> None:
    job = replace(tiny_job(tmp_path), out=tmp_path / "data" / "bertviz-app" / "models" / "mine")
    save_job(job)
    training.saved_runs.refresh()
    qtbot.waitUntil(lambda: bool(training.saved_runs.runs))
    (button,) = page.runs.findChildren(QAbstractButton)
    assert button.accessibleName() == "Resume: mine"
    button.click()
    qtbot.waitUntil(lambda: bool(launch.processes))
    assert launch.newest.job == job


def test_the_curves_are_saved_and_the_trained_model_opens_with_its_sentence_and_beside_its_first_step(
    qtbot: QtBot,
    window: MainWindow,
    app_state: AppState,
    page: TrainingPage,
    training: Training,
    launch: FakeLaunch,
    tmp_path: Path,
) -> None:
    app_state.workspace.set_texts("a bird", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    assert window.export.subject(None) is None, "no panel that is not on the screen"
    training.change(text="the cat")
    process = start(qtbot, page, training, launch)
    send(process, LEARNING, evaluation(0), report(1), report(2), evaluation(2))
    card = page.curves.accuracies_card
    subject = window.export.subject(card)
    assert subject is not None
    assert window.export.subject(None) is not None
    window.export.save_picture(subject, tmp_path / "curves.svg", PictureChoice())
    window.export.save_numbers(subject, tmp_path / "curves.csv")
    qtbot.waitUntil(lambda: (tmp_path / "curves.svg").exists() and (tmp_path / "curves.csv").exists())
    head, *rows = (tmp_path / "curves.csv").read_text("utf-8").splitlines()
    assert head == "curve,step,value,unsmoothed"
    assert {"Masked tokens,0,0.1,0.1", "Next sentence by chance,2,0.5,0.5"} <= set(rows)
    assert len([one for one in card.findChildren(QPushButton) if one.text() == "⋯"]) == 1

    first = process.job.out / "snapshots" / "step-000001"
    first.mkdir(parents=True)
    send(process, report(2, 1.0), {"kind": "snapshots"}, {"kind": "done"})
    process.ended(0)
    buttons, workspace, comparison = page.state.buttons, app_state.workspace, app_state.comparison
    qtbot.waitUntil(lambda: buttons.open_model.isVisible() and buttons.compare.isVisible())
    buttons.open_model.click()
    qtbot.waitUntil(lambda: workspace.is_current and workspace.ref == str(process.job.out))
    assert workspace.text == "the cat"
    assert window.main_area.isVisible()
    window.part(TrainingController).open()
    buttons.compare.click()
    qtbot.waitUntil(lambda: comparison.is_current and comparison.shown is not None)
    assert comparison.request is not None
    assert (workspace.ref, comparison.request.ref) == (str(first), str(process.job.out))


def _controls(page: TrainingPage) -> list[QWidget]:
    kinds = (QAbstractButton, QLineEdit, QSlider)
    return [one for one in page.findChildren(QWidget) if isinstance(one, kinds) and one.isVisible()]


def _named(widget: QWidget) -> str:
    return widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")


def test_every_control_can_be_reached_and_has_a_name_and_in_korean_no_word_is_english(
    qtbot: QtBot, window: MainWindow, page: TrainingPage, training: Training, launch: FakeLaunch
) -> None:
    names = (training.form.folder, *training.form.files, "corpus.txt", "model", "fake")  # files and folders
    window.appearance.choose_language("ko")
    turn_events()
    page = window.part(TrainingController).page
    training.change(text="the cat", size="own", every=0)
    QTest.mouseClick(page.form.start, Qt.MouseButton.LeftButton)
    assert page.form.problem.isVisible()
    controls = _controls(page)
    assert {text for text in english_texts(page.form) if not any(name in text for name in names)} == set()
    training.change(every=1)
    process = start(qtbot, page, training, launch)
    send(process, LEARNING, evaluation(0), report(1, 0.5), evaluation(1))
    write_step(qtbot, training, process, 1)
    curves = page.curves
    left = english_texts(
        page.card, curves.losses_card, curves.accuracies_card, page.watch_card, page.runs_card
    )
    assert {text for text in left if not any(name in text for name in names)} == set()
    for widget in (*controls, *_controls(page)):
        assert any(character.isalnum() for character in _named(widget)), widget
        assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus, _named(widget)
    window.part(TrainingController).leave()
    for language, words in (("ko", "학습 중   50%"), ("en", "Training   50%")):
        window.appearance.choose_language(language)
        turn_events()
        assert window.frame.status.training.text().startswith(words)


@pytest.fixture
def tuning(page: TrainingPage, training: Training, tmp_path: Path) -> TrainingPage:
    """The page, asked for a fine-tuning of the checkpoint of run A."""
    page.form.fields["task"].chosen.emit("finetune")
    training.change(rows=str(write_reviews(tmp_path / "rows.tsv")))
    return page


def test_a_fine_tuning_starts_from_the_checkpoint_of_run_a_until_another_is_chosen(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tuning: TrainingPage, training: Training
) -> None:
    workspace, base = app_state.workspace, tuning.form.tuning.base.base
    qtbot.waitUntil(lambda: workspace.facts is not None)
    assert workspace.facts is not None
    assert base.text() == f"{workspace.facts.name} · that of run A"
    assert not tuning.form.pretraining.fields["size"].isVisible()
    training.change(text="a sentence")
    rows = training.form.rows
    window.files.open_model("other")
    qtbot.waitUntil(lambda: workspace.ref == "other" and training.form.base == "other")
    assert window.part(TrainingController).is_shown
    assert (training.form.rows, training.form.text) == (rows, "a sentence"), "what is typed there stays"
    assert "run A" in base.text()
    source = Source("mine", Path("/models/mine"), "folder", 0)
    workspace.available.sources = (source,)
    (choice,) = tuning.findChildren(FormDialogs)
    next(action for action in choice.menu().actions() if action.text() == source.name).trigger()
    assert (training.form.base, training.form.follows_run_a) == (source.ref, False)
    assert base.text().startswith(source.name)
    window.files.open_model("another")
    qtbot.waitUntil(lambda: workspace.opening.pending is None and workspace.facts is not None)
    assert training.form.base == source.ref, "what was chosen stays"
    choice.menu().actions()[0].trigger()
    assert training.form.base == "another"


def test_rows_are_chosen_dropped_and_left_out_and_numbers_typed(
    qtbot: QtBot, tuning: TrainingPage, training: Training, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, dropped = (write_reviews(tmp_path / name) for name in ("chosen.tsv", "dropped.tsv"))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(chosen), ""))
    fields = tuning.form.tuning
    fields.files["rows"].choose.click()
    assert (training.form.rows, fields.files["rows"].name.text()) == (str(chosen), "chosen.tsv")
    data = _dropped(dropped)
    assert drag_into(tuning, data)
    drop_onto(tuning, data)
    assert training.form.test == str(dropped)
    fields.files["test"].remove.click()
    assert training.form.test == ""
    assert not fields.files["test"].remove.isVisible()
    assert (fields.fields["epochs"].text(), fields.fields["rate"].text()) == ("3", "5")
    for field, text in ((fields.fields["epochs"], "7"), (fields.fields["rate"], "2.5")):
        field.clear()
        QTest.keyClicks(field, text)
    fields.fields["freezes"].click()
    assert (training.form.epochs, training.form.freezes) == (7, True)
    assert training.form.rate == pytest.approx(2.5e-5)
    training.change(rows=str(write_conll(tmp_path / "eng.train")))
    qtbot.waitUntil(fields.look.reading.isVisible)
    assert "CoNLL: a label for each word, in column 4 of 4" in fields.look.reading.text()
    fields.look.details.click()
    box = fields.look.question.boxes["target"]
    assert box.currentText() == "as the content shows"
    fields.look.question.answered.emit({"target": "classes"})
    qtbot.waitUntil(fields.look.unclear.isVisible)
    assert training.form.table.target == "classes"
    assert box.currentText() == "classes of texts"


def test_a_fine_tuning_is_shown_as_it_goes_in_both_languages_and_stands_beside_its_base_at_the_end(
    qtbot: QtBot,
    window: MainWindow,
    app_state: AppState,
    tuning: TrainingPage,
    training: Training,
    launch: FakeLaunch,
) -> None:
    window.appearance.choose_language("ko")
    turn_events()
    tuning = window.part(TrainingController).page
    training.change(text="the cat", base="the base", base_name="mini")
    names = (training.form.folder, training.form.rows, "rows.tsv", "corpus.txt", "model", "mini")
    qtbot.waitUntil(lambda: training.look is not None)
    rows = all_texts(tuning.form.tuning.look.question.rows)  # cells and names of the user's file

    def left(*widgets: QWidget) -> set[str]:
        found = {text for text in english_texts(*widgets) if text.strip() not in rows}
        return {text for text in found if not any(name in text for name in names)}

    assert left(tuning.form) == set()
    process = start(qtbot, tuning, training, launch)
    notice: dict[str, object] = {"kind": "notice", "notice": as_json(Message("Line {0} has no text.", 3))}
    steps = (tuning_report(step, step / 8) for step in (1, 2))
    send(process, LEARNING, notice, tuning_evaluation(0, 0.5), *steps, tuning_evaluation(2))
    assert left(tuning.card, tuning.curves.losses_card, tuning.curves.accuracies_card) == set()
    window.appearance.choose_language("en")
    turn_events()
    tuning = window.part(TrainingController).page
    state, values = tuning.state, tuning.state.numbers.values
    assert state.notices.text() == "Line 3 has no text."
    assert [values[name].text() for name in ("right", "commonest", "epoch")] == ["75.0% of 20", "55.0%", "2"]
    assert not values["masked"].isVisible()
    assert not values["spans"].isVisible()
    assert tuning.curves.accuracies_card.title.text() == "On held-out data"
    assert tuning.curves.accuracies_card.qualifier.text() == "accuracy"
    right, commonest = tuning.curves.accuracies.curves
    assert (right.values.tolist(), commonest.values.tolist()) == ([0.5, 0.75], [0.55, 0.55])
    losses = tuning.curves.losses.curves[0].raw
    assert losses is not None
    assert losses.tolist() == pytest.approx([0.69, 0.68])
    send(process, tuning_report(2, 1.0), {"kind": "done"})
    process.ended(0)
    compare = tuning.state.buttons.compare
    qtbot.waitUntil(compare.isVisible)
    assert compare.text() == "Compare with the base model"
    compare.click()
    qtbot.waitUntil(lambda: app_state.comparison.is_current and app_state.comparison.shown is not None)
    assert app_state.comparison.request is not None
    assert (app_state.workspace.ref, app_state.comparison.request.ref) == ("the base", str(process.job.out))


def test_a_tagger_is_shown_by_the_accuracy_of_words_and_the_f1_of_spans(
    qtbot: QtBot, tuning: TrainingPage, training: Training, launch: FakeLaunch
) -> None:
    process = start(qtbot, tuning, training, launch)
    values, qualifier = tuning.state.numbers.values, tuning.curves.accuracies_card.qualifier
    send(process, LEARNING, tuning_report(1), tag_evaluation(1))
    assert [values[name].text() for name in ("right", "commonest")] == ["75.0% of 20", "55.0%"]
    assert values["spans"].isVisible()
    assert values["spans"].text() == "54.5% of 6"
    assert qualifier.text() == "accuracy of the labels, F1 of the spans"
    send(process, tag_evaluation(2, has_spans=False))
    assert not values["spans"].isVisible()


@pytest.mark.parametrize("launch", [TrainingProcess], ids=["process"])
def test_a_real_run_of_some_seconds_is_followed_to_its_end(
    qtbot: QtBot, page: TrainingPage, training: Training, tmp_path: Path
) -> None:
    training.device = "cpu"
    sizes = {"n_layers": 1, "n_heads": 2, "width": 16, "vocabulary_size": 300}
    training.change(size="own", end="steps", amount=6.0, every=2, text="ab cd ef", **sizes)
    with qtbot.waitSignal(training.finished, timeout=240_000):
        QTest.mouseClick(page.form.start, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(page.state.buttons.compare.isVisible)
    assert (tmp_path / "model" / "model.safetensors").exists()
    qtbot.waitUntil(lambda: page.watch.player.step.text() == "Step 6")
    assert training.run is not None
    assert training.run.steps[-1].step == 6
