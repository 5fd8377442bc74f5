"""What the tests of single views share."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.state import Store
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelTools
from tests.support.fakes import HeldJobs
from tests.support.panel_scenes import VectorScene
from tests.support.scene import look, quiet, selection, viewport

__all__ = ["look", "quiet", "selection", "viewport"]


@pytest.fixture
def panels(qapp: QApplication) -> Panels:
    """The panels of a model of two layers with three heads."""
    panels = Panels()
    panels.set_size(2, 3)
    return panels


@pytest.fixture
def store(panels: Panels) -> Store:
    return panels.store


@pytest.fixture
def tools(look: Look) -> PanelTools:
    """What a view of a panel works with, on a worker that runs nothing by itself."""
    return VectorScene(look, HeldJobs(), Panels()).tools
