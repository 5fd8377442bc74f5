"""One head over a corpus: examples that are collected, their sentences, and notes that are never lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

import bertviz_app
from bertviz_app import paths
from bertviz_app.errors import FileError
from bertviz_app.features.corpora.dossier import DossierFile, HeadNotes
from bertviz_app.features.corpora.process.reading import result_name
from bertviz_app.features.corpora.state.corpus import CorpusStudy, MeasureOf
from bertviz_app.features.corpora.views.head_page import MOST_OF_TENTH, STRONGEST, HeadStudy
from bertviz_app.inference.engine import Engine
from bertviz_app.inference.jobs import Jobs
from bertviz_app.json_store import finish_writing
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.results import Tasks
from tests.features.corpora.conftest import LINES

pytestmark = pytest.mark.usefixtures("in_this_process")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "dossiers", lambda: tmp_path / "dossiers")


@pytest.fixture
def trace(tiny_bert: Path) -> Trace:
    return bertviz_app.open_model(str(tiny_bert), "cpu").trace("the cat")


@pytest.fixture
def study(qtbot: QtBot) -> Iterator[HeadStudy]:
    errors: list[Exception] = []
    workers = [Jobs(name) for name in ("corpus", "finder", "collector", "reader")]
    tasks = [Tasks(jobs) for jobs in workers]
    for jobs in workers:
        jobs.start()
    corpus = CorpusStudy(tasks[0], tasks[1], errors.append)
    yield HeadStudy(corpus, Engine(), (tasks[2], tasks[3]), errors.append)
    for jobs in workers:
        jobs.close()
    assert errors == []


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def table(texts: Path, tiny_bert: Path, tmp_path: Path) -> Path:
    """A table of the texts, measured in this process."""
    bertviz_app.open_model(str(tiny_bert), "cpu").measure_corpus(texts, tmp_path / "heads.npz")
    return tmp_path / "heads.npz"


def _opened(
    qtbot: QtBot, study: HeadStudy, file: Path, ref: Path | None = None, trace: Trace | None = None
) -> None:
    if trace is not None:
        study.corpus.show_current(None, trace)
    with qtbot.waitSignal(study.corpus.changed, timeout=120_000):
        study.corpus.open(file, None if ref is None else str(ref))


def test_examples_are_collected_once_and_shown_with_their_sentences(
    qtbot: QtBot, study: HeadStudy, texts: Path, tiny_bert: Path, trace: Trace
) -> None:
    _opened(qtbot, study, texts, tiny_bert, trace)
    assert study.examples is None
    assert not study.is_collecting, "collecting takes long: it is begun by the user"
    study.show((1, 2))
    study.collect()
    assert study.is_collecting
    qtbot.waitUntil(lambda: bool(study.groups), timeout=120_000)
    groups = study.groups
    assert [group.tenth for group in groups] == [STRONGEST, *reversed(range(10))]
    assert all(len(group.examples) <= MOST_OF_TENTH for group in groups[1:])
    for group in groups:
        for one in group.examples:
            assert one.text == LINES[one.example.line - 1]
            assert one.tokens is not None
            assert one.tokens.pieces[one.example.query] == one.example.query_piece
            assert group.least - 1e-6 <= one.example.weight <= group.largest + 1e-6
    study.step(1)
    assert (study.head, study.groups) == ((1, 3), ())
    qtbot.waitUntil(lambda: bool(study.groups))
    study.step(1)
    assert study.head == (1, 3), "the last one"
    assert (study.place, study.n_heads) == (7, 8)
    study.show((99, -3))
    assert study.head == (1, 0)


def test_of_another_checkpoint_sentences_are_not_cut(
    qtbot: QtBot, study: HeadStudy, measured_table: Path
) -> None:
    _opened(qtbot, study, measured_table)
    study.collect()
    qtbot.waitUntil(lambda: bool(study.groups), timeout=120_000)
    assert all(one.tokens is None and one.text for group in study.groups for one in group.examples)


def test_texts_that_are_gone_are_a_problem_that_is_said(
    qtbot: QtBot, study: HeadStudy, texts: Path, table: Path
) -> None:
    _opened(qtbot, study, table)
    texts.unlink()
    study.collect()
    qtbot.waitUntil(lambda: study.problem is not None)
    assert isinstance(study.problem, FileError)
    assert not study.is_collecting


def test_a_damaged_file_of_examples_is_a_problem_that_is_said(
    qtbot: QtBot, study: HeadStudy, texts: Path, table: Path
) -> None:
    _opened(qtbot, study, table)
    assert study.corpus.corpus is not None
    about = study.corpus.corpus.table.about
    result_name(texts, about.checkpoint, "head-examples").write_bytes(b"damaged")
    study.show((0, 0))  # what is collected already is read at once
    qtbot.waitUntil(lambda: study.problem is not None)
    assert "has no examples of heads" in study.problem.message  # type: ignore[union-attr]


def test_collecting_can_be_stopped(qtbot: QtBot, study: HeadStudy, table: Path) -> None:
    _opened(qtbot, study, table)
    study.collect()
    study.cancel()
    assert not study.is_collecting
    assert study.examples is None


def _notes(qtbot: QtBot, study: HeadStudy, trace: Trace) -> DossierFile:
    study.corpus.show_current(None, trace)
    study.show((0, 1))
    qtbot.waitUntil(lambda: study.dossier is not None)
    return DossierFile(trace.fingerprint, trace.model)


def test_what_is_typed_is_saved_after_a_pause_and_when_the_head_changes(
    qtbot: QtBot, study: HeadStudy, trace: Trace
) -> None:
    file = _notes(qtbot, study, trace)
    for text in ("L", "Lo", "Looks back"):
        study.set_note(text)
    study.show((1, 1))
    finish_writing()
    assert file.read()[0, 1].note == "Looks back"
    study.set_note("Other")
    qtbot.waitUntil(lambda: file.read()[1, 1].note == "Other", timeout=5000)


def test_changes_are_undone_one_by_one(qtbot: QtBot, study: HeadStudy, trace: Trace, tmp_path: Path) -> None:
    file = _notes(qtbot, study, trace)
    assert not study.can_undo
    study.set_note("a")
    study.set_note("ab")
    study.set_tags(["syntax", " syntax ", "", "other"])
    assert list(study.notes.tags) == ["syntax", "other"]
    picture = study.new_picture()
    picture.write_bytes(b"a picture")
    study.add_evidence(picture, "the cat", None, "Matrix")
    assert study.notes.evidence[0].text == "the cat"
    study.remove_evidence(0)
    assert not study.notes.evidence
    study.undo()
    assert study.notes.evidence[0].picture == picture.name
    assert picture.exists(), "a picture that is taken out of the notes stays on disk"
    study.undo()
    study.undo()
    assert study.notes == HeadNotes(0, 1, "ab")
    study.undo()
    assert study.notes.is_empty, "what is typed without a pause is one step"
    finish_writing()
    assert len(file.read()) == 0


def test_measures_of_the_corpus_and_of_the_sentence_are_offered(
    qtbot: QtBot, study: HeadStudy, measured_table: Path, trace: Trace
) -> None:
    from bertviz_app.analysis.measures import head_overview

    corpus = study.corpus
    _opened(qtbot, study, measured_table)
    assert {one.of for one in corpus.offered_measures} == {"corpus"}
    overview = head_overview(trace)
    corpus.show_current(overview, trace)
    sentence = MeasureOf("sentence", "entropy")
    assert sentence in corpus.offered_measures
    assert corpus.numbers_of(sentence).tolist() == overview.measures["entropy"].tolist()
    assert corpus.corpus is not None
    means = corpus.corpus.summary.means[corpus.measures.index("first")]
    assert corpus.numbers_of(MeasureOf("corpus", "first")).tolist() == means.tolist()
