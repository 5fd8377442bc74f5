"""Formats, scales and settings of `rendering` without a screen: `render_settings` in pixels and words."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtGui import QImage

from bertviz_app.api import open_model
from bertviz_app.errors import SelectionError
from bertviz_app.features.rendering.rendering import render
from bertviz_app.options import RenderOptions
from tests.features.rendering.conftest import lines_of, pixels

SIZE = (640, 480)
LARGEST, LETTERS = "each head's largest", "in each cell: queries down, keys across"
ROWS = "value, to each row's 99th percentile of |value|"


@pytest.fixture
def given(options: RenderOptions) -> RenderOptions:
    return replace(options, size=SIZE)


def _of(view: str, **settings: str) -> dict[str, object]:
    return {"view": view, "settings": tuple(settings.items())}


@pytest.mark.parametrize(
    ("changes", "there", "gone"),
    [
        (_of("overview"), ("layer", "head", LARGEST, LETTERS), ("bits", "1·0")),
        (_of("overview", shows="entropy"), ("bits",), (LARGEST, LETTERS)),
        (_of("overview", ordered_by="next"), ("1·0",), ("layer",)),
        (_of("overview", is_per_head="no"), (), (LARGEST,)),
        (
            _of("matrix"),
            ("query (looks)", "key (is looked at)", "attention weight", "[CLS]"),
            ("1.00", "0.0001", "logarithmic"),
        ),
        (_of("matrix", hides_special="yes"), (), ("[CLS]",)),
        (_of("matrix", shows_sums="yes"), ("1.00",), ()),
        (_of("matrix", scale="log"), ("0.0001", "attention weight, logarithmic scale"), ()),
        (
            {"view": "matrix", "language": "ko"},
            ("쿼리(보는 토큰)", "키(보이는 토큰)", "어텐션 가중치"),
            (),
        ),
        (_of("lines"), ("query (looks)", "key (is looked at)"), ("0.",)),
        (_of("lines", writes_weights="yes"), ("0.",), ()),
        ({"view": "lines", "heads": (1,), "has_title": True}, ("Layer 1 · Head 1",), ()),
        ({"view": "lines", "heads": (1, 3), "has_title": True}, ("heads 1, 3",), ()),
        ({"view": "pooled"}, ("dimension", "value"), ()),
        ({"view": "vectors"}, ("pooled", ROWS), ()),
        # The words are longer than a small drawing is high below a title.
        ({"view": "vectors", "size": (321, 302), "has_title": True}, (ROWS,), ()),
        (
            {"view": "vectors", "page": "tokens"},
            ("after layer 1", "dimension", "value, to the 99th percentile of |value|"),
            (),
        ),
        ({"view": "vectors", "page": "tokens", "state": 0}, ("embeddings",), ()),
        ({"view": "vectors", "page": "map", "state": 0}, ("PC1",), ()),
        ({"view": "vectors", "language": "ko"}, ("임베딩",), ()),
    ],
)
def test_a_picture_has_the_words_of_its_options(
    given: RenderOptions, changes: dict[str, object], there: tuple[str, ...], gone: tuple[str, ...]
) -> None:
    text = "\n".join(lines_of(given, **changes))
    assert [word for word in there if word not in text] == []
    assert [word for word in gone if word in text] == []


def test_cells_have_the_colours_and_lines_the_threshold_that_are_set(
    given: RenderOptions, tiny_bert: Path
) -> None:
    for settings, is_there in (((), False), ((("colours", "magma"),), True)):
        drawn = pixels(given, view="matrix", settings=settings)
        for end in (0x000004, 0xFCFDBF):
            assert (np.count_nonzero(drawn == end) > 100) == is_there, "the least and the largest weight"
    weights = open_model(str(tiny_bert)).encode(given.text).trace.attention(0, 0)
    for threshold in (0.02, 0.3):
        chosen = (("threshold", str(threshold)),)
        assert "catcat" in lines_of(given, view="lines", layer=0, head=0, settings=chosen)
        lines = given.out.with_suffix(".svg").read_text(encoding="utf-8")
        assert len(re.findall(r'd="M\S+ C', lines)) == np.count_nonzero(weights >= threshold)


def test_text_is_as_large_as_requested(given: RenderOptions) -> None:
    out = given.out.with_suffix(".svg")
    for text_size, expected in ((1.0, 12), (1.5, 18)):
        render(replace(given, out=out, text_size=text_size, view="overview"))
        assert f'font-size="{expected}"' in out.read_text(encoding="utf-8")


def test_an_impossible_setting_is_refused_with_one_sentence(given: RenderOptions) -> None:
    refused: dict[str, dict[str, object]] = {
        "pink": _of("matrix", colours="pink"),
        "no setting": _of("matrix", beauty="1"),
        "yes or no": _of("matrix", hides_special="perhaps"),
        "threshold=much": _of("matrix", threshold="much"),
        "least=nan": _of("matrix", least="nan"),
        "no page": {"view": "vectors", "page": "x"},
        "no head 9": {"view": "lines", "heads": (1, 9)},
    }
    for message, changes in refused.items():
        with pytest.raises(SelectionError, match=message):
            pixels(given, **changes)


def test_a_figure_is_as_many_centimetres_wide_as_asked_with_so_many_dots_to_an_inch(
    given: RenderOptions,
) -> None:
    size = (round(12 / 2.54 * 96), round(8 / 2.54 * 96))
    for has_title in (False, True):
        drawn = pixels(given, size=size, scale=300 / 96, has_title=has_title)
        assert [pixel * 2.54 / 300 for pixel in drawn.shape] == pytest.approx([8, 12], abs=0.02)
        assert QImage(str(given.out)).dotsPerMeterX() == round(300 / 0.0254)
    svg = given.out.with_suffix(".svg")
    render(replace(given, out=svg, size=size))
    width = ElementTree.parse(svg).getroot().attrib["width"]
    assert float(width.removesuffix("mm")) == pytest.approx(120, abs=0.2)


@pytest.mark.parametrize(("width", "has_title"), [(321, True), (600, False)])
def test_steps_have_the_rows_of_all_tokens_however_small_the_figure(
    given: RenderOptions, width: int, has_title: bool
) -> None:
    """Below a title so little is left at first that the heading of Steps appears only in the higher one."""
    text = "the cat ate fish and the cat was hungry and the cat ate fish"
    given = replace(given, has_title=has_title, size=(width, 300))
    lines = lines_of(given, view="steps", stage="scaled", text=text)
    assert sum(line.startswith(("cat", "ate", "fish", "hungry")) for line in lines) == 8
