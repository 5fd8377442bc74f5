"""`PatientBot`: pytest-qt's bot, with patience for a busy machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytestqt.qtbot import QtBot
from pytestqt.wait_signal import SignalBlocker

LIMIT_MS = 120_000
"""When a test gives up waiting; pytest-qt gives up after 5 seconds, which a busy machine may need."""


class PatientBot(QtBot):
    """Waits up to `LIMIT_MS` for a condition, or a signal, where a test names no other limit."""

    def waitUntil(  # noqa: N802 - the name that it has in pytest-qt
        self, callback: Callable[[], bool | None], *, timeout: int = LIMIT_MS
    ) -> None:
        """Process events until `callback` returns True, or no longer fails."""
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(  # noqa: N802 - the name that it has in pytest-qt
        self, signal: Any, *, timeout: int = LIMIT_MS, **others: Any
    ) -> SignalBlocker:
        """Return what waits, at the end of its `with`, until `signal` was emitted."""
        return super().waitSignal(signal, timeout=timeout, **others)
