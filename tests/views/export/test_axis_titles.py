"""What the axes and the colours of a saved picture of an analysis are called."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app import open_model
from bertviz_app.analysis.results import Result
from bertviz_app.views.export.axis_titles import AxisTitles, titles_of_result

PARTS = "vector of this token", "part that came from this token"
PAIR = "token of run A", "token of run B"


@pytest.fixture
def found(qapp: QApplication, tiny_bert: Path) -> dict[str, Result]:
    model = open_model(str(tiny_bert), "cpu")
    trace, other = model.trace("the cat ate fish"), model.trace("a cat ate")
    of_one = ("head-measures", "norm-attention", "attention-rollout", "decompx")
    results = {key: model.analyse(key, trace) for key in of_one}
    return results | {key: model.analyse(key, trace, other) for key in ("similarity-pairs", "patching")}


@pytest.mark.parametrize(
    ("key", "kind", "expected"),
    [
        ("head-measures", "grid", AxisTitles(left="layer", above="head")),
        ("patching", "grid", AxisTitles(left="layer", above="head")),
        ("norm-attention", "lines", AxisTitles(ends=("query (looks)", "key (is looked at)"))),
        ("attention-rollout", "lines", AxisTitles(ends=PARTS)),
        ("decompx", "lines", AxisTitles(ends=PARTS)),
        ("similarity-pairs", "lines", AxisTitles(ends=PAIR)),
    ],
)
def test_rows_and_columns_are_called_what_they_are(
    found: dict[str, Result], key: str, kind: str, expected: AxisTitles
) -> None:
    assert titles_of_result(kind, found[key], None, is_of_b=False) == expected


def test_the_rows_of_pairs_are_those_of_the_panels_run(found: dict[str, Result]) -> None:
    titles = titles_of_result("lines", found["similarity-pairs"], None, is_of_b=True)
    assert titles.ends == PAIR[::-1]
