"""What the tests of the window's state share."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.viewmodels.runs import workspace
from tests.support.fakes import HeldJobs
from tests.support.scene import quiet

__all__ = ["quiet"]


@pytest.fixture
def jobs() -> HeldJobs:
    """A worker that runs what the test tells it to run."""
    return HeldJobs()


@pytest.fixture(autouse=True)
def _application(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    """The state of a window tells steps apart by timers, which need an application.

    It knows no checkpoints of this computer, and loads no torch.
    """
    monkeypatch.setattr(workspace, "list_sources", list)
    monkeypatch.setattr(workspace, "preload_torch", lambda: None)
