"""Units of a study from items, recorded by a model or by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, TypeVar

from bertviz_app.analysis.parameters import Reporter
from bertviz_app.analysis.results import Result
from bertviz_app.api import Model
from bertviz_app.features.corpora.studies.study import Measured, Study, Unit, joined
from bertviz_app.text import Tokens
from bertviz_app.text_tables.items import Item
from bertviz_app.trace import Trace

P = TypeVar("P")
R = TypeVar("R", bound=Result)


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


def run_here(entry: Study[P, R], measured: Measured, parameters: P, reporter: Reporter, block: int = 32) -> R:
    """Return the result of a study of units that are in memory, measured in blocks of `block` units."""
    units = measured.units
    parts = []
    earlier = entry.first(parameters)
    before = (
        None if earlier is None else run_here(earlier.study, measured, earlier.parameters, reporter, block)
    )
    for first in range(0, len(units), block):
        some, second = slice(first, first + block), measured.second
        if second is not None:
            second = replace(second, units=second.units[some])
        inputs = replace(measured, units=units[some], second=second, before=before)
        parts.append(entry.measure(inputs, parameters, reporter))
        reporter.progress(min(1.0, (first + block) / len(units)))
    return entry.finish(measured.model, joined(parts), parameters, reporter)
