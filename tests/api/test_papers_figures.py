"""The guide to a paper's figures: its code runs, and its files are as wide as it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from pypdf import PdfReader

from tests.support.module_facts import examples, run_example


def test_the_guide_to_a_papers_figures_makes_them(
    qapp: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in examples("make_a_papers_figures.md"):
        run_example(block, names)
    widths = {
        path.stem: float(PdfReader(path).pages[0].mediabox.width) / 72 * 2.54
        for path in tmp_path.glob("*.pdf")
    }
    one_column = ("head_0_1", "head_2_4", "separator", "map", "products", "similar", "norms", "query_weights")
    in_columns = dict.fromkeys(one_column, 7.7) | {"three_heads": 9.0, "softmax": 16.0, "feed_forward": 16.0}
    composed = {"attention_to": 16.0, "map_of_texts": 7.7, "side_by_side": 16.0}
    assert widths == pytest.approx(in_columns | composed, abs=0.02)
