"""What the tests of sessions share: they make whole view models, whose timers must die on this thread."""

from __future__ import annotations

from tests.support.window_fixtures import _collected_here

__all__ = ["_collected_here"]
