"""The Training page: what it shows of a run, and its buttons and keys; no window, no process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from bertviz_app.errors import Message, as_json
from bertviz_app.inference.jobs import Jobs
from bertviz_app.inference.training.job import TrainingJob, Watch
from bertviz_app.training.finetuning.settings import ScoreEvaluation, TuningSettings
from bertviz_app.viewmodels.tasks import Tasks
from bertviz_app.viewmodels.training.live_run import LiveRun
from bertviz_app.viewmodels.training.training import Training
from bertviz_app.views.kit.look import Look
from bertviz_app.views.training.page import TrainingPage
from tests.support.published_tables import TABLES
from tests.support.scene import on_screen
from tests.support.training_page import LEARNING, send, start, write_step
from tests.support.training_scene import FakeLaunch, evaluation, report, write_corpus


@pytest.fixture
def launch() -> FakeLaunch:
    return FakeLaunch()


@pytest.fixture
def training(
    qtbot: QtBot, tmp_path: Path, launch: FakeLaunch, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Training]:
    """A training with a worker of its own, and a form that only wants to be started."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "data"))
    errors: list[Exception] = []
    jobs = Jobs("test")
    training = Training(Tasks(jobs), errors.append, launch)
    jobs.start()
    training.change(
        files=(str(write_corpus(tmp_path / "a.txt")),), folder=str(tmp_path / "m"), text="the cat"
    )
    yield training
    training.close()
    jobs.close()
    assert errors == []


@pytest.fixture
def page(qtbot: QtBot, look: Look, training: Training) -> TrainingPage:
    page = on_screen(qtbot, TrainingPage(look, training), 1280, 760)
    page.activateWindow()
    return page


def test_the_lines_of_a_large_page_stay_readable(page: TrainingPage) -> None:
    page.resize(1920, 1000)
    QApplication.processEvents()
    content = page.runs.widget()
    assert content is not None
    assert page.runs.width() > 1400
    assert content.width() <= 720


def test_a_training_that_cannot_begin_shows_the_reason_and_keeps_the_form(
    page: TrainingPage, training: Training, launch: FakeLaunch
) -> None:
    training.change(files=())
    before = training.form
    QTest.mouseClick(page.form.start, Qt.MouseButton.LeftButton)
    assert page.form.problem.isVisible()
    assert page.form.problem.text() == "There is no text to train on. Add a file with sentences."
    assert training.form == before
    assert launch.processes == []


def test_a_run_is_shown_as_it_goes(
    qtbot: QtBot, page: TrainingPage, training: Training, launch: FakeLaunch
) -> None:
    process = start(qtbot, page, training, launch)
    assert page.state.isVisible()
    send(
        process, LEARNING, evaluation(0), *(report(step, step / 8) for step in (1, 2, 3)), evaluation(3, 0.25)
    )
    assert page.state.state.text() == "Training"
    assert page.state.numbers.values["step"].text() == "3 · 38%"
    assert page.state.numbers.values["masked"].text() == "25.0% of 15"
    assert page.state.numbers.values["next"].text() == "50.0% of 40"
    assert page.state.numbers.values["left"].text() == "0:07"
    masked = page.curves.losses.curves[0]
    assert masked.raw is not None
    assert masked.raw.tolist() == [4.99, 4.98, 4.97]
    assert page.curves.accuracies.curves[0].values.tolist() == [0.1, 0.25]
    assert "25.0%" in page.curves.accuracies.accessibleDescription()


def test_pause_go_on_and_stop_by_their_buttons(
    qtbot: QtBot, page: TrainingPage, training: Training, launch: FakeLaunch
) -> None:
    process = start(qtbot, page, training, launch)
    send(process, LEARNING, report(1))
    page.state.buttons.pause.setFocus()
    page.state.buttons.pause.click()
    assert page.window().focusWidget() is page.state.buttons.go_on
    send(process, {"kind": "paused"})
    assert page.state.state.text() == "Paused"
    assert not page.state.buttons.pause.isVisible()
    page.state.buttons.go_on.click()
    send(process, {"kind": "going on"})
    assert page.window().focusWidget() is page.state.buttons.pause
    page.state.buttons.stop.click()
    assert not page.state.buttons.stop.isEnabled()
    send(process, {"kind": "stopped"})
    process.ended(0)
    qtbot.waitUntil(lambda: page.state.buttons.go_on.isVisible())
    assert [sent["do"] for sent in process.sent] == ["pause", "go on", "stop"]
    assert page.state.buttons.open_model.isVisible()
    assert page.state.buttons.open_model.objectName() != "primary", "resuming is what one would do next"


