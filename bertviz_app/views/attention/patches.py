"""The image: one token's weights drawn over the image whose patches are the keys."""

from __future__ import annotations

import math
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QLineF, QPointF, QRectF, Slot
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPen

from bertviz_app.trace.patches import PatchImage
from bertviz_app.types import Floats
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.heads.pictures import HeadPicture, quantised
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import NOTHING, DrawOptions, Pair, Store
from bertviz_app.viewmodels.viewport import Viewport, shares
from bertviz_app.views.attention.head_view import HeadView
from bertviz_app.views.kit.look import Look, Pencil, table_for
from bertviz_app.views.kit.words import general
from bertviz_app.views.plots.axes import draw_bar, signed_ends
from bertviz_app.views.plots.plot import Box, DrawnBy, Plot

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
            first = None if picture.trace.is_cross else picture.token_order.queries.place(0)
            return Pair(query=first)
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
        return QCoreApplication.translate("Notes", "logarithmic") if options.scale == "log" else ""

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
