"""What the tests of the shell share: a window on a fake engine."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from tests.support.lesson_scene import go, lesson
from tests.support.window_fixtures import (
    _collected_here,
    app_state,
    application,
    engine,
    launch,
    page,
    quiet,
    settle,
    shared_windows,
    store,
    training,
    window,
    window_with_text,
)

__all__ = [
    "_collected_here",
    "app_state",
    "application",
    "engine",
    "go",
    "launch",
    "lesson",
    "page",
    "quiet",
    "settle",
    "shared_windows",
    "store",
    "training",
    "window",
    "window_with_text",
]


@pytest.fixture
def sheets(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The style sheets that the application would be given: to style the whole window takes half a second."""
    found: list[str] = []
    monkeypatch.setattr(QApplication, "setStyleSheet", lambda _, sheet: found.append(sheet))
    monkeypatch.setattr(QApplication, "styleSheet", lambda _: found[-1] if found else "")
    return found
