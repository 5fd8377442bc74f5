"""A file measured in a process of its own: torch in this one stays as it is, and the process ends with it."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
import torch

import bertviz_app
from bertviz_app.errors import AppError, Cancelled
from bertviz_app.inference.child_process import ChildProcess
from bertviz_app.inference.corpus import reading as process
from bertviz_app.inference.corpus.reading import CorpusTable, measure_file


def test_the_table_is_the_one_of_the_command(tiny_bert: Path, corpus: Path, tmp_path: Path) -> None:
    shares: list[float] = []
    found = measure_file(corpus, str(tiny_bert), shares.append, lambda: None)
    assert found == corpus.with_name(f"texts.txt.{tiny_bert.name}.heads.parquet")
    out = tmp_path / "heads.parquet"
    bertviz_app.open_model(str(tiny_bert), device="cpu").measure_corpus(corpus, out)
    assert found.read_bytes() == out.read_bytes()
    assert CorpusTable(found).about.counts == {"empty": 1, "long": 1, "undecodable": 1}


def test_torch_computes_here_as_it_did(tiny_bert: Path, corpus: Path) -> None:
    before = torch.get_num_threads()
    states: list[tuple[int, object]] = []
    torch.set_num_threads(2)
    try:
        measure_file(
            corpus,
            str(tiny_bert),
            lambda share: states.append((torch.get_num_threads(), torch.backends.mkldnn.enabled)),
            lambda: None,
        )
    finally:
        torch.set_num_threads(before)
    assert states
    assert set(states) == {(2, torch.backends.mkldnn.enabled)}


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
