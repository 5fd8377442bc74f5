"""`StripDrag`: what is dragged in the token strip: its ticks, or from one token to another."""

from __future__ import annotations

from bertviz_app.viewmodels.options import Selection


class StripDrag:
    """A click pins a token; from one token to another the first is the query and the other the key.

    `scrolls`: the ticks below the chips are dragged.
    """

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self._first: int | None = None
        self.scrolls = False

    def begin(self, token: int | None) -> None:
        """Note that the button went down on a token, None beside them."""
        self._first = token

    def move(self, token: int | None) -> None:
        """Highlight what the pointer is on: one token, or the pair that would be pinned here."""
        if self._first is not None and token not in (None, self._first):
            self._selection.hover(query=self._first, key=token)
        elif token is None:
            self._selection.leave()
        else:
            self._selection.hover(query=token)

    def end(self, token: int | None) -> None:
        """Pin the token, or the pair; let go beside the tokens nothing is pinned."""
        first, self._first, is_scroll = self._first, None, self.scrolls
        self.scrolls = False
        if is_scroll or first is None or token is None:
            return
        if token == first:
            self._selection.pin(query=token)
        else:
            self._selection.pin(query=first, key=token)
