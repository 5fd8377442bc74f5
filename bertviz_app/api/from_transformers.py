"""A model of transformers that is in memory, with its tokenizer, as a checkpoint that can be opened."""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path
from typing import Any

from bertviz_app.errors import ArgumentError, Message
from bertviz_app.trace.indexing import described


def is_model(value: object) -> bool:
    """Return whether a value is a model of transformers, which may not be loaded yet."""
    return hasattr(value, "save_pretrained") and hasattr(value, "config")


def is_tokenizer(value: object) -> bool:
    """Return whether a value is a tokenizer of transformers."""
    return hasattr(value, "save_pretrained") and hasattr(value, "convert_ids_to_tokens")


def saved(model: Any, tokenizer: object) -> tuple[tempfile.TemporaryDirectory[str], Path]:
    """Return a folder with `model` and `tokenizer` as `save_pretrained` writes them, and what removes it.

    The weights are those of this moment: what a training changes afterwards is not seen. Raises
    ArgumentError where `tokenizer` is none.
    """
    if not is_tokenizer(tokenizer):
        message = Message("A model in memory needs its tokenizer, not {0}.", described(tokenizer))
        raise ArgumentError(message, Message("Call {0}.", "open_model(model, tokenizer)"))
    home = tempfile.TemporaryDirectory(prefix="bertviz-app-")
    named = str(getattr(model.config, "_name_or_path", "") or type(model).__name__)
    folder = Path(home.name, Path(named).name)
    with contextlib.redirect_stderr(io.StringIO()):  # bars of progress
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)  # type: ignore[attr-defined]  # `is_tokenizer` has seen it
    return home, folder
