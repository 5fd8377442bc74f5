"""`Feature`: what a room of the program brings; `features()` returns those that there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bertviz_app.room_loader import rooms
from bertviz_app.values import dataclass, field

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from bertviz_app.analysis.entry import Analysis
    from bertviz_app.checkpoint.sources.source import Recogniser
    from bertviz_app.checkpoint.tokenizer_files import InPython
    from bertviz_app.figures import DrawsFigures
    from bertviz_app.shell.window.frame import WindowPart
    from bertviz_app.shell.window.window import MainWindow
    from bertviz_app.viewmodels.app_state import AppState
    from bertviz_app.viewmodels.label_trainings import LabelTrainings
    from bertviz_app.views.kit.look import Look
    from bertviz_app.views.kit.panel_view import MakeView
    from bertviz_app.views.model_map import ModelMap


@dataclass(frozen=True)
class Feature:
    """A room beside the way from a text to a picture.

    `parts` makes what it has in a window, which is built but for them; it is called once for each window.
    `panel_views`: by the keys of kinds of panels, what makes their views. `load` imports what it will need
    after the first paint. `label_trainings` makes what trains for a station of a lesson. `model_map`
    makes the map above the panels. `figures` imports
    what draws figures, `analyses` entries of the catalogue, which lists them by their keys,
    `recogniser` what reads checkpoints that do not say what they are, `tokenizers` what splits texts in
    Python.
    """

    parts: Callable[[MainWindow], Sequence[WindowPart]] = lambda window: ()
    panel_views: Mapping[str, MakeView] = field(default_factory=dict)
    load: Callable[[], object] = lambda: None
    label_trainings: Callable[[], LabelTrainings] | None = None
    model_map: Callable[[AppState, Look, QWidget], ModelMap] | None = None
    figures: Callable[[], DrawsFigures] | None = None
    analyses: Callable[[], Sequence[Analysis[Any, Any]]] | None = None
    recogniser: Callable[[], Recogniser] | None = None
    tokenizers: Callable[[], InPython] | None = None


def panel_views(rooms: Iterable[Feature]) -> dict[str, MakeView]:
    """Return what makes the views that rooms bring, by the keys of their kinds."""
    return {key: make for room in rooms for key, make in room.panel_views.items()}


def label_trainings(rooms: Iterable[Feature]) -> LabelTrainings:
    """Return what trains for stations of lessons; where no room does, what says so."""
    from bertviz_app.viewmodels.label_trainings import LabelTrainings

    found = (room.label_trainings for room in rooms if room.label_trainings is not None)
    return next(found, LabelTrainings)()


def features() -> tuple[Feature, ...]:
    """Return the rooms in the order in which they are listed; none where they are left out, or absent."""
    return rooms()
