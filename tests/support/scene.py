"""What a view is made of, and looking at what it drew."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent, QPixmap, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.attention.stamp import AttentionNumbers
from bertviz_app.shell.settings.appearance import read_palette
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.heads.pictures import HeadPicture, head_picture
from bertviz_app.viewmodels.heads.pictures import picture_of as picture_of_source
from bertviz_app.viewmodels.heads.places import DifferenceSource, difference_order
from bertviz_app.viewmodels.options import DrawOptions, Selection
from bertviz_app.viewmodels.runs.shown import beside
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.kit.canvas import end_turns
from bertviz_app.views.kit.look import Look
from bertviz_app.views.plots.plot import Plot
from tests.support.factories import trace_of

_Widget = TypeVar("_Widget", bound=QWidget)
NO_KEYS = Qt.KeyboardModifier.NoModifier
NO_BUTTON = Qt.MouseButton.NoButton
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def look(qapp: QApplication) -> Look:
    return Look(read_palette("light"))


@pytest.fixture
def selection(qapp: QApplication) -> Selection:
    return Selection()


@pytest.fixture
def viewport(qapp: QApplication) -> Viewport:
    return Viewport()


def picture_of(attention: Doubles) -> HeadPicture:
    """Return the picture of a head with exactly this attention [T, T]."""
    return head_picture(trace_of(attention[None, None]), 0, 0)


def difference_picture(one: Trace, other: Trace, layer: int = 1, head: int = 0) -> HeadPicture:
    """Return the picture of a head of `one` minus the same head of `other`."""
    difference, options = beside(one, other), DrawOptions()
    aligned = difference.alignment.positions
    token_order = difference_order(difference.traces, aligned, options)
    source = DifferenceSource(
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
        *(at, where, QPoint(), angle, NO_BUTTON, NO_KEYS),
        *(Qt.ScrollPhase.NoScrollPhase, False),
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
