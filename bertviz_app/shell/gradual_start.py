"""The second half of the start: what the first paint does without, in short steps with events in between."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, QTimer

from bertviz_app.inference.warmup import hold_torch, release_torch
from bertviz_app.learning.glossary import shipped_themes
from bertviz_app.shell.window.window import MainWindow

MODULES = (
    "bertviz_app.views.plots.cells",
    "bertviz_app.viewmodels.heads.overview_cells",
    "bertviz_app.analysis.results",
    "bertviz_app.viewmodels.heads.pinned_pair",
    "bertviz_app.viewmodels.heads.pictures",
    "bertviz_app.views.overview.divergence",
    "bertviz_app.viewmodels.analyses.baselines",
    "bertviz_app.viewmodels.export.numbers",
    "bertviz_app.analysis.probing.baselines",
    "bertviz_app.views.overview.heads_table",
    "bertviz_app.views.tokens.strip_drawing",
    "bertviz_app.views.tokens.edit_menus",
    "bertviz_app.analysis.predictions",
    "bertviz_app.views.inspector.predictions_view",
    "bertviz_app.views.inspector.view",
    "bertviz_app.views.interventions.view",
    "bertviz_app.viewmodels.parameters.model_matrices",
    "bertviz_app.viewmodels.vectors.pictures",
    "bertviz_app.views.overview.card",
    "bertviz_app.analysis.probing.decomposition.similarity_heads",
    "bertviz_app.views.analyses.grid",
    "bertviz_app.analysis.combined.agreement",
    "bertviz_app.views.analyses.sections",
    "bertviz_app.views.attention.lines",
    "bertviz_app.views.parameters.notes",
    "bertviz_app.views.parameters.view",
    "bertviz_app.views.vectors.pages",
    "bertviz_app.views.vectors.view",
    "bertviz_app.viewmodels.steps.stage",
    "bertviz_app.viewmodels.steps.words",
    "bertviz_app.views.steps.heading",
    "bertviz_app.views.steps.sheets.sheet",
    "bertviz_app.views.steps.sheets.flow_sheet",
    "bertviz_app.views.steps.picture",
    "bertviz_app.views.steps.view",
    "bertviz_app.views.panels.registry",
    "bertviz_app.analysis.catalogue",
    "bertviz_app.viewmodels.runs.shown_runs",
    "bertviz_app.views.panels.card",
    "bertviz_app.shell.window.main_views",
    "bertviz_app.shell.window.main_area",
)
"""The views of a result and what they are made of, in steps of about the same duration.

No other thread may import them while events are handled. Each class derived from a class of Qt is entered
into a table of PySide's (6.11, `PepType_SOTP`), in which the interface thread looks classes up without
Python's lock whenever a signal arrives: if the table grows meanwhile, the process ends with a segmentation
fault.
"""

COMPILED = (
    "_csv",
    "mmap",
    # what pyqtgraph imports, so that its own step, which cannot be divided, is shorter by a fifth
    "cProfile",
    "pydoc",
    "xml.etree.ElementTree",
    "PySide6.QtOpenGLWidgets",
    "PySide6.QtSvg",
    "PySide6.QtTest",
    "pyqtgraph",
)
"""Compiled modules that the others import, and what imports such. They come first: later, while another
thread opens torch's libraries, the interface thread would wait for the loader and hold Python's lock.
"""


def result_views(window: MainWindow) -> Iterator[None]:
    """Build the views of a result; yields after each step. Until the last one no worker imports torch."""
    hold_torch()
    try:
        yield from _classes_of_qt()
        for name in COMPILED:
            import_module(name)
            yield
        for name in MODULES:
            import_module(name)
            yield
        for _ in shipped_themes():  # of the glossary: the headers name their terms
            yield
        yield from window.frame.build_main_area()
    finally:
        release_torch()


def _classes_of_qt() -> Iterator[None]:
    """Have PySide make its classes, some at a time: pyqtgraph's import asks for all of them at once."""
    for module in (QtCore, QtGui, QtWidgets):
        for number, name in enumerate(dir(module)):
            getattr(module, name)
            if number % 100 == 0:
                yield


def run_gradually(steps: Iterator[None], context: QObject) -> None:
    """Run one step in each turn of the event loop; ends early if `context` is destroyed."""

    def run_step() -> None:
        for _ in steps:
            QTimer.singleShot(0, context, run_step)
            return

    run_step()
