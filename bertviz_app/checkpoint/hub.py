"""Fetching a checkpoint from the Hugging Face hub into its cache. Only ever for a model the user named."""

from __future__ import annotations

import errno
import os
import queue
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from bertviz_app.checkpoint.cache import cache_folder, is_hub_id
from bertviz_app.checkpoint.families import family_of
from bertviz_app.checkpoint.folder import CONFIG, FILES, PICKLED, SAFETENSORS
from bertviz_app.checkpoint.sources import Source, find
from bertviz_app.errors import Cancelled, HubError

if TYPE_CHECKING:
    from huggingface_hub.hf_api import ModelInfo

Progress = Callable[[int, int], None]
Check = Callable[[], None]
_CHECK_S = 0.1
_TRUE = {"1", "ON", "YES", "TRUE"}
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS}


def download(
    repo_id: str,
    revision: str | None = None,
    progress: Progress | None = None,
    check: Check | None = None,
    endpoint: str | None = None,
) -> Source:
    """Return the model `repo_id` ("org/name"), fetched into the Hugging Face cache.

    Only the files that opening it reads; what the cache has already is not fetched again. `progress` is
    told bytes done and in all, `check` is called ten times a second and may raise, which ends the
    download. `endpoint` is the hub's address if it is another than the library's. Raises HubError, and
    CheckpointError for a model of a family that cannot be read.
    """
    if not is_hub_id(repo_id):
        raise HubError(f"“{repo_id[:100]}” is no name of a model on the hub.", "Names are like org/name.")
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in _TRUE:
        raise HubError(_OFFLINE, _OFFLINE_HINT)
    fetch = _Fetch(repo_id, revision, endpoint)
    try:
        folder = fetch.run(progress, check)
    finally:
        fetch.stop.set()
    return find(repo_id) if revision is None else find(str(folder))


_OFFLINE = "The hub cannot be asked: HF_HUB_OFFLINE is set."
_OFFLINE_HINT = "Unset it, or open a checkpoint that is on this computer."


class _Fetch:
    """One download, on a thread of its own: a read from a slow network cannot be interrupted, but left."""

    def __init__(self, repo_id: str, revision: str | None, endpoint: str | None) -> None:
        self._repo_id = repo_id
        self._revision = revision
        self._endpoint = endpoint
        self._news: queue.SimpleQueue[tuple[int, int] | Path | BaseException] = queue.SimpleQueue()
        self.stop = threading.Event()

    def run(self, progress: Progress | None, check: Check | None) -> Path:
        """Return the snapshot's folder, passing on progress and errors until it is there."""
        threading.Thread(target=self._work, name="download", daemon=True).start()
        while True:
            if check is not None:
                check()
            with suppress(queue.Empty):
                news = self._news.get(timeout=_CHECK_S)
                if isinstance(news, Path):
                    return news
                if isinstance(news, BaseException):
                    raise _hub_error(self._repo_id, news) from news
                if progress is not None:
                    progress(*news)

    def _work(self) -> None:
        try:
            self._news.put(self._fetch())
        except Cancelled:
            return
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            self._news.put(error)

    def _fetch(self) -> Path:
        # Xet's transfers run in threads of their own that can neither be watched nor stopped from here.
        os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
        os.environ.setdefault("HF_HUB_VERBOSITY", "error")  # every error comes back as one of ours
        from huggingface_hub import HfApi, hf_hub_download

        info = HfApi(endpoint=self._endpoint).model_info(
            self._repo_id, revision=self._revision, files_metadata=True
        )
        wanted = _wanted(self._repo_id, info)
        tally = _Tally(sum(file.size for file in wanted), self._news.put, self.stop)
        for file in wanted:
            path = hf_hub_download(
                self._repo_id,
                file.name,
                revision=self._revision,
                cache_dir=cache_folder(),
                endpoint=self._endpoint,
                tqdm_class=tally.bar_class(),
            )
            tally.finish(file.size)
        return Path(path).parent


@dataclass(frozen=True)
class _File:
    name: str
    size: int


