"""A file of texts that is measured: what is asked first, and what can be looked at meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.errors import Check
from bertviz_app.features.corpora.process.measuring import TextReading
from bertviz_app.features.corpora.state import corpus as module
from bertviz_app.features.corpora.state.corpus import CorpusStudy
from bertviz_app.viewmodels.results import FractionDone, Tasks
from tests.support.fakes import HeldJobs

TABLE = "line,n_tokens,layer,head,entropy\n1,4,0,0,0.25\n"


class Scene:
    """A study whose measuring is replaced: it notes how the file was to be read, and finds `TABLE`."""

    def __init__(self, folder: Path, application: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
        self.jobs, self.errors = HeldJobs(), list[Exception]()
        self.measured: list[tuple[str | None, TextReading]] = []
        self.study = CorpusStudy(Tasks(self.jobs), Tasks(HeldJobs()), self.errors.append)
        self._application = application
        table = folder / "heads.csv"
        table.write_text(TABLE, encoding="utf-8")

        def measure(
            path: Path, ref: str | None, progress: FractionDone, check: Check, reading: TextReading
        ) -> Path:
            self.measured.append((ref, reading))
            return table

        monkeypatch.setattr(module, "measure_file", measure)

    def work(self) -> None:
        while self.jobs.submitted:
            self.jobs.submitted.pop(0).run()
            self._application.processEvents()


@pytest.fixture
def scene(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(tmp_path, qapp, monkeypatch)


def _texts(folder: Path) -> Path:
    path = folder / "texts.csv"
    path.write_bytes("번호,문장\n1,고양이\n2,배\n".encode("cp949"))
    return path


def _work(application: QApplication, jobs: HeldJobs) -> None:
    while jobs.submitted:
        jobs.submitted.pop(0).run()
        application.processEvents()


def test_a_column_is_measured_once_it_is_chosen(scene: Scene, tmp_path: Path) -> None:
    study = scene.study
    study.open(_texts(tmp_path), "model")
    scene.work()
    assert study.asked is not None
    assert study.asked.error.preview.columns == ("번호", "문장")
    assert study.asked.error.preview.encoding == "CP949"
    assert (study.busy_with, scene.measured) == ("", [])
    study.measure_asked()
    scene.work()
    assert scene.measured == [], "no column is chosen"
    study.answer({"column": "문장", "separator": "", "encoding": ""})
    study.measure_asked()
    scene.work()
    assert scene.measured == [("model", TextReading("문장"))]
    assert study.asked is None
    assert study.corpus is not None
    assert scene.errors == []


def test_another_encoding_shows_other_rows(scene: Scene, tmp_path: Path) -> None:
    study = scene.study
    study.open(_texts(tmp_path), None)
    scene.work()
    study.answer({"column": "", "separator": "", "encoding": "CP1252"})
    scene.work()
    assert study.asked is not None
    assert study.asked.error.preview.encoding == "CP1252"
    assert study.asked.values["encoding"] == "CP1252"
    study.measure_asked(is_prose=True)
    scene.work()
    assert scene.measured == [(None, TextReading(encoding="CP1252", is_prose=True))]


def test_sentences_are_found_while_another_file_is_measured(qapp: QApplication, tmp_path: Path) -> None:
    table, errors = tmp_path / "heads.csv", list[Exception]()
    rows = [f"{line},4,0,0,{line / 4}" for line in (1, 2, 3)]
    table.write_text("\n".join(["line,n_tokens,layer,head,entropy", *rows, ""]), encoding="utf-8")
    measuring, finding = HeldJobs(), HeldJobs()
    study = CorpusStudy(Tasks(measuring), Tasks(finding), errors.append)
    study.open(table, None)
    _work(qapp, measuring)
    study.open(tmp_path / "texts.txt", None)
    assert len(measuring.submitted) == 1, "this one takes hours"
    assert study.corpus is not None
    (counts,) = study.corpus.summary.bars[0, 0]
    number = int(counts.argmax())
    study.choose((0, 0), number)
    _work(qapp, finding)
    assert study.sentences is not None
    assert len(study.sentences) == counts[number]
    assert study.busy_with == "texts.txt"
    assert errors == []