def test_the_heads_of_each_step_are_shown_and_gone_back_to(
    qtbot: QtBot, page: TrainingPage, training: Training, launch: FakeLaunch
) -> None:
    process = start(qtbot, page, training, launch)
    for step in (1, 5, 9):
        write_step(qtbot, training, process, step)
    watch = page.watch
    player = watch.player
    assert (player.slider.maximum(), player.slider.value(), player.step.text()) == (2, 2, "Step 9")
    with qtbot.waitSignal(training.watched.changed):
        QTest.keyClick(player.slider, Qt.Key.Key_Home)
    assert player.step.text() == "Step 1"
    watch.overview.head_chosen.emit(1, 2)
    assert watch.head.title.text() == "Layer 1 · Head 2"
    qtbot.waitUntil(lambda: watch.head.view.picture is not None and watch.head.view.picture.head == 2)
    assert watch.head.view.picture is not None
    assert training.watched.shown is not None
    assert watch.head.view.picture.trace is training.watched.shown.trace
    watch.head.kinds.chosen.emit("lines")
    assert watch.head.views["lines"].isVisible()
    assert watch.head.views["lines"].picture is not None
    player.play.click()
    qtbot.waitUntil(lambda: player.step.text() == "Step 9")


def test_another_sentence_is_watched_by_enter(
    qtbot: QtBot, page: TrainingPage, training: Training, launch: FakeLaunch
) -> None:
    process = start(qtbot, page, training, launch)
    page.watch.sentence.setFocus()
    page.watch.sentence.clear()
    QTest.keyClicks(page.watch.sentence, "a dog")
    send(process, LEARNING, report(1))
    assert page.watch.sentence.text() == "a dog"  # what is typed is not taken away by what goes on
    QTest.keyClick(page.watch.sentence, Qt.Key.Key_Return)
    assert process.sent == [{"do": "watch", "text": "a dog", "pair": None}]


def test_what_was_typed_during_one_training_is_not_shown_as_the_sentence_of_the_next(
    qtbot: QtBot, page: TrainingPage, training: Training, launch: FakeLaunch, tmp_path: Path
) -> None:
    process = start(qtbot, page, training, launch)
    send(process, LEARNING, report(1))
    page.watch.sentence.clear()
    QTest.keyClicks(page.watch.sentence, "a dog")
    send(process, {"kind": "stopped"})
    process.ended(0)
    assert page.watch.sentence.text() == "a dog"
    training.leave()
    training.change(folder=str(tmp_path / "other"), text="the mat")
    start(qtbot, page, training, launch)
    assert page.watch.sentence.text() == "the mat"


def test_a_training_that_failed_at_once_leads_back_to_the_form(
    qtbot: QtBot, page: TrainingPage, training: Training, launch: FakeLaunch
) -> None:
    process = start(qtbot, page, training, launch)
    problem = as_json(Message("{0} is not UTF-8 text.", "cat.bin"))
    send(process, {"kind": "error", "message": problem, "hint": as_json(Message("Take it out."))})
    process.ended(1)
    assert "cat.bin is not UTF-8 text." in page.state.problem.text()
    assert page.state.state.text() == "Could not start"
    assert not page.state.buttons.go_on.isVisible(), "it would fail again"
    assert page.state.buttons.another.text() == "Back to the form"
    assert page.state.buttons.another.objectName() == "primary", "it is the only way on"
    assert not page.state.numbers.isVisible(), "a table of dashes"
    assert page.runs.isVisible(), "there are no curves"
    assert not page.curves.isVisible()
    QTest.mouseClick(page.state.buttons.another, Qt.MouseButton.LeftButton)
    assert page.form.start.isVisible()


def test_a_state_during_a_training_is_called_what_it_is(page: TrainingPage, training: Training) -> None:
    training.change(task="finetune", base="/runs/mine/snapshots/step-000001", base_name="step-000001")
    assert "before its end" in page.form.tuning.base.base.text()


