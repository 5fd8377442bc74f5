"""What a stop does with a matrix of the checkpoint: a vector times it, or a row looked up in it."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

import numpy as np

from bertviz_app.features.steps.drawn import read_by
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.parameters import Matrix, ModelMatrices, Region, ShownMatrix
from bertviz_app.viewmodels.results import Coming, Failed, R, Ready
from bertviz_app.viewmodels.stages.stage import source_of
from bertviz_app.viewmodels.stages.stops import StopTensors, bound_of, symbol
from bertviz_app.viewmodels.viewport import Levels

_MODULES = MappingProxyType(
    {
        "queries": ("attention.query", "W_Q", "b_Q"),
        "keys": ("attention.key", "W_K", "b_K"),
        "values": ("attention.value", "W_V", "b_V"),
        "projected": ("attention.output", "W_O", "b_O"),
        "expanded": ("feed_forward.expand", "W_1", "b_1"),
        "gate": ("feed_forward.gate", "W_G", "b_G"),
        "contracted": ("feed_forward.contract", "W_2", "b_2"),
        "dense": ("pooler.dense", "W_P", "b_P"),
    }
)
"""By stage the module whose matrix it multiplies by, and the letters of matrix and bias."""
_TABLES = MappingProxyType({"token": "ids", "segment": "segment_ids", "position": "position_ids"})
"""By stage of an embedding which numbers of the tokens are its rows."""
_OF_HEAD = ("queries", "keys", "values")
_ROUNDING = 1e-2
_GRID, _TABLE = (240, 720), (240, 48)
_AROUND = 2


@dataclass(frozen=True, eq=False)
class Product:
    """One token's vector times a matrix: `outputs` [n] of the trace are `inputs` [C] times its rows, plus b.

    `weights` are the rows as stored, [n, C]: the columns of W in x W. `formulas`: the letters of input,
    matrix, bias and output. `levels`: the colours of the weights, None while they are on their way.
    """

    stage: str
    formulas: tuple[str, str, str, str]
    inputs: Floats
    weights: Floats
    bias: Floats | None
    outputs: Floats
    levels: Levels | None

    def products(self, output: int) -> Doubles:
        """Return the products [C] that add up to an output."""
        products: Doubles = self.inputs.astype(np.float64) * self.weights[output]
        return products

    def sum(self, output: int) -> float:
        """Return the sum of the products, without the bias."""
        return float(self.products(output).sum())

    @property
    def is_exact(self) -> bool:
        """Whether the products make the numbers of the trace, and nothing else is done to them."""
        made = self.weights @ self.inputs
        made = made if self.bias is None else made + self.bias
        return bool(np.abs(made - self.outputs).max() <= _ROUNDING * bound_of(self.outputs))


@dataclass(frozen=True, eq=False)
class Lookup:
    """Row `index` of a table of `n_rows`, the embedding of the token; `name_of` a row, if it has a name.

    `rows` are those around it, from `first` on.
    """

    index: int
    n_rows: int
    first: int
    rows: Floats  # [n, C]
    name_of: Callable[[int], str] | None
    levels: Levels | None

    @property
    def row(self) -> Floats:
        found: Floats = self.rows[self.index - self.first]
        return found


class StopMatrices:
    """Has the matrices of a stop read on the workers of `matrices`; what is on its way is None until then."""

    def __init__(self, matrices: ModelMatrices) -> None:
        self._matrices = matrices
        self.arrived = matrices.arrived
        self._slot = f"steps {id(self)}"
        self.is_waiting = False
        """Whether something of the stop that was asked for last is still on its way."""

    def of(self, tensors: StopTensors) -> Product | Lookup | None:
        """Return what a stop does with a matrix; None of one that does nothing with one, or not yet."""
        stage, self.is_waiting = tensors.stop.stage, False
        if stage in _MODULES:
            return self._product(tensors)
        return self._lookup(tensors) if stage in _TABLES else None

    def _product(self, tensors: StopTensors) -> Product | None:
        stage = tensors.stop.stage
        module, *letters = _MODULES[stage]
        if stage in _OF_HEAD:
            source, letter = source_of(stage[0], tensors.absent)
            letter = f"{letter}_i"
        else:
            source = "attention_norm" if stage == "gate" else read_by(tensors)
            letter = symbol(source, tensors.absent)
        inputs, outputs = tensors.row(source), tensors.row(stage)
        key = self._key(tensors, f"{module}.weight")
        weights = self._matrix(tensors.trace, key, "weight")
        if inputs is None or outputs is None or weights is None:
            return None
        bias_key = self._key(tensors, f"{module}.bias")
        bias = self._matrix(tensors.trace, bias_key, "bias")
        if bias_key and bias is None:
            return None
        first = tensors.head * len(outputs) if stage in _OF_HEAD else 0
        rows = slice(first, first + len(outputs))
        array = weights.matrix.arrays[0][rows]
        if array.shape != (len(outputs), len(inputs)):
            return None
        own_bias = None if bias is None else bias.matrix.arrays[0][0, rows]
        levels = self._levels(tensors.trace, key, weights.matrix, (first, rows.stop), _GRID)
        formulas = letter, letters[0], letters[1], symbol(stage, tensors.absent)
        product = Product(stage, formulas, inputs, array, own_bias, outputs, levels)
        return product if product.is_exact else None

    def _lookup(self, tensors: StopTensors) -> Lookup | None:
        stage, tokens = tensors.stop.stage, tensors.trace.tokens
        key, own = self._key(tensors, f"embeddings.{stage}.weight"), tensors.row(stage)
        table = self._matrix(tensors.trace, key, "weight")
        if table is None or own is None:
            return None
        index, n_rows = int(getattr(tokens, _TABLES[stage])[tensors.query]), table.matrix.shape[0]
        if not 0 <= index < n_rows or not np.array_equal(table.matrix.arrays[0][index], own):
            return None  # scaled, or computed in another way
        first = max(0, min(index - _AROUND, n_rows - 2 * _AROUND - 1))
        rows = table.matrix.block(slice(first, first + 2 * _AROUND + 1), slice(None))
        levels = self._levels(tensors.trace, key, table.matrix, (0, n_rows), _TABLE)
        return Lookup(index, n_rows, first, rows, table.row_name, levels)

    def _key(self, tensors: StopTensors, ending: str) -> str:
        """Return the key of the parameter of the stop's layer with this ending; "" if there is none yet."""
        shown = self._ready(self._matrices.table((tensors.trace,), self._slot))
        for entry in () if shown is None else shown.table:
            is_own = entry.key == ending or entry.key.endswith(f".{ending}")
            is_of_layer = not entry.layers or tensors.layer in entry.layers
            if is_own and is_of_layer and "earlier" not in entry.key and "beside" not in entry.key:
                return entry.key
        return ""

    def _matrix(self, trace: Trace, key: str, what: str) -> ShownMatrix | None:
        return self._ready(self._matrices.matrix((trace,), key, f"{self._slot} {what}")) if key else None

    def _levels(
        self, trace: Trace, key: str, matrix: Matrix, rows: tuple[int, int], size: tuple[int, int]
    ) -> Levels | None:
        region = Region(rows, (0, matrix.shape[1]), *size)
        picture = self._ready(self._matrices.picture((trace,), key, matrix, region, self._slot))
        return None if picture is None else picture.levels

    def _ready(self, state: Ready[R] | Coming | Failed) -> R | None:
        self.is_waiting = self.is_waiting or isinstance(state, Coming)
        return state.value if isinstance(state, Ready) else None
