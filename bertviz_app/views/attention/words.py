"""`WordsView`: a head as arcs above the words, from the one that is pointed at to those that it looks at."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF
from PySide6.QtGui import QColor

from bertviz_app.analysis.compare import LayerMatrix
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.heads.places import RunSource
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import NOTHING, DrawOptions, Pair, Store
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.viewmodels.wording import share_words
from bertviz_app.views.attention.head_view import HeadView
from bertviz_app.views.attention.lines import key_of
from bertviz_app.views.kit.arcs import Arcs
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import ExportedPanel
from bertviz_app.views.kit.subject import AxisTitles
from bertviz_app.views.kit.words import fixed, signed
from bertviz_app.views.plots.arcs import ArcsPlot
from bertviz_app.views.plots.picture import follow_selection
from bertviz_app.views.plots.plot import Line

# So many tokens that one looks at are read out, and no less than this share of the largest number.
_MOST_READ, _LEAST_READ = 3, 0.03


class WordsView(HeadView):
    """Draws what one token looks at: the one that is pointed at or pinned, else the one of `_first_query`.

    Where a key alone is pinned, such as in a matrix, arcs lead from it to the tokens that look at it.
    """

    def __init__(
        self, look: Look, selection: Selection, viewport: Viewport, store: Store | None = None
    ) -> None:
        plot = ArcsPlot(look)
        self.words = plot
        self._layers: list[RunSource] = []  # the mean of the heads of each layer, where every layer is drawn
        self._is_of_key = False  # whether the arcs are those of a key
        super().__init__(plot, plot.box, selection, viewport, store)
        plot.arcs_of, plot.lines_of_word = self._arcs_of, self._lines_of
        follow_selection(plot, selection, self._tokens)
        self.plot.setAccessibleName(self.tr("Attention as arcs above the words"))

    def rebuild(self) -> None:
        picture = self.picture
        if picture is None:
            return
        order = picture.token_order.without_sinks()
        is_one_text = order.queries.labels == order.keys.labels and not order.keys_are_of_other_run
        special = frozenset(
            label
            for side in (order.queries, order.keys)
            for label, is_special in zip(side.labels, side.is_special.tolist(), strict=True)
            if is_special
        )
        self._layers = []
        if self._shows_layers:
            trace = picture.trace
            matrices = [LayerMatrix(trace, layer) for layer in range(trace.n_layers)]
            self._layers = [RunSource(trace, each, order, picture.source.quantity) for each in matrices]
        titles = tuple(self.tr("Layer {0}").format(layer) for layer in range(len(self._layers)))
        sources = None if is_one_text else order.queries.labels
        self.words.show_words(order.keys.labels, sources, special, titles)
        self.show_selection()

    @property
    def _shows_layers(self) -> bool:
        """Whether every layer is drawn: of attention itself, not of what is computed from it."""
        return self.shows_weights and self.store.now.options.every_layer

    def show_selection(self) -> None:
        """Draw the arcs of another token."""
        picture, shown = self.picture, self.shown
        if picture is None:
            return
        self._is_of_key = shown.query is None and shown.key is not None and self.words.words.sources is None
        query = _first_query(picture) if shown.query is None else shown.query
        self.words.mark(shown.key if self._is_of_key else query)

    def pair_at(self, at: QPointF) -> Pair:
        return Pair(query=self.words.part_at(at))

    def _tokens(self, word: int) -> Pair:
        return NOTHING if self.picture is None else self.picture.token_order.tokens_of(Pair(query=word))

    # the arcs, and what is said of them

    def _arcs_of(self, word: int) -> Sequence[Arcs]:
        """Return the arcs of each head, those of the one in front first: its numbers are written."""
        is_of_key = self._is_of_key and self.words.part is None
        if self._layers:
            rows = [each.column(word) if is_of_key else each.row(word) for each in self._layers]
            full, accent = max(float(np.nanmax(row)) for row in rows), self.look.colour("accent")
            numbers_of = [row.tolist() for row in rows]
            return [Arcs(row, accent, full=full, texts=list(map(share_words, row))) for row in numbers_of]
        threshold, differences = self.store.now.options.threshold, self.look.palette.differences
        found = []
        for picture in sorted(self.pictures, key=lambda one: one is not self.picture):
            numbers = picture.source.column(word) if is_of_key else picture.source.row(word)
            numbers = np.where(np.abs(numbers) < picture.threshold(threshold), np.float32(np.nan), numbers)
            colour = self.look.colour("accent")
            if picture.quantity.is_signed:
                colour = QColor(differences[-1])
            elif len(self.pictures) > 1:
                colour = self.look.head_colour(picture.head)
            values = numbers.tolist()
            texts = [_number(picture, value) for value in values]
            below = QColor(differences[0]) if picture.quantity.is_signed else None
            full = max(each.full for each in self.pictures)
            found.append(Arcs(values, colour, below, full, texts))
        return found

    def _lines_of(self, word: int) -> list[Line]:
        """Return what a token looks at most, beside what the others give to that on average."""
        picture = self.picture
        if picture is None:
            return []
        order = picture.token_order.without_sinks()
        lines: list[Line] = [order.queries.labels[word]]
        for layer, each in enumerate(self._layers):
            weights = each.row(word)
            most = int(np.nanargmax(weights))
            name = self.tr("Layer {0}").format(layer)
            lines.append((f"{name} → {order.keys.labels[most]}", share_words(float(weights[most]))))
        if self._layers:
            return lines
        row = picture.source.row(word)
        # Where some tokens cannot look at others, the mean is not over all of them: see the inspector.
        is_over_all = picture.trace.bias is None and picture.trace.mask is None
        n_others, sizes = len(order.queries) - 1 if is_over_all else 0, np.abs(np.nan_to_num(row))
        largest = np.argsort(-sizes, kind="stable")[:_MOST_READ]
        for key in largest[sizes[largest] >= _LEAST_READ * sizes.max()].tolist():
            number = float(row[key])
            of_others = (float(picture.column_sums[key]) - number) / n_others if n_others else math.nan
            words = _number(picture, number)
            if not math.isnan(of_others):
                others = self.tr("{0}; the others {1} on average")
                words = others.format(words, _number(picture, of_others))
            lines.append((f"→ {order.keys.labels[key]}", words))
        return lines

    @property
    def meaning(self) -> str:
        words = self.tr("An arc leads from a token to one that it looks at: the wider, the more attention.")
        if self._shows_layers:
            words = self.tr("What the token looks at in each layer, on the mean of its heads.")
        return words if self.shows_weights else ""

    def scale_note(self, picture: HeadPicture, options: DrawOptions) -> str:
        if self._shows_layers:
            return QCoreApplication.translate("Notes", "each layer: the mean of its heads")
        words = QCoreApplication.translate("Notes", "arcs from {0:.3g} on")
        return words.format(picture.threshold(options.threshold)) if options.threshold else ""

    def titles_of(self, picture: HeadPicture, axes: tuple[str, str], exported: ExportedPanel) -> AxisTitles:
        return AxisTitles(key=key_of(picture, exported.panel.shown_heads))


def _first_query(picture: HeadPicture) -> int:
    """Return the query of the largest weight between two tokens, neither of them special, else of all."""
    order, queries, keys = picture.token_order, picture.queries, picture.keys
    is_special = order.queries.is_special[queries] | order.keys.is_special[keys]
    found = queries[~is_special & (order.queries.starts[queries] != order.keys.starts[keys])]
    # The lines of a picture go from the weakest to the strongest.
    return int(found[-1]) if len(found) else picture.strongest[0]


def _number(picture: HeadPicture, value: float) -> str:
    """Return a number as it stands below a word: a share of attention in percent."""
    if math.isnan(value):
        return ""
    is_signed = picture.quantity.is_signed
    if not picture.quantity.is_share:
        return signed(value, picture.digits) if is_signed else fixed(value, picture.digits)
    if not is_signed:
        return share_words(value)
    percent = 100 * value
    words = signed(percent, 0) if abs(percent) >= 0.5 else signed(round(percent, 1), 1)
    return f"{words}\N{NO-BREAK SPACE}%"
