"""Texts and rows in memory, where a study or a corpus reads a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from bertviz_app.api import Model, StudySettings, open_model
from bertviz_app.api.corpora import files_of
from bertviz_app.errors import AppError, ArgumentError, FileError

TEXTS = ["the cat ate the fish", "the dog was hungry", "it was the\tcat\nof “them”"]
ROWS: list[dict[str, Any]] = [{"label": at % 2, "sentence": text} for at, text in enumerate(TEXTS)]


class _Dataset:
    """What `datasets.Dataset` has: rows, the names of columns, and classes by their numbers."""

    class _Classes:
        names = ("neg", "pos")

    features: ClassVar[dict[str, object]] = {"label": _Classes(), "sentence": object()}
    column_names = ("label", "sentence")

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(ROWS)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return open_model("bert-mini-en-ko", "cpu")


@pytest.fixture(scope="module")
def expected(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("texts") / "texts.jsonl"
    pd.DataFrame({"text": TEXTS}).to_json(path, orient="records", lines=True)
    return model.study("head-patterns", path, text="text", progress=False)


@pytest.mark.parametrize(
    ("data", "given"),
    [
        (TEXTS, {}),
        (tuple(TEXTS), {}),
        (iter(TEXTS), {}),
        (ROWS, {"text": "sentence"}),
        (pd.DataFrame(ROWS), {"text": "sentence"}),
        (_Dataset(), {"text": "sentence"}),
        (np.array(TEXTS), {}),
        (pd.Series(TEXTS), {}),
    ],
    ids=["list", "tuple", "iterator", "rows", "DataFrame", "Dataset", "array", "Series"],
)
def test_a_study_of_what_is_in_memory_is_that_of_the_file(
    data: Any, given: dict[str, Any], model: Model, expected: Any
) -> None:
    found = model.study("head-patterns", data, progress=False, **given)
    np.testing.assert_array_equal(found, expected)
    assert found.about is not None
    assert found.about["n_measured"] == 3


def test_a_corpus_of_what_is_in_memory(model: Model, tmp_path: Path) -> None:
    found = model.measure_corpus(TEXTS, tmp_path / "heads.csv", progress=False)
    assert found.n_sentences == 3
    of_rows = model.measure_corpus(pd.DataFrame(ROWS), tmp_path / "of.csv", text="sentence", progress=False)
    assert of_rows.n_sentences == 3
    assert (tmp_path / "heads.csv").read_text("utf-8") == (tmp_path / "of.csv").read_text("utf-8")


def test_pairs_and_labels_are_named_by_keywords(model: Model) -> None:
    pairs = [("the cat ate", "the dog ate"), ("it was here", "they were here")]
    found = model.study("counterfactual-pairs", pairs, progress=False)
    frame = pd.DataFrame(pairs, columns=["first", "second"])
    by_name = model.study("counterfactual-pairs", frame, text="first", pair="second", progress=False)
    np.testing.assert_array_equal(found, by_name)
    assert found.about is not None
    assert found.about["n_measured"] == 2
    settings = StudySettings(truncates=True)
    again = model.study("counterfactual-pairs", frame, text="2", pair="1", settings=settings, progress=False)
    assert again.about is not None
    assert again.about["truncates"]
    turned = model.study("counterfactual-pairs", [(b, a) for a, b in pairs], progress=False)
    np.testing.assert_array_equal(again, turned)


def test_classes_of_a_data_set_are_their_names() -> None:
    with files_of(_Dataset()) as given:
        text = Path(given.paths[0]).read_text("utf-8")
    assert text.splitlines()[1] == '{"label": "pos", "sentence": "the dog was hungry"}'
    assert not Path(given.paths[0]).exists(), "it is there for the call alone"


def test_names_of_files_are_files(tmp_path: Path) -> None:
    names = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path in names:
        path.write_text("the cat", encoding="utf-8")
    for given in (names, [str(path) for path in names]):
        with files_of(given) as found:
            assert found.paths == tuple(map(str, names))
    with files_of(["not a file", "nor this"]) as found:
        assert found.in_memory


_WRONG: dict[str, tuple[Callable[[Path], Any], type[AppError], str]] = {
    "a text": (lambda folder: "A cat ate", FileError, "There is no file “A cat ate”.*given as a list"),
    "a path": (lambda folder: folder / "none.txt", FileError, "There is no file"),
    "paths": (lambda folder: [folder / "none.txt"], FileError, "There is no file"),
    "a number": (lambda folder: 5, ArgumentError, "not int"),
    "numbers": (lambda folder: [1, 2], ArgumentError, "not list of int"),
    "nothing": (lambda folder: [], ArgumentError, "not an empty list"),
    "one part": (lambda folder: [("a",)], ArgumentError, "not list of tuple"),
    "bytes": (lambda folder: b"the cat", ArgumentError, "not bytes"),
    "both": (lambda folder: ["a text", {"text": "b"}], ArgumentError, "not list of str"),
    "some files": (lambda folder: [str(folder), "a text"], ArgumentError, "“a text” is none"),
}


@pytest.mark.parametrize("case", list(_WRONG))
def test_what_cannot_be_read_is_said(case: str, tmp_path: Path) -> None:
    make, kind, words = _WRONG[case]
    with pytest.raises(kind, match=words), files_of(make(tmp_path)):
        pass


@pytest.mark.slow
def test_a_cluster_and_a_client_of_dask_compute(model: Model, tmp_path: Path) -> None:
    alone = model.study("head-patterns", TEXTS, progress=False)
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        for scheduler in (cluster, client):
            settings = StudySettings(scheduler=scheduler)
            found = model.study("head-patterns", TEXTS, settings=settings, progress=False)
            np.testing.assert_array_equal(found, alone)
        assert client.status == "running", "who made it closes it"
    with pytest.raises(ArgumentError, match="a Cluster or a Client, not int"):
        model.study("head-patterns", TEXTS, settings=StudySettings(scheduler=5), progress=False)


def test_what_is_asked_is_named_as_python_has_it(model: Model, tmp_path: Path) -> None:
    """Followed: what each message gives is what the next call takes."""
    frame = pd.DataFrame({"a": ["the cat sat", "it ran"], "b": ["the dog sat", "we ran"], "c": ["1", "2"]})
    with pytest.raises(AppError, match="text=") as caught:
        model.study("head-patterns", frame, progress=False)
    assert "--" not in str(caught.value)
    model.study("head-patterns", frame, text="a", progress=False)
    with pytest.raises(AppError, match=r"text.*pair") as caught:
        model.study("counterfactual-pairs", frame, progress=False)
    assert "--" not in str(caught.value)
    model.study("counterfactual-pairs", frame, text="a", pair="b", progress=False)
    with pytest.raises(AppError, match="text=") as caught:
        model.measure_corpus(frame, tmp_path / "heads.csv", progress=False)
    assert "--" not in str(caught.value)
    model.measure_corpus(frame, tmp_path / "heads.csv", text="a", progress=False)
