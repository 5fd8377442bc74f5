"""Checkpoint folders with something about them changed, made from a sound one."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from bertviz_app.checkpoint.loader import Checkpoint, open_checkpoint
from bertviz_app.checkpoint.sources.source import find

Tensors = dict[str, Tensor]


def copy_of(folder: Path, to: Path) -> Path:
    """Return a copy of `folder` that a test may spoil."""
    return Path(shutil.copytree(folder, to / "copy"))


def opened(folder: Path) -> Checkpoint:
    """Return the checkpoint in `folder`, as a user's own folder is opened."""
    return open_checkpoint(find(str(folder)))


def change_config(folder: Path, **changes: object) -> None:
    """Set keys of config.json; a value of ... removes the key."""
    path = folder / "config.json"
    settings = json.loads(path.read_text("utf-8")) | changes
    written = {key: value for key, value in settings.items() if value is not ...}
    path.write_text(json.dumps(written), "utf-8")


def change_weights(folder: Path, change: Callable[[Tensors], Tensors]) -> None:
    """Write model.safetensors anew with what `change` makes of its tensors."""
    path = folder / "model.safetensors"
    tensors = change({name: tensor.clone() for name, tensor in load_file(path).items()})
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, path, {"format": "pt"})


def to_pickle(folder: Path, *, in_old_format: bool = False) -> Path:
    """Replace model.safetensors by pytorch_model.bin; return the new file."""
    path = folder / "pytorch_model.bin"
    tensors = load_file(folder / "model.safetensors")
    torch.save(tensors, path, _use_new_zipfile_serialization=not in_old_format)
    (folder / "model.safetensors").unlink()
    return path


def unreadable(monkeypatch: pytest.MonkeyPatch, file: Path, number: int = errno.EACCES) -> None:
    """Have the operating system refuse to open `file`, also to an administrator."""
    plain = Path.open

    def refusing(path: Path, *arguments: Any, **named: Any) -> object:
        if path == file:
            raise OSError(number, os.strerror(number), str(path))
        return plain(path, *arguments, **named)

    monkeypatch.setattr(Path, "open", refusing)
