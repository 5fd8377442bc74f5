"""`ParameterModel`: the parameters of an open checkpoint: their table, their numbers, products with them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bertviz_app.api.arguments import as_name
from bertviz_app.checkpoint.parameters.product import LinearProduct
from bertviz_app.checkpoint.parameters.table import ParameterTable
from bertviz_app.inference.engine import Engine
from bertviz_app.trace import Trace
from bertviz_app.trace.argument import as_trace
from bertviz_app.trace.indexing import as_number


class ParameterModel:
    """The part of `Model` that is about its parameters."""

    _engine: Engine
    _ref: str | None

    def parameters(self) -> ParameterTable:
        """Return every matrix and vector of the checkpoint: name in the file, meaning, shape, count, share.

        What several parts share is listed once; where layers share their weights, `layers` has them all.

        Returns
        -------
        ParameterTable
            A sequence; `table["bert.pooler.dense.weight"]` is one entry, `table.total` the number of all,
            `table.save("parameters.csv")` writes it.
        """
        return self._engine.parameters(self._ref).table

    def parameter(self, name: str) -> NDArray[np.float32]:
        """Return the numbers of one parameter, in float32, as the model computes with them.

        Parameters
        ----------
        name : str
            The name in the file, or the `key` of its entry.

        Returns
        -------
        array
            A copy. The matrix of a linear map is [out, in]: the map is x @ W.T + b.

        Raises
        ------
        SelectionError
            For a name that there is not.
        """
        return self._engine.parameters(self._ref).values(as_name(name)).copy()

    def linear_product(
        self, trace: Trace, name: str, token: int, output: int, layer: int | None = None
    ) -> LinearProduct:
        """Return how one number comes out of a linear map: the input of a token times a row of the matrix.

        Parameters
        ----------
        trace : Trace
            A run of this model.
        name : str
            The matrix, as for `parameter`.
        token : int
            The token whose input is multiplied; of a map that reads the whole text, such as the pooler, any.
        output : int
            Which output: the row of the matrix [out, in].
        layer : int, optional
            Which of the layers that share the matrix; by default the first.

        Returns
        -------
        LinearProduct
            `inputs`, `weights`, `products`, their `sum`, the `bias`, and the `total`, which is the number in
            the trace but for rounding.

        Raises
        ------
        SelectionError
            For what is not the matrix of a linear map; for a token, an output or a layer that is not there.
        CheckpointError
            For a trace of another model.
        """
        trace = as_trace(trace, "model.linear_product(model.trace(text), name, token, output)")
        parameters = self._engine.parameters(self._ref, trace)
        layer = None if layer is None else as_number(layer, "layer")
        return parameters.product(
            trace, as_name(name), as_number(token, "token"), as_number(output, "output"), layer
        )
