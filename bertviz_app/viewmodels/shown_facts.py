"""The numbers of what the window shows now, by the names that the glossary and the lessons give them."""

from __future__ import annotations

from bertviz_app.learning.glossary import facts_of
from bertviz_app.viewmodels.inspected import Inspected
from bertviz_app.viewmodels.runs.workspace import Workspace


def shown_facts(workspace: Workspace, inspected: Inspected) -> dict[str, str]:
    """Return the facts of run A with the head and the pair that the inspector shows; {} without a run."""
    shown, pair = workspace.shown, inspected.pair
    if shown is None:
        return {}
    trace, facts = shown.result.trace, workspace.facts
    if pair is None or pair.trace is not trace:
        return facts_of(trace, facts)
    return facts_of(trace, facts, (pair.layer, pair.head), pair.numbers)
