"""Pictures without a screen: formats, scales, and the options of drawings and overview."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import qInstallMessageHandler
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from bertviz_app.errors import FileError, SelectionError
from bertviz_app.options import RenderOptions
from bertviz_app.shell.rendering.rendering import render
from tests.support.svg_text import lines_of_text

SIZE = (640, 480)


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
def given(tiny_bert: Path, tmp_path: Path) -> RenderOptions:
    return RenderOptions(
        text="the cat ate fish",
        view="matrix",
        out=tmp_path / "a.png",
        model=str(tiny_bert),
        device="cpu",
        size=SIZE,
    )


def _pixels(given: RenderOptions, **changes: Any) -> np.ndarray[tuple[int, ...], np.dtype[np.uint32]]:
    options = replace(given, **changes)
    render(options)
    image = QImage(str(options.out)).convertToFormat(QImage.Format.Format_RGB32)
    assert not image.isNull()
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1).copy()


@pytest.mark.parametrize(
    ("view", "settings"),
    [
        ("overview", [("shows", "entropy"), ("ordered_by", "next"), ("is_per_head", "no")]),
        ("matrix", [("colours", "magma"), ("scale", "log"), ("hides_special", "yes"), ("shows_sums", "yes")]),
        ("lines", [("threshold", "0.3"), ("writes_weights", "yes")]),
    ],
)
def test_each_setting_makes_another_picture(
    given: RenderOptions, view: str, settings: list[tuple[str, str]]
) -> None:
    pictures = [_pixels(given, view=view)]
    pictures += [_pixels(given, view=view, settings=(setting,)) for setting in settings]
    assert all((one != two).any() for one, two in combinations(pictures, 2))


def test_pages_states_heads_language_and_text_size_make_other_pictures(given: RenderOptions) -> None:
    changes: list[dict[str, object]] = [
        {},
        {"page": "tokens"},
        {"page": "tokens", "state": 0},
        {"page": "map", "state": 0},
        {"language": "ko"},
        {"text_size": 1.5},
    ]
    pictures = [_pixels(given, view="vectors", **change) for change in changes]
    assert all((one != two).any() for one, two in combinations(pictures, 2))
    one, two = _pixels(given, view="lines", heads=(1,)), _pixels(given, view="lines", heads=(1, 3))
    assert (one != two).any()


@pytest.mark.parametrize("scale", [2, 3])
def test_a_png_has_so_many_pixels_for_each(given: RenderOptions, scale: int) -> None:
    assert _pixels(given, scale=scale).shape == (SIZE[1] * scale, SIZE[0] * scale)


@pytest.mark.parametrize("view", ["window", "overview", "lines", "matrix", "steps", "vectors", "pooled"])
@pytest.mark.parametrize("ending", [".svg", ".pdf"])
def test_every_view_can_be_written_as_lines_and_text(
    given: RenderOptions, tmp_path: Path, view: str, ending: str
) -> None:
    out = tmp_path / f"a{ending}"
    render(replace(given, view=view, out=out, has_title=True))
    assert out.stat().st_size > 5000
    if ending == ".svg":
        assert QSvgRenderer(str(out)).isValid()
        assert any("the cat ate fish" in line for line in lines_of_text(out))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"settings": (("colours", "pink"),)}, "pink"),
        ({"settings": (("beauty", "1"),)}, "no setting"),
        ({"settings": (("hides_special", "perhaps"),)}, "yes or no"),
        ({"settings": (("threshold", "much"),)}, "threshold=much"),
        ({"settings": (("least", "nan"),)}, "least=nan"),
        ({"view": "vectors", "page": "x"}, "no page"),
        ({"view": "lines", "heads": (1, 9)}, "no head 9"),
    ],
)
def test_what_cannot_be_is_one_sentence(given: RenderOptions, changes: dict[str, object], said: str) -> None:
    with pytest.raises(SelectionError, match=said):
        _pixels(given, **changes)


def test_another_ending_is_refused_before_any_work(given: RenderOptions, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"a\.gif"):
        _pixels(given, out=tmp_path / "a.gif", model="nowhere")
