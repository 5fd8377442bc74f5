"""Tables of a corpus are read back in every format, and what is no table is refused by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bertviz_app
from bertviz_app.errors import FileError
from bertviz_app.inference.corpus import reading
from bertviz_app.inference.corpus.measuring import CorpusSettings
from bertviz_app.inference.corpus.reading import CorpusTable, sentences_between, summarise, table_name


@pytest.fixture(scope="module")
def model(tiny_bert: Path) -> bertviz_app.Model:
    return bertviz_app.open_model(str(tiny_bert), device="cpu")


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
            found = np.concatenate([block.values[..., at].reshape(-1) for block in blocks])
            np.testing.assert_array_equal(found, expected[key])
        n_word = np.concatenate([block.n_word for block in blocks if block.n_word is not None])
        np.testing.assert_array_equal(n_word, expected["n_word"][::8])
        lines = np.concatenate([block.lines for block in blocks])
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
from bertviz_app.inference.corpus.reading import CorpusTable

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
