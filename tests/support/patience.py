"""`PatientBot`: pytest-qt's bot, with patience for a busy machine."""

from __future__ import annotations

from collections.abc import Callable

from pytestqt.qtbot import QtBot

LIMIT_MS = 30_000
"""When a test gives up waiting; pytest-qt gives up after 5 seconds, which a busy machine may need."""


class PatientBot(QtBot):
    """Waits up to `LIMIT_MS` for a condition where a test names no other limit."""

    def waitUntil(  # noqa: N802 - the name that it has in pytest-qt
        self, callback: Callable[[], bool | None], *, timeout: int = LIMIT_MS
    ) -> None:
        """Process events until `callback` returns True, or no longer fails."""
        super().waitUntil(callback, timeout=timeout)
