"""`bertviz-app analyse`, `analyses` and `predict`: analyses of the catalogue, and what task heads expect."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated

from bertviz_app.analysis.entry import Described, Needs, compares_nothing, save_result
from bertviz_app.analysis.parameters import Reporter, allowed_values, parameters_of, read_parameters
from bertviz_app.analysis.predictions import Filling, Predictions, save_predictions
from bertviz_app.analysis.results import Result
from bertviz_app.cli.arguments import count, setting
from bertviz_app.cli.reading import Encoding, file, finish
from bertviz_app.cli.signatures import Typed
from bertviz_app.cli.terminal import print_error, print_text, show_progress, table
from bertviz_app.errors import CheckpointError, TextError
from bertviz_app.text import Tokens
from bertviz_app.text.edits import edits_text
from bertviz_app.trace import load_trace

_MOST_ROWS = 20
SET = Typed(setting, "NAME=VALUE", "--set")


def analyse(  # noqa: PLR0913 - each is an option
    key: str,
    text: str,
    encoding: Encoding,
    out: Annotated[Path | None, file(".npz", ".csv", ".json")] = None,
    settings: Annotated[Sequence[tuple[str, str]], SET] = (),
    other_text: str | None = None,
    other_pair: str | None = None,
) -> int:
    """Run an analysis of a text, and save its numbers.

    Parameters
    ----------
    key : KEY
        Which analysis, one that “analyses” lists.
    text : TEXT
        The sentence to encode, with [MASK] where a word is hidden; or an .npz file of a trace or of attention
        weights, for an analysis that needs no model.
    out
        Write all numbers to FILE.
    settings
        A parameter of the analysis, as residual=0.4; repeatable.
    other_text : TEXT
        The sentence, or the .npz file, of a second run to compare with.
    other_pair : TEXT
        Its second sentence.
    """
    from bertviz_app.analysis.catalogue import find_analysis
    from bertviz_app.api import analyse as of_weights

    analysis = find_analysis(key)
    parameters = read_parameters(analysis.parameters, dict(settings))
    other = None
    if files := encoding.files(text, other_text, other_pair):
        run, traces = of_weights, [load_trace(name) for name in files]
        trace, other = traces[0], traces[1] if len(traces) > 1 else None
        notices: Sequence[str] = trace.remarks
    else:
        model, result = encoding.encoded(text, with_own_mask=True)
        run, trace, notices = model.analyse, result.trace, result.notices
        if other_text is not None or other_pair is not None:  # with interventions and mask of the first
            pair = encoding.pair if other_pair is None else other_pair
            texts = model.with_own_mask(text if other_text is None else other_text, pair)
            interventions = encoding.interventions.edits.interventions
            other = model.trace(*texts, interventions=interventions, prompt=encoding.prompt)
    reporter = Reporter(progress=lambda share: show_progress(f"{analysis.title}: {share:.0%}"))
    try:
        found = run(analysis.key, trace, other, reporter=reporter, **vars(parameters))
    finally:
        show_progress("")
    print_text(summary(analysis, found))
    return finish(out, lambda path: save_result(found, path, analysis, parameters, trace, other), notices)


def summary(analysis: Described, result: Result) -> str:
    """Return the first rows of the result's table, and what it is."""
    found = result.brief_table()
    first = list(islice(found.rows, _MOST_ROWS + 1))
    rows = [
        ["" if cell is None else str(cell) if isinstance(cell, str | int) else f"{cell:.4f}" for cell in row]
        for row in first[:_MOST_ROWS]
    ]
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


def analyses() -> int:
    """List the analyses: their keys, papers, what they need, and what they do not tell."""
    from bertviz_app.analysis import catalogue

    words = {
        Needs.MODEL: "the model",
        Needs.GRADIENT: "gradients",
        Needs.TASK_HEAD: "a task head",
        Needs.SECOND_RUN: "a second run (--other-text)",
        Needs.STATES: "hidden states",
        Needs.ALL_HEADS: "all heads (none pruned)",
    }
    for analysis in catalogue.analyses():
        found = [word for need, word in words.items() if need in analysis.needs]
        if analysis.compares is not compares_nothing:
            found.append("for some parameters a second run (--other-text)")
        found = found or ["a trace"]
        if analysis.extra:
            found.append(f"an extra of the installation (pip install '.[{analysis.extra}]')")
        print_entry(analysis, analysis.parameters, " and ".join(found))
    for problem in catalogue.installed().problems:
        print_error(problem)
    return 0


def print_entry(entry: Described, parameters: type, needs: str) -> None:
    """Print what is known about an analysis or a study: its paper, parameters and limits."""
    print_text(f"{entry.key}\n  {entry.title}: {entry.paper}.")
    print_text(f"  {entry.summary}\n  Needs {needs}.")
    for parameter in parameters_of(parameters):
        default = "nothing" if parameter.default is None else parameter.default
        print_text(f"  --set {parameter.name}={default}: {allowed_values(parameter)}")
    print_text(f"  Limits: {entry.limits}\n")


def predict(
    text: str,
    encoding: Encoding,
    out: Annotated[Path | None, file(".csv", ".json")] = None,
    top: Annotated[int, Typed(count, "N")] = 10,
) -> int:
    """Print what the task heads expect of a text.

    Parameters
    ----------
    text : TEXT
        The sentence, with [MASK] where a word is hidden.
    out
        Write them to FILE.
    top
        How many pieces for a masked token, labels of a token, and answers.
    """
    model, result = encoding.encoded(text, with_own_mask=True, says_masks=True)
    found = model.predict(result.trace, top=top)
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
    edits = edits_text(result.trace.edits)
    return finish(out, lambda path: save_predictions(found, path, edits), result.notices)


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
