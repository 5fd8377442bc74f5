"""Sessions as files: read back whole; what is missing or damaged is one sentence; nothing is half written."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZipFile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from bertviz_app.checkpoint.sources.source import find
from bertviz_app.errors import AppError, CheckpointError, FileError
from bertviz_app.inference.fetching import SavedCheckpoint
from bertviz_app.text import Edits
from bertviz_app.text.edits import HeadIntervention
from bertviz_app.trace import Trace, save_arrays, save_trace
from bertviz_app.trace.provenance import Identity
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.viewmodels.session.archive import (
    VERSION,
    Session,
    is_checkpoint,
    load_session,
    load_without_arrays,
    read_file,
    refuse_contradicted,
    save_session,
)
from bertviz_app.viewmodels.state import (
    DrawOptions,
    OtherRun,
    OverviewChoice,
    Pair,
    WindowState,
    state_to_plain,
)
from tests.support.factories import random_trace
from tests.support.fakes import tokens_of
from tests.support.scene import expect, not_none

SNAPSHOT = WindowState(text="the cat ate", pair="고양이", ref="a/b", panels=(Panel(0, 1, 2, "lines"),))
TRACE = random_trace(tokens_of("the cat ate", "고양이"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "my work.bva"


CHECKPOINT = SavedCheckpoint(
    "toy", "/models/toy", Identity("c0ffee", "0ff1ce", "me/toy", "a1b2c3"), n_layers=2, n_heads=3, width=24
)
OTHER = SavedCheckpoint("other", "/models/other", Identity("beef", "feed"))
SESSION = Session(SNAPSHOT, TRACE, CHECKPOINT)


def _content(path: Path) -> dict[str, object]:
    with ZipFile(path) as archive:
        content: dict[str, object] = json.loads(archive.read("session.json"))
    return content


def _write(path: Path, content: object) -> None:
    """Write `content` in the place of what the session SESSION says."""
    save_session(path, replace(SESSION, trace=None))
    with ZipFile(path, "w") as archive:
        archive.writestr("session.json", json.dumps(content))


def _write_pair(path: Path, trace: Trace | None = TRACE, **changes: object) -> None:
    """Write a session of version 1: a file with JSON, and the arrays in another one beside it."""
    content = {"kind": "bertviz-app session", "version": 1, "has_arrays": True}
    path.write_text(json.dumps(content | {"snapshot": state_to_plain(SNAPSHOT)} | changes))
    if trace is not None:
        save_arrays(trace, path.with_name(f"{path.name}.npz"))


SHORT_TRACE = random_trace(tokens_of("the cat"))


def _refuse(folder: Path, checkpoint: SavedCheckpoint, edits: Edits) -> None:
    session = Session(WindowState("the cat", edits=edits), None, checkpoint)
    refuse_contradicted(find(str(folder)), session, lambda: None)


def test_a_session_is_one_file_and_is_read_back(path: Path) -> None:
    save_session(path, SESSION)
    session = load_session(path)
    assert session.state == replace(SNAPSHOT, ref="/models/toy")
    assert (session.checkpoint, session.other, session.remark) == (CHECKPOINT, None, "")
    assert session.trace is not None
    np.testing.assert_array_equal(session.trace.attention(1, 2), TRACE.attention(1, 2))
    assert [file.name for file in path.parent.iterdir()] == ["my work.bva"]
    with np.load(path) as arrays:
        assert "queries" in arrays
    # without arrays there are none
    save_session(path, SESSION)
    save_session(path, replace(SESSION, trace=None))
    session = load_session(path)
    assert (session.trace, session.remark, session.checkpoint) == (None, "", CHECKPOINT)
    # the checkpoint of run b comes back
    snapshot = replace(SNAPSHOT, other=OtherRun("me/other", "a text"))
    save_session(path, Session(snapshot, None, CHECKPOINT, OTHER))
    session = load_without_arrays(path)
    assert session.other == OTHER
    assert session.state.other == OtherRun("/models/other", "a text")


@pytest.mark.parametrize("member", ["queries.npy", "facts.npy"])
def test_damaged_arrays_leave_the_rest(path: Path, member: str) -> None:
    save_session(path, SESSION)
    with ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members[member] = members[member][:-9]
    with ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    session = load_session(path)
    assert (session.trace, session.checkpoint) == (None, CHECKPOINT)
    assert "cannot be read" in session.remark


def test_what_is_not_of_this_session_or_program_is_named(path: Path) -> None:
    save_session(path, replace(SESSION, trace=random_trace(tokens_of("other"))))
    session = load_session(path)
    assert session.trace is None
    assert "another session" in session.remark
    # a newer version is named
    save_session(path, SESSION)
    _write(path, _content(path) | {"version": VERSION + 1, "program": "9.0"})
    with pytest.raises(FileError, match=r"newer BertViz App \(9.0\)"):
        load_session(path)
    # an old pair names its checkpoints as far as is known
    snapshot = replace(SNAPSHOT, edits=Edits(replaced=((1, "dog"),)), other=OtherRun("me/other"))
    _write_pair(path, snapshot=state_to_plain(snapshot))
    session = load_session(path)
    assert session.checkpoint == SavedCheckpoint("made by hand", "a/b", n_layers=2, n_heads=3, width=24)
    assert session.other == SavedCheckpoint("me/other", "me/other")
    assert not_none(session.trace).provenance.replaced == ((1, "dog"),)
    assert load_without_arrays(path).checkpoint == SavedCheckpoint(ref="a/b")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda beside: beside.unlink(), "not beside it"),
        (lambda beside: beside.write_bytes(beside.read_bytes()[:-2000]), "cannot be read"),
    ],
)
def test_of_an_old_pair_missing_or_damaged_arrays_leave_the_rest(
    path: Path, spoil: Callable[[Path], object], words: str
) -> None:
    _write_pair(path)
    assert load_session(path).trace is not None
    spoil(path.with_name(f"{path.name}.npz"))
    session = load_session(path)
    assert (session.state, session.trace) == (SNAPSHOT, None)
    assert words in session.remark


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "else"},
        {"version": None},
        {"snapshot": [1]},
        {"snapshot": {"active": 10**30}},
        {"snapshot": {"options": {"threshold": float("nan")}}},
        {"checkpoint": []},
        {"checkpoint": {"identity": "c0ffee"}},
        {"checkpoint": {"n_heads": 1.5}},
        {"other": {"name": []}},
    ],
)
def test_what_is_no_session_is_one_sentence(path: Path, changes: dict[str, object]) -> None:
    save_session(path, SESSION)
    _write(path, _content(path) | changes)
    with pytest.raises(FileError, match="no session that can be opened"):
        load_session(path)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[" * 100_000, b"PK\5\6" + b"\0" * 18])
def test_any_other_file_is_one_sentence(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(FileError, match="no session that can be opened"):
        load_session(path)


@pytest.mark.parametrize("is_of_b", [False, True])
def test_a_head_that_is_changed_twice_is_one_sentence(path: Path, is_of_b: bool) -> None:
    edits = Edits(muted=((1, 2),), heads=(HeadIntervention(1, 2, "uniform"),))
    snapshot = replace(SNAPSHOT, other=OtherRun(edits=edits)) if is_of_b else replace(SNAPSHOT, edits=edits)
    save_session(path, Session(snapshot, None))
    with pytest.raises(FileError, match="Two interventions contradict each other") as caught:
        load_session(path)
    assert str(caught.value.hint) == "Open a .bva file that this program saved."


def test_a_text_far_too_long_is_not_unpacked(path: Path) -> None:
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("session.json", b" " * (1 << 26))
    assert path.stat().st_size < 1 << 17
    with pytest.raises(FileError, match="no session that can be opened"):
        load_session(path)


@pytest.mark.parametrize("compression", [ZIP_DEFLATED, ZIP_LZMA])
def test_damage_in_what_another_program_packed_is_one_sentence(path: Path, compression: int) -> None:
    save_session(path, replace(SESSION, trace=None))
    text = json.dumps(_content(path))
    with ZipFile(path, "w", compression) as archive:
        archive.writestr("session.json", text)
    content = bytearray(path.read_bytes())
    for offset in range(60, 90):
        content[offset] ^= 0xFF
    path.write_bytes(bytes(content))
    with pytest.raises(FileError, match=r"no session that can be opened|Invalid data stream"):
        load_session(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(st.data())
def test_a_file_cut_or_changed_anywhere_is_read_or_refused(path: Path, data: st.DataObject) -> None:
    save_session(path, SESSION)
    content = bytearray(path.read_bytes())
    offset = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[offset:]
    else:
        content[offset] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(content))
    try:
        session = load_session(path)
    except AppError as error:
        assert str(error)  # noqa: PT017 - any sentence
    else:
        assert isinstance(session.state, WindowState)


def test_a_full_disk_leaves_the_old_session(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_session(path, SESSION)
    before = path.read_bytes()

    def fail(self: Path, target: Path) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(FileError, match="No space left"):
        save_session(path, replace(SESSION, state=WindowState(text="the cat ate", pair="고양이")))
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert len(list(path.parent.iterdir())) == 1


def test_a_session_of_version_0_1_0_is_read(tmp_path: Path) -> None:
    session = load_session(Path(__file__).parent / "data" / "version_0_1_0.bva")
    assert session.remark == ""
    np.testing.assert_allclose(not_none(session.trace).attention(1, 2), TRACE.attention(1, 2), atol=1e-6)
    expected = WindowState(
        text="the cat ate",
        pair="고양이",
        ref="a/b",
        edits=Edits(replaced=((2, "[MASK]"),), muted=((0, 1),)),
        other=OtherRun(text="a dog ran", edits=Edits(muted=((1, 2),))),
        panels=(
            Panel(0, 1, 2, "lines", heads=(0, 2)),
            Panel(0, 0, 1, "matrix", "A-B"),
            Panel(0, 1, 0, "steps", "B"),
            Panel(0, 1, 2, "vectors"),
        ),
        active=2,
        pinned=Pair(1, 3),
        options=DrawOptions(threshold=0.25, hides_special=True, scale="log", colours="magma"),
        overview=OverviewChoice(shows="entropy", ordered_by="entropy", filtered_by="entropy", least=0.5),
    )
    assert session.state == expected
    again = tmp_path / "again.bva"
    save_session(again, session)
    assert load_session(again).state == expected
    assert load_session(again).trace is not None


@pytest.mark.parametrize("name", ["work.npz", "work"])
def test_a_session_is_one_by_any_name(tmp_path: Path, name: str) -> None:
    save_session(tmp_path / name, Session(WindowState("the cat"), SHORT_TRACE))
    found = expect(Session, read_file(tmp_path / name))
    assert found.trace is not None


@pytest.mark.parametrize("name", ["trace.bva", "trace"])
def test_a_trace_is_one_by_any_name(tmp_path: Path, name: str) -> None:
    save_trace(SHORT_TRACE, tmp_path / "trace.npz")
    (tmp_path / "trace.npz").rename(tmp_path / name)
    assert isinstance(read_file(tmp_path / name), Trace)


@pytest.mark.parametrize("name", ["text.TXT", "notes.md"])
def test_a_text_is_read_in_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("the cat\n  sat\n", encoding="utf-8-sig")
    assert read_file(tmp_path / name) == "the cat sat"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.npz", b"PK", "not a trace"),
        ("a.bva", b"PK", "no session"),
        ("a.bva", b"", "no session"),
        ("a.pdf", b"%PDF", "not a file of a kind that can be opened"),
        ("a", b"\xff\xfe", "no text in UTF-8"),
        ("a", b"", "holds no text"),
    ],
)
def test_what_is_none_of_these_is_one_sentence(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileError, match=words):
        read_file(tmp_path / name)


def test_checkpoints_are_known_by_their_names(tmp_path: Path) -> None:
    names = ("model.safetensors", "model.safetensors.index.json", "config.json", "x.gguf", "tf_model.h5")
    assert all(is_checkpoint(tmp_path / name) for name in names)
    assert is_checkpoint(tmp_path)
    assert not any(is_checkpoint(tmp_path / name) for name in ("a.txt", "a.bva", "a.npz", "a"))


@pytest.mark.parametrize(
    ("checkpoint", "edits"),
    [(SavedCheckpoint("toy", n_layers=2, n_heads=4, width=32), Edits(((1, 3),), ((1, "cat"),)))],
)
def test_what_fits_is_not_refused(tiny_bert: Path, checkpoint: SavedCheckpoint, edits: Edits) -> None:
    _refuse(tiny_bert, checkpoint, edits)


@pytest.mark.parametrize(
    ("checkpoint", "edits", "words"),
    [
        (SavedCheckpoint("toy", n_layers=6), Edits(), "its 2 layers, 4 heads and width of 32 are not"),
        (SavedCheckpoint("toy"), Edits(((2, 0),)), "it lacks heads that are muted"),
        (SavedCheckpoint("toy"), Edits((), ((1, "zebra"),)), "its tokenizer lacks tokens that are replaced"),
    ],
)
def test_what_does_not_fit_is_refused(
    tiny_bert: Path, checkpoint: SavedCheckpoint, edits: Edits, words: str
) -> None:
    with pytest.raises(CheckpointError, match="is not the checkpoint that this session") as raised:
        _refuse(tiny_bert, checkpoint, edits)
    assert words in raised.value.message
    assert raised.value.hint
