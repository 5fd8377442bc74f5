"""The equation of a stop with its numbers and statistics."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QCoreApplication, QPointF, QRectF
from PySide6.QtGui import QFontMetricsF

from bertviz_app.features.steps.columns import ROLES
from bertviz_app.features.steps.views.sheets.sheet import (
    Cell,
    Line,
    PlacedColumn,
    RowAxis,
    Sheet,
    StripPainter,
    VectorStyle,
    along,
    between,
    image_of,
    row_axis,
)
from bertviz_app.types import Floats
from bertviz_app.viewmodels.stages import stops as step_words
from bertviz_app.viewmodels.stages.stage import Term
from bertviz_app.viewmodels.stages.stops import STAGES, Statistics, bound_of, equation, own_line
from bertviz_app.views.kit.look import LEFT, RIGHT
from bertviz_app.views.kit.words import cell_number

_LINE = 26.0
_DIMENSIONS = 18.0
_CELL = 58.0
_FEWEST_ROWS = 4
_MEETING = 0.5
"""The part of a motion in which the lines that are read move to the result."""


class EquationSheet(Sheet):
    """Head: an equation of the query's vectors. Rows: the stage's tensor, or all numbers of a lone vector."""

    def place(self) -> None:
        tensors, area = self.tensors, self.area
        values = tensors.tensor()
        assert values is not None
        self.values: Floats = values
        self.bound = bound_of(values)
        self.is_alone = len(values) == 1
        pixels = self.look.pixels
        self._dimensions, self._heading = float(pixels(_DIMENSIONS)), float(pixels(28))
        self._number_room = float(pixels(44))
        self._per_row = max(1, int((area.width() - self._number_room) / self.look.pixels(_CELL)))
        self.n_rows = -(-values.shape[1] // self._per_row) if self.is_alone else len(values)
        self._line = float(self.look.pixels(_LINE))
        # A wide panel also writes the names of the lines.
        names, share = (260, 0.42) if area.width() >= self.look.pixels(420) else (104, 0.34)
        self._left = min(self.look.pixels(names), share * area.width())
        rows = _FEWEST_ROWS * self.look.pixels(19)  # some stay in sight
        n_lines = int((area.height() - self._dimensions - self._heading - rows) / self._line)
        self.terms = equation(tensors.stop.stage, n_lines, tensors.absent, tensors.trace.form)
        if tensors.is_step_by_step:
            self.terms = self.terms[: own_line(self.terms, tensors.stop.stage) + 1]
        self.head = self._dimensions + len(self.terms) * self._line + self._heading
        # What is added and its sum have one scale, so that sizes can be compared.
        found = [tensors.tensor(term.name) for term in self.terms]
        own = [1.0 if tensor is None else bound_of(tensor) for tensor in found]
        added = {index for index, term in enumerate(self.terms) if term.sign in ("+", "=")}
        added |= {index - 1 for index in added if index and self.terms[index].sign == "+"}
        largest = max((own[index] for index in added), default=1.0)
        self.bounds = [largest if index in added else bound for index, bound in enumerate(own)]
        self.place_columns()

    def place_columns(self) -> None:
        """Place the strips of all tokens, or of a lone vector as many numbers as fit, each on its colour."""
        stage, values, area = self.tensors.stop.stage, self.values, self.area
        if not self.is_alone:
            left, axis = area.left() + self._left, self.axis_of(values.shape[1])
            width = area.right() - left
            self.columns = [PlacedColumn(stage, "strip", values, self.bound, (), "", left, width, axis)]
            return
        pitch = self.look.pixels(_CELL)
        left = area.left() + self._number_room + 1
        numbers = [values[0, index :: self._per_row] for index in range(self._per_row)]
        self.columns = [
            PlacedColumn(stage, "tinted", some, self.bound, (), "", left + index * pitch, pitch - 2)
            for index, some in enumerate(numbers)
        ]

    def axis_of(self, n: int) -> RowAxis:
        left = self.area.left() + self._left
        return row_axis(self.look, left, self.area.right() - left, n, self.first, has_window=True)

    # drawing

    def draw_head(self, pen: StripPainter) -> None:
        # The token of the equation, and the numbers of the dimensions.
        tokens = self.tensors.trace.tokens
        word = tokens.special_names.first if self.is_alone else tokens.labels[self.tensors.query]
        line = QRectF(self.area.left() + 8, self.area.top(), self.area.width(), self._dimensions)
        pen.label(word, line, "accent", bold=True)
        pen.draw_dimensions(self.axis_of(self.values.shape[1]), line.top(), line.height())
        own = own_line(self.terms, self.tensors.stop.stage)
        for index, term in enumerate(self.terms):
            box = self.term_box(index)
            if index == own:
                pen.draw_band(box, 0.1)
                pen.painter.fillRect(
                    QRectF(box.left(), box.top(), 3, box.height()), self.look.colour("accent")
                )
            self._draw_term(pen, term, box, self.bounds[index], is_own=index == own)
        bottom = self.area.top() + self.head
        pen.draw_rule(self.area, bottom - 1)
        # What the rows below are.
        top = bottom - self._heading + 6
        line = QRectF(self.area.left() + 8, top, self.area.width() - 16, bottom - top)
        symbol = step_words.symbol(self.tensors.stop.stage, self.tensors.absent)
        made = pen.write_formula((symbol,), line, "accent")
        text = line.adjusted(made.box.width + self.look.pixels(8), 0, 0, 0)
        pen.label(step_words.rows_title(is_alone=self.is_alone), text, "secondary")

    def term_box(self, index: int) -> QRectF:
        top = self.area.top() + self._dimensions + index * self._line
        return QRectF(self.area.left(), top, self.area.width(), self._line)

    def _draw_term(self, pen: StripPainter, term: Term, box: QRectF, bound: float, *, is_own: bool) -> None:
        sign = QRectF(box.left() + 8, box.top(), self.look.pixels(44), box.height())
        colour = ROLES.get(term.name, "accent") if is_own else "text"
        if term.sign:
            pen.write_formula((self._sign(term.sign),), sign, "secondary")
        rest = QRectF(sign.right(), box.top(), self._left - sign.width() - 14, box.height())
        symbol = step_words.symbol(term.name, self.tensors.absent)
        made = pen.write_formula((symbol,), rest, colour)
        name = rest.adjusted(made.box.width + self.look.pixels(8), 0, 0, 0)
        if name.width() > self.look.pixels(70):
            trace = self.tensors.trace
            title = step_words.title(term.name, trace.tokens.special_names.first, trace.form)
            pen.label(title, name, "secondary")
        values = self.tensors.row(term.name)
        if values is None:
            return
        drawn = self.axis_of(len(values))
        strip = QRectF(drawn.strip.left(), box.top() + 4, drawn.strip.width(), box.height() - 8)
        style = VectorStyle(bound, colour, inset=4.0, frame=colour if is_own else "rule")
        pen.draw_vector(drawn, values, box, style)
        if term.name == "concat":
            # Where one head ends and the next begins; the panel's own is framed.
            n_heads = self.tensors.trace.n_heads
            pitch = strip.width() / n_heads
            for head in range(1, n_heads):
                x = strip.left() + head * pitch
                pen.line(QPointF(x, strip.top()), QPointF(x, strip.bottom()), "secondary")
            own = QRectF(strip.left() + self.tensors.head * pitch, strip.top() - 2, pitch, strip.height() + 4)
            pen.box(own, "accent")

    def _sign(self, sign: str) -> str:
        if sign == "f":
            details = self.tensors.details
            return step_words.sign("active", "gelu" if details is None else details.activation)
        if sign == "norm" and self.tensors.trace.form.has_scaling_norms:
            return "⊙ γ"
        if sign[0] == "W":
            return f"· {sign}"
        return f"\\t{{{sign}}}" if len(sign) > 1 else sign

    def draw_label(self, pen: StripPainter, row: int, box: QRectF) -> None:
        if self.is_alone:
            number = QRectF(box.left(), box.top(), self._number_room - 8, box.height())
            pen.write_number(str(row * self._per_row), number, "secondary")
            return
        if row in (self.highlighted, self.tensors.query):
            pen.draw_band(box, 0.1)
        self.draw_token(pen, row, box.adjusted(8, 0, self._left - box.width(), 0))

    # while Steps plays

    def draw_motion(self, pen: StripPainter, progress: float, offset: int) -> None:
        """Draw how the result of an equation comes about, for the query's line and for the rows below."""
        stage = self.tensors.stop.stage
        own = own_line(self.terms, stage)
        first = max(0, own - STAGES[stage].n_operands)
        meeting = _MEETING if own > first else 0.0
        filled = max(0.0, (progress - meeting) / (1 - meeting))
        box = self.term_box(own)
        self._cover_rest(pen, self.axis_of(self.values.shape[1]), box, filled, band=0.1)
        if not self.is_alone:
            pen.painter.save()
            pen.painter.setClipRect(self.rows_area)
            self._cover_rest(pen, self.axis_of(self.values.shape[1]), self.rows_area, filled)
            pen.painter.restore()
        if progress < meeting:
            for index in range(first, own):
                values = self.tensors.row(self.terms[index].name)
                if values is None:
                    continue
                start, strip = self.term_box(index), self.axis_of(len(values)).strip
                top = between(start.top(), box.top(), progress / meeting)
                moving = QRectF(strip.left(), top + 4, strip.width(), start.height() - 8)
                pen.draw_moving(moving, values, self.bounds[index], 0.8)

    def _cover_rest(
        self, pen: StripPainter, axis: RowAxis, box: QRectF, filled: float, *, band: float = 0.0
    ) -> None:
        """Paint over the part of strip and numbers that is not computed yet."""
        for part, end in ((axis.strip, axis.window.left()), (axis.window, box.right() + 2)):
            left = part.left() + filled * part.width() - 2
            self.cover(pen, along(box, left, end - left), band)

    # what lies where

    def above(self) -> list[Line]:
        token = 0 if self.is_alone else self.tensors.query
        left, lines = self.area.left() + self._left, []
        for index, term in enumerate(self.terms):
            values = self.tensors.row(term.name)
            axis = None if values is None else self.axis_of(len(values))
            cell = Cell(left, self.area.right() - left, token, term.name, values, axis)
            lines.append(Line(self.term_box(index), token, () if values is None else (cell,)))
        return lines

    def label_of(self, row: int) -> Cell | None:
        return None if self.is_alone else Cell(self.area.left(), self._left - 1, row)

    def cell_of(self, column: PlacedColumn, row: int) -> Cell:
        cell = super().cell_of(column, row)
        if not self.is_alone:
            return cell
        return replace(cell, token=0, dimension=row * self._per_row + self.columns.index(column))


