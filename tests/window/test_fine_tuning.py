"""A fine-tuning on the Training page: asked for, followed, and put beside what it began with."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from bertviz_app.errors import Message, as_json
from bertviz_app.inference.training.job import TrainingProcess
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.training.training import Training
from bertviz_app.views.training.page import TrainingPage
from tests.support.drops import drag_into, drop_onto
from tests.support.english_texts import all_texts, english_texts
from tests.support.reviews import write_reviews
from tests.support.scene import turn_events
from tests.support.tagged_texts import write_conll
from tests.support.training_page import LEARNING, send, start
from tests.support.training_scene import FakeLaunch, tag_evaluation, tuning_evaluation, tuning_report


@pytest.fixture
def tuning(page: TrainingPage, training: Training, tmp_path: Path) -> TrainingPage:
    """The page, asked for a fine-tuning of the checkpoint of run A."""
    page.form.tasks.chosen.emit("finetune")
    training.change(rows=str(write_reviews(tmp_path / "rows.tsv")))
    return page


def test_the_form_of_a_fine_tuning_shows_the_checkpoint_of_run_a(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tuning: TrainingPage, training: Training
) -> None:
    qtbot.waitUntil(lambda: app_state.workspace.facts is not None)
    assert app_state.workspace.facts is not None
    assert tuning.form.tuning.base.base.text() == f"{app_state.workspace.facts.name} · that of run A"
    assert not tuning.form.pretraining.sizes.isVisible()
    with qtbot.waitSignal(app_state.workspace.facts_changed):
        app_state.workspace.open_model("another")
    assert training.form.base == "another"


def test_rows_are_chosen_by_the_button_dropped_and_left_out(
    tuning: TrainingPage, training: Training, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, dropped = (write_reviews(tmp_path / name) for name in ("chosen.tsv", "dropped.tsv"))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(chosen), ""))
    fields = tuning.form.tuning
    fields.files["rows"].choose.click()
    assert (training.form.rows, fields.files["rows"].name.text()) == (str(chosen), "chosen.tsv")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(dropped))])
    assert drag_into(tuning, data)
    drop_onto(tuning, data)
    assert training.form.test == str(dropped)
    fields.files["test"].remove.click()
    assert training.form.test == ""
    assert not fields.files["test"].remove.isVisible()


def test_the_numbers_of_a_fine_tuning_are_typed(tuning: TrainingPage, training: Training) -> None:
    fields = tuning.form.tuning
    assert (fields.epochs.text(), fields.rate.text()) == ("3", "5")
    for field, text in ((fields.epochs, "7"), (fields.rate, "2.5")):
        field.clear()
        QTest.keyClicks(field, text)
    fields.freezes.click()
    assert (training.form.epochs, training.form.freezes) == (7, True)
    assert training.form.rate == pytest.approx(2.5e-5)


def test_a_fine_tuning_is_shown_as_it_goes(
    qtbot: QtBot, tuning: TrainingPage, training: Training, launch: FakeLaunch
) -> None:
    process = start(qtbot, tuning, training, launch)
    notice: dict[str, object] = {"kind": "notice", "notice": "Line 3 has no text."}
    steps = (tuning_report(step, step / 8) for step in (1, 2))
    send(process, LEARNING, notice, tuning_evaluation(0, 0.5), *steps, tuning_evaluation(2))
    state, values = tuning.state, tuning.state.numbers.values
    assert state.notices.text() == "Line 3 has no text."
    assert (values["right"].text(), values["commonest"].text()) == (
        "75.0% of 20",
        "55.0%",
    )
    assert values["epoch"].text() == "2"
    assert not values["masked"].isVisible()
    assert tuning.curves.accuracies_card.title.text() == "On held-out data"
    right, commonest = tuning.curves.accuracies.curves
    assert (right.values.tolist(), commonest.values.tolist()) == ([0.5, 0.75], [0.55, 0.55])
    losses = tuning.curves.losses.curves[0].raw
    assert losses is not None
    assert losses.tolist() == pytest.approx([0.69, 0.68])


def test_a_file_with_labels_of_words_is_described_above_the_form(
    qtbot: QtBot, tuning: TrainingPage, training: Training, tmp_path: Path
) -> None:
    fields = tuning.form.tuning
    training.change(rows=str(write_conll(tmp_path / "eng.train")))
    qtbot.waitUntil(fields.reading.isVisible)
    assert "CoNLL: a label for each word, in column 4 of 4" in fields.reading.text()
    fields.details.click()
    box = fields.question.boxes["target"]
    assert box.currentText() == "as the content shows"
    fields.question.answered.emit({"target": "classes"})
    qtbot.waitUntil(fields.unclear.isVisible)
    assert training.form.table.target == "classes"
    assert box.currentText() == "classes of texts"


def test_a_tagger_is_shown_by_the_accuracy_of_words_and_the_f1_of_spans(
    qtbot: QtBot, tuning: TrainingPage, training: Training, launch: FakeLaunch
) -> None:
    process = start(qtbot, tuning, training, launch)
    values, qualifier = tuning.state.numbers.values, tuning.curves.accuracies_card.qualifier
    send(process, LEARNING, tuning_report(1))
    assert not values["spans"].isVisible()
    assert qualifier.text() == "accuracy"
    send(process, tag_evaluation(1))
    assert (values["right"].text(), values["commonest"].text()) == ("75.0% of 20", "55.0%")
    assert values["spans"].isVisible()
    assert values["spans"].text() == "54.5% of 6"
    assert qualifier.text() == "accuracy of the labels, F1 of the spans"
    send(process, tag_evaluation(2, has_spans=False))
    assert not values["spans"].isVisible()


def test_the_fine_tuned_model_stands_beside_its_base(
    qtbot: QtBot, app_state: AppState, tuning: TrainingPage, training: Training, launch: FakeLaunch
) -> None:
    training.change(base="the base", base_name="the base")
    process = start(qtbot, tuning, training, launch)
    send(process, LEARNING, tuning_report(2, 1.0), {"kind": "done"})
    process.ended(0)
    qtbot.waitUntil(lambda: tuning.state.buttons.compare.isVisible())
    assert tuning.state.buttons.compare.text() == "Compare with the base model"
    tuning.state.buttons.compare.click()
    qtbot.waitUntil(lambda: app_state.comparison.is_current and app_state.comparison.shown is not None)
    assert app_state.comparison.request is not None
    assert (app_state.workspace.ref, app_state.comparison.request.ref) == ("the base", str(process.job.out))


def test_a_fine_tuning_in_korean_has_no_english_words(
    qtbot: QtBot,
    window: MainWindow,
    tuning: TrainingPage,
    training: Training,
    launch: FakeLaunch,
    tmp_path: Path,
) -> None:
    window.appearance.choose_language("ko")
    turn_events()
    try:
        training.change(text="the cat", base="x", base_name="mini")
        names = (str(tmp_path), "rows.tsv", "corpus.txt", "model", "mini")
        qtbot.waitUntil(lambda: training.look is not None)
        rows = all_texts(tuning.form.tuning.question.rows)  # cells and names of the user's file
        left = {text for text in english_texts(tuning.form) if text.strip() not in rows}
        assert {text for text in left if not any(name in text for name in names)} == set()
        process = start(qtbot, tuning, training, launch)
        notice: dict[str, object] = {"kind": "notice", "notice": as_json(Message("Line {0} has no text.", 3))}
        send(process, LEARNING, notice, tuning_evaluation(0), tuning_report(1), tuning_evaluation(1))
        cards = (tuning.card, tuning.curves.losses_card, tuning.curves.accuracies_card)
        left = {text for text in english_texts(*cards) if text.strip() not in rows}
        assert {text for text in left if not any(name in text for name in names)} == set()
    finally:
        window.appearance.choose_language("en")


@pytest.mark.parametrize("launch", [TrainingProcess], ids=["process"])
def test_a_real_fine_tuning_of_some_seconds_is_followed_to_its_end(
    qtbot: QtBot,
    window: MainWindow,
    tuning: TrainingPage,
    training: Training,
    tiny_bert: Path,
    tmp_path: Path,
) -> None:
    training.device = "cpu"
    training.change(base=str(tiny_bert), base_name="tiny", epochs=2, every=2, text="the cat ate")
    QTest.mouseClick(tuning.form.start, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(training.finished, timeout=120_000):
        pass
    qtbot.waitUntil(lambda: tuning.state.buttons.compare.isVisible(), timeout=20_000)
    assert training.run is not None
    assert training.run.last is not None
    assert training.run.last.share == 1
    assert "% of " in tuning.state.numbers.values["right"].text()
    assert (tmp_path / "model" / "model.safetensors").exists()
