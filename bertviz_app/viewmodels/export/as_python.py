"""What is shown, as lines of Python that compute the same numbers through the API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from bertviz_app.analysis.attention.stamp import ANALYSES, WEIGHTS, Stamp
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.inference.opened_checkpoint import device_name, dtype_of
from bertviz_app.options import Run
from bertviz_app.trace.bias import CONTENT
from bertviz_app.viewmodels.heads.pictures import HeadOfRun, HeadPicture
from bertviz_app.viewmodels.heads.token_places import TokenOrder, TokenPlaces
from bertviz_app.viewmodels.panel_choices import Content, DrawnParameter
from bertviz_app.viewmodels.panel_contents import has_heads, reads_second_run
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.selection import Pair

_OF_VECTORS = (
    "hidden = trace.hidden  # [layers + 1, tokens, width]: of the embeddings, then after each layer",
    "cls = trace.hidden[:, 0]  # [layers + 1, width]",
    "pooled = trace.pooled  # [width], None for a checkpoint without a pooler",
    "sentence = trace.sentence_vector  # that of sentence-transformers, None for other checkpoints",
)
_INTERVENTIONS = ("CellIntervention", "HeadIntervention", "TokenIntervention")
_OF_BOTH = "from bertviz_app.api import compare, open_model"
_OF_OVERVIEW = ("measures = head_measures(trace)  # by name, [layers, heads]",)


@dataclass(frozen=True)
class Runs:
    """The requests of run A and, in a comparison, of run B."""

    a: TraceRequest
    b: TraceRequest | None = None

    def of(self, run: Run) -> TraceRequest:
        """Return the request of run "A" or "B"."""
        return self.b if run == "B" and self.b is not None else self.a


Drawn = HeadPicture | HeadOfRun | DrawnParameter | None
"""What a panel shows, as far as it is known."""

PanelAsPython = Callable[[Panel, Runs, Drawn], str]
"""Returns lines of Python for what a panel shows; what is drawn says which tokens are left out or joined."""


def weights_as_python(panel: Panel, runs: Runs, drawn: Drawn) -> str:
    """Return lines after which `weights` holds what a panel of lines or a matrix shows.

    [queries, keys], or by head where it draws several.
    """
    picture = drawn if isinstance(drawn, HeadPicture) else None
    if picture is not None and not panel.content.analysis and picture.source.kind != "weight":
        panel = replace(panel, content=Content(ANALYSES[picture.source.kind]))
    if panel.content.analysis:
        return _matrices(panel, runs, picture)
    imports, lines = _weights(panel, runs, picture)
    return _joined(imports, lines, [])


def result_as_python(panel: Panel, runs: Runs, drawn: Drawn) -> str:
    """Return lines after which `result` holds the result of the analysis that a panel shows."""
    imports, lines = _result(panel, runs)
    return _joined(imports, lines, ["print(result.axes, result.arrays()['values'])"])


def steps_as_python(panel: Panel, runs: Runs, drawn: Drawn) -> str:
    """Return lines after which `weights` holds a head's attention and `details` all stages of its layer.

    Steps are of the attention weights of all tokens, whatever lines and matrices leave out.
    """
    imports, lines = _weights(panel, runs, None)
    lines.append(f"details = model.details(trace, {panel.layer})  # every stage of this layer")
    if isinstance(drawn, HeadPicture | HeadOfRun) and drawn.trace.added:
        names = ", ".join((CONTENT, *drawn.trace.added))
        lines.append(
            f"parts = trace.score_parts({panel.layer}, {panel.head})  # {names}: scores add up of them"
        )
    return _joined(imports, lines, [])


def vectors_as_python(panel: Panel, runs: Runs, drawn: Drawn) -> str:
    """Return lines after which `hidden`, `cls` and `pooled` hold the vectors of a run, or of both."""
    return _joined(["from bertviz_app.api import open_model"], _opening_of(panel, runs), list(_OF_VECTORS))


def parameters_as_python(panel: Panel, runs: Runs, drawn: Drawn) -> str:
    """Return lines after which `parameters` lists all of them, and `matrix` has the numbers of one.

    In the product `found` is that of the row that is shown, for the token and the layer that are.
    """
    request, choice = runs.of(panel.run), panel.parameters
    if not isinstance(drawn, DrawnParameter):
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
    if _is_difference(panel, runs) and runs.b is not None:
        lines.append(f"matrix = matrix - {_model(runs.b)}.parameter({name!r})")
    return _joined(["from bertviz_app.api import open_model"], lines, [])


def _is_difference(panel: Panel, runs: Runs) -> bool:
    return panel.run == "A-B" and runs.b is not None


def _opening_of(panel: Panel, runs: Runs) -> list[str]:
    """Return the lines that open and encode the runs of a panel."""
    return _opening(runs if _is_difference(panel, runs) else Runs(runs.of(panel.run)))


def _weights(panel: Panel, runs: Runs, drawn: HeadPicture | None) -> tuple[list[str], list[str]]:
    """Return the imports, and what assigns the attention of a panel's heads to `weights`."""
    imports, lines = ["from bertviz_app.api import open_model"], _opening_of(panel, runs)
    template = "trace.attention({0}, {1})"
    if _is_difference(panel, runs):
        imports = [_OF_BOTH]
        lines.append("both = compare(trace, other)")
        template = "both.difference({0}, {1})"
    heads = panel.shown_heads
    one = template.format(panel.layer, heads[0])
    many = f"{{head: {template.format(panel.layer, 'head')} for head in {list(heads)}}}"
    lines.append(f"weights = {one if len(heads) == 1 else many}")
    lines.append(_axes_of(drawn))
    _add_order(imports, lines, drawn, is_one=len(heads) == 1)
    return imports, lines


