"""A view with all rows and columns in sight, for a picture of it; afterwards scrolled as it was before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollBar, QTableView, QWidget

from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.plots.plot import Plot

_MOST_ROUNDS = 4  # taller rows, or a second line of the heading, may need more once more


@contextmanager
def scrolled_as_before(widget: QWidget) -> Iterator[None]:
    """Have `widget` show the same rows after the block, whatever is hidden or resized in it.

    Every change of height limits the scroll bars: their positions are those from before the first one.
    """
    positions = [(bar, bar.value()) for bar in widget.findChildren(QScrollBar)]
    try:
        yield
    finally:
        for bar, value in positions:
            bar.setValue(value)


@contextmanager
def shown_whole(widget: QWidget) -> Iterator[None]:
    """Have `widget` be so high and wide for the block that nothing of it is scrolled away.

    The layout around it would give it back its size as soon as a part of it appears.
    """
    before, parent = widget.size(), widget.parentWidget()
    around = None if parent is None else parent.layout()
    if around is not None:
        around.setEnabled(False)
    try:
        for _ in range(_MOST_ROUNDS):
            wider, higher = hidden_width(widget), hidden_height(widget)
            if not wider and not higher:
                break
            widget.resize(widget.width() + wider, widget.height() + higher)
            lay_out(widget)
        yield
    finally:
        if widget.size() != before:
            widget.resize(before)
            lay_out(widget)
        if around is not None:
            around.setEnabled(True)


def hidden_height(widget: QWidget) -> int:
    """Return how many pixels of `widget` are not in sight.

    They are scrolled away, below the edge of a canvas, or what a plot needs to write everything.
    """
    draws = isinstance(widget, (Canvas, Plot))
    below = widget.minimumSizeHint().height() - widget.height() if draws else 0
    scrolled = (_hidden_by(bar) for bar in widget.findChildren(QScrollBar) if _scrolls(bar, widget))
    plots = (plot.hidden_height for plot in widget.findChildren(Plot) if plot.isVisibleTo(widget))
    return max((0, below, *scrolled, *plots))


def hidden_width(widget: QWidget) -> int:
    """Return how many pixels of the columns of a table in `widget` are scrolled away."""
    tables = [widget] if isinstance(widget, QTableView) else []
    tables += [table for table in widget.findChildren(QTableView) if table.isVisibleTo(widget)]
    return max(
        (max(0, table.horizontalHeader().length() - table.viewport().width()) for table in tables), default=0
    )


def lay_out(widget: QWidget) -> None:
    """Give all parts of `widget` their places now, not in the next turn of the event loop."""
    for part in (widget, *widget.findChildren(QWidget)):
        layout = part.layout()
        if layout is not None:
            layout.activate()


def _scrolls(bar: QScrollBar, widget: QWidget) -> bool:
    """Return whether a bar scrolls rows that are shown; it may itself be hidden for the picture."""
    around = bar.parentWidget()
    is_shown = around is not None and (
        around is widget or around.isVisibleTo(widget) or _table_of(bar) is not None
    )
    return is_shown and bar.orientation() == Qt.Orientation.Vertical


def _table_of(bar: QScrollBar) -> QTableView | None:
    around = bar.parentWidget()
    table = None if around is None else around.parentWidget()
    return table if isinstance(table, QTableView) else None


def _hidden_by(bar: QScrollBar) -> int:
    table = _table_of(bar)
    if table is None:
        return bar.maximum() - bar.minimum()
    # The bar may count rows, and is up to date only in the next turn of the event loop.
    return max(0, table.verticalHeader().length() - table.viewport().height()) if table.isVisible() else 0
