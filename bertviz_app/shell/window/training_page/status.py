"""`TrainingStatus`: what the status line says of a training while its page is not shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from bertviz_app.viewmodels.training.training import LiveRun


class TrainingStatus(QObject):
    """`changed` has the words, "" for none: how a run ended is shown until its page was shown."""

    changed = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._seen: LiveRun | None = None
        self._repeat: Callable[[], None] | None = None

    def retranslate(self) -> None:
        if self._repeat is not None:
            self._repeat()

    def show_run(self, run: LiveRun | None, *, is_page_shown: bool) -> None:
        """Show how far a run is, or how it ended."""
        if is_page_shown:
            self._seen = None if run is None or run.is_alive else run
        self._repeat = partial(self.show_run, run, is_page_shown=is_page_shown)
        is_over = run is None or (run is self._seen and not run.is_alive)
        self.changed.emit("" if is_page_shown or is_over or run is None else self._words(run))

    def remind(self, name: str) -> None:
        """Show that the run called `name`, which the end of the program stopped, can be resumed."""
        self._repeat = partial(self.remind, name)
        self.changed.emit(self.tr("The training “{0}” was saved and can be resumed").format(name))

    def _words(self, run: LiveRun) -> str:
        from bertviz_app.views.training.words import duration, words_of

        is_training = run.state == "running" and run.stage == "training"
        words = [words_of(run) if is_training else self.tr("Training: {0}").format(words_of(run))]
        if run.last is not None and run.state != "done":
            words.append(f"{run.last.share:.0%}")
        if run.is_alive and run.seconds_left is not None:
            words.append(self.tr("{0} left").format(duration(run.seconds_left)))
        return "   ".join(words)
