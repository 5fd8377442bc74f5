"""`check`: whether a checkpoint does what a file states about its heads."""

from __future__ import annotations

from os import PathLike, fsdecode
from pathlib import Path

from bertviz_app.api.model import Model, open_model
from bertviz_app.errors import ArgumentError, Message
from bertviz_app.inference.corpus.assertions import CheckedHeads, read_statements


def check(path: str | PathLike[str], model: Model | str | PathLike[str] | None = None) -> CheckedHeads:
    """Return whether a checkpoint does what a TOML file states about its heads.

    Parameters
    ----------
    path : path
        The file. Each `[[check]]` in it has a `head` ("0.1"; "0.*" any of layer 0), a `measure` or a `name`,
        a `minimum` or a `maximum` or both, and `file` (from the folder of the TOML file), `text` or `texts`;
        what stands above the first one holds for all.
    model : Model or path, optional
        The checkpoint; by default the one that the file names as `model`, else that of the program.

    Returns
    -------
    CheckedHeads, a tuple of CheckedHead
        In the order of the file; `holds` says whether all do. Of a measure `value` is the mean over the
        texts, in its unit; of a name the share of the texts, from 0 to 1, that give it to the head.

    Raises
    ------
    FileError
        For a file that is not as it has to be; the message names the line and the key.
    SelectionError
        For a head that the checkpoint does not have.
    """
    if not isinstance(path, str | PathLike):
        message = Message("Statements about heads are in a file, not {0}.", type(path).__name__)
        raise ArgumentError(message, Message("Call {0}.", 'check("heads.toml")'))
    stated = read_statements(Path(fsdecode(path)))
    opened = model if isinstance(model, Model) else open_model(stated.model if model is None else model)
    return opened.check_heads(stated)
