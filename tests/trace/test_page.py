"""The page of a trace: its numbers are the trace's, it names no address; what it cannot hold is refused."""

from __future__ import annotations

import base64
import json
import re
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bertviz_app.errors import ArgumentError, FileError, SelectionError
from bertviz_app.text import Tokens
from bertviz_app.trace import from_arrays
from bertviz_app.trace.indexing import SHOWS_ALL
from bertviz_app.trace.page import MAX_WEIGHTS, PageOptions, framed, page_html, page_parts, resource
from bertviz_app.types import Floats
from tests.support.factories import make_tokens, make_trace

_DATA = re.compile(r'<script id="data" type="application/json">(.*?)</script>', re.S)


def data_of(page: str) -> dict[str, Any]:
    """Return what the script of a page reads; the weights by layer and head."""
    found = _DATA.search(page)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    flat = np.frombuffer(base64.b64decode(data["weights"]), "<f4")
    shape = len(data["queries"]["labels"]), len((data["keys"] or data["queries"])["labels"])
    heads = [(layer, head) for layer, of_layer in data["layers"] for head in of_layer]
    data["weights"] = dict(zip(heads, flat.reshape(len(heads), *shape), strict=True))
    return data


def test_every_weight_is_the_traces(tmp_path: Path) -> None:
    trace = make_trace(7, n_layers=2, n_heads=3, pair=True)
    page = trace.to_html()
    assert trace.to_html(tmp_path / "a.html") == tmp_path / "a.html"
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page
    data = data_of(page)
    assert list(data["weights"]) == [(layer, head) for layer in range(2) for head in range(3)]
    for (layer, head), weights in data["weights"].items():
        assert np.array_equal(weights, trace.attention(layer)[head])
    assert data["queries"] == {
        "labels": list(trace.tokens.labels),
        "sentences": trace.tokens.sentences.tolist(),
    }
    assert data["keys"] is None, "the same tokens are looked at"
    assert data["layer"] == 0
    assert data["heads"] == [0, 1, 2]


def test_layers_and_heads_keep_their_numbers() -> None:
    trace = make_trace(5, n_layers=4, n_heads=3)
    page = trace.to_html(
        include_layers=[3, 1], include_heads=range(1, 3), layer=3, heads=[2], view="matrix", language="ko"
    )
    data = data_of(page)
    assert list(data["weights"]) == [(1, 1), (1, 2), (3, 1), (3, 2)]
    assert np.array_equal(data["weights"][3, 1], trace.attention(3)[1])
    assert (data["layer"], data["heads"], data["view"], data["language"]) == (3, [2], "matrix", "ko")
    assert '<html lang="ko">' in page


def test_a_page_names_no_address_and_is_small() -> None:
    """As the budget says it: 30 tokens, 144 heads, under 1 MB."""
    page = make_trace(30, n_layers=12, n_heads=12).to_html()
    assert len(page.encode()) < 1_000_000
    without_data = _DATA.sub("", page)
    assert len(without_data) < len(page)
    assert not re.search(r"http|//\w|src|href|@import|url\(|fetch", without_data)


def test_a_token_cannot_end_the_script() -> None:
    tokens = make_tokens(5)
    pieces = (*tokens.pieces[:2], "</script><b>{{style}}", *tokens.pieces[3:])
    hostile = Tokens(**{**_fields(tokens), "pieces": pieces, "text": "<i>{{data}}"})
    page = page_html(_made(hostile, hostile, [1]), PageOptions())
    assert data_of(page)["queries"]["labels"][2] == "</script><b>{{style}}"
    assert page.count("</script>") == 2
    assert "<title>made: &lt;i&gt;{{data}}</title>" in page


