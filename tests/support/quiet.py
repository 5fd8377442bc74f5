"""Every warning counts: a log record or a Qt message at WARNING or above fails the test it came in."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Protocol

import pytest
from PySide6.QtCore import QtMsgType
from pytestqt.logging import Record

_UNIMPORTANT = (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg)
_HARMLESS = (
    "propagateSizeHints",  # the off-screen platform, of every window with a smallest size
    "does not support raise",  # the same, of a window that comes to the front
    "does not support grabbing the keyboard",  # the same, of a menu that opens
    "not accepted by receiving widget",  # of events that the test itself sent
)


class _QtLog(Protocol):
    """What pytest-qt gives as `qtlog`."""

    @property
    def records(self) -> list[Record]: ...


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture, qtlog: _QtLog) -> Iterator[None]:
    """Fail the test if anything was logged as a warning; a test that expects one clears `caplog`."""
    yield
    records = [record for when in ("setup", "call") for record in caplog.get_records(when)]
    logged = [record.getMessage() for record in records if record.levelno >= logging.WARNING]
    messages = [record.message for record in qtlog.records if record.type not in _UNIMPORTANT]
    faults = [text for text in logged + messages if not any(part in text for part in _HARMLESS)]
    assert not faults, "\n".join(faults)
