"""What all views are made of: canvas, card, notice, fields, words, numbers, labels and the style sheet."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QLocale, QObject, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QImage, QKeySequence, QMouseEvent, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from bertviz_app.features.steps.views.sheet import StripPainter
from bertviz_app.shell.settings import read_palette
from bertviz_app.values import dataclass
from bertviz_app.views.kit import words as numbers
from bertviz_app.views.kit.canvas import CachedTexts, Canvas, LaterWork, painted
from bertviz_app.views.kit.card import Card
from bertviz_app.views.kit.fields import Fields
from bertviz_app.views.kit.labels import Labels
from bertviz_app.views.kit.look import Look, form, in_row, style_sheet
from bertviz_app.views.kit.terms import TermButton
from bertviz_app.views.kit.widgets import CopyingTable, Notice, NoticeArea, NumberField, SignButton
from bertviz_app.views.kit.words import plain, without_mnemonic, write_prose
from tests.support.scene import click, expect, move, not_none, on_screen, pixels_of, turn_events


class Broken(Canvas):
    """Fails to draw, and to take the mouse, until it is mended."""

    is_mended = False

    def draw(self, painter: QPainter) -> None:
        if not self.is_mended:
            raise ZeroDivisionError("a defect in a drawing")
        painter.fillRect(self.rect(), Qt.GlobalColor.red)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        raise ZeroDivisionError("a defect in a gesture")

    def sizeHint(self) -> QSize:
        raise ZeroDivisionError("a defect in a size")

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


@pytest.fixture
def host() -> Iterator[QWidget]:
    host = QWidget()
    yield host
    host.close()


@pytest.fixture
def header(qtbot: QtBot, host: QWidget) -> tuple[Card, QWidget]:
    """The header of a docked card with a title, an i and a button, on its own as a dock has it."""
    card = Card("A title of some length", QWidget())
    card.explain_with("attention")
    button = QPushButton("x")
    card.add_corner(button)
    header = card.take_header()
    row = QHBoxLayout(host)
    row.addWidget(header)
    row.setContentsMargins(0, 0, 0, 0)
    qtbot.addWidget(card)
    host.show()
    return card, header


def _others(head: QWidget) -> int:
    """Return the width of the button beside the title and the i."""
    return sum(one.sizeHint().width() for one in head.findChildren(QPushButton) if one.text() == "x")


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    return on_screen(qtbot, QWidget(), 900, 700)


@pytest.fixture
def notice(window: QWidget) -> Notice:
    return Notice(NoticeArea(window))


def _button(notice: Notice, name: str) -> QPushButton:
    return next(button for button in notice.findChildren(QPushButton) if button.objectName() == name)


@pytest.fixture
def field(qtbot: QtBot) -> NumberField:
    return on_screen(qtbot, NumberField(0.1), 80, 24)


@pytest.fixture
def changes(field: NumberField) -> list[float | None]:
    changes: list[float | None] = []
    field.changed.connect(changes.append)
    return changes


class _Table(CopyingTable):
    """A table of one row, whose token has a character that ends a line elsewhere."""

    def copied(self) -> str:
        return "token\tweight\na\u2028b\t0.5\n"


def test_a_defect_in_a_drawing_is_logged_and_the_next_frame_is_drawn(
    broken: Broken, caplog: pytest.LogCaptureFixture
) -> None:
    pixels_of(broken)
    assert ("Canvas.paintEvent failed", "a defect in a drawing") in _defects(caplog)
    broken.is_mended = True
    assert pixels_of(broken)[20, 30] == 0xFF0000


def test_a_defect_in_a_gesture_or_an_override_is_logged_and_qt_gets_the_default(
    broken: Broken, caplog: pytest.LogCaptureFixture
) -> None:
    broken.is_mended = True
    move(broken, 10, 10)
    assert _defects(caplog) == [("Broken.mouseMoveEvent failed", "a defect in a gesture")]
    # a defect in an override that returns something gives qt the default
    broken.is_mended = True
    assert broken.sizeHint() == QSize()
    assert not QApplication.sendEvent(broken, QEvent(QEvent.Type.ToolTip))
    assert _defects(caplog) == [
        ("Broken.sizeHint failed", "a defect in a size"),
        ("Broken.event failed", "a defect in an event"),
    ]


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


def test_later_work_is_done_in_turns_and_not_for_what_is_gone(qtbot: QtBot) -> None:
    later, gone, owner, done = LaterWork(), QObject(), QObject(), list[str]()
    for of, name in ((gone, "gone"), (owner, "a"), (owner, "b"), (owner, "a")):
        later.add(of, name, partial(done.append, name))
    delete(gone)
    seen = []
    while not later.is_done():
        QApplication.processEvents()
        seen.append("".join(done))
    assert seen == sorted(seen, key=len)
    assert seen[0] == "", "the turn that paints what a gesture updated does no later work"
    assert seen[-1] == "ab", "the newest of each"


def test_later_work_that_is_held_waits_while_the_owner_of_the_hold_lives(qtbot: QtBot) -> None:
    later, owner, holder, done = LaterWork(), QObject(), QObject(), list[str]()
    later.hold("faint", holder, is_held=True)
    for name in ("faint", "strong"):
        later.add(owner, name, partial(done.append, name))
    turn_events()
    assert done == ["strong"]
    assert later.is_done(), "nothing else waits"
    later.hold("faint", holder, is_held=False)
    assert not later.is_done()
    turn_events()
    assert done == ["strong", "faint"]
    later.hold("faint", holder, is_held=True)
    delete(holder)
    later.add(owner, "faint", partial(done.append, "of nobody"))
    turn_events()
    assert done == ["strong", "faint", "of nobody"]


def test_the_view_under_the_pointer_is_painted_before_those_that_follow_it(qtbot: QtBot, look: Look) -> None:
    page, painted = on_screen(qtbot, QWidget(), 200, 150), list[int]()

    class Noted(Canvas):
        def draw(self, painter: QPainter) -> None:
            painted.append(views.index(self))

    views = [Noted(look, page) for _ in range(3)]
    for number, view in enumerate(views):
        view.setGeometry(0, 50 * number, 200, 50)
        view.show()
    qtbot.waitUntil(lambda: {*painted} == {0, 1, 2})
    turn_events()
    painted.clear()
    for view in views:
        view.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, view is views[1])  # wherever the pointer is
        view.update_following()
    turns = dict[tuple[int, ...], None]()
    for _ in range(10):
        QApplication.processEvents()
        turns[tuple(painted)] = None
    assert list(turns) == [(1,), (1, 0), (1, 0, 2)]


def test_the_i_goes_before_the_title_is_cut_and_comes_back(header: tuple[Card, QWidget]) -> None:
    card, head = header
    whole = card.title.fontMetrics().horizontalAdvance(card.title.text())
    i = not_none(head.findChild(TermButton))
    for width, has_i in ((500, True), (whole + _others(head) + 20, False), (500, True)):
        head.window().resize(width, 40)
        QApplication.processEvents()
        assert i.isVisible() == has_i
        assert card.title.width() >= whole


def test_it_covers_nothing(qtbot: QtBot, window: QWidget) -> None:
    area, below = NoticeArea(), QLabel("the tokens")
    column = QVBoxLayout(window)
    column.addWidget(area)
    column.addWidget(below, 1)
    notices = [Notice(area), Notice(area)]
    qtbot.waitUntil(lambda: below.geometry().top() < 20)
    for notice in notices:
        notice.show_message("The text has a control character. Take it out.")
    qtbot.waitUntil(lambda: below.geometry().top() > area.geometry().bottom() > 70)
    assert notices[0].geometry().bottom() < notices[1].geometry().top()
    assert area.geometry().right() <= window.width()
    for notice in notices:
        notice.dismiss()
    qtbot.waitUntil(lambda: below.geometry().top() < 20)


def test_its_button_runs_its_action_once(qtbot: QtBot, notice: Notice) -> None:
    ran: list[str] = []
    notice.show_message("No memory.", ("Use the CPU", lambda: ran.append("cpu")))
    button = _button(notice, "link")
    assert button.text() == "Use the CPU"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert ran == ["cpu"]
    assert not notice.isVisible()


def test_a_button_that_stands_for_no_action_does_nothing_with_the_focus(notice: Notice) -> None:
    notice.show_message("No memory.", ("Use the CPU", lambda: None))
    button = _button(notice, "link")
    button.setFocus()
    notice.window().hide()  # what is hidden as part of a page can keep the focus
    notice.show_message("No memory.")
    QTest.keyClick(button, Qt.Key.Key_Space)  # an exception in a slot fails the test
    assert not notice.isHidden()


@pytest.mark.parametrize("language", [QLocale.Language.C, QLocale.Language.German])
@pytest.mark.parametrize(
    ("typed", "top", "text", "announced"),
    [
        ("0.25", 1.0, "0.25", [0.0, 0.2, 0.25]),
        ("x7", 1.0, "7", []),
        ("7", 8.0, "7", [7.0]),
        ("1,000", 9999.0, "1000", [1.0, 10.0, 100.0, 1000.0]),
        ("0,3", 1.0, "03", [0.0]),
        ("1e-1", 1.0, "1", [1.0]),
        ("0.12345", 1.0, "0.1234", [0.0, 0.1, 0.12, 0.123, 0.1234]),
    ],
)
def test_what_can_be_typed_is_a_number_of_the_range_with_a_point_in_every_language(
    qtbot: QtBot, language: QLocale.Language, typed: str, top: float, text: str, announced: list[float]
) -> None:
    QLocale.setDefault(QLocale(language))
    try:
        field, changes = on_screen(qtbot, NumberField(0.1), 80, 24), list[float | None]()
        field.changed.connect(changes.append)
        field.set_range(top)
        QTest.keyClicks(field, typed)
        assert (field.text(), changes) == (text, announced)
        field.selectAll()
        QTest.keyClick(field, Qt.Key.Key_Delete)
        assert field.value is None
    finally:
        QLocale.setDefault(QLocale.c())


@pytest.mark.parametrize(
    ("top", "first", "keys", "announced"),
    [
        (1.0, None, "++-", [0.1, 0.2, 0.1]),
        (1.0, 0.1, "--", [0.0]),
        (1.0, 0.95, "+", [1.0]),
        (1.0, None, "+++", [0.1, 0.2, 0.3]),
        (8.0, 7.85, "+++", [7.95, 8.0]),
    ],
)
def test_the_arrow_keys_step_within_the_range_without_rounding_errors(
    field: NumberField,
    changes: list[float | None],
    top: float,
    first: float | None,
    keys: str,
    announced: list[float],
) -> None:
    field.set_range(top)
    field.show_value(first)
    for key in keys:
        QTest.keyClick(field, Qt.Key.Key_Up if key == "+" else Qt.Key.Key_Down)
    assert changes == announced, "an end is announced once"


def test_a_shown_number_is_not_announced_and_leaves_what_is_typed(
    field: NumberField, changes: list[float | None]
) -> None:
    field.show_value(0.5)
    assert (field.text(), changes) == ("0.5", [])
    field.selectAll()
    QTest.keyClicks(field, "0.50")
    field.show_value(0.5)
    assert field.text() == "0.50"
    field.show_value(None)
    assert field.text() == ""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_name_is_replaced(theme: str) -> None:
    palette = read_palette(theme)
    sheet = style_sheet(Look(palette))
    assert "@" not in sheet
    assert f"QMainWindow, QDialog, #ground {{ background: {palette.window}; }}" in sheet
    assert f"check_{theme}.svg" in sheet


@pytest.mark.parametrize("bold", [False, True])
def test_letters_are_drawn_as_they_are_written(look: Look, *, bold: bool) -> None:
    """The text face has alternates: "4x2" is drawn as "4×2" by it, and "->" as an arrow."""
    for font in (look.font(13, bold=bold), look.number_font(12, bold=bold)):
        assert font.isFeatureSet(QFont.Tag("calt"))
        assert font.featureValue(QFont.Tag("calt")) == 0


def test_copied_rows_have_the_interventions_once_whatever_a_token_has_in_it(qtbot: QtBot) -> None:
    table = _Table()
    qtbot.addWidget(table)
    table.interventions = "0·1 muted"
    QTest.keySequence(table, QKeySequence.StandardKey.Copy)
    copied = QGuiApplication.clipboard().text()
    assert copied == "token\tweight\tinterventions\na\u2028b\t0.5\t0·1 muted\n"


@dataclass(frozen=True)
class Choices:
    """What the form of the test below shows."""

    size: int = 2
    colour: str = "red"
    is_wide: bool = False
    name: str = ""


def test_a_form_shows_changes_and_names_the_fields_of_a_value(qtbot: QtBot) -> None:
    changed: list[dict[str, object]] = []
    fields = Fields(lambda **values: changed.append(values))
    line = fields.line("name", "any name")
    fields.enable_if(lambda value: value.is_wide, line)
    widget = QWidget()
    qtbot.addWidget(widget)
    rows = form(
        ("Size", fields.segments("size", {1: "one", 2: ("two", "twice as large")})),
        ("Colour", fields.combo("colour", {"red": "Red", "blue": "Blue"})),
        ("Shape", fields.check("is_wide", "wide")),
        ("Name", in_row(line, QPushButton("…"))),
        ("", QLabel("a row without a label")),
        of=widget,
    )
    assert [fields[name].accessibleName() for name in ("size", "colour", "is_wide", "name")] == [
        "Size",
        "Colour",
        "",  # a check box has its own words
        "Name",
    ]
    colour = fields["colour"]
    label = expect(QLabel, rows.labelForField(colour))
    assert label.buddy() == colour
    fields.show(Choices(1, "blue"))
    assert (fields["size"].chosen_key, fields["colour"].currentText()) == ("1", "Blue")
    assert not line.isEnabled()
    assert changed == [], "what is shown is no change"
    fields["size"].chosen.emit("2")
    fields["colour"].setCurrentIndex(0)
    fields["is_wide"].setChecked(True)
    line.textEdited.emit("a")
    assert changed == [{"size": 2}, {"colour": "red"}, {"is_wide": True}, {"name": "a"}]


def test_words_are_written_as_they_are(qtbot: QtBot) -> None:
    assert plain("the token [CLS]") == "the token [CLS]"
    assert plain("the token <s>\n& more") == "<qt>the token &lt;s&gt;<br>&amp; more</qt>"
    assert plain("the token &lt;") == "<qt>the token &amp;lt;</qt>"
    # an ampersand on a button is no mnemonic
    button = QPushButton(without_mnemonic("AT&T → &"))
    qtbot.addWidget(button)
    assert button.text() == "AT&&T → &&"
    assert button.shortcut().isEmpty()
    # indices and powers are set and vectors are not broken
    label = QLabel()
    qtbot.addWidget(label)
    write_prose(label, "x <s> has W_Q,\nand 1 / e^−4.5.")
    assert label.textFormat() == Qt.TextFormat.RichText
    assert label.text() == "x &lt;s&gt; has W<sub>Q</sub>,<br>and 1 / e<sup>−4.5</sup>."
    write_prose(label, "where d = 32 and q = [1, 2], a word = 3")
    assert label.text() == "where d\xa0=\xa032 and q\xa0=\xa0[1,\xa02], a word = 3"
    write_prose(label, "one of d × 4d, 4 × 768, rows × columns")
    assert label.text() == "one of d\xa0×\xa04d, 4\xa0×\xa0768, rows × columns"
    write_prose(label, "W_Q를, a_b_c")
    assert label.text() == "W<sub>Q</sub>를, a_b_c"
    # the root sign has the letters of no Korean font, where a bar floats before the number
    write_prose(label, "÷ √32")
    assert "DejaVu Sans" in label.text()
    assert label.text().endswith("√</span>32")
    write_prose(label, "[0, 3] and <b>, snake_case")
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert label.text() == "[0,\xa03] and <b>, snake_case"


def test_a_sign_is_drawn_alike_in_every_font(qtbot: QtBot) -> None:
    button = SignButton("✕")
    on_screen(qtbot, button, 30, 30)
    drawn = []
    for family in ("DejaVu Sans", "Noto Sans CJK KR", "DejaVu Serif"):
        font = QFont(family)
        font.setPixelSize(14)
        button.setFont(font)
        drawn.append(pixels_of(button))
    assert all(np.array_equal(drawn[0], each) for each in drawn)
    button.setText("")
    assert not np.array_equal(drawn[0], pixels_of(button)), "there was a sign"
    button.setText("Options")
    words = pixels_of(button)
    button.setText("Optional")
    assert not np.array_equal(words, pixels_of(button)), "other texts are written"


_FORMATS = (numbers.fixed, numbers.trimmed, numbers.general, numbers.signed, numbers.cell_number)
TEXTS = ("[CLS]", "gyp", "뱃", "{jQ}")


def _inked(look: Look, labels: Labels, number: int) -> tuple[int, int]:
    """Return the first and the last row of pixels that a label inks, from its middle."""
    image = QImage(120, 60, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    box = QRectF(10, 30 - labels.height / 2, 100, labels.height)
    labels.draw(painter, number, box, Qt.AlignmentFlag.AlignLeft, is_highlighted=True)
    painter.end()
    words = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1) & np.uint32(0xFFFFFF)
    rows = np.flatnonzero((words != 0xFFFFFF).any(axis=1))
    return int(rows[0]) - 30, int(rows[-1]) - 30


RATIOS = pytest.mark.parametrize("ratio", [1.5])
WHITE = 0xFFFFFF
pytestmark = pytest.mark.usefixtures("qapp")


def _screen(ratio: float, width: int = 120, height: int = 60) -> QImage:
    image = QImage(round(width * ratio), round(height * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.white)
    return image


def _drawn(ratio: float, draw: Callable[[QPainter], None]) -> NDArray[np.uint32]:
    """Return the pixels of a screen on which `draw` has painted."""
    image = _screen(ratio)
    painter = QPainter(image)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw(painter)
    finally:
        painter.end()
    return _pixels(image)


def _pixels(image: QImage) -> NDArray[np.uint32]:
    words = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return (words[:, : image.width()] & np.uint32(WHITE)).copy()


@given(st.floats(-1e6, 1e6))
def test_no_format_has_a_hyphen_for_a_minus_sign(value: float) -> None:
    for written in (write(value) for write in _FORMATS):
        assert "-" not in written
        nearly = max(0.006, abs(value) * 1e-3)
        assert abs(float(written.replace("−", "-")) - value) <= nearly


@pytest.mark.parametrize(
    ("value", "fixed", "signed", "cell"),
    [
        (-0.12345, "−0.1235", "−0.12", "−0.123"),
        (-0.00004, "0.0000", "−4.0e−05", "0.000"),
        (-1234.4, "−1234.4000", "−1234.40", "−1234"),
        (-math.inf, "−∞", "−∞", "−∞"),
        (math.nan, "–", "–", "–"),
    ],
)
def test_a_number_reads_so(value: float, fixed: str, signed: str, cell: str) -> None:
    written = (numbers.fixed(value), numbers.signed(value), numbers.cell_number(value))
    assert written == (fixed, signed, cell)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_an_exact_number_is_read_back_as_the_same(value: float) -> None:
    written = numbers.exact(np.float32(value))
    assert np.float32(written.replace("−", "-")) == np.float32(value)


def test_numbers_in_little_room_are_short_and_not_called_zero() -> None:
    weights = [numbers.cell_weight(weight) for weight in (0.0, 0.004, 0.006, 1.0)]
    assert weights == ["0.00", "<.01", "0.01", "1.00"]
    probabilities = [numbers.probability(value) for value in (0.0, 2.4e-6, -2e-6, 0.125)]
    assert probabilities == ["0.0000", "2e−06", "−2e−06", "0.1250"]
    # a difference in a cell has its sign
    written = [numbers.cell_difference(difference) for difference in (0.0, 0.004, 0.25, -0.25)]
    assert written == ["0", "0", "+0.25", "−0.25"]
    # a measure in a cell has the fewest characters
    values = (0, 0.004, 0.52, 0.994, 0.996, 2.04, 99.4, 100)
    written = [numbers.cell_measure(value) for value in values]
    assert written == [".00", ".00", ".52", ".99", "1.0", "2.0", "99.4", "100"]
    # zeros at the end are trimmed after a point only
    written = [numbers.trimmed(value) for value in (0.25, 10.0, 0.0, 0.12345)]
    assert written == ["0.25", "10", "0", "0.1235"]


@pytest.mark.parametrize("number", [0, 3])
def test_labels_below_each_other_do_not_touch(look: Look, number: int) -> None:
    labels = Labels(look, TEXTS)
    top, bottom = _inked(look, labels, number)
    assert bottom - top + 1 <= labels.height


@RATIOS
def test_a_picture_has_every_pixel_of_the_room_that_it_covers(ratio: float) -> None:
    room = QRectF(-3.5, -2.5, 21, 11)
    picture = painted(room, ratio, lambda painter: painter.fillRect(room, QColor("black")))
    inked = _drawn(ratio, lambda painter: painter.drawPixmap(QPointF(10, 10), picture)) != WHITE
    assert picture.devicePixelRatio() == ratio
    assert inked.any(axis=1).sum() >= 11 * ratio
    assert inked.any(axis=0).sum() >= 21 * ratio


@RATIOS
def test_copied_texts_are_on_the_pixels_of_the_screen(look: Look, ratio: float) -> None:
    """A text at 10 2/3 of Qt's pixels is moved by at most half a pixel of the screen, not of Qt's."""
    at, square, texts = QPointF(10 + 2 / 3, 20 + 2 / 3), QRectF(0, 0, 8, 8), CachedTexts(look)
    write = [(at, "square", lambda painter: painter.fillRect(square, QColor("black")))]
    drawn = _drawn(ratio, lambda painter: texts.frame(painter).draw(square, write))
    inked = drawn != WHITE
    left, top = int(np.flatnonzero(inked.any(axis=0))[0]), int(np.flatnonzero(inked.any(axis=1))[0])
    assert (left, top) == (int(at.x() * ratio + 0.5), int(at.y() * ratio + 0.5))
    assert set(np.unique(drawn)) == {0, WHITE}, "no pixel is half covered"


@RATIOS
def test_a_strip_has_a_colour_for_every_pixel_of_the_screen(look: Look, ratio: float) -> None:
    box = QRectF(10, 10, 100, 20)
    n_pixels = round(box.width() * ratio)
    values = np.tile(np.array([1.0, -1.0], np.float32), 2 * n_pixels)
    values[::4] *= 2  # of four numbers for each pixel the largest, each second one of the other sign
    values[2::8] = -3
    drawn = _drawn(ratio, lambda painter: StripPainter(painter, look).draw_strip(box, values, 3.0))
    row = drawn[round(20 * ratio), round(10 * ratio) : round(110 * ratio)]
    assert (row[1:] != row[:-1]).all(), "each pixel has another colour than the one before it"
