"""`bertviz-app analyse`, `analyses` and `predict`: analyses of the catalogue, and what task heads expect."""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertviz_app.cli.arguments import Add, check_ending, count, setting
from bertviz_app.cli.interventions import edits_of
from bertviz_app.cli.reading import OR_FILE, add_reading, encoded, files_of, finish
from bertviz_app.cli.terminal import print_error, print_text, show_progress, table
from bertviz_app.errors import CheckpointError, TextError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bertviz_app.analysis.entry import Analysis, Described
    from bertviz_app.analysis.predictions import (
        Filling,
        Predictions,
    )
    from bertviz_app.analysis.results import Result
    from bertviz_app.api import Model
    from bertviz_app.tables import Cell
    from bertviz_app.text import Tokens
    from bertviz_app.trace import Trace

ENDINGS = (".npz", ".csv", ".json")
_MOST_ROWS = 20


def add_analyse(add: Add) -> None:
    parser = add("analyse", "run an analysis of a text, and save its numbers", _analyse)
    parser.add_argument("key", metavar="KEY", help="which analysis, one that “analyses” lists")
    add_reading(
        parser,
        f"the sentence to encode, with [MASK] where a word is hidden; {OR_FILE}, for an analysis that needs "
        "no model",
        "write all numbers to FILE",
        ENDINGS,
    )
    about = "a parameter of the analysis, as residual=0.4; repeatable"
    parser.add_argument("--set", type=setting, action="append", default=[], metavar="NAME=VALUE", help=about)
    parser.add_argument(
        "--other-text", metavar="TEXT", help="the sentence, or the .npz file, of a second run to compare with"
    )
    parser.add_argument("--other-pair", metavar="TEXT", help="its second sentence")


def _analyse(options: argparse.Namespace) -> int:
    from bertviz_app.analysis.catalogue import find_analysis
    from bertviz_app.analysis.entry import save_result
    from bertviz_app.analysis.parameters import Callbacks, read_parameters

    analysis = find_analysis(options.key)
    parameters = read_parameters(analysis.parameters, dict(options.set))
    if files := files_of(options):
        if options.out is not None:
            check_ending(options.out, options.endings)
        from bertviz_app.api import analyse as run
        from bertviz_app.trace import load_trace

        traces = [load_trace(name) for name in files]
        trace, other = traces[0], traces[1] if len(traces) > 1 else None
        notices: Sequence[str] = trace.remarks
    else:
        model, result = encoded(options, with_own_mask=True)
        run, trace, other, notices = model.analyse, result.trace, _other(options, model), result.notices
    reporter = Callbacks(progress=lambda share: show_progress(f"{analysis.title}: {share:.0%}"))
    try:
        found = run(analysis.key, trace, other, reporter=reporter, **vars(parameters))
    finally:
        show_progress("")
    print_text(summary(analysis, found))

    def save(path: Path) -> None:
        save_result(found, path, analysis, parameters, trace, other)

    return finish(options, notices, save)


def _other(options: argparse.Namespace, model: Model) -> Trace | None:
    """Return the second run, None where none is named; with the interventions and the mask of the first."""
    if options.other_text is None and options.other_pair is None:
        return None
    edits = edits_of(options)
    text = options.text if options.other_text is None else options.other_text
    texts = model.with_own_mask(text, options.pair if options.other_pair is None else options.other_pair)
    return model.trace(*texts, interventions=edits.interventions, prompt=options.prompt)


def summary(analysis: Described, result: Result) -> str:
    """Return the first rows of the result's table, and what it is."""
    found = result.brief_table()
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
    if result.noise:
        lines.append(f"What is nearer to 0 than {result.noise:.0e} may be rounding alone.")
    return "\n".join(lines)


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else str(cell) if isinstance(cell, int) else f"{cell:.4f}"


def add_analyses(add: Add) -> None:
    add("analyses", "list the analyses: their keys, papers, what they need, and what they do not tell", _list)


def _list(options: argparse.Namespace) -> int:
    from bertviz_app.analysis.catalogue import analyses, installed

    for analysis in analyses():
        print_entry(analysis, analysis.parameters, _needs(analysis))
    for problem in installed().problems:
        print_error(problem)
    return 0


def print_entry(entry: Described, parameters: type, needs: str) -> None:
    """Print what is known about an analysis or a study: its paper, parameters and limits."""
    from bertviz_app.analysis.parameters import allowed_values, parameters_of

    print_text(f"{entry.key}\n  {entry.title}: {entry.paper}.")
    print_text(f"  {entry.summary}\n  Needs {needs}.")
    for parameter in parameters_of(parameters):
        default = "nothing" if parameter.default is None else parameter.default
        print_text(f"  --set {parameter.name}={default}: {allowed_values(parameter)}")
    print_text(f"  Limits: {entry.limits}\n")


