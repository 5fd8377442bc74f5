"""The inspector: the numbers of the pair under the pointer, in the active head."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFont, QFontMetricsF, QHelpEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QLayout, QToolTip, QVBoxLayout, QWidget

from bertviz_app.analysis.attention.stamp import WEIGHTS
from bertviz_app.analysis.pairs import strongest
from bertviz_app.trace.bias import DISTANCE, TO_CONTENT, TO_POSITION, adds_window_alone
from bertviz_app.viewmodels.inspected import Inspected, InspectedPair, StampedPair
from bertviz_app.viewmodels.wording import short_head_change_text, special_title, unit_words
from bertviz_app.views.inspector.pair_heads import PairHeadsView
from bertviz_app.views.inspector.predictions_section import PredictionsSection
from bertviz_app.views.kit.canvas import Canvas, LaterWork, guarded
from bertviz_app.views.kit.drawn_texts import text_drawn_at
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed
from bertviz_app.views.kit.terms import term_named
from bertviz_app.views.overview.measure_words import name_words

_MARGIN = 14.0
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LISTED = 5
_LEAST_HEIGHT = 84  # in which the weight and its rank are still written
_LEAST_PREDICTIONS = 94  # in which the name of a run, a token and its likeliest piece are still written


class InspectorView(Canvas):
    """Explains one weight: how it is computed, which keys its query attends to most, and the reverse."""

    fills_ground = True

    def __init__(self, look: Look, inspected: Inspected, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._inspected = inspected
        self._pair: InspectedPair | None = None
        self._numbers: list[tuple[str, str]] = []
        self._is_current = False
        inspected.changed.connect(self._on_inspected_changed)
        self.retranslate()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Numbers of the pair under the pointer"))
        self._is_current = False
        self._refresh()

    @Slot()
    def _on_inspected_changed(self) -> None:
        self._is_current = False
        # In a later turn: to find the numbers takes as long as a part of the view under the pointer.
        LaterWork.shared().add(self, "refresh", self._refresh)

    def _refresh(self) -> None:
        """Describe and draw the inspected pair, if it is another; nothing changes while there is none."""
        if self._is_current:
            return
        self._is_current = True
        pair = self._pair = self._inspected.pair
        if pair is None:
            return
        rows = self._numbers = self._rows(pair)
        title = _title(pair)
        if pair.shown.stamp != WEIGHTS:
            title = f"{title} {_number(pair.shown)} {self._rank(pair)}"
        elif change := _change(pair):
            title = f"{title}, {change}"
        self.setAccessibleDescription(", ".join([title, *(f"{name} {value}" for name, value in rows)]))
        self.update()

    @guarded(default=False)
    def event(self, event: QEvent) -> bool:
        """Name the menu where the pointer rests on no term: a term's own explanation comes first."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            if self.term_at(event.pos()) or term_named(text_drawn_at(self, event.pos())):
                event.ignore()  # the window explains it
                return False
            hint = self.tr("Right click: switch or replace this head, or set this weight")
            QToolTip.showText(event.globalPos(), hint if self._inspected.pair is not None else "", self)
            return True
        return super().event(event)

    def term_at(self, position: QPoint) -> str:
        """Return the term of the large number and of its rank below it, where they are those of a weight."""
        pair, line = self._inspected.pair, self._line()
        is_weight = pair is not None and pair.shown.stamp == WEIGHTS
        is_there = _MARGIN + line <= position.y() < _MARGIN + 3.7 * line
        return "attention_weight" if is_weight and is_there else ""

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(280, round(self._height(_LISTED)))

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        return QSize(220, round(self._height(0)))

    def height_for(self, room: float) -> float:
        """Return the height for as many listed tokens as `room` allows."""
        return self._height(self._listed(room))

    def _listed(self, room: float) -> int:
        """Return how many tokens each of the two lists has in a height of `room`."""
        fit = (room - self._height(0)) / (2 * self._line())
        return max(0, min(_LISTED, int(fit - 1.6 + 0.05)))

    def _height(self, listed: int) -> float:
        line = self._line()
        lists = 2 * (listed + 1.6) * line if listed else 0.0
        return 2 * _MARGIN + 3.9 * line + len(self._row_names()) * line + lists

    def _line(self) -> float:
        return self.look.pixels(18)

    # drawing

    def draw(self, painter: QPainter) -> None:
        self._refresh()  # for a picture that is saved before the turn comes
        pair = self._pair
        if pair is None:
            return
        numbers, trace = pair.numbers, pair.trace
        width, line = self.width() - 2 * _MARGIN, self._line()
        top = self._draw_weight(painter, pair, width)
        for name, value in self._fitting(self._numbers, self.height() - top):
            room = width - QFontMetricsF(self.look.number_font(13)).horizontalAdvance(value) - 8
            self._write(painter, name, top, room, self.look.font(13), "secondary")
            self._write(painter, value, top, width, self.look.number_font(13), "text", is_right=True)
            top += line
        listed = self._listed(self.height())
        if listed == 0:
            return
        label = trace.tokens.labels
        looks = self.tr("{0} looks at").format(label[numbers.query])
        looked = self.tr("{0} is looked at by").format(label[numbers.key])
        shown = pair.shown
        for title, listing, marked in (
            (looks, shown.row, numbers.key),
            (looked, shown.column, numbers.query),
        ):
            top += 0.6 * line
            self._write(painter, title, top, width, self.look.font(13, bold=True), "text")
            top += line
            known = np.nan_to_num(listing, nan=-1.0)  # NaN: the token is left out
            whole = 1.0 if shown.stamp.is_share else max(float(known.max()), 1e-30)
            for token in strongest(known, min(listed, int(np.isfinite(listing).sum()))):
                number = float(listing[token])
                length = width * number / whole
                self._draw_bar(painter, label[token], number, top, (width, length), token == marked)
                top += line

    def _fitting(self, rows: list[tuple[str, str]], room: float) -> list[tuple[str, str]]:
        """Return the rows that fit into `room`; the last one says how many do not."""
        count = int(room / self._line())
        if count >= len(rows):
            return rows
        words = self.tr("… {0} more: enlarge the card")
        return [*rows[: max(0, count - 1)], (words.format(len(rows) - max(0, count - 1)), "")][:count]

    def _draw_weight(self, painter: QPainter, pair: InspectedPair, width: float) -> float:
        """Draw the title, the weight large, and its rank; return where the next line begins.

        Where the numbers would not fit below, the rank stands beside the weight.
        """
        line, title = self._line(), _title(pair)
        self._write(painter, title, _MARGIN, width, self.look.font(14, bold=True), "text")
        large = self.look.number_font(24, bold=True)
        painter.setFont(large)
        painter.setPen(self.look.colour("text"))
        box = QRectF(_MARGIN, _MARGIN + line, width, 1.7 * line)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, _number(pair.shown))
        rank, below = self._rank(pair), _MARGIN + 3.9 * line
        if below + len(self._numbers) * line > self.height():
            left = QFontMetricsF(large).horizontalAdvance(_number(pair.shown)) + 10
            if left + QFontMetricsF(self.look.font(12)).horizontalAdvance(rank) <= width:
                top = _MARGIN + 1.45 * line
                self._write(painter, rank, top, width, self.look.font(12), "secondary", indent=left)
                return _MARGIN + 2.8 * line
        self._write(painter, rank, _MARGIN + 2.7 * line, width, self.look.font(12), "secondary")
        return below

    def _rank(self, pair: InspectedPair) -> str:
        """Return what is below the number: what it is, if no weight, its rank, and what changed the head."""
        shown, numbers = pair.shown, pair.numbers
        changes = [change] if (change := _change(pair)) else []
        if shown.stamp == WEIGHTS:
            rank = self.tr("rank {0} of {1} in its row").format(numbers.rank, numbers.n_keys)
            return " · ".join([rank, *changes])
        if not shown.rank:
            return special_title(shown.stamp.special_tokens)
        parts = [] if shown.stamp.numbers == "weight" else [unit_words(shown.stamp.numbers)]
        if shown.stamp.special_tokens == "removed":
            parts.append(self.tr("rows add up to 1"))
        return " · ".join([*parts, self.tr("rank {0} of {1}").format(shown.rank, shown.n_keys), *changes])

    def _row_names(self) -> list[str]:
        pair = self._inspected.pair
        added = {} if pair is None else pair.numbers.added
        is_window = pair is not None and adds_window_alone(pair.trace.bias, pair.layer)
        of_distance = self.tr("+ window (0 inside)") if is_window else self.tr("+ bias of the distance")
        if pair is not None and pair.trace.form.is_causal:
            of_distance = self.tr("+ mask of later keys")
        if pair is not None and pair.trace.form.has_blocks:
            of_distance = self.tr("+ number for the block of the key")
        names = {
            DISTANCE: of_distance,
            TO_POSITION: self.tr("+ content → position"),
            TO_CONTENT: self.tr("+ position → content"),
        }
        return [
            *((self.tr("attention weight"),) if pair is not None and pair.shown.stamp != WEIGHTS else ()),
            self.tr("query · key"),
            "÷ √{0}",
            *(names[name] for name in added),
            *((self.tr("= score"),) if added else ()),
            self.tr("softmax over"),
            self.tr("row entropy"),
            self.tr("column mean"),
            self.tr("layer · head"),
        ]

    def _rows(self, pair: InspectedPair) -> list[tuple[str, str]]:
        numbers = pair.numbers
        values = (
            *((fixed(numbers.weight),) if pair.shown.stamp != WEIGHTS else ()),
            fixed(numbers.product),
            fixed(numbers.scaled),
            *(fixed(value) for value in numbers.added.values()),
            *((fixed(numbers.score),) if numbers.added else ()),
            self.tr("{0} keys").format(numbers.n_keys),
            self.tr("{0:.3f} bits").format(numbers.row_entropy),
            fixed(numbers.column_mean),
            f"{pair.layer} · {pair.head}",
        )
        names = [name.format(numbers.radicand) for name in self._row_names()]
        if pair.name is not None:
            special = pair.trace.tokens.special_names
            names[-1] = self.tr("head · {0}").format(name_words(pair.name, special))
        return list(zip(names, values, strict=True))

    def _draw_bar(
        self,
        painter: QPainter,
        label: str,
        number: float,
        top: float,
        widths: tuple[float, float],
        is_marked: bool,
    ) -> None:
        """Draw a bar; `widths`: the room, and its length."""
        line, (width, length) = self._line(), widths
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.look.colour("accent", 0.34 if is_marked else 0.18))
        painter.drawRoundedRect(QRectF(_MARGIN, top + 1, max(2.0, length), line - 3), 3, 3)
        font = self.look.font(13, bold=is_marked)
        self._write(painter, label, top, width - 56, font, "text", indent=6)
        self._write(painter, fixed(number), top, width, self.look.number_font(12), "text", is_right=True)

    def _write(  # noqa: PLR0913 - each is named by its callers
        self,
        painter: QPainter,
        text: str,
        top: float,
        width: float,
        font: QFont,
        colour: str,
        *,
        indent: float = 0,
        is_right: bool = False,
    ) -> None:
        painter.setFont(font)
        painter.setPen(self.look.colour(colour))
        box = QRectF(_MARGIN + indent, top, width - indent, self._line())
        metrics = QFontMetricsF(font)
        if metrics.horizontalAdvance(text) > box.width() + 1:
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width() + 1)
        painter.drawText(box, _RIGHT if is_right else _LEFT, text)


