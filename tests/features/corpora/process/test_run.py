"""Measuring a corpus: its reading, its tables, its process and its kernels."""

from __future__ import annotations

import csv
import errno
import gzip
import io
import json
import lzma
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pyarrow.parquet
import pytest
import torch
from distributed import Client, LocalCluster

import bertviz_app
from bertviz_app.analysis.measures import KEYS, head_measures, head_overview
from bertviz_app.errors import AppError, ArgumentError, Cancelled, FileError
from bertviz_app.features.corpora.process import reading, reading as process
from bertviz_app.features.corpora.process.measuring import (
    LONGEST_LINE,
    Block,
    BlockPart,
    CorpusJob,
    CorpusSettings,
    LineReader,
    Remark,
    plain_kernels,
)
from bertviz_app.features.corpora.process.reading import (
    CorpusTable,
    measure_file,
    sentences_between,
    summarise,
    table_name,
)
from bertviz_app.features.corpora.process.run import CorpusListener, CorpusProgress, open_text
from bertviz_app.inference.child_process import ChildProcess
from bertviz_app.inference.opened_checkpoint import OpenedCheckpoint
from bertviz_app.text_tables.items import Item
from tests.features.corpora.process.conftest import EMPTY, LONG, UNDECODABLE

SMALL_BLOCKS = CorpusSettings(block_lines=7)
LIMIT = 60.0  # seconds after which a test gives up, on a machine however busy; none comes near it


