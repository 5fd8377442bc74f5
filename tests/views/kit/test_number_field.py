"""A field for a number: what is typed, the arrow keys, and the number none."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.views.kit.number_field import NumberField
from tests.support.scene import on_screen


@pytest.fixture
def field(qtbot: QtBot) -> NumberField:
    return on_screen(qtbot, NumberField(0.1), 80, 24)


@pytest.fixture
def changes(field: NumberField) -> list[float | None]:
    changes: list[float | None] = []
    field.changed.connect(changes.append)
    return changes


def test_numbers_that_are_typed_are_announced_and_an_empty_field_is_none(
    field: NumberField, changes: list[float | None]
) -> None:
    QTest.keyClicks(field, "0.25")
    assert changes == [0.0, 0.2, 0.25]
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete)
    assert changes[-1] is None
    assert field.value is None


def test_what_is_no_number_of_its_range_is_not_announced(
    field: NumberField, changes: list[float | None]
) -> None:
    QTest.keyClicks(field, "x7")
    assert changes == []
    field.set_range(8.0)
    field.clear()
    QTest.keyClicks(field, "7")
    assert changes == [7.0]


def test_a_thousands_separator_cannot_be_typed(field: NumberField, changes: list[float | None]) -> None:
    field.set_range(9999.0)
    QTest.keyClicks(field, "1,000")
    assert (field.text(), changes) == ("1000", [1.0, 10.0, 100.0, 1000.0])


def test_the_arrow_keys_step_within_the_range(field: NumberField, changes: list[float | None]) -> None:
    QTest.keyClick(field, Qt.Key.Key_Up)
    QTest.keyClick(field, Qt.Key.Key_Up)
    QTest.keyClick(field, Qt.Key.Key_Down)
    assert changes == [0.1, 0.2, 0.1]
    assert field.text() == "0.1"
    QTest.keyClick(field, Qt.Key.Key_Down)
    QTest.keyClick(field, Qt.Key.Key_Down)
    assert changes == [0.1, 0.2, 0.1, 0.0], "0 is the least, and is announced once"
    field.show_value(0.95)
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert changes[-1] == 1.0


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


def test_it_steps_by_a_twentieth_unless_another_step_is_given(qtbot: QtBot) -> None:
    field = on_screen(qtbot, NumberField(), 80, 24)
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert field.value == 0.05


def test_numbers_have_a_point_and_four_decimals_in_every_language(
    field: NumberField, changes: list[float | None]
) -> None:
    QTest.keyClicks(field, "0,3")
    assert changes == [0.0], "a comma is none"
    field.clear()
    QTest.keyClicks(field, "1e-1")
    assert (field.text(), changes[-1]) == ("1", 1.0), "neither an e nor more than 1"
    field.clear()
    QTest.keyClicks(field, "0.12345")
    assert (field.text(), changes[-1]) == ("0.1234", 0.1234)


def test_in_a_language_with_commas_a_point_is_typed_all_the_same(qtbot: QtBot) -> None:
    QLocale.setDefault(QLocale(QLocale.Language.German))
    try:
        field = on_screen(qtbot, NumberField(), 80, 24)
        QTest.keyClicks(field, "0.25")
        assert field.value == 0.25
    finally:
        QLocale.setDefault(QLocale.c())


def test_the_digits_end_at_the_right(field: NumberField) -> None:
    field.show_value(0.5)
    at_right = field.rect().right() - field.cursorRect().center().x()
    assert at_right < field.width() / 4


def test_the_arrow_keys_go_up_to_the_top_of_another_range_without_rounding_errors(
    field: NumberField, changes: list[float | None]
) -> None:
    for _ in range(3):
        QTest.keyClick(field, Qt.Key.Key_Up)
    assert changes == [0.1, 0.2, 0.3]
    field.set_range(8.0)
    field.show_value(7.85)
    for _ in range(3):
        QTest.keyClick(field, Qt.Key.Key_Up)
    assert changes[3:] == [7.95, 8.0]


def test_to_show_no_number_clears_what_was_typed_and_is_none(field: NumberField) -> None:
    QTest.keyClicks(field, ".")
    assert (field.text(), field.value) == (".", None)
    field.show_value(None)
    assert field.text() == ""
