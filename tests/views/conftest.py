"""What the tests of single views share."""

from __future__ import annotations

from tests.support.scene import look, quiet, selection, viewport

__all__ = ["look", "quiet", "selection", "viewport"]
