"""What consoles and notebooks show of tokens and facts: short, complete where it can be, and escaped."""

from __future__ import annotations

import re
from dataclasses import replace

from bertviz_app.text.tokens import facts_html, shortened, tokens_html
from tests.support.factories import make_tokens


def _cells(page: str) -> list[list[str]]:
    """Return the cells of each row, its name first."""
    rows = re.findall(r"<tr>(.*?)</tr>", page)
    return [re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in rows]


def test_twelve_labels_are_written_and_of_more_the_middle_is_left_out() -> None:
    labels = [f"w{number}" for number in range(13)]
    assert shortened(labels[:12]) == " ".join(labels[:12])
    assert shortened(labels) == "w0 w1 w2 w3 w4 w5 … w7 w8 w9 w10 w11 w12"


def test_a_table_of_tokens_has_their_labels_and_numbers() -> None:
    tokens = make_tokens(6, pair=True)
    rows = {name: cells for name, *cells in _cells(tokens_html(tokens))}
    assert rows["token"] == list(tokens.labels)
    assert rows["id"] == [str(number) for number in tokens.ids.tolist()]
    assert rows["segment"] == [str(number) for number in tokens.segment_ids.tolist()]
    assert rows["position"] == [str(number) for number in range(6)]


def test_a_summary_of_many_tokens_ends_in_the_number_of_the_rest() -> None:
    exactly, more = make_tokens(32), make_tokens(35)
    assert all(len(cells) == 33 for cells in _cells(tokens_html(exactly)))
    for name, *cells in _cells(tokens_html(more)):
        assert (name, len(cells), cells[-1]) == (name, 33, "… 3 more")


def test_what_did_not_fit_is_named() -> None:
    tokens = make_tokens(4)
    assert "left out" not in tokens_html(tokens)
    assert "<p>7 tokens were left out.</p>" in tokens_html(replace(tokens, n_left_out=7))


def test_markup_in_a_text_is_text() -> None:
    page = facts_html("<b>Model</b>", [("a & b", "<i>"), ("c", "1")])
    assert page.startswith("<p><b>&lt;b&gt;Model&lt;/b&gt;</b></p>")
    assert _cells(page) == [["a &amp; b", "&lt;i&gt;"], ["c", "1"]]
