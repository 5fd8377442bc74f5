"""The vectors of one run and of two, and the pictures of them: made once, large ones on the worker."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.analysis.compare import align
from bertviz_app.analysis.vectors import cosine_matrix, cosines_between, pca, token_maps
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.results import Results
from bertviz_app.viewmodels.runs.requests import Difference
from bertviz_app.viewmodels.tasks import Tasks
from bertviz_app.viewmodels.vectors import pictures as module
from bertviz_app.viewmodels.vectors.pictures import (
    Subject,
    VectorPictures,
    cls_picture,
    maps,
    similar,
    strips,
    subject_of,
)
from tests.support.factories import make_trace, random_trace
from tests.support.fakes import HeldJobs, tokens_of


def _pair() -> tuple[Trace, Trace, Subject]:
    """Return two runs, B with one word more and one other word, and their difference."""
    one, other = (
        random_trace(tokens_of(text), seed=seed)
        for seed, text in enumerate(("the cat sat down", "the old cat sat up"))
    )
    alignment = align(one.tokens.pieces, other.tokens.pieces)
    return one, other, Subject((one, other), alignment.positions)


def test_the_places_of_one_run_are_its_tokens() -> None:
    trace = make_trace(6, pair=True)
    subject = subject_of(trace)
    assert subject.labels == trace.tokens.labels
    np.testing.assert_array_equal(subject.sentences, trace.tokens.sentences)
    for state in range(trace.n_layers + 1):
        assert (
            subject.hidden(state) is trace.hidden[state]
            or (subject.hidden(state) == trace.hidden[state]).all()
        )
    np.testing.assert_array_equal(subject.points(), trace.hidden)
    assert subject.cls_cosines().shape == (0,)


def test_a_difference_is_a_minus_b_at_aligned_places_and_nothing_at_gaps() -> None:
    one, other, subject = _pair()
    assert subject.labels[:3] == ("[CLS]", "the", "– | old")
    for state in range(one.n_layers + 1):
        difference = subject.hidden(state)
        for row, (a, b) in enumerate(subject.positions.tolist()):
            if min(a, b) < 0:
                assert np.isnan(difference[row]).all()
            else:
                np.testing.assert_array_equal(difference[row], one.hidden[state, a] - other.hidden[state, b])


def test_cls_of_two_runs_and_their_cosines() -> None:
    one, other, subject = _pair()
    assert one.pooled is not None
    assert other.pooled is not None
    np.testing.assert_array_equal(subject.cls()[0], one.hidden[0, 0] - other.hidden[0, 0])
    np.testing.assert_array_equal(subject.cls()[-1], one.pooled - other.pooled)
    expected = cosines_between(one.hidden[:, 0], other.hidden[:, 0])
    np.testing.assert_array_equal(subject.cls_cosines()[:-1], expected)


def test_runs_of_other_depth_or_without_pooler_share_what_both_have() -> None:
    one = make_trace(5, n_layers=3)
    other = replace(make_trace(5, n_layers=2), pooled=None)
    subject = Subject((one, other), np.repeat(np.arange(5, dtype=np.int32)[:, None], 2, 1))
    assert subject.n_states == 3
    assert not subject.has_pooled
    assert subject.cls().shape == (3, one.width)
    narrow = make_trace(5, n_heads=2)
    assert not Subject((one, narrow), subject.positions).can_be_compared


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


@pytest.fixture
def pictures(qapp: QApplication, jobs: HeldJobs, monkeypatch: pytest.MonkeyPatch) -> VectorPictures:
    """Pictures of which every one counts as heavy."""
    monkeypatch.setattr(module, "_LIGHT", 0)
    return VectorPictures(Results(Tasks(jobs), _raise))


def _raise(error: Exception) -> None:
    raise error


def test_light_pictures_are_there_at_once(qapp: QApplication, jobs: HeldJobs) -> None:
    pictures, trace = VectorPictures(Results(Tasks(jobs), _raise)), make_trace(8)
    subject = subject_of(trace)
    strip, similarity = pictures.strips(subject, 0), pictures.similar(subject, 0)
    assert strip is not None
    assert similarity is not None
    for common in (True, False):
        found = pictures.maps(subject, common=common)
        assert found is not None
        np.testing.assert_array_equal(found.points, token_maps(trace.hidden, common=common).points)
    assert jobs.submitted == []
    assert pictures.strips(subject_of(trace), 0) is strip  # the same run, the same picture


def test_heavy_ones_are_made_once_on_the_worker(
    pictures: VectorPictures, jobs: HeldJobs, qapp: QApplication
) -> None:
    arrived: list[None] = []
    pictures.arrived.connect(lambda: arrived.append(None))
    subject = subject_of(make_trace(8))
    assert pictures.strips(subject, 1) is None
    assert pictures.strips(subject, 1) is None
    assert pictures.strips(subject, 2) is None
    assert len(jobs.submitted) == 2
    for held in jobs.submitted:
        held.run()
    qapp.processEvents()
    assert len(arrived) == 2
    made = pictures.strips(subject, 1)
    assert made is not None
    np.testing.assert_array_equal(made.values, subject.hidden(1))
    assert len(jobs.submitted) == 2


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


def test_a_failure_is_reported_and_the_picture_can_be_computed_again(
    qapp: QApplication, jobs: HeldJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LIGHT", 0)
    failures: list[Exception] = []
    pictures = VectorPictures(Results(Tasks(jobs), failures.append))
    subject = subject_of(make_trace(5))
    pictures.strips(subject, 99)
    jobs.submitted[0].run()
    qapp.processEvents()
    assert [type(failure) for failure in failures] == [IndexError]
    pictures.strips(subject, 99)
    assert len(jobs.submitted) == 2


@pytest.mark.parametrize("width", [5, 24, 40])
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
