"""What a user can do is what `tests/inventory.txt` says: nothing is lost unnoticed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import inventory

_RENEW = "`python -m tests.inventory --write` writes what is new; what is missing has to be meant"


@pytest.mark.slow
def test_the_program_has_each_line_of_the_file_and_no_other() -> None:
    command = [sys.executable, "-m", "tests.inventory"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}\n{_RENEW}"
    assert done.stdout.endswith(" lines, 0 are missing, 0 are new\n"), f"{done.stdout}\n{_RENEW}"


def test_what_is_missing_fails_what_is_new_is_written_and_both_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "inventory.txt"
    monkeypatch.setattr(inventory, "FILE", file)

    def compared(found: dict[str, list[str]], *arguments: str) -> tuple[int, list[str]]:
        monkeypatch.setattr(inventory, "inventory", lambda: found)
        code = inventory.main(arguments)
        return code, capsys.readouterr().out.splitlines()

    first, more = {"Keys": ["A: add", "B: back"]}, {"Keys": ["A: add", "B: back"], "Files": ["A: add"]}
    assert compared(first) == (0, ["+ Keys: A: add", "+ Keys: B: back", "2 lines, 0 are missing, 2 are new"])
    assert not file.exists()
    assert compared(first, "--write")[0] == 0
    assert file.read_text("utf-8") == "# Keys\nA: add\nB: back\n"
    assert compared(first) == (0, ["2 lines, 0 are missing, 0 are new"])
    assert compared(more) == (0, ["+ Files: A: add", "3 lines, 0 are missing, 1 are new"])
    assert compared(more, "--write")[0] == 0
    assert compared(first) == (1, ["- Files: A: add", "2 lines, 1 are missing, 0 are new"])
    assert compared({"Keys": ["A: add", "B: before"]})[0] == 1
