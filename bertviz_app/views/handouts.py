"""Hand-outs as PDF: a page that shows a head, one to compute three of its rows by hand, and the answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten

from PySide6.QtCore import QBuffer, QCoreApplication, QIODevice, QMarginsF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPageLayout,
    QPageSize,
    QPainter,
    QPainterPath,
    QPdfWriter,
    QPen,
    QTextDocument,
)

from bertviz_app.learning.handouts import N_SUMMED, HandoutNumbers
from bertviz_app.paths import replacing
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.wording import rest_texts
from bertviz_app.views.kit.look import TEXT_FAMILIES
from bertviz_app.views.kit.words import fixed

translate = QCoreApplication.translate

_RESOLUTION = 300
_MM, _POINT = _RESOLUTION / 25.4, _RESOLUTION / 72
_WIDTH, _HEIGHT, _MARGIN = 210.0, 297.0, 18.0  # millimetres of A4
_INNER = _WIDTH - 2 * _MARGIN
_LONGEST_TEXT = 240  # characters: three lines
_JOINING = ("liga", "calt", "locl")
"""Features that put other glyphs for letters, from which the text of the file could not be read back."""
_INK, _PALE, _RULE, _BLUE = QColor("#1a1e26"), QColor("#5b6575"), QColor("#b9c0cc"), QColor("#1668d6")
_DEEP = QColor("#1f5fa8")
_DEEP_RGB = _DEEP.red(), _DEEP.green(), _DEEP.blue()


@dataclass(frozen=True)
class SheetCell:
    """`is_blank`: the student fills it in; the answers have it in bold. `is_name`: it stands at the left."""

    text: str
    is_blank: bool = False
    is_name: bool = False


def given(value: float) -> SheetCell:
    """Return the cell of a number that is printed in both versions."""
    return SheetCell(number(value))


def blank(value: float) -> SheetCell:
    """Return the cell of a number that the student computes."""
    return SheetCell(number(value), is_blank=True)


def name(text: str) -> SheetCell:
    """Return the cell with the name of a row."""
    return SheetCell(text, is_name=True)


def number(value: float) -> str:
    """Return a number with four decimals; a rounded zero has no sign."""
    return fixed(value)


def _font(points: float, *, bold: bool = False) -> QFont:
    font = QFont()
    font.setFamilies(list(TEXT_FAMILIES))
    font.setPixelSize(round(points * _POINT))
    font.setBold(bold)
    for feature in _JOINING:
        font.setFeature(QFont.Tag(feature), 0)
    return font


class _Sheet:
    """A page that is written from top to bottom; places and lengths are millimetres."""

    def __init__(self, painter: QPainter) -> None:
        self.painter = painter
        self.y = _MARGIN

    def font(self, points: float, *, bold: bool = False) -> QFontMetricsF:
        """Choose the font of what is written next, and return its metrics."""
        font = _font(points, bold=bold)
        self.painter.setFont(font)
        return QFontMetricsF(font, self.painter.device())

    def write(
        self, words: str, points: float = 10, colour: QColor = _INK, *, bold: bool = False, gap: float = 2
    ) -> None:
        """Write a paragraph over the whole width, and go on below it."""
        self.font(points, bold=bold)
        self.y += self.write_at(words, QRectF(_MARGIN, self.y, _INNER, _HEIGHT), colour) + gap

    def write_at(self, words: str, room: QRectF, colour: QColor = _INK) -> float:
        """Write a paragraph from the top of a place on, and return its height."""
        self.painter.setPen(colour)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
        taken: QRectF = self.painter.drawText(_pixels(room), int(flags), words)
        return taken.height() / _MM

    def write_in(self, words: str, room: QRectF, side: Qt.AlignmentFlag) -> None:
        """Write one line at one side of a place, halfway down."""
        self.painter.drawText(_pixels(room), int(side | Qt.AlignmentFlag.AlignVCenter), words)

    def formula(self, html: str, x: float, y: float, points: float) -> None:
        """Write a formula, given as HTML."""
        document = QTextDocument()
        document.setUseDesignMetrics(True)
        document.setDefaultFont(_font(points))
        document.setDocumentMargin(0)
        document.setHtml(f'<span style="color: {_INK.name()}">{html}</span>')
        self.painter.save()
        self.painter.translate(x * _MM, y * _MM)
        document.drawContents(self.painter)
        self.painter.restore()

    def table(
        self, columns: Sequence[str], rows: Sequence[Sequence[SheetCell]], *, has_answers: bool
    ) -> None:
        """Draw a table over the whole width, and go on below it."""
        height, first = 8.0, 30.0
        width = (_INNER - first) / (len(columns) - 1)
        lefts = [_MARGIN, *(_MARGIN + first + width * at for at in range(len(columns) - 1))]
        right = Qt.AlignmentFlag.AlignRight
        cells = [[SheetCell(text, is_name=at == 0) for at, text in enumerate(columns)], *rows]
        for line, row in enumerate(cells):
            for at, cell in enumerate(row):
                room = QRectF(lefts[at], self.y, first if at == 0 else width, height)
                self.painter.setPen(QPen(_RULE, 2))
                is_empty = cell.is_blank and not has_answers
                self.painter.setBrush(QColor("#eef4fc") if cell.is_blank else Qt.BrushStyle.NoBrush)
                self.painter.drawRect(_pixels(room))
                metrics = self.font(9, bold=line == 0 or cell.is_blank)
                self.painter.setPen(_PALE if line == 0 else _DEEP if cell.is_blank else _INK)
                side = Qt.AlignmentFlag.AlignLeft if cell.is_name else right
                if not is_empty:
                    inner = room.adjusted(2, 0, -2, 0)
                    text = metrics.elidedText(cell.text, Qt.TextElideMode.ElideRight, inner.width() * _MM)
                    self.write_in(text, inner, side)
            self.y += height
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.y += 3

    def foot(self, page: int) -> None:
        """Write the number of the page."""
        self.font(8)
        self.painter.setPen(_PALE)
        self.write_in(str(page), QRectF(_MARGIN, _HEIGHT - _MARGIN, _INNER, 6), Qt.AlignmentFlag.AlignRight)


def _pixels(room: QRectF) -> QRectF:
    return QRectF(room.x() * _MM, room.y() * _MM, room.width() * _MM, room.height() * _MM)


class _Handout:
    """Draws the three pages of one head, in the language in force."""

    def __init__(self, numbers: HandoutNumbers) -> None:
        self._numbers = numbers
        self._trace = numbers.trace
        self._labels = numbers.trace.tokens.labels
        self._query = self._labels[numbers.query]

    def draw_head(self, sheet: _Sheet) -> None:
        """Draw the first page: the head as a picture, and the four formulas."""
        self._head(sheet, has_answers=False)
        numbers = self._numbers
        percent = 100 * float(numbers.weights[numbers.key])
        share = f"{percent:.0f}" if percent >= 1 else f"{percent:.1g}"
        words = translate("Handout", "In this head “{0}” puts {1} % of its attention on “{2}”.")
        sheet.write(words.format(self._query, share, self._labels[numbers.key]), 14, bold=True, gap=3)
        self._draw_arcs(sheet)
        words = translate(
            "Handout",
            "Each band is a weight: the wider it is, the more “{0}” looks there. All weights of “{0}” add up "
            "to 1.",
        )
        sheet.write(words.format(self._query), 9, _PALE, gap=3)
        if not numbers.is_whole:
            words = translate(
                "Handout", "The {0} tokens with the largest weights of {1}; the others have {2} together."
            )
            left = number(numbers.weight_left)
            sheet.write(words.format(len(numbers.shown), self._trace.n_tokens, left), 9, _PALE)
        if numbers.matrix is not None:
            self._draw_matrix(sheet)
        self._write_formulas(sheet)

    def draw_rows(self, sheet: _Sheet, *, has_answers: bool) -> None:
        """Draw the second page, to fill in, or the third one, with the answers."""
        numbers = self._numbers
        if has_answers:
            self._head(sheet, has_answers=True)
        else:
            sheet.write(translate("Handout", "Your turn: three rows by hand"), 16, bold=True)
            words = translate("Handout", "Fill in the empty cells. Vectors show their first numbers only.")
            sheet.write(words, 10, _PALE, gap=4)
        self._title(sheet, 1, translate("Handout", "The score: query times key, number by number"))
        sheet.table(*self._products(), has_answers=has_answers)
        self._title(sheet, 2, translate("Handout", "Divide, raise e to it, take the share"))
        words = translate(
            "Handout",
            "Divide each score by {0}. Raise e to the power of the result less {1}, which is the largest of "
            "all keys. Divide by the sum of the powers: that is the weight.",
        )
        root, largest = number(1 / self._trace.scale), number(float(numbers.given.max()))
        sheet.write(words.format(root, largest), 9, _PALE)
        sheet.table(*self._shares(), has_answers=has_answers)
        words = translate("Handout", "The weighted sum: the first {0} numbers of what the head writes")
        self._title(sheet, 3, words.format(N_SUMMED))
        words = translate("Handout", "Multiply each value by the weight of its key; add up the column.")
        sheet.write(words, 9, _PALE)
        sheet.table(*self._sums(), has_answers=has_answers)
        if not has_answers:
            self._title(sheet, 4, translate("Handout", "In your own words"))
            words = translate("Handout", "What could this head be for? Which number makes you think so?")
            sheet.write(words, 10, _PALE, gap=10)
            for _ in range(2):
                sheet.painter.setPen(QPen(_RULE, 2))
                left, right = (QPointF(x * _MM, sheet.y * _MM) for x in (_MARGIN, _WIDTH - _MARGIN))
                sheet.painter.drawLine(left, right)
                sheet.y += 10

    def _head(self, sheet: _Sheet, *, has_answers: bool) -> None:
        trace, numbers = self._trace, self._numbers
        titles = (
            translate("Handout", "Hand-out: one head by hand"),
            translate("Handout", "Answers: one head by hand"),
        )
        sheet.write(titles[has_answers], 18, bold=True)
        if not has_answers:
            line = "_" * 26
            sheet.write(translate("Handout", "Name: {0}     Date: {1}").format(line, line[:14]), 10, gap=4)
        texts = [text for text in (trace.tokens.text, trace.tokens.pair) if text]
        sheet.write(shorten("  |  ".join(texts), _LONGEST_TEXT, placeholder=" …"), 12, bold=True, gap=1)
        words = translate(
            "Handout",
            "Checkpoint {0} · layer {1} · head {2} (both count from 0) · followed token “{3}”, position {4}",
        )
        sheet.write(
            words.format(trace.model, numbers.layer, numbers.head, self._query, numbers.query), 9, _PALE
        )
        if edits := edits_of(numbers):
            sheet.write(edits, 9, _PALE)
        if has_answers:
            words = translate(
                "Handout",
                "Computed with all digits: with the rounded numbers on paper the last digit may differ.",
            )
            sheet.write(words, 9, _PALE, gap=4)

    def _title(self, sheet: _Sheet, index: int, words: str) -> None:
        sheet.write(f"{index}. {words}", 11, bold=True, gap=1.5)

    def _draw_arcs(self, sheet: _Sheet) -> None:
        """Draw the words in a row, with a band from the query to each other one, as wide as its weight."""
        numbers, painter = self._numbers, sheet.painter
        centres, points = self._place_words(sheet)
        height = 38.0
        base = sheet.y + height
        from_x = centres[numbers.shown.index(numbers.query)]
        for at, x in zip(numbers.shown, centres, strict=True):
            weight = float(numbers.weights[at])
            colour = QColor(_BLUE)
            colour.setAlphaF(0.25 + 0.6 * weight)
            reach = 8 + (height - 12) * min(1.0, abs(x - from_x) / (0.7 * _INNER))
            painter.setPen(QPen(colour, max(1.0, 6.0 * weight * _MM)))
            spread = 5.0 if from_x == x else 0.0  # around above the word itself
            first, last = (QPointF(x * _MM, base * _MM) for x in (from_x - spread, x + spread))
            path = QPainterPath(first)
            up = QPointF(0, -reach * _MM * 4 / 3)
            path.cubicTo(first + up, last + up, last)
            painter.drawPath(path)
        for at, x in zip(numbers.shown, centres, strict=True):
            room = QRectF(x - 20, base + 1, 40, 7)
            is_query = at == numbers.query
            sheet.font(points, bold=is_query or at == numbers.key)
            painter.setPen(_BLUE if is_query else _INK)
            sheet.write_in(self._labels[at], room, Qt.AlignmentFlag.AlignHCenter)
            sheet.font(min(7.5, points))
            painter.setPen(_PALE)
            sheet.write_in(
                f"{float(numbers.weights[at]):.2f}", room.translated(0, 6), Qt.AlignmentFlag.AlignHCenter
            )
        sheet.y = base + 15

    def _place_words(self, sheet: _Sheet) -> tuple[list[float], float]:
        """Return the middle of each word that is drawn, and the size of the font in which all fit."""
        gap = 3.5
        for points in (14.0, 12.0, 10.5, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0):
            metrics = sheet.font(points, bold=True)
            widths = [
                max(8.0, metrics.horizontalAdvance(self._labels[at]) / _MM) for at in self._numbers.shown
            ]
            whole = sum(widths) + gap * (len(widths) - 1)
            if whole <= _INNER:
                break
        squeeze = min(1.0, _INNER / whole)
        left, centres = _MARGIN + (_INNER - whole * squeeze) / 2, []
        for width in widths:
            centres.append(left + width * squeeze / 2)
            left += (width + gap) * squeeze
        return centres, points

    def _draw_matrix(self, sheet: _Sheet) -> None:
        """Draw the weights of the whole head as a grid, and beside it what it is."""
        numbers, painter, matrix = self._numbers, sheet.painter, self._numbers.matrix
        assert matrix is not None
        n_tokens, top, left = len(matrix), sheet.y + 16, _MARGIN + 24
        side = min(6.0, 62.0 / n_tokens)
        sheet.font(8)
        for at, label in enumerate(self._labels):
            painter.setPen(_BLUE if at == numbers.query else _INK)
            sheet.write_in(label, QRectF(_MARGIN, top + at * side, 22, side), Qt.AlignmentFlag.AlignRight)
            painter.save()
            painter.translate((left + (at + 0.5) * side) * _MM, (top - 1.5) * _MM)
            painter.rotate(-60)
            sheet.write_in(label, QRectF(0, -3, 24, 6), Qt.AlignmentFlag.AlignLeft)
            painter.restore()
            for key in range(n_tokens):
                painter.setPen(QPen(_RULE, 1))
                depth = float(matrix[at, key]) ** 0.7  # white for 0, a deep blue for 1
                painter.setBrush(QColor(*(round(255 + (deep - 255) * depth) for deep in _DEEP_RGB)))
                painter.drawRect(_pixels(QRectF(left + key * side, top + at * side, side, side)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(_BLUE, 5))
        painter.drawRect(_pixels(QRectF(left, top + numbers.query * side, n_tokens * side, side)))
        words = translate(
            "Handout",
            "The whole head. Each row is a token that looks, each column one that is looked at: the darker, "
            "the larger the weight. The frame is the row of “{0}”, which is drawn as bands above.",
        )
        x = left + n_tokens * side + 8
        sheet.font(9)
        sheet.write_at(words.format(self._query), QRectF(x, top, _WIDTH - _MARGIN - x, 80), _PALE)
        sheet.y = top + n_tokens * side + 7

    def _write_formulas(self, sheet: _Sheet) -> None:
        root = number(1 / self._trace.scale)
        power = "<i>e</i><sup><i>s</i> − <i>m</i></sup>"
        formulas = (
            (
                "<i>q</i> = <i>x</i> W<sub>Q</sub>, &nbsp; <i>k</i> = <i>x</i> W<sub>K</sub>, &nbsp; "
                "<i>v</i> = <i>x</i> W<sub>V</sub>",
                translate("Handout", "From each token’s vector x: a query, a key and a value."),
            ),
            (
                "<i>s</i> = <i>q</i> · <i>k</i> ÷ √<i>d</i>",
                translate("Handout", "Score: how well a key fits a query; √d is {0} here.").format(root),
            ),
            (
                f"<i>α</i> = {power} ÷ Σ {power}",
                translate("Handout", "Weight: a share of 1. m is the largest score: no power is huge."),
            ),
            (
                "<i>z</i> = Σ <i>α</i> <i>v</i>",
                translate("Handout", "Output: the values, each as much as its weight says, added up."),
            ),
        )
        sheet.write(translate("Handout", "The four formulas"), 12, bold=True, gap=2)
        for at, (html, words) in enumerate(formulas):
            sheet.font(9)
            sheet.write_at(words, QRectF(_MARGIN + 78, sheet.y + 0.8, _INNER - 78, 12), _PALE)
            sheet.write_at(str(at + 1), QRectF(_MARGIN, sheet.y + 0.8, 6, 6), _PALE)
            sheet.formula(html, _MARGIN + 6, sheet.y, 13)
            sheet.y += 10

    def _products(self) -> tuple[list[str], list[list[SheetCell]]]:
        numbers, n_numbers = self._numbers, self._numbers.n_numbers
        rest = translate("Handout", "other {0}").format(self._trace.head_width - n_numbers)
        columns = ["", *map(str, range(n_numbers)), rest, translate("Handout", "score")]
        query = numbers.vectors("queries")[numbers.query]
        empty = [SheetCell(""), SheetCell("")]
        rows = [[name(f"q  {self._query}"), *map(given, map(float, query)), *empty]]
        for at in numbers.computed:
            key = numbers.vectors("keys")[at]
            rows.append([name(f"k  {self._labels[at]}"), *map(given, map(float, key)), *empty])
            products = [*map(blank, numbers.products[at].tolist()), given(numbers.rest_of_products[at])]
            rows.append([name("q × k"), *products, blank(float(numbers.scores[at]))])
        return columns, rows

    def _shares(self) -> tuple[list[str], list[list[SheetCell]]]:
        numbers = self._numbers
        columns = [
            translate("Handout", "key"),
            translate("Handout", "scaled"),
            translate("Handout", "power of e"),
            translate("Handout", "weight"),
        ]
        exponentials, weights = numbers.exponentials, numbers.weights
        rows = [
            [
                name(self._labels[at]),
                blank(float(numbers.scaled[at])),
                blank(float(exponentials[at])),
                blank(float(weights[at])),
            ]
            for at in numbers.computed
        ]
        others = numbers.others
        if others:
            sums = [given(float(exponentials[others].sum())), given(float(weights[others].sum()))]
            rows.append([name(self._others()), SheetCell(""), *sums])
        total = [blank(float(exponentials.sum())), given(1.0)]
        rows.append([name(translate("Handout", "sum of all")), SheetCell(""), *total])
        if numbers.biased is not None:
            columns.insert(2, translate("Handout", "with what is added"))
            places = [given(float(numbers.biased[at])) for at in numbers.computed]
            for row, cell in zip(rows, [*places, SheetCell(""), SheetCell("")], strict=False):
                row.insert(2, cell)
        return columns, rows

    def _sums(self) -> tuple[list[str], list[list[SheetCell]]]:
        numbers = self._numbers
        n_summed = numbers.weighted.shape[1]
        columns = [
            translate("Handout", "key"),
            *(f"v [{index}]" for index in range(n_summed)),
            *(f"α × v [{index}]" for index in range(n_summed)),
        ]
        values, weighted, nothing = numbers.vectors("values"), numbers.weighted, [SheetCell("")] * n_summed
        rows = [
            [
                name(self._labels[at]),
                *map(given, map(float, values[at, :n_summed])),
                *map(blank, weighted[at].tolist()),
            ]
            for at in numbers.computed
        ]
        if numbers.others:
            rows.append([name(self._others()), *nothing, *map(given, weighted[numbers.others].sum(0))])
        rows.append([name("z"), *nothing, *map(blank, weighted.sum(0).tolist())])
        return columns, rows

    def _others(self) -> str:
        return translate("Handout", "other {0}").format(len(self._numbers.others))


def edits_of(numbers: HandoutNumbers) -> str:
    """Return what was changed in the run: its numbers are not those of the sentence alone."""
    trace = numbers.trace
    parts = [
        translate("Handout", "Position {0} is read as {1}.").format(at, piece)
        for at, piece in trace.provenance.replaced
    ]
    parts += [
        translate("Handout", "Head {0} of layer {1} is muted.").format(head, layer)
        for layer, head in trace.muted
    ]
    parts += [f"{text}." for text in rest_texts(trace.edits, trace.tokens)]
    return " ".join(parts)


def handout_pdf(numbers: HandoutNumbers) -> bytes:
    """Return the three pages of a head as the content of a PDF file; on the interface thread only."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_RESOLUTION)
    layout = QPageLayout(QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Portrait, QMarginsF())
    writer.setPageLayout(layout)
    with QPainter(writer) as painter:
        handout = _Handout(numbers)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for page, has_answers in ((1, None), (2, False), (3, True)):
            if page > 1:
                writer.newPage()
            sheet = _Sheet(painter)
            if has_answers is None:
                handout.draw_head(sheet)
            else:
                handout.draw_rows(sheet, has_answers=has_answers)
            sheet.foot(page)
    del writer  # writes the end of the file
    return bytes(buffer.data().data())


def write_pdf(content: bytes, path: Path) -> None:
    """Write the content of a PDF file. Raises FileError."""
    with replacing(path) as beside:
        beside.write_bytes(content)
