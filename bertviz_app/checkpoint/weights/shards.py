"""Weights in one file or split over several, by the index beside them. Loads no torch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath

from bertviz_app.checkpoint.folder import (
    FILES,
    INDEX_ENDING,
    MODULES,
    WEIGHTS,
    file_in,
    module_files,
    own_pieces,
    weights_in,
)
from bertviz_app.checkpoint.json_files import read_object
from bertviz_app.errors import CheckpointError, Message, shown

MOST_SHARDS = 1000
_AGAIN = Message("Fetch the file again; it comes with the checkpoint.")


def weight_files(path: Path) -> tuple[Path, ...]:
    """Return the files of weights: `path` itself, or those listed by the index at `path`.

    Raises CheckpointError for an index that is damaged, names a file elsewhere, or one that is not there.
    """
    if not path.name.endswith(INDEX_ENDING):
        return (path,)
    found = []
    for name in dict.fromkeys(weight_map(path).values()):
        shard = file_in(path.parent, name)
        if shard is None:
            message = Message(
                "A part of the weights is missing: {0}, which {1} names.", shown(name), path.name
            )
            raise CheckpointError(message, Message("Fetch the file; it comes with the checkpoint."))
        found.append(shard)
    return tuple(found)


def weight_map(path: Path) -> Mapping[str, str]:
    """Return which file holds each tensor, by the index at `path`. Raises CheckpointError."""
    table = read_object(path).get("weight_map")
    if not isinstance(table, dict) or not table:
        raise CheckpointError(Message("{0} does not say which file holds which tensor.", path.name), _AGAIN)
    ending = Path(path.name.removesuffix(INDEX_ENDING)).suffix
    for name in dict.fromkeys(str(value) for value in table.values()):
        _validate_name(path, name, ending)
    if not all(isinstance(value, str) for value in table.values()):
        raise CheckpointError(Message("{0} does not say which file holds which tensor.", path.name), _AGAIN)
    if len(set(table.values())) > MOST_SHARDS:
        raise CheckpointError(
            Message("{0} names more than {1} files.", path.name, f"{MOST_SHARDS:,}"), _AGAIN
        )
    return table


def _validate_name(index: Path, name: str, ending: str) -> None:
    """Raise CheckpointError unless `name` is a plain file name with the `ending` of the index's kind."""
    is_plain = PurePosixPath(name).name == PureWindowsPath(name).name == name and name.isprintable()
    if not is_plain or not name.endswith(ending) or name == ending:
        message = Message("{0} names “{1}”, which is no {2} file beside it.", index.name, shown(name), ending)
        raise CheckpointError(message, _AGAIN)


def files_read(folder: Path, weights: str | None = None) -> tuple[Path, ...]:
    """Return the existing files that opening `folder` reads; `weights` names one file of weights."""
    names = [name for name in FILES if name not in WEIGHTS]
    found = [folder / name for name in names if (folder / name).is_file()]
    beside = [path.name for path in folder.glob("*") if path.is_file()]
    found += [folder / name for name in own_pieces(beside)]
    within = {path.relative_to(folder).as_posix() for path in folder.glob("*/*")}
    found += [folder / name for name in sorted(module_files({MODULES, *within}))]
    try:
        main = weights_in(folder, weights)
        parts = weight_files(main)
    except CheckpointError:
        return tuple(found)
    return (*found, *dict.fromkeys((main, *parts)))
