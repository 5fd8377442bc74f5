"""Names out of other people's files, made fit for a sentence."""

from __future__ import annotations


def shown(name: str, at_most: int = 80) -> str:
    """Return the start of `name` with nothing in it that a terminal or a label obeys."""
    start = name[:at_most]
    return start if start.isprintable() else ascii(start)
