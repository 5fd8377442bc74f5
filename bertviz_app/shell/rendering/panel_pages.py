"""Where a picture of Steps, Vectors or Parameters is: at a stage, on a page, of a parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TypeVar

from PySide6.QtCore import QEventLoop, QTimer

from bertviz_app.checkpoint.parameters import StoredParameter
from bertviz_app.errors import FigureError, Message, SelectionError
from bertviz_app.options import PAGES, PanelPage
from bertviz_app.viewmodels.panel import PARAMETERS_PAGES
from bertviz_app.viewmodels.results import Ready
from bertviz_app.viewmodels.steps.stops import STAGES, stop_named
from bertviz_app.views.kit.panel_view import PanelView
from bertviz_app.views.parameters import ParametersView
from bertviz_app.views.steps.view import StepsView
from bertviz_app.views.vectors.view import VectorsView

PANEL_PAGES = ("steps", "vectors", "parameters")
_POLL_MS = 5
_Page = TypeVar("_Page", bound=str)
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
            message = Message("“{0}” is of the view “{1}”, not of “{2}”.", name, _VIEWS[name][0], view)
            raise SelectionError(message, Message("Leave it out, or draw that view."))


def go_to(view: PanelView, page: PanelPage) -> None:
    """Have a view show its stage, page or parameter, once it has its numbers. Raises SelectionError."""
    wait_for(view)
    if isinstance(view, StepsView):
        _go_to_stage(view, page)
    elif isinstance(view, VectorsView):
        if page.page is not None:
            view.show_page(_named(page.page, PAGES))
        if page.state is not None:
            view.show_state(page.state)
    elif isinstance(view, ParametersView):
        _go_to_parameter(view, page)
    wait_for(view)


def check_drawn(view: PanelView) -> None:
    """Raise FigureError with what a view says instead of a picture."""
    message = ""
    if isinstance(view, StepsView) and view.walking.sheet is None:
        message = view.walking.message
    elif isinstance(view, ParametersView):
        message = view.problem
    if message:
        raise FigureError(message, Message("Give the model that encoded the text: model=model."))


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


def _named(page: str, known: tuple[_Page, ...]) -> _Page:
    """Return the page that is called so. Raises SelectionError."""
    for one in known:
        if one == page:
            return one
    message = Message("There is no page “{0}”.", page)
    raise SelectionError(message, Message("There are: {0}.", ", ".join(known)))


def _go_to_stage(view: StepsView, page: PanelPage) -> None:
    if page.stage is not None:
        stop = stop_named(page.stage, view.walk.nearest_layer, view.walk.n_layers)
        if stop not in view.walk.stops:
            there = ", ".join(dict.fromkeys(stop.stage for stop in view.walk.stops))
            message, hint = STAGES[page.stage].why_absent or (
                f"This checkpoint has no stage “{page.stage}”.",
                f"There are {there}.",
            )
            raise SelectionError(message, hint)
        view.walk.go(stop)
    if page.products and not view.walk.shows_products:
        view.walk.turn_products()


def _go_to_parameter(view: ParametersView, page: PanelPage) -> None:
    shown = None if page.page is None else _named(page.page, PARAMETERS_PAGES)
    if page.parameter is not None:
        entry = _parameter(view, page.parameter)
        view.show_parameter(entry.key)
        wait_for(view)
        if page.output is not None:
            if not entry.is_matrix or not 0 <= page.output < entry.shape[0]:
                message = Message("“{0}” has no row {1}.", page.parameter, page.output)
                raise SelectionError(message, Message("Its shape is {0}.", " x ".join(map(str, entry.shape))))
            view.choose_output(page.output)
    if shown is not None:
        view.show_page(shown)


def _parameter(view: ParametersView, name: str) -> StoredParameter:
    """Return the parameter that is called `name`, in the file or in this program. Raises SelectionError."""
    state = view.shown.table
    entries = tuple(state.value.table) if isinstance(state, Ready) else ()
    found = next((entry for entry in entries if name in (entry.key, entry.name)), None)
    if found is not None:
        return found
    raise SelectionError(
        Message("This checkpoint has no parameter “{0}”.", name),
        Message("“bertviz-app parameters” and model.parameters() list all of them."),
    )
