"""Checkpoint folders with something about them changed, made from a sound one."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from bertviz_app.checkpoint.loader import Checkpoint, open_checkpoint
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.errors import CheckpointError

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


Refused = tuple[dict[str, Any], str]
"""Settings that cannot be, and a pattern of the error that names them."""


def each(**values: tuple[object, ...]) -> Iterator[Refused]:
    """Yield each of the values as one setting alone, which is to be refused by its name."""
    for name, those in values.items():
        for value in those:
            yield {name: value}, name


def assert_refused(read: Callable[[dict[str, Any]], object], *refused: Refused) -> None:
    """Assert that `read` refuses all of these settings, each with the words beside it and with a hint."""
    faults = []
    for settings, words in refused:
        try:
            read(settings)
        except CheckpointError as error:
            is_named = re.search(words, str(error)) is not None and error.message.isprintable()
            faults += [] if is_named and error.hint else [f"{settings}: {error} ({error.hint})"]
        else:
            faults.append(f"{settings} is read")
    assert faults == []


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
