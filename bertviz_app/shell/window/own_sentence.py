"""`OwnSentence`: what is typed on the start page opens on its most specific pair of words."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot

from bertviz_app.trace import Trace
from bertviz_app.viewmodels.app_state import AppState

_SLOT = "own sentence"


class OwnSentence(QObject):
    """Shows the first numbers of a sentence of one's own on its most specific pair of words, and says so.

    The head is never one that looks at the same key, or the same distance, from everywhere: see
    `analysis.pairs.specificity`. Where it cannot be found, the window opens as usual.
    """

    def __init__(self, app_state: AppState, say: Callable[[str], object], parent: QObject) -> None:
        super().__init__(parent)
        self._app_state, self._say = app_state, say
        self._expected = ""
        app_state.workspace.shown_changed.connect(self._on_shown)

    def expect(self, text: str) -> None:
        """Open the numbers of this text on its pair, when they come; "": of none."""
        self._expected = text

    @Slot()
    def _on_shown(self) -> None:
        from bertviz_app.analysis.pairs import SpecificPair, most_specific_pair  # not for the first window

        shown = self._app_state.workspace.shown
        if not self._expected or shown is None or shown.result.request.text != self._expected:
            return
        self._expected, trace = "", shown.result.trace

        def done(found: SpecificPair | None) -> None:
            if found is not None:
                self._open(trace, found.layer, found.head, found.query, found.key)

        workers = self._app_state.workers
        workers.analyses.start(_SLOT, lambda check, _: most_specific_pair(trace, check), done, workers.failed)

    def _open(self, trace: Trace, layer: int, head: int, query: int, key: int) -> None:
        """Show the head, and pin the pair, unless another text is there by now or something was chosen."""
        app_state, now = self._app_state, self._app_state.workspace.shown
        is_other = now is None or now.result.trace is not trace or app_state.rooms.is_lesson
        if is_other or app_state.selection.pinned:
            return
        with app_state.store.amending():
            app_state.panels.show(layer, head)
            app_state.selection.walk_to(query=query, key=key)
        labels = trace.tokens.labels
        words = self.tr("Opened on layer {0}, head {1}: there “{2}” looks at “{3}” as no other word does.")
        self._say(words.format(layer, head, labels[query], labels[key]))
