"""The page in a browser: pointing reads out weights, clicks and keys choose, themes and languages switch."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bertviz_app.trace import Trace
from bertviz_app.trace.page import PageOptions, page_parts, resource
from tests.support.browser import Browser, find_browser
from tests.support.factories import make_trace

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_browser() is None, reason="Chromium is not installed"),
]
READ_OUT = "document.querySelector('.read-out').innerText"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return make_trace(9, n_layers=3, n_heads=4, pair=True)


@pytest.fixture(scope="module")
def opened(trace: Trace, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    path = tmp_path_factory.mktemp("page") / "a.html"
    trace.to_html(path, language="en", theme="light")
    with Browser(path.as_uri()) as browser:
        yield browser


@pytest.fixture
def page(opened: Browser) -> Browser:
    """The page as it is when it is opened."""
    opened.call("Page.enable")
    opened.evaluate("window.isOld = true; location.reload()")  # which returns before the old page is gone
    tokens = "document.querySelectorAll('.tokens .token').length === 18"
    opened.wait_for(f"!window.isOld && document.readyState === 'complete' && {tokens}")
    opened.point_at(2, 2)
    return opened


def _click(page: Browser, name: str, count: int = 1) -> None:
    page.click_at(*page.middle_of(f"document.querySelector('[data-name={name}]')"), count)


def _token(page: Browser, side: str, at: int) -> tuple[float, float]:
    return page.middle_of(f"document.querySelectorAll('.{side} .token')[{at}]")


def _numbers(page: Browser) -> dict[int, float]:
    """Return the weights of the list in the read-out, by the positions of their tokens."""
    lines = page.evaluate("[...document.querySelectorAll('.read-out tr')].map((row) => row.innerText)")
    return {int(line.split()[0]): float(line.split()[-1]) for line in lines}


def _cell(page: Browser, query: int, key: int) -> tuple[float, float]:
    """Return the middle of a cell of the matrix, of whose sides the size follows from the canvas."""
    script = """(() => {
        const box = document.querySelector('.figure canvas').getBoundingClientRect();
        return [box.right, box.bottom];
    })()"""
    right, bottom = page.evaluate(script)
    side = 36
    return right - 2 - (9 - key - 0.5) * side, bottom - 2 - (9 - query - 0.5) * side


def test_pointing_at_a_token_lists_its_row_and_leaving_ends_that(page: Browser, trace: Trace) -> None:
    _click(page, "head2", 2)  # this one alone
    page.point_at(*_token(page, "queries", 3))
    assert "Layer 0 · Head 2" in page.evaluate(READ_OUT)
    expected = trace.attention(0, 2)[3]
    assert _numbers(page) == {at: pytest.approx(weight, rel=1e-3) for at, weight in enumerate(expected)}
    assert list(_numbers(page)) == np.argsort(-expected, kind="stable").tolist(), "the largest first"
    beside = page.evaluate("[...document.querySelectorAll('.keys .number')].map((one) => one.textContent)")
    assert [float(one) for one in beside] == pytest.approx(expected.tolist(), rel=1e-3)
    page.point_at(*_token(page, "keys", 1))
    assert _numbers(page) == {
        at: pytest.approx(weight, rel=1e-3) for at, weight in enumerate(trace.attention(0, 2)[:, 1])
    }
    page.point_at(2, 2)
    assert "Point at a token" in page.evaluate(READ_OUT)


def test_several_heads_are_read_as_their_mean(page: Browser, trace: Trace) -> None:
    page.point_at(*_token(page, "queries", 3))
    assert "mean of 4 heads" in page.evaluate(READ_OUT)
    assert _numbers(page) == {
        at: pytest.approx(weight, rel=1e-3) for at, weight in enumerate(trace.attention(0)[:, 3].mean(0))
    }


def test_a_click_pins_and_escape_lets_go(page: Browser) -> None:
    page.click_at(*_token(page, "queries", 3))
    page.point_at(2, 2)
    assert len(_numbers(page)) == 9
    page.press("Escape")
    assert _numbers(page) == {}


def test_a_cell_of_the_matrix_says_query_key_and_weight(page: Browser, trace: Trace) -> None:
    _click(page, "matrix")
    _click(page, "head1")
    page.point_at(*_cell(page, 4, 6))
    labels = trace.tokens.labels
    said = page.evaluate("document.querySelector('.read-out .pair').innerText")
    assert f"4 {labels[4]} → 6 {labels[6]}" in said
    weight = trace.attention(0, 1)[4, 6]
    assert float(said.split()[-1]) == pytest.approx(weight, rel=1e-3)
    rank = 1 + int((trace.attention(0, 1)[4] > weight).sum())
    assert f"rank {rank} of 9" in page.evaluate(READ_OUT)


def test_layers_and_heads_are_chosen_by_clicks_and_keys(page: Browser, trace: Trace) -> None:
    page.evaluate(
        "(() => { const s = document.querySelector('select[data-name=layer]'); s.value = 2; "
        "s.dispatchEvent(new Event('change')); })()"
    )
    _click(page, "head3", 2)
    assert "Layer 2 · Head 3" in page.evaluate(READ_OUT)
    page.press("ArrowLeft")
    page.press("ArrowUp")
    assert "Layer 1 · Head 2" in page.evaluate(READ_OUT)
    page.press("a")
    assert "Heads 0, 1, 2, 3" in page.evaluate(READ_OUT)
    page.press("o")
    heads = "document.querySelector('.figure canvas').getBoundingClientRect()"
    left, top = page.evaluate(f"[{heads}.left, {heads}.top]")
    page.click_at(left + 28 + 0.5 * 72, top + 22 + 2.5 * 72)
    assert "Layer 2 · Head 0" in page.evaluate(READ_OUT), "a head of the overview is opened"


def test_themes_and_languages_switch(page: Browser) -> None:
    def ground() -> str:
        found: str = page.evaluate("getComputedStyle(document.querySelector('#attention')).backgroundColor")
        return found

    light = ground()
    _click(page, "theme")
    dark = ground()
    brightness = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in (light, dark)]
    assert brightness[0] > 600
    assert brightness[1] < 200
    _click(page, "language")
    assert "연결선" in page.evaluate("document.querySelector('.controls').innerText")
    assert page.evaluate("document.querySelector('#attention').lang") == "ko"


def test_the_widget_tells_the_notebook_what_is_selected_and_follows_it(trace: Trace, tmp_path: Path) -> None:
    facts, weights, _ = page_parts(trace, PageOptions(language="en", theme="light"))
    script = base64.b64encode(resource("attention.js").encode()).decode()
    page = tmp_path / "widget.html"
    page.write_text(
        f"""<meta charset="utf-8"><style>{resource("attention.css")}</style><div id="cell"></div>
        <script type="module">
        const widget = (await import("data:text/javascript;base64,{script}")).default;
        const letters = atob("{base64.b64encode(weights).decode()}");
        const bytes = Uint8Array.from(letters, (one) => one.charCodeAt(0));
        const values = {{ data: {json.dumps(facts)}, weights: new DataView(bytes.buffer), selection: {{}},
          mask: new DataView(new ArrayBuffer(0)) }};
        const heard = {{}};
        window.model = {{
          values, saved: [], get: (name) => values[name], off: (event) => delete heard[event],
          set(name, value) {{ values[name] = value; heard[`change:${{name}}`]?.(); }},
          save_changes() {{ this.saved.push(values.selection); }}, on: (event, run) => (heard[event] = run),
        }};
        window.end = widget.render({{ model: window.model, el: document.getElementById("cell") }});
        </script>""",
        encoding="utf-8",
    )
    with Browser(page.as_uri()) as browser:
        browser.wait_for("document.querySelectorAll('.tokens .token').length === 18")
        _click(browser, "head2", 2)
        browser.click_at(*_token(browser, "queries", 5))
        assert browser.evaluate("model.saved.at(-1)") == {"layer": 0, "head": 2, "query": 5, "key": None}
        browser.evaluate("model.set('selection', {layer: 1, head: 3, query: 2, key: 4})")
        browser.point_at(2, 2)
        said = browser.evaluate("document.querySelector('.read-out .pair').innerText")
        assert float(said.split()[-1]) == pytest.approx(trace.attention(1, 3)[2, 4], rel=1e-3)
        browser.evaluate("end()")
        browser.press("ArrowRight")
        assert browser.evaluate("model.saved.at(-1).head") == 2, "it listens no more"
