"""One head in colours: as a matrix, or over the image whose patches are the keys."""

from __future__ import annotations

import math
from functools import partial
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPen

from bertviz_app.trace.patches import PatchImage
from bertviz_app.types import Floats
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.heads.pictures import HeadPicture, quantised
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import NOTHING, DrawOptions, Pair, Store
from bertviz_app.viewmodels.viewport import LEAST, PixelAxis, Viewport, shares
from bertviz_app.viewmodels.wording import translate
from bertviz_app.views.attention.head_view import HeadView
from bertviz_app.views.attention.lines_image import widest_number
from bertviz_app.views.kit.look import Look, Pencil, table_for
from bertviz_app.views.kit.panel_view import ExportedPanel
from bertviz_app.views.kit.subject import AxisTitles
from bertviz_app.views.kit.words import (
    MINUS,
    cell_difference,
    cell_weight,
    fixed,
    general,
    quantity_words,
    signed,
)
from bertviz_app.views.plots.axes import Strip, draw_bar, signed_ends
from bertviz_app.views.plots.cells import Cells, CellsPlot, Marks, cell_of, no_cells
from bertviz_app.views.plots.plot import Box, DrawnBy, Plot

_DOT = 5.0
_SUM_ROOM = (38.0, 24.0)  # right of the cells and below them
_SUM_GAP = 4


class MatrixPlot(CellsPlot):
    """The cells of a head, hatched where a run has no token, and sums of rows and columns.

    Its view answers mouse and keys, as that of the lines does.
    """

    walks = False
    on_pointed, on_clicked = Plot.on_pointed, Plot.on_clicked

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.picture: HeadPicture | None = None
        self.marks_maxima = False
        self.row_sums = Strip(self, self.box, partial(self._draw_sums, is_row=True), is_of_rows=True)
        self.column_sums = Strip(self, self.box, partial(self._draw_sums, is_row=False), is_of_rows=False)
        self.ci.layout.addItem(self.row_sums, 1, 2)
        self.ci.layout.addItem(self.column_sums, 2, 1)
        self.show_sums(is_shown=False)

    def show_sums(self, *, is_shown: bool) -> None:
        """Show or hide the sums of the rows and of the columns."""
        self.right_room, self.below_room = (self.look.pixels(room) * is_shown for room in _SUM_ROOM)
        self.row_sums.set_thickness(self.right_room)
        self.column_sums.set_thickness(self.below_room)

    def extras(self) -> tuple[object, ...]:
        return self.picture, self.marks_maxima

    def draw_below_grid(self, painter: QPainter, rows: PixelAxis, columns: PixelAxis) -> None:
        """Hatch the tokens that only one of two runs has, and the cells that no head can attend to."""
        picture = self.picture
        if picture is None:
            return
        masked = picture.source.masked(rows.tokens(), columns.tokens())
        if masked is not None:
            self.hatch_cells(painter, rows, columns, masked)
        order = picture.token_order
        for axis, side in ((rows, order.queries), (columns, order.keys)):
            gaps = () if side.is_gap is None else [at for at in axis.tokens() if side.is_gap[at]]
            of_rows = [QRectF(0, axis.edge(at), columns.length, axis.pitch) for at in gaps]
            of_columns = [QRectF(axis.edge(at), 0, axis.pitch, rows.length) for at in gaps]
            if gaps:
                self.hatch(painter, of_rows if axis is rows else of_columns)

    def draw_above_grid(self, painter: QPainter, rows: PixelAxis, columns: PixelAxis) -> None:
        """Mark the strongest key of each row by a frame, of small cells by a dot."""
        picture, pencil = self.picture, Pencil(painter, self.look)
        if picture is None or not self.marks_maxima:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for query in rows.tokens():
            key = int(picture.maxima[query])
            if not columns.shows(key):
                continue
            box = cell_of(rows, columns, query, key)
            if min(box.width(), box.height()) >= 3 * _DOT:
                pencil.box(box.adjusted(1.5, 1.5, -1.5, -1.5), "sentence_b", 2)
            else:
                size = max(1.0, min(_DOT, 0.45 * min(box.width(), box.height())))
                pencil.dot(box.center(), size / 2, self.ink(query, key))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _draw_sums(self, painter: QPainter, axis: PixelAxis, room: QRectF, *, is_row: bool) -> None:
        """Draw what each row holds, or what each column receives, as a bar with its number."""
        picture = self.picture
        if picture is None:
            return
        room = room.adjusted(_SUM_GAP, 0, 0, 0) if is_row else room.adjusted(0, _SUM_GAP, 0, 0)
        sums = picture.row_sums if is_row else picture.column_sums
        whole = 1.0 if is_row and picture.quantity.is_share else 0.0
        longest = max(whole, float(np.abs(np.nan_to_num(sums)).max()), 1e-30)
        pitch, inset = axis.pitch, min(2.0, axis.pitch * 0.15)
        bars, cells = [], []
        for number in axis.tokens():
            total = float(sums[number])
            if math.isnan(total):
                continue
            edge, share = axis.edge(number), abs(total) / longest
            if is_row:
                cell = QRectF(room.left(), edge, room.width(), pitch)
                bar = QRectF(room.left(), edge + inset, room.width() * share, pitch - 2 * inset)
            else:
                cell = QRectF(edge, room.top(), pitch, room.height())
                bar = QRectF(edge + inset, room.top(), pitch - 2 * inset, room.height() * share)
            cells.append((cell, total))
            bars.append(bar.intersected(room))  # of the first and the last token only a part may be in sight
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.look.colour("accent", 0.35))
        painter.drawRects(bars)
        painter.setFont(self.look.number_font(10))
        painter.setPen(self.look.colour("text"))
        metrics = QFontMetricsF(painter.font())
        for cell, total in cells:
            text = fixed(total, picture.digits)
            has_room = cell.height() >= metrics.height() - 2
            if has_room and cell.width() >= metrics.horizontalAdvance(text) + 2:
                painter.drawText(cell, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, text)


