"""The Training page: what it shows of a run, its curves, and its buttons and keys; no window, no process."""

from __future__ import annotations

import gc
import json
import weakref
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from bertviz_app.errors import Message, as_json
from bertviz_app.features.training.finetuning.settings import (
    MultiLabelEvaluation,
    ScoreEvaluation,
    SpanCounts,
    TuningSettings,
)
from bertviz_app.features.training.pretraining.settings import PretrainingSettings
from bertviz_app.features.training.process.job import TrainingJob, Watch
from bertviz_app.features.training.state import LiveRun, Training
from bertviz_app.features.training.views.curves import accuracy_curves, loss_curves
from bertviz_app.features.training.views.form import PretrainingFields, TuningFields
from bertviz_app.features.training.views.page import TrainingPage
from bertviz_app.features.training.views.runs import StepPlayer
from bertviz_app.features.training.watched_sentence import WatchedSentence
from bertviz_app.learning.words import recorded_run
from bertviz_app.views.kit.labels import drawn_texts
from bertviz_app.views.kit.look import Look
from bertviz_app.views.plots.charts import Curve, CurvePlot
from tests.support.published_tables import TABLES
from tests.support.scene import look, move, on_screen, pixels_of
from tests.support.training_scene import (
    LEARNING,
    FakeLaunch,
    evaluation,
    report,
    send,
    start,
    tag_evaluation,
    tiny_job,
    training_alone,
    tuning_evaluation,
    tuning_job,
    tuning_report,
    write_step,
)

__all__ = ["look", "training_alone"]


@pytest.fixture
def page(qtbot: QtBot, look: Look, training: Training) -> TrainingPage:
    page = on_screen(qtbot, TrainingPage(look, training), 1280, 760)
    page.activateWindow()
    return page


class Watched(QObject):
    """A watched sentence of three saved steps, until `end`."""

    changed = Signal()
    is_busy = False

    def __init__(self) -> None:
        super().__init__()
        self.shown: SimpleNamespace | None = SimpleNamespace(step=1, steps=[1, 2, 3])

    def choose(self, step: int) -> None:
        """Show another step."""

    def end(self) -> None:
        self.shown = None
        self.changed.emit()


@pytest.fixture
def pretraining(tmp_path: Path) -> LiveRun:
    run = LiveRun(tiny_job(tmp_path))
    for message in (evaluation(0, 0.0), report(1), report(2), evaluation(2, 0.25), report(3)):
        run.take(message)
    return run


@pytest.fixture
def tuning(tmp_path: Path) -> LiveRun:
    run = LiveRun(tuning_job(tmp_path, tmp_path, tmp_path / "rows.tsv"))
    for message in (
        tuning_evaluation(0, 0.5),
        tuning_report(1),
        tuning_report(2),
        tuning_evaluation(2, 0.75),
    ):
        run.take(message)
    return run


def _curve(values: list[float], colour: str = "accent", name: str = "loss") -> Curve:
    return Curve(name, colour, np.arange(len(values), dtype=np.float64), np.array(values))


@pytest.fixture
def plot(qtbot: QtBot, look: Look) -> CurvePlot:
    return on_screen(qtbot, CurvePlot(look), 400, 240)


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
    watch.overview.part_chosen.emit((1, 2))
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


def test_a_checkpoint_that_is_trained_further_replaces_the_sizes(
    qtbot: QtBot, page: TrainingPage, training: Training, launch: FakeLaunch
) -> None:
    fields = page.form.pretraining
    assert fields.fields["size"].isVisible()
    assert not fields.base.isVisible()
    training.change(base="/models/mine", base_name="mine", follows_run_a=False)
    fields.fields["begins_at_base"].click()
    assert not fields.fields["size"].isVisible()
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


