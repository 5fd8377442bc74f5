"""`bertviz-app corpus`: a table of every line's heads, and a plain word on what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from bertviz_app.cli import pretraining as corpus
from bertviz_app.inference.corpus.run import CorpusProgress
from tests.cli.conftest import Run


def test_it_writes_the_measures_that_are_requested(run: Run, tiny_bert: Path, tmp_path: Path) -> None:
    texts, out = tmp_path / "texts.txt", tmp_path / "heads.csv"
    texts.write_bytes("the cat\n\n고양이\n".encode() + b"the cat ate " * 200 + b"\nth\xe9\n")
    code, output, error = run(
        *("corpus", str(texts), "--model", str(tiny_bert), "--out", str(out)),
        *("--measures", "previous, entropy", "--block", "2"),
    )
    assert code == 0
    assert output == f"Wrote {out}: 2 sentences x 8 heads.\n"
    assert "Left out 1 line, empty: 2" in error
    assert "Left out 1 line, too long (--truncate cuts such lines): 4" in error
    assert "Left out 1 line, not in the encoding of the file (--encoding names another): 5" in error
    assert f"All of them are named in {out}.remarks.csv." in error
    lines = out.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "line,n_tokens,layer,head,previous,entropy"
    assert [line.split(",")[:4] for line in lines[1::8]] == [["1", "4", "0", "0"], ["3", "9", "0", "0"]]


def test_a_table_needs_a_column(run: Run, tiny_bert: Path, tmp_path: Path) -> None:
    texts, out = tmp_path / "texts.csv", tmp_path / "heads.csv"
    texts.write_bytes('번호,문장\n1,"the cat, 고양이"\n2,fish\n'.encode("cp949"))
    given = ("corpus", str(texts), "--model", str(tiny_bert), "--out", str(out))
    code, _, error = run(*given)
    assert (code, error.count("\n")) == (2, 1)
    assert "--column NAME" in error
    assert "번호, 문장" in error
    code, output, error = run(*given, "--column", "문장")
    assert (code, output) == (0, f"Wrote {out}: 2 sentences x 8 heads.\n")
    assert "texts.csv is read as CP949, separated by comma, with cells in quotes: column 문장." in error
    code, output, _ = run(*given, "--prose", "--separator", ",", "--encoding", "cp949")
    assert (code, output) == (0, f"Wrote {out}: 3 sentences x 8 heads.\n")


def test_where_nothing_is_measured_the_exit_code_says_so(run: Run, tiny_bert: Path, tmp_path: Path) -> None:
    texts, out = tmp_path / "texts.txt", tmp_path / "heads.csv"
    texts.write_bytes("고양이\n배\n".encode("cp949") + b" \n")
    given = ("corpus", str(texts), "--model", str(tiny_bert), "--out", str(out))
    code, output, error = run(*given, "--encoding", "utf-8")
    assert (code, output) == (2, "")
    assert "texts.txt is not in the encoding UTF-8." in error
    assert run(*given)[0] == 0
    out.unlink()
    texts.write_bytes(b"the cat ate " * 200 + b"\n \n")
    code, output, error = run(*given)
    assert (code, output) == (2, "")
    assert "None of the 2 lines of texts.txt can be measured: empty 1, long 1." in error
    assert not out.exists()


def test_lines_that_are_cut_are_named(run: Run, tiny_bert: Path, tmp_path: Path) -> None:
    texts, out = tmp_path / "texts.txt", tmp_path / "heads.npz"
    texts.write_bytes(b"the cat\n" + b"the cat ate " * 200)
    given = ("corpus", str(texts), "--model", str(tiny_bert), "--out", str(out), "--truncate")
    code, output, error = run(*given)
    assert (code, output) == (0, f"Wrote {out}: 2 sentences x 8 heads.\n")
    assert "Cut 1 line, longer than the model reads: 2" in error


def test_an_unknown_measure_is_named(run: Run, tiny_bert: Path, tmp_path: Path) -> None:
    given = ("corpus", "texts.txt", "--model", str(tiny_bert), "--out", str(tmp_path / "heads.csv"))
    code, _, error = run(*given, "--measures", "beauty")
    assert code == 2
    assert "There is no measure “beauty”. The measures are: entropy" in error


@pytest.mark.parametrize(
    ("progress", "line"),
    [
        (CorpusProgress(3000, 0, 0.25), " 25%  3,000 lines  30 lines/s  5 min 0 s left"),
        (CorpusProgress(3000, 2000, 0.25), " 25%  3,000 lines  10 lines/s  15 min 0 s left"),
        (CorpusProgress(3000, 3000, 0.25), " 25%  3,000 lines"),
        (CorpusProgress(3000, 2000, None), "3,000 lines  10 lines/s"),
    ],
)
def test_only_lines_of_this_run_count_for_its_speed(
    monkeypatch: pytest.MonkeyPatch, progress: CorpusProgress, line: str
) -> None:
    now, shown = [1000.0], list[str]()
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(corpus, "show_progress", shown.append)
    report = corpus.CorpusReport()
    now[0] += 100
    report.on_progress(progress)
    assert shown == [line]
