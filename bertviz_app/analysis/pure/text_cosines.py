"""How similar two texts are by each vector that may stand for a text."""

from __future__ import annotations

import numpy as np

from bertviz_app.analysis.axes import Axis
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import NoParameters
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.analysis.vectors import text_cosines
from bertviz_app.errors import Message


@analysis(
    key="text-cosines",
    title=Message("Similarity of two texts"),
    summary=Message("The cosine between two texts by each vector that may stand for a text."),
    limits=Message(
        "Only a vector that a checkpoint was trained to compare tells how alike two texts are in meaning: "
        "mostly the sentence vector of sentence-transformers."
    ),
    paper="Reimers and Gurevych 2019, arXiv:1908.10084, section 3",
    needs=Needs.SECOND_RUN,
)
def similarity_of_texts(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> NamedArrays:
    """Return "cosine" [N], from -1 to 1, by each of N vectors that both texts have: see `text_cosines`."""
    reporter.check()
    found = text_cosines(inputs.trace, inputs.second)
    reporter.check()
    cosines = np.array(list(found.values()), np.float32)
    return NamedArrays({"cosine": cosines}, {"cosine": (Axis("vector", tuple(found)),)}, main="cosine")
