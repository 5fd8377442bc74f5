"""Sessions as files: read back whole; what is missing or damaged is one sentence; nothing is half written."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bertviz_app.errors import AppError, FileError
from bertviz_app.text import Edits
from bertviz_app.viewmodels.options import DrawOptions
from bertviz_app.viewmodels.overview_options import OverviewChoice
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.runs.requests import OtherRun
from bertviz_app.viewmodels.selection import Pair
from bertviz_app.viewmodels.session.archive import (
    VERSION,
    arrays_beside,
    load_session,
    read_snapshot,
    save_session,
)
from bertviz_app.viewmodels.session.snapshot import Snapshot
from tests.support.factories import random_trace
from tests.support.fakes import tokens_of

SNAPSHOT = Snapshot(text="the cat ate", pair="고양이", ref="a/b", panels=(Panel(0, 1, 2, "lines"),))
TRACE = random_trace(tokens_of("the cat ate", "고양이"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "my work.bva"


def _saved(path: Path) -> dict[str, object]:
    save_session(path, SNAPSHOT, TRACE)
    content: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
    return content


def test_it_is_read_back_with_its_arrays(path: Path) -> None:
    save_session(path, SNAPSHOT, TRACE)
    session = load_session(path)
    assert session.snapshot == read_snapshot(path) == SNAPSHOT
    assert session.trace is not None
    np.testing.assert_array_equal(session.trace.attention(1, 2), TRACE.attention(1, 2))
    assert session.remark == ""
    assert sorted(file.name for file in path.parent.iterdir()) == ["my work.bva", "my work.bva.npz"]


def test_without_arrays_there_are_none(path: Path) -> None:
    save_session(path, SNAPSHOT, None)
    session = load_session(path)
    assert (session.snapshot, session.trace, session.remark) == (SNAPSHOT, None, "")
    assert not arrays_beside(path).exists()


def test_old_arrays_of_a_session_without_any_are_not_read(path: Path) -> None:
    save_session(path, SNAPSHOT, TRACE)
    save_session(path, SNAPSHOT, None)
    assert load_session(path).trace is None


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda beside: beside.unlink(), "not beside it"),
        (lambda beside: beside.write_bytes(b"PK"), "cannot be read"),
        (lambda beside: beside.write_bytes(beside.read_bytes()[:-2000]), "cannot be read"),
    ],
)
def test_arrays_that_are_missing_or_damaged_leave_the_rest(path: Path, spoil: object, words: str) -> None:
    save_session(path, SNAPSHOT, TRACE)
    assert callable(spoil)
    spoil(arrays_beside(path))
    session = load_session(path)
    assert (session.snapshot, session.trace) == (SNAPSHOT, None)
    assert words in session.remark


def test_arrays_of_another_text_are_not_taken_for_its_own(path: Path) -> None:
    save_session(path, SNAPSHOT, TRACE)
    save_session(path.with_name("other.bva"), Snapshot(text="other"), random_trace(tokens_of("other")))
    arrays_beside(path.with_name("other.bva")).replace(arrays_beside(path))
    session = load_session(path)
    assert session.trace is None
    assert "another session" in session.remark


def test_a_newer_version_is_named(path: Path) -> None:
    content = _saved(path) | {"version": VERSION + 1, "program": "9.0"}
    path.write_text(json.dumps(content))
    with pytest.raises(FileError, match=r"newer BertViz App \(9.0\)"):
        load_session(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "else"},
        {"version": 0},
        {"version": None},
        {"version": "1"},
        {"snapshot": None},
        {"snapshot": [1]},
        {"snapshot": {"text": 5}},
        {"snapshot": {"active": 10**30}},
        {"snapshot": {"options": {"threshold": float("nan")}}},
    ],
)
def test_what_is_no_session_is_one_sentence(path: Path, changes: dict[str, object]) -> None:
    path.write_text(json.dumps(_saved(path) | changes))
    with pytest.raises(FileError, match="no session that can be opened"):
        load_session(path)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"null", b"{}", b'{"kind": 1e999}']
)
def test_any_other_file_is_one_sentence(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(FileError, match="no session that can be opened"):
        load_session(path)


def test_a_file_that_is_not_there_is_named(path: Path) -> None:
    with pytest.raises(FileError, match="There is no file"):
        load_session(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.data())
def test_a_file_cut_or_changed_anywhere_is_read_or_refused(path: Path, data: st.DataObject) -> None:
    save_session(path, SNAPSHOT, None)
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[place:]
    else:
        content[place] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(content))
    try:
        session = load_session(path)
    except AppError as error:
        assert str(error)  # noqa: PT017 - any sentence
    else:
        assert isinstance(session.snapshot, Snapshot)


@pytest.mark.parametrize("n_before", [0, 1])
def test_a_full_disk_leaves_the_old_session(
    path: Path, monkeypatch: pytest.MonkeyPatch, n_before: int
) -> None:
    save_session(path, SNAPSHOT, TRACE)
    before = path.read_bytes()
    replace, calls = Path.replace, []

    def fail(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) > n_before:
            raise OSError(errno.ENOSPC, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(FileError, match="No space left"):
        save_session(path, Snapshot(text="the cat ate", pair="고양이"), TRACE)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert load_session(path).snapshot == SNAPSHOT
    assert len(list(path.parent.iterdir())) == 2


def test_a_session_of_version_0_1_0_is_read(tmp_path: Path) -> None:
    session = load_session(Path(__file__).parent / "data" / "version_0_1_0.bva")
    assert session.remark == ""
    assert session.trace is not None
    np.testing.assert_allclose(session.trace.attention(1, 2), TRACE.attention(1, 2), atol=1e-6)
    expected = Snapshot(
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
    assert session.snapshot == expected
    again = tmp_path / "again.bva"
    save_session(again, session.snapshot, session.trace)
    assert load_session(again).snapshot == expected