class _Tally:
    """Adds up the bytes of all files, and stops the library by an exception where it reports them."""

    def __init__(self, n_bytes: int, tell: Callable[[tuple[int, int]], None], stop: threading.Event) -> None:
        self._n_bytes = n_bytes
        self._tell = tell
        self._stop = stop
        self._n_finished = 0

    def finish(self, size: int) -> None:
        """Count a file of `size` bytes as there, whether it was fetched or was in the cache."""
        self._n_finished += size
        self.report(0)

    def report(self, n_more: int) -> None:
        """Tell how much is there, with `n_more` bytes of the file under way. Raises Cancelled."""
        if self._stop.is_set():
            raise Cancelled
        self._tell((min(self._n_finished + n_more, self._n_bytes), self._n_bytes))

    def bar_class(self) -> type:
        """Return a class that the library uses in place of tqdm's progress bar."""
        report = self.report

        class Bar:
            """As much of tqdm's bar as a download uses; counts from `initial`."""

            def __init__(self, *, initial: int = 0, **looks: object) -> None:
                self.n = initial

            def __enter__(self) -> Self:
                return self

            def __exit__(self, *error: object) -> None:
                self.close()

            def update(self, n: int = 1) -> None:
                self.n += n
                report(self.n)

            def close(self) -> None:
                """Nothing was opened."""

        return Bar


def _wanted(repo_id: str, info: ModelInfo) -> Sequence[_File]:
    """Return the files to fetch, the largest first and config.json, which makes a snapshot count, last."""
    settings = info.config or {}
    if isinstance(model_type := settings.get("model_type"), str):
        family_of(model_type)
    sizes = {file.rfilename: file.size or 0 for file in info.siblings or ()}
    if CONFIG not in sizes or not (SAFETENSORS in sizes or PICKLED in sizes):
        message = (
            f"{repo_id} on the hub is no checkpoint that can be read: it lacks {CONFIG} or {SAFETENSORS}."
        )
        raise HubError(message, "Choose a model with both files; weights in several parts are not read yet.")
    names = [name for name in FILES if name in sizes and not (name == PICKLED and SAFETENSORS in sizes)]
    names.sort(key=lambda name: (name == CONFIG, -sizes[name]))
    return [_File(name, sizes[name]) for name in names]


def _hub_error(repo_id: str, error: BaseException) -> BaseException:
    """Return the HubError that says what `error` means; `error` itself if it is a defect of the program."""
    from huggingface_hub import errors

    if isinstance(error, errors.OfflineModeIsEnabled):
        return HubError(_OFFLINE, _OFFLINE_HINT)
    if isinstance(error, errors.RevisionNotFoundError):
        return HubError(f"{repo_id} has no such revision on the hub.", "Check the branch, tag or commit.")
    if isinstance(error, errors.HfHubHTTPError) and error.response is not None:
        return _refusal(repo_id, error.response.status_code, isinstance(error, errors.GatedRepoError))
    if isinstance(error, OSError) and error.errno in _NO_SPACE:
        message = f"{repo_id} could not be written to {cache_folder()}: {error.strerror}."
        return HubError(message, "Free some space, or set HF_HOME to a folder elsewhere.")
    if isinstance(error, errors.HTTPError | OSError):
        return HubError(
            f"The hub could not be reached, or broke off, while fetching {repo_id}.",
            "Check the network and try again; files that were fetched whole are kept.",
        )
    return error


def _refusal(repo_id: str, status: int, is_gated: bool) -> HubError:
    if is_gated or status == 403:
        message = f"{repo_id} is given out only to those who asked for it on the hub."
        return HubError(message, "Ask for access on its page, then log in with `hf auth login`.")
    if status in {401, 404}:  # the hub does not tell a stranger what is private and what does not exist
        message = f"The hub has no model {repo_id}, or it is private."
        return HubError(message, "Check the spelling; for a private model log in with `hf auth login`.")
    message = f"The hub answered with status {status} for {repo_id}."
    return HubError(message, "Try again later; files that were fetched whole are kept.")
