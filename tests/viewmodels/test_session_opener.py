"""What is opened from files: whose numbers are shown, where the checkpoint is looked for, what is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.errors import CheckpointError, HubError
from bertviz_app.inference.fetching import SavedCheckpoint
from bertviz_app.text.edits import NO_EDITS, Edits
from bertviz_app.trace.provenance import Identity, Provenance
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.viewmodels.results import Tasks
from bertviz_app.viewmodels.session import archive as module
from bertviz_app.viewmodels.session.archive import Session, SessionOpener, current_session
from bertviz_app.viewmodels.state import OtherRun, WindowState
from tests.support.factories import random_trace
from tests.support.fakes import HeldJobs, identity_of, tokens_of
from tests.support.held_state import HeldHistory
from tests.support.scene import not_none
from tests.support.window_fixtures import _collected_here

__all__ = ["_collected_here"]
EDITS = Edits(muted=((0, 1),), replaced=((1, "dog"),))
IDENTITY = Identity("c0ffee", "0ff1ce", "me/toy", "a1b2c3")
TRACE = replace(
    random_trace(tokens_of("saved words"), seed=7),
    muted=EDITS.muted,
    provenance=Provenance(IDENTITY, "1.0", EDITS.replaced),
)
CHECKPOINT = SavedCheckpoint("toy", "/models/toy", IDENTITY, 2, 3, 24)
SNAPSHOT = WindowState("saved words", None, "/models/toy", EDITS, panels=(Panel(0, 1, 2, "matrix"),))
SESSION = Session(SNAPSHOT, TRACE, CHECKPOINT)


class Scene(HeldHistory):
    """With an opener; `here` has the folders where the saved checkpoints are, by the folders of the files."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self.here: dict[str, str] = {}
        self.remarks: list[str] = []
        self.opener = SessionOpener(self.workspace, Tasks(self.downloads))
        self.opener.remarked.connect(self.remarks.append)

    def find_saved(self, saved: SavedCheckpoint, *_: object) -> str | None:
        return self.here.get(saved.ref)

    def work(self, *workers: HeldJobs) -> None:
        """Let the workers do all, and what a timer of no length requests of them then."""
        super().work(*workers)
        super().work(*workers)

    @property
    def name(self) -> str:
        """The name under which numbers are shown."""
        return not_none(self.workspace.shown).result.facts.name


