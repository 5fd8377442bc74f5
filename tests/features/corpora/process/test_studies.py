"""Studies of files: blocks, resume, workers, remarks, and the tables of heads."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from distributed import LocalCluster

import bertviz_app
from bertviz_app.analysis.entry import Needs
from bertviz_app.analysis.measures import KEYS, head_measures, head_names
from bertviz_app.analysis.parameters import NoParameters, Reporter
from bertviz_app.analysis.picture import Quantity, counted
from bertviz_app.analysis.results import NamedArrays, Scalar
from bertviz_app.errors import AnalysisError, ArgumentError, Cancelled, FileError, Message
from bertviz_app.features.corpora.process.reading import as_bytes, from_bytes
from bertviz_app.features.corpora.process.run import CorpusListener, CorpusProgress
from bertviz_app.features.corpora.process.studies import StudySettings
from bertviz_app.features.corpora.studies.statistics import (
    DECILES,
    SKETCH_ERROR,
    STATISTICS,
    HeadStatistics,
    condensed,
    statistics_of,
)
from bertviz_app.features.corpora.studies.study import Measured, Part, joined, study
from bertviz_app.text_tables.table import TableError
from tests.features.corpora.process.conftest import EMPTY, LONG, UNDECODABLE
from tests.support.checkpoints import random_bert, write_bert

SMALL_BLOCKS = StudySettings(block_units=7)
GOOD = [line for line in range(1, 41) if line not in (EMPTY, UNDECODABLE, LONG)]


def _texts(corpus: Path) -> list[str]:
    lines = corpus.read_bytes().split(b"\n")
    return [lines[line - 1].decode() for line in GOOD]


def test_statistics_are_those_of_each_text(model: bertviz_app.Model, corpus: Path) -> None:
    found = model.study("head-measures", corpus, settings=SMALL_BLOCKS)
    assert isinstance(found, HeadStatistics)
    traces = [model.trace(text) for text in _texts(corpus)]
    of_each = [head_measures(trace) for trace in traces]
    for key in KEYS:
        values = np.array([measures[key] for measures in of_each], np.float64)
        np.testing.assert_allclose(found.of(key), values.mean(0), rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(found.of(key, "sd"), values.std(0, ddof=1), rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(
            found.of(key, "50 %"), np.median(values, axis=0), rtol=1e-5, atol=1e-5, err_msg=key
        )
    names = [head_names(trace) for trace in traces if trace.n_tokens > 4]
    assert found.n_named == len(names)
    assert found.shares is not None
    for rule, name in enumerate(found.names):
        for at in np.ndindex(found.shares.shape[1:]):
            share = sum(at in one and one[at].rule.key == name for one in names) / len(names)
            assert found.shares[rule, *at] == pytest.approx(share)


def test_what_is_left_out_is_said(model: bertviz_app.Model, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "heads.json"
    found = model.study("head-measures", corpus, out, settings=SMALL_BLOCKS)
    assert found.about is not None
    assert found.about["remarks"] == {"empty": 1, "long": 1, "undecodable": 1}
    assert (found.about["n_lines"], found.about["n_measured"]) == (40, 37)
    with (tmp_path / "heads.json.remarks.csv").open(encoding="utf-8") as file:
        assert [row["line"] for row in csv.DictReader(file)] == [str(EMPTY), str(UNDECODABLE), str(LONG)]
    facts = json.loads(out.read_text(encoding="utf-8"))
    assert facts["analysis"] == "head-measures"
    assert facts["fingerprint"] == model.facts.fingerprint
    assert facts["n_measured"] == 37
    assert not (tmp_path / "heads.json.parts").exists()


class Stops(CorpusListener):
    """Ends a run when so many lines are done."""

    def __init__(self, n_lines: int) -> None:
        self.n_lines = n_lines
        self.done: list[CorpusProgress] = []

    def on_progress(self, done: CorpusProgress) -> None:
        self.done.append(done)

    def check(self) -> None:
        if self.done and self.done[-1].n_lines >= self.n_lines:
            raise Cancelled


def test_a_cancelled_study_goes_on(model: bertviz_app.Model, corpus: Path, tmp_path: Path) -> None:
    whole, resumed = tmp_path / "whole.npz", tmp_path / "resumed.npz"
    model.study("head-measures", corpus, whole, settings=SMALL_BLOCKS)
    with pytest.raises(Cancelled):
        model.study("head-measures", corpus, resumed, settings=SMALL_BLOCKS, progress=Stops(20))
    parts = [path.name for path in (tmp_path / "resumed.npz.parts").iterdir()]
    assert 2 <= len(parts) < 6
    again = Stops(1000)
    model.study("head-measures", corpus, resumed, settings=SMALL_BLOCKS, progress=again)
    assert again.done[-1].n_earlier == 7 * len(parts)
    assert again.done[-1].n_lines == 40
    assert again.done[-1].share == 1
    assert resumed.read_bytes() == whole.read_bytes()


def test_workers_get_the_result_that_a_study_needs_first(tmp_path: Path, cluster: LocalCluster) -> None:
    model = bertviz_app.open_model(None, device="cpu")
    texts = tmp_path / "texts.txt"
    texts.write_text("the cat ate fish\nit was hungry\nwhat a day\n", "utf-8")
    here = model.study("pruning-curve", texts, settings=StudySettings(block_units=1), steps=3)
    by_workers = StudySettings(block_units=1, scheduler=cluster.scheduler_address)
    there = model.study("pruning-curve", texts, settings=by_workers, steps=3)
    for name, array in here.arrays().items():
        np.testing.assert_array_equal(array, there.arrays()[name])


def test_blocks_change_no_number_but_for_rounding(model: bertviz_app.Model, corpus: Path) -> None:
    small = model.study("head-measures", corpus, settings=SMALL_BLOCKS)
    large = model.study("head-measures", corpus, settings=StudySettings(block_units=100))
    np.testing.assert_allclose(small.arrays()["values"], large.arrays()["values"], rtol=1e-6, atol=1e-6)


def test_rows_of_a_table_are_texts_too(model: bertviz_app.Model, tmp_path: Path) -> None:
    table = tmp_path / "rows.tsv"
    table.write_text("label\ttext\tmore\n1\tthe cat ate fish\ta\n\tit was hungry\ta\n0\tit was\n", "utf-8")
    settings = StudySettings(label_column="label", text_column="text")
    found = model.study("head-measures", table, settings=settings)
    assert isinstance(found, HeadStatistics)
    assert found.about is not None
    assert found.about["remarks"] == {"damaged": 2}
    assert found.about["n_measured"] == 1
    trace = model.trace("the cat ate fish")
    np.testing.assert_allclose(found.of("first"), head_measures(trace)["first"], atol=1e-6)


def _finish_gap(model: Any, part: Part, parameters: NoParameters, reporter: Reporter) -> NamedArrays:
    gaps = part.rows["gap"]
    return NamedArrays({"values": gaps}, {"values": (counted("text", len(gaps)),)})


@study(
    key="gap-of-first",
    title=Message("Gap"),
    summary=Message("How far two checkpoints differ."),
    limits=Message("A test."),
    paper="none",
    needs=Needs.SECOND_RUN,
    reads="texts",
    finish=_finish_gap,
)
def gap_of_first(measured: Measured, parameters: NoParameters, reporter: Reporter) -> Part:
    """Return by how much the last hidden states of two checkpoints differ for each text."""
    assert measured.second is not None
    gaps = [
        np.abs(measured.record(one.tokens).hidden[-1] - measured.second.record(two.tokens).hidden[-1]).max()
        for one, two in zip(measured.units, measured.second.units, strict=True)
    ]
    return Part({}, {"gap": np.array(gaps, np.float32)})


def test_two_checkpoints_read_the_same_texts(
    model: bertviz_app.Model, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bertviz_app.features.corpora.studies import catalogue

    monkeypatch.setattr(catalogue, "STUDIES", (*catalogue.STUDIES, gap_of_first))
    with pytest.raises(AnalysisError, match="compares two checkpoints"):
        model.study("gap-of-first", corpus)
    itself = model.study("gap-of-first", corpus, other=model)
    assert not itself.arrays()["values"].any()
    other = bertviz_app.open_model(write_bert(tmp_path / "other", random_bert(seed=5)), device="cpu")
    found = model.study("gap-of-first", corpus, other=other, settings=SMALL_BLOCKS)
    gaps = [
        np.abs(model.trace(text).hidden[-1] - other.trace(text).hidden[-1]).max() for text in _texts(corpus)
    ]
    np.testing.assert_allclose(found.arrays()["values"], gaps, rtol=1e-4)
    assert found.about is not None
    assert found.about["other"]["fingerprint"] == other.facts.fingerprint


@pytest.mark.parametrize(
    ("key", "out", "settings", "kind", "message"),
    [
        ("no-such", None, SMALL_BLOCKS, AnalysisError, "no study “no-such”"),
        ("head-measures", "heads.xlsx", SMALL_BLOCKS, FileError, "cannot be written as “heads.xlsx”"),
        ("head-measures", None, StudySettings(block_units=0), ArgumentError, "block of 0 lines"),
        ("head-measures", None, StudySettings(n_workers=0), ArgumentError, "worker processes is 0"),
        ("head-measures", None, StudySettings(label_column="x"), TableError, "no separator|no column"),
        ("head-measures", "no/folder/heads.csv", SMALL_BLOCKS, FileError, "folder"),
    ],
)
def test_what_cannot_be_done_is_refused(
    key: str,
    out: str | None,
    settings: StudySettings,
    kind: type[Exception],
    message: str,
    model: bertviz_app.Model,
    corpus: Path,
    tmp_path: Path,
) -> None:
    path = None if out is None else tmp_path / out
    with pytest.raises(kind, match=message):
        model.study(key, corpus, path, settings=settings)


def test_a_file_without_texts_is_refused(model: bertviz_app.Model, tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.write_text("\n\n", "utf-8")
    with pytest.raises(FileError, match="None of the 2 texts"):
        model.study("head-measures", path)
    with pytest.raises(FileError, match="no file"):
        model.study("head-measures", tmp_path / "none.txt")


@pytest.mark.parametrize("key", ["head-measures", "head-distance", "pruning-curve", "head-examples"])
def test_a_result_is_handed_over_as_it_is(key: str, tmp_path: Path) -> None:
    model = bertviz_app.open_model(None, device="cpu")
    texts = tmp_path / "texts.txt"
    texts.write_text("the cat ate fish\nit was hungry\n", "utf-8")
    result = model.study(key, texts)
    found = from_bytes(as_bytes(result))
    assert type(found) is type(result)
    assert found.axes == result.axes
    assert found.about == result.about
    for name, array in result.arrays().items():
        np.testing.assert_array_equal(found.arrays()[name], array)
        kept = found.arrays()[name]
        assert not kept.flags.writeable or kept is not found.arrays()[name], "else it is made when asked for"
    assert str(list(found.as_table().rows)[:5]) == str(list(result.as_table().rows)[:5])


def test_a_sketch_is_as_near_as_it_says() -> None:
    source = np.random.default_rng(0)
    rows = source.normal(size=(5000, 2, 1, 2)).astype(np.float32)
    rows[:, 1] = np.exp(3 * rows[:, 1])
    rows[source.random(rows.shape) < 0.1] = np.nan
    scalars = [Scalar("a", Quantity("")), Scalar("b", Quantity("bits", 0))]
    exact = statistics_of(Part({}, {"values": rows}), scalars)
    thirds = [Part({}, {"values": rows[first : first + 1700]}) for first in range(0, 5000, 1700)]
    merged = condensed(joined([condensed(thirds[0]), thirds[1]]))
    sketched = statistics_of(joined([merged, condensed(thirds[2])]), scalars)
    assert exact.is_exact
    assert not sketched.is_exact
    np.testing.assert_array_equal(exact.counts, sketched.counts)
    for statistic in ("mean", "sd"):
        at = STATISTICS.index(statistic)
        np.testing.assert_allclose(sketched.values[at], exact.values[at], rtol=1e-5)
    for percent in DECILES:
        at = STATISTICS.index(f"{percent} %")
        for index in np.ndindex(rows.shape[1:]):
            column = np.sort(rows[:, *index][~np.isnan(rows[:, *index])])
            ours = sketched.values[at, *index]
            rank = int(np.ceil(percent / 100 * len(column))) - 1
            assert abs(ours - column[rank]) <= SKETCH_ERROR * abs(column[rank]) * 1.001
    assert merged.rows["bins"].nbytes < rows.nbytes * 6


def test_the_sketch_replaces_rows_that_are_many(
    model: bertviz_app.Model, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = model.study("head-measures", corpus, settings=SMALL_BLOCKS)
    monkeypatch.setattr("bertviz_app.features.corpora.process.studies.MOST_BYTES", 2000)
    found = model.study("head-measures", corpus, settings=SMALL_BLOCKS)
    assert isinstance(found, HeadStatistics)
    assert isinstance(exact, HeadStatistics)
    assert exact.is_exact
    assert not found.is_exact
    np.testing.assert_allclose(found.of("first"), exact.of("first"), rtol=1e-6)
    np.testing.assert_array_equal(found.shares, exact.shares)


def test_the_command_line_writes_the_same(
    tiny_bert: Path, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], model: Any
) -> None:
    from bertviz_app.cli import main

    out = tmp_path / "heads.csv"
    words = ["study", "head-measures", str(corpus), "--model", str(tiny_bert), "--device", "cpu"]
    assert main([*words, "--block", "7", "--out", str(out)]) == 0
    printed = capsys.readouterr()
    assert "37 of 40 lines were measured." in printed.out
    assert "Left out 1 line, empty" in printed.err
    whole = tmp_path / "whole.csv"
    model.study("head-measures", corpus, whole, settings=SMALL_BLOCKS)
    assert out.read_bytes() == whole.read_bytes()
    assert main(["studies"]) == 0
    assert "head-measures\n  Measures of every head" in capsys.readouterr().out


def test_what_is_kept_is_saved_and_the_same_when_resumed(
    model: bertviz_app.Model, corpus: Path, tmp_path: Path
) -> None:
    """A sample, too, is added up from the files of blocks, whichever run has measured them."""
    whole = model.study("head-examples", corpus, settings=StudySettings(block_units=1000))
    out = tmp_path / "examples.csv"

    class _Stopping(CorpusListener):
        def on_progress(self, done: CorpusProgress) -> None:
            if done.n_lines >= 14:
                raise Cancelled

    with pytest.raises(Cancelled):
        model.study("head-examples", corpus, out, settings=SMALL_BLOCKS, progress=_Stopping())
    assert list(tmp_path.glob("examples.csv.parts/part-*.npz")), "else nothing is resumed"
    resumed = model.study("head-examples", corpus, out, settings=SMALL_BLOCKS)
    for name in ("examples", "strongest"):
        ours, others = (found.arrays()[name] for found in (resumed, whole))
        np.testing.assert_allclose(ours, others, rtol=1e-5, err_msg=name)
    assert out.read_text("utf-8").startswith("layer,head,of,rank,value,line,query,key,query_piece,key_piece")