def test_the_first_rows_are_shown_where_the_columns_are_not_plain(
    qtbot: QtBot, page: TrainingPage, training: Training, tmp_path: Path
) -> None:
    rows = tmp_path / "kor_hate.tsv"
    rows.write_text(TABLES["kor_hate"], encoding="cp949")
    training.change(task="finetune", rows=str(rows))
    fields = page.form.tuning
    qtbot.waitUntil(lambda: training.look is not None)
    assert fields.look.question.isVisible()
    assert not fields.look.details.isVisible()
    assert "does not show which column has the labels" in fields.look.unclear.text()
    model = fields.look.question.rows.model()
    names = [model.headerData(at, Qt.Orientation.Horizontal) for at in range(4)]
    assert names == ["comments", "contain_gender_bias", "bias", "hate"]
    assert fields.look.question.rows.rowCount() == 5
    box = fields.look.question.boxes["label_column"]
    assert box.currentText() == "Choose …"
    index = box.findText("hate")
    box.setCurrentIndex(index)
    box.activated.emit(index)
    assert training.form.label_column == "hate"
    qtbot.waitUntil(lambda: training.look is not None)
    assert not fields.look.question.isVisible()
    assert not fields.look.unclear.isVisible()
    assert "is read as CP949, separated by tab: label in column hate" in fields.look.reading.text()
    fields.look.details.click()
    assert fields.look.question.isVisible()
    shown = {name: box.currentText() for name, box in fields.look.question.boxes.items()}
    assert shown["label_column"] == "hate"
    assert shown["text_column"] == "comments"
    assert (shown["pair_column"], shown["encoding"]) == ("none", "found: CP949")


def test_the_column_of_the_texts_of_a_table_is_chosen_below_its_first_rows(
    qtbot: QtBot, page: TrainingPage, training: Training, launch: FakeLaunch, tmp_path: Path
) -> None:
    texts, fields = training.form.files, page.form.pretraining
    qtbot.waitUntil(lambda: training.look is not None)
    assert not fields.look.isVisible(), "a text has no columns"
    wiki = tmp_path / "wiki.parquet"
    parquet.write_table(pa.table({"title": ["Cats", "Dogs"], "text": ["They purr.", "They bark."]}), wiki)
    training.change(files=(*texts, str(wiki)))
    qtbot.waitUntil(fields.look.question.isVisible)
    words = "In wiki.parquet several columns may be the text: title, text. Make your choice in "
    assert fields.look.unclear.text().startswith(words)
    training.start()
    assert training.run is None
    box = fields.look.question.boxes["column"]
    assert box.currentText() == "Choose …"
    box.setCurrentIndex(box.findText("text"))
    box.activated.emit(box.currentIndex())
    qtbot.waitUntil(fields.look.details.isVisible)
    assert fields.look.reading.text() == "wiki.parquet is read as Parquet: column text."
    assert not fields.look.unclear.isVisible()
    process = start(qtbot, page, training, launch)
    assert isinstance(process.job.settings, PretrainingSettings)
    assert process.job.settings.column == "text"
    training.change(files=texts)
    assert training.form.column == "", "it was that of a file which is left out"


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


def test_a_training_on_several_labels_shows_micro_and_macro_f1(
    page: TrainingPage, training: Training
) -> None:
    run = LiveRun(TrainingJob((Path("rows.tsv"),), Path("out"), TuningSettings(), Watch("the cat")))
    counts = SpanCounts("a", 10, 10, 5), SpanCounts("b", 5, 5, 5)
    found = MultiLabelEvaluation(20, 20, 0.75, 0.25, counts, (0.5, 0.5))
    run.take({"kind": "held-out", **json.loads(json.dumps(asdict(found)))})
    training.run = run
    training.changed.emit()
    training.advanced.emit()
    values = page.state.numbers.values
    texts = {name: values[name].text() for name in ("micro", "macro", "commonest")}
    assert texts == {"micro": "66.7% of 20", "macro": "75.0%", "commonest": "25.0%"}
    told = {label.text(): label.toolTip() for label in page.findChildren(QLabel)}
    for measure in ("Micro", "Macro"):
        rule = "Each label is predicted from a probability of 0.5 on, which is not chosen on any rows"
        assert told[f"{measure} F1 on held-out data"].endswith(rule)
    assert not values["right"].isVisibleTo(page.state)
    names = ["Micro F1", "Macro F1", "Baseline: most frequent label"]
    assert [curve.name for curve in page.curves.accuracies.curves] == names


