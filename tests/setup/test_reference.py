"""The pages of reference name everything that there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.analysis.catalogue import CATALOGUE
from bertviz_app.checkpoint.families.registry import FAMILIES
from bertviz_app.features.corpora.studies.catalogue import STUDIES
from bertviz_app.learning.gallery import questions
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.panel import PANEL_KINDS
from tests.support.module_facts import run_example

PAGES = Path(__file__).resolve().parents[2] / "resources" / "docs" / "reference"
NAMES = {
    "analyses": [f"`{analysis.key}`" for analysis in CATALOGUE],
    "families": [family.model_type for family in FAMILIES],
    "command_line": list(PANEL_KINDS),
}


@pytest.mark.parametrize("page", NAMES)
def test_a_page_of_reference_leaves_nothing_out(page: str) -> None:
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    assert [name for name in NAMES[page] if name not in text] == []


MARKS = {"cells", "bars", "curves", "points", "words", "arcs", "table", "Lines", "Matrix"}


def _pictures() -> dict[str, list[str]]:
    """Return the cells of each row of the tables of pictures, by the key that the row begins with."""
    page = (PAGES / "analyses.md").read_text(encoding="utf-8")
    section = page.partition("\n## Pictures\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(.*?)` \| (.*) \|$", section, re.MULTILINE)
    assert len(rows) == len({key for key, _ in rows})
    return {key: cells.split(" | ") for key, cells in rows}


def test_the_pictures_of_all_analyses_and_studies_are_described_in_order() -> None:
    found, studies = _pictures(), [f"study {study.key}" for study in STUDIES]
    assert [*found] == ["attention", *(analysis.key for analysis in CATALOGUE), *studies, "history"]
    assert {key: cells for key, cells in found.items() if len(cells) != 7 or not all(cells)} == {}
    of_marks = {key: set(cells[1].removesuffix(" †").split(", ")) for key, cells in found.items()}
    assert {key: marks - MARKS for key, marks in of_marks.items() if marks - MARKS} == {}


def test_a_picture_answers_the_question_of_the_gallery() -> None:
    found = _pictures()
    asked = {key or "attention": question.en for key, question in questions().items()}
    assert {key: found[key][0] for key in asked} == asked


@pytest.mark.slow
def test_the_python_of_the_page_runs(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (PAGES / "python.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    (.*)$", page, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    Path("texts.txt").write_text("A cat\nIt was hungry\n", encoding="utf-8")
    rows = ("label\ttext", "positive\tA good film", "negative\tA bad film", "positive\tI like it")
    Path("reviews.tsv").write_text("\n".join(rows), encoding="utf-8")
    names: dict[str, object] = {}
    run_example("\n".join(lines), names)
    assert isinstance(names["trace"], Trace)
    assert {path.name for path in tmp_path.iterdir()} >= {"heads.csv", "trace.npz", "head.pdf", "runs.png"}
