"""A training over time: its checkpoints in order, measured once, and the heads that form."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from bertviz_app import training_history
from bertviz_app.analysis.picture import Axis, counted
from bertviz_app.api import open_model
from bertviz_app.cli import main
from bertviz_app.errors import ArgumentError, Cancelled, FileError
from bertviz_app.features.corpora.process import history as module
from bertviz_app.features.corpora.process.history import (
    TrainingHistory,
    TrainingStage,
    stages_named,
    stages_of,
)
from bertviz_app.features.corpora.process.reading import measure_file, table_name
from tests.features.corpora.conftest import measuring_here
from tests.support.checkpoints import random_bert, write_bert

pytestmark = pytest.mark.usefixtures("in_this_process")

TEXTS = "the cat ate the fish\nit was hungry\na mat sat on the hat\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three checkpoints, whose names sort otherwise than their steps."""
    folder = tmp_path_factory.mktemp("run")
    for seed, step in enumerate((20, 100, 3)):
        write_bert(folder / f"checkpoint-{step}", random_bert(seed=seed))
    (folder / "runs").mkdir()
    (folder / "checkpoint-last").mkdir()
    return folder


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("texts") / "texts.txt"
    path.write_text(TEXTS, encoding="utf-8")
    return path


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the checkpoints that a test has measured."""
    found: list[str] = []

    def counting(path: Path, ref: str | None, *given: object) -> Path:
        found.append(Path(str(ref)).name)
        return measure_file(path, ref, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "measure_file", counting)
    return found


@pytest.fixture(scope="module")
def history(run: Path, texts: Path) -> tuple[TrainingHistory, list[float]]:
    """What the three checkpoints measure, and the shares that were reported; their tables are kept."""
    shares: list[float] = []
    with measuring_here():
        return training_history(run, texts, progress=shares.append), shares


def test_checkpoints_stand_in_the_order_of_their_steps(run: Path, tmp_path: Path) -> None:
    assert [stage.step for stage in stages_of(run)] == [3, 20, 100]
    snapshots = tmp_path / "own" / "snapshots"
    for step in (200, 50):
        (snapshots / f"step-{step:06d}").mkdir(parents=True)
    assert [stage.step for stage in stages_of(tmp_path / "own")] == [50, 200]
    named = stages_named(["me/bert@step-2000", "me/bert@step-500"])
    assert named == (TrainingStage(500, "me/bert@step-500"), TrainingStage(2000, "me/bert@step-2000"))
    assert [stage.step for stage in stages_named(["first", "second"])] == [1, 2]


def test_the_means_are_those_of_each_checkpoint(
    run: Path, history: tuple[TrainingHistory, list[float]]
) -> None:
    found, shares = history
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert found.facts["texts"] == 3
    for at, step in enumerate((3, 20, 100)):
        model = open_model(str(run / f"checkpoint-{step}"), "cpu")
        values = [
            model.analyse("head-measures", model.trace(line)).arrays()["values"]
            for line in TEXTS.splitlines()
        ]
        np.testing.assert_allclose(found.named["values"][at], np.mean(values, axis=0), atol=1e-4)
    table = found.as_table()
    assert len(list(table.rows)) == 3 * found.named["values"][0, 0].size
    assert table.columns[:4] == ("step", "layer", "head", found.measures[0])


def test_what_is_measured_is_kept_until_something_is_newer(
    run: Path, texts: Path, history: tuple[TrainingHistory, list[float]], measured: list[str]
) -> None:
    again = training_history(run, texts)
    assert not measured
    np.testing.assert_array_equal(history[0].named["values"], again.named["values"])
    os.utime(table_name(texts, "checkpoint-20"), (1, 1))  # older than the checkpoint
    training_history(run, texts)
    assert measured == ["checkpoint-20"]


def test_what_was_kept_of_a_folder_is_not_shown_for_another_in_its_place(
    run: Path,
    texts: Path,
    history: tuple[TrainingHistory, list[float]],
    measured: list[str],
    tmp_path: Path,
) -> None:
    def swap() -> None:
        (run / "checkpoint-3").rename(run / "other")
        (run / "checkpoint-100").rename(run / "checkpoint-3")
        (run / "other").rename(run / "checkpoint-100")

    first, kept = history[0].named["values"], shutil.copytree(texts.parent, tmp_path / "kept")
    swap()
    changed = training_history(run, texts).named["values"]
    swap()
    for table in kept.glob("*.heads*"):
        shutil.copy2(table, texts.parent)
    assert measured == ["checkpoint-3", "checkpoint-100"]
    np.testing.assert_array_equal(changed[[2, 1, 0]], first)
    assert not np.array_equal(changed[0], first[0])


def test_it_is_cancelled_between_two_checks(run: Path, texts: Path) -> None:
    def check() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        training_history(run, texts, check=check)


@pytest.mark.usefixtures("history")
def test_what_is_no_training_is_refused(run: Path, texts: Path, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    with pytest.raises(FileError, match=r"nothing has 0 of the folders checkpoint-N"):
        training_history(tmp_path / "nothing", texts)
    with pytest.raises(FileError, match="cannot be read"):
        training_history(tmp_path / "missing", texts)
    with pytest.raises(FileError, match="1 was given"):
        training_history([run / "checkpoint-3"], texts)
    with pytest.raises(ArgumentError, match="a folder, or a list"):
        training_history(3, texts)  # type: ignore[arg-type]
    other = write_bert(tmp_path / "wide", random_bert(num_hidden_layers=3))
    with pytest.raises(FileError, match="not as many layers and heads"):
        training_history([run / "checkpoint-3", other], texts)


def test_heads_that_form_come_first() -> None:
    curve = np.array([[0.1, 0.2, 0.8, 0.9], [0.5, 0.5, 0.5, 0.5], [0.9, 0.3, 0.3, 0.3]], np.float32)
    values = curve.T[:, None, :, None].copy()  # [S, K, L, H]
    axes = (
        Axis("checkpoint", ("1", "2", "3", "4")),
        Axis("measure", ("previous",)),
        *(counted(one, n) for one, n in (("layer", 3), ("head", 1))),
    )
    stages = tuple(TrainingStage(step, "") for step in (10, 20, 30, 40))
    found = TrainingHistory({"values": values}, {"values": axes}, stages=stages, measures=("previous",))
    rising, falling, still = found.formed("previous")
    assert (rising.head, rising.step) == ((0, 0), 30), "half of the change from 0.1 to 0.9 is made at 0.5"
    assert (falling.head, falling.step) == ((2, 0), 20)
    assert still.change == 0


@pytest.mark.usefixtures("history")
def test_the_command_lists_and_writes(
    run: Path, texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "heads.csv"
    assert main(["history", str(run), "--texts", str(texts), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "previous, steps 3 to 100:" in said
    assert out.read_text(encoding="utf-8").startswith("step,layer,head,")
    assert main(["history", str(run), "--texts", str(texts), "--out", str(tmp_path / "a.xyz")]) == 2
    with np.load(_written(run, texts, tmp_path / "a.npz")) as arrays:
        assert arrays["values"].shape[0] == 3
        assert arrays["labels_checkpoint"].tolist() == ["3", "20", "100"]


def _written(run: Path, texts: Path, out: Path) -> Path:
    assert main(["history", str(run), "--texts", str(texts), "--out", str(out)]) == 0
    return out
