"""The Hugging Face cache on this computer, read by its layout: nothing here touches the network.

<cache>/models--org--name/refs/main                 the revision that "main" was when it was fetched
<cache>/models--org--name/snapshots/<revision>/     links to ../../blobs/
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bertviz_app.checkpoint.folder import CONFIG

_PREFIX = "models--"
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)


def is_hub_id(ref: str) -> bool:
    """Return whether `ref` can be the id of a model on the hub, with its owner: "org/name"."""
    return len(ref) <= 96 and "--" not in ref and _HUB_ID.fullmatch(ref) is not None


def cache_folder() -> Path:
    """Return the hub's cache; read from the environment each time, in the order the library does."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if value := os.environ.get(name):
            return _expanded(value)
    if home := os.environ.get("HF_HOME"):
        return _expanded(home) / "hub"
    return _expanded(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface" / "hub"


def cached_models() -> Iterator[tuple[str, Path]]:
    """Yield (repository id, snapshot folder) of each model in the cache, by name."""
    with suppress(OSError):
        for repository in sorted(cache_folder().iterdir()):
            if repository.name.startswith(_PREFIX) and (folder := _snapshot(repository)):
                yield repository.name.removeprefix(_PREFIX).replace("--", "/", 1), folder


def cached_model(repo_id: str) -> Path | None:
    """Return the snapshot folder of `repo_id`, or None if the cache has none."""
    if not is_hub_id("any/" + repo_id.rpartition("/")[2]) or repo_id.count("/") > 1:
        return None
    return _snapshot(cache_folder() / (_PREFIX + repo_id.replace("/", "--")))


def _snapshot(repository: Path) -> Path | None:
    """Return the snapshot "main" stands for, else the newest; one without a config.json does not count."""
    snapshots = repository / "snapshots"
    with suppress(OSError, ValueError):
        revision = (repository / "refs" / "main").read_text(encoding="utf-8").strip()
        if revision.isalnum() and (snapshots / revision / CONFIG).is_file():
            return snapshots / revision
    with suppress(OSError):
        folders = [folder for folder in snapshots.iterdir() if (folder / CONFIG).is_file()]
        return max(folders, key=lambda folder: folder.stat().st_mtime, default=None)
    return None


def _expanded(value: str) -> Path:
    return Path(os.path.expandvars(value)).expanduser()
