"""`ShownParameters`: what one Parameters panel shows of a run: the table, one matrix, one product."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication

from bertviz_app.checkpoint.parameters import (
    LinearProduct,
    ParameterTable,
    StoredParameter,
    group_title,
    title_of,
)
from bertviz_app.trace import Trace
from bertviz_app.types import Check
from bertviz_app.viewmodels.export.numbers import Fact, Numbers
from bertviz_app.viewmodels.panel_choices import DrawnParameter, ParametersChoice, ParametersPage
from bertviz_app.viewmodels.parameters.matrix_region import Region, RegionPicture
from bertviz_app.viewmodels.parameters.model_matrices import ModelMatrices, ShownMatrix, ShownTable, Traces
from bertviz_app.viewmodels.results import Coming, Failed, Ready
from bertviz_app.viewmodels.selection import Selection

_QUERIES = ".attention.query.weight"


class ShownParameters:
    """The choice made in a panel, and the table, matrix and product for it, requested when first read.

    `slot` names the panel's view: a newer request of the same kind supersedes the one before.
    """

    def __init__(self, matrices: ModelMatrices, selection: Selection, slot: str) -> None:
        self._matrices = matrices
        self._selection = selection
        self._slot = slot
        self.traces: Traces = ()
        self.layer = 0
        self.choice = ParametersChoice()

    def show(self, traces: Traces, layer: int) -> None:
        """Show the parameters of another run, or of a panel in another layer."""
        self.traces, self.layer = traces, layer

    @property
    def is_difference(self) -> bool:
        """Whether the difference of two runs is shown."""
        return len(self.traces) > 1

    @property
    def trace(self) -> Trace:
        """The trace of the run, of the first of two."""
        return self.traces[0]

    @property
    def token(self) -> int:
        """The token whose input is multiplied: the pinned one, else the first of the text."""
        pinned = self._selection.pinned.query
        return min(1, self.trace.n_tokens - 1) if pinned is None else pinned

    @property
    def table(self) -> Ready[ShownTable] | Coming | Failed:
        return self._matrices.table(self.traces, self._slot)

    def table_reader(self) -> Callable[[Check], ShownTable]:
        """Return a function that reads the table, to be called on a worker."""
        return self._matrices.table_reader(self.traces)

    @property
    def entry(self) -> StoredParameter | None:
        """The chosen parameter; before one is chosen the weights of the queries in the panel's layer."""
        state = self.table
        if not isinstance(state, Ready):
            return None
        key, entries = self.choice.key, state.value.table.entries

        def is_chosen(entry: StoredParameter) -> bool:
            # Layers that share their parameters have one entry, named after the first of them.
            return entry.key == key if key else self.layer in entry.layers and entry.key.endswith(_QUERIES)

        return next(filter(is_chosen, entries), entries[0])

    @property
    def drawn(self) -> DrawnParameter | None:
        """What the page shows; None before the table is there."""
        entry = self.entry
        return None if entry is None else DrawnParameter(entry.key, self.token, self.output, self._layer)

    @property
    def _layer(self) -> int | None:
        """The layer whose input is multiplied: that of the panel, if it has the chosen parameter."""
        layers = () if self.entry is None else self.entry.layers
        return None if not layers else self.layer if self.layer in layers else layers[0]

    @property
    def output(self) -> int:
        """The chosen row of the matrix, the last one if it has fewer."""
        entry = self.entry
        return 0 if entry is None else min(self.choice.output, entry.shape[0] - 1)

    @property
    def matrix(self) -> Ready[ShownMatrix] | Coming | Failed:
        entry = self.entry
        if entry is None:
            state = self.table
            return Coming() if isinstance(state, Ready) else state
        return self._matrices.matrix(self.traces, entry.key, self._slot)

    def picture(self, region: Region) -> Ready[RegionPicture] | Coming | Failed:
        """Return the colours of a region of the chosen matrix."""
        entry, state = self.entry, self.matrix
        if entry is None or not isinstance(state, Ready):
            return Coming()
        return self._matrices.picture(self.traces, entry.key, state.value.matrix, region, self._slot)

    @property
    def product(self) -> Ready[LinearProduct] | Coming | Failed | None:
        """How the chosen output is computed for the token; None where nothing is multiplied."""
        token = self.token
        entry = self.entry
        if entry is None or not entry.is_linear or self.is_difference or self.trace.n_tokens <= token:
            return None
        return self._matrices.product(self.trace, entry.key, token, self.output, self._layer, self._slot)

    def choose(self, page: ParametersPage | None = None, key: str = "", output: int | None = None) -> None:
        """Show another page, another parameter, or another row of it."""
        found = self.choice if page is None else replace(self.choice, page=page)
        if key and key != found.key:
            found = replace(found, key=key, output=0)
        self.choice = found if output is None else replace(found, output=output)

    def head_of(self, row: int) -> tuple[int, int] | None:
        """Return (head, dimension) that a row of queries, keys or values belongs to."""
        entry = self.entry
        if entry is None or not any(f"attention.{name}." in entry.key for name in ("query", "key", "value")):
            return None
        return divmod(row, self.trace.head_width)


def numbers_of_parameters(shown: ShownParameters) -> Callable[[], Numbers]:
    """Return a function that collects the numbers of the page that is shown, for a file."""
    entry, matrix, product = shown.entry, shown.matrix, shown.product
    facts: dict[str, Fact] = {} if entry is None else {"parameter": entry.name or entry.key}
    if shown.choice.page == "picture" and isinstance(matrix, Ready):
        found = matrix.value.matrix
        return lambda: Numbers(facts, {"values": found.block(slice(None), slice(None))})
    if shown.choice.page == "product" and isinstance(product, Ready):
        return lambda: _numbers_of_product(facts, product.value)
    read = shown.table_reader()
    return lambda: _numbers_of_table(read(lambda: None).table)


def _numbers_of_table(rows: ParameterTable) -> Numbers:
    counts = np.array([entry.n_numbers for entry in rows], np.int64)
    names = tuple(entry.name or entry.key for entry in rows)
    return Numbers({"total": rows.total}, {"counts": counts}, {"names": names}, rows.as_table)


def _numbers_of_product(facts: dict[str, Fact], product: LinearProduct) -> Numbers:
    whole: dict[str, Fact] = {"output": product.output, "bias": product.bias, "computed": product.computed}
    arrays: dict[str, NDArray[Any]] = {
        "input": product.inputs,
        "weights": product.weights,
        "products": product.products,
    }
    return Numbers(facts | {"token": product.token} | whole, arrays)


def title(entry: StoredParameter) -> str:
    """Return what a parameter is and where: "Layer 0 · attention: Queries: weights, W_Q"."""
    translate = QCoreApplication.translate
    name, symbol = title_of(entry.key, translate)
    group = group_title(entry.group, entry.layers, translate)
    return f"{group} · {name}" + (f" {symbol}" if symbol else "")