def _needs(analysis: Analysis[Any, Any]) -> str:
    from bertviz_app.analysis.entry import Needs, compares_nothing

    words = {
        Needs.MODEL: "the model",
        Needs.GRADIENT: "gradients",
        Needs.TASK_HEAD: "a task head",
        Needs.SECOND_RUN: "a second run (--other-text)",
        Needs.STATES: "hidden states",
        Needs.ALL_HEADS: "all heads (none pruned)",
    }
    found = [word for need, word in words.items() if need in analysis.needs]
    if analysis.compares is not compares_nothing:
        found.append("for some parameters a second run (--other-text)")
    found = found or ["a trace"]
    if analysis.extra:
        found.append(f"an extra of the installation (pip install '.[{analysis.extra}]')")
    return " and ".join(found)


TABLE_ENDINGS = (".csv", ".json")


def add_predict(add: Add) -> None:
    parser = add("predict", "print what the task heads expect of a text", _predict)
    text = "the sentence, with [MASK] where a word is hidden"
    add_reading(parser, text, "write them to FILE", TABLE_ENDINGS)
    of_each = "how many pieces for a masked token, labels of a token, and answers (10)"
    parser.add_argument("--top", type=count, default=10, metavar="N", help=of_each)


def _predict(options: argparse.Namespace) -> int:
    from bertviz_app.analysis.predictions import save_predictions
    from bertviz_app.text.edits import edits_text

    model, result = encoded(options, with_own_mask=True, says_masks=True)
    found = model.predict(result.trace, top=options.top)
    _validate(found, model.facts.name, model.facts.task_heads)
    tokens = result.trace.tokens
    parts = [_filling(filling, tokens) for filling in found.fillings]
    if found.next_sentence is not None:
        is_order, share = found.next_sentence.is_order, _share(found.next_sentence.probability)
        what = "The two texts stand in their order" if is_order else "The second text follows the first"
        parts.append(f"{what}: {share}")
    if found.classes is not None:
        titles = {
            "regression": ("number", "value"),
            "multi_label_classification": ("label, each by itself", "probability"),
        }.get(found.classes.problem, ("label", "probability"))
        parts.append(
            table(titles, [(label.name, _share(label.value)) for label in found.classes.labels], right=(1,))
        )
    if found.replaced:
        suspects = [
            (str(one.position), tokens.labels[one.position], _share(one.probability))
            for one in found.replaced
        ]
        parts.append(table(("position", "token", "replaced"), suspects, right=(0, 2)))
    if found.token_labels:
        rows = [
            (str(token.position), tokens.labels[token.position], label.name, _share(label.value))
            for token in found.token_labels
            for label in token.labels[:1]
        ]
        parts.append(table(("position", "token", "label", "probability"), rows, right=(0, 3)))
    if found.answer is not None:
        spans = [
            (str(rank), f"{span.first}..{span.last}", span.text, _share(span.probability))
            for rank, span in enumerate(found.answer.spans, start=1)
        ]
        answers = table(("rank", "tokens", "answer", "probability"), spans, right=(0, 3))
        parts.append(f"{answers}\nNo answer: {_share(found.answer.nothing)}")
    print_text("\n\n".join(parts))
    interventions = edits_text(result.trace.edits)
    return finish(options, result.notices, lambda path: save_predictions(found, path, interventions))


def _validate(found: Predictions, model: str, task_heads: Sequence[str]) -> None:
    """Raise AppError, with a hint, if no task head of `model` predicts anything for the text."""
    if not task_heads:
        hint = "Open one that was saved with one, as a BertForMaskedLM or a BertForSequenceClassification."
        raise CheckpointError(f"{model} has no task head.", hint)
    if found.fillings or found.next_sentence or found.classes or found.replaced:
        return
    if found.token_labels or found.answer:
        return
    ways = {
        "masked": "mask a token (--mask N, or [MASK] in the text)",
        "next_sentence": "give a second text (--pair TEXT)",
    }
    hint = " or ".join(way for head, way in ways.items() if head in task_heads)
    raise TextError(f"The heads of {model} are not asked for anything.", f"{hint[:1].upper()}{hint[1:]}.")


def _filling(filling: Filling, tokens: Tokens) -> str:
    state = "masked" if filling.is_masked else "not masked"
    lines = [f"Token {filling.position}, {tokens.labels[filling.position]} ({state}):"]
    rows = [(str(one.rank), tokens.label_of(one.piece), _share(one.probability)) for one in filling.fillers]
    written = filling.written
    if written is not None and written.rank > len(rows):
        rows.append((f"{written.rank:,}", tokens.label_of(written.piece), _share(written.probability)))
    lines.append(table(("rank", "piece", "probability"), rows, right=(0, 2)))
    if written is not None:
        lines.append(f"Written there: {tokens.label_of(written.piece)}, rank {written.rank:,}.")
    return "\n".join(lines)


def _share(value: float) -> str:
    """Return a share with four decimals, or two digits if these would be 0."""
    return f"{value:.4f}" if value == 0 or abs(value) >= 1e-4 else f"{value:.1e}"
