"""`OwnSentence`: the arcs of what is typed on the start page, and where it opens."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from bertviz_app.errors import AppError, Check
from bertviz_app.inference.engine import TraceResult
from bertviz_app.learning.words import FirstPicture
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.timers import OneShot
from bertviz_app.trace import Trace
from bertviz_app.values import replace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.wording import error_text, token_name
from bertviz_app.views.start import StartPage

if TYPE_CHECKING:
    from bertviz_app.analysis.pairs import SpecificPair

_TYPED, _SLOT = "typed sentence", "own sentence"
_REST_MS = 350
"""After so long without a key the head is looked for that is most specific to the sentence."""
_LONGEST_DRAWN = 128
"""Tokens: a longer text is not drawn on the start page."""


class OwnSentence(QObject):
    """Draws the newest trace of what is typed on the start page, and opens it in Explore on what was drawn.

    While somebody types the head stays; then, and where a text is opened before, it is the one that is most
    specific to a pair of words: never one that looks at the same key, or the same distance, from everywhere,
    see `analysis.pairs.specificity`.
    """

    def __init__(self, app_state: AppState, say: Callable[[str], object], parent: QObject) -> None:
        super().__init__(parent)
        self._app_state, self._say = app_state, say
        self._page: StartPage | None = None
        self._text = self._expected = ""
        self._result: TraceResult | None = None
        self._looked_from: tuple[FirstPicture, int] | None = None
        """What was drawn of the text that is expected, and the word that was chosen in it."""
        self._rest = OneShot(self, self._find_head, _REST_MS)
        app_state.workspace.facts_changed.connect(self._encode)

    def move_to(self, page: StartPage) -> None:
        """Draw on the start page of a window that was built anew."""
        self._page, self._text = page, ""
        page.typed.connect(self._on_typed)

    @Slot(str)
    def _on_typed(self, text: str) -> None:
        if text == self._text or self._page is None:
            return
        self._text = text
        self._rest.stop()
        if not text:
            self._app_state.workers.encoder.cancel(_TYPED)
            self._page.show_picture()
        elif self._app_state.workspace.facts is None:
            words = self.tr("The model is still being opened. Your sentence is drawn as soon as it is there.")
            self._page.show_remark(words)
        else:
            self._encode()

    @Slot()
    def _encode(self) -> None:
        """Draw what is typed, after what is encoded now: who types without a pause sees results, too."""
        from bertviz_app.analysis.pairs import most_specific_pair  # not for the first window

        workspace, page = self._app_state.workspace, self._page
        tasks = self._app_state.workers.encoder
        if workspace.request is None or page is None or not self._text or tasks.is_busy(_TYPED):
            return
        request = replace(workspace.request, text=self._text, pair=None, edits=NO_EDITS)
        name = "" if workspace.facts is None else workspace.facts.name
        before = page.picture if page.picture.model == name else None

        def work(check: Check, *_: object) -> tuple[TraceResult, FirstPicture | None]:
            result = self._app_state.engine.trace(request, check)
            if result.trace.n_tokens > _LONGEST_DRAWN:
                return result, None
            only = None if before is None else (before.layer, before.head)
            return result, _picture(result, most_specific_pair(result.trace, check, only), only or (0, 0))

        def failed(error: Exception) -> None:
            if isinstance(error, AppError) and self._page is not None:
                self._page.show_remark(error_text(error))
            else:
                self._app_state.workspace.failed.emit(error)

        tasks.start(_TYPED, work, self._show, failed)

    def _show(self, found: tuple[TraceResult, FirstPicture | None]) -> None:
        self._result, picture = found
        if self._page is None:
            return
        if self._result.request.text != self._text:
            self._encode()
        if picture is None:
            self._page.show_remark(self.tr("So long a text is drawn inside: press Enter."))
        else:
            self._page.show_picture(picture)
            self._rest.start()  # again with each picture

    @Slot()
    def _find_head(self) -> None:
        """Look for the head that is most specific to a pair of the words that are drawn."""
        result, page = self._result, self._page

        def done(found: SpecificPair | None) -> None:
            if page is None or page is not self._page or found is None or result is None:
                return
            if result.request.text == page.picture.text == self._text:
                page.show_picture(_picture(result, found))

        if result is not None:
            self._look_for_pair(result.trace, done)

    def _look_for_pair(self, trace: Trace, done: Callable[[SpecificPair | None], None]) -> None:
        from bertviz_app.analysis.pairs import most_specific_pair

        workers = self._app_state.workers
        workers.analyses.start(_SLOT, lambda check, _: most_specific_pair(trace, check), done, workers.failed)

    # in Explore

    def expect(self, text: str) -> None:
        """Open the numbers of this text as they were drawn, when they come; "": of none."""
        self._rest.stop()
        if bool(text) != bool(self._expected):
            shown_changed = self._app_state.workspace.shown_changed
            (shown_changed.connect if text else shown_changed.disconnect)(self._on_shown)
        self._expected, self._looked_from = text, None
        page = self._page
        if page is not None and page.picture.text == text and page.ribbons.query != page.picture.query:
            self._looked_from = page.picture, page.ribbons.query

    @Slot()
    def _on_shown(self) -> None:
        shown = self._app_state.workspace.shown
        if shown is None or shown.result.request.text != self._expected:
            return
        trace, looked_from = shown.result.trace, self._looked_from
        self.expect("")
        if looked_from is not None:
            picture, query = looked_from
            key = max(range(trace.n_tokens), key=picture.weights[query].__getitem__)
            self._open(trace, picture.layer, picture.head, query, key)
            return

        def done(found: SpecificPair | None) -> None:
            if found is not None and self._open(trace, found.layer, found.head, found.query, found.key):
                query, key = (token_name(trace.tokens, at) for at in (found.query, found.key))
                words = self.tr(
                    "Opened on layer {0}, head {1}: there {2} looks at {3} as no other word does."
                )
                self._say(words.format(found.layer, found.head, query, key))

        self._look_for_pair(trace, done)

    def _open(self, trace: Trace, layer: int, head: int, query: int, key: int) -> bool:
        """Show the head, and pin the pair, unless another text is there by now or something was chosen."""
        app_state, now = self._app_state, self._app_state.workspace.shown
        is_other = now is None or now.result.trace is not trace or app_state.rooms.is_lesson
        if is_other or app_state.selection.pinned:
            return False
        with app_state.store.amending():
            app_state.panels.show(layer, head)
            app_state.selection.walk_to(query=query, key=key)
        return True


def _picture(
    result: TraceResult, pair: SpecificPair | None, otherwise: tuple[int, int] = (0, 0)
) -> FirstPicture:
    """Return the picture of a head, looked from the query of a pair; without one `otherwise` is the head."""
    trace = result.trace
    tokens = trace.tokens
    layer, head = otherwise if pair is None else (pair.layer, pair.head)
    words = [at for at, is_special in enumerate(tokens.is_special.tolist()) if not is_special]
    return FirstPicture(
        text=result.request.text,
        example="",
        model=result.facts.name,
        layer=layer,
        head=head,
        query=pair.query if pair is not None else words[-1] if words else 0,
        key=None if pair is None else pair.key,
        tokens=tokens.labels,
        weights=tuple(map(tuple, trace.attention(layer, head).tolist())),
        special=tuple(tokens.labels[at] for at in range(len(tokens)) if at not in words),
        sees_all=trace.bias is None and trace.mask is None,
    )