def test_what_the_labels_are_is_chosen_below_the_first_rows(
    qtbot: QtBot, page: TrainingPage, training: Training, tmp_path: Path
) -> None:
    fields = page.form.tuning
    boxes = fields.look.question.boxes

    def choose(name: str, text: str) -> None:
        boxes[name].setCurrentIndex(boxes[name].findText(text))
        boxes[name].activated.emit(boxes[name].currentIndex())
        qtbot.waitUntil(lambda: training.look is not None)

    flags = tmp_path / "flags.csv"
    flags.write_text("id,comment,toxic,threat\n1,a b,1,0\n2,c d,0,0\n3,e f,1,1\n")
    training.change(task="finetune", rows=str(flags))
    qtbot.waitUntil(lambda: training.look is not None)
    choose("label_column", "0 or 1 each: toxic, threat")
    assert "label in column toxic, threat, text in column comment" in fields.look.reading.text()
    assert boxes["label_column"].currentText() == "0 or 1 each: toxic, threat"
    joined = tmp_path / "joined.tsv"
    joined.write_text("text\tlabel\na b\t2,14\nc d\t2\n")
    training.change(rows=str(joined))
    qtbot.waitUntil(lambda: training.look is not None)
    assert fields.look.unclear.text().endswith(
        "one label, or several. Make your choice in “The labels are”, below the first rows."
    )
    choose("target", "several labels a text")
    assert not fields.look.unclear.isVisible()
    assert "of which a row may have several or none" in fields.look.reading.text()


def test_the_button_plays_again_after_the_run_that_was_played_is_left(qtbot: QtBot) -> None:
    watched = Watched()
    player = StepPlayer(cast(WatchedSentence, watched))
    qtbot.addWidget(player)
    player.play.click()
    assert player.play.text() == "■"
    watched.end()
    assert player.play.text() == "▶"


def test_a_pretraining_has_the_curves_of_both_tasks_and_baselines(pretraining: LiveRun) -> None:
    # the losses of a pretraining are those of both tasks smoothed
    masked, following = loss_curves(pretraining)
    assert (masked.name, following.name) == ("Masked tokens", "Next sentence")
    assert masked.steps.tolist() == following.steps.tolist() == [1, 2, 3]
    assert masked.raw is not None
    assert following.raw is not None
    assert masked.raw.tolist() == [4.99, 4.98, 4.97]
    assert following.raw.tolist() == [0.69] * 3
    assert masked.values[0] == pytest.approx(masked.raw[0])
    assert masked.colour != following.colour
    # the accuracies of a pretraining stand beside their baselines
    masked, following, commonest, chance = accuracy_curves(pretraining)
    assert masked.steps.tolist() == [0, 2]
    assert masked.values.tolist() == [0.0, 0.25]
    assert following.values.tolist() == [0.5, 0.5]
    assert masked.is_marked
    assert following.is_marked
    for level, value in ((commonest, 0.06), (chance, 0.5)):
        assert level.is_level
        assert level.steps.tolist() == [0, 3], "from the first step to the last"
        assert level.values.tolist() == [value, value]
    assert chance.colour == following.colour


def test_a_fine_tuning_has_the_loss_and_accuracy_of_held_out_data(tuning: LiveRun) -> None:
    rows, held_out = loss_curves(tuning)
    assert (rows.name, held_out.name) == ("Training data", "Held-out data")
    assert rows.steps.tolist() == [1, 2]
    assert not rows.is_marked
    assert held_out.steps.tolist() == [0, 2]
    assert held_out.values.tolist() == [0.6, 0.6]
    accuracy, level = accuracy_curves(tuning)
    assert accuracy.values.tolist() == [0.5, 0.75]
    assert (level.name, level.steps.tolist()) == ("Baseline: most frequent label", [0, 2])
    assert set(level.values.tolist()) == {0.55}


