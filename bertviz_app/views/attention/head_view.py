"""One head's picture with the strip that chooses heads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QToolTip

from bertviz_app.analysis.attention.stamp import Stamp
from bertviz_app.analysis.results import RunMatrix, TokenMatrices
from bertviz_app.viewmodels.export import head_numbers, weights_as_python
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.heads.places import RunsDifference
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import NOTHING, DrawOptions, Pair, Store
from bertviz_app.viewmodels.viewport import CLOSE, FEWEST, PixelAxis, TokenSpan, Viewport
from bertviz_app.viewmodels.wording import brief_remark, kind_words, stamp_line, translate
from bertviz_app.views.kit.canvas import UPDATES, Canvas, LaterWork
from bertviz_app.views.kit.labels import Labels
from bertviz_app.views.kit.look import Look, Pencil, in_column, ink_on
from bertviz_app.views.kit.panel_view import ExportedPanel, PanelView
from bertviz_app.views.kit.subject import NO_TITLES, AxisTitles, ExportSubject
from bertviz_app.views.kit.terms import set_subject
from bertviz_app.views.kit.words import fixed, quantity_words, signed
from bertviz_app.views.plots.picture import PicturePlot
from bertviz_app.views.plots.plot import ARROWS, Box, Plot


class HeadView(PanelView):
    """Shows one `HeadPicture` in `plot`; subclasses say where queries and keys lie, and draw them.

    The vertical axis of `box` has the queries, the horizontal one the keys; its range is that of the
    viewport, which all panels of a run share. Queries and keys are the rows and columns of the picture, in
    which words may be joined and tokens hidden; only the selection has positions of tokens.
    """

    reads_out = False
    """Whether the weight under the pointer is written beside it."""

    def __init__(
        self,
        plot: Plot,
        box: Box,
        selection: Selection,
        viewport: Viewport,
        store: Store | None = None,
    ) -> None:
        super().__init__(plot.look)
        self.pictures: tuple[HeadPicture, ...] = ()
        """The pictures of all heads that are drawn, `picture` among them."""
        self.plot, self.box = plot, box
        self.dimmed = (plot,)
        self.selection = selection
        self.viewport = viewport
        self.store = store or Store(self)
        self._labels: tuple[Labels, Labels] | None = None
        self._is_moving = False
        plot.shows_words = True
        box.close = CLOSE
        box.has_axis_options = False
        in_column(plot.outer if isinstance(plot, PicturePlot) else plot, of=self, margins=0)
        self.setFocusProxy(plot)
        self.setMinimumSize(160, 140)
        plot.pointed, plot.clicked, plot.key_pressed = self._on_pointed, self._on_clicked, self._on_key
        box.range_chosen.connect(self._on_range_chosen)
        selection.changed.connect(self._on_selection_changed)
        viewport.changed.connect(self._on_viewport_changed)
        self.store.watch(("options",), self._on_options_changed)

    # what a subclass draws

    def axes(self) -> tuple[PixelAxis, PixelAxis]:
        """Return where the queries and the keys lie, in pixels of the plot."""
        raise NotImplementedError

    def pair_at(self, at: QPointF) -> Pair:
        """Return the query, the key or both under a point of the plot."""
        raise NotImplementedError

    def rebuild(self) -> None:
        """Show the picture again: it, the options or the look have changed."""

    def set_printed(self, *, is_printed: bool) -> None:
        """Draw for print, or as on screen again: by default both look alike."""

    def show_selection(self) -> None:
        """Show which pair is highlighted now."""
        raise NotImplementedError

    def scale_note(self, picture: HeadPicture, options: DrawOptions) -> str:
        """Return how the numbers of a picture are drawn, "" where each is drawn as large as it is."""
        return ""

    def titles_of(self, picture: HeadPicture, axes: tuple[str, str], exported: ExportedPanel) -> AxisTitles:
        """Return what stands around a saved picture; `axes` are what queries and keys are called there."""
        return NO_TITLES

    @property
    def shows_weights(self) -> bool:
        """Whether attention itself is drawn: no norm, no difference, no result of an analysis."""
        picture = self.picture
        return picture is not None and picture.source.kind == "weight" and not picture.quantity.is_signed

    # what is said of the picture, and what is exported of it

    def notes_for(self, options: DrawOptions) -> tuple[str, str]:
        """Return what is left out, joined and scaled; in few words first which numbers, of which tokens."""
        picture = self.picture
        if picture is None:
            return "", ""
        numbers = brief_remark(Stamp(picture.source.kind, picture.options.special_tokens))
        left_out = _left_out(picture, names_special=False, is_brief=True)
        brief = (numbers, *left_out, self.scale_note(picture, options))
        # The waiting bar names a sample: a note of it for a moment would move the drawing.
        note = self._note(picture, options, names_stamp=True, names_sample=False)
        return note, " · ".join(part for part in brief if part)

    def _note(
        self, picture: HeadPicture, options: DrawOptions, *, names_stamp: bool, names_sample: bool
    ) -> str:
        """Return what is left out, joined and scaled.

        `names_stamp`: name the numbers of attention, too, and that special tokens are left out.
        """
        sample = sample_note(picture) if names_sample else ""
        kind = kind_words(picture.source.kind) if names_stamp and picture.source.kind != "weight" else ""
        left_out = _left_out(picture, names_special=names_stamp)
        return " · ".join(
            part for part in (sample, kind, *left_out, self.scale_note(picture, options)) if part
        )

    def subject(self, exported: ExportedPanel) -> ExportSubject | None:
        picture, panel = self.picture, exported.panel
        if picture is None:
            return None
        is_of_analysis, heads = bool(panel.content.analysis), panel.shown_heads
        stamp = "" if is_of_analysis else stamp_line(picture.stamp)
        of_heads = translate("Export", "heads {0}").format(", ".join(map(str, heads)))
        note = self._note(picture, exported.options, names_stamp=is_of_analysis, names_sample=True)
        # What the queries and the keys are called; some results have other rows and columns.
        result = exported.analysed and exported.analysed.result
        axes = translate("AxisTitles", "query (looks)"), translate("AxisTitles", "key (is looked at)")
        if isinstance(result, RunMatrix):
            of_a, of_b = (translate("AxisTitles", "token of run {0}").format(run) for run in ("A", "B"))
            axes = (of_b, of_a) if panel.run == "B" else (of_a, of_b)
        elif isinstance(result, TokenMatrices):
            rows = translate("AxisTitles", "vector of this token")
            axes = rows, translate("AxisTitles", "part that came from this token")
        return exported.subject(
            self,
            partial(head_numbers, panel, self.pictures),
            weights_as_python(panel, exported.runs, picture),
            (stamp, of_heads if len(heads) > 1 else "", note),
            self.titles_of(picture, axes, exported),
        )

    # the picture

    def show_picture(self, picture: HeadPicture, others: tuple[HeadPicture, ...] = ()) -> None:
        super().show_picture(picture, others)
        # Those of `others` that are of the run and the layer of a picture among them, else it alone.
        same = tuple(
            other
            for other in others
            if other.trace is picture.trace
            and other.layer == picture.layer
            and other.is_difference == picture.is_difference
            and other.quantity == picture.quantity
            and other.options.makes_picture == picture.options.makes_picture
        )
        self.pictures = same if picture in same else (picture,)
        self._labels = None
        self.rebuild()
        self._follow_viewport()

    def set_omits_hints(self, *, omits_hints: bool) -> None:
        """Draw without the signs of attention sinks, or with them."""
        super().set_omits_hints(omits_hints=omits_hints)
        picture = self.picture
        if picture is not None and picture.token_order.without_sinks() is not picture.token_order:
            self._labels = None
            self.rebuild()

    @property
    def shown(self) -> Pair:
        """The highlighted pair, as far as this picture has its tokens."""
        return NOTHING if self.picture is None else self.picture.token_order.pair_of(self.selection.shown)

    @property
    def labels(self) -> tuple[Labels, Labels]:
        """The labels of the queries and of the keys; none before there is a picture."""
        if self._labels is None:
            picture = self.picture
            if picture is None:
                self._labels = Labels(self.look, ()), Labels(self.look, ())
            else:
                order = picture.token_order.without_sinks() if self.omits_hints else picture.token_order
                _, key = picture.strongest  # its label is left out last
                queries = Labels(self.look, order.queries.labels, order.queries.is_special.tolist())
                keys = Labels(self.look, order.keys.labels, order.keys.is_special.tolist(), frozenset({key}))
                self._labels = queries, keys
        return self._labels

    def sizeHint(self) -> QSize:
        return QSize(420, 420)

    @Slot()
    def _on_selection_changed(self) -> None:
        # No slot that subclasses override: Qt would call that of a view which is gone.
        self.show_selection()

    # what is in sight

    @Slot()
    def _on_viewport_changed(self) -> None:
        """Follow it; a gesture in another view is to be seen there first."""
        if self.viewport.is_moved_by_gesture and not self._is_moving and self.isVisible():
            LaterWork.shared().add(self, UPDATES, self._follow_viewport)
        else:
            self._follow_viewport()

    def _follow_viewport(self) -> None:
        """Show what the viewport says, and all while it is of another picture's size.

        The token under a pointer at rest is another one then.
        """
        viewport = self.viewport
        counts = viewport.counts if self.picture is None else self.picture.token_order.counts
        part = whole = QRectF(0, 0, max(1, counts[1]), max(1, counts[0]))
        if counts == viewport.counts:
            queries, keys = viewport.queries, viewport.keys
            part = QRectF(keys.first, queries.first, keys.length, queries.length)
        if whole != self.box.whole:
            self.box.set_whole(whole, FEWEST, shows_all=False)
        self.box.show_part(part)
        self._point_again()

    def _point_again(self) -> None:
        """Highlight and read what is under a pointer at rest: what is drawn there has changed."""
        if self.plot.pointer is not None:
            self._on_pointed(self.plot.pointer)

    @Slot()
    def _on_range_chosen(self) -> None:
        if self.picture is not None and self.viewport.counts == self.picture.token_order.counts:
            (left, right), (top, bottom) = self.box.viewRange()
            self.viewport.is_moved_by_gesture = self._is_moving = True
            self.viewport.show(TokenSpan(top, bottom), TokenSpan(left, right))
            self.viewport.is_moved_by_gesture = self._is_moving = False

    # gestures

    def _on_pointed(self, at: QPointF | None) -> None:
        pair = NOTHING if at is None else self._tokens_at(at)
        if pair:
            self.selection.hover(pair.query, pair.key, pair.partner)
        else:
            self.selection.leave()
        if at is None or not self.reads_out:
            return
        cell, picture = self.pair_at(at), self.picture
        if picture is None or cell.query is None or cell.key is None:
            self.plot.read_out.hide_lines()
        else:  # a row of attention is computed here, never while painting
            self.plot.read_out.show_lines(read_out(picture, cell.query, cell.key), at)

    def _on_clicked(self, at: QPointF) -> None:
        pair = self._tokens_at(at)
        if pair:
            self.selection.pin(pair.query, pair.key, pair.partner)

    def _tokens_at(self, at: QPointF) -> Pair:
        return NOTHING if self.picture is None else self.picture.token_order.tokens_of(self.pair_at(at))

    def _on_key(self, event: QKeyEvent) -> bool:
        """Pin the next query (Shift and up or down) or key (Shift, left or right); Enter picks the pair."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.selection.pinned:
            self.selection.pick()
            return True
        step = ARROWS.get(Qt.Key(event.key()))
        # On macOS the arrows are of the keypad.
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if step is None or self.picture is None or modifiers != Qt.KeyboardModifier.ShiftModifier:
            return False
        shown, counts = self.shown, self.picture.token_order.counts
        pair = Pair(_moved(shown.query, step[0], counts[0]), _moved(shown.key, step[1], counts[1]))
        tokens = self.picture.token_order.tokens_of(pair)
        self.selection.leave()
        self.selection.walk_to(tokens.query, tokens.key, tokens.partner)
        return True

    @Slot()
    def _on_options_changed(self) -> None:
        self.rebuild()
        self._point_again()

    def _on_look_changed(self) -> None:
        self._labels = None
        self.rebuild()
        super()._on_look_changed()


