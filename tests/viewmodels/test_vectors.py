"""Vectors of one run and of two and their pictures, and the shelf of sentences that are kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.analysis.compare import align
from bertviz_app.analysis.vectors import cosine_matrix, cosines_between, pca
from bertviz_app.text import Edits
from bertviz_app.trace import Trace
from bertviz_app.viewmodels import vectors as kept_vectors, vectors as module
from bertviz_app.viewmodels.results import Results, Tasks
from bertviz_app.viewmodels.runs.run import Difference
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.vectors import (
    KeptVectors,
    Subject,
    VectorPictures,
    cls_picture,
    maps,
    similar,
    strips,
    subject_of,
)
from tests.support.factories import make_trace, random_trace
from tests.support.fakes import FakeEngine, HeldJobs, tokens_of
from tests.support.scene import not_none


def _pair() -> tuple[Trace, Trace, Subject]:
    """Return two runs, B with one word more and one other word, and their difference."""
    one, other = (
        random_trace(tokens_of(text), seed=seed)
        for seed, text in enumerate(("the cat sat down", "the old cat sat up"))
    )
    alignment = align(one.tokens.pieces, other.tokens.pieces)
    return one, other, Subject((one, other), alignment.positions)


@pytest.fixture
def pictures(qapp: QApplication, jobs: HeldJobs, monkeypatch: pytest.MonkeyPatch) -> VectorPictures:
    """Pictures of which every one counts as heavy."""
    monkeypatch.setattr(module, "_LIGHT", 0)
    return VectorPictures(Results(Tasks(jobs), _raise))


def _raise(error: Exception) -> None:
    raise error


class Room:
    """A workspace on a fake engine, its shelf, and what they told."""

    def __init__(self, jobs: HeldJobs, application: QApplication) -> None:
        self.workspace = Workspace(FakeEngine(), Tasks(jobs))
        self.shelf = KeptVectors(self.workspace)
        self.n_changes = 0
        self.shelf.changed.connect(self._on_changed)
        self._jobs, self._application = jobs, application

    def _on_changed(self) -> None:
        self.n_changes += 1

    def work(self) -> None:
        self._application.processEvents()
        while self._jobs.submitted:
            self._jobs.submitted.pop(0).run()
            self._application.processEvents()

    def type(self, text: str, pair: str | None = None) -> None:
        self.workspace.set_texts(text, pair, at_once=True)
        self.work()

    @property
    def texts(self) -> list[str]:
        return [item.text for item in self.shelf.current]


@pytest.fixture
def room(qapp: QApplication, jobs: HeldJobs, monkeypatch: pytest.MonkeyPatch) -> Room:
    """A room with an open checkpoint, in which nothing settles by itself."""
    monkeypatch.setattr(kept_vectors, "SETTLED_MS", 3_600_000)
    room = Room(jobs, qapp)
    room.workspace.open_model(None)
    room.work()
    return room


def test_a_difference_of_vectors_is_a_minus_b_and_has_its_cosines() -> None:
    one, other, subject = _pair()
    assert subject.labels[:3] == ("[CLS]", "the", "– | old")
    for state in range(one.n_layers + 1):
        difference = subject.hidden(state)
        for row, (a, b) in enumerate(subject.positions.tolist()):
            if min(a, b) < 0:
                assert np.isnan(difference[row]).all()
            else:
                np.testing.assert_array_equal(difference[row], one.hidden[state, a] - other.hidden[state, b])
    # cls of two runs and their cosines
    one, other, subject = _pair()
    assert one.pooled is not None
    assert other.pooled is not None
    np.testing.assert_array_equal(subject.cls()[0], one.hidden[0, 0] - other.hidden[0, 0])
    np.testing.assert_array_equal(subject.cls()[-1], one.pooled - other.pooled)
    expected = cosines_between(one.hidden[:, 0], other.hidden[:, 0])
    np.testing.assert_array_equal(subject.cls_cosines()[:-1], expected)


def test_similarity_within_a_run_and_between_two() -> None:
    one, other, subject = _pair()
    np.testing.assert_array_equal(subject_of(one).similarity(1), cosine_matrix(one.hidden[1]))
    found = subject.similarity(1)
    for row, (a, _) in enumerate(subject.positions.tolist()):
        for column, (_, b) in enumerate(subject.positions.tolist()):
            if a < 0 or b < 0:
                assert np.isnan(found[row, column])
            else:
                expected = cosines_between(one.hidden[1, a], other.hidden[1, b])
                assert found[row, column] == pytest.approx(float(expected), abs=1e-6)


def test_the_maps_of_two_runs_lie_on_one_plane_and_gaps_nowhere() -> None:
    one, other, subject = _pair()
    found = maps(subject, common=False)
    n_positions = len(subject.positions)
    for state in range(one.n_layers + 1):
        together = pca(np.concatenate((one.hidden[state], other.hidden[state])))
        points = found.points[state]
        assert np.isnan(points).any(-1).sum() == (subject.positions < 0).sum()
        for row, (a, b) in enumerate(subject.positions.tolist()):
            if a >= 0:
                np.testing.assert_allclose(np.abs(points[row]), np.abs(together.points[a]), atol=1e-4)
            if b >= 0:
                expected = np.abs(together.points[one.n_tokens + b])
                np.testing.assert_allclose(np.abs(points[n_positions + row]), expected, atol=1e-4)


def test_pictures_hold_the_exact_numbers() -> None:
    trace = make_trace(7)
    subject = subject_of(trace)
    np.testing.assert_array_equal(strips(subject, 2).values, trace.hidden[2])
    picture = similar(subject, 1)
    np.testing.assert_array_equal(picture.values, cosine_matrix(trace.hidden[1]))
    others = picture.values[~np.eye(7, dtype=bool)]
    assert picture.limit == pytest.approx(np.abs(others).max())
    per_row, alike = (cls_picture(subject, per_row=per_row) for per_row in (True, False))
    np.testing.assert_array_equal(per_row.values, subject.cls())
    assert per_row.limit is None
    assert alike.limit is not None


def test_runs_that_left_the_screen_are_let_go(
    pictures: VectorPictures, jobs: HeldJobs, qapp: QApplication
) -> None:
    subjects = [subject_of(make_trace(5, seed=seed)) for seed in range(6)]
    for subject in subjects:
        pictures.similar(subject, 0)
    assert len(jobs.cancelled) == 2
    for held in jobs.submitted:
        held.run()
    qapp.processEvents()
    assert pictures.similar(subjects[-1], 0) is not None
    assert pictures.similar(subjects[0], 0) is None


@pytest.mark.parametrize("width", [5, 40])
def test_the_sentence_vector_is_the_last_row_whatever_its_width(width: int) -> None:
    vector = np.linspace(-1, 1, width, dtype=np.float32)
    trace = replace(make_trace(6), sentence_vector=vector)
    subject = subject_of(trace)
    assert subject.has_sentence
    picture = cls_picture(subject, per_row=True)
    assert picture.shape == (len(subject.cls()) + 1, max(width, trace.width))
    np.testing.assert_array_equal(picture.values[:-1, : trace.width], subject.cls())
    np.testing.assert_array_equal(picture.values[-1, :width], vector)
    assert np.isnan(picture.values[:-1, trace.width :]).all()
    assert np.isnan(picture.values[-1, width:]).all()
    assert cls_picture(subject_of(make_trace(6)), per_row=True).shape[0] == len(subject.cls())


def test_of_two_runs_the_sentence_vectors_are_subtracted_and_compared() -> None:
    one, other, subject = _pair()
    vectors = [np.array(numbers, np.float32) for numbers in ((1, 0, 0), (3, 4, 0))]
    runs = tuple(
        replace(run, sentence_vector=vector) for run, vector in zip((one, other), vectors, strict=True)
    )
    both = Subject((runs[0], runs[1]), subject.positions)
    np.testing.assert_array_equal(both.sentence(), [-2, -4, 0])
    assert both.cls_cosines()[-1] == pytest.approx(0.6)
    assert len(both.cls_cosines()) == len(both.cls()) + 1
    of_a = module.cls_cosines(subject_of(runs[0]), Difference((runs[0], runs[1]), align((), ())))
    assert of_a[-1] == pytest.approx(0.6)
    narrow = replace(runs[1], sentence_vector=vectors[1][:2].copy())
    assert not Subject((runs[0], narrow), subject.positions).has_sentence
    assert not Subject((runs[0], other), subject.positions).has_sentence


def test_the_vectors_card_shows_the_sentence_vector_where_it_is_chosen() -> None:
    trace = make_trace(6)
    vector = np.ones(3, np.float32)
    assert module.card_vector(trace, "sentence")[0] == "pooled"
    assert module.card_vector(replace(trace, pooled=None), "sentence")[0] == "cls"
    name, shown = module.card_vector(replace(trace, sentence_vector=vector), "sentence")
    assert name == "sentence"
    assert shown is vector
    assert module.card_vector(replace(trace, sentence_vector=vector), "pooled")[0] == "pooled"


def test_a_text_still_being_typed_is_not_kept(room: Room) -> None:
    for text in ("a", "a c", "a cat"):
        room.type(text)
    assert room.shelf.items == ()


def test_a_text_that_stays_is_kept(
    qapp: QApplication, jobs: HeldJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_vectors, "SETTLED_MS", 0)
    room = Room(jobs, qapp)
    room.workspace.open_model(None)
    room.type("a cat")
    qapp.processEvents()
    assert room.texts == ["a cat"]


def test_at_once_it_is_kept_with_the_numbers_of_the_trace(room: Room) -> None:
    room.type("a cat", "a dog")
    room.shelf.keep()
    (item,) = room.shelf.items
    shown = not_none(room.workspace.shown)
    trace = shown.result.trace
    assert (item.text, item.pair, item.label) == ("a cat", "a dog", "a cat ‖ a dog")
    assert trace.pooled is not None
    np.testing.assert_array_equal(item.vectors["pooled"], trace.pooled)
    np.testing.assert_array_equal(item.vectors["cls"], trace.hidden[-1, 0])
    np.testing.assert_allclose(item.vectors["mean"], trace.hidden[-1].astype(float).mean(0), atol=1e-6)
    assert not np.shares_memory(item.vectors["cls"], trace.hidden)
    assert room.shelf.shown_number == item.number


def test_sentences_are_compared_by_one_of_their_vectors_and_computed_once(room: Room) -> None:
    for text in ("a cat", "a dog", "the end"):
        room.type(text)
        room.shelf.keep()
    found = room.shelf.compared("mean")
    vectors = np.stack([item.vectors["mean"] for item in room.shelf.items]).astype(float)
    lengths = np.linalg.norm(vectors, axis=1)
    np.testing.assert_allclose(found.cosines, vectors @ vectors.T / np.outer(lengths, lengths), atol=1e-6)
    assert found.items == room.shelf.items
    assert not_none(found.plane).points.shape == (3, 2)
    assert room.shelf.compared("mean") is found
    of_cls = [item.vectors["cls"] for item in found.items]
    np.testing.assert_array_equal(room.shelf.compared("cls").vectors, of_cls)
    room.shelf.remove(found.items[0].number)
    assert room.shelf.compared("mean").items == found.items[1:]
    room.shelf.clear()
    assert room.shelf.compared("mean").plane is None


def test_a_sentence_that_is_still_encoded_is_kept_once_its_result_arrives(room: Room) -> None:
    room.type("a cat")
    room.workspace.set_texts("a dog", None, at_once=True)
    room.shelf.keep()
    assert room.texts == []
    room.work()
    assert room.texts == ["a dog"]
    room.type("a bird")
    assert room.texts == ["a dog"]


def test_the_same_is_kept_once_but_edited_it_is_another(room: Room) -> None:
    room.type("a cat sat")
    room.shelf.keep()
    room.shelf.keep()
    room.type("a dog")
    room.type("a cat sat")
    room.shelf.keep()
    assert room.texts == ["a cat sat"]
    room.workspace.set_edits(Edits(muted=((1, 2),)))
    room.work()
    room.shelf.keep()
    assert [item.label for item in room.shelf.items] == ["a cat sat", "a cat sat [−1·2]"]


def test_checkpoints_are_kept_apart(room: Room) -> None:
    room.type("a cat")
    room.shelf.keep()
    (item,) = room.shelf.items
    other = replace(item, facts=replace(item.facts, name="another checkpoint"))
    room.shelf.restore([other])
    assert room.texts == []
    room.shelf.keep()
    assert room.texts == ["a cat"]
    assert room.shelf.of_model(other.facts) == (other,)
    room.shelf.clear()
    assert room.shelf.items == (other,)


def test_a_sentence_is_requested_with_its_edits(room: Room) -> None:
    requests: list[tuple[str, str | None, Edits]] = []
    room.shelf.sentence_requested.connect(lambda *request: requests.append(request))
    room.type("a cat", "b")
    room.workspace.set_edits(Edits(muted=((0, 0),)))
    room.work()
    room.shelf.keep()
    room.shelf.bring_back(room.shelf.items[0].number)
    room.shelf.bring_back(999)
    assert requests == [("a cat", "b", Edits(muted=((0, 0),)))]
