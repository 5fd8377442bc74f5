"""Studies of language over files: faults by their lines, blocks, resume, and the files of results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from distributed import LocalCluster

import bertviz_app
from bertviz_app.errors import FileError
from bertviz_app.features.corpora.process.studies import StudySettings
from bertviz_app.features.corpora.studies.probe import ProbeResult
from bertviz_app.features.corpora.studies.relations import HeadCoreference, HeadRelations
from bertviz_app.paths import resources
from bertviz_app.text_tables.table import TableError

EXAMPLES = resources() / "examples"
BY_UPOS = StudySettings(label_column="UPOS", block_units=5)


def test_relations_of_a_file_with_a_damaged_sentence(model: bertviz_app.Model, tmp_path: Path) -> None:
    path, out = tmp_path / "a.conllu", tmp_path / "out.npz"
    content = (EXAMPLES / "parses_en.conllu").read_text("utf-8")
    path.write_text(content.replace("\t2\tnsubj\t", "\t99\tnsubj\t", 1), "utf-8")
    found = model.study("head-relations", path, out, settings=StudySettings(block_units=5))
    whole = model.study("head-relations", EXAMPLES / "parses_en.conllu")
    assert isinstance(found, HeadRelations)
    assert isinstance(whole, HeadRelations)
    assert (found.about or {})["remarks"] == {"damaged": 1}
    remarks = (tmp_path / "out.npz.remarks.csv").read_text("utf-8")
    assert "Line 13: its head cannot be “99”." in remarks
    assert int(found.facts["sentences"]) == int(whole.facts["sentences"]) - 1
    with np.load(out, allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["values"], found.named["accuracy"])
        assert tuple(arrays["labels_relation"]) == found.relations
        assert len(arrays["examples"]) == len(found.examples)


def test_the_fault_of_a_file_without_a_good_sentence_is_named(
    model: bertviz_app.Model, tmp_path: Path
) -> None:
    path = tmp_path / "a.conllu"
    path.write_text("1\tcats\t_\tNOUN\t_\t_\t9\tnsubj\t_\t_\n", "utf-8")
    for out in (None, tmp_path / "out.npz"):
        with pytest.raises(FileError) as raised:
            model.study("head-relations", path, out)
        assert raised.value.message == (
            "None of the 1 texts of a.conllu can be measured: damaged 1. Line 1: its head cannot be “9”."
        )
        named = "" if out is None else f"All are named in {out}.remarks.csv. "
        assert raised.value.hint == f"{named}Correct what is named there."


def test_blocks_and_workers_change_no_number(
    model: bertviz_app.Model, tmp_path: Path, cluster: LocalCluster
) -> None:
    path = EXAMPLES / "parses_ko.conllu"
    one = model.study("head-relations", path, settings=StudySettings(block_units=100))
    small = StudySettings(block_units=3, scheduler=cluster.scheduler_address)
    many = model.study("head-relations", path, tmp_path / "a.csv", settings=small)
    assert isinstance(one, HeadRelations)
    assert isinstance(many, HeadRelations)
    for name, array in one.named.items():
        np.testing.assert_array_equal(array, many.named[name])
    assert one.examples == many.examples


def test_probe_of_a_file_is_opened_again(model: bertviz_app.Model, tmp_path: Path) -> None:
    out = tmp_path / "probe.npz"
    found = model.study("probe", EXAMPLES / "parses_en.conllu", out, settings=BY_UPOS, held_out=0.3)
    assert isinstance(found, ProbeResult)
    probe, trace = bertviz_app.open_probe(out), model.trace("the cat ate fish")
    assert probe.fingerprint == trace.fingerprint
    np.testing.assert_array_equal(probe.apply(trace).values, found.probe.apply(trace).values)
    with pytest.raises(TableError, match="several columns of labels"):
        model.study("probe", EXAMPLES / "parses_en.conllu")


def test_probe_of_labelled_rows(model: bertviz_app.Model, tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    rows = ["text\tlabel", *(f"the cat ate {n}\tfood\nit was hungry {n}\tstate" for n in range(10))]
    path.write_text("\n".join(rows) + "\n", "utf-8")
    found = model.study("text-probe", path, place="mean")
    assert isinstance(found, ProbeResult)
    assert found.probe.labels == ("food", "state")
    assert found.named["accuracy"].max() == 1
    (tokens,) = {len(found.probe.apply(model.trace(text)).tokens) for text in ("the cat", "it was")}
    assert tokens == 1  # of the whole text


def test_coreference_of_a_file(model: bertviz_app.Model, tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    content = (EXAMPLES / "mentions_en.txt").read_text("utf-8")
    path.write_text(f"{content}Nobody is marked here.\n", "utf-8")
    found = model.study("head-coreference", path, tmp_path / "a.json")
    assert isinstance(found, HeadCoreference)
    assert found.n_pairs == len(content.splitlines())
    assert "Line 11 has 0 mentions" in (tmp_path / "a.json.remarks.csv").read_text("utf-8")


def test_file_of_another_kind_is_refused(model: bertviz_app.Model) -> None:
    with pytest.raises(FileError, match="is no CoNLL-U file"):
        model.study("head-relations", EXAMPLES / "mentions_en.txt")
