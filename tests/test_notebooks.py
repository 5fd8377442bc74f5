"""What a notebook shows of traces, results and tables: short lines, small pictures, first rows; frames."""

from __future__ import annotations

import base64
import re
import struct
import sys
import zlib
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bertviz_app import api
from bertviz_app.analysis.compare import DenseMatrix, compare
from bertviz_app.analysis.measures import head_names
from bertviz_app.analysis.picture import Quantity, counted
from bertviz_app.analysis.results import (
    HeadMatrices,
    HeadScalars,
    NamedArrays,
    Result,
    Scalar,
    TokenMatrices,
    TokenScalars,
)
from bertviz_app.errors import PackageError
from bertviz_app.notebooks import levels, palette, picture_html, png
from bertviz_app.tables import RowSource, Table
from tests.support.factories import make_trace

_MOST_BYTES = 200_000
_LONGEST_LINE = 300


def _pixels(source: bytes) -> NDArray[np.uint8]:
    """Return the pixels [height, width, 4] of a PNG with a palette and without filters."""
    assert source.startswith(b"\x89PNG\r\n\x1a\n")
    width, height, *kind = struct.unpack(">IIBBBBB", source[16:29])
    assert kind == [8, 3, 0, 0, 0]
    parts, at = {}, 8
    while at < len(source):
        (length,) = struct.unpack(">I", source[at : at + 4])
        name, content = source[at + 4 : at + 8], source[at + 8 : at + 8 + length]
        (checksum,) = struct.unpack(">I", source[at + 8 + length : at + 12 + length])
        assert checksum == zlib.crc32(name + content)
        parts[name] = content
        at += 12 + length
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(height, 1 + width)
    assert not rows[:, 0].any()
    colours = np.full((256, 4), 255, np.uint8)
    colours[:, :3] = np.frombuffer(parts[b"PLTE"], np.uint8).reshape(256, 3)
    colours[: len(parts[b"tRNS"]), 3] = np.frombuffer(parts[b"tRNS"], np.uint8)
    return colours[rows[:, 1:]]


def _picture(page: str) -> NDArray[np.uint8]:
    found = re.search(r"base64,([^\"]+)", page)
    assert found is not None
    return _pixels(base64.b64decode(found[1]))


def _results() -> list[Result]:
    random = np.random.default_rng(0)
    tokens = tuple(f"w{at}" for at in range(30))
    heads = random.random((3, 12, 12), np.float32)
    cube = random.random((12, 30, 30), np.float32)
    scalars = tuple(Scalar(key, Quantity("weight", 0, 1)) for key in ("first", "next", "same"))
    return [
        HeadScalars(scalars, heads),
        TokenMatrices.dense(cube, tokens, tokens, Quantity("weight", 0, 1), 0.0),
        TokenScalars(tokens, random.normal(size=30).astype(np.float32), Quantity("")),
        NamedArrays(
            {"values": random.random((12, 12, 30, 30), np.float32)},
            {"values": tuple(counted(name, n) for name, n in zip("abcd", (12, 12, 30, 30), strict=True))},
        ),
    ]


@pytest.mark.parametrize("result", _results(), ids=lambda result: type(result).__name__)
def test_a_result_is_a_line_and_a_small_page(result: Result) -> None:
    assert len(repr(result)) < _LONGEST_LINE
    assert "array(" not in repr(result)
    assert " x ".join(f"{axis.name} {len(axis)}" for axis in result.axes) in repr(result)
    page = _shown(result)
    assert "<svg" in page
    assert "http" not in re.sub('base64,[^"]+', "", page)
    assert np.array_equal(result.to_numpy(), result.arrays()["values"])
    assert result.to_numpy().shape == tuple(map(len, result.axes))


def _shown(value: Any) -> str:
    page: str = value._repr_html_()
    assert len(page.encode()) < _MOST_BYTES
    return page


