"""Downloading a checkpoint that the user named from the Hugging Face hub into its cache."""

from __future__ import annotations

import errno
import os
import queue
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from bertviz_app.checkpoint.families.registry import family_of
from bertviz_app.checkpoint.folder import (
    ADAPTER_CONFIG,
    ADAPTER_WEIGHTS,
    CONFIG,
    FILES,
    INDEX_ENDING,
    SAFETENSORS,
    SENTENCE_PIECES,
    TOKENIZER,
    WEIGHTS,
    module_files,
    own_pieces,
)
from bertviz_app.checkpoint.sources.source import Source, cache_folder, find, is_hub_id, is_revision
from bertviz_app.checkpoint.weights.shards import weight_map
from bertviz_app.errors import Cancelled, Check, HubError, Message, Progress, shown

if TYPE_CHECKING:
    from huggingface_hub.hf_api import ModelInfo


def download(
    repo_id: str,
    revision: str | None = None,
    progress: Progress | None = None,
    check: Check | None = None,
    endpoint: str | None = None,
) -> Source:
    """Return the model `repo_id` ("org/name"), fetched into the Hugging Face cache.

    Only the files that opening it reads are fetched, without those that the cache has already; after a lost
    connection the rest of a file is fetched. `progress` gets the bytes done and the total, `check` is called
    ten times a second and may raise, which ends the download. `revision` is a branch, a tag or a commit;
    `endpoint` is the address of the hub, by default HF_ENDPOINT or that of the library. A token comes from
    where the library looks for it: HF_TOKEN, or `hf auth login`. Raises HubError, and CheckpointError for a
    model of a family that cannot be read.
    """
    if not is_hub_id(repo_id) or "@" in repo_id:
        raise HubError(
            Message("“{0}” is no name of a model on the hub.", repo_id[:100]),
            Message("Names are like org/name."),
        )
    if revision is not None and not is_revision(revision):
        raise _no_revision(repo_id)
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "ON", "YES", "TRUE"}:
        raise HubError(_OFFLINE, _OFFLINE_HINT)
    fetch = _Fetch(repo_id, revision, endpoint)
    try:
        fetch.run(progress, check)
    finally:
        fetch.stop.set()
    return find(repo_id if revision is None else f"{repo_id}@{revision}")


_OFFLINE = Message("The hub cannot be reached: HF_HUB_OFFLINE is set.")
_OFFLINE_HINT = Message("Unset it, or open a checkpoint that is on this computer.")


class _Fetch:
    """One download, on a thread of its own: a slow read cannot be interrupted, but its thread can be left."""

    def __init__(self, repo_id: str, revision: str | None, endpoint: str | None) -> None:
        self._repo_id = repo_id
        self._revision = revision
        # The library reads HF_ENDPOINT only once, at import.
        self._endpoint = endpoint or os.environ.get("HF_ENDPOINT", "").rstrip("/") or None
        self._messages: queue.SimpleQueue[tuple[int, int] | BaseException | None] = queue.SimpleQueue()
        self.stop = threading.Event()

    def run(self, progress: Progress | None, check: Check | None) -> None:
        """Pass on progress and errors until all files are fetched."""
        threading.Thread(target=self._work, name="download", daemon=True).start()
        while True:
            if check is not None:
                check()
            with suppress(queue.Empty):
                message = self._messages.get(timeout=0.1)
                if message is None:
                    return
                if isinstance(message, BaseException):
                    raise _hub_error(self._repo_id, message) from message
                if progress is not None:
                    progress(*message)

    def _work(self) -> None:
        try:
            self._fetch()
            self._messages.put(None)
        except Cancelled:
            return
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            self._messages.put(error)

    def _fetch(self) -> None:
        # Xet's transfers run in threads of their own that can neither be watched nor stopped from here.
        os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
        os.environ.setdefault("HF_HUB_VERBOSITY", "error")  # every error is turned into an AppError
        from huggingface_hub import HfApi

        info = HfApi(endpoint=self._endpoint).model_info(
            self._repo_id, revision=self._revision, files_metadata=True
        )
        sizes = {file.rfilename: file.size or 0 for file in info.siblings or ()}
        requested = _files_to_load(self._repo_id, info, sizes)
        for index in [name for name in requested if name.endswith(INDEX_ENDING)]:
            path = self._download(index, _Tally(sizes[index], lambda _: None, self.stop))
            parts = list(dict.fromkeys(weight_map(path).values()))
            if absent := [name for name in parts if name not in sizes]:
                message = Message(
                    "{0} on the hub lacks {1}, a part of its weights.", self._repo_id, shown(absent[0])
                )
                raise HubError(message, Message("Choose another model, or another revision of it."))
            requested += parts
        # The largest first, and last the files by which a snapshot is recognised.
        requested.sort(key=lambda name: (name in (ADAPTER_CONFIG, CONFIG), -sizes[name]))
        tally = _Tally(sum(sizes[name] for name in requested), self._messages.put, self.stop)
        for name in requested:
            self._download(name, tally)
            tally.finish(sizes[name])

    def _download(self, name: str, tally: _Tally) -> Path:
        from huggingface_hub import hf_hub_download

        path = hf_hub_download(
            self._repo_id,
            name,
            revision=self._revision,
            cache_dir=cache_folder(),
            endpoint=self._endpoint,
            tqdm_class=tally.bar_class(),
        )
        return Path(path)


