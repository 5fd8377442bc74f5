"""Units of a study from items, recorded by a model or by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

from bertviz_app.analysis.studies.study import Measured, Unit
from bertviz_app.api import Model
from bertviz_app.text import Tokens
from bertviz_app.text_tables.items import Item
from bertviz_app.trace import Trace


def measured_by(model: Model, items: Iterable[Item]) -> Measured:
    """Return the units of items as a model reads them."""
    units = [Unit(item, model.trace(item.text, item.pair).tokens) for item in items if not item.fault]
    facts = SimpleNamespace(fingerprint=model.trace("the cat").fingerprint)
    access: Any = SimpleNamespace(checkpoint=SimpleNamespace(facts=facts))
    return Measured(units, access, lambda tokens: model.trace(tokens.text, tokens.pair))


def measured_of(traces: Mapping[Item, Trace]) -> Measured:
    """Return the units of items whose traces were made by hand."""
    units = [Unit(item, trace.tokens) for item, trace in traces.items()]

    def record(tokens: Tokens) -> Trace:
        return next(trace for trace in traces.values() if trace.tokens is tokens)

    access: Any = SimpleNamespace(checkpoint=SimpleNamespace(facts=SimpleNamespace(fingerprint="")))
    return Measured(units, access, record)