class MatrixView(HeadView):
    """Rows are queries, columns keys."""

    reads_out = True
    plot: MatrixPlot

    def __init__(
        self, look: Look, selection: Selection, viewport: Viewport, store: Store | None = None
    ) -> None:
        plot = MatrixPlot(look)
        super().__init__(plot, plot.box, selection, viewport, store)
        self.plot.setAccessibleName(self.tr("Attention matrix: rows look at columns"))

    def axes(self) -> tuple[PixelAxis, PixelAxis]:
        return self.plot.axes()

    def pair_at(self, at: QPointF) -> Pair:
        return Pair(*self.plot.cell_at(at))

    def rebuild(self) -> None:
        picture, look = self.picture, self.look
        options = self.store.now.options
        self.plot.picture, self.plot.marks_maxima = picture, options.marks_maxima
        if options.shows_sums or self.plot.right_room:
            self.plot.show_sums(is_shown=options.shows_sums)
        if picture is None:
            self.plot.show_cells(no_cells(look))
            return
        queries, keys = self.labels
        widest, quantity, mark = widest_number(picture), picture.quantity, None
        if quantity.is_share:
            widest = "+0.00" if quantity.is_signed else "0.00"
            if not quantity.is_signed and picture.options.scale in ("shared", "linear"):
                # Where on the bar the weight of uniform attention is, and that weight.
                n_keys = len(picture.token_order.keys.tokens)
                even = translate("Matrix", "even")
                mark = 1 / (n_keys * max(picture.full, 1e-30)), f"1/{n_keys}\n{even}"

        def texts(rows: range, columns: range) -> list[list[str]]:
            """Return the numbers of these queries and keys as cells have them; "" where there is none."""
            weights = picture.source.rows(rows.start, rows.stop)[:, columns.start : columns.stop]
            masked = picture.source.masked(rows, columns)
            if masked is not None:
                weights = np.where(masked, np.float32(np.nan), weights)
            return [
                ["" if math.isnan(one) else _in_cell(picture, one) for one in row] for row in weights.tolist()
            ]

        self.plot.show_cells(
            Cells(
                colours=picture.pyramid,
                table=table_for(look, picture, options.colours),
                rows=queries,
                columns=keys,
                bar=bar_texts(picture),
                mark=mark,
                texts=texts,
                widest_text=widest,
                has_titled_bar=True,
            )
        )
        self._follow_viewport()
        self.show_selection()

    @property
    def meaning(self) -> str:
        words = self.tr("A row is a token that looks: the stronger a cell, the more it looks at that column.")
        return words if self.shows_weights else ""

    def scale_note(self, picture: HeadPicture, options: DrawOptions) -> str:
        scales = {
            "log": translate("Notes", "logarithmic"),
            "row": translate("Notes", "each row by its largest"),
        }
        return scales.get(picture.options.scale, "")

    def titles_of(self, picture: HeadPicture, axes: tuple[str, str], exported: ExportedPanel) -> AxisTitles:
        colours = quantity_words(picture.quantity)
        if picture.quantity.unit == "weight":
            is_of_analysis = bool(exported.panel.content.analysis)
            of_attention = translate("AxisTitles", "attention weight")
            colours = translate("AxisTitles", "share") if is_of_analysis else of_attention
        scales = {
            "log": translate("AxisTitles", "{0}, logarithmic scale"),
            "row": translate("AxisTitles", "{0}, each row by its largest"),
        }
        colours = scales.get(picture.options.scale, "{0}").format(colours)
        if picture.is_difference:
            colours = f"{colours}, A − B"
        return AxisTitles(left=axes[0], above=axes[1], right=colours)

    def show_selection(self) -> None:
        shown = self.shown
        query, key = (frozenset() if at is None else frozenset({at}) for at in (shown.query, shown.key))
        self.plot.show_marks(Marks(query, key))


