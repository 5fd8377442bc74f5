"""Links out of a checkpoint's folder that the user has allowed, saved with the settings. Loads no torch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from bertviz_app import paths

_MOST = 1000


def links_out_of(folder: Path) -> dict[str, str]:
    """Return the files in `folder`, and in folders in it, that are elsewhere: by name, where they are."""
    home = folder.resolve()
    found: dict[str, str] = {}
    for path in islice(_files(folder), _MOST):
        with suppress(OSError, RuntimeError):  # RuntimeError: a loop of links
            target = path.resolve(strict=True)
            if target.is_file() and not target.is_relative_to(home):
                found[path.relative_to(folder).as_posix()] = str(target)
    return found


def allow_links(folder: Path) -> None:
    """Allow the links that lead out of `folder` now; one that is changed later is not. Raises FileError."""
    path = _file(folder)
    with suppress(OSError):  # writing reports the reason
        path.parent.mkdir(parents=True, exist_ok=True)
    with paths.replacing(path) as beside:
        beside.write_text(json.dumps(links_out_of(folder), indent=2) + "\n", encoding="utf-8")


def is_allowed(folder: Path, name: str, target: Path) -> bool:
    """Return whether the user has allowed that `name` in `folder` leads to `target`."""
    with suppress(OSError, ValueError):
        allowed = json.loads(_file(folder).read_text(encoding="utf-8"))
        return isinstance(allowed, dict) and allowed.get(Path(name).as_posix()) == str(target)
    return False


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files in `folder` and in the folders in it, as far as these can be read."""
    for path in _entries(folder):
        if path.is_dir():
            yield from (inner for inner in _entries(path) if not inner.is_dir())
        else:
            yield path


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _file(folder: Path) -> Path:
    name = hashlib.sha256(str(folder.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return paths.settings() / "links" / f"{name}.json"
