"""The measures of every head as one analysis of the catalogue."""

from __future__ import annotations

import numpy as np

from bertviz_app.analysis.axes import Quantity
from bertviz_app.analysis.entry import Inputs, analysis
from bertviz_app.analysis.measures import CLARK, MEASURES, VIG, VOITA, Measure, head_measures
from bertviz_app.analysis.parameters import NoParameters
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import HeadScalars, Scalar
from bertviz_app.errors import Message


@analysis(
    key="head-measures",
    title=Message("Measures of every head"),
    summary=Message("How widely, how far and to which tokens each head attends: a number for each measure."),
    limits=Message(
        "Means over the queries that have the number, special tokens among them: one unusual query may hide "
        "in them."
    ),
    paper=f"{CLARK}; {VIG}; {VOITA}",
)
def measures_of_heads(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> HeadScalars:
    """Return [K, L, H]: every measure of MEASURES of each head, in its unit."""
    found = head_measures(inputs.trace, reporter.check)
    scalars = tuple(Scalar(measure.key, _quantity(measure)) for measure in MEASURES)
    return HeadScalars(scalars, np.stack([found[measure.key] for measure in MEASURES]))


def _quantity(measure: Measure) -> Quantity:
    return Quantity(measure.unit, 0, 1 if measure.unit == "weight" else None)
