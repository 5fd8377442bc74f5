"""What is found about the rows of a fine-tuning is known before it begins, and can be changed in the form."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.inference.jobs import Jobs
from bertviz_app.text_tables.table import TableChoices
from bertviz_app.viewmodels.tasks import Tasks
from bertviz_app.viewmodels.training.table_look import TableLook, look_at
from bertviz_app.viewmodels.training.training import Training
from tests.support.published_tables import TABLES
from tests.support.tagged_texts import write_conll
from tests.support.training_scene import FakeLaunch


def _written(folder: Path, name: str, encoding: str = "utf-8") -> Path:
    path = folder / f"{name}.tsv"
    path.write_text(TABLES[name], encoding=encoding)
    return path


def test_a_table_with_known_names_is_described(tmp_path: Path) -> None:
    look = look_at(_written(tmp_path, "kornli", "cp949"), None, TableChoices())
    assert look.error is None
    assert look.columns == {
        "label_column": "gold_label",
        "text_column": "sentence1",
        "pair_column": "sentence2",
    }
    assert look.preview is not None
    assert (look.preview.encoding, len(look.preview.rows)) == ("CP949", 5)
    assert "is read as CP949" in look.notices[0]


def test_the_file_to_evaluate_on_is_read_alike(tmp_path: Path) -> None:
    rows, test = _written(tmp_path, "kornli"), _written(tmp_path, "kor_hate")
    look = look_at(rows, test, TableChoices())
    assert look.is_asking
    look = look_at(rows, rows, TableChoices())
    assert look.error is None
    assert len([notice for notice in look.notices if " is read as " in notice]) == 2


def test_a_file_of_one_label_is_wrong_and_not_unclear(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text("label\ttext\n1\ta cat\n1\ta fish\n", encoding="utf-8")
    look = look_at(path, None, TableChoices())
    assert look.error is not None
    assert not look.is_asking
    assert look.preview is not None
    assert look_at(tmp_path / "none.tsv", None, TableChoices()).preview is None


def test_labels_of_words_are_told_from_those_of_texts(tmp_path: Path) -> None:
    data = write_conll(tmp_path / "words.txt")
    look = look_at(data, data, TableChoices())
    assert look.error is None
    assert look.columns == {"label_column": "4", "text_column": "1", "pair_column": ""}
    assert look.notices[0].startswith("words.txt is read as UTF-8, CoNLL: a label for each word, in column 4")
    assert len(look.notices) == 2
    assert look.preview is not None
    assert (look.preview.encoding, len(look.preview.columns), len(look.preview.rows)) == ("UTF-8", 4, 5)
    assert look_at(data, None, TableChoices(target="classes")).is_asking


def test_what_is_wrong_with_labels_of_words_can_be_answered(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text("1\tcat\tcat\tNOUN\tNN\t_\t0\troot\t_\t_\n" * 2)
    look = look_at(path, None, TableChoices())
    assert look.is_asking
    assert look.preview is not None
    assert look.preview.columns[3] == "UPOS"
    look = look_at(path, None, TableChoices(label_column="UPOS"))
    assert look.error is not None
    assert look.error.message == "All words of a.conllu have the label “NOUN”."
    assert look.columns["label_column"] == "UPOS"
    path.write_text("some text\nand more\nof\n")
    assert look_at(path, None, TableChoices(target="tokens")).preview is not None


@pytest.fixture
def launch() -> FakeLaunch:
    return FakeLaunch()


@pytest.fixture
def training(qtbot: QtBot, tmp_path: Path, launch: FakeLaunch) -> Iterator[Training]:
    errors: list[Exception] = []
    jobs = Jobs("test")
    made = Training(Tasks(jobs), errors.append, launch)
    jobs.start()
    made.change(task="finetune", folder=str(tmp_path / "m"), text="the cat")
    yield made
    made.close()
    jobs.close()
    assert errors == []


def _look(qtbot: QtBot, training: Training) -> TableLook:
    qtbot.waitUntil(lambda: training.look is not None)
    assert training.look is not None
    return training.look


def test_an_unclear_file_stops_the_start_until_it_is_answered(
    qtbot: QtBot, training: Training, launch: FakeLaunch, tmp_path: Path
) -> None:
    training.change(rows=str(_written(tmp_path, "kor_hate")))
    assert _look(qtbot, training).is_asking
    training.start()
    assert training.problem is training.look.error if training.look else False
    assert training.run is None
    training.change(label_column="hate", text_column="comments")
    assert training.problem is None
    assert _look(qtbot, training).error is None
    training.start()
    assert training.run is not None
    assert training.run.job.table == TableChoices("hate", "comments")
    qtbot.waitUntil(lambda: bool(launch.processes))


def test_answers_do_not_hold_for_another_file(qtbot: QtBot, training: Training, tmp_path: Path) -> None:
    training.change(rows=str(_written(tmp_path, "kor_hate")), label_column="hate")
    assert _look(qtbot, training).error is None
    training.change(test=str(_written(tmp_path, "kor_hate")))
    assert training.form.table == TableChoices("hate")
    training.change(rows=str(_written(tmp_path, "nsmc")), test="")
    assert training.form.table == TableChoices()
    assert _look(qtbot, training).error is None
    training.change(rows="")
    assert training.look is None