def sample_note(picture: HeadPicture | None) -> str:
    """Return of how many queries a sample is, "" of all other pictures."""
    if picture is None or picture.n_sampled is None:
        return ""
    words = translate("Notes", "sample of {0} of {1} queries, the others follow")
    return words.format(f"{picture.n_sampled:,}", f"{len(picture.token_order.queries):,}")


def _left_out(picture: HeadPicture, *, names_special: bool, is_brief: bool = False) -> list[str]:
    """Return what is left out of a picture or joined in it, and what its rows add up to then."""
    options = picture.options
    notes = []
    if options.sentences != "all" and picture.trace.tokens.pair is not None:
        notes.append(" → ".join({"a": "1", "b": "2"}[letter] for letter in options.sentences))
    if options.hides_special and names_special:
        notes.append(translate("Notes", "special tokens hidden"))
    if options.hides_punctuation:
        notes.append(translate("Notes", "punctuation hidden"))
    if picture.is_difference:
        return notes
    if options.joins_at_spaces:
        notes.append(translate("Notes", "joined between spaces"))
    elif options.joins_words:
        notes.append(translate("Notes", "pieces joined"))
    order = picture.token_order
    is_known = picture.quantity.is_share and picture.n_sampled is None  # of a sample the sums are not
    if len(order.keys.tokens) >= order.n_keys or not is_known:
        return notes
    if not options.renormalises:
        ends = [fixed(float(end), 2) for end in (picture.row_sums.min(), picture.row_sums.max())]
        words = "Σ {0}–{1}" if is_brief else translate("Notes", "rows add up to {0} to {1}")
        notes.append(words.format(*ends))
    elif not (is_brief and options.hides_special):  # the brief note begins with "removed"
        notes.append(translate("Notes", "the rest of each row scaled to 1"))
    return notes


