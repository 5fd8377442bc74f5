"""One training at a time in a folder."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from bertviz_app.errors import FileError
from bertviz_app.training import settings as ownership
from bertviz_app.training.settings import TrainingError, owned

_HOLD = """
import sys
from pathlib import Path
from bertviz_app.training.settings import owned
with owned(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_another_process_is_refused_until_the_first_one_ends(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path / "run")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(TrainingError, match="under way"), owned(tmp_path / "run"):
            pass
        holder.kill()
        holder.wait()
    with owned(tmp_path / "run"):
        assert (tmp_path / "run" / "lock").exists()


def test_a_disk_without_locks_is_not_another_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(number: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(ownership, "_lock", refuse)
    with pytest.raises(FileError, match="No locks available"), owned(tmp_path / "run"):
        pass


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(FileError, match=r"taken/run could not be written: .+"), owned(tmp_path / "taken/run"):
        pass
