"""`CorpusStudy`: while a file is measured, the table that is open can be looked at."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication

from bertviz_app.viewmodels.corpus.study import CorpusStudy
from bertviz_app.viewmodels.tasks import Tasks
from tests.support.fakes import HeldJobs


def _work(application: QApplication, jobs: HeldJobs) -> None:
    while jobs.submitted:
        jobs.submitted.pop(0).run()
        application.processEvents()


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
