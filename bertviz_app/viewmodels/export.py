"""What a panel or a card shows: which runs it is of, arrays with names, files, and lines of Python."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication

from bertviz_app.analysis.attention.stamp import ANALYSES, WEIGHTS, Stamp
from bertviz_app.analysis.entry import description, facts_of
from bertviz_app.analysis.measures import Extras, HeadOverview, as_csv, names_of
from bertviz_app.analysis.parameters import read_parameters
from bertviz_app.analysis.picture import Picture, Quantity
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.errors import AppError, Message
from bertviz_app.inference.engine import TraceRequest, TraceResult
from bertviz_app.inference.opened_checkpoint import device_name, dtype_of
from bertviz_app.options import ENCODED_RUNS, Run
from bertviz_app.tables import (
    Cell,
    RowSource,
    Table,
    digits,
    json_digits,
    with_note,
    write_file,
    write_npz,
    write_table_csv,
)
from bertviz_app.text.edits import edits_text
from bertviz_app.trace.bias import CONTENT, GlobalAttention
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.types import Floats
from bertviz_app.values import asdict, dataclass, field, fields, replace
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.heads.pictures import HeadOfRun, HeadPicture
from bertviz_app.viewmodels.heads.places import TokenPlaces
from bertviz_app.viewmodels.inspected import PairInHeads
from bertviz_app.viewmodels.panel import (
    Content,
    DrawnParameter,
    Panel,
    analysis_of,
    has_heads,
    reads_second_run,
)
from bertviz_app.viewmodels.state import Pair
from bertviz_app.viewmodels.wording import rest_texts

Fact = str | int | float | bool | None | dict[str, object] | list[int]
INTERVENTIONS = "interventions"
"""The fact, and the column of a table, that names what was done to the model; "" in a fact: nothing."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """`facts`: what the arrays are of. `arrays`: by name. `labels`: names of rows, columns or heads.

    `table`: what a CSV file has instead of the arrays; None: it has those. `stamp`: which numbers of
    attention they are; None: they are none. `described`: what an NPZ file of an analysis has beside these.
    """

    facts: dict[str, Fact]
    arrays: dict[str, NDArray[Any]]
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    table: Callable[[], Table] | None = None
    stamp: Stamp | None = None
    described: dict[str, NDArray[Any]] = field(default_factory=dict)


ComputeNumbers = Callable[[], Numbers]
"""Computes the numbers; it may take long and is called on a worker."""

_LONGEST_TEXT = 240


@dataclass(frozen=True, eq=False)
class Runs:
    """The results of run A and, in a comparison, of run B: what exported pictures and numbers are of."""

    a: TraceResult
    b: TraceResult | None = None

    def of(self, run: Run) -> TraceResult:
        """Return run "A" or "B"; of a difference run A."""
        return self.b if run == "B" and self.b is not None else self.a

    def only(self, run: Run) -> Runs:
        """Return what a picture of `run` is drawn from: that run, or both for their difference."""
        return self if run == "A-B" else Runs(self.of(run))

    def lines(self, run: Run) -> tuple[str, ...]:
        """Return what is written below a title: of each run its checkpoint, its text and its edits."""
        lines = []
        for name, result in zip(ENCODED_RUNS, (self.a, self.b), strict=True):
            if result is None or (run not in (name, "A-B")):
                continue
            request, trace, translate = result.request, result.trace, QCoreApplication.translate
            short = (
                text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT].rstrip()} …"
                for text in (request.text, *([] if request.pair is None else [request.pair]))
            )
            texts = " | ".join(f"“{text}”" for text in short)
            lines.append(f"{'' if self.b is None else f'{name}: '}{result.facts.name} · {texts}")
            edits = []
            if trace.edits.muted:
                heads = ", ".join(f"{layer}·{head}" for layer, head in trace.edits.muted)
                edits.append(translate("Export", "muted: {0}").format(heads))
            words = translate("Export", "token {0} replaced by {1}")
            edits += [words.format(at, piece) for at, piece in trace.edits.replaced]
            edits += rest_texts(trace.edits, trace.tokens)
            lines += [" · ".join(edits)] if edits else []
            if trace.provenance.dtype != "float32":
                lines.append(translate("Export", "computed in {0}").format(trace.provenance.dtype))
        return tuple(lines)

    def named(self, run: Run, compute: ComputeNumbers, *, reads_both: bool = False) -> ComputeNumbers:
        """Return what computes numbers that name their run; those of a difference name both.

        `reads_both`: they are of one run, but the analysis read the other one, too.
        """
        facts: dict[str, Fact] = {"run": run, **_facts_of(self.of(run))}
        other = self.a if run == "B" else self.b
        if (run == "A-B" or reads_both) and other is not None:
            facts["other"] = {**_facts_of(other)}

        def named() -> Numbers:
            numbers = compute()
            return replace(numbers, facts=facts | numbers.facts)

        return named


def _facts_of(result: TraceResult) -> dict[str, Fact]:
    trace, tokens = result.trace, result.trace.tokens
    facts: dict[str, Fact] = {"model": trace.model, "text": tokens.text, "pair": tokens.pair}
    if trace.fingerprint:
        facts["fingerprint"] = trace.fingerprint
    if trace.provenance.dtype != "float32":
        facts["dtype"] = trace.provenance.dtype
    return facts | {"edits": asdict(result.request.edits), INTERVENTIONS: edits_text(trace.edits)}


def head_numbers(panel: Panel, pictures: tuple[HeadPicture, ...]) -> Numbers:
    """Return the weights that lines or a matrix show, [queries, keys], or [heads, queries, keys] of several.

    Where two runs are compared, nan stands where one of them lacks the token.
    """
    front = pictures[0]
    token_order = front.token_order
    weights = [picture.source.rows(0, len(token_order.queries)) for picture in pictures]
    facts: dict[str, Fact] = {
        "layer": front.layer,
        "heads": [picture.head for picture in pictures],
        "options": asdict(front.options),
    }
    labels = {"queries": token_order.queries.names, "keys": token_order.keys.names}
    array = weights[0] if len(weights) == 1 else np.stack(weights)
    stamp, error = front.stamp, front.source.identity_error
    if not panel.content.analysis:
        name = "weights" if stamp.numbers == "weight" else stamp.numbers
        if error is not None:
            facts["identity_error"] = error
        return Numbers(facts | {**stamp.facts}, {name: array}, labels, stamp=stamp)
    facts["special_tokens"] = stamp.special_tokens
    facts |= _analysis_facts(panel.shown_content, front.quantity, error)
    axes = ("head", "query", "key")[-array.ndim :]
    described = description(axes, front.trace.tokens.pieces, facts["parameters"], error)
    return Numbers(facts, {"values": array}, labels, described=described)


def result_numbers(analysed: Analysed, shown: Picture | None = None) -> Numbers:
    """Return the arrays of a result, the labels of its axes, and for a CSV file its table.

    Of arrays that fit no table of their own that is the table of the picture that is `shown`.
    """
    result = analysed.result
    labels = {axis.name: axis.labels for axis in result.axes}
    for name, axes in result.other_axes.items():
        labels |= {f"{name} {axis.name}": axis.labels for axis in axes}
    error, quantity = result.identity_error, getattr(result, "quantity", None)
    facts = _analysis_facts(analysed.content, quantity, error)
    facts["result"] = {**facts_of(result)}
    axis_names = tuple(axis.name for axis in result.axes)
    pieces = analysed.traces[0].tokens.pieces if analysed.traces else ()
    described = description(axis_names, pieces, facts["parameters"], error)
    is_of_arrays = shown is not None and type(result).as_table is NamedArrays.as_table
    table = shown.as_table if shown is not None and is_of_arrays else result.as_table
    return Numbers(facts, result.arrays(), labels, table, described=described)


def _analysis_facts(content: Content, quantity: Quantity | None, error: float | None) -> dict[str, Fact]:
    analysis = analysis_of(content)
    parameters: dict[str, object] = dict(content.parameters)
    facts: dict[str, Fact] = {"analysis": content.analysis, "identity_error": error}
    if analysis is not None:
        parameters = {**vars(read_parameters(analysis.parameters, parameters))}
        facts |= {"paper": analysis.paper, "limits": str(analysis.limits)}
    facts["parameters"] = parameters
    return facts if quantity is None else facts | {"unit": quantity.unit}


def step_numbers(shown: HeadOfRun, details: LayerDetails | None) -> Numbers:
    """Return the vectors of one head, and every stage of its layer if that was computed."""
    trace, layer, head = shown.trace, shown.layer, shown.head
    arrays = {
        "input": trace.hidden[layer],
        "queries": trace.queries[layer, head],
        "keys": trace.keys[layer, head],
        "values": trace.values[layer, head],
        "scores": trace.scores(layer, head, scaled=False),
        "weights": trace.attention(layer, head),
    }
    if isinstance(trace.bias, GlobalAttention):
        arrays["global_keys"] = trace.bias.keys[layer, head]
        arrays["global_values"] = trace.bias.values[layer, head]
    if details is not None:
        stages = {field.name: getattr(details, field.name) for field in fields(details)}
        arrays |= {name: stage for name, stage in stages.items() if isinstance(stage, np.ndarray)}
    facts: dict[str, Fact] = {"layer": layer, "head": head, **WEIGHTS.facts}
    return Numbers(facts, arrays, {"tokens": trace.tokens.pieces}, stamp=WEIGHTS)


def overview_numbers(overview: HeadOverview, pinned: PairInHeads | None = None) -> Numbers:
    """Return every measure of every head, [layers, heads] each, and the weights of the pinned pair.

    Raises AppError while measures of a long text are still being computed.
    """
    if overview.sample is not None:
        n_missing, n_layers = int(overview.sample.layers.sum()), overview.sample.layers.size
        raise AppError(
            Message("The numbers of {0} of {1} layers are still being computed.", n_missing, n_layers),
            Message("Try again when the overview is no longer a sample."),
        )
    facts: dict[str, Fact] = {**overview.stamp.facts}
    arrays = dict(overview.measures)
    if pinned is not None:
        column = pinned.column
        facts |= {"query": column.query, "key": column.key, "query_key": " → ".join(column.labels)}
        arrays[f"pair_{pinned.stamp.numbers}"] = column.weights
        arrays |= {} if column.others is None else {"pair_others": column.others}
    return Numbers(facts, arrays, stamp=overview.stamp)


def measures_as_text(
    overview: HeadOverview, heads: list[tuple[int, int]], pair: PairInHeads | None = None
) -> str:
    """Return the measures of `heads` as tab-separated lines, to be pasted into a spreadsheet.

    Behind them what each head is called, and the weights of the pinned pair. Measures that are still being
    computed are nan.
    """
    names = names_of(overview.measures, overview.n_queries, overview.n_cross_keys)
    extras = Extras(names, None if pair is None else pair.column, overview.stamp, overview.dtype)
    return as_csv(overview.measures, heads, "\t", extras)


def named_numbers(found: Mapping[str, NDArray[np.generic] | tuple[str, ...]]) -> Numbers:
    """Return Numbers of what a view has in one dictionary: arrays, and tuples of names."""
    arrays = {
        name: np.asarray(value, np.float32) for name, value in found.items() if not isinstance(value, tuple)
    }
    labels = {name: value for name, value in found.items() if isinstance(value, tuple)}
    return Numbers({}, arrays, labels)


def save_numbers(numbers: Numbers, path: str | Path) -> None:
    """Write `numbers` to `path`: `.csv`, `.npz` or `.json` by its ending. Raises FileError.

    CSV and JSON write numbers so that reading them gives the same float32. A CSV of one matrix with names
    is that matrix under and beside its names; of anything else a line a number, under the columns
    `array,index,value`, an index being as "3.0.7"; of the facts it has which numbers of attention they are,
    in which numbers the layers multiplied if not in float32, and the interventions, if there are any. JSON
    has null where there is no number, and for infinite ones, which JSON does not have.
    """

    def write_json(path: Path) -> None:
        with path.open("w", encoding="utf-8") as file:
            facts = {"facts": numbers.facts, "labels": numbers.labels}
            file.write(json.dumps(facts, ensure_ascii=False)[:-1] + ', "arrays": {')
            for index, (name, array) in enumerate(numbers.arrays.items()):
                file.write((", " if index else "") + json.dumps(name) + ": ")
                _write_list(file, array)
            file.write("}}\n")

    def write_arrays(path: Path) -> None:
        facts = np.array(json.dumps(numbers.facts, ensure_ascii=False))
        names = {name: np.array(names) for name, names in numbers.labels.items()}
        write_npz({"facts": facts, **names, **numbers.described, **numbers.arrays}, path)

    write_file(
        path,
        {
            ".csv": lambda path: write_table_csv(_table(numbers), path),
            ".npz": write_arrays,
            ".json": write_json,
        },
    )


def _write_list(file: IO[str], array: Floats) -> None:
    """Write nested lists row by row: all of a long text as Python floats would be ten times its size."""
    if array.ndim == 0:
        file.write(*json_digits(array[None]))
    elif array.ndim > 1:
        file.write("[")
        for index, part in enumerate(array):
            file.write(", " if index else "")
            _write_list(file, part)
        file.write("]")
    else:
        file.write("[" + ", ".join(json_digits(array)) + "]")


def _interventions(facts: Mapping[str, object]) -> str:
    """Return what was done to the model, in one line; of a difference in both runs; "" for nothing."""
    of_first, other = str(facts.get(INTERVENTIONS) or ""), facts.get("other")
    if not isinstance(other, Mapping):
        return of_first
    first, second = ("B", "A") if facts.get("run") == "B" else ("A", "B")
    of_runs = {first: of_first, second: str(other.get(INTERVENTIONS) or "")}
    return "; ".join(f"run {run}: {text}" for run, text in sorted(of_runs.items()) if text)


def _table(numbers: Numbers) -> Table:
    interventions = _interventions(numbers.facts)
    if numbers.table is not None:
        return with_note(numbers.table(), INTERVENTIONS, interventions)
    rows, columns = numbers.labels.get("queries"), numbers.labels.get("keys")
    only = next(iter(numbers.arrays.values())) if len(numbers.arrays) == 1 else None
    if only is not None and rows is not None and columns is not None and only.ndim == 2:
        lines = RowSource(lambda: ((name, *digits(row)) for name, row in zip(rows, only, strict=True)))
        remarks = [] if numbers.stamp is None else [numbers.stamp.text]
        remarks += [f"computed in {dtype}" for dtype in _low_dtypes(numbers)]
        remarks += [interventions] if interventions else []
        return Table((", ".join(remarks), *columns), lines)

    def entries() -> Iterator[tuple[Cell, ...]]:
        """Yield (array, index, value) of every label and number, what they are before them."""
        if interventions:
            yield INTERVENTIONS, "", interventions
        if numbers.stamp is not None:
            yield from (("stamp", name, value) for name, value in numbers.stamp.facts.items())
        yield from (("dtype", "", dtype) for dtype in _low_dtypes(numbers))
        for name, names in numbers.labels.items():
            yield from ((name, index, label) for index, label in enumerate(names))
        for name, array in numbers.arrays.items():
            yield from ((name, ".".join(map(str, at)), value) for at, value in np.ndenumerate(array))

    return Table(("array", "index", "value"), RowSource(entries))


def _low_dtypes(numbers: Numbers) -> list[str]:
    """Return in which numbers the layers multiplied, of a difference those of both runs; not float32."""
    other = numbers.facts.get("other")
    of_runs = [numbers.facts.get("dtype"), other.get("dtype") if isinstance(other, dict) else None]
    return list(dict.fromkeys(str(dtype) for dtype in of_runs if dtype is not None))


_OF_VECTORS = (
    "hidden = trace.hidden  # [layers + 1, tokens, width]: of the embeddings, then after each layer",
    "cls = trace.hidden[:, 0]  # [layers + 1, width]",
    "pooled = trace.pooled  # [width], None for a checkpoint without a pooler",
    "sentence = trace.sentence_vector  # that of sentence-transformers, None for other checkpoints",
    "projected = trace.token_vectors  # [tokens, width of theirs], those of a ColBERT, None for others",
)
_API = ("analyse", "compare", "head_measures", "load_trace", "open_model", "pair_weights")
_INTERVENTIONS = ("CellIntervention", "HeadIntervention", "StateIntervention", "TokenIntervention")


def weights_as_python(panel: Panel, runs: Runs, picture: HeadPicture | None = None) -> str:
    """Return lines after which `weights` holds what a panel of lines or a matrix shows.

    [queries, keys], or by head where it draws several. `picture` says which tokens are left out or joined.
    """
    if picture is not None and not panel.content.analysis and picture.source.kind != "weight":
        panel = replace(panel, content=Content(ANALYSES[picture.source.kind]))
    return _script(_weights(panel, runs, picture))


def result_as_python(panel: Panel, runs: Runs, shown: Picture | None = None) -> str:
    """Return lines after which `result` holds the result of the analysis that a panel shows.

    `picture` then holds the one that is `shown`, with its numbers and a table of them.
    """
    if shown is None:
        return _script([*_result(panel, runs), "print(result.axes, result.arrays()['values'])"])
    chosen = f"picture = next(one for one in result.pictures() if one.key == {shown.key!r})"
    return _script([*_result(panel, runs), chosen, "print(picture.as_table())"])


def steps_as_python(panel: Panel, runs: Runs, added: Sequence[str] = ()) -> str:
    """Return lines after which `weights` holds a head's attention and `details` all stages of its layer.

    Steps are of the attention weights of all tokens, whatever lines and matrices leave out. `added`: what
    is added to the scores of the content.
    """
    lines = _weights(panel, runs)
    lines.append(f"details = model.details(trace, {panel.layer})  # every stage of this layer")
    if added:
        names = ", ".join((CONTENT, *added))
        lines.append(
            f"parts = trace.score_parts({panel.layer}, {panel.head})  # {names}: scores add up of them"
        )
    return _script(lines)


def vectors_as_python(runs: Runs) -> str:
    """Return lines after which `hidden`, `cls` and `pooled` hold the vectors of a run, or of both."""
    return _script([*_opening(runs), *_OF_VECTORS])


def parameters_as_python(panel: Panel, runs: Runs, drawn: DrawnParameter | None) -> str:
    """Return lines after which `parameters` lists all of them, and `matrix` has the numbers of one.

    In the product `found` is that of the row that is shown, for the token and the layer that are.
    """
    request, choice = runs.of(panel.run).request, panel.parameters
    if drawn is None:
        name = choice.key or f"layers.{panel.layer}.attention.query.weight"
        drawn = DrawnParameter(name, token=1, output=choice.output, layer=None)
    name = drawn.key
    lines = [
        f"model = {_model(request)}",
        "parameters = model.parameters()",
        f"matrix = model.parameter({name!r})",
    ]
    if choice.page == "product":
        lines.append(f"trace = model.trace({_arguments(request)})")
        layer = "" if drawn.layer is None else f", layer={drawn.layer}"
        where = f"token={drawn.token}, output={drawn.output}{layer}"
        lines.append(f"found = model.linear_product(trace, {name!r}, {where})")
        lines.append("# found.inputs * found.weights, summed, and found.bias: found.total")
    if (other := runs.only(panel.run).b) is not None:
        lines.append(f"matrix = matrix - {_model(other.request)}.parameter({name!r})")
    return _script(lines)


def _weights(panel: Panel, runs: Runs, picture: HeadPicture | None = None) -> list[str]:
    """Return what assigns the matrix that a panel draws to `weights`, by head where it draws several."""
    shown = runs.only(panel.run)
    if panel.content.analysis:
        at = "{0}, {1}" if has_heads(panel.content) else "{0}"
        lines, template = _result(panel, runs), f"result.source({at}).rows(slice(None))"
    elif shown.b is not None:
        lines = [*_opening(shown), "both = compare(trace, other)"]
        template = "both.difference({0}, {1})"
    else:
        lines, template = _opening(shown), "trace.attention({0}, {1})"
    heads = panel.shown_heads
    one = template.format(panel.layer, heads[0])
    many = f"{{head: {template.format(panel.layer, 'head')} for head in {list(heads)}}}"
    lines.append(f"weights = {one if len(heads) == 1 else many}")
    tokens = "" if picture is None else f"special tokens {picture.stamp.special_tokens}; "
    lines.append(f"# {tokens}each row is a query, each column a key: weights[query, key]")
    if picture is not None and not picture.token_order.is_plain:
        order = picture.token_order
        lines += [
            f"queries = {_spans(order.queries)}  # from token, up to token",
            f"keys = {_spans(order.keys)}",
            "",
            "def read(weights):",
            '    """The mean over the tokens of a query of the sum over those of a key."""',
            "    rows = [[weights[i:j, k:m].sum(1).mean() for k, m in keys] for i, j in queries]",
            "    rows = np.array(rows)",
            *(["    rows /= rows.sum(1, keepdims=True)"] if order.rescales else []),
            *("    return rows", ""),
        ]
        every = "{head: read(of_head) for head, of_head in weights.items()}"
        lines.append(f"weights = {'read(weights)' if len(heads) == 1 else every}")
    return lines


def _result(panel: Panel, runs: Runs) -> list[str]:
    """Return what assigns the result of a panel's analysis to `result`."""
    content, shown = panel.shown_content, runs.only(panel.run)
    given = "".join(f", {name}={value!r}" for name, value in content.parameters)
    call = f"analyse({content.analysis!r}, {{}}{given})"
    of_a = "model." if shown.a.trace.has_states else ""
    of_b = "" if runs.b is None or not runs.b.trace.has_states else f"{_model_of_b(runs)}."
    if reads_second_run(content) and runs.b is not None:
        traces = "trace, other" if panel.run != "B" else "other, trace"
        return [*_opening(runs), f"result = {of_b if panel.run == 'B' else of_a}{call.format(traces)}"]
    if shown.b is None:
        return [*_opening(shown), f"result = {of_a}{call.format('trace')}"]
    return [
        *_opening(runs),
        f"of_a = {of_a}{call.format('trace')}",
        f"of_b = {of_b}{call.format('other')}",
        "result = of_a.minus(of_b, compare(trace, other).alignment)",
    ]