def read_out(picture: HeadPicture, query: int, key: int) -> list[str]:
    """Return the lines of the read-out of a cell."""
    token_order = picture.token_order
    title = f"{token_order.queries.labels[query]} → {token_order.keys.labels[key]}"
    number = float(picture.source.row(query)[key])
    if isinstance(picture.source, RunsDifference):
        if math.isnan(number):
            return [title, translate("Matrix", "only one of the two runs has this token")]
        parts = picture.source.parts(query, key)
        words = translate("Matrix", "A − B {0} · A {1} · B {2}")
        return [title, words.format(signed(number, 4), *map(fixed, parts))]
    positions = token_order.queries.token(query), token_order.keys.token(key)
    words = translate("Matrix", "{0} {1} · query {2} · key {3}")
    if token_order.keys_are_of_other_run:
        words = translate("Matrix", "{0} {1} · token {2} of this run · token {3} of the other run")
    return [title, words.format(quantity_words(picture.quantity), fixed(number), *positions)]


def _moved(number: int | None, step: int, count: int) -> int | None:
    """Return the number `step` further on, going round at the ends; the first one where there was none."""
    return number if not step else 0 if number is None else (number + step) % count


_MARGIN = 10.0
_SIDE = 20.0
_GAP = 3.0


class HeadStrip(Canvas):
    """A click shows or hides the lines of a head, a double click isolates it; the wheel changes the layer.

    `acted`: "toggle" or "isolate" and the head, or "walk" and by how many layers.
    """

    acted = Signal(str, int)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._heads: tuple[int, ...] = ()
        set_subject(self, "head")
        self._shown: tuple[int, ...] = ()
        self._focused = 0
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._write()

    def _write(self) -> None:
        self.setAccessibleName(self.tr("Heads drawn as lines"))
        self.setAccessibleDescription(", ".join(map(str, self._shown)))

    def show_heads(self, heads: Sequence[int], shown: tuple[int, ...]) -> None:
        """Show which of `heads` are drawn."""
        if (tuple(heads), shown) != (self._heads, self._shown):
            self._heads, self._shown = tuple(heads), shown
            if self._focused not in self._heads:
                self._focused = self._heads[-1] if self._heads else 0
            self._write()
            self.updateGeometry()
            self.update()

    def box(self, head: int) -> QRectF:
        side, per_row = self._side(), self._per_row(self.width())
        row, column = divmod(self._heads.index(head), per_row)
        return QRectF(_MARGIN + column * (side + _GAP), 5 + row * (side + _GAP), side, side)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        rows = -(-max(1, len(self._heads)) // self._per_row(width))
        return round(10 + rows * (self._side() + _GAP) - _GAP)

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(self.width(), 200)))

    def minimumSizeHint(self) -> QSize:
        return QSize(100, self.heightForWidth(max(self.width(), 100)))

    def _side(self) -> float:
        return self.look.pixels(_SIDE)

    def _per_row(self, width: int) -> int:
        return max(1, int((width - 2 * _MARGIN + _GAP) // (self._side() + _GAP)))

    def draw(self, painter: QPainter) -> None:
        pencil, font = Pencil(painter, self.look), self.look.number_font(11)
        for head in self._heads:
            box, is_shown, colour = self.box(head), head in self._shown, self.look.head_colour(head)
            fill = colour if is_shown else self.look.head_colour(head, 0.08)
            pencil.box(box.adjusted(0.75, 0.75, -0.75, -0.75), colour, 1.5, fill=fill, rounding=4)
            pencil.write(str(head), box, font, ink_on(colour.rgb()) if is_shown else "secondary")
            if self.hasFocus() and head == self._focused:
                pencil.box(box.adjusted(-1.5, -1.5, 1.5, 1.5), "text", 1.5, rounding=5)

    def head_at(self, at: QPointF) -> int | None:
        return next((head for head in self._heads if self.box(head).contains(at)), None)

    # gestures

    def mousePressEvent(self, event: QMouseEvent) -> None:
        head = self.head_at(event.position())
        if head is not None and event.button() == Qt.MouseButton.LeftButton:
            self.acted.emit("toggle", head)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        # The press before it has toggled the head; whether it is drawn now or not, it is isolated.
        head = self.head_at(event.position())
        if head is not None and event.button() == Qt.MouseButton.LeftButton:
            self.acted.emit("isolate", head)

    def wheelEvent(self, event: QWheelEvent) -> None:
        notches = event.angleDelta().y()
        if notches:  # it is 0 where a wheel or a touch pad scrolls sideways
            self.acted.emit("walk", -1 if notches > 0 else 1)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps, key = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}, Qt.Key(event.key())
        if key in steps and self._heads:
            self._focused = self._heads[(self._heads.index(self._focused) + steps[key]) % len(self._heads)]
            self.update()
        elif key == Qt.Key.Key_Space:
            self.acted.emit("toggle", self._focused)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.acted.emit("isolate", self._focused)
        else:
            event.ignore()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            head = self.head_at(QPointF(event.pos()))
            words = self.tr(
                "Head {0}: click to show or hide its lines, double click to show it alone (again: "
                "all).\nThe wheel changes the layer."
            )
            QToolTip.showText(event.globalPos(), "" if head is None else words.format(head), self)
            return True
        return super().event(event)
