"""Saved traces: the file, its arrays, and hostile ones."""

from __future__ import annotations

import csv
import errno
import gc
import io
import json
import os
import sys
import zipfile
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from bertviz_app.errors import FileError
from bertviz_app.trace import Trace, load_trace, memory as file_arrays, save_trace
from bertviz_app.trace.bias import RelativeBias
from bertviz_app.trace.form import Form
from bertviz_app.trace.memory import array_in_file, release_pages
from bertviz_app.trace.provenance import Identity, Provenance
from tests.support.factories import biased_trace, by_distance, make_trace, projected, random_trace
from tests.support.refusals import not_refused


@pytest.fixture(scope="module")
def trace() -> Trace:
    """A pair, with pieces that test what a format can carry."""
    made = make_trace(8, pair=True)
    pieces = ("[CLS]", "고양이", "##,", '"', "[SEP]", "a\nb", "🐈", "[SEP]")
    tokens = replace(made.tokens, text='고양이 ,"', pair="a\nb 🐈", pieces=pieces, n_left_out=3)
    tokens = replace(tokens, dropped="\0\x0c")
    return replace(made, tokens=tokens, model="some/model")


def same(one: Trace, other: Trace) -> bool:
    """Return whether two traces are equal to the last bit."""
    for first, second in ((one, other), (one.tokens, other.tokens)):
        for field in fields(first):
            a, b = getattr(first, field.name), getattr(second, field.name)
            if isinstance(a, np.ndarray):
                if not (a.dtype == b.dtype and np.array_equal(a, b)):
                    return False
            elif field.name != "tokens" and a != b:
                return False
    return True