def overview_as_python(runs: Runs, pair: Pair | None = None, stamp: Stamp = WEIGHTS) -> str:
    """Return lines after which `measures` holds what the overview and the heads table show of one run.

    And `weights` how much weight each head gives the pinned pair, if there is one. Both are of attention
    weights; where the window shows other numbers (`stamp`), a remark says so.
    """
    lines = [*_opening(runs), *_remark(stamp), "measures = head_measures(trace)  # by name, [layers, heads]"]
    if pair is not None:
        call = f"pair_weights(trace, {pair.query}, {pair.key})"
        lines.append(f"weights = {call}  # of this query and key, [layers, heads]")
    return _script(lines)


def with_remark(lines: str, stamp: Stamp) -> str:
    """Return lines of Python that are of attention weights, with a remark where the window shows others."""
    return "\n".join((*_remark(stamp), lines))


def _remark(stamp: Stamp) -> list[str]:
    words = f"# of attention weights of all tokens; the window shows: {stamp.text}"
    return [] if stamp == WEIGHTS else [words]


def divergence_as_python(runs: Runs) -> str:
    """Return lines after which `apart` holds how far apart the heads of two runs are, [layers, heads]."""
    return _script([*_opening(runs), "apart = compare(trace, other).divergence  # Jensen-Shannon, in bits"])


