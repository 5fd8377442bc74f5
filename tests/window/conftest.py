"""What the tests of the whole window share."""

from __future__ import annotations

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
