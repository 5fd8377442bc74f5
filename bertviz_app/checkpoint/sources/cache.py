"""The Hugging Face cache on this computer, read by its layout: nothing here touches the network.

<cache>/models--org--name/refs/main                 the commit that "main" was when it was fetched
<cache>/models--org--name/snapshots/<commit>/       links to ../../blobs/
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bertviz_app.checkpoint.folder import ADAPTER_CONFIG, CONFIG

_PREFIX = "models--"
_HUB_ID = re.compile(r"[A-Za-z0-9](?:[\w.-]*\w)?/[A-Za-z0-9](?:[\w.-]*\w)?", re.ASCII)
_GIT = ".git"
_REVISION = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)*", re.ASCII)
_PAGE = re.compile(
    r"https?://[^/\s]+/(?P<id>[^/\s?#]+/[^/\s?#]+)"
    r"(?:/(?:tree|blob|commit|resolve)/(?P<revision>[^/\s?#]+))?(?:[/?#]\S*)?$"
)
_SHORTEST_COMMIT = 7


def is_hub_id(ref: str) -> bool:
    """Return whether `ref` can be a model on the hub, with its owner: "org/name" or "org/name@revision"."""
    repo_id, revision = split_revision(ref)
    if revision is not None and not is_revision(revision):
        return False
    if "--" in repo_id or ".." in repo_id or repo_id.endswith(_GIT):
        return False
    return len(repo_id) <= 96 and _HUB_ID.fullmatch(repo_id) is not None


def is_revision(revision: str) -> bool:
    """Return whether `revision` can be a branch, a tag or a commit."""
    return len(revision) <= 200 and ".." not in revision and _REVISION.fullmatch(revision) is not None


def split_revision(ref: str) -> tuple[str, str | None]:
    """Return (id, revision) of "org/name@revision"; the revision is None where none is named."""
    repo_id, sign, revision = ref.partition("@")
    return repo_id, revision if sign else None


def hub_ref(text: str) -> str:
    """Return "org/name" or "org/name@revision" for the address of a model's page; other texts unchanged."""
    page = _PAGE.match(text.strip())
    if page is None:
        return text.strip()
    repo_id = page["id"].removesuffix(_GIT)  # the address to clone has it
    return repo_id if page["revision"] is None else f"{repo_id}@{page['revision']}"


def cache_folder() -> Path:
    """Return the hub's cache; read from the environment each time, in the order the library does."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if value := os.environ.get(name):
            return _expanded(value)
    if home := os.environ.get("HF_HOME"):
        return _expanded(home) / "hub"
    return _expanded(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface" / "hub"


def cached_models() -> Iterator[tuple[str, Path]]:
    """Yield (repository id, snapshot folder) of each model in the cache, by name.

    "org/name" is the snapshot of "main"; each other branch or tag is "org/name@revision".
    """
    with suppress(OSError):
        for repository in sorted(cache_folder().iterdir()):
            if repository.name.startswith(_PREFIX) and (folder := _snapshot(repository)):
                name = repository.name.removeprefix(_PREFIX).replace("--", "/", 1)
                yield name, folder
                for revision, other in _others(repository):
                    if other != folder:
                        yield f"{name}@{revision}", other


def cached_model(ref: str) -> Path | None:
    """Return the snapshot folder of "name", "org/name" or either with "@revision"; None if there is none."""
    repo_id, revision = split_revision(ref)
    if not is_hub_id("any/" + repo_id.rpartition("/")[2]) or repo_id.count("/") > 1:
        return None
    repository = cache_folder() / (_PREFIX + repo_id.replace("/", "--"))
    if revision is None:
        return _snapshot(repository)
    return _of_revision(repository, revision) if is_revision(revision) else None


def hub_snapshot(folder: Path) -> tuple[str, str]:
    """Return the id and the commit of a model in a hub cache by its folder, ("", "") for other folders."""
    repository = folder.parent.parent
    if folder.parent.name != "snapshots" or not repository.name.startswith(_PREFIX):
        return "", ""
    return repository.name.removeprefix(_PREFIX).replace("--", "/", 1), folder.name


def _snapshot(repository: Path) -> Path | None:
    """Return the snapshot of "main", else the newest one with a model; None without any."""
    if folder := _pointed_to(repository, repository / "refs" / "main"):
        return folder
    with suppress(OSError):
        folders = [folder for folder in _snapshots(repository) if _is_model(folder)]
        return max(folders, key=lambda folder: folder.stat().st_mtime, default=None)
    return None


def _others(repository: Path) -> Iterator[tuple[str, Path]]:
    """Yield the branches and tags that were fetched, "main" too, with their snapshots."""
    home = repository / "refs"
    for reference in sorted(path for path in home.rglob("*") if path.is_file()):
        revision = reference.relative_to(home).as_posix()
        if is_revision(revision) and (folder := _pointed_to(repository, reference)):
            yield revision, folder


def _of_revision(repository: Path, revision: str) -> Path | None:
    """Return the snapshot of a branch, a tag, or a commit, of which the first letters are enough."""
    if folder := _pointed_to(repository, repository / "refs" / revision):
        return folder
    if len(revision) < _SHORTEST_COMMIT:
        return None
    with suppress(OSError):
        alike = [folder for folder in _snapshots(repository) if folder.name.startswith(revision)]
        return alike[0] if len(alike) == 1 and _is_model(alike[0]) else None
    return None


def _pointed_to(repository: Path, reference: Path) -> Path | None:
    """Return the snapshot of the commit in the file `reference`, if it exists and has a model."""
    with suppress(OSError, ValueError):
        commit = reference.read_text(encoding="utf-8").strip()
        folder = repository / "snapshots" / commit
        if commit.isalnum() and _is_model(folder):
            return folder
    return None


def _is_model(folder: Path) -> bool:
    """Return whether a snapshot holds a checkpoint or an adapter."""
    return (folder / CONFIG).is_file() or (folder / ADAPTER_CONFIG).is_file()


def _snapshots(repository: Path) -> list[Path]:
    return list((repository / "snapshots").iterdir())


def _expanded(value: str) -> Path:
    return Path(os.path.expandvars(value)).expanduser()
