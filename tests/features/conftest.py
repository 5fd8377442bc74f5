"""What the tests of the rooms share: parts of views, and a window on a fake engine."""

from __future__ import annotations

import pytest

from tests.support.fakes import HeldJobs
from tests.support.lesson_scene import go, lesson
from tests.support.scene import look, selection, viewport
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
    "look",
    "page",
    "quiet",
    "selection",
    "settle",
    "shared_windows",
    "store",
    "training",
    "viewport",
    "window",
    "window_with_text",
]


@pytest.fixture
def jobs() -> HeldJobs:
    """A worker that runs what the test tells it to run."""
    return HeldJobs()