def test_a_trace_and_a_comparison_show_every_head() -> None:
    trace, other = (make_trace(30, 12, 12, seed=seed) for seed in (0, 1))
    pixels = _picture(_shown(trace))
    assert pixels.shape == (12 * 28, 12 * 28, 4)
    largest = np.unravel_index(trace.attention(3, 5).argmax(), (30, 30))
    darkest = pixels[3 * 28 + 1 : 4 * 28 - 1, 5 * 28 + 1 : 6 * 28 - 1].sum(-1).argmin()
    assert np.allclose(np.unravel_index(darkest, (26, 26)), np.array(largest) * 26 / 30, atol=1)
    both = compare(trace, other)
    assert "in bits" in _shown(both)
    assert both.to_numpy().shape == (12, 12)
    assert both.as_table().columns == ("layer", "head", "divergence")


@pytest.mark.slow
def test_of_a_long_text_no_picture_is_waited_for() -> None:
    trace = make_trace(2_100, 2, 2)
    assert "<svg" not in _shown(trace)
    assert "2100 tokens" in _shown(trace)


def test_colours_are_those_of_the_numbers() -> None:
    def cells(*numbers: float) -> list[list[int]]:
        given = np.array([numbers], np.float32)
        is_signed = min(numbers) < 0
        found: list[list[int]] = _pixels(png(levels(given, is_signed), palette(is_signed)))[0].tolist()
        return found

    *known, nothing = cells(0, 0.5, 1, np.nan)
    assert known == [[255, 255, 255, 255], [0x7F, 0xB5, 0xE0, 255], [0x0B, 0x2D, 0x5C, 255]]
    assert nothing[3] == 0, "there is no number"
    assert cells(-2, 0, 2) == [[0x46, 0x55, 0x6B, 255], [255, 255, 255, 255], [0xD9, 0x69, 0x0A, 255]]


def test_a_single_weight_survives_in_a_large_matrix() -> None:
    values = np.zeros((1_000, 700), np.float32)
    values[613, 541] = 1
    page = picture_html(values, [("query", ("q",) * 1_000), ("key", ("k",) * 700)])
    pixels = _picture(page)
    dark = np.argwhere(pixels[..., 0] < 128)
    assert len(dark)
    assert np.allclose(dark.mean(0) / pixels.shape[:2], [613.5 / 1_000, 541.5 / 700], atol=0.01)


def test_labels_are_written_as_text() -> None:
    page = picture_html(np.ones((2, 2), np.float32), [("query", ("<b>", "a")), ("key", ("&", "a" * 40))])
    assert "&lt;b&gt;</text>" in page
    assert "&amp;</text>" in page
    assert "a" * 17 + "…</text>" in page


def test_names_of_heads_are_two_lines() -> None:
    names = head_names(make_trace(30, 6, 8))
    assert len(repr(names)) < _LONGEST_LINE
    assert "lambda" not in repr(dict(names))
    table = names.as_table()
    assert [row[:2] for row in table.rows] == list(names)
    assert isinstance(names, dict)
    assert names.to_numpy()["layer"].tolist() == [layer for layer, _ in names]


@pytest.fixture
def table() -> Table:
    rows = [(0, "the", np.float32(0.25), None), (1, "<cat>", np.float32(0.1), 2.0)]
    return Table(("position", "token", "value", "standard error"), RowSource(lambda: iter(rows)))


def test_a_table_is_read_as_often_as_one_likes(table: Table) -> None:
    assert list(table.rows) == list(table.rows)
    assert repr(table) == "<Table of position, token, value, standard error: first row 0, the, 0.25, >"
    assert "<td>&lt;cat&gt;</td>" in _shown(table)
    assert "more rows" not in _shown(table)
    assert "more rows" in _shown(Table(("at",), [(at,) for at in range(100)]))
    assert repr(Table(("at",), [])) == "<Table of at: no rows>"


