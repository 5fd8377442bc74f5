"""Formats, scales and settings of `rendering` without a screen: `render_settings` in pixels and words."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer

from bertviz_app.api import open_model
from bertviz_app.errors import SelectionError
from bertviz_app.features.rendering.rendering import render
from bertviz_app.options import RenderOptions
from tests.support.scene import lines_of_text

SIZE = (640, 480)


@pytest.fixture
def given(options: RenderOptions) -> RenderOptions:
    return replace(options, size=SIZE)


def _pixels(given: RenderOptions, **changes: Any) -> np.ndarray[tuple[int, ...], np.dtype[np.uint32]]:
    options = replace(given, **changes)
    render(options)
    image = QImage(str(options.out)).convertToFormat(QImage.Format.Format_RGB32)
    assert not image.isNull()
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1).copy()


def _lines(given: RenderOptions, **changes: Any) -> list[str]:
    """Return the lines of text of a picture."""
    out = given.out.with_suffix(".svg")
    render(replace(given, out=out, **changes))
    return lines_of_text(out)


@pytest.mark.parametrize(
    ("view", "setting", "added", "removed"),
    [
        ("overview", ("shows", "entropy"), "bits", "each head's largest"),
        ("overview", ("ordered_by", "next"), "1·0", "layer"),
        ("overview", ("is_per_head", "no"), "", "each head's largest"),
        ("matrix", ("hides_special", "yes"), "", "[CLS]"),
        ("matrix", ("shows_sums", "yes"), "1.00", ""),
        ("matrix", ("scale", "log"), "0.0001", ""),
        ("lines", ("writes_weights", "yes"), "0.", ""),
    ],
)
def test_a_setting_adds_and_removes_text(
    given: RenderOptions, view: str, setting: tuple[str, str], added: str, removed: str
) -> None:
    before, after = ("\n".join(_lines(given, view=view, settings=chosen)) for chosen in ((), (setting,)))
    assert not added or (added in after and added not in before)
    assert not removed or (removed in before and removed not in after)


def test_cells_have_the_colours_and_lines_the_threshold_that_are_set(
    given: RenderOptions, tiny_bert: Path
) -> None:
    for settings, is_there in (((), False), ((("colours", "magma"),), True)):
        drawn = _pixels(given, view="matrix", settings=settings) & 0xFFFFFF
        for end in (0x000004, 0xFCFDBF):
            assert (np.count_nonzero(drawn == end) > 100) == is_there, "the least and the largest weight"
    weights = open_model(str(tiny_bert)).encode(given.text).trace.attention(0, 0)
    for threshold in (0.02, 0.3):
        chosen = (("threshold", str(threshold)),)
        assert "catcat" in _lines(given, view="lines", layer=0, head=0, settings=chosen)
        lines = given.out.with_suffix(".svg").read_text(encoding="utf-8")
        assert len(re.findall(r'd="M\S+ C', lines)) == np.count_nonzero(weights >= threshold)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "pooled"),
        ({"page": "tokens"}, "after layer 1"),
        ({"page": "tokens", "state": 0}, "embeddings"),
        ({"page": "map", "state": 0}, "PC1"),
        ({"language": "ko"}, "임베딩"),
        ({"view": "lines", "heads": (1,), "has_title": True}, "Layer 1 · Head 1"),
        ({"view": "lines", "heads": (1, 3), "has_title": True}, "heads 1, 3"),
    ],
)
def test_pages_states_heads_and_the_language_are_those_requested(
    given: RenderOptions, changes: dict[str, object], expected: str
) -> None:
    assert any(expected in line for line in _lines(given, **{"view": "vectors", **changes}))


def test_text_is_as_large_and_pixels_as_many_as_requested(given: RenderOptions) -> None:
    for text_size, expected in ((1.0, 12), (1.5, 18)):
        out = given.out.with_suffix(".svg")
        render(replace(given, out=out, text_size=text_size, view="overview"))
        assert f'font-size="{expected}"' in out.read_text(encoding="utf-8")
    for scale in (2, 3):
        assert _pixels(given, scale=scale).shape == (SIZE[1] * scale, SIZE[0] * scale)


TEXT_OF_VIEW = {
    "overview": "Overview",
    "lines": "ate",
    "matrix": "ate",
    "steps": "queries Q",
    "vectors": "embeddings",
    "pooled": "dimension",
}


@pytest.mark.parametrize("view", TEXT_OF_VIEW)
def test_every_view_is_a_figure_without_buttons_of_lines_and_text_as_svg_and_with_fonts_as_pdf(
    given: RenderOptions, view: str
) -> None:
    titled = _lines(given, view=view, has_title=True)
    assert QSvgRenderer(str(given.out.with_suffix(".svg"))).isValid()
    assert any("the cat ate fish" in line for line in titled)
    assert any(TEXT_OF_VIEW[view] in line for line in titled)
    out = given.out.with_suffix(".pdf")
    render(replace(given, view=view, out=out, has_title=True))
    content = out.read_bytes()
    assert content.startswith(b"%PDF-")
    assert content.rstrip().endswith(b"%%EOF")
    assert b"/Font" in content
    if view == "window":
        return
    assert not any("BertViz App" in line for line in titled)
    lines = _lines(given, view=view)
    assert len(lines) > 3
    for words in ("Lines", "Matrix", "Steps", "Vectors", "Options", "Walk", "Shared", "←", "BertViz App"):
        assert not any(words in line for line in lines), words
    pixels = _pixels(given, view=view)
    assert pixels.shape == (SIZE[1], SIZE[0])
    edge = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    assert len(np.unique(edge, axis=0)) == 1, "no frame"


def test_an_impossible_setting_is_refused_with_one_sentence(given: RenderOptions) -> None:
    refused: dict[str, dict[str, object]] = {
        "pink": {"settings": (("colours", "pink"),)},
        "no setting": {"settings": (("beauty", "1"),)},
        "yes or no": {"settings": (("hides_special", "perhaps"),)},
        "threshold=much": {"settings": (("threshold", "much"),)},
        "least=nan": {"settings": (("least", "nan"),)},
        "no page": {"view": "vectors", "page": "x"},
        "no head 9": {"view": "lines", "heads": (1, 9)},
    }
    for message, changes in refused.items():
        with pytest.raises(SelectionError, match=message):
            _pixels(given, **changes)


@pytest.mark.parametrize(
    ("changes", "titles"),
    [
        ({"view": "matrix"}, ("query (looks)", "key (is looked at)", "attention weight")),
        ({"view": "matrix", "settings": (("scale", "log"),)}, ("attention weight, logarithmic scale",)),
        ({"view": "lines"}, ("query (looks)", "key (is looked at)")),
        ({"view": "overview"}, ("layer", "head", "each head's largest")),
        ({"view": "pooled"}, ("dimension", "value")),
        ({"view": "vectors", "page": "tokens"}, ("dimension",)),
        ({"view": "matrix", "language": "ko"}, ("쿼리(보는 토큰)", "키(보이는 토큰)", "어텐션 가중치")),
    ],
)
def test_a_figure_names_its_axes_and_what_its_colours_are(
    given: RenderOptions, changes: dict[str, object], titles: tuple[str, ...]
) -> None:
    out = given.out.with_suffix(".svg")
    render(RenderOptions(**{**vars(given), "out": out, **changes}))
    written = ElementTree.parse(out).iter("{http://www.w3.org/2000/svg}text")
    texts = ["".join(text.itertext()) for text in written]
    for title in titles:
        assert any(title in text for text in texts), title


def test_a_figure_is_as_many_centimetres_wide_as_asked_with_so_many_dots_to_an_inch(
    given: RenderOptions, tmp_path: Path
) -> None:
    size = (round(12 / 2.54 * 96), round(8 / 2.54 * 96))
    for has_title in (False, True):
        png = tmp_path / "a.png"
        render(replace(given, view="matrix", out=png, size=size, scale=300 / 96, has_title=has_title))
        image = QImage(str(png))
        assert image.width() * 2.54 / 300 == pytest.approx(12, abs=0.02)
        assert image.height() * 2.54 / 300 == pytest.approx(8, abs=0.02)
        assert image.dotsPerMeterX() == round(300 / 0.0254)
    svg = tmp_path / "a.svg"
    render(replace(given, view="matrix", out=svg, size=size))
    width = ElementTree.parse(svg).getroot().attrib["width"]
    assert float(width.removesuffix("mm")) == pytest.approx(120, abs=0.2)


@pytest.mark.parametrize("has_title", [False, True])
@pytest.mark.parametrize("width", [321, 600])
def test_steps_have_the_rows_of_all_tokens_however_small_the_figure(
    given: RenderOptions, width: int, has_title: bool
) -> None:
    """Below a title so little is left at first that the heading of Steps appears only in the higher one."""
    text = "the cat ate fish and the cat was hungry and the cat ate fish"
    given = replace(given, has_title=has_title, size=(width, 300))
    lines = _lines(given, view="steps", stage="scaled", text=text)
    assert sum(line.startswith(("cat", "ate", "fish", "hungry")) for line in lines) == 8
