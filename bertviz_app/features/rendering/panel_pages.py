"""Where a picture of Steps, Vectors or Parameters is: at a stage, on a page, of a parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

from PySide6.QtCore import QEventLoop, QTimer

from bertviz_app.errors import Message, SelectionError
from bertviz_app.options import PanelPage
from bertviz_app.views.kit.panel_view import PanelView

PANEL_PAGES = ("steps", "vectors", "parameters")
_POLL_MS = 5
_VIEWS: dict[str, tuple[str, ...]] = {
    "stage": ("steps",),
    "products": ("steps",),
    "page": ("vectors", "parameters"),
    "state": ("vectors",),
    "parameter": ("parameters",),
    "output": ("parameters",),
}
"""The views that each field of a PanelPage is about."""


def check_page(page: PanelPage, view: str) -> None:
    """Raise SelectionError for what is chosen of another view than the one that is drawn."""
    for name in (field.name for field in fields(page)):
        if getattr(page, name) != getattr(PanelPage(), name) and view not in _VIEWS[name]:
            raise is_of(name, _VIEWS[name][0], view)


def is_of(name: str, view: str, other: str) -> SelectionError:
    """Return the error for an argument of a view, which `other` does not have."""
    message = Message("“{0}” is of the view “{1}”, not of “{2}”.", name, view, other)
    return SelectionError(message, Message("Leave it out, or draw that view."))


def go_to(view: PanelView, page: PanelPage) -> None:
    """Have a view show its stage, page or parameter, once it has its numbers. Raises SelectionError."""
    wait_for(view)
    view.go_to(page)
    wait_for(view)


def wait_for(view: PanelView) -> None:
    """Let the workers compute what a view draws."""
    view.complete()
    run_until(lambda: not view.is_waiting)


def run_until(is_done: Callable[[], bool]) -> None:
    """Let the event loop run until `is_done()`."""
    loop = QEventLoop()
    timer = QTimer(interval=_POLL_MS)
    timer.timeout.connect(lambda: loop.quit() if is_done() else None)
    timer.start()
    loop.exec()
