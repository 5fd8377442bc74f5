"""The watched sentence is read and drawn on a worker, as it was requested."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication

from bertviz_app.trace.archive import save_trace
from bertviz_app.viewmodels.tasks import Tasks
from bertviz_app.viewmodels.training.watched_sentence import WatchedSentence
from tests.support.factories import make_trace
from tests.support.fakes import HeldJobs


def test_a_picture_is_drawn_with_the_options_of_its_request(
    qapp: QApplication, jobs: HeldJobs, tmp_path: Path
) -> None:
    save_trace(make_trace(6, n_layers=2), tmp_path / "step-000010.npz")
    failures: list[Exception] = []
    watched = WatchedSentence(Tasks(jobs), failures.append)
    watched.show_folder(tmp_path)
    watched.options.change(hides_special=True)  # while the worker reads the file
    jobs.of("watched")[0].run()
    qapp.processEvents()
    assert failures == []
    assert watched.shown is not None
    (picture,) = watched.shown.pictures
    assert not picture.options.hides_special


def test_steps_that_are_saved_faster_than_they_are_read_are_shown_nevertheless(
    qapp: QApplication, jobs: HeldJobs, tmp_path: Path
) -> None:
    failures: list[Exception] = []
    watched = WatchedSentence(Tasks(jobs), failures.append)
    watched.show_folder(tmp_path)
    jobs.of("watched")[-1].run()
    qapp.processEvents()
    for step in (1, 2, 3):
        save_trace(make_trace(6, n_layers=2), tmp_path / f"step-{step:06d}.npz")
        watched.note_saved()
    _, first = jobs.of("watched")
    first.run()
    qapp.processEvents()
    assert watched.shown is not None
    assert watched.is_busy, "the steps that were saved meanwhile are looked for"
    jobs.of("watched")[-1].run()
    qapp.processEvents()
    assert watched.shown.steps == (1, 2, 3)
    assert not watched.is_busy
    assert failures == []
