"""Tensors in one file: what a full disk or a folder that cannot be made leaves, and says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from bertviz_app.errors import FileError
from bertviz_app.training.loop import write_tensors

_LIMITED = """
import resource, signal, sys
from pathlib import Path
import torch
from bertviz_app.errors import FileError
from bertviz_app.training.loop import write_tensors
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_tensors(Path(sys.argv[1]), {"a": torch.ones(3000)}, {})
except FileError as error:
    print(error)
"""


def test_a_file_is_written_into_a_new_folder_and_over_the_last_one(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.safetensors"
    for value in (1.0, 2.0):
        write_tensors(path, {"a": torch.full((3,), value)}, {"format": "pt"})
        assert load_file(path)["a"].tolist() == [value] * 3
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_that_cannot_be_made_is_an_error_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(FileError, match="could not be written: ") as caught:
        write_tensors(tmp_path / "file" / "a.safetensors", {"a": torch.ones(3)}, {})
    assert caught.value.hint


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of a file")
def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    write_tensors(path, {"a": torch.zeros(3)}, {})
    done = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"{path} could not be written: File too large. Free some space")
    assert load_file(path)["a"].tolist() == [0.0] * 3
    assert list(tmp_path.iterdir()) == [path]