FROM = Provenance(Identity("c0ffee", "0ff1ce", "org/name", "a1b2c3"), "1.2", ((2, "[MASK]"), (5, "dog")))
VECTOR = np.linspace(-1, 1, 5, dtype=np.float32)
VARIANTS: dict[str, Callable[[Trace], Trace]] = {
    "a pair": lambda trace: trace,
    "with a sentence vector": lambda trace: replace(trace, sentence_vector=VECTOR),
    "muted": lambda trace: replace(trace, muted=((0, 2), (1, 0))),
    "with its provenance": lambda trace: replace(trace, provenance=FROM),
    "without pooler and pair": lambda trace: replace(
        trace, pooled=None, tokens=replace(trace.tokens, pair=None)
    ),
    "of shared layers, projected, without segments": lambda trace: replace(
        projected(trace),
        tokens=replace(trace.tokens, has_segments=False),
        segment_embeddings=None,
        shares_layers=True,
    ),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_npz_gives_back_the_same_trace(variant: str, trace: Trace, tmp_path: Path) -> None:
    made = VARIANTS[variant](trace)
    save_trace(made, str(tmp_path / "CAT.NPZ"))
    assert same(load_trace(str(tmp_path / "CAT.NPZ")), made)


@pytest.mark.parametrize(
    ("lacks", "has", "expected"),
    [
        ("muted", {}, {"muted": ()}),
        ("shares_layers", {}, {}),
        ("provenance", {"fingerprint": "c0ffee"}, {"provenance": Provenance(Identity("c0ffee"))}),
        ("provenance", {}, {"provenance": Provenance(Identity(""))}),
    ],
)
def test_older_files_open(
    lacks: str, has: dict[str, str], expected: dict[str, Any], trace: Trace, tmp_path: Path
) -> None:
    arrays = saved(trace, tmp_path)
    facts = json.loads(str(arrays["facts"])) | has
    del facts[lacks]
    np.savez(tmp_path / "old.npz", **(arrays | {"facts": np.array(json.dumps(facts))}))
    assert same(load_trace(tmp_path / "old.npz"), replace(trace, **expected))


def test_json_and_csv_have_the_sentence_vector(trace: Trace, tmp_path: Path) -> None:
    for ending in ("json", "csv"):
        save_trace(replace(trace, sentence_vector=VECTOR), tmp_path / f"a.{ending}")
    written = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert np.array_equal(np.array(written["sentence_vector"], np.float32), VECTOR)
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        values = [row[-1] for row in csv.reader(file) if row[0] == "sentence_vector"]
    assert np.array_equal(np.array(values, np.float32), VECTOR)


def test_json_and_csv_have_the_provenance_of_the_trace(trace: Trace, tmp_path: Path) -> None:
    made = replace(trace, provenance=FROM, muted=((1, 2),))
    save_trace(made, tmp_path / "cat.json")
    content = json.loads((tmp_path / "cat.json").read_text(encoding="utf-8"))
    assert content["provenance"]["checkpoint"]["revision"] == "a1b2c3"
    assert content["provenance"]["replaced"] == [[2, "[MASK]"], [5, "dog"]]
    save_trace(made, tmp_path / "cat.csv")
    with (tmp_path / "cat.csv").open(encoding="utf-8", newline="") as file:
        rows = [tuple(row.values()) for row in csv.DictReader(file)]
    for name, value in (("program", "1.2"), ("fingerprint", "c0ffee"), ("tokenizer", "0ff1ce")):
        assert (name, "", "", "", "", value) in rows
    assert ("muted", "1", "2", "", "", "") in rows
    assert ("replaced", "", "", "5", "", "dog") in rows


def test_a_bias_comes_back_and_files_without_one_have_none(trace: Trace, tmp_path: Path) -> None:
    biased = biased_trace(7)
    save_trace(biased, tmp_path / "biased.npz")
    loaded = load_trace(tmp_path / "biased.npz")
    np.testing.assert_array_equal(by_distance(loaded), by_distance(biased))
    np.testing.assert_array_equal(loaded.attention(), biased.attention())
    arrays = saved(biased, tmp_path)
    for bad in (np.full((2, 3, 13), np.nan, np.float32), np.zeros((2, 3, 9), np.float32), np.zeros(3)):
        np.savez(tmp_path / "bad.npz", **(arrays | {"bias_by_distance": bad}))
        with pytest.raises(FileError):
            load_trace(tmp_path / "bad.npz")
    save_trace(trace, tmp_path / "plain.npz")
    assert load_trace(tmp_path / "plain.npz").bias is None


def test_the_form_and_a_window_come_back(trace: Trace, tmp_path: Path) -> None:
    by_distance = np.zeros((2, 1, 15), np.float32)
    by_distance[..., [0, 1, 13, 14]] = -np.inf
    form = Form(is_pre_norm=True, is_gated=True, has_key_biases=False, n_feed_forwards=4)
    other = replace(trace, bias=RelativeBias(by_distance), form=form, position_embeddings=None)
    save_trace(other, tmp_path / "other.npz")
    loaded = load_trace(tmp_path / "other.npz")
    assert (loaded.form, loaded.position_embeddings) == (form, None)
    np.testing.assert_array_equal(loaded.scores(), other.scores())
    arrays = saved(other, tmp_path)
    counts = [{"n_feed_forwards": count} for count in (0, 9, True, 2.0, "2", None)]
    lies: tuple[object, ...] = ({"is_round": True}, {"is_gated": 1}, [1], "x", *counts)
    for stated_form in lies:
        facts = json.loads(str(arrays["facts"])) | {"form": stated_form}
        np.savez(tmp_path / "bad.npz", **(arrays | {"facts": np.array(json.dumps(facts))}))
        with pytest.raises(FileError):
            load_trace(tmp_path / "bad.npz")
    facts = json.loads(str(arrays["facts"]))
    biases = ("has_query_biases", "has_key_biases", "has_value_biases", "has_output_biases")
    assert [facts["form"][name] for name in biases] == [True, False, True, True]  # as in older files
    del facts["form"]
    np.savez(tmp_path / "old.npz", **(arrays | {"facts": np.array(json.dumps(facts))}))
    assert load_trace(tmp_path / "old.npz").form == Form()
    # In the next files one claim was for dense layers and norms.
    facts["form"] = {"is_pre_norm": True, "has_biases": False}
    np.savez(tmp_path / "old.npz", **(arrays | {"facts": np.array(json.dumps(facts))}))
    assert load_trace(tmp_path / "old.npz").form == Form(
        is_pre_norm=True, has_biases=False, has_norm_biases=False
    )


def test_npz_holds_the_dense_attention_for_other_programs(trace: Trace, tmp_path: Path) -> None:
    save_trace(trace, tmp_path / "cat.npz")
    with np.load(tmp_path / "cat.npz", allow_pickle=False) as arrays:
        assert arrays["attention"].dtype == np.float32
        np.testing.assert_allclose(arrays["attention"], trace.attention(), rtol=0, atol=1e-6)
        np.testing.assert_array_equal(arrays["ids"], trace.tokens.ids)


def test_the_attention_is_written_a_head_at_a_time(
    trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bertviz_app.trace.trace.MAX_BYTES", 4 * trace.n_tokens**2)
    for ending in ("npz", "json", "csv"):
        save_trace(trace, tmp_path / f"cat.{ending}")
    assert same(load_trace(tmp_path / "cat.npz"), trace)


def test_json_gives_back_the_same_numbers(trace: Trace, tmp_path: Path) -> None:
    save_trace(trace, tmp_path / "cat.json")
    content = json.loads((tmp_path / "cat.json").read_text(encoding="utf-8"))
    for name in ("hidden", "pooled"):
        np.testing.assert_array_equal(np.array(content[name], np.float32), getattr(trace, name))
    for layer, head in np.ndindex(trace.n_layers, trace.n_heads):
        ours = trace.attention(layer, head)
        np.testing.assert_array_equal(np.array(content["attention"][layer][head], np.float32), ours)
    assert content["ids"] == trace.tokens.ids.tolist()
    assert content["pieces"] == list(trace.tokens.pieces)
    assert (content["text"], content["pair"], content["n_left_out"]) == ('고양이 ,"', "a\nb 🐈", 3)


def test_csv_gives_back_the_same_numbers(trace: Trace, tmp_path: Path) -> None:
    save_trace(trace, tmp_path / "cat.csv")
    with (tmp_path / "cat.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["value"] for row in rows if row["array"] == "piece"] == list(trace.tokens.pieces)
    assert [int(row["value"]) for row in rows if row["array"] == "ids"] == trace.tokens.ids.tolist()
    values = {name: [np.float32(row["value"]) for row in rows if row["array"] == name] for name in ARRAYS}
    np.testing.assert_array_equal(values["pooled"], trace.pooled)
    np.testing.assert_array_equal(values["hidden"], trace.hidden.ravel())
    heads = np.ndindex(trace.n_layers, trace.n_heads)
    attention = np.concatenate([trace.attention(*head).ravel() for head in heads])
    np.testing.assert_array_equal(values["attention"], attention)
    last = [row for row in rows if row["array"] == "attention"][-1]
    assert (last["layer"], last["head"], last["row"], last["column"]) == ("1", "2", "7", "7")


ARRAYS = ("pooled", "hidden", "attention")


@pytest.mark.parametrize("name", ["trace.txt", "trace", ".npz", "trace.npz.gz"])
def test_an_unknown_ending_is_refused(trace: Trace, tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError, match=r"\.npz, \.json or \.csv"):
        save_trace(trace, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_name_that_is_a_folder(trace: Trace, tmp_path: Path) -> None:
    (tmp_path / "cat.npz").mkdir()
    with pytest.raises(FileError):
        save_trace(trace, tmp_path / "cat.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["cat.npz"]


class FullDisk(io.FileIO):
    """A file on a disk with room for a few bytes."""

    room = 100

    def write(self, data: Any, /) -> int:
        if self.tell() + memoryview(data).nbytes > self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(data)


@pytest.mark.parametrize("ending", ["npz", "json", "csv"])
def test_a_full_disk_loses_nothing(
    trace: Trace, tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"cat.{ending}"
    path.write_text("what was there before", encoding="utf-8")

    def open_full(self: Path, mode: str = "r", **options: Any) -> Any:
        file = FullDisk(str(self), mode.replace("b", ""))
        return io.BufferedWriter(file) if "b" in mode else io.TextIOWrapper(io.BufferedWriter(file), "utf-8")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", open_full)
        with pytest.raises(FileError, match="No space left"):
            save_trace(trace, path)
    assert path.read_text(encoding="utf-8") == "what was there before"
    assert [other.name for other in tmp_path.iterdir()] == [path.name]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="There is no file"):
        load_trace(tmp_path / "cat.npz")


def test_a_file_that_is_no_trace(tmp_path: Path) -> None:
    def read(content: bytes) -> None:
        (tmp_path / "cat.npz").write_bytes(content)
        load_trace(tmp_path / "cat.npz")

    contents = (b"", b"PK", b"no zip at all", b"\x93NUMPY\x01\x00")
    assert not_refused(contents, read, FileError, "not a trace that can be opened") == []


def test_a_single_array_or_a_foreign_archive_is_no_trace(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", np.zeros(3))
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    for name in ("one.npy", "other.npz"):
        with pytest.raises(FileError):
            load_trace(tmp_path / name)


class Evil:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return Path.touch, (self.mark,)


@pytest.mark.parametrize("name", ["facts", "queries", "pooled", "ids"])
def test_a_pickle_inside_is_refused_and_not_run(trace: Trace, tmp_path: Path, name: str) -> None:
    arrays = saved(trace, tmp_path)
    arrays[name] = np.array([Evil(tmp_path / "mark")], object)
    np.savez(tmp_path / "evil.npz", allow_pickle=True, **arrays)
    with pytest.raises(FileError):
        load_trace(tmp_path / "evil.npz")
    assert not (tmp_path / "mark").exists()


def saved(trace: Trace, folder: Path) -> dict[str, Any]:
    """Return the arrays of a saved `trace`, to be spoilt."""
    save_trace(trace, folder / "good.npz")
    with np.load(folder / "good.npz") as arrays:
        return dict(arrays)


DEEP = "[" * 100_000


NO_FACTS = ("", "{", "[]", "null", "{}", DEEP)
WRONG_FACTS: dict[str, tuple[object, ...]] = {
    "pieces": ("abcdefgh", [1, 2, 3, 4, 5, 6, 7, 8], ["a"], None),
    "text": (None, 3),
    "muted": ([[0, 9]], [[0]], [[0, 1.5]], "ab", None),
    "provenance": (
        *(7, {"program": 1}, {"checkpoint": "c0ffee"}),
        *({"checkpoint": {"fingerprint": None}}, {"checkpoint": {"tokenizer": 3}}),
        *({"checkpoint": {"hub_id": []}}, {"checkpoint": {"revision": {}}}),
        *({"replaced": [[0]]}, {"replaced": [["0", "dog"]]}, {"replaced": [[8, "dog"]]}),
        {"replaced": [[-1, "dog"]]},
    ),
    "pair": ([],),
    "model": ({},),
    "n_left_out": (-1, True, 1e400),
    "scale": ("1", float("nan"), float("inf"), 0.0, 10**400),
}


def test_hostile_facts_are_refused(trace: Trace, tmp_path: Path) -> None:
    arrays = saved(trace, tmp_path)
    good = json.loads(str(arrays["facts"]))

    def read(facts: str) -> None:
        np.savez(tmp_path / "bad.npz", **(arrays | {"facts": np.array(facts)}))
        load_trace(tmp_path / "bad.npz")

    wrong = [json.dumps(good | {name: value}) for name, values in WRONG_FACTS.items() for value in values]
    assert not_refused([*NO_FACTS, *wrong], read, FileError, "not a trace that can be opened") == []


def test_hostile_arrays_are_refused(trace: Trace, tmp_path: Path) -> None:
    arrays = saved(trace, tmp_path)

    def read(wrong: dict[str, np.ndarray]) -> None:
        np.savez(tmp_path / "bad.npz", **(arrays | wrong))
        load_trace(tmp_path / "bad.npz")

    wrong: tuple[dict[str, np.ndarray], ...] = (
        {"format": np.array(3)},
        {"format": np.array("one")},
        {"queries": np.zeros((2, 3, 8, 8), np.float64)},
        {"queries": np.zeros((2, 3, 9, 8), np.float32)},
        {"hidden": np.full((3, 8, 24), np.nan, np.float32)},
        {"lse": np.full((2, 3, 8), np.inf, np.float32)},
        {"ids": np.zeros(7, np.int32)},
        {"pooled": np.zeros(5, np.float32)},
        {"pooled": np.array(["a"])},
    )
    assert not_refused(wrong, read, FileError, "not a trace that can be opened") == []


def test_an_array_that_lies_about_its_size_is_refused(trace: Trace, tmp_path: Path) -> None:
    arrays = saved(trace, tmp_path)
    arrays.pop("queries")
    np.savez(tmp_path / "bad.npz", **arrays)
    with zipfile.ZipFile(tmp_path / "bad.npz", "a") as file, file.open("queries.npy", "w") as member:
        header = {"descr": "<f4", "fortran_order": False, "shape": (1 << 20, 12, 1 << 10, 64)}
        np.lib.format.write_array_header_1_0(member, header)
    with pytest.raises(FileError):
        load_trace(tmp_path / "bad.npz")


@pytest.fixture(scope="module")
def small_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a small saved trace."""
    path = tmp_path_factory.mktemp("small") / "small.npz"
    save_trace(random_trace(make_trace(3).tokens, n_layers=1, n_heads=1), path)
    return path.read_bytes()


def test_a_truncated_file_is_refused(small_file: bytes, tmp_path: Path) -> None:
    def read(part: float) -> None:
        (tmp_path / "cut.npz").write_bytes(small_file[: int(len(small_file) * part)])
        load_trace(tmp_path / "cut.npz")

    assert not_refused((0.01, 0.3, 0.7, 0.99), read, FileError, "") == []


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_spoilt_file_is_refused_or_opens(small_file: bytes, tmp_path: Path, data: st.DataObject) -> None:
    spoilt = bytearray(small_file)
    for _ in range(data.draw(st.integers(1, 4))):
        spoilt[data.draw(st.integers(0, len(spoilt) - 1))] = data.draw(st.integers(0, 255))
    (tmp_path / "spoilt.npz").write_bytes(bytes(spoilt))
    try:
        loaded = load_trace(tmp_path / "spoilt.npz")
    except FileError:
        return
    assert loaded.n_tokens == 3


SHAPE = (4, 1 << 20)
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc; elsewhere arrays are in memory")


def _in_memory() -> int:
    """Return the bytes of this process that are in memory now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@on_linux
def test_numbers_stay_when_their_memory_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_arrays, "LARGE", 1000)
    array = array_in_file(SHAPE)
    before = _in_memory()
    for row in range(len(array)):
        array[row] = row
        release_pages(array[row])
        assert _in_memory() - before < array.nbytes / 2
    array.flags.writeable = False
    assert array.shape == SHAPE
    assert array.dtype == np.float32
    assert [array[row].min() for row in range(4)] == [array[row].max() for row in range(4)] == [0, 1, 2, 3]
    assert _in_memory() - before > array.nbytes / 2
    release_pages(array[2:, 5:])
    assert _in_memory() - before < array.nbytes / 2
    assert array[3, 7] == 3


@on_linux
def test_the_file_ends_with_the_array(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_arrays, "LARGE", 1000)
    before = len(list(Path("/proc/self/fd").iterdir()))
    array = array_in_file(SHAPE)
    array[:] = 1
    del array
    gc.collect()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_without_room_in_a_file_the_array_is_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(file_arrays, "LARGE", 1000)
    monkeypatch.setattr(os, "posix_fallocate", refuse, raising=False)
    array = array_in_file(SHAPE)
    assert array.base is None
    assert array.shape == SHAPE
