"""Page breaks of a hand-out: a table that fits on one page, with its title, is not cut in two."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSizeF
from PySide6.QtGui import (
    QPagedPaintDevice,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextTable,
)

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
