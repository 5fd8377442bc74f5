"""`ExportSubject`: a view that can be exported, with its title, its numbers and its Python code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.export import Numbers
from bertviz_app.views.export.recording import PictureSheet
from bertviz_app.views.export.titles import NO_TITLES, AxisTitles


@dataclass(frozen=True, eq=False)
class ExportSubject:
    """A view that can be exported.

    `name` is a file's, without ending; `numbers` may take long: it is called on a worker.
    `python` is "" where no lines of Python compute it.
    """

    widget: QWidget
    name: str
    sheet: PictureSheet
    numbers: Callable[[], Numbers]
    python: str
    titles: AxisTitles = NO_TITLES