@pytest.fixture
def scene(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """A window on which a text is shown that the default checkpoint encoded."""
    scene = Scene(qapp)
    monkeypatch.setattr(module, "find_saved", scene.find_saved)
    monkeypatch.setattr(module, "is_saved_at", lambda source, *_: source.ref in scene.here.values())
    scene.start(None)
    scene.work()
    scene.type("first")
    return scene


UNCHECKED = "holds neither numbers nor a fingerprint: whether it was saved with "
UNKNOWN = Session(replace(SNAPSHOT, edits=NO_EDITS), None, SavedCheckpoint("toy", "/models/toy"))


def test_what_is_not_here_stays_as_it_was_saved_through_steps_back_and_in_the_next_file(scene: Scene) -> None:
    n_requests = len(scene.engine.requests)
    scene.opener.open_session(SESSION)
    scene.work(scene.encoder)
    assert (scene.opener.whereabouts, scene.name, scene.workspace.edits) == ("looking", "made by hand", EDITS)
    scene.work()
    assert (scene.opener.whereabouts, scene.opener.checkpoint) == ("missing", CHECKPOINT)
    assert scene.name == "made by hand"
    assert len(scene.engine.requests) == n_requests
    assert scene.engine.fetched == []
    assert not not_none(scene.workspace.saved).is_here
    # what is not here is saved under its own name
    scene.opener.open_session(SESSION)
    scene.work()
    snapshot = scene.store.now
    assert (snapshot.ref, snapshot.edits) == ("/models/toy", EDITS)
    again = current_session(snapshot, scene.workspace, scene.comparison, has_arrays=True)
    assert again.trace is TRACE
    assert again.checkpoint == replace(CHECKPOINT, name="made by hand")
    # steps back and forth do not open what is not here
    scene.opener.open_session(SESSION)
    scene.work()
    scene.pause()
    scene.selection.pin(query=1)
    scene.work()
    scene.store.undo()
    scene.work()
    assert scene.workspace.problem is None
    assert scene.name == "made by hand"


def test_the_checkpoint_in_use_is_not_looked_for(scene: Scene) -> None:
    own = replace(CHECKPOINT, identity=identity_of(None), ref="/elsewhere")
    scene.opener.open_session(Session(SNAPSHOT, TRACE, own))
    assert scene.downloads.submitted == []
    scene.work()
    assert scene.workspace.ref is None
    assert scene.shown_text == "saved words"
    assert scene.workspace.edits == EDITS


def test_a_session_without_numbers_is_encoded_with_the_checkpoint_in_use(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.opener.open_session(Session(SNAPSHOT, None, CHECKPOINT))
    scene.work()
    assert (scene.shown_text, scene.name) == ("saved words", "fake")
    assert scene.workspace.edits == NO_EDITS, "they name heads and pieces of the other"
    assert scene.remarks == []
    assert (scene.opener.checkpoint, scene.opener.whereabouts) == (CHECKPOINT, "missing")
    scene.here["moved"] = "/moved/toy"
    monkeypatch.setattr(module, "find", lambda ref: Source("toy", Path(ref), "folder", 0))
    scene.opener.try_checkpoint("/moved/toy")
    scene.work()
    assert scene.opener.checkpoint is None
    request = scene.engine.requests[-1]
    assert (request.ref, request.text, request.edits) == ("/moved/toy", "saved words", EDITS)


def test_of_a_checkpoint_of_which_nothing_is_known_the_choice_is_confirmed_and_remarked(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is nothing by which it could be recognised."""
    monkeypatch.setattr(module, "refuse_contradicted", lambda *_: None)
    scene.opener.open_session(UNKNOWN)
    scene.work()
    monkeypatch.setattr(module, "find", lambda ref: Source("toy", Path(ref), "folder", 0))
    scene.opener.try_checkpoint("/models/any")
    scene.work()
    assert (scene.opener.whereabouts, scene.workspace.ref) == ("unchecked", None), "not used unasked"
    assert scene.opener.remarks == ()
    scene.opener.encode()
    scene.work()
    assert (scene.opener.problem, scene.workspace.ref) == (None, "/models/any")
    assert f"{UNCHECKED}/models/any" in " ".join(scene.opener.remarks)
    scene.type("other words")
    assert scene.opener.remarks == (), "that text is not the session's"


def test_one_at_its_path_is_used_with_a_remark(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find", lambda ref: Source("toy", Path(ref), "folder", 0))
    snapshot = replace(UNKNOWN.state, other=OtherRun("/models/b", "other words"))
    other = SavedCheckpoint("/models/b", "/models/b")
    scene.opener.open_session(replace(UNKNOWN, state=snapshot, other=other))
    scene.work()
    assert scene.workspace.ref == "/models/toy"
    of_a, of_b = scene.opener.remarks
    assert UNCHECKED in of_a
    assert "run B" in of_b
    scene.open("another")
    assert scene.opener.remarks == ()


def test_a_checkpoint_that_changed_since_the_last_start_is_remarked(scene: Scene, tmp_path: Path) -> None:
    saved = SavedCheckpoint("toy", str(tmp_path), IDENTITY)
    snapshot = replace(UNKNOWN.state, ref=str(tmp_path))
    for checkpoint, n_remarks in (saved, 1), (replace(saved, identity=identity_of(str(tmp_path))), 0):
        opens, ref = scene.opener.start_with(Session(snapshot, None, checkpoint))
        assert opens
        scene.workspace.open_model(ref)
        scene.work()
        assert len(scene.opener.remarks) == n_remarks
        assert all("has changed since this session was saved" in remark for remark in scene.opener.remarks)


@pytest.mark.parametrize("is_of_b", [False, True])
def test_a_session_that_names_no_checkpoint_opens_without_its_interventions_and_with_a_remark(
    scene: Scene, is_of_b: bool
) -> None:
    edits = Edits(muted=((0, 1),))
    snapshot = WindowState("saved words", edits=NO_EDITS if is_of_b else edits)
    snapshot = replace(snapshot, other=OtherRun(edits=edits) if is_of_b else None)
    scene.opener.open_session(Session(snapshot))
    scene.work()
    assert not scene.workspace.edits
    assert scene.remarks[0].endswith("without the session's interventions.")


def test_a_name_on_the_hub_is_not_fetched_until_that_is_requested(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []

    def source_of(ref: str, *_: object) -> Source:
        fetched.append(ref)
        return Source("toy", Path("/cache/toy"), "cache", 0)

    monkeypatch.setattr(module, "source_of", source_of)
    scene.opener.open_session(replace(SESSION, checkpoint=replace(CHECKPOINT, ref="me/toy")))
    scene.work()
    assert (fetched, scene.engine.fetched, scene.opener.whereabouts) == ([], [], "missing")
    scene.here["me/toy"] = "/cache/toy"
    scene.opener.download()
    scene.work()
    assert fetched == ["me/toy@a1b2c3"]
    assert scene.workspace.ref == "/cache/toy"


@pytest.mark.parametrize(
    ("find", "words"),
    [
        (lambda ref: Source("else", Path(ref), "folder", 0), "else is another checkpoint than the saved toy"),
        (None, "It is damaged."),
    ],
)
def test_a_folder_of_another_checkpoint_is_refused(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, find: Callable[[str], Source] | None, words: str
) -> None:
    def damaged(ref: str) -> Source:
        raise CheckpointError("It is damaged.", "Fetch it again.")

    monkeypatch.setattr(module, "find", find or damaged)
    scene.opener.open_session(SESSION)
    scene.work()
    scene.opener.try_checkpoint("/models/else")
    scene.work()
    assert words in not_none(scene.opener.problem).message
    assert scene.opener.whereabouts == "missing"
    assert scene.workspace.saved is not None


def test_saved_numbers_stay_until_the_text_is_encoded(scene: Scene) -> None:
    scene.opener.open_session(SESSION)
    scene.work()
    scene.opener.encode()
    scene.work()
    assert (scene.shown_text, scene.name) == ("saved words", "fake")
    assert scene.workspace.edits == NO_EDITS
    assert scene.opener.checkpoint is None
    # another checkpoint encodes the text of a trace as it is
    scene.opener.open_session(SESSION)
    scene.work()
    assert scene.workspace.edits != NO_EDITS
    scene.open(None)
    assert (scene.shown_text, scene.name) == ("saved words", "fake")
    assert scene.workspace.edits == NO_EDITS, "those of the file name heads of its own checkpoint"
    # another device leaves saved numbers as they are
    scene.opener.open_session(SESSION)
    scene.work()
    scene.workspace.set_device("cuda:7")
    scene.work()
    assert scene.workspace.saved is not None
    assert (scene.name, scene.workspace.device) == ("made by hand", "cuda:7")


def test_a_text_that_follows_saved_numbers_is_not_lost(scene: Scene) -> None:
    workspace = scene.workspace
    scene.opener.open_trace(TRACE)
    scene.work()
    assert workspace.is_current
    workspace.set_texts("another", at_once=True)
    assert not workspace.is_current, "the saved numbers are of another text"
    assert workspace.prepare_as(not_none(workspace.shown).overview.stamp), (
        "as when a view is drawn before the text is encoded"
    )
    scene.work()
    assert scene.shown_text == "another"
    assert workspace.saved is None
    # the checkpoint of the trace is found only when another text is shown
    scene.here[""] = "/models/toy"
    scene.opener.open_trace(TRACE)
    scene.work(scene.encoder)
    assert scene.opener.whereabouts == "looking"
    workspace.set_texts("another yet", at_once=True)
    scene.work()
    assert scene.shown_text == "another yet"
    assert (workspace.saved, scene.opener.checkpoint) == (None, None)


def test_run_b_is_left_out_where_its_checkpoint_is_not_here(scene: Scene) -> None:
    snapshot = replace(SNAPSHOT, other=OtherRun("/models/b", "other words"))
    session = replace(SESSION, state=snapshot, other=SavedCheckpoint("b", "/models/b", Identity("b")))
    scene.here["/models/toy"] = "/models/toy"
    scene.opener.open_session(session)
    scene.work()
    assert scene.comparison.other is None
    assert scene.remarks == ["Run B is left out: its checkpoint b is not on this computer."]
    scene.here["/models/b"] = "/moved/b"
    scene.opener.open_session(session)
    scene.work()
    assert scene.comparison.other == OtherRun("/moved/b", "other words")


def test_numbers_of_a_file_are_undone_and_come_back_without_their_checkpoint(scene: Scene) -> None:
    scene.open()
    scene.type("own words")
    scene.opener.open_trace(TRACE)
    scene.work()
    n_requests = len(scene.engine.requests)
    scene.store.undo()
    scene.work()
    assert scene.workspace.saved is None
    assert scene.shown_text == "own words"
    assert scene.workspace.is_current
    scene.store.redo()
    scene.work()
    shown = not_none(scene.workspace.shown)
    assert shown.result is scene.workspace.saved
    assert shown.result.trace is TRACE
    assert scene.workspace.opening.pending is None, "nothing is looked for"
    assert {request.text for request in scene.engine.requests[n_requests:]} == {"own words"}
    scene.type("typed over it")
    assert scene.workspace.saved is None
    assert scene.shown_text == "typed over it"


def test_numbers_of_files_are_undone_one_by_one_also_where_the_text_is_the_same(scene: Scene) -> None:
    scene.open()
    scene.type(TRACE.tokens.text)
    unedited = replace(TRACE, muted=(), provenance=Provenance(IDENTITY, "1.0"))
    for trace in (unedited, replace(unedited, model="of another file")):
        scene.opener.open_trace(trace)
        scene.work()
    assert scene.name == "of another file"
    scene.store.undo()
    scene.work()
    assert not_none(scene.workspace.shown).result.trace is unedited
    n_requests = len(scene.engine.requests)
    scene.store.undo()
    scene.work()
    assert scene.workspace.saved is None
    assert scene.shown_text == TRACE.tokens.text
    assert len(scene.engine.requests) == n_requests + 1, "the text is encoded again"
    assert scene.workspace.is_current


def test_a_trace_keeps_its_own_numbers_where_its_checkpoint_is_here(scene: Scene) -> None:
    scene.here[""] = "/models/toy"
    scene.opener.open_trace(TRACE)
    scene.work()
    saved, shown = scene.workspace.saved, scene.workspace.shown
    assert saved is not None
    assert shown is not None
    assert shown.result.trace is TRACE
    assert (saved.is_here, saved.request.ref, saved.request.edits) == (True, "/models/toy", EDITS)
    scene.opener.encode()
    scene.work()
    assert scene.workspace.saved is None
    request = scene.engine.requests[-1]
    assert (request.ref, request.text, request.edits) == ("/models/toy", "saved words", EDITS)


def test_the_program_starts_with_what_was_shown_last(scene: Scene, tmp_path: Path) -> None:
    last = Session(replace(SNAPSHOT, ref=str(tmp_path)), None, replace(CHECKPOINT, ref=str(tmp_path)))
    assert scene.opener.start_with(last) == (True, str(tmp_path))
    with_b = replace(last, other=SavedCheckpoint("me/b", "me/b"))
    assert scene.opener.start_with(with_b) == (False, None), "run B is looked for, and not fetched"
    assert scene.engine.fetched == []
    gone = Session(SNAPSHOT, None, CHECKPOINT)
    assert scene.opener.start_with(gone) == (False, None)
    scene.work()
    assert (scene.opener.checkpoint, scene.opener.whereabouts) == (CHECKPOINT, "missing")


def test_the_program_starts_where_the_folder_of_the_last_checkpoint_may_not_be_read(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refused)
    last = Session(replace(SNAPSHOT, ref=str(tmp_path)), None, replace(CHECKPOINT, ref=str(tmp_path)))
    assert scene.opener.start_with(last) == (False, None), "it is looked for elsewhere"


def test_the_hub_out_of_reach_is_a_problem_and_no_more(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def source_of(*_: object) -> Source:
        raise HubError("The hub could not be reached.", "Try again.")

    monkeypatch.setattr(module, "source_of", source_of)
    scene.opener.open_session(SESSION)
    scene.work()
    scene.opener.download()
    scene.work()
    assert scene.opener.problem is not None
    assert scene.workspace.saved is not None
