"""Examples of heads collected for a window: in a process of its own, beside the table."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bertviz_app
from bertviz_app.errors import Cancelled, CheckpointError, FileError
from bertviz_app.features.corpora.process.reading import (
    CorpusTable,
    collect_examples,
    saved_examples,
)
from bertviz_app.features.corpora.studies.examples import read_examples


@pytest.fixture
def table(corpus: Path, model: bertviz_app.Model, tmp_path: Path) -> CorpusTable:
    out = tmp_path / "heads.npz"
    model.measure_corpus(corpus, out)
    return CorpusTable(out)


def test_they_are_those_of_the_library(table: CorpusTable, corpus: Path, model: bertviz_app.Model) -> None:
    shares: list[float] = []
    assert saved_examples(table.about) is None
    collected = collect_examples(table.about, shares.append, lambda: None)
    saved = saved_examples(table.about)
    assert saved is not None
    found = read_examples(saved)
    whole = model.study("head-examples", corpus)
    for name, array in whole.arrays().items():
        if array.dtype.kind == "f":
            np.testing.assert_allclose(found.arrays()[name], array, 1e-5, 1e-6, err_msg=name)
    assert found.strongest((1, 2)) == collected.strongest((1, 2))
    assert found.about is not None
    assert found.about["fingerprint"] == table.about.fingerprint
    assert not list(saved.parent.glob("*.parts")), "the blocks are removed"
    os.utime(corpus, (2e9, 2e9))
    assert saved_examples(table.about) is None, "the texts are newer"


@pytest.mark.usefixtures("in_this_process")
def test_it_can_be_stopped_and_says_what_is_missing(table: CorpusTable, corpus: Path) -> None:
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        collect_examples(table.about, lambda share: None, stop)
    two = replace(table.about, files=(*table.about.files, "other.txt"))
    with pytest.raises(FileError, match="are in 2 files"):
        collect_examples(two, lambda share: None, lambda: None)
    corpus.unlink()
    with pytest.raises(FileError, match="are not here"):
        collect_examples(table.about, lambda share: None, lambda: None)


@pytest.mark.usefixtures("in_this_process")
def test_other_weights_are_refused(table: CorpusTable) -> None:
    about = replace(table.about, fingerprint="0" * 64)
    with pytest.raises(CheckpointError, match="has other weights than the table"):
        collect_examples(about, lambda share: None, lambda: None)


def test_a_damaged_file_is_refused(model: bertviz_app.Model, corpus: Path, tmp_path: Path) -> None:
    path, other = tmp_path / "found.examples.npz", tmp_path / "other.npz"
    model.study("head-examples", corpus, path)
    model.study("head-measures", corpus, other)
    read_examples(path)
    with np.load(path) as saved:
        arrays = dict(saved)
    for name, changed in {
        "shapes": {"strongest": arrays["strongest"][..., :3]},
        "facts": {"facts": np.array("{}")},
        "pieces": {key: arrays[key][:1] for key in ("piece_ids", "piece_texts")},
    }.items():
        np.savez(tmp_path / f"{name}.npz", **arrays | changed)
    (tmp_path / "text.npz").write_bytes(b"no archive")
    (tmp_path / "empty.npz").write_bytes(b"")
    damaged = [each for each in tmp_path.glob("*.npz") if each != path]
    assert len(damaged) == 6
    for each in damaged:
        with pytest.raises(FileError, match="has no examples of heads"):
            read_examples(each)