def _in_cell(picture: HeadPicture, number: float) -> str:
    """Return a number as it is written in a cell and beside the colour bar."""
    if picture.quantity.is_share:
        return cell_difference(number) if picture.quantity.is_signed else cell_weight(number)
    if picture.quantity.is_signed:
        return signed(number, picture.digits)
    least = 10.0**-picture.digits  # a small number is not called zero
    is_small = 0 < number < 0.5 * least
    return f"<{fixed(least, picture.digits).removeprefix('0')}" if is_small else fixed(number, picture.digits)


def bar_texts(picture: HeadPicture) -> tuple[str, str, str]:
    """Return what is written at the top, the middle and the bottom of the colour bar: its ends, the unit."""
    unit = quantity_words(picture.quantity)
    if picture.options.scale == "row":
        most = translate("Matrix", "row max")
        return (f"+{most}", "0", f"{MINUS}{most}") if picture.quantity.is_signed else (most, unit, "0")
    if picture.quantity.is_signed:
        return _at_end(picture, picture.full), "0", _at_end(picture, -picture.full)
    if picture.options.scale == "log":
        least = LEAST if picture.quantity.is_share else LEAST * picture.full
        middle = _in_cell(picture, math.sqrt(picture.full * least))
        return _at_end(picture, picture.full), middle, general(float(f"{least:.1g}"))
    return _at_end(picture, picture.full), unit, "0"


def _at_end(picture: HeadPicture, number: float) -> str:
    """Return a number at an end of the bar: as in a cell, with one digit of a weight that is 0.00 there."""
    if not picture.quantity.is_share or not 0 < abs(number) < 0.005:
        return _in_cell(picture, number)
    digit = general(float(f"{number:.1g}"))
    return f"+{digit}" if picture.quantity.is_signed and number > 0 else digit


_MARGIN, _GAP = 12.0, 6.0
_LINE = 20.0
_CHIP = 24.0
_MOST = 0.82  # the opacity of the colour over the patch of the largest weight
_LUMINANCE = np.array((0.299, 0.587, 0.114))  # of red, green and blue: ITU-R BT.601


@dataclass(frozen=True, eq=False)
class Heat:
    """The numbers [T] of the keys that are drawn, nan for those that are hidden, and what they are of.

    `largest` is the one that has full colour, without its sign. `colours` [T] are 0xAARRGGBB.
    """

    values: Floats
    largest: float
    colours: NDArray[np.uint32]
    caption: str


@dataclass(frozen=True)
class _Places:
    """Where the parts lie, in pixels of the box."""

    image: QRectF
    ahead: tuple[QRectF, ...]
    caption: QRectF
    bar: QRectF