def test_a_tagger_has_an_accuracy_of_words_and_the_f1_of_spans(tmp_path: Path) -> None:
    run = LiveRun(tuning_job(tmp_path, tmp_path, tmp_path / "words.txt"))
    for message in (tag_evaluation(0, 0.5), tuning_report(1), tag_evaluation(2)):
        run.take(message)
    words, spans, commonest = accuracy_curves(run)
    names = ("Accuracy of words", "F1 of the spans", "Baseline: most frequent label")
    assert (words.name, spans.name, commonest.name) == names
    assert words.values.tolist() == [0.5, 0.75]
    assert spans.values.tolist() == pytest.approx([2 * 3 / (6 + 5)] * 2)
    assert commonest.values.tolist() == [0.55, 0.55]
    assert words.colour != spans.colour
    run.take(tag_evaluation(3, has_spans=False))
    assert [curve.name for curve in accuracy_curves(run)] == [names[0], names[2]]


def _rect_of(plot: CurvePlot) -> QRectF:
    """Return where the curves are drawn, in pixels of the plot."""
    plot.lay_out()
    return QRectF(plot.box.sceneBoundingRect())


def test_a_curve_is_drawn_and_read_out_where_its_values_are(plot: CurvePlot, look: Look) -> None:
    # a line is drawn where its values are
    plot.show_curves([_curve([1.0] * 50), _curve([0.5] * 50, "sentence_b", "other")], "step")
    rect, (_, top) = _rect_of(plot), plot.ends()
    picture = pixels_of(plot)
    x = round(rect.center().x()) + 3
    for value, colour in ((1.0, "accent"), (0.5, "sentence_b")):
        y = round(rect.bottom() - value / top * rect.height())
        near = picture[y - 2 : y + 3, x]
        assert (look.colour(colour).rgb() & 0xFFFFFF) in near.tolist()
    # the pointer shows the values of the nearest step
    plot.show_curves([_curve([3.0, 2.0, 1.0] * 10)], "step")
    before = pixels_of(plot)
    centre: QPointF = _rect_of(plot).center()
    move(plot, centre.x(), centre.y())
    read = [text for _, text in drawn_texts(plot) if text in plot.read_out.lines]
    assert read == ["step 14", "loss 1.000"]
    move(plot, 2, 2)
    np.testing.assert_array_equal(pixels_of(plot), before)


def test_a_curve_that_grows_keeps_the_zoom_unless_all_was_in_sight(plot: CurvePlot) -> None:
    plot.show_curves([_curve([2.0] * 50)], "step")
    plot.show_curves([_curve([2.0] * 60)], "step")
    assert plot.box.viewRange()[0] == pytest.approx([0, 59])
    plot.box.show_part(QRectF(10, 0, 20, 1))
    items = plot.items_of_curves
    plot.show_curves([_curve([2.0] * 90)], "step")
    assert plot.box.viewRange()[0] == pytest.approx([10, 30])
    assert plot.items_of_curves == items, "the lines are given the new values"
    plot.box.show_all()
    assert plot.box.viewRange()[0] == pytest.approx([0, 89])


def test_before_the_first_training_a_recorded_one_is_seen(page: TrainingPage, training: Training) -> None:
    """Its numbers are those of the file; the first step of one's own takes its place."""
    run, recorded = recorded_run(), page.recorded
    assert recorded.isVisible()
    (losses,), (accuracies,) = recorded.losses.curves, recorded.accuracies.curves
    assert losses.raw is not None
    np.testing.assert_array_equal(losses.raw, run.losses)
    assert len(accuracies.values) == len(run.accuracies) == len(run.losses)
    assert f"{100 * run.held_out:.0f} %" in recorded.note.text()
    assert run.baseline < run.held_out < 1


@pytest.mark.parametrize("kind", [TuningFields, PretrainingFields])
def test_fields_of_a_window_that_was_closed_hear_nothing(
    qtbot: QtBot, training: Training, kind: type[TuningFields | PretrainingFields]
) -> None:
    """Another language builds the window anew; the training stays."""
    fields = kind(training)
    gone = weakref.ref(fields)
    fields.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    del fields
    with qtbot.capture_exceptions() as caught:
        training.look_changed.emit()
        training.form_changed.emit()
    assert caught == []
    gc.collect()
    assert gone() is None