_BAR = 90.0


def statistics_texts(found: Statistics | None) -> tuple[str, ...]:
    """Return what there is to say of the numbers of a stop, the longest form first."""
    translate = QCoreApplication.translate
    if found is None:
        return ("",)
    numbers = [cell_number(number) for number in (found.minimum, found.maximum, found.mean)]
    shape = list(found.shape)
    count, more = found.n_outside, ""
    if found.is_causal:
        later = translate("Steps", "{0} later keys that it does not see").format(count)
        more = translate("Steps", "1 later key that it does not see") if count == 1 else later
    else:
        outside = translate("Steps", "{0} keys outside of the window").format(count)
        more = translate("Steps", "1 key outside of the window") if count == 1 else outside
    more = f" · {more}" if count else ""
    return (
        translate("Steps", "{0} · minimum {1} · maximum {2} · mean {3}").format(shape, *numbers) + more,
        translate("Steps", "{0} · min {1} · max {2} · mean {3}").format(shape, *numbers) + more,
        f"{numbers[0]} … {numbers[1]}{more}",
        f"{numbers[0]} … {numbers[1]}",
    )


def with_left_out(forms: tuple[str, ...], left_out: list[str]) -> tuple[str, ...]:
    """Return texts that also name the quantities that the panel is too narrow for, the longest form first."""
    if not left_out:
        return forms
    names = ", ".join(step_words.quantity(name) for name in left_out)
    note = QCoreApplication.translate("Steps", "wider panel: also {0}").format(names)
    return (*(f"{form} · {note}" for form in forms if form), note)


