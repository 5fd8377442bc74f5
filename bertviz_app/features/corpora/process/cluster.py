"""`OnCluster`: blocks measured by Dask's workers, in processes of this machine or on others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from distributed import WorkerPlugin, as_completed, get_worker

from bertviz_app.errors import FileError, Message
from bertviz_app.features.corpora.process.measuring import Block, BlockPart
from bertviz_app.features.corpora.process.run import MissingBlock, PartStore, open_alone
from bertviz_app.inference.opened_checkpoint import OpenedCheckpoint, find_device
from bertviz_app.values import replace

if TYPE_CHECKING:
    from distributed import Client, Worker

    from bertviz_app.features.corpora.process.studies import Job

_AHEAD = 3  # blocks submitted to the cluster for each of its threads: enough that no thread has to wait
_RETRIES = 10  # how often a block is measured again after its worker was killed, or failed
_PLUGIN = "bertviz-app-corpus"


class OpenedOnWorker(WorkerPlugin):
    """The checkpoints of one worker, opened for its first block and reused for the others.

    Each worker process gets a copy of the plugin, and tasks find it by its name. `checkpoints` are refs, each
    with the fingerprint of the checkpoint that the run began with.
    """

    def __init__(self, checkpoints: Sequence[tuple[str, str]], device: str) -> None:
        self.name = _PLUGIN
        self._checkpoints = tuple(checkpoints)
        self._device = device

    def setup(self, worker: Worker) -> None:
        """Prepare the worker, whose tasks may run on several threads."""
        self._lock = threading.Lock()
        self._opened: tuple[OpenedCheckpoint, ...] | None = None

    def measure(self, block: Block, job: Job) -> BlockPart:
        """Return the part of the block."""
        with self._lock:
            if self._opened is None:
                self._opened = tuple(_opened(*checkpoint) for checkpoint in self._checkpoints)
        return job.measure(self._opened, block, find_device(self._device))


def _opened(ref: str, fingerprint: str) -> OpenedCheckpoint:
    opened = open_alone(ref)
    if opened.checkpoint.facts.fingerprint != fingerprint:
        message = Message("The checkpoint {0} of a worker has other weights.", ref)
        raise FileError(message, Message("Put the same files on every machine, or in a shared folder."))
    return opened


class OnCluster:
    """Measures blocks as tasks of a Dask cluster; which worker measures a block does not change its numbers.

    `client` is connected to it. With `saves_there` the workers write the blocks' files, to a folder that they
    all reach; else this process writes them.
    """

    def __init__(self, client: Client, job: Job, *, saves_there: bool) -> None:
        self._client = client
        # A worker needs no choice of workers, and one may not be pickled.
        settings: Any = job.settings
        self._job = replace(job, settings=replace(settings, n_workers=None, scheduler=None))
        self._saves_there = saves_there

    def register(self, opened: Sequence[OpenedCheckpoint], device: str) -> None:
        """Let each worker open the checkpoints, also those that join later."""
        plugin = OpenedOnWorker([(one.ref, one.checkpoint.facts.fingerprint) for one in opened], device)
        self._client.register_plugin(plugin, name=_PLUGIN)

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
            future = self._client.submit(
                _measured, missing, self._job, where, key=missing.name, retries=_RETRIES, pure=False
            )
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


def _measured(missing: MissingBlock, job: Job, store: PartStore | None) -> BlockPart | None:
    """Return the part of a block, or None once a worker has saved them to `store`."""
    plugin: OpenedOnWorker = get_worker().plugins[_PLUGIN]
    part = plugin.measure(missing.block, job)
    if store is None:
        return part
    store.save(missing.name, part)
    return None
