"""How differently each head attends in two runs."""

from __future__ import annotations

from bertviz_app.analysis.axes import Quantity
from bertviz_app.analysis.compare import divergence
from bertviz_app.analysis.entry import Analysis, Inputs, Needs
from bertviz_app.analysis.parameters import NoParameters
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import HeadScalars, Scalar
from bertviz_app.errors import Message


def _run(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> HeadScalars:
    found = divergence(inputs.trace, inputs.second, inputs.alignment, reporter.check)
    return HeadScalars((Scalar("divergence", Quantity("bits", 0, 1)),), found[None])


DIVERGENCE = Analysis(
    key="divergence",
    paper="Lin 1991, IEEE Trans. Inf. Theory 37:145, the Jensen-Shannon divergence, of the rows of attention",
    needs=Needs.SECOND_RUN,
    parameters=NoParameters,
    result=HeadScalars,
    title=Message("Difference of two runs"),
    summary=Message("How differently each head attends in two runs: the Jensen-Shannon divergence in bits."),
    limits=Message(
        "It compares where heads attend, not what they do there; what one run lacks counts as one token."
    ),
    run=_run,
)
