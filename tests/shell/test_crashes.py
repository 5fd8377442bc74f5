"""After a crash: what was written is found once, and a report holds nothing that the user typed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bertviz_app.shell.crashes import LEFT_OUT, CrashLog, report

_CRASH = """
import ctypes, sys
from pathlib import Path
from bertviz_app.shell.crashes import CrashLog
log = CrashLog(Path(sys.argv[1]))
print(repr(log.begin()))
def where_it_ends():
    ctypes.string_at(0)
if sys.argv[2] == "crash":
    where_it_ends()
log.end()
"""


def _run(path: Path, how: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", _CRASH, str(path), how]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.skipif(sys.platform == "win32", reason="the signal has another name")
def test_a_fault_leaves_where_it_was_for_the_next_start_and_only_for_that(tmp_path: Path) -> None:
    path = tmp_path / "settings" / "crash.txt"
    assert _run(path, "crash").returncode < 0
    left = path.read_text(encoding="utf-8")
    assert "Segmentation fault" in left
    assert "where_it_ends" in left
    next_start = _run(path, "end")
    assert "where_it_ends" in next_start.stdout
    assert _run(path, "end").stdout.strip() == "''"


def test_a_folder_that_cannot_be_written_to_does_not_stop_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log = CrashLog(tmp_path / "file" / "crash.txt")
    assert log.begin() == ""
    log.end()


_TRACEBACK = """Traceback (most recent call last):
  File "{home}/bertviz_app/text/tokens.py", line 12, in cut
    raise KeyError(word)
KeyError: 'Geheimnis'
"""


def test_a_report_has_the_place_in_the_program_and_not_what_was_typed() -> None:
    happened = _TRACEBACK.format(home=Path.home())
    text = report(happened, ["Python: 3.11"], ["Das ist mein Geheimnis"])
    assert "Geheimnis" not in text
    assert f"KeyError: {LEFT_OUT}" in text
    assert "line 12, in cut" in text
    assert "Python: 3.11" in text
    assert str(Path.home()) not in text


def test_a_message_without_what_was_typed_stays() -> None:
    text = report("ValueError: 3 is not 4\n", [], ["나는 학교에 간다", "so it is"])
    assert "ValueError: 3 is not 4" in text
    assert f"ValueError: {LEFT_OUT}" in report("ValueError: 학교에 was not found", [], ["나는 학교에 간다"])
