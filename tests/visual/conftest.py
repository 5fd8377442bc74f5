"""What the tests of what is drawn share."""

from __future__ import annotations

from tests.quiet import quiet
from tests.scene import look, selection, viewport

__all__ = ["look", "quiet", "selection", "viewport"]
