"""`@study(...)`: an analysis of a file, block by block, whose parts and bounded summaries add up."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, get_type_hints

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.entry import Described, ModelAccess, with_gradients
from bertviz_app.analysis.parameters import Reporter
from bertviz_app.analysis.results import Result
from bertviz_app.text import Tokens
from bertviz_app.text_tables.items import FileKind, Item
from bertviz_app.trace import Trace
from bertviz_app.types import Bytes, Doubles
from bertviz_app.values import dataclass, field, fields

P = TypeVar("P")
R_co = TypeVar("R_co", bound=Result, covariant=True)
Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Part:
    """What some texts of a file contribute: two parts in the file's order add up to one.

    `sums` are added; `rows` are laid end to end along their first axis. Both hold arrays by name, whose
    shapes are the same in every part but for the first axis of rows; a name that a part lacks counts as
    nothing there. Sums are float64 or int64, so that the order of adding is felt in no digit that is shown.
    `kept` are summaries that stay as large as they are, see `merged`: a sample, say.
    """

    sums: Arrays = field(default_factory=dict)
    rows: Arrays = field(default_factory=dict)
    kept: Arrays = field(default_factory=dict)

    def plus(self, other: Part) -> Part:
        """Return this part and `other`, which follows it in the file."""
        return joined((self, other))


NOTHING = Part()
"""What no text contributes."""


def joined(parts: Iterable[Part]) -> Part:
    """Return the sum of parts, in their order. Rows are laid end to end once, not part by part."""
    sums: dict[str, NDArray[Any]] = {}
    rows: dict[str, list[NDArray[Any]]] = {}
    kept: dict[str, NDArray[Any]] = {}
    for part in parts:
        for name, array in part.sums.items():
            sums[name] = sums[name] + array if name in sums else array
        for name, array in part.rows.items():
            rows.setdefault(name, []).append(array)
        for name, array in part.kept.items():
            kept[name] = merged(kept[name], array) if name in kept else array
    return Part(sums, {name: np.concatenate(arrays) for name, arrays in rows.items()}, kept)


Summary = NDArray[Any]
"""A structured array [..., k]: k entries of each row, whatever was added to it."""
NO_ENTRY = np.iinfo(np.uint64).max
"""The priority of an entry that is empty: a row has fewer than k."""
HEAVY = np.dtype([("id", np.int64), ("total", np.float64)])
"""An entry of the heaviest kinds: which kind, -1 where the entry is empty, and the total counted of it."""
Numbers = NDArray[np.integer[Any]]


def merged(one: Summary, other: Summary) -> Summary:
    """Return the union of two summaries of the same kind and shape [..., k], of that shape.

    Entries with a `priority` (uint64): those k of both with the lowest. So what is kept of a whole file is
    the same in whatever order its parts are added, and whoever measured them.

    Entries of HEAVY: totals of the same kind are added; of more than k kinds the k heaviest are kept, and the
    total of the next one is taken off each of them (Misra & Gries 1982; that such summaries can be merged:
    Agarwal et al. 2012, doi:10.1145/2213556.2213562). A kind's true total is at least the counted one, and at
    most (W - C) / (k + 1) more, W being the weight of everything that was added and C that which is counted.
    """
    both = np.concatenate((one, other), axis=-1)
    size = one.shape[-1]
    if "priority" in (both.dtype.names or ()):
        order = np.argsort(both["priority"], axis=-1, kind="stable")[..., :size]
        return np.take_along_axis(both, order, axis=-1)
    summary = np.stack([_added(row, size) for row in both.reshape(-1, both.shape[-1])])
    return summary.reshape(one.shape)


def heaviest(ids: Numbers, totals: Doubles, size: int) -> Summary:
    """Return the `size` heaviest of U kinds with different `ids` [U] and `totals` [..., U]."""
    summary = np.zeros((*totals.shape[:-1], size), HEAVY)
    for row in np.ndindex(totals.shape[:-1]):
        summary[row] = _reduced(ids, totals[row], size)
    return summary


def counted_off(summary: Summary, weight: Doubles) -> Doubles:
    """Return [...], by how much a total in `summary` [..., k] may be too low of the whole `weight` [...]."""
    missing = np.maximum(weight - summary["total"].sum(-1), 0.0)
    is_whole = missing <= 1e-9 * np.maximum(weight, 1.0)  # nothing but rounding
    bounds: Doubles = np.where(is_whole, 0.0, missing / (summary.shape[-1] + 1))
    return bounds


def with_lowest(entries: Summary, size: int) -> Summary:
    """Return the `size` of `entries` [..., N] with the lowest priority, with empty ones if N is smaller."""
    rest = np.zeros((*entries.shape[:-1], max(0, size - entries.shape[-1])), entries.dtype)
    rest["priority"] = NO_ENTRY
    both = np.concatenate((entries, rest), axis=-1)
    return np.take_along_axis(both, np.argsort(both["priority"], axis=-1, kind="stable")[..., :size], axis=-1)


def hashed(numbers: Numbers | Sequence[int], seed: int = 0) -> NDArray[np.uint64]:
    """Return a number for each of `numbers`, evenly spread and the same everywhere, below NO_ENTRY.

    It is the output function of SplitMix64 (Steele et al. 2014, doi:10.1145/2660193.2660195).
    """
    with np.errstate(over="ignore"):
        found = np.asarray(numbers, np.uint64) + np.uint64(seed + 1) * np.uint64(0x9E3779B97F4A7C15)
        found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.minimum(found ^ (found >> np.uint64(31)), np.uint64(NO_ENTRY - 1))


def _added(row: Summary, size: int) -> Summary:
    row = row[row["id"] >= 0]
    ids, at = np.unique(row["id"], return_inverse=True)
    return _reduced(ids, np.bincount(at, row["total"], len(ids)).astype(np.float64), size)


def _reduced(ids: Numbers, totals: Doubles, size: int) -> Summary:
    summary = np.zeros(size, HEAVY)
    summary["id"] = -1
    order = np.lexsort((ids, -totals))[: size + 1]
    less = totals[order[size]] if len(order) > size else 0.0
    order = order[:size]
    order = order[totals[order] > less]
    summary["id"][: len(order)] = ids[order]
    summary["total"][: len(order)] = totals[order] - less
    return summary


@dataclass(frozen=True, eq=False)
class Unit:
    """One item of the file as the tokenizer cut it: all of it is read, unless the user let it be cut."""

    item: Item
    tokens: Tokens


@dataclass(frozen=True, eq=False)
class Measured:
    """The inputs of a measurement: the units of one block, and the open checkpoint.

    `model` runs the checkpoint, without interventions; `record` returns the trace of tokens. Of a study that
    compares two checkpoints, `second` has the same of the other one; `before` is the result of the study that
    went first, see `Study.first`.
    """

    units: Sequence[Unit]
    model: ModelAccess
    record: Callable[[Tokens], Trace]
    second: Measured | None = None
    before: Result | None = None


def needs_nothing(parameters: object) -> None:
    """Return None: no other study must go first."""


BLOCK_UNITS = 32
"""How many units a block has by default."""


@dataclass(frozen=True, eq=False, kw_only=True)
class _DescribedStudy(Described):
    """What the catalogue says about a study, see `Study`."""

    reads: FileKind
    finish: Callable[..., Any]
    condense: Callable[[Part], Part] | None = None
    first: Callable[[Any], ChosenStudy | None] = needs_nothing
    block: int = BLOCK_UNITS
    reads_traces: bool = True


@dataclass(frozen=True, eq=False, kw_only=True)
class Study(_DescribedStudy, Generic[P, R_co]):
    """One study: `measure` returns the part of a block of units, `finish` the result of the whole file.

    `reads`: what the units of its file are. `needs` and `refuses` are as those of an `Analysis`; a study with
    SECOND_RUN among its needs compares two checkpoints. `condense`: where the rows of a whole file take more
    memory than there may be, the runner gives it what was added up so far; it returns a smaller part with the
    same meaning for `finish`, which adds up with others. `first`: returns the study of the same file whose
    result must be known before this one can measure, None where these parameters need none. `block`: how many
    units are measured and saved at a time; many, where a part of few is about as large. `reads_traces`: a
    study that does not gets all units of a block at once, as no traces of them have to fit into memory.
    """

    measure: Callable[[Measured, P, Reporter], Part]
    finish: Callable[[ModelAccess, Part, P, Reporter], R_co]
    parameters: type[P]
    result: type[R_co]


class ChosenStudy(NamedTuple):
    """A study, and the parameters that it runs with."""

    study: Study[Any, Any]
    parameters: Any


@dataclass(frozen=True, eq=False, kw_only=True)
class _Decorator(_DescribedStudy):
    """Makes a `Study` of the function that measures a block: `@study(key=..., reads=..., finish=...)`.

    The function returns the `Part` of the units of `measured`. The same units give the same part in whatever
    block they are, but for rounding; so a part must not depend on its neighbours. It calls
    `reporter.check()` at least every 100 ms. `finish` turns the part of the whole file into a result; it gets
    the model, too (for its form, its vocabulary, or a pass that only the whole can be followed by).
    """

    def __call__(self, measure: Callable[[Measured, P, Reporter], Part]) -> Study[P, Any]:
        described = {field.name: getattr(self, field.name) for field in fields(self)}
        parameters = get_type_hints(measure)["parameters"]
        result = get_type_hints(self.finish)["return"]
        described["finish"] = with_gradients(self.finish)
        return Study(**described, measure=with_gradients(measure), parameters=parameters, result=result)


study = _Decorator


def as_lines(values: Iterable[object]) -> Bytes:
    """Return objects of JSON's kinds as bytes [n]: two such arrays end to end are those of all objects."""
    text = "".join(f"{json.dumps(value, ensure_ascii=False)}\n" for value in values)
    return np.frombuffer(text.encode("utf-8"), np.uint8).copy()


def from_lines(lines: Bytes) -> list[Any]:
    """Return the objects that `as_lines` made bytes of."""
    return [json.loads(line) for line in lines.tobytes().decode("utf-8").split("\n") if line]


def item_as_json(item: Item) -> Sequence[object]:
    """Return a parsed sentence as a value for JSON."""
    return [item.line, item.text, item.marks, item.heads]


def item_from_json(value: Sequence[Any]) -> Item:
    """Return the parsed sentence that `item_as_json` made a value of."""
    line, text, marks, heads = value
    return Item(line, text, marks=tuple((int(a), int(b), str(c)) for a, b, c in marks), heads=tuple(heads))
