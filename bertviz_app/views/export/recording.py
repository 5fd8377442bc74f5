"""A view as a picture to take along: recorded once, then written as PNG, SVG or PDF on any thread.

What is recorded are the view's own drawing commands: text stays text, lines stay lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QBuffer, QIODevice, QMargins, QMarginsF, QPoint, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPageSize, QPainter, QPdfWriter, QPicture, QRegion
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QLineEdit,
    QWidget,
)

from bertviz_app.errors import FileError, Message
from bertviz_app.paths import replacing
from bertviz_app.views.export.axis_titles import NO_TITLES, AxisTitles, draw_titles, margins
from bertviz_app.views.export.svg_file import portable_svg
from bertviz_app.views.export.tables import ClippedTables
from bertviz_app.views.export.whole import lay_out, scrolled_as_before, shown_whole
from bertviz_app.views.kit.canvas import end_turns
from bertviz_app.views.kit.look import Look, Palette
from bertviz_app.views.kit.style import style_sheet
from bertviz_app.views.plots.plot import Plot

ENDINGS = (".png", ".svg", ".pdf")
SCALES = (1, 2, 3, 4)
_POINTS_A_PIXEL = 0.75  # 96 pixels and 72 points an inch
_MOST_PIXELS = 1 << 28
_MARGIN = 14
_SWITCHES = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QLineEdit)


@runtime_checkable
class HasColourBar(Protocol):
    """A widget with a bar of colours, and its numbers, at `colour_bar` in its pixels."""

    colour_bar: QRectF


@runtime_checkable
class DrawsHints(Protocol):
    """A widget that draws signs that only a tool tip explains, unless `omits_hints`."""

    omits_hints: bool

    def set_omits_hints(self, *, omits_hints: bool) -> None:
        """Draw without the signs, or with them."""


@dataclass(frozen=True)
class PictureSheet:
    """What is written above a picture: its title, and lines that say what it is of."""

    title: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Recording:
    """Everything that was drawn, on a ground of `size` pixels."""

    picture: QPicture
    size: QSize
    title: str
    ground: QColor


def record(
    widget: QWidget,
    look: Look,
    sheet: PictureSheet | None,
    titles: AxisTitles = NO_TITLES,
    *,
    keeps_switches: bool = False,
    is_whole: bool = True,
) -> Recording:
    """Return what `widget` draws, under `sheet` and between `titles`, on the ground of a card.

    Buttons and fields are left out unless `keeps_switches`. `is_whole`: with the rows that are scrolled away.
    """
    end_turns()
    picture = QPicture()
    with (
        scrolled_as_before(widget),
        _drawn_for_files(widget, keeps_switches=keeps_switches),
        _all_of(widget, is_whole=is_whole),
    ):
        around = room_around(widget, look, sheet, titles)
        drawing = QRect(QPoint(around.left(), around.top()), widget.size())
        page = drawing.marginsAdded(around)
        picture.setBoundingRect(page)
        painter = QPainter(picture)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillRect(page, look.colour("card"))
            if sheet is not None:
                _write_head(painter, look, sheet, page.width())
            painter.save()
            painter.translate(drawing.topLeft())
            # Drawn through this painter, and not into an image first.
            tables = ClippedTables()
            with tables.left_out_of(widget):
                # Qt's own: a graphics view has another one of this name.
                QWidget.render(widget, painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
            tables.draw(painter, widget)
            painter.restore()
            bar = _colour_bar(widget).translated(drawing.topLeft())
            draw_titles(painter, look, titles, QRectF(drawing), bar)
        finally:
            painter.end()
    return Recording(picture, page.size(), "" if sheet is None else sheet.title, look.colour("card"))


def room_around(widget: QWidget, look: Look, sheet: PictureSheet | None, titles: AxisTitles) -> QMargins:
    """Return the room that title and axis titles take around `widget` in a picture."""
    around = margins(look, titles, widget.width()).toMargins()
    if sheet is not None:
        width = widget.width() + around.left() + around.right()
        around.setTop(around.top() + round(_head_height(look, sheet, width)))
    return around


def _colour_bar(widget: QWidget) -> QRectF:
    """Return where the colour bar of the matrix in `widget` is; an empty rectangle without one."""
    for view in (widget, *widget.findChildren(QWidget)):
        if (view is widget or view.isVisibleTo(widget)) and isinstance(view, HasColourBar):
            return view.colour_bar.translated(view.mapTo(widget, QPoint()))
    return QRectF()


def _all_of(widget: QWidget, *, is_whole: bool) -> AbstractContextManager[None]:
    return shown_whole(widget) if is_whole else nullcontext()


@contextmanager
def in_colours(widget: QWidget, look: Look, palette: Palette) -> Iterator[None]:
    """Have `widget` draw with another palette for the block, in which the window is not painted."""
    before, sheet = look.palette, widget.styleSheet()
    if palette.name == before.name:
        yield
        return
    look.set_palette(palette)
    widget.setStyleSheet(style_sheet(look))  # of the labels in it
    try:
        yield
    finally:
        look.set_palette(before)
        widget.setStyleSheet(sheet)


def image_of(recording: Recording, scale: float) -> QImage:
    """Return the picture as pixels, `scale` to one on screen. Raises FileError for more than fits."""
    size = (QSizeF(recording.size) * scale).toSize()
    if size.width() * size.height() > _MOST_PIXELS:
        message = Message("A picture of {0} x {1} pixels is too large.", size.width(), size.height())
        raise FileError(message, Message("Save it smaller, or as SVG or PDF."))
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(recording.ground)  # the last row may be covered in part only
    painter = QPainter(image)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(scale, scale)
        painter.drawPicture(0, 0, recording.picture)
    finally:
        painter.end()
    # Not before: text would be drawn larger once more for so many dots an inch.
    dots = round(96 * scale / 0.0254)
    image.setDotsPerMeterX(dots)
    image.setDotsPerMeterY(dots)
    return image


def write(recording: Recording, path: Path, scale: float = 1) -> None:
    """Write the picture to `path`: `.png`, `.svg` or `.pdf` by its ending; `scale` is of PNG alone.

    Raises FileError. May run on any thread.
    """
    writers = {".png": _write_png, ".svg": _write_svg, ".pdf": _write_pdf}
    writer = writers.get(path.suffix.lower())
    if writer is None:
        message = Message("A picture cannot be written as “{0}”.", path.suffix or path.name)
        raise FileError(message, Message("End the name in .png, .svg or .pdf."))
    with replacing(path) as beside:
        beside.touch()  # says why it cannot be written; Qt does not
        writer(recording, beside, scale)


def _write_png(recording: Recording, path: Path, scale: float) -> None:
    if not image_of(recording, scale).save(str(path)):
        raise OSError(None, "the picture could not be saved")


def _write_svg(recording: Recording, path: Path, _: float) -> None:
    from PySide6.QtSvg import QSvgGenerator  # a library of its own, which the first window needs not

    content = QBuffer()
    content.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)  # SVG Tiny knows no clipping
    generator.setOutputDevice(content)
    generator.setResolution(96)
    generator.setSize(recording.size)
    generator.setViewBox(QRectF(QRect(QPoint(), recording.size)))
    generator.setTitle(recording.title)
    generator.setDescription("BertViz App")
    _play(recording, QPainter(generator))
    path.write_bytes(portable_svg(bytes(content.data().data()), recording.ground))


def _write_pdf(recording: Recording, path: Path, _: float) -> None:
    writer = QPdfWriter(str(path))
    writer.setResolution(96)
    writer.setTitle(recording.title)
    writer.setCreator("BertViz App")
    page = QSizeF(recording.size) * _POINTS_A_PIXEL
    writer.setPageSize(QPageSize(page, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    _play(recording, QPainter(writer))


def _play(recording: Recording, painter: QPainter) -> None:
    if not painter.isActive():
        raise OSError(None, "the file could not be opened")
    try:
        painter.drawPicture(0, 0, recording.picture)
    finally:
        painter.end()


@contextmanager
def _drawn_for_files(widget: QWidget, *, keeps_switches: bool) -> Iterator[None]:
    """Have views draw without what is there for the pointer and the keys alone.

    That they draw texts and lines, and no cached pixels, they see from the painter: `draws_pixels`.
    """
    parts = (widget, *widget.findChildren(QWidget))
    views = {part: part.omits_hints for part in parts if isinstance(part, DrawsHints)}
    switches = [part for part in parts[1:] if isinstance(part, _SWITCHES)]
    hidden = [switch for switch in switches if not keeps_switches and switch.isVisibleTo(widget)]
    for plot in parts:
        if isinstance(plot, Plot):
            plot.read_out.hide_lines()
    for view in views:
        view.set_omits_hints(omits_hints=not keeps_switches)
    try:
        with _without_focus(widget), _hidden(hidden, widget):
            yield
    finally:
        for view, omitted in views.items():
            view.set_omits_hints(omits_hints=omitted)


@contextmanager
def _hidden(switches: Sequence[QWidget], widget: QWidget) -> Iterator[None]:
    """Hide some parts of `widget` for the block; what follows takes their room."""
    for switch in switches:
        switch.hide()
    if switches:
        lay_out(widget)
    try:
        yield
    finally:
        for switch in switches:
            switch.show()
        if switches:
            lay_out(widget)


@contextmanager
def _without_focus(widget: QWidget) -> Iterator[None]:
    """Take the focus from `widget` for the block: its frame is no part of the picture."""
    focused = QApplication.focusWidget()
    if focused is None or not (focused is widget or widget.isAncestorOf(focused)):
        yield
        return
    focused.clearFocus()
    try:
        yield
    finally:
        focused.setFocus(Qt.FocusReason.OtherFocusReason)


def _head_height(look: Look, sheet: PictureSheet, width: int) -> float:
    boxes = _head_boxes(look, sheet, width)
    return boxes[-1][2].bottom() + look.pixels(8)


def _write_head(painter: QPainter, look: Look, sheet: PictureSheet, width: int) -> None:
    for index, (text, font_size, box) in enumerate(_head_boxes(look, sheet, width)):
        painter.setFont(look.font(font_size, bold=index == 0))
        painter.setPen(look.colour("text" if index == 0 else "secondary"))
        painter.drawText(box, Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft, text)


def _head_boxes(look: Look, sheet: PictureSheet, width: int) -> list[tuple[str, float, QRectF]]:
    """Return (text, size of its letters, where it stands) of the title and the lines below it."""
    boxes = []
    top, room = float(look.pixels(12)), max(60.0, width - 2 * _MARGIN)
    for index, text in enumerate((sheet.title, *sheet.lines)):
        size = 15.0 if index == 0 else 12.0
        metrics = QFontMetricsF(look.font(size, bold=index == 0))
        whole = QRectF(0, 0, room, 10_000)
        height = metrics.boundingRect(whole, Qt.TextFlag.TextWordWrap, text).height()
        boxes.append((text, size, QRectF(_MARGIN, top, room, height + 1)))
        top += height + look.pixels(3)
    return boxes
