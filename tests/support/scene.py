"""What a view is made of, pointing at it, and looking at what it drew."""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QLibraryInfo, QMimeData, QPoint, QPointF, Qt, QtMsgType, QVersionNumber
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDropEvent,
    QImage,
    QMouseEvent,
    QPixmap,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListWidget, QMenu, QWidget
from pytestqt.logging import Record
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.attention.stamp import AttentionNumbers
from bertviz_app.errors import Check
from bertviz_app.shell.settings import read_palette
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.heads.pictures import (
    HeadPicture,
    picture_of as picture_of_source,
    picture_of_numbers,
)
from bertviz_app.viewmodels.heads.places import difference_order, difference_source
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.runs.run import beside
from bertviz_app.viewmodels.state import DrawOptions
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.attention.lines import LinesView
from bertviz_app.views.dialogs.palette import CommandPalette
from bertviz_app.views.export.recording import record, write
from bertviz_app.views.kit.canvas import end_turns
from bertviz_app.views.kit.look import Look
from bertviz_app.views.plots.plot import Plot
from tests.support.factories import trace_of

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow


_Widget = TypeVar("_Widget", bound=QWidget)
_T = TypeVar("_T")
NO_KEYS = Qt.KeyboardModifier.NoModifier
NO_BUTTON = Qt.MouseButton.NoButton
LEFT = Qt.MouseButton.LeftButton


def not_none(value: _T | None) -> _T:
    """Return a value that has to be there."""
    assert value is not None
    return value


def expect(kind: type[_T], value: object) -> _T:
    """Return a value that has to be of this class."""
    assert isinstance(value, kind)
    return value


@pytest.fixture
def look(qapp: QApplication) -> Look:
    return Look(read_palette("light"))


@pytest.fixture
def selection(qapp: QApplication) -> Selection:
    return Selection()


@pytest.fixture
def viewport(qapp: QApplication) -> Viewport:
    return Viewport()


def head_picture(
    trace: Trace,
    layer: int,
    head: int,
    check: Check = lambda: None,
    options: DrawOptions | None = None,
    beside: Trace | None = None,
) -> HeadPicture:
    """Return the picture of one head's weights; `beside` is the run that it is compared with."""
    options = options or DrawOptions(scale="linear")
    other = None if beside is None else AttentionNumbers(beside)
    return picture_of_numbers(AttentionNumbers(trace), layer, head, check, options, other)


def picture_of(attention: Doubles) -> HeadPicture:
    """Return the picture of a head with exactly this attention [T, T]."""
    return head_picture(trace_of(attention[None, None]), 0, 0)


def ends_of(view: LinesView) -> tuple[float, float]:
    """Return where the lines of a view begin and end."""
    brush = not_none(view.laid_out).brush
    return brush.left, brush.right


def difference_picture(one: Trace, other: Trace, layer: int = 1, head: int = 0) -> HeadPicture:
    """Return the picture of a head of `one` minus the same head of `other`."""
    difference, options = beside(one, other), DrawOptions()
    aligned = difference.alignment.positions
    token_order = difference_order(difference.traces, aligned, options)
    source = difference_source(
        (AttentionNumbers(difference.traces[0]), AttentionNumbers(difference.traces[1])),
        aligned,
        layer,
        head,
        token_order,
    )
    return picture_of_source(source, layer, head, options, lambda: None)


def random_attention(n_tokens: int, seed: int = 0, sharpness: float = 3.0) -> Doubles:
    """Return [T, T], rows summing to 1, with weights from faint to strong."""
    scores = np.random.default_rng(seed).normal(0, sharpness, (n_tokens, n_tokens))
    weights: Doubles = np.exp(scores)
    weights /= weights.sum(-1, keepdims=True)
    return weights


def on_screen(qtbot: QtBot, widget: _Widget, width: int, height: int) -> _Widget:
    """Return `widget`, shown at this size."""
    qtbot.addWidget(widget)
    widget.resize(width, height)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


def pixels_of(widget: QWidget) -> NDArray[np.uint32]:
    """Return [height, width] what `widget` draws, as 0xRRGGBB."""
    end_turns()
    return _pixels(widget.grab())


def pixels_on_screen(window: QWidget) -> NDArray[np.uint32]:
    """Return [height, width] what the screen shows of a window, as 0xRRGGBB: updated in parts."""
    for _ in range(2):  # a plot that waits to be painted may have the window painted before it is laid out
        QApplication.processEvents()
    return _pixels(window.screen().grabWindow(window.winId()))


def _pixels(pixmap: QPixmap) -> NDArray[np.uint32]:
    image = pixmap.toImage().convertToFormat(QImage.Format.Format_RGB32)
    stride = image.bytesPerLine() // 4
    words = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), stride)
    return words[:, : image.width()] & np.uint32(0xFFFFFF)