def test_a_table_is_an_array_with_named_columns(table: Table) -> None:
    array = table.to_numpy()
    assert array.dtype.names == table.columns
    assert array["value"].tolist() == [0.25, np.float32(0.1)]
    assert array["value"].dtype == np.float32
    assert array["token"].tolist() == ["the", "<cat>"]
    assert np.array_equal(array["standard error"], [np.nan, 2], equal_nan=True)
    assert Table(("at", "of"), []).to_numpy().shape == (0,)


def test_a_frame_has_the_columns_of_the_table(table: Table) -> None:
    frame = table.to_pandas()
    assert tuple(frame.columns) == table.columns
    assert frame["value"].tolist() == [0.25, np.float32(0.1)]
    assert frame["token"].tolist() == ["the", "<cat>"]
    frame = _results()[0].to_pandas()
    assert list(frame.columns) == ["layer", "head", "first", "next", "same"]
    assert len(frame) == 144


def test_a_frame_of_matrices_has_the_tokens_beside_their_positions() -> None:
    """Every cell stands where its layer, its positions and its tokens say, also where a token is repeated."""
    values = np.arange(2 * 3 * 3, dtype=np.float32).reshape(2, 3, 3)
    tokens = ("the", "cat", "the")
    result = TokenMatrices.dense(values, tokens, tokens, Quantity(""), 0.0)
    frame = result.to_pandas()
    assert list(frame.columns) == ["layer", "query", "key", "query_token", "key_token", "value"]
    for layer, query, key, query_token, key_token, value in frame.itertuples(index=False):
        assert (query_token, key_token) == (tokens[query], tokens[key])
        assert value == values[layer, query, key]
    assert len(frame) == values.size
    assert frame[frame.query_token == "cat"].value.sum() == values[:, 1].sum()
    of_heads = HeadMatrices(
        2, tokens, tokens, Quantity(""), lambda layer, head: DenseMatrix(values[layer] + head), n_heads=2
    ).to_pandas()
    last = of_heads[(of_heads["layer"] == 1) & (of_heads["head"] == 1)]
    assert last["value"].tolist() == (values[1] + 1).ravel().tolist()


def test_a_result_is_an_array() -> None:
    for result in _results():
        array = np.asarray(result)
        assert array.shape == result.shape == tuple(map(len, result.axes))
        np.testing.assert_array_equal(array, result.arrays()["values"])
        np.testing.assert_array_equal(result[1:], array[1:])
        assert np.asarray(result, np.float64).dtype == np.float64
        assert np.array(result, copy=True) is not result.arrays()["values"]
    assert float(np.mean(_results()[0])) == pytest.approx(float(_results()[0].arrays()["values"].mean()))


@pytest.mark.slow
def test_a_result_becomes_an_array_of_xarray() -> None:
    scalars, matrices, tokens, _ = _results()
    found = matrices.to_xarray()
    assert found.dims == ("layer", "query", "key")
    assert found.query_token.values.tolist() == list(matrices.axes[1].labels)
    assert found.sel(layer=3, query=7, key=2) == np.asarray(matrices)[3, 7, 2]
    assert scalars.to_xarray().scalar_label.values.tolist() == ["first", "next", "same"]
    assert tokens.to_xarray().shape == tokens.shape


def test_without_pandas_one_sentence_says_how_to_get_it(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(PackageError, match=r"needs the package pandas.* Install it: pip install pandas\."):
        table.to_pandas()


def test_every_kind_of_result_has_a_short_line() -> None:
    """Dataclasses write whole arrays unless something is there before them."""

    def kinds(of: type) -> list[type]:
        below: list[type] = type.__subclasses__(of)
        return [of, *(each for kind in below for each in kinds(kind))]

    assert api.ANALYSES  # every module that defines a kind is imported
    found = kinds(Result)
    assert len(found) > 8
    assert {kind.__repr__.__qualname__ for kind in found} == {"ShownResult.__repr__"}
