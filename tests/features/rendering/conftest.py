"""Pictures of a small model without a screen, and without the settings of the user."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import qInstallMessageHandler
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from bertviz_app.features.rendering.rendering import render
from bertviz_app.options import RenderOptions
from tests.support.scene import lines_of_text

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


def pixels(options: RenderOptions, **changes: Any) -> np.ndarray[tuple[int, ...], np.dtype[np.uint32]]:
    """Render a picture; return [height, width], 0xRRGGBB."""
    render(replace(options, **changes))
    image = QImage(str(options.out)).convertToFormat(QImage.Format.Format_RGB32)
    assert not image.isNull()
    words = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return words & np.uint32(0xFFFFFF)


def lines_of(options: RenderOptions, **changes: Any) -> list[str]:
    """Return the lines of text of the same picture as an SVG."""
    out = options.out.with_suffix(".svg")
    render(replace(options, out=out, **changes))
    return lines_of_text(out)