class PatchesView(HeadView):
    """Shows what the chosen token looks at in the image: the pinned one, else the first before the patches.

    Where there is no such token it shows what all look at on average; of a key alone, who looks at it. A
    click on a patch chooses it; in cross-attention, where no patch looks, it pins the pair.
    """

    reads_out = True

    def __init__(
        self, look: Look, selection: Selection, viewport: Viewport, store: Store | None = None
    ) -> None:
        plot = Plot(look)
        box = Box(plot, y_down=True)
        plot.place_box(box, 0, 0)
        box.frames = False
        box.setMouseEnabled(x=False, y=False)
        self.heat: Heat | None = None
        self._image: QImage | None = None
        self._grey = np.zeros((0, 0), np.uint8)
        super().__init__(plot, box, selection, viewport, store)
        box.close, box.zooms = 0, (False, False)
        self._item = DrawnBy(look, box, self.draw_image)
        self._item.follow(box)
        self.plot.setAccessibleName(self.tr("Attention over the patches of an image"))

    @property
    def patches(self) -> PatchImage | None:
        """The image of what is drawn."""
        return None if self.picture is None else self.picture.trace.image

    # what is drawn

    def rebuild(self) -> None:
        patches = self.patches
        self._image = None
        if patches is not None:  # without its colours, which would be taken for those of weights
            self._grey = np.ascontiguousarray(np.rint(patches.pixels @ _LUMINANCE), np.uint8)
            height, width = self._grey.shape
            self._image = QImage(self._grey.data, width, height, width, QImage.Format.Format_Grayscale8)
        self.show_selection()

    def show_selection(self) -> None:
        """Read the row of another token, never while painting."""
        picture, patches, places, caption = self.picture, self.patches, self._chosen(), ""
        self.heat = None
        if picture is not None and patches is not None:
            order, side = picture.token_order, picture.token_order.keys
            values, numbers = np.full(patches.n_tokens, np.nan, np.float32), np.empty(0, np.float32)
            if order.keys_are_of_other_run or order.n_keys != patches.n_tokens:
                caption = self.tr("The two runs do not have the same patches.")
            elif places.query is not None:
                numbers = picture.source.row(places.query)
                caption = self.tr("What {0} looks at").format(order.queries.labels[places.query])
            elif places.key is not None and not picture.trace.is_cross:
                numbers, side = picture.source.column(places.key), order.queries
                caption = self.tr("What looks at {0}").format(order.keys.labels[places.key])
            else:
                numbers = picture.column_sums / np.float32(max(1, len(order.queries)))
                caption = self.tr("What all tokens look at, on average")
            for place, number in enumerate(numbers.tolist()):
                values[side.starts[place] : side.ends[place]] = number
            # The stronger a number, the less of the image is seen through its colour.
            known, options = np.nan_to_num(values), self.store.now.options
            largest, scale = float(np.abs(known).max(initial=0.0)), options.scale
            levels = quantised(known[None], largest, scale, is_signed=picture.quantity.is_signed)[0]
            table = table_for(self.look, picture, options.colours).astype(np.uint32)
            opacity = _MOST * np.sqrt(shares(np.abs(known)[None], largest, scale)[0])
            alpha = np.rint(255 * np.where(np.isnan(values), 0.0, opacity)).astype(np.uint32)
            self.heat = Heat(values, largest, (table[levels] & 0xFFFFFF) | (alpha << 24), caption)
        self.plot.setAccessibleDescription(caption)
        self._item.update()

    def _chosen(self) -> Pair:
        """Return the query and the key, by their places, that the colours are of."""
        shown, picture, patches = self.shown, self.picture, self.patches
        is_free = shown.query is None and shown.key is None
        if is_free and picture is not None and patches is not None and patches.n_ahead:
            return Pair(query=None if picture.trace.is_cross else picture.token_order.queries.place(0))
        return shown

    # where it is drawn

    def _places(self, patches: PatchImage) -> _Places:
        room = QRectF(self.box.rect()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        line, gap = self.look.pixels(_LINE), _GAP
        chip = self.look.pixels(_CHIP) if patches.n_ahead else 0.0
        above = chip + gap if chip else 0.0
        height, width, _ = patches.pixels.shape
        free = room.adjusted(0, above, 0, -2 * line - gap)
        scale = max(min(free.width() / width, free.height() / height), 0.0)
        image = QRectF(0, 0, width * scale, height * scale)
        image.moveTopLeft(QPointF(room.center().x() - image.width() / 2, free.top()))
        caption = QRectF(room.left(), image.bottom() + gap, room.width(), line)
        # The tokens ahead of the patches: above the image, from its left on if they fit.
        labels = () if self.picture is None else self.picture.trace.key_tokens.labels[: patches.n_ahead]
        widths = [QFontMetricsF(self.look.font(12)).horizontalAdvance(label) + 14 for label in labels]
        x = min(image.left(), max(room.left(), room.right() - sum(widths) - 4 * len(widths)))
        ends = accumulate((wide + 4 for wide in widths), initial=x)
        ahead = (QRectF(left, room.top(), wide, chip) for left, wide in zip(ends, widths, strict=False))
        return _Places(image, tuple(ahead), caption, caption.translated(0, line))

    def square(self, token: int) -> QRectF | None:
        """Return where a token lies: its patch, or its name above the image."""
        patches = self.patches
        if patches is None or not 0 <= token < patches.n_tokens:
            return None
        places = self._places(patches)
        at = patches.patch_of(token)
        if at is None:
            return places.ahead[token]
        width, height = places.image.width() / patches.columns, places.image.height() / patches.rows
        corner = QPointF(places.image.left() + at[1] * width, places.image.top() + at[0] * height)
        return QRectF(corner.x(), corner.y(), width, height)

    def token_at(self, at: QPointF) -> int | None:
        patches = self.patches
        if patches is None:
            return None
        places = self._places(patches)
        for token, chip in enumerate(places.ahead):
            if chip.contains(at):
                return token
        if not places.image.contains(at) or not places.image.width():
            return None
        row = int((at.y() - places.image.top()) / places.image.height() * patches.rows)
        column = int((at.x() - places.image.left()) / places.image.width() * patches.columns)
        return patches.token_of(min(row, patches.rows - 1), min(column, patches.columns - 1))

    # drawing

    def draw_image(self, painter: QPainter) -> None:
        """Draw the image under its heat, the tokens ahead of it, the marks, and what the colours are."""
        picture, patches, heat, image = self.picture, self.patches, self.heat, self._image
        if picture is None or patches is None or heat is None or image is None:
            return
        look, pencil, places = self.look, Pencil(painter, self.look), self._places(patches)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(places.image, image)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        colours = np.ascontiguousarray(heat.colours[patches.n_ahead :].reshape(patches.rows, patches.columns))
        over = QImage(
            colours.data, patches.columns, patches.rows, 4 * patches.columns, QImage.Format.Format_ARGB32
        )
        painter.drawImage(places.image, over)
        room = places.image
        painter.setPen(QPen(look.colour("card", 0.35), 1))
        ys = (room.top() + room.height() * row / patches.rows for row in range(1, patches.rows))
        xs = (room.left() + room.width() * at / patches.columns for at in range(1, patches.columns))
        painter.drawLines([QLineF(room.left(), y, room.right(), y) for y in ys])
        painter.drawLines([QLineF(x, room.top(), x, room.bottom()) for x in xs])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for token, chip in enumerate(places.ahead):
            share = abs(float(np.nan_to_num(heat.values[token]))) / max(heat.largest, 1e-30)
            pencil.box(chip, "special", fill=look.colour("accent", 0.04 + 0.4 * share), rounding=5)
            pencil.write(picture.trace.key_tokens.labels[token], chip, look.font(12))
        # The query and the key in two colours, with an edge that is seen on any image.
        chosen, order = self._chosen(), picture.token_order
        query = None if picture.trace.is_cross else chosen.query
        marks = (chosen.key, order.keys, "sentence_b"), (query, order.queries, "accent")
        for place, side, colour in marks:
            square = None if place is None else self.square(side.token(place))
            if square is not None:
                pencil.box(square, "card", 4.5)
                pencil.box(square, colour, 2.5)
        pencil.write(heat.caption, places.caption, look.font(13))
        end = general(float(f"{heat.largest:.2g}"))
        start, end = signed_ends(end) if picture.quantity.is_signed else ("0", end)
        width = min(places.bar.width(), look.pixels(150) + 100.0)
        bar = QRectF(places.bar.center().x() - width / 2, places.bar.top(), width, places.bar.height())
        draw_bar(painter, look, bar, (start, end), table_for(look, picture, self.store.now.options.colours))

    # words and files

    @property
    def meaning(self) -> str:
        words = self.tr("The stronger the colour of a patch, the more the token looks at it.")
        return words if self.shows_weights else ""

    def scale_note(self, picture: HeadPicture, options: DrawOptions) -> str:
        return translate("Notes", "logarithmic") if options.scale == "log" else ""

    @property
    def printed_height(self) -> float:
        """The height at which the image fills the width."""
        patches = self.patches
        if patches is None:
            return float(self.height())
        height, width, _ = patches.pixels.shape
        beside = self.look.pixels(2 * _LINE) + 2 * _MARGIN + _GAP
        beside += self.look.pixels(_CHIP) + _GAP if patches.n_ahead else 0.0
        return float(math.ceil((self.width() - 2 * _MARGIN) * height / width + beside))

    @property
    def lacks_room(self) -> bool:
        """Whether the patches are too small to be told apart."""
        patches = self.patches
        return patches is not None and self._places(patches).image.width() < 3 * patches.columns

    # gestures

    def pair_at(self, at: QPointF) -> Pair:
        """Return the token under a point as key, with the query that the colours are of."""
        token, picture = self.token_at(at), self.picture
        if token is None or picture is None:
            return NOTHING
        return Pair(self._chosen().query, picture.token_order.keys.place(token))

    @Slot(QPointF)
    def _on_clicked(self, at: QPointF) -> None:
        """Choose the patch whose row is drawn; pin one that does not look with the token that does."""
        token, picture = self.token_at(at), self.picture
        if token is None or picture is None:
            return
        if picture.trace.is_cross:
            super()._on_clicked(at)
        else:
            self.selection.pin(query=token)

    def _follow_viewport(self) -> None:
        """Show all of the image, whatever part of the matrix is in sight."""
        self._point_again()

    @Slot()
    def _on_range_chosen(self) -> None:
        """Choose no part: all of an image is in sight."""
