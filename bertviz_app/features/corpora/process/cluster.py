"""`OnCluster`: blocks measured by Dask's workers, in processes of this machine or on others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from distributed import Client, as_completed, get_worker

from bertviz_app.errors import FileError, Message
from bertviz_app.features.corpora.process.measuring import BlockPart
from bertviz_app.features.corpora.process.run import MissingBlock, PartStore, open_alone
from bertviz_app.features.corpora.process.studies import Job
from bertviz_app.inference.opened_checkpoint import OpenedCheckpoint, find_device
from bertviz_app.values import replace

_AHEAD = 3  # blocks submitted to the cluster for each of its threads: enough that no thread has to wait
_RETRIES = 10  # how often a block is measured again after its worker was killed, or failed


Checkpoints = tuple[tuple[str, str], ...]
"""What opens each of the checkpoints, and its fingerprint when the run began."""
_OPENING = threading.Lock()
"""Of the threads of a worker one opens the checkpoints, for its first block, and all others use them."""


_OPENED: WeakKeyDictionary[Any, tuple[Checkpoints, tuple[OpenedCheckpoint, ...]]] = WeakKeyDictionary()
"""What each worker has opened; it goes with the worker."""


def _opened(checkpoints: Checkpoints) -> tuple[OpenedCheckpoint, ...]:
    """Return the checkpoints, opened in this worker. Raises FileError for one that has other weights here."""
    worker = get_worker()
    there = _OPENED.pop(worker, None)
    if there is not None and there[0] == checkpoints:
        _OPENED[worker] = there
        return there[1]
    del there  # the room of the old ones is free before the new ones are read
    opened = tuple(open_alone(ref) for ref, _ in checkpoints)
    for one, (ref, fingerprint) in zip(opened, checkpoints, strict=True):
        if one.checkpoint.facts.fingerprint != fingerprint:
            message = Message("The checkpoint {0} of a worker has other weights.", ref)
            raise FileError(message, Message("Put the same files on every machine, or in a shared folder."))
    _OPENED[worker] = checkpoints, opened
    return opened


class OnCluster:
    """Measures blocks as tasks of a Dask cluster; which worker measures a block does not change its numbers.

    `client` is connected to it; each worker opens the checkpoints, also one that joins later. With
    `saves_there` the workers write the blocks' files, to a folder that they all reach; else this process
    writes them.
    """

    def __init__(
        self, client: Client, job: Job, opened: Sequence[OpenedCheckpoint], device: str, *, saves_there: bool
    ) -> None:
        self._client = client
        # A worker needs no choice of workers, and one may not be pickled.
        settings: Any = job.settings
        self._job = replace(job, settings=replace(settings, n_workers=None, scheduler=None))
        self._checkpoints = tuple((one.ref, one.checkpoint.facts.fingerprint) for one in opened)
        self._device = device
        self._saves_there = saves_there

    def __call__(
        self, blocks: Iterator[MissingBlock], store: PartStore, on_units: Callable[[float], None]
    ) -> None:
        """Measure the blocks and save their files."""
        # Of the running tasks, by the keys of their futures: the name of the file and the number of units.
        names: dict[Any, tuple[str, int]] = {}
        finished = as_completed(loop=self._client.loop)
        n_ahead = 0

        def submit() -> bool:
            missing = next(blocks, None)
            if missing is None:
                return False
            where = store if self._saves_there else None
            given = missing, self._job, where, self._checkpoints, self._device
            future = self._client.submit(_measured, *given, key=missing.name, retries=_RETRIES, pure=False)
            names[future.key] = missing.name, len(missing.block)
            finished.add(future)
            return True

        while n_ahead < max(4, _AHEAD * sum(self._client.nthreads().values())) and submit():
            n_ahead += 1
        for future in finished:
            part = future.result()
            name, n_units = names.pop(future.key)
            if part is not None:
                store.save(name, part)
            on_units(n_units)
            future.release()
            submit()


def _measured(
    missing: MissingBlock, job: Job, store: PartStore | None, checkpoints: Checkpoints, device: str
) -> BlockPart | None:
    """Return the part of a block, or None once a worker has saved it to `store`."""
    with _OPENING:
        opened = _opened(checkpoints)
    part = job.measure(opened, missing.block, find_device(device))
    if store is None:
        return part
    store.save(missing.name, part)
    return None
