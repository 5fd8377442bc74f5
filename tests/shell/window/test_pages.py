"""Pages above the views: opened over each other, left one by one, and what is shown behind them."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.shell.window.frame import Pages


def test_pages_are_left_in_the_order_they_were_opened(qtbot: QtBot) -> None:
    holder, pages = QWidget(), Pages()
    qtbot.addWidget(holder)
    holder.setLayout(pages)
    start, views, training, corpus = widgets = [QWidget(holder) for _ in range(4)]
    for widget in widgets:
        pages.addWidget(widget)
    pages.leave_page()
    pages.open_page(training)
    pages.open_page(training)
    pages.open_page(corpus)
    assert pages.currentWidget() is corpus
    pages.show_behind(views)
    assert pages.currentWidget() is corpus
    pages.leave_page()
    assert pages.currentWidget() is training
    pages.open_page(corpus)
    pages.open_page(training)
    assert pages.currentWidget() is training
    pages.leave_page()
    assert pages.currentWidget() is views
    assert not pages.has_page
    pages.open_page(training)
    pages.open_page(corpus)
    with qtbot.waitSignal(pages.page_changed):
        pages.leave_pages()
    assert pages.currentWidget() is views
    pages.show_behind(start)
    assert pages.currentWidget() is start