def _axes_of(drawn: HeadPicture | None) -> str:
    """Return a comment that says what rows and columns of `weights` are, and which tokens are among them."""
    axes = "each row is a query, each column a key: weights[query, key]"
    return f"# {axes}" if drawn is None else f"# special tokens {drawn.stamp.special_tokens}; {axes}"


def _add_order(imports: list[str], lines: list[str], drawn: HeadPicture | None, *, is_one: bool) -> None:
    """Add what leaves out and joins tokens of `weights` as the panel does, if it does."""
    if drawn is not None and not drawn.token_order.is_plain:
        imports.insert(0, "import numpy as np\n")
        lines += _order(drawn.token_order, is_one=is_one)


def _matrices(panel: Panel, runs: Runs, drawn: HeadPicture | None) -> str:
    """Return lines after which `weights` holds what a panel draws of an analysis, by head if of several."""
    imports, lines = _result(panel, runs)
    heads = panel.shown_heads
    template = "result.source({0}, {1}).rows(slice(None))"
    if not has_heads(panel.content):
        template = "result.source({0}).rows(slice(None))"
    one = template.format(panel.layer, heads[0])
    many = f"{{head: {template.format(panel.layer, 'head')} for head in {list(heads)}}}"
    lines.append(f"weights = {one if len(heads) == 1 else many}")
    lines.append(_axes_of(drawn))
    _add_order(imports, lines, drawn, is_one=len(heads) == 1)
    return _joined(imports, lines, [])


def _result(panel: Panel, runs: Runs) -> tuple[list[str], list[str]]:
    """Return the imports, and what assigns the result of a panel's analysis to `result`."""
    content = panel.shown_content
    given = "".join(f", {name}={value!r}" for name, value in content.parameters)
    call = f"analyse({content.analysis!r}, {{}}{given})"
    if reads_second_run(content) and runs.b is not None:
        models, traces = ("model", _model_of_b(runs)), ("trace", "other")
        is_b = panel.run == "B"
        both = ", ".join(traces[::-1] if is_b else traces)
        lines = [*_opening(runs), f"result = {models[is_b]}.{call.format(both)}"]
        return ["from bertviz_app.api import open_model"], lines
    if _is_difference(panel, runs):
        lines = _opening(runs)
        lines.append(f"of_a = model.{call.format('trace')}")
        lines.append(f"of_b = {_model_of_b(runs)}.{call.format('other')}")
        lines.append("result = of_a.minus(of_b, compare(trace, other).alignment)")
        return [_OF_BOTH], lines
    lines = [*_opening_of(panel, runs), f"result = model.{call.format('trace')}"]
    return ["from bertviz_app.api import open_model"], lines


def overview_as_python(request: TraceRequest, pair: Pair | None = None, stamp: Stamp = WEIGHTS) -> str:
    """Return lines after which `measures` holds what the overview and the heads table show.

    And `weights` how much weight each head gives the pinned pair, if there is one. Both are of attention
    weights; where the window shows other numbers (`stamp`), a remark says so.
    """
    of_overview = [*_remark(stamp), *_OF_OVERVIEW]
    if pair is None:
        imports = ["from bertviz_app.api import head_measures, open_model"]
        return _joined(imports, _opening(Runs(request)), of_overview)
    imports = ["from bertviz_app.api import head_measures, open_model, pair_weights"]
    weights = (
        f"weights = pair_weights(trace, {pair.query}, {pair.key})  # of this query and key, [layers, heads]"
    )
    return _joined(imports, _opening(Runs(request)), [*of_overview, weights])


