"""The table of all stages: which an encoder has, in which order, and the equations that they form."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from types import MappingProxyType

from bertviz_app.trace.form import BERT, Form
from bertviz_app.viewmodels.steps.attention_stages import ATTENTION_STAGES
from bertviz_app.viewmodels.steps.embedding_stages import EMBEDDING_STAGES
from bertviz_app.viewmodels.steps.feed_forward_stages import FEED_FORWARD_STAGES, TOP_STAGES
from bertviz_app.viewmodels.steps.stage import Architecture, Stage, Term

_ALL = (*EMBEDDING_STAGES, *ATTENTION_STAGES, *FEED_FORWARD_STAGES, *TOP_STAGES)
STAGES: MappingProxyType[str, Stage] = MappingProxyType({stage.key: stage for stage in _ALL})
"""Every stage by its key. An encoder with a part of its own adds a row to one of the four tables."""

_ADDED_FIRST = ("concat", "attention_sum", "projected", "attention_norm")
"""The order of these where a layer's input is added before the projection."""


def in_order(form: Form = BERT) -> tuple[Stage, ...]:
    """Return all stages in the order in which an encoder of this form computes them."""
    if not form.adds_before_projection:
        return _ALL
    reordered = iter([STAGES[key] for key in _ADDED_FIRST])
    return tuple(next(reordered) if stage.key in _ADDED_FIRST else stage for stage in _ALL)


def absent_stages(architecture: Architecture, layer: int) -> frozenset[str]:
    """Return the keys of the stages that the embeddings, `layer` and the top do without."""
    return frozenset(stage.key for stage in _ALL if not stage.applies(architecture, layer))


def equation(stage: str, most: int, absent: Collection[str] = (), form: Form = BERT) -> tuple[Term, ...]:
    """Return the lines that explain a stage: those of its whole part, if these are not more than `most`.

    Else its own line and those it is made of. The stages `absent` are not this model's.
    """
    part = STAGES[stage].part
    stages = [one for one in in_order(form) if one.part is part and one.key not in absent]
    lines = tuple(term for one in stages for term in one.terms(form))
    if len(lines) <= most:
        return lines
    own = max(position for position, line in enumerate(lines) if line.name == stage)
    first = max(0, own - STAGES[stage].n_operands)
    # What led to the first of them is not shown any more.
    return (replace(lines[first], sign=""), *lines[first + 1 : own + 1])
