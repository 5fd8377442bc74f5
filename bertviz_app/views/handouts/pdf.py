"""Hand-outs as PDF: A4, with page numbers, in fonts that have Hangul."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QFont, QPageLayout, QPageSize, QPdfWriter, QTextDocument

from bertviz_app.paths import replacing
from bertviz_app.views.handouts.page_breaks import keep_tables_whole
from bertviz_app.views.kit.look import TEXT_FAMILIES

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
