"""A canvas: defects are logged and the window lives on; a frame shows the keyboard focus."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.views.kit.canvas import Canvas, LaterWork, guarded, paint_in_turns
from bertviz_app.views.kit.look import Look
from tests.support.scene import click, move, on_screen, pixels_of


class Broken(Canvas):
    """Fails to draw, and to take the mouse, until it is mended."""

    is_mended = False

    def draw(self, painter: QPainter) -> None:
        if not self.is_mended:
            raise ZeroDivisionError("a defect in a drawing")
        painter.fillRect(self.rect(), Qt.GlobalColor.red)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        raise ZeroDivisionError("a defect in a gesture")

    @guarded(default=QSize(30, 20))
    def sizeHint(self) -> QSize:
        raise ZeroDivisionError("a defect in a size")

    @guarded(default=False)
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            raise ZeroDivisionError("a defect in an event")
        return super().event(event)


@pytest.fixture
def broken(qtbot: QtBot, look: Look, caplog: pytest.LogCaptureFixture) -> Broken:
    view = on_screen(qtbot, Broken(look), 60, 40)
    view.setMouseTracking(True)
    caplog.clear()
    return view


def _defects(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    """Return what was logged, the method and the error, and clear it: what is logged fails a test."""
    found = [
        (record.getMessage(), str(record.exc_info[1] if record.exc_info else "")) for record in caplog.records
    ]
    caplog.clear()
    return found


def test_a_defect_in_a_drawing_is_logged_and_the_next_frame_is_drawn(
    broken: Broken, caplog: pytest.LogCaptureFixture
) -> None:
    pixels_of(broken)
    assert ("Canvas.paintEvent failed", "a defect in a drawing") in _defects(caplog)
    broken.is_mended = True
    assert pixels_of(broken)[20, 30] == 0xFF0000


def test_a_defect_in_a_gesture_is_logged(broken: Broken, caplog: pytest.LogCaptureFixture) -> None:
    broken.is_mended = True
    move(broken, 10, 10)
    assert _defects(caplog) == [("Broken.mouseMoveEvent failed", "a defect in a gesture")]


def test_a_defect_in_an_override_that_returns_something_gives_qt_the_default(
    broken: Broken, caplog: pytest.LogCaptureFixture
) -> None:
    broken.is_mended = True
    assert broken.sizeHint() == QSize(30, 20)
    assert not QApplication.sendEvent(broken, QEvent(QEvent.Type.ToolTip))
    assert _defects(caplog) == [
        ("Broken.sizeHint failed", "a defect in a size"),
        ("Broken.event failed", "a defect in an event"),
    ]


class _Shape(Canvas):
    """Leaves the painter as views do: turned, faded and clipped."""

    def draw(self, painter: QPainter) -> None:
        painter.setOpacity(0.1)
        painter.rotate(30)
        painter.setClipRect(0, 0, 5, 5)


def _frame(widget: QWidget) -> set[str]:
    """Return the colours in the middles of the four edges."""
    pixels = pixels_of(widget)
    height, width = pixels.shape
    middles = ((height // 2, 0), (height // 2, width - 1), (0, width // 2), (height - 1, width // 2))
    return {f"#{int(pixels[middle]):06x}" for middle in middles}


def test_a_frame_is_drawn_for_keys_only(qtbot: QtBot, look: Look) -> None:
    window = QWidget()
    column = QVBoxLayout(window)
    field, shape = QLineEdit(), _Shape(look)
    shape.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    shape.setMinimumSize(80, 60)
    column.addWidget(field)
    column.addWidget(shape)
    on_screen(qtbot, window, 200, 150)
    field.setFocus()
    plain = pixels_of(shape)
    QTest.keyClick(field, Qt.Key.Key_Tab)
    assert shape.hasFocus()
    assert _frame(shape) == {look.palette.accent}
    QTest.keyClick(shape, Qt.Key.Key_Backtab)
    np.testing.assert_array_equal(pixels_of(shape), plain)
    click(shape, 40, 30)
    shape.setFocus(Qt.FocusReason.MouseFocusReason)
    assert shape.hasFocus()
    np.testing.assert_array_equal(pixels_of(shape), plain)


class Counting(Canvas):
    """Counts the parts of it that were painted."""

    fills_ground = True

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.painted: list[tuple[bool, bool]] = []

    def draw(self, painter: QPainter) -> None:
        self.painted.append((self.is_dirty(QRectF(0, 0, 5, 5)), self.is_dirty(QRectF(50, 30, 5, 5))))


def test_what_is_updated_later_is_painted_once_after_what_is_updated_now(qtbot: QtBot, look: Look) -> None:
    first, second = (on_screen(qtbot, Counting(look), 60, 40) for _ in range(2))
    for view in (first, second):
        view.painted.clear()
    second.update_later(QRect(0, 0, 5, 5))
    second.update_later(QRect(2, 2, 3, 3))
    first.update()
    QApplication.sendPostedEvents()
    assert (first.painted, second.painted) == ([(True, True)], [])
    qtbot.waitUntil(lambda: bool(second.painted))
    assert second.painted == [(True, False)]
    second.painted.clear()
    second.update_later()
    qtbot.waitUntil(lambda: bool(second.painted))
    assert second.painted == [(True, True)]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_canvas_that_fills_its_ground_has_the_colour_of_cards(qtbot: QtBot, look: Look, theme: str) -> None:
    look.set_palette(read_palette(theme))
    view = on_screen(qtbot, Counting(look), 60, 40)
    assert set(pixels_of(view).ravel().tolist()) == {look.colour("card").rgb() & 0xFFFFFF}


def test_later_work_is_done_one_piece_in_each_second_turn_the_oldest_first(qtbot: QtBot) -> None:
    later, owner = LaterWork(), QObject()
    done: list[str] = []
    for name in ("a", "b", "a", "c"):
        later.add(owner, name, partial(done.append, name))
    seen = []
    for _ in range(6):
        assert not later.is_done()
        QApplication.processEvents()
        seen.append("".join(done))
    assert later.is_done()
    assert seen == ["", "a", "a", "ab", "ab", "abc"]
    QApplication.processEvents()
    later.add(owner, "d", partial(done.append, "d"))
    QApplication.processEvents()
    assert "".join(done) == "abc", "the turn that paints what a gesture updated does no later work"


def test_later_work_of_what_is_deleted_is_not_done(qtbot: QtBot) -> None:
    later, gone, owner = LaterWork(), QObject(), QObject()
    done: list[str] = []
    later.add(gone, "gone", partial(done.append, "gone"))
    later.add(owner, "there", partial(done.append, "there"))
    delete(gone)
    for _ in range(4):
        QApplication.processEvents()
    assert done == ["there"]


def test_later_work_that_is_held_waits_and_the_other_does_not(qtbot: QtBot) -> None:
    later, owner, holder = LaterWork(), QObject(), QObject()
    done: list[str] = []

    def seen() -> str:
        for _ in range(6):
            QApplication.processEvents()
        return "".join(done)

    later.hold("a", holder, is_held=True)
    for name in ("a", "b"):
        later.add(owner, name, partial(done.append, name))
    assert seen() == "b"
    assert later.is_done()
    later.hold("a", holder, is_held=False)
    assert (later.is_done(), later.is_done(but="a")) == (False, True)
    assert seen() == "ba"
    later.hold("a", holder, is_held=True)
    later.add(owner, "a", partial(done.append, "c"))
    delete(holder)
    later.add(owner, "b", partial(done.append, "d"))
    assert seen() == "bacd", "nobody holds it any more"


class Noted(Canvas):
    """Counts how often it is painted."""

    n_painted = 0

    def draw(self, painter: QPainter) -> None:
        self.n_painted += 1


def test_views_that_follow_the_pointer_elsewhere_are_not_painted_in_one_turn(
    qtbot: QtBot, look: Look
) -> None:
    page = on_screen(qtbot, QWidget(), 200, 100)
    views = [Noted(look, page) for _ in range(2)]
    for number, view in enumerate(views):
        view.setGeometry(QRect(0, 50 * number, 200, 50))
        view.show()
    qtbot.waitUntil(lambda: all(view.n_painted for view in views))
    before = [view.n_painted for view in views]
    for view in views:
        view.update_later()
    most = 0
    for _ in range(8):
        n_painted = sum(view.n_painted for view in views)
        QApplication.processEvents()
        most = max(most, sum(view.n_painted for view in views) - n_painted)
    assert most == 1
    assert [view.n_painted for view in views] == [count + 1 for count in before]


def test_the_view_under_the_pointer_is_painted_before_those_that_follow_it(qtbot: QtBot, look: Look) -> None:
    page = on_screen(qtbot, QWidget(), 200, 150)
    views = [Noted(look, page) for _ in range(3)]
    for number, view in enumerate(views):
        view.setGeometry(QRect(0, 50 * number, 200, 50))
        view.show()
    qtbot.waitUntil(lambda: all(view.n_painted for view in views))
    before = [view.n_painted for view in views]
    for view in views:  # wherever the pointer of the platform is
        view.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, view is views[1])
    for view in views:
        view.update_following()
    orders = []
    for _ in range(10):
        QApplication.processEvents()
        orders.append([view.n_painted - count for view, count in zip(views, before, strict=True)])
    orders = [order for number, order in enumerate(orders) if number == 0 or order != orders[number - 1]]
    assert orders == [[0, 1, 0], [1, 1, 0], [1, 1, 1]]


def test_widgets_that_a_result_changes_are_painted_each_in_a_turn_of_its_own(
    qtbot: QtBot, look: Look
) -> None:
    page = on_screen(qtbot, QWidget(), 200, 200)
    views = [Noted(look, page) for _ in range(4)]
    for number, view in enumerate(views):
        view.setGeometry(QRect(0, 50 * number, 200, 50))
        view.setVisible(number < 3)
    views[0].setUpdatesEnabled(False)
    qtbot.waitUntil(lambda: all(view.n_painted for view in views[1:3]))
    for view in views:
        view.update()
    before = [view.n_painted for view in views]
    paint_in_turns(views)
    paint_in_turns(views)
    n_new = []
    for _ in range(8):
        QApplication.processEvents()
        n_new.append(tuple(view.n_painted - n for view, n in zip(views, before, strict=True)))
    assert n_new[0] == (0, 0, 0, 0)
    assert n_new[-1] == (0, 1, 1, 0), "another's decision to paint nothing, and what is hidden, are left"
    assert (0, 1, 0, 0) in n_new, "the second is painted in a later turn than the first"
    assert [view.updatesEnabled() for view in views] == [False, True, True, True]
