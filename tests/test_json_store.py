"""Dataclasses as JSON and back; files that are missing, damaged, unreadable, older or newer."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.json_store import JsonFile, UnfitError, decode, decode_or_keep, encode, finish_writing


@dataclass(frozen=True)
class Point:
    """A nested dataclass."""

    x: int | None = None
    y: int = 0


@dataclass(frozen=True)
class Sample:
    """One field of each type that can be read."""

    must: int
    share: float = 0.5
    is_on: bool = False
    name: str | None = None
    kind: Literal["dot", "line"] = "dot"
    amount: int | str = 0
    path: Path = Path("a")
    points: tuple[tuple[int, str], ...] = ()
    ends: tuple[float, float] = (0.0, 1.0)
    point: Point = field(default_factory=Point)

    def __post_init__(self) -> None:
        if self.share < 0:
            raise ValueError("share is negative")


FULL = Sample(
    must=7,
    share=1.25,
    is_on=True,
    name="고양이",
    kind="line",
    amount="many",
    path=Path("b/c"),
    points=((1, "x"), (2, "y")),
    ends=(2.0, 3.5),
    point=Point(None, 4),
)


def _as_json(value: object) -> Any:
    return json.loads(json.dumps(encode(value)))


@pytest.mark.parametrize("sample", [Sample(1), FULL])
def test_what_is_written_is_read_back(sample: Sample) -> None:
    assert decode(Sample, _as_json(sample)) == sample


def test_a_missing_field_is_its_default_and_an_unknown_one_is_ignored() -> None:
    assert decode(Sample, {"must": 3, "of a newer program": [1]}) == Sample(3)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"must": None}, "must: null is not a whole number"),
        ({"must": True}, "must: true is not a whole number"),
        ({"must": 1.0}, "not a whole number"),
        ({"must": "1"}, "not a whole number"),
        ({"share": float("nan")}, "not a number"),
        ({"share": float("inf")}, "not a number"),
        ({"share": 10**400}, "not a number"),
        ({"share": True}, "share: true is not a number"),
        ({"share": -1}, "share is negative"),
        ({"is_on": 1}, "not true or false"),
        ({"name": 3}, "name: 3 is not a text"),
        ({"name": "\ud800"}, "not a text"),
        ({"kind": "circle"}, "not one of dot, line"),
        ({"kind": None}, "not one of"),
        ({"amount": None}, "amount: null is not a whole number; null is not a text"),
        ({"path": 3}, "path: 3 is not a text"),
        ({"points": [[1]]}, r"points\.0: it has 1 items instead of 2"),
        ({"points": [[1, "a"], [1, 2]]}, r"points\.1\.1: 2 is not a text"),
        ({"points": {"0": 1}}, "not a list"),
        ({"points": 5}, "not a list"),
        ({"ends": [1.0]}, "1 items instead of 2"),
        ({"point": [1, 2]}, "not an object"),
        ({"point": {"y": "0"}}, r'point\.y: "0" is not a whole number'),
    ],
)
def test_a_value_of_another_type_is_refused_by_name(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        decode(Sample, {"must": 1} | changes)


@pytest.mark.parametrize("value", [None, [], 3, "text"])
def test_what_is_no_object_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="not an object"):
        decode(Sample, value)


def test_a_field_without_a_default_is_needed() -> None:
    with pytest.raises(ValueError, match="“must” is missing"):
        decode(Sample, {"share": 1.0})


@dataclass(frozen=True)
class Shape:
    """What is read by its kind."""

    is_: bool = field(default=False, metadata={"key": "is"})


@dataclass(frozen=True)
class Circle(Shape):
    """The one kind."""

    radius: float = 1.0


@dataclass(frozen=True)
class Drawing:
    """A list of shapes."""

    shapes: tuple[Shape, ...] = ()

    def __post_init__(self) -> None:
        if len(self.shapes) > 2:
            raise ValueError("too many", ("shapes", 2))


def _drawing(*shapes: object) -> Drawing:
    plain = {"shapes": list(shapes)}
    return decode(Drawing, plain, is_strict=True, kinds={Shape: {"circle": Circle}})


def test_an_object_is_read_as_what_its_kind_says_and_a_field_may_have_another_name_in_files() -> None:
    assert _drawing({"kind": "circle", "radius": 2, "is": True}) == Drawing((Circle(True, 2.0),))
    assert encode(Circle()) == {"is": False, "radius": 1.0}


@pytest.mark.parametrize(
    ("shapes", "path", "reason"),
    [
        ([{"kind": "square"}], ("shapes", 0, "kind"), '"square" is not one of circle'),
        ([3], ("shapes", 0, "kind"), "null is not one of circle"),
        ([{"kind": "circle", "is_": True}], ("shapes", 0, "is_"), '"is_" is not one of is, radius'),
        ([{"kind": "circle"}] * 3, ("shapes", 2), "too many"),
    ],
)
def test_what_does_not_fit_is_named_by_its_path(
    shapes: list[object], path: tuple[str | int, ...], reason: str
) -> None:
    with pytest.raises(UnfitError) as raised:
        _drawing(*shapes)
    assert (raised.value.path, raised.value.reason) == (path, reason)


def test_numbers_may_be_limited() -> None:
    assert decode(Sample, {"must": 2**40, "share": 1e12}).must == 2**40
    for changes in ({"must": 2**31}, {"must": -(2**31)}, {"share": 1e12}):
        with pytest.raises(ValueError, match="is beyond 2147483647"):
            decode(Sample, {"must": 1} | changes, largest=2**31 - 1)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.data())
def test_any_json_is_read_or_refused(data: st.DataObject) -> None:
    plain = encode(FULL)
    plain[data.draw(st.sampled_from(sorted(plain)))] = data.draw(_JSON)
    try:
        found = decode(Sample, plain)
    except ValueError:
        assert decode_or_keep(Sample(0), plain) != FULL
    else:
        assert decode(Sample, _as_json(found)) == found
        assert decode_or_keep(Sample(0), plain) == found


def test_the_fields_that_fit_are_taken_and_the_log_names_the_others(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        found = decode_or_keep(Sample(5), {"must": "1", "share": -1, "is_on": True, "points": None})
    assert found == replace(Sample(5), is_on=True)
    assert 'must: "1" is not a whole number' in caplog.text
    assert "share is negative" in caplog.text


def test_a_type_that_json_has_not_is_a_defect() -> None:
    @dataclass(frozen=True)
    class Odd:
        when: complex = 0j

    with pytest.raises(TypeError, match="complex"):
        decode_or_keep(Odd(), {"when": 1})


# files


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "some.json"


def _written(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_file_is_read_back_with_its_version_beside_it(path: Path) -> None:
    JsonFile(path, 3).write({"a": "고양이 \ud800", "b": [1, None]})
    assert JsonFile(path, 3).read() == {"a": "고양이 \ud800", "b": [1, None]}
    assert json.loads(path.read_text(encoding="utf-8"))["version"] == 3
    assert list(path.parent.iterdir()) == [path]


def test_a_missing_file_is_empty_and_is_not_made(path: Path) -> None:
    assert JsonFile(path).read() == {}
    assert not path.parent.exists()


def _renamed(content: dict[str, object]) -> dict[str, object]:
    return {"name": content["title"]}


def _with_size(content: dict[str, object]) -> dict[str, object]:
    return {**content, "size": 1}


@pytest.mark.parametrize("version", [{}, {"version": 1}])
def test_an_older_version_is_migrated_step_by_step(path: Path, version: dict[str, object]) -> None:
    _written(path, version | {"title": "old"})
    file = JsonFile(path, 3, {1: _renamed, 2: _with_size})
    content = file.read()
    assert content == {"name": "old", "size": 1}
    file.write(content)
    assert JsonFile(path, 3).read() == content


def test_a_newer_version_is_renamed_and_not_guessed_at(path: Path) -> None:
    _written(path, {"version": 4, "name": "of tomorrow"})
    file = JsonFile(path, 3)
    assert file.read() == {}
    file.write({"name": "mine"})
    assert JsonFile(path, 3).read() == {"name": "mine"}
    aside = json.loads(path.with_name("some.version-4.json").read_text(encoding="utf-8"))
    assert aside == {"version": 4, "name": "of tomorrow"}


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe\x00", b"[]", b"null", b"[" * 100_000, b'{"version": true}', b'{"version": 0}'],
)
def test_a_damaged_file_is_renamed(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    assert JsonFile(path).read() == {}
    assert path.with_name("some.damaged.json").read_bytes() == content
    assert not path.exists()


def test_a_file_that_could_not_be_read_is_left_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    _written(path, {"name": "mine"})
    file = JsonFile(path)

    def fails(self: Path, encoding: str) -> str:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch, caplog.at_level(logging.INFO):
        patch.setattr(Path, "read_text", fails)
        assert file.read() == {}
    assert "could not be read" in caplog.text
    file.write({"name": "other"})
    finish_writing()
    assert list(path.parent.iterdir()) == [path]
    assert JsonFile(path).read() == {"name": "mine"}


def test_a_file_that_cannot_be_written_is_only_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "blocked").write_text("a file where the folder should be")
    with caplog.at_level(logging.INFO):
        JsonFile(tmp_path / "blocked" / "some.json").write({"a": 1})
        finish_writing()
    assert "was not saved" in caplog.text


def test_a_slow_disk_is_waited_for_by_who_reads_and_not_by_who_writes(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_free, written = threading.Event(), []
    replace_file = Path.replace

    def slow(self: Path, target: Path) -> Path:
        assert is_free.wait(30)
        written.append(json.loads(self.read_text())["a"])
        return replace_file(self, target)

    monkeypatch.setattr(Path, "replace", slow)
    file = JsonFile(path)
    for number in range(9):
        file.write({"a": number})
    assert not path.exists()
    is_free.set()
    assert JsonFile(path).read() == {"a": 8}
    assert written[-1] == 8
    assert len(written) <= 2, "one was on its way; of those that came after it the newest alone is written"


def test_what_a_program_wrote_last_is_on_disk_when_it_ends(path: Path) -> None:
    program = (
        "import pathlib, sys; from bertviz_app.json_store import JsonFile; "
        "JsonFile(pathlib.Path(sys.argv[1])).write({'a': 1})"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)
    assert JsonFile(path).read() == {"a": 1}


def test_content_that_changes_after_it_was_written_stays_as_it_was(path: Path) -> None:
    content = {"a": [1]}
    file = JsonFile(path)
    file.write(content)
    content["a"].append(2)
    assert file.read() == {"a": [1]}