def test_a_row_per_line_and_head(model: bertviz_app.Model, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "heads.parquet"
    result = model.measure_corpus(corpus, out, SMALL_BLOCKS)
    table = pyarrow.parquet.read_table(out)
    assert table.schema.names == ["line", "n_tokens", "layer", "head", *KEYS, "n_word"]
    lines = corpus.read_bytes().split(b"\n")[:-1]
    good = [line for line in range(1, 41) if line not in (EMPTY, UNDECODABLE, LONG)]
    assert table["line"].to_pylist() == [line for line in good for _ in range(8)]
    assert table["layer"].to_pylist()[:8] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert table["head"].to_pylist()[:8] == [0, 1, 2, 3] * 2
    for at, line in enumerate(good):
        trace = model.trace(lines[line - 1].decode())
        assert table["n_tokens"][8 * at].as_py() == trace.n_tokens
        n_word = head_overview(trace).n_queries["word"]
        assert table["n_word"].to_pylist()[8 * at : 8 * at + 8] == [n_word] * 8
        for key, values in head_measures(trace).items():
            ours = table[key].to_numpy()[8 * at : 8 * at + 8].reshape(2, 4)
            np.testing.assert_allclose(ours, values, rtol=1e-5, atol=1e-5, err_msg=key)
    assert (result.n_lines, result.n_sentences, result.n_heads) == (40, 37, 8)
    assert not (tmp_path / "heads.parquet.parts").exists()


def test_what_is_left_out_is_counted_and_named(
    model: bertviz_app.Model, corpus: Path, tmp_path: Path
) -> None:
    result = model.measure_corpus(corpus, tmp_path / "heads.npz", SMALL_BLOCKS)
    assert result.counts == {"empty": 1, "undecodable": 1, "long": 1}
    with Path(result.remarks_file).open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert [row[:2] for row in rows[1:]] == [
        [str(EMPTY), "empty"],
        [str(UNDECODABLE), "undecodable"],
        [str(LONG), "long"],
    ]
    assert rows[3][2] == "802 tokens"


def test_lines_with_characters_that_the_tokenizer_drops_are_measured_and_counted(
    model: bertviz_app.Model, tmp_path: Path
) -> None:
    texts = tmp_path / "pdf.txt"
    pages = ["\x0cthe cat", "ate\x0bthe fish", "the\0 dog\x85", "plain", "\u3000", "\x0c"]
    texts.write_text("\n".join(pages), "utf-8")
    result = model.measure_corpus(texts, tmp_path / "heads.npz")
    assert (result.n_lines, result.n_sentences) == (6, 4)
    assert result.counts == {"dropped": 3, "empty": 2}
    details = [remark.detail for remark in result.remarks if remark.kind == "dropped"]
    assert details == ["1: U+000C", "1: U+000B", "2: U+0000, U+0085"]
    with np.load(tmp_path / "heads.npz") as table:
        ours = table["entropy"][table["line"] == 2].reshape(2, 4)
    theirs = head_measures(model.trace("atethe fish"))["entropy"]  # the words are joined, as BERT joins them
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_lines_are_cut_only_when_requested(model: bertviz_app.Model, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "heads.npz"
    result = model.measure_corpus(corpus, out, CorpusSettings(truncates=True))
    assert result.counts == {"empty": 1, "undecodable": 1, "truncated": 1}
    with np.load(out) as table:
        assert table["n_tokens"][table["line"] == LONG].tolist() == [model.facts.n_positions] * 8


def columns(path: Path) -> dict[str, Any]:
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return {name: arrays[name] for name in arrays.files}
    with path.open(encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    kinds = dict.fromkeys(("line", "n_tokens", "layer", "head", "n_word"), np.int64)
    return {
        name: np.array([row[at] for row in rows]).astype(kinds.get(name, np.float32))
        for at, name in enumerate(names)
    }


def test_a_folder_has_a_file_per_block(model: bertviz_app.Model, corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "heads"
    folder.mkdir()
    (folder / "notes").write_text("mine")
    model.measure_corpus(corpus, tmp_path / "heads.parquet", SMALL_BLOCKS)
    model.measure_corpus(corpus, folder, SMALL_BLOCKS)
    assert len(list(folder.glob("part-*.parquet"))) == 6
    assert (folder / "notes").read_text() == "mine"
    expected = pyarrow.parquet.read_table(tmp_path / "heads.parquet")
    found = pyarrow.concat_tables(map(pyarrow.parquet.read_table, sorted(folder.glob("part-*"))))
    assert found.replace_schema_metadata() == expected.replace_schema_metadata()
    about = json.loads((folder / "_about.json").read_text(encoding="utf-8"))
    assert about["n_sentences"] == 37
    assert (folder / "_remarks.csv").exists()


def test_lines_count_over_all_files(model: bertviz_app.Model, tmp_path: Path) -> None:
    first, second = tmp_path / "first.txt", tmp_path / "second.txt.gz"
    first.write_bytes(b"\xef\xbb\xbfthe cat\r\nfish")
    second.write_bytes(gzip.compress(b"the fish\nthe\n"))
    out = tmp_path / "heads.npz"
    model.measure_corpus([first, second], out)
    found = columns(out)
    assert sorted(set(found["line"].tolist())) == [1, 2, 3, 4]
    assert found["n_tokens"][::8].tolist() == [4, 3, 4, 3]
    about = json.loads((tmp_path / "heads.npz.about.json").read_text(encoding="utf-8"))
    assert about["first_lines"] == [1, 3]
    assert about["fingerprint"] == model.facts.fingerprint


@pytest.mark.parametrize(("ending", "compress"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_a_damaged_compressed_file_is_refused_by_name(
    ending: str, compress: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    content = bytearray(compress(b"the cat ate fish\n" * 50 + bytes(range(256))))
    content[30:60] = bytes(30)
    path = tmp_path / f"texts.txt{ending}"
    path.write_bytes(content)
    with pytest.raises(FileError, match="cannot be read"):
        list(LineReader((str(path),)).blocks(10))


def test_a_url_whose_package_is_not_installed_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(FileError, match=r"s3://bucket/texts\.txt cannot be read"):
        list(LineReader(("s3://bucket/texts.txt",)).blocks(10))


def test_a_disk_that_is_full_when_a_file_is_closed_is_an_error_for_people(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @contextmanager
    def full(*_: object, **__: object) -> Iterator[io.StringIO]:
        yield io.StringIO()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(fsspec, "open", full)
    with pytest.raises(FileError, match=r"remarks\.csv could not be written: No space"):  # noqa: SIM117
        with open_text("remarks.csv") as file:
            file.write("1,empty\n")


def test_a_line_without_end_is_not_read_into_memory(tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_bytes(b"the cat\n" + b"x" * (3 * LONGEST_LINE) + b"\nfish\n")
    (block,) = LineReader((str(path),)).blocks(10)
    assert block.items == (Item(1, "the cat"), Remark(2, "long", "more than a megabyte"), Item(3, "fish"))


class Stops(CorpusListener):
    """Ends a run at the block with this number, from 1."""

    def __init__(self, block: int) -> None:
        self.shares: list[float | None] = []
        self.n_earlier = 0
        self._left = block

    def on_progress(self, done: CorpusProgress) -> None:
        self.shares.append(done.share)
        self.n_earlier = done.n_earlier

    def check(self) -> None:
        if len(self.shares) > 3 * self._left:
            raise Cancelled


def test_a_cancelled_run_goes_on_to_the_same_file(
    model: bertviz_app.Model, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, resumed = tmp_path / "whole.parquet", tmp_path / "resumed.parquet"
    model.measure_corpus(corpus, whole, SMALL_BLOCKS)
    with pytest.raises(Cancelled):
        model.measure_corpus(corpus, resumed, SMALL_BLOCKS, progress=Stops(3))
    assert not resumed.exists()
    parts = tmp_path / "resumed.parquet.parts"
    saved = {path.name for path in parts.iterdir()}
    assert 1 <= len(saved) < 6
    (parts / f".0123abcd-{next(iter(saved))}").write_bytes(b"half")
    again = Stops(1000)
    measured: list[int] = []

    measure = CorpusJob.measure

    def counted(job: CorpusJob, opened: Sequence[OpenedCheckpoint], block: Block, *others: Any) -> BlockPart:
        measured.append(block.number)
        return measure(job, opened, block, *others)

    monkeypatch.setattr(CorpusJob, "measure", counted)
    model.measure_corpus(corpus, resumed, SMALL_BLOCKS, progress=again)
    assert measured == list(range(len(saved), 6)), "blocks that were saved are measured again"
    assert resumed.read_bytes() == whole.read_bytes()
    assert again.shares[-1] == 1
    assert again.n_earlier == 7 * len(saved)
    assert not parts.exists()


def test_blocks_of_other_lines_are_measured_again(
    model: bertviz_app.Model, corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "heads.npz"
    with pytest.raises(Cancelled):
        model.measure_corpus(corpus, out, SMALL_BLOCKS, progress=Stops(3))
    corpus.write_bytes(b"fish fish fish\n" + corpus.read_bytes())
    model.measure_corpus(corpus, out, SMALL_BLOCKS)
    resumed = out.read_bytes()
    model.measure_corpus(corpus, out, SMALL_BLOCKS)
    assert out.read_bytes() == resumed


def test_threads_do_not_change_the_numbers(model: bertviz_app.Model, corpus: Path, tmp_path: Path) -> None:
    before = torch.get_num_threads()
    contents = []
    try:
        for n_threads in (1, 3):
            torch.set_num_threads(n_threads)
            model.measure_corpus(corpus, tmp_path / "heads.npz", SMALL_BLOCKS)
            contents.append((tmp_path / "heads.npz").read_bytes())
            assert torch.get_num_threads() == n_threads
    finally:
        torch.set_num_threads(before)
    assert contents[0] == contents[1]


_KILLED = """
import os, signal, sys
import bertviz_app
from bertviz_app.features.corpora.process.measuring import CorpusSettings
from bertviz_app.features.corpora.process.run import CorpusListener

class Killer(CorpusListener):
    def on_progress(self, done):
        if done.n_lines >= 20:
            os.kill(os.getpid(), signal.SIGKILL)

corpus, out, model = sys.argv[1:]
opened = bertviz_app.open_model(model, device="cpu")
opened.measure_corpus(corpus, out, CorpusSettings(block_lines=7), progress=Killer())
"""


def test_a_killed_run_goes_on_to_the_same_file(
    model: bertviz_app.Model, tiny_bert: Path, corpus: Path, tmp_path: Path
) -> None:
    whole, resumed = tmp_path / "whole.csv", tmp_path / "resumed.csv"
    model.measure_corpus(corpus, whole, SMALL_BLOCKS)
    program = [sys.executable, "-c", _KILLED, str(corpus), str(resumed), str(tiny_bert)]
    assert subprocess.run(program, check=False).returncode == -signal.SIGKILL
    assert not resumed.exists()
    assert 1 <= len(list((tmp_path / "resumed.csv.parts").glob("part-*"))) < 6
    model.measure_corpus(corpus, resumed, SMALL_BLOCKS)
    assert resumed.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(
    ("out", "settings", "kind", "message"),
    [
        ("heads.xlsx", CorpusSettings(), FileError, "cannot be written as “heads.xlsx”"),
        ("heads.csv", CorpusSettings(("beauty",)), ArgumentError, "no measure “beauty”"),  # type: ignore[arg-type]
        ("heads.csv", CorpusSettings(()), ArgumentError, "nothing to measure"),
        ("heads.csv", CorpusSettings("x" * 50), ArgumentError, f"not the text “{'x' * 40}”"),  # type: ignore[arg-type]
        ("heads.csv", CorpusSettings(block_lines=0), ArgumentError, "block of 0 lines"),
        ("heads.csv", CorpusSettings(block_lines=-3), ArgumentError, "block of -3 lines"),
        ("heads.csv", CorpusSettings(n_workers=0), ArgumentError, "worker processes is 0"),
        ("heads.csv", CorpusSettings(n_workers=-2), ArgumentError, "worker processes is -2"),
    ],
)
def test_what_cannot_be_done_is_refused(
    out: str,
    settings: CorpusSettings,
    kind: type[AppError],
    message: str,
    model: bertviz_app.Model,
    corpus: Path,
    tmp_path: Path,
) -> None:
    with pytest.raises(kind, match=message):
        model.measure_corpus(corpus, tmp_path / out, settings)


def test_parquet_without_pyarrow_names_the_command(
    model: bertviz_app.Model, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(FileError, match=r"pip install pyarrow"):
        model.measure_corpus(corpus, tmp_path / "heads.parquet")


def test_a_folder_may_be_behind_a_url(model: bertviz_app.Model, corpus: Path, tmp_path: Path) -> None:
    memory = fsspec.filesystem("memory")
    with memory.open("/texts/all.txt", "wb") as file:
        file.write(corpus.read_bytes())
    model.measure_corpus("memory://texts/all.txt", "memory://heads", SMALL_BLOCKS)
    model.measure_corpus(corpus, tmp_path / "heads", SMALL_BLOCKS)
    theirs = {path.rpartition("/")[2]: memory.cat_file(path) for path in memory.ls("/heads", detail=False)}
    ours = {path.name: path.read_bytes() for path in (tmp_path / "heads").iterdir()}
    assert theirs.keys() == ours.keys()
    assert {name for name in ours if theirs[name] != ours[name]} == {"_about.json"}


@pytest.mark.parametrize("name", ["heads.parquet", "heads.csv", "heads.npz", "heads"])
def test_every_format_is_read_as_it_was_written(
    name: str, model: bertviz_app.Model, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_SENTENCES_AT_ONCE", 3)
    settings = CorpusSettings(("previous", "word"), block_lines=7)
    model.measure_corpus(corpus, tmp_path / name, settings)
    model.measure_corpus(corpus, tmp_path / "expected.npz", settings)
    table = CorpusTable(tmp_path / name)
    assert (table.measures, table.shape) == (("previous", "word"), (2, 4))
    assert table.about.files == (str(corpus),)
    assert table.about.fingerprint == model.facts.fingerprint
    assert table.about.counts == {"empty": 1, "long": 1, "undecodable": 1}
    blocks = list(table.blocks())
    with np.load(tmp_path / "expected.npz") as expected:
        for at, key in enumerate(table.measures):
            found = np.concatenate([block["values"][..., at].reshape(-1) for block in blocks])
            np.testing.assert_array_equal(found, expected[key])
        n_word = np.concatenate([block["n_word"] for block in blocks])
        np.testing.assert_array_equal(n_word, expected["n_word"][::8])
        lines = np.concatenate([block["lines"] for block in blocks])
        np.testing.assert_array_equal(lines, expected["line"][::8])
    assert summarise(table).n_sentences == 37


def test_sentences_of_a_bar_have_their_texts(model: bertviz_app.Model, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "heads.npz"
    model.measure_corpus(corpus, out)
    table = CorpusTable(out)
    everything = sentences_between(table, (0, 1, 2), (0.0, float("inf")), 100, lambda: None)
    assert len(everything) == 37
    lines = corpus.read_bytes().split(b"\n")
    assert [found.text for found in everything] == [
        lines[found.line - 1].decode().strip() for found in everything
    ]
    few = sentences_between(table, (0, 1, 2), (0.0, float("inf")), 5, lambda: None)
    assert few == everything[:5]
    middle = float(np.median([found.value for found in everything]))
    low = sentences_between(table, (0, 1, 2), (0.0, middle), 100, lambda: None)
    assert low == [found for found in everything if found.value < np.float32(middle)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("other.csv", "a,b\n1,2\n"),
        (
            "other.csv",
            "line,n_tokens,layer,head,entropy\n1,5,0,0,0.1\n1,5,0,1,0.1\n2,5,0,1,0.1\n2,5,0,0,0.1\n",
        ),
        ("other.csv", "line,n_tokens,layer,head,entropy\n1,5,0,zero,0.1\n"),
        ("other.csv", "line,n_tokens,layer,head,entropy\n1,5,0,0,0.1\n1,5,0,one,0.1\n"),
        ("other.csv", "line,n_tokens,layer,head,entropy\n1,5,0\n"),
        ("other.csv", "line,n_tokens,layer,head,entropy\n1,5,-1,0,0.1\n"),
        ("other.csv", "line,n_tokens,layer,head,entropy\n1,5,0,1000000000,0.1\n"),
        ("other.csv", "line,n_tokens,layer,head,entropy\n1,5,0,0,inf\n"),
        ("other.csv", "line,n_tokens,layer,head,entropy\n1,nan,0,0,0.1\n"),
        ("other.csv", "line,n_tokens,layer,head,entropy\n1,5,inf,0,0.1\n"),
        (
            "other.csv",
            "line,n_tokens,layer,head,entropy\n1,5,0,0,0.1\n1,5,0,1,0.1\n2,5,nan,0,0.1\n2,5,nan,1,0.1\n",
        ),
        ("other.csv", "line,n_\0tokens\n1,5\n"),
        ("other.npz", "no archive"),
        ("other.parquet", "no Parquet"),
        ("other.txt", "words"),
    ],
)
def test_what_is_no_table_is_refused_by_name(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(FileError, match=rf"{name} is no table of a corpus"):
        summarise(CorpusTable(tmp_path / name))


def test_a_damaged_archive_is_refused_by_name(model: bertviz_app.Model, corpus: Path, tmp_path: Path) -> None:
    model.measure_corpus(corpus, tmp_path / "heads.npz")
    with np.load(tmp_path / "heads.npz") as arrays:
        np.savez_compressed(tmp_path / "other.npz", **arrays)
    content = bytearray((tmp_path / "other.npz").read_bytes())
    start = content.index(b"line.npy") + 60
    content[start : start + 30] = bytes(30)
    (tmp_path / "other.npz").write_bytes(content)
    with pytest.raises(FileError, match=r"other\.npz is no table of a corpus"):
        summarise(CorpusTable(tmp_path / "other.npz"))


def test_a_table_without_sentences_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "heads.csv"
    out.write_text("line,n_tokens,layer,head,entropy\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"no sentences in heads\.csv"):
        CorpusTable(out)


def test_a_table_is_named_after_file_and_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = Path("folder", "texts.txt")
    assert table_name(texts, "org/name") == Path("folder", "texts.txt.name.heads.parquet")
    assert table_name(texts, "") == Path("folder", "texts.txt.heads.heads.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert table_name(texts, "name") == Path("folder", "texts.txt.name.heads.npz")


_READ_ONCE = """
import subprocess
import sys
from pathlib import Path
from bertviz_app.features.corpora.process.reading import CorpusTable

def threads():
    return len(list(Path("/proc/self/task").iterdir()))

before = threads()
n_blocks = len(list(CorpusTable(Path(sys.argv[1])).blocks()))
print(n_blocks, threads() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_a_read_table_leaves_no_thread_behind(model: bertviz_app.Model, corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "heads.parquet"
    model.measure_corpus(corpus, path, CorpusSettings(("entropy",)))
    command = [sys.executable, "-c", _READ_ONCE, str(path)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["1", "0"]


def test_the_table_is_the_one_of_the_command_and_torch_computes_here_as_it_did(
    tiny_bert: Path, corpus: Path, tmp_path: Path
) -> None:
    before = torch.get_num_threads()
    states: list[tuple[int, object]] = []
    torch.set_num_threads(2)
    try:
        found = measure_file(
            corpus,
            str(tiny_bert),
            lambda share: states.append((torch.get_num_threads(), torch.backends.mkldnn.enabled)),
            lambda: None,
        )
    finally:
        torch.set_num_threads(before)
    assert set(states) == {(2, torch.backends.mkldnn.enabled)}
    assert found == corpus.with_name(f"texts.txt.{tiny_bert.name}.heads.parquet")
    out = tmp_path / "heads.parquet"
    bertviz_app.open_model(str(tiny_bert), device="cpu").measure_corpus(corpus, out)
    assert found.read_bytes() == out.read_bytes()
    assert CorpusTable(found).about.counts == {"empty": 1, "long": 1, "undecodable": 1}


def test_the_process_ends_where_check_raises(
    tiny_bert: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = _long_run(corpus, monkeypatch)
    shares: list[float] = []

    def check() -> None:
        if shares:
            raise Cancelled

    with pytest.raises(Cancelled):
        measure_file(corpus, str(tiny_bert), shares.append, check)
    deadline = time.monotonic() + 120
    while _is_alive(number[0]) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _is_alive(number[0])
    assert not corpus.with_name(f"texts.txt.{tiny_bert.name}.heads.parquet").exists()


def test_a_killed_process_is_an_error(tiny_bert: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    number = _long_run(corpus, monkeypatch)
    with pytest.raises(AppError, match=rf"has ended \(code -{int(signal.SIGKILL)}\)") as error:
        measure_file(corpus, str(tiny_bert), lambda share: os.kill(number[0], signal.SIGKILL), lambda: None)
    assert "Open the same file again" in error.value.hint


def test_an_error_of_the_process_is_raised_here(tiny_bert: Path, tmp_path: Path) -> None:
    with pytest.raises(AppError, match=r"nowhere\.txt cannot be read"):
        measure_file(tmp_path / "nowhere.txt", str(tiny_bert), lambda share: None, lambda: None)


def _long_run(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Make the file long; return a list that gets the number of the process, once started."""
    corpus.write_bytes(b"the cat ate the fish because it was hungry\n" * 200_000)
    numbers: list[int] = []

    class Numbered(ChildProcess):
        def start(self) -> None:
            super().start()
            assert self.number is not None
            numbers.append(self.number)

    monkeypatch.setattr(process, "ChildProcess", Numbered)
    return numbers


def _is_alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


BLOCK = 10


class Kills(CorpusListener):
    """Kills a worker of a cluster once some lines are done."""

    def __init__(self, scheduler: str) -> None:
        self.dashboard = ""
        self.killed = 0
        self._client = Client(scheduler)

    def on_dashboard(self, address: str) -> None:
        self.dashboard = address

    def on_progress(self, done: CorpusProgress) -> None:
        if done.n_lines >= 5 * BLOCK and not self.killed:
            numbers = self._client.run(os.getpid)
            self.killed = next(iter(numbers.values()))
            os.kill(self.killed, signal.SIGKILL)
            self._client.close()


def test_a_killed_worker_changes_nothing(
    cluster: LocalCluster, model: bertviz_app.Model, corpus: Path, tmp_path: Path
) -> None:
    corpus.write_bytes(corpus.read_bytes() * 10)  # 400 lines, 40 blocks
    alone, together = tmp_path / "alone.parquet", tmp_path / "together.parquet"
    model.measure_corpus(corpus, alone, CorpusSettings(block_lines=BLOCK))
    kills = Kills(cluster.scheduler_address)
    settings = CorpusSettings(block_lines=BLOCK, scheduler=cluster.scheduler_address)
    result = model.measure_corpus(corpus, together, settings, progress=kills)
    assert kills.killed
    assert kills.dashboard.startswith("http://")
    assert result.n_lines == 400
    assert together.read_bytes() == alone.read_bytes()


def test_workers_write_a_folder_that_they_all_reach(
    cluster: LocalCluster, model: bertviz_app.Model, corpus: Path, tmp_path: Path
) -> None:
    model.measure_corpus(corpus, tmp_path / "alone", CorpusSettings(block_lines=BLOCK))
    settings = CorpusSettings(block_lines=BLOCK, scheduler=cluster.scheduler_address)
    model.measure_corpus(corpus, tmp_path / "together", settings)
    alone = {path.name: path.read_bytes() for path in (tmp_path / "alone").iterdir()}
    together = {path.name: path.read_bytes() for path in (tmp_path / "together").iterdir()}
    assert len(alone) == 4 + 2
    assert alone == together


def test_workers_of_its_own_end_with_the_run(model: bertviz_app.Model, corpus: Path, tmp_path: Path) -> None:
    model.measure_corpus(corpus, tmp_path / "alone.csv", CorpusSettings(block_lines=BLOCK))
    model.measure_corpus(corpus, tmp_path / "together.csv", CorpusSettings(block_lines=BLOCK, n_workers=1))
    assert (tmp_path / "together.csv").read_bytes() == (tmp_path / "alone.csv").read_bytes()


def test_a_scheduler_that_does_not_answer_is_named(
    model: bertviz_app.Model, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bertviz_app.features.corpora.process.run.PATIENCE", "1s")
    settings = CorpusSettings(scheduler="tcp://127.0.0.1:9")
    with pytest.raises(FileError, match=r"tcp://127\.0\.0\.1:9 does not answer"):
        model.measure_corpus(corpus, tmp_path / "heads.csv", settings)


def test_workers_without_dask_name_the_command(
    model: bertviz_app.Model, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(FileError, match=r'pip install "dask\[distributed\]"'):
        model.measure_corpus(corpus, tmp_path / "heads.csv", CorpusSettings(n_workers=2))


N_THREADS = 3


@pytest.fixture
def _threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(N_THREADS)
    yield
    torch.set_num_threads(before)


def _settings() -> tuple[int, bool]:
    return torch.get_num_threads(), bool(torch.backends.mkldnn.enabled)


@pytest.mark.usefixtures("_threads")
def test_the_settings_end_with_the_context() -> None:
    before = _settings()
    assert before[0] == N_THREADS

    def measure() -> None:
        with plain_kernels():
            assert _settings() == (1, False)
            raise ValueError("damaged")

    with pytest.raises(ValueError, match="damaged"):
        measure()
    assert _settings() == before


@pytest.mark.usefixtures("_threads")
def test_a_thread_that_ends_first_leaves_the_settings_to_the_others() -> None:
    before = _settings()
    has_entered, may_leave, has_left = (threading.Event() for _ in range(3))

    def first() -> None:
        torch.get_num_threads()  # from now on this thread has a number of its own
        with plain_kernels():
            has_entered.set()
            may_leave.wait(LIMIT)
        has_left.set()

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(first)
        assert has_entered.wait(LIMIT)
        assert _settings()[1] is False, "oneDNN is off for all threads"
        with plain_kernels():
            may_leave.set()
            assert has_left.wait(LIMIT)
            assert _settings() == (1, False)
        running.result()
    assert _settings() == before
