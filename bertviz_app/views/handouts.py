"""Hand-outs: pages with text, pictures and tables, as PDF."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from PySide6.QtCore import QBuffer, QCoreApplication, QIODevice, QSizeF
from PySide6.QtGui import (
    QFont,
    QPagedPaintDevice,
    QPageLayout,
    QPageSize,
    QPdfWriter,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextTable,
)

from bertviz_app.learning.handouts import N_SUMMED, HandoutNumbers
from bertviz_app.paths import replacing
from bertviz_app.viewmodels.wording import rest_texts
from bertviz_app.views.kit.look import TEXT_FAMILIES
from bertviz_app.views.kit.words import fixed

_PADDING, _ROOM_TO_WRITE = 2, 5


@dataclass(frozen=True)
class Cell:
    """`is_blank`: the student fills it in; the answers have it in bold."""

    text: str
    is_blank: bool = False
    is_name: bool = False


def given(value: float) -> Cell:
    """Return the cell of a number that is printed in both versions."""
    return Cell(number(value))


def blank(value: float) -> Cell:
    """Return the cell of a number that the student computes."""
    return Cell(number(value), is_blank=True)


def name(text: str) -> Cell:
    """Return the cell with the name of a row."""
    return Cell(text, is_name=True)


def number(value: float) -> str:
    """Return a number with four decimals; a rounded zero has no sign."""
    return fixed(value)


def table(columns: Sequence[str], rows: Iterable[Sequence[Cell]], *, has_answers: bool) -> str:
    """Return a table with a head row, which is repeated on the next page."""
    rows = list(rows)
    is_filled_in = not has_answers and any(cell.is_blank for row in rows for cell in row)
    head = "".join(f'<th align="{_side(index)}">{escape(text)}</th>' for index, text in enumerate(columns))
    body = "".join(f"<tr>{''.join(_cell(cell, has_answers) for cell in row)}</tr>" for row in rows)
    padding = _ROOM_TO_WRITE if is_filled_in else _PADDING
    style = "border-collapse: collapse; border-style: solid; border-color: #999999"
    frame = f'border="1" cellspacing="0" cellpadding="{padding}" style="{style}"'
    return f'<table {frame} width="100%"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _side(index: int) -> str:
    return "left" if index == 0 else "right"


def _cell(cell: Cell, has_answers: bool) -> str:
    if cell.is_name:
        return f"<td>{escape(cell.text)}</td>"
    if not cell.is_blank:
        return f'<td align="right">{escape(cell.text)}</td>'
    return f'<td align="right"><b>{escape(cell.text)}</b></td>' if has_answers else "<td>&nbsp;</td>"


translate = QCoreApplication.translate


def handout_html(numbers: HandoutNumbers) -> str:
    """Return the hand-out in the language in force: pages with blanks, then the same with the answers."""
    pages = (_Pages(numbers, has_answers=has_answers).html() for has_answers in (False, True))
    return f"<html><body>{''.join(pages)}</body></html>"


class _Pages:
    """The sections of the hand-out, once with blanks or once with answers."""

    def __init__(self, numbers: HandoutNumbers, *, has_answers: bool) -> None:
        self._numbers = numbers
        self._trace = numbers.trace
        self._labels = numbers.trace.tokens.labels
        self._has_answers = has_answers

    def html(self) -> str:
        return "".join(
            (*self._head(), *self._tokens(), *self._embedding(), *self._vectors(), *self._attention())
        )

    def _head(self) -> Iterator[str]:
        trace, numbers = self._trace, self._numbers
        titles = (
            translate("Handout", "Hand-out: one head by hand"),
            translate("Handout", "Answers: one head by hand"),
        )
        style = ' style="page-break-before: always"' if self._has_answers else ""
        yield f"<h2{style}>{escape(titles[self._has_answers])}</h2>"
        if not self._has_answers:
            line = "_" * 26
            fields = translate("Handout", "Name: {0}     Date: {1}").format(line, line[:14])
            yield f"<p>{escape(fields)}</p>"
        texts = [text for text in (trace.tokens.text, trace.tokens.pair) if text]
        words = translate(
            "Handout",
            "Checkpoint {0} · layer {1} · head {2} (both count from 0) · followed token “{3}”, position {4}",
        )
        facts = words.format(
            trace.model, numbers.layer, numbers.head, self._labels[numbers.query], numbers.query
        )
        yield f"<p><b>{escape('  |  '.join(texts))}</b><br>{escape(facts)}</p>"
        if edits := self._edits():
            yield f"<p>{escape(edits)}</p>"
        notes = (
            translate("Handout", "Fill in the empty cells. Vectors show their first numbers only."),
            translate(
                "Handout",
                "Computed with all digits: with the rounded numbers on paper the last digit may differ.",
            ),
        )
        yield f"<p><i>{escape(notes[self._has_answers])}</i></p>"
        if not numbers.is_whole:
            words = translate(
                "Handout", "The {0} tokens with the largest weights of {1}; the others have {2} together."
            )
            sentence = words.format(len(numbers.shown), trace.n_tokens, number(numbers.weight_left))
            yield f"<p><i>{escape(sentence)}</i></p>"

    def _edits(self) -> str:
        """Return what was changed in the run: its numbers are not those of the sentence alone."""
        parts = [
            translate("Handout", "Position {0} is read as {1}.").format(at, piece)
            for at, piece in self._trace.provenance.replaced
        ]
        parts += [
            translate("Handout", "Head {0} of layer {1} is muted.").format(head, layer)
            for layer, head in self._trace.muted
        ]
        parts += [f"{text}." for text in rest_texts(self._trace.edits, self._trace.tokens)]
        return " ".join(parts)

    def _tokens(self) -> Iterator[str]:
        tokens = self._trace.tokens
        columns = [
            translate("Handout", "Token"),
            translate("Handout", "Token ID"),
            translate("Handout", "Position"),
            translate("Handout", "Segment"),
        ]
        rows = [
            [
                name(tokens.labels[at]),
                Cell(str(tokens.ids[at])),
                Cell(str(tokens.position_ids[at]), is_blank=at > 0),
                Cell(str(tokens.segment_ids[at]), is_blank=at > 0),
            ]
            for at in self._numbers.shown
        ]
        if not tokens.has_segments:
            columns, rows = columns[:3], [row[:3] for row in rows]
        yield self._title(1, translate("Handout", "Tokens and their IDs"))
        yield self._table(columns, rows)

    def _embedding(self) -> Iterator[str]:
        names = {
            "token_embeddings": translate("Handout", "token"),
            "segment_embeddings": translate("Handout", "segment"),
            "position_embeddings": translate("Handout", "position"),
            "task_embeddings": translate("Handout", "task"),
        }
        numbers = self._numbers
        rows = [
            [name(names[key]), *map(given, map(float, values))] for key, values in numbers.embeddings.items()
        ]
        rows.append([name(translate("Handout", "sum")), *map(blank, map(float, numbers.embedding_sum))])
        rows.append(
            [name(translate("Handout", "into the first layer")), *map(given, map(float, numbers.first_state))]
        )
        yield self._title(
            2, translate("Handout", "The embeddings of “{0}” are added").format(self._labels[numbers.query])
        )
        yield self._table(["", *map(str, range(len(numbers.embedding_sum)))], rows)

    def _vectors(self) -> Iterator[str]:
        numbers = self._numbers
        columns = map(str, range(numbers.n_numbers))
        title = translate("Handout", "Query, keys and values: the first {0} of {1} numbers")
        yield self._title(3, title.format(numbers.n_numbers, self._trace.head_width))
        query = numbers.vectors("queries")[numbers.query]
        mark = f"q  {self._labels[numbers.query]}"
        heading = ["", *columns]
        yield self._table(heading, [[name(mark), *map(given, map(float, query))]])
        for sign, key in (("k", "keys"), ("v", "values")):
            vectors = numbers.vectors(key)
            rows = [
                [name(f"{sign}  {self._labels[at]}"), *map(given, map(float, vectors[at]))]
                for at in numbers.shown
            ]
            yield "<br>" + self._table(heading, rows)

    def _attention(self) -> Iterator[str]:
        numbers, labels = self._numbers, self._labels
        query, key = labels[numbers.query], labels[numbers.key]
        yield self._title(
            4, translate("Handout", "One score: “{0}” times “{1}”, number by number").format(query, key)
        )
        rest = translate("Handout", "other {0}").format(self._trace.head_width - numbers.n_numbers)
        columns = ["", *map(str, range(numbers.n_numbers)), rest, translate("Handout", "score")]
        products = [name("q × k"), *map(blank, map(float, numbers.products)), given(numbers.rest_of_product)]
        yield self._table(columns, [[*products, blank(float(numbers.scores[numbers.key]))]])
        yield self._title(5, translate("Handout", "Scores, scaled, softmax: the row of “{0}”").format(query))
        root = number(1 / self._trace.scale)
        words = translate(
            "Handout",
            "Scores are divided by {0}. exp is e to the power of the scaled score minus the largest one; the "
            "weight is exp divided by the sum of all exp.",
        )
        yield f"<p>{escape(words.format(root))}</p>"
        yield self._table(*self._score_rows())
        yield self._title(
            6,
            translate("Handout", "Weighted sum: the first {0} numbers of the head's output").format(N_SUMMED),
        )
        yield self._table(*self._sum_rows())
        if numbers.matrix is not None:
            yield self._title(7, translate("Handout", "All weights of the head: row = query, column = key"))
            rows = [
                [name(labels[at]), *(Cell(f"{weight:.2f}") for weight in numbers.matrix[at])]
                for at in numbers.shown
            ]
            yield self._table(["", *labels], rows)

    def _score_rows(self) -> tuple[list[str], list[list[Cell]]]:
        numbers = self._numbers
        columns = [
            translate("Handout", "key"),
            translate("Handout", "score"),
            translate("Handout", "scaled"),
            "exp",
            translate("Handout", "weight"),
        ]
        exponentials = numbers.exponentials
        rows = [
            [
                name(self._labels[at]),
                Cell(number(float(numbers.scores[at])), is_blank=at == numbers.key),
                blank(float(numbers.scaled[at])),
                blank(float(exponentials[at])),
                blank(float(numbers.weights[at])),
            ]
            for at in numbers.shown
        ]
        if numbers.biased is not None:
            columns.insert(3, translate("Handout", "with what is added"))
            for at, row in zip(numbers.shown, rows, strict=True):
                row.insert(3, given(float(numbers.biased[at])))
        total = [name(translate("Handout", "sum of all")), *(Cell("") for _ in columns[1:-2])]
        rows.append([*total, blank(float(exponentials.sum())), Cell(number(1.0))])
        return columns, rows

    def _sum_rows(self) -> tuple[list[str], list[list[Cell]]]:
        numbers = self._numbers
        columns = [
            translate("Handout", "key"),
            translate("Handout", "weight"),
            *(f"w × v [{index}]" for index in range(N_SUMMED)),
        ]
        weighted = numbers.weighted
        rows = [
            [
                name(self._labels[at]),
                blank(float(numbers.weights[at])),
                *map(blank, map(float, weighted[at])),
            ]
            for at in numbers.shown
        ]
        if not numbers.is_whole:
            left = weighted.sum(0) - weighted[numbers.shown].sum(0)
            rows.append(
                [
                    name(translate("Handout", "others")),
                    given(numbers.weight_left),
                    *map(given, map(float, left)),
                ]
            )
        rows.append(
            [
                name(translate("Handout", "sum of all")),
                Cell(number(1.0)),
                *map(blank, map(float, weighted.sum(0))),
            ]
        )
        return columns, rows

    def _title(self, index: int, words: str) -> str:
        return f"<h4>{index}. {escape(words)}</h4>"

    def _table(self, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
        return table(columns, rows, has_answers=self._has_answers)


_PIXELS_PER_INCH = 96
_MARGIN = int(2 / 2.54 * _PIXELS_PER_INCH)
"""The 2 cm that `QTextDocument.print_` leaves around, in pixels of the document."""
_BREAK = QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore


def keep_tables_whole(document: QTextDocument, device: QPagedPaintDevice) -> None:
    """Begin a new page of `device` before each table that would otherwise be cut and that fits on one."""
    margin = _MARGIN * device.logicalDpiY() / _PIXELS_PER_INCH
    for index in range(len(_tables(document))):
        laid_out = _laid_out(document, device)
        if _is_cut(_section(laid_out, index), laid_out, margin):
            _break_before(_section(document, index))


@dataclass(frozen=True)
class _Section:
    """A table, and the title before it where it has one."""

    table: QTextTable
    title: QTextBlock | None


def _tables(document: QTextDocument) -> list[QTextTable]:
    return [frame for frame in document.rootFrame().childFrames() if isinstance(frame, QTextTable)]


def _section(document: QTextDocument, index: int) -> _Section:
    tables = _tables(document)
    start = tables[index - 1].lastPosition() if index else -1
    block = document.findBlock(tables[index].firstPosition() - 1)
    while block.isValid() and block.position() > start:
        if block.blockFormat().headingLevel() and block.text():
            return _Section(tables[index], block)
        block = block.previous()
    return _Section(tables[index], None)


def _laid_out(document: QTextDocument, device: QPagedPaintDevice) -> QTextDocument:
    """Return a copy that is laid out as `QTextDocument.print_` does it."""
    copy = document.clone()
    copy.documentLayout().setPaintDevice(device)
    frame = copy.rootFrame().frameFormat()
    frame.setMargin(_MARGIN)
    copy.rootFrame().setFrameFormat(frame)
    copy.setPageSize(QSizeF(device.width(), device.height()))
    return copy


def _is_cut(section: _Section, document: QTextDocument, margin: float) -> bool:
    layout, page = document.documentLayout(), document.pageSize().height()
    bottom = layout.frameBoundingRect(section.table).bottom()
    top = layout.frameBoundingRect(section.table).top()
    if section.title is not None:
        top = layout.blockBoundingRect(section.title).top()
    return bottom - top <= page - 2 * margin and int(top // page) != int(bottom // page)


def _break_before(section: _Section) -> None:
    if section.title is None:
        table = section.table.format()
        table.setPageBreakPolicy(_BREAK)
        section.table.setFormat(table)
        return
    block = section.title.blockFormat()
    block.setPageBreakPolicy(_BREAK)
    QTextCursor(section.title).setBlockFormat(block)


_POINTS = 8.0
_RESOLUTION = 600
_JOINING = ("liga", "calt", "locl")
"""Features that put other glyphs for letters, from which the text of the file could not be read back."""
_STYLE = """
h2 { font-size: 14pt; margin: 0 }
h4 { font-size: 9pt; margin-top: 9; margin-bottom: 3 }
p { margin: 3 }
"""


def handout_pdf(html: str) -> bytes:
    """Return a hand-out, given as HTML, as the content of a PDF file; on the interface thread only."""
    document = QTextDocument()
    font = QFont()
    font.setFamilies(list(TEXT_FAMILIES))
    font.setPointSizeF(_POINTS)
    for feature in _JOINING:
        font.setFeature(QFont.Tag(feature), 0)
    document.setDefaultFont(font)
    document.setDefaultStyleSheet(_STYLE)
    document.setHtml(html)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_RESOLUTION)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageOrientation(QPageLayout.Orientation.Portrait)
    keep_tables_whole(document, writer)
    document.print_(writer)  # which leaves 2 cm around and numbers the pages
    del writer  # writes the end of the file
    return bytes(buffer.data().data())


def write_pdf(content: bytes, path: Path) -> None:
    """Write the content of a PDF file. Raises FileError."""
    with replacing(path) as beside:
        beside.write_bytes(content)
