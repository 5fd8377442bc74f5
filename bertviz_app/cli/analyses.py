"""`bertviz-app analyse` and `bertviz-app analyses`: any analysis of the catalogue, and the list of them."""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertviz_app.cli.arguments import edits_of, setting
from bertviz_app.cli.printing import print_text, show_progress, table
from bertviz_app.cli.reading import add_reading, encoded, finish
from bertviz_app.cli.terminal import Add

if TYPE_CHECKING:
    from bertviz_app.analysis.entry import Analysis
    from bertviz_app.analysis.results import Result
    from bertviz_app.api import Model
    from bertviz_app.tables import Cell
    from bertviz_app.trace import Trace

ENDINGS = (".npz", ".csv", ".json")
_MOST_ROWS = 20


def add_analyse(add: Add) -> None:
    parser = add("analyse", "run an analysis of a text, and save its numbers", _analyse)
    parser.add_argument("key", metavar="KEY", help="which analysis, one that “analyses” lists")
    add_reading(
        parser,
        "the sentence to encode, with [MASK] where a word is hidden",
        "write all numbers to FILE",
        ENDINGS,
    )
    about = "a parameter of the analysis, as residual=0.4; repeatable"
    parser.add_argument("--set", type=setting, action="append", default=[], metavar="NAME=VALUE", help=about)
    parser.add_argument("--other-text", metavar="TEXT", help="the sentence of a second run to compare with")
    parser.add_argument("--other-pair", metavar="TEXT", help="its second sentence")


def _analyse(options: argparse.Namespace) -> int:
    from bertviz_app.analysis.catalogue import find_analysis
    from bertviz_app.analysis.entry import save_result
    from bertviz_app.analysis.reporter import Callbacks, read_parameters

    analysis = find_analysis(options.key)
    parameters = read_parameters(analysis.parameters, dict(options.set))
    model, encoding = encoded(options, with_own_mask=True)
    other = _other(options, model)
    reporter = Callbacks(progress=lambda share: show_progress(f"{analysis.title}: {share:.0%}"))
    try:
        result = model.analyse(analysis.key, encoding.trace, other, reporter=reporter, **vars(parameters))
    finally:
        show_progress("")
    print_text(_summary(analysis, result))

    def save(path: Path) -> None:
        save_result(result, path, analysis, parameters, encoding.trace, other)

    return finish(options, encoding, save)


def _other(options: argparse.Namespace, model: Model) -> Trace | None:
    """Return the second run, None where none is named; with the interventions and the mask of the first."""
    if options.other_text is None and options.other_pair is None:
        return None
    edits = edits_of(options)
    text = options.text if options.other_text is None else options.other_text
    pair = options.pair if options.other_pair is None else options.other_pair
    texts = model.with_own_mask(text, pair)
    return model.trace(*texts, interventions=edits.interventions, prompt=options.prompt)


def _summary(analysis: Analysis[Any, Any], result: Result) -> str:
    """Return the first rows of the result's table, and what it is."""
    found = result.as_table()
    first = list(islice(found.rows, _MOST_ROWS + 1))
    rows = [[_text(cell) for cell in row] for row in first[:_MOST_ROWS]]
    right = [index for index, cell in enumerate(rows[0]) if cell[-1:].isdigit()] if rows else []
    lines = [table(found.columns, rows, right=right)]
    if len(first) > _MOST_ROWS:
        lines.append("… and so on: --out writes all rows.")
    axes = " x ".join(f"{len(axis)} {axis.name}" for axis in result.axes)
    lines += ["", f"{analysis.title} [{axes}], {analysis.paper}.", f"Limits: {analysis.limits}"]
    if result.identity_error is not None:
        lines.append(f"Its identity holds to {result.identity_error:.1e}.")
    return "\n".join(lines)


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else str(cell) if isinstance(cell, int) else f"{cell:.4f}"


def add_analyses(add: Add) -> None:
    add("analyses", "list the analyses: their keys, papers, what they need, and what they do not tell", _list)


def _list(options: argparse.Namespace) -> int:
    from bertviz_app.analysis.catalogue import CATALOGUE
    from bertviz_app.analysis.reporter import allowed_values, parameters_of

    for analysis in CATALOGUE:
        print_text(f"{analysis.key}\n  {analysis.title}: {analysis.paper}.")
        print_text(f"  {analysis.summary}\n  Needs {_needs(analysis)}.")
        for parameter in parameters_of(analysis.parameters):
            default = "nothing" if parameter.default is None else parameter.default
            print_text(f"  --set {parameter.name}={default}: {allowed_values(parameter)}")
        print_text(f"  Limits: {analysis.limits}\n")
    return 0


def _needs(analysis: Analysis[Any, Any]) -> str:
    from bertviz_app.analysis.entry import Needs, compares_nothing

    words = {
        Needs.MODEL: "the model",
        Needs.GRADIENT: "gradients",
        Needs.TASK_HEAD: "a task head",
        Needs.SECOND_RUN: "a second run (--other-text)",
    }
    found = [word for need, word in words.items() if need in analysis.needs]
    if analysis.compares is not compares_nothing:
        found.append("for some parameters a second run (--other-text)")
    found = found or ["a trace"]
    if analysis.extra:
        found.append(f"an extra of the installation (pip install '.[{analysis.extra}]')")
    return " and ".join(found)
