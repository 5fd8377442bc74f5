"""Pictures of a small model without a screen, and without the settings of the user."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from bertviz_app.options import RenderOptions

SIZE = (1000, 640)


@pytest.fixture(autouse=True)
def _own_settings(
    application: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Keep settings out of the user's folder, and Qt's messages where they were sent before."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    before = qInstallMessageHandler(None)
    qInstallMessageHandler(before)
    yield
    qInstallMessageHandler(before)


@pytest.fixture
def options(tiny_bert: Path, tmp_path: Path) -> RenderOptions:
    return RenderOptions(
        text="the cat ate fish",
        view="matrix",
        out=tmp_path / "picture.png",
        model=str(tiny_bert),
        device="cpu",
        size=SIZE,
    )
