"""A corpus on two worker processes of Dask: the bytes of one process, also where a worker is killed."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client, LocalCluster

import bertviz_app
from bertviz_app.errors import FileError
from bertviz_app.inference.corpus.measuring import CorpusSettings
from bertviz_app.inference.corpus.run import CorpusListener, CorpusProgress

BLOCK = 10


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """Return two worker processes, whose complaints about a killed one are not ours."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as found:
        yield found


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
    cluster: LocalCluster, tiny_bert: Path, corpus: Path, tmp_path: Path
) -> None:
    corpus.write_bytes(corpus.read_bytes() * 30)  # 1200 lines, 120 blocks
    model = bertviz_app.open_model(str(tiny_bert), device="cpu")
    alone, together = tmp_path / "alone.parquet", tmp_path / "together.parquet"
    model.measure_corpus(corpus, alone, CorpusSettings(block_lines=BLOCK))
    kills = Kills(cluster.scheduler_address)
    settings = CorpusSettings(block_lines=BLOCK, scheduler=cluster.scheduler_address)
    result = model.measure_corpus(corpus, together, settings, listener=kills)
    assert kills.killed
    assert kills.dashboard.startswith("http://")
    assert result.n_lines == 1200
    assert together.read_bytes() == alone.read_bytes()


def test_workers_write_a_folder_that_they_all_reach(
    cluster: LocalCluster, tiny_bert: Path, corpus: Path, tmp_path: Path
) -> None:
    model = bertviz_app.open_model(str(tiny_bert), device="cpu")
    model.measure_corpus(corpus, tmp_path / "alone", CorpusSettings(block_lines=BLOCK))
    settings = CorpusSettings(block_lines=BLOCK, scheduler=cluster.scheduler_address)
    model.measure_corpus(corpus, tmp_path / "together", settings)
    alone = {path.name: path.read_bytes() for path in (tmp_path / "alone").iterdir()}
    together = {path.name: path.read_bytes() for path in (tmp_path / "together").iterdir()}
    assert len(alone) == 4 + 2
    assert alone == together


def test_workers_of_its_own_end_with_the_run(tiny_bert: Path, corpus: Path, tmp_path: Path) -> None:
    model = bertviz_app.open_model(str(tiny_bert), device="cpu")
    model.measure_corpus(corpus, tmp_path / "alone.csv", CorpusSettings(block_lines=BLOCK))
    model.measure_corpus(corpus, tmp_path / "together.csv", CorpusSettings(block_lines=BLOCK, n_workers=1))
    assert (tmp_path / "together.csv").read_bytes() == (tmp_path / "alone.csv").read_bytes()


def test_a_scheduler_that_does_not_answer_is_named(
    tiny_bert: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = bertviz_app.open_model(str(tiny_bert), device="cpu")
    monkeypatch.setattr("bertviz_app.inference.corpus.run.PATIENCE", "1s")
    settings = CorpusSettings(scheduler="tcp://127.0.0.1:9")
    with pytest.raises(FileError, match=r"tcp://127\.0\.0\.1:9 does not answer"):
        model.measure_corpus(corpus, tmp_path / "heads.csv", settings)


def test_workers_without_dask_name_the_command(
    tiny_bert: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    model = bertviz_app.open_model(str(tiny_bert), device="cpu")
    with pytest.raises(FileError, match=r'pip install "dask\[distributed\]"'):
        model.measure_corpus(corpus, tmp_path / "heads.csv", CorpusSettings(n_workers=2))
