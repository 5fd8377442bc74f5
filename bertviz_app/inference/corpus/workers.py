"""`connected`: a client of Dask's workers, on this machine or behind a scheduler. Dask is an extra."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from bertviz_app.errors import FileError, Message

if TYPE_CHECKING:
    from distributed import Client

PATIENCE = "20s"
"""How long a scheduler may take to answer."""


@contextmanager
def connected(n_workers: int | None, scheduler: str | None) -> Iterator[Client]:
    """Yield a client of the cluster at `scheduler`, or of `n_workers` new processes on this machine.

    Raises FileError where Dask is not installed, or the scheduler does not answer.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        message = Message("Several workers need the package dask.distributed, which is not installed.")
        hint = Message("Install it with: {0}.", 'pip install "dask[distributed]"')
        raise FileError(message, hint) from error
    with ExitStack() as stack:
        if scheduler is None:
            cluster = LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0")
            scheduler = stack.enter_context(cluster).scheduler_address
        try:
            client = Client(scheduler, timeout=PATIENCE)
        except (OSError, ValueError) as error:
            message = Message("The scheduler {0} does not answer: {1}.", scheduler, str(error))
            raise FileError(message, Message("Start it with: {0}.", "dask scheduler")) from error
        yield stack.enter_context(client)
