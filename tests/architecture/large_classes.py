"""The classes that have more methods or attributes than a class may: a list that only gets shorter."""

from __future__ import annotations

from types import MappingProxyType

LARGE_CLASSES = MappingProxyType(
    {
        "bertviz_app.views.tokens.strip.TokenStrip": (34, 9),
    }
)
"""Module and class, the number of its methods, the number of its attributes."""
