"""Names from other people's files, made safe for messages."""

from __future__ import annotations


def shown(name: str, at_most: int = 80) -> str:
    """Return the start of `name` without control characters."""
    start = name[:at_most]
    return start if start.isprintable() else ascii(start)
