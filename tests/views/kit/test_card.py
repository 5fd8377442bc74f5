"""`Card`: its header makes room for the title before the title is cut."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.views.kit.card import Card
from bertviz_app.views.kit.terms import TermButton


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


def test_the_i_goes_before_the_title_is_cut_and_comes_back(header: tuple[Card, QWidget]) -> None:
    card, head = header
    whole = card.title.fontMetrics().horizontalAdvance(card.title.text())
    i = head.findChild(TermButton)
    assert i is not None
    for width, has_i in ((500, True), (whole + _others(head) + 20, False), (500, True)):
        head.window().resize(width, 40)
        QApplication.processEvents()
        assert i.isVisible() == has_i
        assert card.title.width() >= whole


def test_a_longer_title_makes_room_for_itself(header: tuple[Card, QWidget]) -> None:
    card, head = header
    whole = card.title.fontMetrics().horizontalAdvance(card.title.text())
    i = head.findChild(TermButton)
    assert i is not None
    head.window().resize(whole + _others(head) + i.sizeHint().width() + 60, 40)
    QApplication.processEvents()
    assert i.isVisible()
    card.title.setText(card.title.text() + " · in another run")
    QApplication.processEvents()
    QApplication.processEvents()
    assert not i.isVisible()
    assert card.title.width() >= card.title.fontMetrics().horizontalAdvance(card.title.text())
