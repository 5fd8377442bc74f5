"""A window beside a notebook, in a process of its own; and the widget in a cell."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_app import api
from bertviz_app.api.notebook import OpenWindow, WindowError, _kind
from bertviz_app.errors import ArgumentError, PackageError, SelectionError
from tests.support.factories import make_trace

_PATIENCE_S = 120

SLOW = pytest.mark.slow


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of whoever runs the tests."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")


@SLOW
def test_a_window_opens_beside_and_its_selection_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    trace = make_trace(6)
    opened = api.window(trace)
    assert opened.is_open
    selection = opened.wait_for_change(_PATIENCE_S)
    assert selection is not None
    assert opened.selection == selection
    assert (selection.query, selection.key) == (None, None)
    assert (opened.text, opened.pair) == (trace.tokens.text, None)
    assert 0 <= selection.layer < trace.n_layers
    opened.selection = api.Selection(layer=1, head=0, query=2)
    assert opened.selection == api.Selection(1, 0, 2)
    opened.selection = {"layer": 0, "head": 1}
    assert opened.selection == api.Selection(0, 1)
    for wrong, message in (
        ({"layer": 7, "head": 0}, "no head 7 · 0 to select.* The layers are 0, 1"),
        ({"layer": 0, "head": 9}, "no head 0 · 9 to select"),
        ({"layer": 0, "head": 0, "key": 6}, "no token 6: this text has tokens 0 to 5"),
    ):
        with pytest.raises(SelectionError, match=message):
            opened.selection = wrong
    with pytest.raises(ArgumentError, match=r"this is layer\. Give bertviz_app\.Selection"):
        opened.selection = {"layer": 1}
    assert opened.selection == api.Selection(0, 1), "as it was"
    assert repr(opened).startswith("<Open window of ")
    opened.close()
    assert not opened.is_open
    with pytest.raises(WindowError, match="is closed"):
        opened.selection = api.Selection(0, 0)
    assert repr(opened).startswith("<Closed window of ")
    assert not list(tmp_path.glob("bertviz-app-*")), "the file that the window read"


def test_a_window_without_a_text_says_so_when_something_is_selected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    opened = OpenWindow(make_trace(5))
    monkeypatch.setattr("bertviz_app.api.notebook._LONGEST_START_S", 0.01)
    with pytest.raises(WindowError, match="shows no text yet"):
        opened.selection = api.Selection(0, 0)


_NOTEBOOK = """
import bertviz_app
from tests.support.factories import make_trace
opened = bertviz_app.window(make_trace(6))
opened.wait_for_change(100)
print(opened._process.number, flush=True)
"""


@SLOW
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_a_notebook_that_ends_leaves_the_window_open() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _NOTEBOOK], capture_output=True, text=True, check=True, timeout=_PATIENCE_S
    )
    number = int(done.stdout)
    os.kill(number, 0)  # it runs: this would raise ProcessLookupError
    os.kill(number, signal.SIGKILL)


@SLOW
def test_without_a_screen_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    monkeypatch.setenv("DISPLAY", ":no-such-screen")
    opened = OpenWindow(make_trace(5))
    with pytest.raises(WindowError, match=r"bertviz_app\.widget\(trace\) or trace\.to_html\(path\)"):
        opened.open()
    assert not opened.is_open


def test_only_traces_are_shown() -> None:
    for show in (api.window, api.widget):
        with pytest.raises(ArgumentError, match="A trace is needed"):
            show("the cat")  # type: ignore[arg-type]


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Packages with just what the widget uses: neither is a dependency of the tests."""

    class Trait:
        def tag(self, **_: object) -> Trait:
            return self

    class AnyWidget:
        def __init__(self, **values: object) -> None:
            self.__dict__ |= values

    anywidget: Any = types.ModuleType("anywidget")
    anywidget.AnyWidget = AnyWidget
    traitlets: Any = types.ModuleType("traitlets")
    traitlets.Dict = traitlets.Bytes = traitlets.TraitType = Trait
    monkeypatch.setitem(sys.modules, "anywidget", anywidget)
    monkeypatch.setitem(sys.modules, "traitlets", traitlets)
    _kind.cache_clear()
    yield
    _kind.cache_clear()


@pytest.mark.usefixtures("notebook")
def test_a_widget_has_the_numbers_of_the_page() -> None:
    trace = make_trace(5, n_layers=3)
    shown = api.widget(trace, include_layers=[1, 2], layer=2, heads=[1], view="matrix")
    weights = np.frombuffer(shown.weights, "<f4").reshape(2, 3, 5, 5)
    assert np.array_equal(weights[1], trace.attention(2))
    assert shown.selection == api.Selection(layer=2, head=1)
    assert shown.data["view"] == "matrix"
    assert shown.mask == b""
    assert "export default" in type(shown).__dict__["_esm"]
    assert ".bertviz-app" in type(shown).__dict__["_css"]
    with pytest.raises(SelectionError, match="no layer 7"):
        api.widget(trace, include_layers=[7])


def test_without_anywidget_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    _kind.cache_clear()
    with pytest.raises(PackageError, match=r"package anywidget.* Install it: pip install anywidget\."):
        api.widget(make_trace(5))


GUIDES = Path(__file__).resolve().parents[2] / "resources/docs/how-to"


@SLOW
@pytest.mark.usefixtures("notebook")
def test_the_cells_of_the_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = [(GUIDES / f"use_in_a_notebook{end}.md").read_text("utf-8") for end in ("", ".ko")]
    cells, korean = (re.findall("```python\n(.*?)```", text, re.S) for text in texts)
    first, widget, window, page = cells
    assert [re.sub('#.*|".*?"', "", cell) for cell in korean] == [
        re.sub('#.*|".*?"', "", cell) for cell in cells
    ]
    names: dict[str, Any] = {}
    exec(first + widget, names)
    assert names["w"].selection == api.Selection(layer=3, head=4)
    exec(window, names)
    try:
        assert names["w"].is_open
        assert names["w"].selection == api.Selection(layer=2, head=1, query=3)
    finally:
        names["w"].close()
    exec(page, names)
    assert (tmp_path / "attention.html").is_file()