def inspector_as_python(
    panel: Panel, runs: Runs, positions: Mapping[Run, int | None], stamp: Stamp = WEIGHTS
) -> str:
    """Return lines after which `weights` holds the head's attention and `predictions` those of run A.

    `positions` has, for each run whose predictions are shown, the position of the token that is predicted;
    those of run B are `other_predictions`. `stamp`: as in `overview_as_python`.
    """
    remark = _remark(stamp)
    if not positions:
        return "\n".join((*remark, weights_as_python(panel, runs)))
    trace = "other" if panel.run == "B" and runs.b is not None else "trace"
    lines = [*_opening(runs), *remark, f"weights = {trace}.attention({panel.layer}, {panel.head})"]
    lines.append(
        "# .fillings, .next_sentence, .classes, .replaced, .token_labels, .answer, with probabilities:"
    )
    if "A" in positions:
        lines.append(f"predictions = model.predict(trace{_at(positions['A'])})")
    if "B" in positions:
        lines.append(f"other_predictions = {_model_of_b(runs)}.predict(other{_at(positions['B'])})")
    return _script(lines)


def _at(token: int | None) -> str:
    return "" if token is None else f", [{token}]"


def _model_of_b(runs: Runs) -> str:
    """Return the name under which `_opening` opens the checkpoint of run B."""
    a, b = runs.a.request, runs.of("B").request
    return "model" if (b.ref, b.device) == (a.ref, a.device) else "other_model"