def channels(colour: int) -> tuple[int, int, int]:
    """Return red, green and blue of 0xRRGGBB."""
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255


def blended(look: Look, name: str, alpha: float, ground: int) -> list[float]:
    """Return red, green and blue of a colour of the theme drawn with `alpha` over `ground`."""
    above = channels(look.colour(name).rgb() & 0xFFFFFF)
    return [alpha * over + (1 - alpha) * under for over, under in zip(above, channels(ground), strict=True)]


def move(widget: QWidget, x: float, y: float) -> None:
    """Move the pointer to a point of `widget`, with no button down."""
    _send(widget, QEvent.Type.MouseMove, QPointF(x, y), NO_BUTTON, NO_BUTTON)


def drag(widget: QWidget, path: list[tuple[float, float]], keys: Qt.KeyboardModifier = NO_KEYS) -> None:
    """Press at the first point, move along the others, let go at the last."""
    points = [QPointF(*point) for point in path]
    _send(widget, QEvent.Type.MouseButtonPress, points[0], LEFT, LEFT, keys)
    for point in points[1:]:
        _send(widget, QEvent.Type.MouseMove, point, NO_BUTTON, LEFT, keys)
    _send(widget, QEvent.Type.MouseButtonRelease, points[-1], LEFT, NO_BUTTON, keys)


def click(widget: QWidget, x: float, y: float, keys: Qt.KeyboardModifier = NO_KEYS) -> None:
    for kind, buttons in ((QEvent.Type.MouseButtonPress, LEFT), (QEvent.Type.MouseButtonRelease, NO_BUTTON)):
        _send(widget, kind, QPointF(x, y), LEFT, buttons, keys)


def double_click(widget: QWidget, x: float, y: float) -> None:
    """Send what follows the first click of a double click."""
    _send(widget, QEvent.Type.MouseButtonDblClick, QPointF(x, y), LEFT, LEFT)
    _send(widget, QEvent.Type.MouseButtonRelease, QPointF(x, y), LEFT, NO_BUTTON)


def wheel(widget: QWidget, x: float, y: float, steps: float, *, sideways: bool = False) -> None:
    """Turn the wheel over a point of `widget`; positive steps turn away from the user."""
    at = QPointF(x, y)
    angle = QPoint(round(120 * steps), 0) if sideways else QPoint(0, round(120 * steps))
    target, where = _target(widget, at), QPointF(widget.mapToGlobal(at.toPoint()))
    at = target.mapFrom(widget, at) if target is not widget else at
    event = QWheelEvent(
        *(at, where, QPoint(), angle, NO_BUTTON, NO_KEYS), *(Qt.ScrollPhase.NoScrollPhase, False)
    )
    QApplication.sendEvent(target, event)


def _send(
    widget: QWidget,
    kind: QEvent.Type,
    at: QPointF,
    button: Qt.MouseButton,
    buttons: Qt.MouseButton,
    keys: Qt.KeyboardModifier = NO_KEYS,
) -> None:
    where = QPointF(widget.mapToGlobal(at.toPoint()))
    target = _target(widget, at)
    at = target.mapFrom(widget, at) if target is not widget else at
    QApplication.sendEvent(target, QMouseEvent(kind, at, where, button, buttons, keys))


def _target(widget: QWidget, at: QPointF) -> QWidget:
    """Return what gets the events at a point: the viewport of a plot in `widget`, else `widget` itself."""
    under = widget.childAt(at.toPoint())
    return under if under is not None and isinstance(under.parentWidget(), Plot) else widget


def leave(widget: QWidget) -> None:
    """Move the pointer away from `widget` and the plots in it."""
    parts: list[QWidget] = [widget, *widget.findChildren(Plot)]
    for part in parts:
        QApplication.sendEvent(part, QEvent(QEvent.Type.Leave))