def _title(pair: InspectedPair) -> str:
    labels = pair.trace.tokens.labels
    return f"{labels[pair.numbers.query]} → {labels[pair.numbers.key]}"


def _change(pair: InspectedPair) -> str:
    """Return what an intervention does to the head of a pair; "" for nothing."""
    return short_head_change_text(pair.trace.edits, pair.layer, pair.head)


def _number(shown: StampedPair) -> str:
    """Return the number that stands large; a dash for a token that is left out."""
    return fixed(shown.value) if shown.rank else "–"


class InspectorPage(QWidget):
    """The body of the inspector's card: the numbers of a pair, how they come about, then the predictions.

    Where room is short, the lists of predictions are shortened first.
    """

    def __init__(
        self, numbers: InspectorView, pair_heads: PairHeadsView, predictions: PredictionsSection
    ) -> None:
        super().__init__()
        self.numbers = numbers
        self.pair_heads = pair_heads
        self.predictions = predictions
        column = QVBoxLayout(self)
        column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # see minimumSizeHint
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(numbers, 1)
        column.addWidget(pair_heads)
        column.addWidget(predictions)

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        fewest = min(
            self.predictions.minimumSizeHint().height(), self.numbers.look.pixels(_LEAST_PREDICTIONS)
        )
        height = _LEAST_HEIGHT + self.pair_heads.desired_height + fewest
        return QSize(super().minimumSizeHint().width(), height)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share()

    @guarded(default=False)
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._share()  # predictions that wrap in a narrower column need more lines
        return super().event(event)

    def _share(self) -> None:
        """Leave the numbers what the rest does not need; in the lowest card the predictions end sooner."""
        room = self.height() - self._least_rest()
        fewest = self.predictions.minimumSizeHint().height() + min(0, room - _LEAST_HEIGHT)
        self.predictions.setMinimumHeight(max(1, fewest))
        self.numbers.setMinimumHeight(max(_LEAST_HEIGHT, min(self._height_of_steps(), room)))

    def _height_of_steps(self) -> int:
        """Return the height in which every step to the weight is written, without the margin below."""
        return self.numbers.minimumSizeHint().height() - int(_MARGIN) + 1

    def _least_rest(self) -> int:
        """Return the least height of what is below the numbers."""
        return self.pair_heads.desired_height + self.predictions.minimumSizeHint().height()

    @property
    def least_height(self) -> int:
        """The height in which every step to the weight is written."""
        return self._height_of_steps() + self._least_rest()

    def height_for(self, room: float) -> float:
        """Return the height for as much as `room` allows: heads and predictions first, then the lists."""
        rest = self.pair_heads.desired_height + self.predictions.desired_height
        return rest + self.numbers.height_for(room - rest)