def _opening(runs: Runs) -> list[str]:
    """Return the lines that open the checkpoints and encode the texts, as `trace` and `other`."""
    of_a = runs.a.request
    lines = [f"model = {_model(of_a)}", f"trace = model.trace({_arguments(of_a)})"]
    if not runs.a.trace.has_states:
        lines = [f"trace = load_trace({of_a.ref!r})"]
    if runs.b is not None and not runs.b.trace.has_states:
        lines.append(f"other = load_trace({runs.b.request.ref!r})")
    elif runs.b is not None:
        model, of_b = _model_of_b(runs), runs.b.request
        if model != "model":
            lines.append(f"{model} = {_model(of_b)}")
        lines.append(f"other = {model}.trace({_arguments(of_b)})")
    return lines


def _model(request: TraceRequest) -> str:
    ref = "" if request.ref is None else repr(request.ref)
    name, dtype = device_name(request.device, "float32"), dtype_of(request.device)
    device = "" if name == "auto" else f"device={name!r}"
    numbers = "" if dtype == "float32" else f"dtype={dtype!r}"
    return f"open_model({', '.join(part for part in (ref, device, numbers) if part)})"


def _arguments(request: TraceRequest) -> str:
    parts = [repr(request.text)]
    if request.pair is not None:
        parts.append(f"pair={request.pair!r}")
    if request.edits.muted:
        parts.append(f"muted={list(request.edits.muted)!r}")
    if request.edits.replaced:
        parts.append(f"replaced={dict(request.edits.replaced)!r}")
    if others := [*request.edits.tokens, *request.edits.heads, *request.edits.cells]:
        parts.append(f"interventions={others!r}")
    return ", ".join(parts)


def _spans(places: TokenPlaces) -> str:
    return repr(list(zip(np.asarray(places.starts).tolist(), np.asarray(places.ends).tolist(), strict=True)))


def _script(lines: list[str]) -> str:
    """Return the lines behind the imports of what they call."""

    def used(names: Sequence[str]) -> list[str]:
        called = [name for name in names if any(re.search(rf"(?<![.\w]){name}\(", line) for line in lines)]
        return [f"from bertviz_app.api import {', '.join(called)}"] if called else []

    numpy = ["import numpy as np\n"] if "    rows = np.array(rows)" in lines else []
    return "\n".join([*numpy, *used(_API), *used(_INTERVENTIONS), "", *lines]) + "\n"
