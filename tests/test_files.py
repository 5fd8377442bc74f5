"""Files of the program: archives, JSON, paths, tables."""

from __future__ import annotations

import csv
import json
import logging
import math
import subprocess
import sys
import threading
import tracemalloc
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bertviz_app import paths
from bertviz_app.errors import FileError
from bertviz_app.features.training.pretraining.vocabulary import load_tokenised
from bertviz_app.json_store import JsonFile, UnfitError, decode, decode_or_keep, encode, finish_writing
from bertviz_app.tables import (
    Cell,
    RowSource,
    Table,
    cell_text,
    digits,
    table_as_csv,
    text_writer,
    write_file,
    write_npz,
    write_table_csv,
    write_table_json,
)
from bertviz_app.trace import load_trace
from bertviz_app.viewmodels.session.archive import load_session
from tests.support.refusals import not_refused

_N_ZEROS = 100_000_000


def _bomb(path: Path, name: str) -> Path:
    """Write an archive of a few hundred kilobytes with a part of 100 MB."""
    with ZipFile(path, "w", ZIP_DEFLATED) as archive, archive.open(name, "w") as member:
        for _ in range(100):
            member.write(bytes(_N_ZEROS // 100))
    assert path.stat().st_size < 1_000_000
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hidden.npy", "session.json"])
def test_a_bomb_is_refused_by_what_its_directory_declares(name: str, tmp_path: Path) -> None:
    path = _bomb(tmp_path / "trace.npz", name)
    tracemalloc.start()
    try:
        for read in (load_trace, load_tokenised, load_session):
            with pytest.raises(FileError, match="would unfold to 100 MB"):
                read(path)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_packed_numbers_are_read(tmp_path: Path) -> None:
    path = tmp_path / "corpus.npz"
    starts = np.zeros(1, np.int64)
    np.savez_compressed(path, ids=np.arange(9), sentence_starts=starts, document_starts=starts)
    assert len(load_tokenised(path).ids) == 9


@pytest.mark.slow
def test_a_part_that_is_longer_than_declared_is_not_read_on(tmp_path: Path) -> None:
    """The directory is what is believed: a reader must stop where it says that a part ends."""
    path = _bomb(tmp_path / "x.bva", "session.json")
    content = bytearray(path.read_bytes())
    size = _N_ZEROS.to_bytes(4, "little")
    assert size in content
    path.write_bytes(content.replace(size, (100).to_bytes(4, "little")))
    tracemalloc.start()
    try:
        with pytest.raises(FileError, match="no session"):
            load_session(path)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


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


NO_SAMPLES: tuple[tuple[dict[str, Any], str], ...] = (
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
)


def test_a_value_of_another_type_is_refused_by_name() -> None:
    assert not_refused(NO_SAMPLES, lambda wrong: decode(Sample, {"must": 1} | wrong), ValueError) == []


def test_what_is_no_object_is_refused() -> None:
    no_objects: tuple[object, ...] = (None, [], 3, "text")
    assert not_refused(no_objects, lambda value: decode(Sample, value), ValueError, "not an object") == []


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
        assert is_free.wait(300)
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


FOLDERS = {
    "linux": (".config/bertviz-app", ".local/share/bertviz-app"),
    "darwin": ("Library/Application Support/bertviz-app",) * 2,
    "win32": ("AppData/Roaming/bertviz-app", "AppData/Local/bertviz-app"),
}
VARIABLES = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    return tmp_path


def _data() -> set[Path]:
    return {paths.trained_models().parent, paths.own_lessons().parent, paths.corpora().parent}


@pytest.mark.parametrize("system", FOLDERS)
def test_each_system_has_its_own_folders(home: Path, monkeypatch: pytest.MonkeyPatch, system: str) -> None:
    monkeypatch.setattr(sys, "platform", system)
    settings, data = FOLDERS[system]
    assert paths.settings() == home / settings
    assert _data() == {home / data}
    assert paths.trained_models().name == "models"
    assert paths.own_lessons().name == "lessons"
    assert paths.corpora().name == "corpora"
    assert list(home.iterdir()) == [], "none is made by its name"


@pytest.mark.parametrize(
    ("system", "of_settings", "of_data"),
    [("linux", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), ("win32", "APPDATA", "LOCALAPPDATA")],
)
def test_the_environment_may_name_others(
    home: Path, monkeypatch: pytest.MonkeyPatch, system: str, of_settings: str, of_data: str
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setenv(of_settings, str(home / "a"))
    monkeypatch.setenv(of_data, str(home / "b"))
    assert paths.settings() == home / "a" / "bertviz-app"
    assert _data() == {home / "b" / "bertviz-app"}
    monkeypatch.setenv(of_settings, "")
    assert paths.settings() == home / FOLDERS[system][0], "an empty variable is none"


def test_what_ships_is_there() -> None:
    assert (paths.resources() / "translations" / "bertviz_app_ko.qm").is_file()
    assert list(paths.bundled_models().glob("*/config.json"))


def test_a_file_is_replaced_when_all_of_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before", "utf-8")
    with paths.replacing(path) as beside:
        beside.write_text("after", "utf-8")
        assert path.read_text("utf-8") == "before"
        assert (beside.parent, beside.suffix) == (tmp_path, ".txt")
    assert path.read_text("utf-8") == "after"
    assert list(tmp_path.iterdir()) == [path]


def test_after_any_error_it_is_what_it_was_and_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before", "utf-8")

    def write_half() -> None:
        with paths.replacing(path) as beside:
            beside.write_text("half", "utf-8")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert path.read_text("utf-8") == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_and_a_name_that_is_taken_have_their_own_way_out(tmp_path: Path) -> None:
    def write(path: Path) -> str:
        with pytest.raises(FileError) as caught, paths.replacing(path) as beside:
            beside.write_text("all", "utf-8")
        assert str(path) in caught.value.message
        return str(caught.value.hint)

    assert "Make the folder" in write(tmp_path / "nowhere" / "a.txt")
    (tmp_path / "folder").mkdir()
    assert "choose another folder" in write(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_file_may_have_the_longest_name_that_a_folder_takes(tmp_path: Path) -> None:
    path = tmp_path / ("🙂" * 62 + ".npz")  # 252 bytes
    with paths.replacing(path) as beside:
        beside.write_text("there")
    assert path.read_text() == "there"


def test_what_cannot_be_looked_at_counts_as_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert paths.exists(tmp_path)
    assert not paths.exists(tmp_path / "none")

    def refused(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refused)
    assert not paths.exists(tmp_path)


def test_a_folder_that_may_not_be_read_is_a_file_error_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_dir", refused)
    with pytest.raises(FileError, match="Permission denied"), paths.replacing(tmp_path / "a.txt"):
        raise PermissionError(13, "Permission denied")


THIRD = np.float32(1) / np.float32(3)
TABLE = Table(
    ("piece", "count", "weight", "entropy"),
    [('고양이 "##,"', 3, THIRD, 0.1), ("", 0, math.nan, None), ("a\nb", -1, np.float64(1e-300), 2.0)],
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def test_a_table_is_csv_that_a_reader_gives_back() -> None:
    rows = list(csv.reader(table_as_csv(TABLE).splitlines(keepends=True)))
    assert rows == [
        ["piece", "count", "weight", "entropy"],
        ['고양이 "##,"', "3", "0.333333343", "0.1"],
        ["", "0", "", ""],
        ["a\nb", "-1", "1e-300", "2.0"],
    ]


def test_another_separator_stands_between_the_columns_alone() -> None:
    text = table_as_csv(Table(("a", "b"), [("1,5", 2)]), "\t")
    assert text == "a\tb\n1,5\t2\n"


def test_a_file_has_the_same_rows_which_are_made_one_by_one(tmp_path: Path) -> None:
    once = Table(TABLE.columns, RowSource(lambda: iter(TABLE.rows)))
    write_table_csv(once, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes().decode("utf-8") == table_as_csv(TABLE)


def test_json_has_the_facts_and_null_where_there_is_nothing(tmp_path: Path) -> None:
    write_table_json(TABLE, tmp_path / "a.json", {"text": "고양이", "layers": (1, 2)})
    written = (tmp_path / "a.json").read_text("utf-8")
    assert json.loads(written) == {
        "text": "고양이",
        "layers": [1, 2],
        "columns": ["piece", "count", "weight", "entropy"],
        "rows": [['고양이 "##,"', 3, 0.333333343, 0.1], ["", 0, None, None], ["a\nb", -1, 1e-300, 2.0]],
    }
    assert written.count("고양이") == 2, "not as escapes"
    write_table_json(Table(("a",), []), tmp_path / "empty.json", {})
    assert json.loads((tmp_path / "empty.json").read_text("utf-8")) == {"columns": ["a"], "rows": []}


def test_json_has_null_for_infinite_numbers_and_its_own_words_for_true_and_false(tmp_path: Path) -> None:
    rows = [(math.inf, np.float32("-inf"), True), (1.0, np.float32(2), False)]
    write_table_json(Table(("a", "b", "c"), rows), tmp_path / "a.json", {})
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["rows"] == [[None, None, True], [1, 2, False]]


@given(FLOATS, st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_every_number_is_the_same_when_it_is_read_again(double: float, single: float) -> None:
    assert float(cell_text(double)) == float(cell_text(np.float64(double))) == double
    assert np.float32(cell_text(np.float32(single))) == np.float32(single)
    assert [np.float32(text) for text in digits(np.array([single], np.float32))] == [np.float32(single)]


@pytest.mark.parametrize("cell", [None, math.nan, np.float32("nan"), np.float64("nan")])
def test_nothing_is_an_empty_cell(cell: Cell) -> None:
    assert cell_text(cell) == ""


def test_arrays_come_back_by_name_and_without_pickles(tmp_path: Path) -> None:
    arrays = {"a": np.arange(6).reshape(2, 3), "pieces": np.array(["고양이", "x"]), "one": np.array(0.5)}
    write_npz(arrays, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as found:
        assert set(found) == set(arrays)
        for name, array in arrays.items():
            np.testing.assert_array_equal(found[name], array)
    with pytest.raises(ValueError, match="allow_pickle"):
        write_npz({"a": np.array([object()])}, tmp_path / "b.npz")


def test_the_ending_chooses_the_format_in_any_case(tmp_path: Path) -> None:
    writers = {".csv": text_writer(lambda: "as csv\n"), ".txt": text_writer(lambda: "글\n")}
    write_file(tmp_path / "a.CSV", writers)
    write_file(str(tmp_path / "b.txt"), writers)
    assert (tmp_path / "a.CSV").read_bytes() == b"as csv\n"
    assert (tmp_path / "b.txt").read_bytes().decode("utf-8") == "글\n"


@pytest.mark.parametrize(("name", "shown"), [("a.xlsx", "“.xlsx”"), ("none", "“none”")])
def test_another_ending_is_refused_with_those_there_are(tmp_path: Path, name: str, shown: str) -> None:
    writers = dict.fromkeys((".csv", ".json", ".npz"), text_writer(str))
    with pytest.raises(FileError, match=shown) as caught:
        write_file(tmp_path / name, writers)
    assert caught.value.hint == "End the name in .csv, .json or .npz."
    assert list(tmp_path.iterdir()) == []