class _Tally:
    """Adds up the bytes of all files. To stop the library it raises an exception when the library reports."""

    def __init__(
        self, n_bytes: int, report: Callable[[tuple[int, int]], None], stop: threading.Event
    ) -> None:
        self._n_bytes = n_bytes
        self._report = report
        self._stop = stop
        self._n_finished = 0

    def finish(self, size: int) -> None:
        """Count a file of `size` bytes, whether it was fetched or already in the cache."""
        self._n_finished += size
        self.report(0)

    def report(self, n_more: int) -> None:
        """Report the bytes so far: `n_more` of the current file, and all finished files. Raises Cancelled."""
        if self._stop.is_set():
            raise Cancelled
        self._report((min(self._n_finished + n_more, self._n_bytes), self._n_bytes))

    def bar_class(self) -> type:
        """Return a class that the library uses in place of tqdm's progress bar."""
        report = self.report

        class Bar:
            """The part of tqdm's interface that a download uses; counts from `initial`."""

            def __init__(self, *, initial: int = 0, **unused: object) -> None:
                self.n = initial

            def __enter__(self) -> Self:
                return self

            def __exit__(self, *error: object) -> None:
                self.close()

            def update(self, n: int = 1) -> None:
                self.n += n
                report(self.n)

            def close(self) -> None:
                """Close nothing: no stream was opened."""

        return Bar


def _files_to_load(repo_id: str, info: ModelInfo, sizes: Mapping[str, int]) -> list[str]:
    """Return the files to fetch; of weights in several formats only the one that is opened."""
    if isinstance(model_type := (info.config or {}).get("model_type"), str):
        family_of(model_type)
    weights = next((name for name in WEIGHTS if name in sizes), None)
    adapter = next((name for name in ADAPTER_WEIGHTS if name in sizes), None)
    is_adapter = adapter is not None and ADAPTER_CONFIG in sizes
    if not is_adapter and (CONFIG not in sizes or weights is None):
        message = Message(
            "{0} on the hub is no checkpoint that can be read: it lacks {1} or {2}.",
            repo_id,
            CONFIG,
            SAFETENSORS,
        )
        raise HubError(message, Message("Choose a model with both files."))
    left_out = {*WEIGHTS, *ADAPTER_WEIGHTS} - {weights, adapter}
    left_out |= {*SENTENCE_PIECES} if TOKENIZER in sizes else set()
    found = [name for name in FILES if name in sizes and name not in left_out]
    return found + own_pieces(sizes.keys()) + module_files(sizes.keys())


def _hub_error(repo_id: str, error: BaseException) -> BaseException:
    """Return the HubError that says what `error` means; `error` itself if it is a defect of the program."""
    from huggingface_hub import errors

    if isinstance(error, errors.OfflineModeIsEnabled):
        return HubError(_OFFLINE, _OFFLINE_HINT)
    if isinstance(error, errors.RevisionNotFoundError):
        return _no_revision(repo_id)
    if isinstance(error, errors.HfHubHTTPError) and error.response is not None:
        status = error.response.status_code
        if status == 403 or isinstance(error, errors.GatedRepoError):
            message = Message("{0} is gated: the hub gives it only to accounts with access.", repo_id)
            hint = Message("Ask for access on its page, then log in with `hf auth login`.")
        elif status in {401, 404}:  # the hub does not distinguish private from missing repositories
            message = Message("The hub has no model {0}, or it is private.", repo_id)
            hint = Message("Check the spelling; for a private model log in with `hf auth login`.")
        else:
            message = Message("The hub answered with status {0} for {1}.", status, repo_id)
            hint = Message("Try again later; files already downloaded are not fetched again.")
        return HubError(message, hint)
    no_space = {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS}
    if isinstance(error, OSError) and error.errno in no_space:
        message = Message("{0} could not be written to {1}: {2}.", repo_id, cache_folder(), error.strerror)
        return HubError(message, Message("Free some space, or set HF_HOME to a folder elsewhere."))
    if isinstance(error, errors.HTTPError | OSError):
        return HubError(
            Message("The hub could not be reached, or broke off, while fetching {0}.", repo_id),
            Message("Check the network and try again; files already downloaded are not fetched again."),
        )
    return error


def _no_revision(repo_id: str) -> HubError:
    return HubError(
        Message("{0} has no such revision on the hub.", repo_id), Message("Check the branch, tag or commit.")
    )