def turn_events(n_turns: int = 20) -> None:
    """Let the event loop turn so often: layouts and timers without delay are done, also on a slow machine."""
    for _ in range(n_turns):
        QApplication.processEvents()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def levels_of(image: QImage) -> NDArray[np.int16]:
    """Return the channels [height, width, 4] of all pixels."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    levels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
    return levels.astype(np.int16)


def difference_of(first: QImage, second: QImage, rounded: int = 0) -> str:
    """Return where two pictures of one size differ by more than `rounded` levels; "" where they do not."""
    distance = np.abs(levels_of(first) - levels_of(second)).max(axis=2)
    rows, columns = np.nonzero(distance > rounded)
    if not rows.size:
        return ""
    box = f"x {columns.min()} to {columns.max()}, y {rows.min()} to {rows.max()}"
    return f"{rows.size} pixels, by at most {distance.max()}, {box}"


def context_menu(widget: QWidget, at: QPoint) -> dict[str, Callable[[], None]]:
    """Open the context menu of a widget; return its actions by their texts."""
    opened = opened_menus(widget, at)
    return {action.text(): action.trigger for menu in opened for action in menu.actions() if action.text()}


def opened_menus(widget: QWidget, at: QPoint) -> list[QMenu]:
    """Return the menus that open at a position of a widget by the right button."""
    reason = QContextMenuEvent.Reason.Mouse
    before = set(widget.findChildren(QMenu))
    if isinstance(widget, Plot):
        QTest.mouseClick(widget.viewport(), Qt.MouseButton.RightButton, pos=at)
    else:
        QApplication.sendEvent(widget, QContextMenuEvent(reason, at, widget.mapToGlobal(at)))
    return [menu for menu in widget.findChildren(QMenu) if menu not in before and menu.parent() is widget]


def chip_at(window: MainWindow, token: int) -> QPoint:
    """Return a position within the chip of a token of the strip."""
    strip = window.main_area.strip
    x = next(x for x in range(strip.width()) if strip.token_at(x) == token)
    return QPoint(x + 10, 30)


_ACTION, _BUTTON = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
_NO_KEYS = Qt.KeyboardModifier.NoModifier


def drag_into(widget: QWidget, data: QMimeData) -> bool:
    """Move data into a widget without dropping it; return whether the widget accepts it."""
    centre = QPointF(widget.rect().center())
    # Qt 6.12 deprecates the position in whole pixels, earlier releases have no other constructor.
    has_fractions = QLibraryInfo.version() >= QVersionNumber(6, 12)
    position: Any = centre if has_fractions else centre.toPoint()
    event = QDragEnterEvent(position, _ACTION, data, _BUTTON, _NO_KEYS)
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def drop_onto(widget: QWidget, data: QMimeData) -> None:
    """Drop data that was moved into a widget."""
    centre = QPointF(widget.rect().center())
    QApplication.sendEvent(widget, QDropEvent(centre, _ACTION, data, _BUTTON, _NO_KEYS))


_SVG = "{http://www.w3.org/2000/svg}"


def lines_of_text(path: Path) -> list[str]:
    """Return the text on each baseline, from the top, each from left to right.

    Qt writes one element for each font of a line: where one font has both Latin and Hangul, a line of both is
    one element, elsewhere several. Spaces belong to the elements, so these are joined as they are.
    """
    baselines: dict[float, list[tuple[float, str]]] = defaultdict(list)
    for group in ElementTree.parse(path).iter(f"{_SVG}g"):
        for element in group.findall(f"{_SVG}text"):
            x, y = _on_page(group, float(element.attrib["x"]), float(element.attrib["y"]))
            baselines[round(y, 1)].append((x, "".join(element.itertext())))
    return ["".join(text for _, text in sorted(line)).strip() for _, line in sorted(baselines.items())]


def lines_drawn_by(widget: QWidget, look: Look, folder: Path) -> list[str]:
    """Return the text that `widget` draws, a line for each baseline; `folder` is written to."""
    path = folder / "drawn.svg"
    write(record(widget, look, None), path)
    return lines_of_text(path)


def _on_page(group: ElementTree.Element, x: float, y: float) -> tuple[float, float]:
    """Return where a point of a group is on the page: Qt writes groups side by side, never nested."""
    matrix = group.attrib["transform"].removeprefix("matrix")
    a, b, c, d, dx, dy = map(float, re.findall(r"[-+.e\d]+", matrix))
    return a * x + c * y + dx, b * x + d * y + dy


_UNIMPORTANT = (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg)
_HARMLESS = (
    "propagateSizeHints",  # the off-screen platform, of every window with a smallest size
    "does not support raise",  # the same, of a window that comes to the front
    "does not support grabbing the keyboard",  # the same, of a menu that opens
    "not accepted by receiving widget",  # of events that the test itself sent
)


class _QtLog(Protocol):
    """What pytest-qt gives as `qtlog`."""

    @property
    def records(self) -> list[Record]: ...


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture, qtlog: _QtLog) -> Iterator[None]:
    """Fail the test if anything was logged as a warning; a test that expects one clears `caplog`."""
    yield
    records = [record for when in ("setup", "call") for record in caplog.get_records(when)]
    logged = [record.getMessage() for record in records if record.levelno >= logging.WARNING]
    messages = [record.message for record in qtlog.records if record.type not in _UNIMPORTANT]
    faults = [text for text in logged + messages if not any(part in text for part in _HARMLESS)]
    assert not faults, "\n".join(faults)


def headings_of(palette: CommandPalette) -> list[str]:
    """Return the titles of the groups that a palette lists: what cannot be chosen."""
    (listed,) = palette.findChildren(QListWidget)
    items = [listed.item(row) for row in range(listed.count())]
    return [item.text() for item in items if not item.flags()]
