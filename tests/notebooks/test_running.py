"""The notebooks that people copy run, and show the numbers of their models.

BertViz's three, one on attributions as captum's tutorials are, and one of a Korean course on
`output_attentions=True`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from bertviz_app import api
from tests.notebooks.made import write_models
from tests.notebooks.running import CELLS, notebook_of
from tests.trace.test_page import data_of

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
OF_A_PAIR = ["[CLS]", "the", "cat", "ate", "[SEP]", "it", "was", "hungry", "[SEP]"]


class Outputs:
    """What the cells of a notebook showed, in order."""

    def __init__(self, notebook: Any) -> None:
        self._all = [output for cell in notebook.cells for output in cell.get("outputs", ())]

    def shown(self, kind: str) -> Iterator[str]:
        return (output.data[kind] for output in self._all if kind in output.get("data", {}))

    @property
    def pages(self) -> list[list[dict[str, Any]]]:
        """What the pages of each output have."""
        found = (re.findall(r'srcdoc="([^"]*)"', html) for html in self.shown("text/html"))
        return [[data_of(unescape(page)) for page in pages] for pages in found if pages]

    @property
    def figures(self) -> list[list[str]]:
        """The texts of each figure."""
        return [
            [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)", svg)]
            for svg in self.shown("image/svg+xml")
        ]

    @property
    def printed(self) -> str:
        return "".join(output.text for output in self._all if output.get("name") == "stdout")

    @property
    def warnings(self) -> str:
        lines = "".join(output.text for output in self._all if output.get("name") == "stderr").splitlines()
        return "\n".join(line for line in lines if "bertviz_app" in line)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("notebooks")
    write_models(made)
    return made


@pytest.fixture(scope="module")
def ran(folder: Path) -> dict[str, Outputs]:
    """What each notebook showed, all run as Jupyter does in one process, which forgets the names of each.

    Raises what a cell raised.
    """
    notebooks = {script.stem: notebook_of(script) for script in sorted(CELLS.glob("*.py"))}
    whole = nbformat.v4.new_notebook()
    for notebook in notebooks.values():
        whole.metadata = notebook.metadata
        whole.cells += [*notebook.cells, nbformat.v4.new_code_cell("%reset -f")]
    client = NotebookClient(whole, timeout=300, resources={"metadata": {"path": str(folder)}})
    client.execute(env=os.environ | {"PYTHONPATH": str(ROOT)})
    found = {name: Outputs(notebook) for name, notebook in notebooks.items()}
    assert not any(outputs.warnings for outputs in found.values())
    return found


def test_the_head_view(folder: Path, ran: dict[str, Outputs]) -> None:
    pages = ran["head_view"].pages
    assert [len(of_cell) for of_cell in pages] == [1, 1, 1, 3, 1]
    (pair,), (chosen,), (causal,), (_, _, cross), (image,) = pages
    assert {page["view"] for of_cell in pages for page in of_cell} == {"lines"}
    assert pair["queries"]["labels"] == OF_A_PAIR
    assert pair["queries"]["sentences"] == [-1, 0, 0, 0, -1, 1, 1, 1, -1]
    trace = api.open_model(str(folder / "bert"), device="cpu").trace("the cat ate", "it was hungry")
    for (layer, head), weights in pair["weights"].items():
        np.testing.assert_allclose(weights, trace.attention(layer, head), atol=1e-5)
    assert (chosen["layer"], chosen["heads"]) == (1, [0, 3])
    assert causal["mask"]
    assert len(cross["queries"]["labels"]) != len(cross["keys"]["labels"])
    assert image["queries"]["labels"][:3] == ["[CLS]", "0,0", "0,1"]
    assert len(image["queries"]["labels"]) == 17


def test_the_model_view(ran: dict[str, Outputs]) -> None:
    pages = ran["model_view"].pages
    assert [len(of_cell) for of_cell in pages] == [1, 1, 1, 3]
    assert {page["view"] for of_cell in pages for page in of_cell} == {"overview"}
    (whole,), (some,), _, _ = pages
    assert len(whole["weights"]) == 8
    assert whole["theme"] == "dark"
    assert list(some["weights"]) == [(1, 0), (1, 2)]
    assert some["theme"] == "light"


def test_the_neuron_view(folder: Path, ran: dict[str, Outputs]) -> None:
    found = ran["neuron_view"]
    queries, scores, products, softmax = found.figures
    trace = api.open_model(str(folder / "bert"), device="cpu").trace(
        "the cat ate the fish", "because it was hungry"
    )
    query, key = trace.queries[1, 2, 2], trace.keys[1, 2, 5]
    for number in (*query, *key, *(query * key), query @ key):
        assert any(_is_number(text, number) for text in products), number
    for label in set(trace.tokens.labels):
        assert label in queries
        assert label in scores
    assert any(_is_number(text, trace.attention(1, 2)[2].max()) for text in softmax)
    (difference,) = re.findall(r"weights: (\S+)", found.printed)
    assert float(difference) < 1e-6


def _is_number(text: str, number: float) -> bool:
    """Return whether a text is a number, rounded."""
    text = text.replace("−", "-").removeprefix("= ")
    if not re.fullmatch(r"-?\d+\.\d+", text):
        return False
    return abs(float(text) - number) <= 0.51 * 10.0 ** -len(text.partition(".")[2])


def test_attributions(folder: Path, ran: dict[str, Outputs]) -> None:
    found = ran["attributions"]
    bars, _ = found.figures
    assert {"hungry", "cat", "ate"} <= {*bars}
    (off,) = re.findall(r"off by (\S+)", found.printed)
    assert float(off) < 1e-4
    model = api.open_model(str(folder / "classifier"), device="cpu")
    trace = model.trace("the cat ate the fish because it was hungry")
    found_here = model.analyse("integrated-gradients", trace, target="class", answer="positive", steps=64)
    values = found_here.arrays()["values"]
    (total,) = re.findall(r"sum (\S+),", found.printed)
    assert float(total) == pytest.approx(values.sum(), abs=1e-4)
    assert "integrated-gradients" in "".join(found.shown("text/html")), "which analysis it is of"


def test_output_attentions_in_korean(folder: Path, ran: dict[str, Outputs]) -> None:
    found = ran["output_attentions_ko"]
    assert "2 개 레이어, (1, 4, 17, 17)" in found.printed
    ((page,),) = found.pages
    (matrix,) = found.figures
    assert {*page["queries"]["labels"]} <= {*matrix}
    saved = data_of((folder / "attention.html").read_text(encoding="utf-8"))
    assert saved["language"] == "ko"
    np.testing.assert_array_equal(saved["weights"][1, 0], page["weights"][1, 0])