def with_remark(lines: str, stamp: Stamp) -> str:
    """Return lines of Python that are of attention weights, with a remark where the window shows others."""
    return "\n".join((*_remark(stamp), lines))


def _remark(stamp: Stamp) -> list[str]:
    if stamp == WEIGHTS:
        return []
    return [f"# of attention weights of all tokens; the window shows: {stamp.text}"]


def divergence_as_python(runs: Runs) -> str:
    """Return lines after which `apart` holds how far apart the heads of two runs are, [layers, heads]."""
    apart = "apart = compare(trace, other).divergence  # Jensen-Shannon, in bits"
    return _joined([_OF_BOTH], _opening(runs), [apart])


def vector_as_python(request: TraceRequest) -> str:
    """Return lines after which `pooled` holds the pooled vector."""
    return _joined(["from bertviz_app.api import open_model"], _opening(Runs(request)), list(_OF_VECTORS))


def inspector_as_python(
    panel: Panel, runs: Runs, positions: Mapping[Run, int | None], stamp: Stamp = WEIGHTS
) -> str:
    """Return lines after which `weights` holds the head's attention and `predictions` those of run A.

    `positions` has, for each run whose predictions are shown, the position of the token that is predicted;
    those of run B are `other_predictions`. `stamp`: as in `overview_as_python`.
    """
    remark = _remark(stamp)
    if not positions:
        return "\n".join((*remark, weights_as_python(panel, runs, None)))
    trace = "other" if panel.run == "B" and runs.b is not None else "trace"
    lines = [*_opening(runs), *remark, f"weights = {trace}.attention({panel.layer}, {panel.head})"]
    lines.append(
        "# .fillings, .next_sentence, .classes, .replaced, .token_labels, .answer, with probabilities:"
    )
    if "A" in positions:
        lines.append(f"predictions = model.predict(trace{_at(positions['A'])})")
    if "B" in positions:
        lines.append(f"other_predictions = {_model_of_b(runs)}.predict(other{_at(positions['B'])})")
    return _joined(["from bertviz_app.api import open_model"], lines, [])


def _at(token: int | None) -> str:
    return "" if token is None else f", [{token}]"


def _model_of_b(runs: Runs) -> str:
    """Return the name under which `_opening` opens the checkpoint of run B."""
    is_same = runs.b is not None and (runs.b.ref, runs.b.device) == (runs.a.ref, runs.a.device)
    return "model" if is_same else "other_model"


def _opening(runs: Runs) -> list[str]:
    """Return the lines that open the checkpoints and encode the texts, as `trace` and `other`."""
    lines = [f"model = {_model(runs.a)}", f"trace = model.trace({_arguments(runs.a)})"]
    if runs.b is not None:
        model = _model_of_b(runs)
        if model != "model":
            lines.append(f"{model} = {_model(runs.b)}")
        lines.append(f"other = {model}.trace({_arguments(runs.b)})")
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
    others = [*request.edits.tokens, *request.edits.heads, *request.edits.cells]
    if others:
        parts.append(f"interventions={others!r}")
    return ", ".join(parts)


def _order(token_order: TokenOrder, *, is_one: bool) -> list[str]:
    """Return the lines that leave out and join tokens as the panel does."""
    lines = [
        f"queries = {_spans(token_order.queries)}  # from token, up to token",
        f"keys = {_spans(token_order.keys)}",
        "",
        "def read(weights):",
        '    """The mean over the tokens of a query of the sum over those of a key."""',
        "    rows = [[weights[i:j, k:m].sum(1).mean() for k, m in keys] for i, j in queries]",
        "    rows = np.array(rows)",
    ]
    if token_order.rescales:
        lines.append("    rows /= rows.sum(1, keepdims=True)")
    lines += ["    return rows", ""]
    every = "{head: read(of_head) for head, of_head in weights.items()}"
    return [*lines, f"weights = {'read(weights)' if is_one else every}"]


def _spans(places: TokenPlaces) -> str:
    return repr(list(zip(np.asarray(places.starts).tolist(), np.asarray(places.ends).tolist(), strict=True)))


def _joined(imports: list[str], lines: list[str], more: list[str]) -> str:
    used = sorted(name for name in _INTERVENTIONS if any(f"{name}(" in line for line in lines))
    named = [f"from bertviz_app.api import {', '.join(used)}"] if used else []
    return "\n".join([*imports, *named, "", *lines, *more]) + "\n"
