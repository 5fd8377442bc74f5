"""A slice of `make fuzz`, and that the watching sees what it watches for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz import pool
from tests.fuzz.kinds import KINDS, spoilt, write_sound
from tests.fuzz.misbehaving import CRASHES, ESCAPES, HANGS, SWELLS, TRIES
from tests.fuzz.pool import Case, cases, run

N_CASES = 300


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory, minilm: Path) -> Path:
    """The sound checkpoints, one for each kind of file."""
    folder = tmp_path_factory.mktemp("sound")
    write_sound(folder, minilm)
    return folder


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a file may take long that is not hung."""
    monkeypatch.setattr(pool, "SECONDS", 120.0)


def test_damaged_files_open_or_are_refused_with_a_reason(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = run(home, cases(N_CASES), n_workers=2)
    with capsys.disabled():
        sys.stdout.write(f"[{report.n_cases} spoilt files of {len(KINDS)} kinds, seeds from 0] ")
    assert report.faults == []
    assert report.n_cases >= N_CASES
    assert {kind for kind, _ in report.outcomes} == set(KINDS)
    assert "loaded" in {outcome for _, outcome in report.outcomes}


def test_a_seed_gives_the_same_file_each_time(home: Path) -> None:
    faults = []
    for name, kind in KINDS.items():
        sound = (home / name / kind.name).read_bytes()
        files, again = ([spoilt(kind, sound, name, seed) for seed in range(6)] for _ in range(2))
        is_varied = len(set(files)) > 3 and sum(file == sound for file in files) < 3
        if files != again or not is_varied:
            faults.append(name)
    assert faults == []


def test_what_goes_wrong_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()

    def misbehaved() -> Iterator[Case]:
        yield from (("bin", seed) for seed in (CRASHES, TRIES, SWELLS, ESCAPES, 99))
        monkeypatch.setattr(pool, "SECONDS", 1.0)  # the others are done, however busy the machine is
        yield "bin", HANGS

    report = run(tmp_path / "home", misbehaved(), 1, "tests.fuzz.misbehaving")
    crashed, tried, swelled, escaped, hung = report.faults
    assert crashed.startswith("bin:0: crashed")
    assert "os.system" in tried
    assert "/etc/hostname" in tried
    assert "took 300 MB" in swelled
    assert "ValueError" in escaped
    assert hung.startswith("bin:1: hung")
    assert report.n_cases == 6


def test_files_that_made_a_library_panic_do_no_harm(home: Path) -> None:
    report = run(home, [("byte-pairs", 2244), ("vocab-json", 911), ("vocab-json", 1211)], 1)
    assert report.faults == []
    assert report.n_cases == 3
