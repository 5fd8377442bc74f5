"""How differently each head attends in two runs."""

from __future__ import annotations

from bertviz_app.analysis.axes import Quantity
from bertviz_app.analysis.compare import divergence
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import NoParameters
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import HeadScalars, Scalar
from bertviz_app.errors import Message


@analysis(
    key="divergence",
    title=Message("Difference of two runs"),
    summary=Message("How differently each head attends in two runs: the Jensen-Shannon divergence in bits."),
    limits=Message(
        "It compares where heads attend, not what they do there; what one run lacks counts as one token."
    ),
    paper="Lin 1991, IEEE Trans. Inf. Theory 37:145, the Jensen-Shannon divergence, of the rows of attention",
    needs=Needs.SECOND_RUN,
)
def divergence_of_runs(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> HeadScalars:
    """Return "divergence" [1, L, H] in bits, of layers and heads that both have: see `compare.divergence`."""
    found = divergence(inputs.trace, inputs.second, inputs.alignment, reporter.check)
    return HeadScalars((Scalar("divergence", Quantity("bits", 0, 1)),), found[None])
