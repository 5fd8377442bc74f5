"""`Workers`: the threads on which the state of a window has its work done."""

from __future__ import annotations

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject

from bertviz_app.inference.jobs import Jobs
from bertviz_app.viewmodels.panels import MOST
from bertviz_app.viewmodels.results import Results
from bertviz_app.viewmodels.tasks import Tasks

_LAYERS, _VECTORS = 128 << 20, 192 << 20
"""Bytes of layer details and of pictures of vectors that are cached, beside what the panels show."""

_log = logging.getLogger(__name__)


class Workers(QObject):
    """One thread each: encoder, analyses, pictures, downloads, overviews of long texts, lists of checkpoints.

    A click on a head must not wait for a forward pass that is under way, nor that for a download or a
    folder. A text that is typed is encoded between two forward passes of an analysis: the engine sees to
    their order.
    """

    def __init__(self, failed: Callable[[Exception], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.failed = failed
        names = ("encoder", "analyses", "pictures", "downloads", "overviews", "listings")
        threads = tuple(map(Jobs, names))
        tasks = [Tasks(jobs, self) for jobs in threads]
        self._all = tuple(zip(threads, tasks, strict=True))
        self.encoder, self.analyses, self.pictures, self.downloads, self.overviews, self.listings = tasks
        # What is large has a store of its own, so that small results, many of them recent, do not evict it.
        self.layers = Results(self.analyses, failed, n_bytes=_LAYERS, n_least=MOST)
        self.analysed = Results(self.analyses, failed)
        self.heads = Results(self.pictures, failed)
        self.vectors = Results(self.pictures, failed, n_bytes=_VECTORS, n_least=MOST)

    def start(self) -> None:
        """Start the threads; what was requested before is done now."""
        for jobs, _ in self._all:
            jobs.start()

    def close(self) -> None:
        """Cancel what they still do, and end the threads."""
        for jobs, tasks in self._all:
            if not jobs.close():
                _log.debug("a worker did not end in time")
            tasks.close()