def test_rows_may_differ_from_columns_and_layers_in_their_heads() -> None:
    made = _made(make_tokens(4), make_tokens(6), [2, 3])
    made.mask = np.triu(np.ones((4, 6), bool), 3)
    data = data_of(page_html(made, PageOptions()))
    assert [len(heads) for _, heads in data["layers"]] == [2, 3]
    assert len(data["keys"]["labels"]) == 6
    assert np.array_equal(data["weights"][1, 2], made.attention(1)[2])
    mask = np.frombuffer(base64.b64decode(data["mask"]), np.uint8).reshape(4, 6)
    assert np.array_equal(mask, made.mask)
    with pytest.raises(SelectionError, match="no head 2: this model has heads 0 to 1"):
        page_html(made, PageOptions(include_heads=[2]))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"include_layers": [2]}, "no layer 2: this model has layers 0 to 1"),
        ({"include_layers": [-1]}, "no layer -1"),
        ({"include_layers": []}, "include_layers is empty"),
        ({"include_heads": [0, 3]}, "no head 3: this model has heads 0 to 2"),
        ({"layer": 1, "include_layers": [0]}, "Layer 1 is not on the page, which has the layers 0"),
        (
            {"heads": [2], "include_heads": [0, 1]},
            "whose layer 0 has the heads 0, 1",
        ),
    ],
)
def test_what_there_is_not_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(SelectionError, match=said):
        make_trace(5).to_html(**given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"include_layers": 1}, "include_layers is a list of numbers, not int. Give a list"),
        ({"heads": "01"}, "heads is a list of numbers, not str"),
        ({"heads": [1.0]}, "heads is one number, not float"),
        ({"path": 3}, r"A file is a name or a path, not int. Call trace.to_html\("),
        ({"layer": "one"}, "layer is one number, not str"),
        ({"view": "steps"}, "no view “steps”. Its views are: lines, matrix, overview"),
        ({"theme": "blue"}, "no theme “blue”. Its themes are: light, dark"),
        ({"language": "fr"}, "not written in “fr”. Its languages are: en, ko"),
    ],
)
def test_arguments_of_another_kind_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        make_trace(5).to_html(**given)


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    trace = make_trace(5)
    with pytest.raises(FileError, match="Make the folder"):
        trace.to_html(tmp_path / "none" / "a.html")
    with pytest.raises(FileError, match=r"End the name in \.html or \.htm"):
        trace.to_html(tmp_path / "a.pdf")


def test_too_many_weights_are_refused_with_the_way_out() -> None:
    long = make_tokens(10_000)
    with pytest.raises(SelectionError, match=r"200,000,000 weights .* A single head of this text has more"):
        page_html(_made(long, long, [1, 1]), PageOptions())
    text = make_tokens(1_000)
    with pytest.raises(SelectionError, match=f"include_layers and .*: {MAX_WEIGHTS // 10**6} heads"):
        page_html(_made(text, text, [12, 12]), PageOptions())


def test_a_page_in_a_notebook_is_a_document_of_its_own() -> None:
    page = make_trace(5).to_html(theme="dark")
    assert data_of(page)["theme"] == "dark"
    frame = framed(page, 300)
    source = re.fullmatch(
        r'<iframe sandbox="allow-scripts" .* height="300" srcdoc="([^"]*)"></iframe>', frame
    )
    assert source is not None
    assert unescape(source[1]) == page


def test_both_languages_have_every_word() -> None:
    """What the script says in one language it says in the other."""
    words = re.search(
        r"const WORDS = {\n  en: {(.*?)\n  },\n  ko: {(.*?)\n  },\n};", resource("attention.js"), re.S
    )
    assert words is not None
    english, korean = (set(re.findall(r"(?:^|, |\n    )(\w+): ", part)) for part in words.groups())
    assert english == korean
    assert len(english) > 20


def _fields(tokens: Tokens) -> dict[str, Any]:
    return {name: getattr(tokens, name) for name in tokens.__dataclass_fields__}


def _made(rows: Tokens, columns: Tokens, n_heads: list[int]) -> Any:
    """Return what a page reads of a trace whose rows, columns and heads may be any."""

    def attention(layer: int) -> Floats:
        random = np.random.default_rng(layer)
        shape = (n_heads[layer], len(rows), len(columns))
        return random.random(shape, np.float32)

    return SimpleNamespace(
        model="made",
        tokens=rows,
        key_tokens=columns,
        n_layers=len(n_heads),
        mask=None,
        image=None,
        choice=SHOWS_ALL,
        edits=SimpleNamespace(interventions=()),
        heads_of=lambda layer: tuple(range(n_heads[layer])),
        attention=attention,
    )


def test_a_page_has_what_weights_show_at_first_unless_it_is_given() -> None:
    numbers = np.full((3, 4, 2, 2), 0.5, np.float32)
    trace = from_arrays(numbers, ["a", "b"], include_layers=[1, 2], include_heads=[0, 3], layer=2, heads=[3])
    facts, *_ = page_parts(trace, PageOptions())
    assert (facts["layers"], facts["layer"], facts["heads"]) == ([(1, [0, 3]), (2, [0, 3])], 2, [3])
    facts, *_ = page_parts(trace, PageOptions(include_layers=[0], include_heads=[1, 2]))
    assert (facts["layers"], facts["layer"], facts["heads"]) == ([(0, [1, 2])], 0, [1, 2])
    facts, *_ = page_parts(trace, PageOptions(layer=0))
    assert (facts["layer"], len(facts["layers"])) == (0, 3)