def draw_statistics(pen: StripPainter, forms: tuple[str, ...], box: QRectF, bound: float) -> None:
    """Write the longest of `forms` that fits into `box`; with a `bound` draw the colour bar beside it."""
    pen.line(box.topLeft(), box.topRight(), "rule")
    pen.painter.setFont(pen.look.number_font(11.5))
    pen.painter.setPen(pen.look.colour("secondary"))
    metrics = QFontMetricsF(pen.painter.font())
    fitting = (form for form in forms if metrics.horizontalAdvance(form) <= box.width())
    text = next(fitting, forms[-1])
    pen.painter.drawText(box, LEFT, text)
    if bound <= 0:
        return
    # The colour bar at the right end, if there is room for it and its ends.
    room = box.adjusted(metrics.horizontalAdvance(text) + 16, 0, 0, 0)
    ends = cell_number(-bound), cell_number(bound)
    widths = [metrics.horizontalAdvance(end) + 6 for end in ends]
    length = pen.look.pixels(_BAR)
    if room.width() < length + sum(widths):
        return
    left = round(room.right() - widths[1] - length)  # on whole pixels its frame is sharp
    bar = QRectF(left, round(room.center().y() - 4), length, 8)
    pen.painter.drawImage(bar, image_of(pen.differences[None]))
    pen.draw_frames([bar])
    pen.painter.setPen(pen.look.colour("secondary"))
    pen.painter.drawText(
        QRectF(bar.left() - widths[0], room.top(), widths[0] - 6, room.height()), RIGHT, ends[0]
    )
    pen.painter.drawText(QRectF(bar.right() + 6, room.top(), widths[1] - 6, room.height()), RIGHT, ends[1])
