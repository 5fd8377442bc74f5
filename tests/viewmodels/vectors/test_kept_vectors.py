"""The shelf: what is kept, when, only once, and only beside vectors of the same checkpoint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.text import Edits
from bertviz_app.viewmodels.runs import available as available_module
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.tasks import Tasks
from bertviz_app.viewmodels.vectors import kept_vectors as module
from bertviz_app.viewmodels.vectors.kept_vectors import KeptVectors
from tests.support.fakes import FakeEngine, HeldJobs


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
    monkeypatch.setattr(available_module, "preload_torch", lambda: None)
    monkeypatch.setattr(module, "SETTLED_MS", 3_600_000)
    room = Room(jobs, qapp)
    room.workspace.open_model(None)
    room.work()
    return room


def test_a_text_still_being_typed_is_not_kept(room: Room) -> None:
    for text in ("a", "a c", "a cat"):
        room.type(text)
    assert room.shelf.items == ()


def test_a_text_that_stays_is_kept(
    qapp: QApplication, jobs: HeldJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(available_module, "preload_torch", lambda: None)
    monkeypatch.setattr(module, "SETTLED_MS", 0)
    room = Room(jobs, qapp)
    room.workspace.open_model(None)
    room.type("a cat")
    qapp.processEvents()
    assert room.texts == ["a cat"]


def test_at_once_it_is_kept_with_the_numbers_of_the_trace(room: Room) -> None:
    room.type("a cat", "a dog")
    room.shelf.keep()
    (item,) = room.shelf.items
    shown = room.workspace.shown
    assert shown is not None
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
    assert found.plane is not None
    assert found.plane.points.shape == (3, 2)
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


def test_typing_on_takes_the_wish_back(room: Room) -> None:
    room.workspace.set_texts("a dog", None, at_once=True)
    room.shelf.keep()
    room.workspace.set_texts("a dog b", None, at_once=True)
    room.work()
    assert room.texts == []


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


def test_only_the_newest_are_kept(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 2)
    for text in ("one", "two", "three"):
        room.type(text)
        room.shelf.keep()
    assert room.texts == ["two", "three"]


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


def test_one_can_be_removed_and_all_cleared(room: Room) -> None:
    for text in ("one", "two", "three"):
        room.type(text)
        room.shelf.keep()
    before = room.n_changes
    room.shelf.remove(room.shelf.items[1].number)
    assert room.texts == ["one", "three"]
    assert room.n_changes == before + 1
    room.shelf.remove(999)
    assert room.n_changes == before + 1
    room.shelf.clear()
    assert room.shelf.items == ()
    assert room.shelf.shown_number is None


def test_what_was_kept_can_be_given_back(room: Room) -> None:
    room.type("one")
    room.shelf.keep()
    items = room.shelf.items
    room.shelf.clear()
    room.shelf.restore(items)
    assert room.shelf.items == items
    room.type("two")
    room.shelf.keep()
    numbers = [item.number for item in room.shelf.items]
    assert len(set(numbers)) == 2


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