def test_a_checkpoint_that_is_trained_further_replaces_the_sizes(
    qtbot: QtBot, page: TrainingPage, training: Training, launch: FakeLaunch
) -> None:
    fields = page.form.pretraining
    assert fields.sizes.isVisible()
    assert not fields.base.isVisible()
    training.change(base="/models/mine", base_name="mine", follows_run_a=False)
    fields.begins_at_base.click()
    assert not fields.sizes.isVisible()
    assert fields.base.base.text() == "mine"
    with qtbot.waitSignal(page.form.files_requested) as asked:
        fields.base.choose.click()
    assert asked.args == ["base"]
    process = start(qtbot, page, training, launch)
    assert (process.job.base, process.job.begins_at_base) == ("/models/mine", True)
    assert "trains mine further" in " ".join(label.text() for label in page.state.findChildren(QLabel))
    send(process, LEARNING, evaluation(0), report(1, 1.0), evaluation(1), {"kind": "done"})
    process.ended(0)
    with qtbot.waitSignal(page.state.buttons.compare_requested) as compared:
        page.state.buttons.compare.click()
    assert compared.args == ["/models/mine", str(process.job.out)]


@pytest.mark.parametrize("task", ["pretrain", "finetune"])
def test_the_form_beside_its_scroll_bar_is_not_cut_off(
    qtbot: QtBot, page: TrainingPage, training: Training, task: str
) -> None:
    page.resize(1010, 400)
    training.change(task=task)
    area = page.form.parentWidget()
    assert area is not None
    qtbot.waitUntil(lambda: page.form.height() > area.height(), timeout=2000)
    qtbot.waitUntil(lambda: page.form.width() <= area.width(), timeout=2000)


def test_the_button_that_starts_is_whole_in_a_low_window(page: TrainingPage, training: Training) -> None:
    training.change(task="finetune")
    for height in (460, 900):
        page.resize(1024, height)
        page.show()
        QApplication.processEvents()
        start = page.form.start
        assert start.visibleRegion().boundingRect() == start.rect(), height
        below = page.card.height() - start.mapTo(page.card, start.rect().bottomLeft()).y()
        assert (below < 40) == (height == 460), "below the fields, not at the end of a high page"


def test_the_first_rows_are_shown_where_the_columns_are_not_plain(
    qtbot: QtBot, page: TrainingPage, training: Training, tmp_path: Path
) -> None:
    rows = tmp_path / "kor_hate.tsv"
    rows.write_text(TABLES["kor_hate"], encoding="cp949")
    training.change(task="finetune", rows=str(rows))
    fields = page.form.tuning
    qtbot.waitUntil(lambda: training.look is not None)
    assert fields.question.isVisible()
    assert not fields.details.isVisible()
    assert "does not show which column has the labels" in fields.unclear.text()
    model = fields.question.rows.model()
    names = [model.headerData(at, Qt.Orientation.Horizontal) for at in range(4)]
    assert names == ["comments", "contain_gender_bias", "bias", "hate"]
    assert fields.question.rows.rowCount() == 5
    box = fields.question.boxes["label_column"]
    assert box.currentText() == "Choose …"
    index = box.findText("hate")
    box.setCurrentIndex(index)
    box.activated.emit(index)
    assert training.form.label_column == "hate"
    qtbot.waitUntil(lambda: training.look is not None)
    assert not fields.question.isVisible()
    assert not fields.unclear.isVisible()
    assert "is read as CP949, separated by tab: label in column hate" in fields.reading.text()
    fields.details.click()
    assert fields.question.isVisible()
    shown = {name: box.currentText() for name, box in fields.question.boxes.items()}
    assert shown["label_column"] == "hate"
    assert shown["text_column"] == "comments"
    assert (shown["pair_column"], shown["encoding"]) == ("none", "found: CP949")


def test_a_training_on_scores_shows_correlations(page: TrainingPage, training: Training) -> None:
    job = TrainingJob((Path("rows.tsv"),), Path("out"), TuningSettings(), Watch("the cat"))
    run = LiveRun(job)
    run.take({"kind": "held-out", **asdict(ScoreEvaluation(0, 20, 1.5, 2.25, None, 0.5))})
    run.take({"kind": "held-out", **asdict(ScoreEvaluation(20, 20, 0.75, 2.25, 0.875, 0.75))})
    training.run = run
    training.changed.emit()
    training.advanced.emit()
    values = page.state.numbers.values
    texts = {name: values[name].text() for name in ("pearson", "spearman", "error", "mean")}
    assert texts == {"pearson": "0.875", "spearman": "0.750", "error": "0.750", "mean": "2.250"}
    assert not values["right"].isVisibleTo(page.state)
    assert [curve.name for curve in page.curves.accuracies.curves] == ["Pearson", "Spearman"]
    assert page.curves.accuracies.written(0.875) == "0.875"
