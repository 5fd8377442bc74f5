"""`bertviz-app trace` and `bertviz-app heads`: the tokens of a text, and the measures of every head."""

from __future__ import annotations

import argparse

from bertviz_app.cli.printing import print_text, table
from bertviz_app.cli.reading import add_reading, encoded, finish
from bertviz_app.cli.terminal import Add
from bertviz_app.errors import AppError

ENDINGS = (".npz", ".json", ".csv")
_SHOWN = 4
"""How many numbers of the sentence vector are printed."""
TABLE_ENDINGS = (".csv", ".json")


def add_trace(add: Add) -> None:
    """Add the sub-command; `add` makes one of its name, its help and what it runs."""
    parser = add("trace", "print the tokens of a text, and save its attention", _trace)
    add_reading(parser, "the sentence to encode", "write all arrays to FILE", ENDINGS)


def _trace(options: argparse.Namespace) -> int:
    from bertviz_app.trace import save_trace

    _, result = encoded(options)
    tokens = result.trace.tokens
    segments = tokens.segment_ids.tolist() if tokens.has_segments else ["-"] * len(tokens)
    columns = (tokens.ids.tolist(), segments, tokens.position_ids.tolist())
    rows = [(label, *map(str, ids)) for label, *ids in zip(tokens.labels, *columns, strict=True)]
    print_text(table(("token", "id", "segment", "position"), rows, right=(1, 2, 3)))
    vector = result.trace.sentence_vector
    if vector is not None:
        first = ", ".join(f"{number:.4f}" for number in vector[:_SHOWN].tolist())
        print_text(f"\nSentence vector of {len(vector)} numbers: {first}, …")
    facts, milliseconds = result.facts, result.seconds * 1000
    shape = f"{facts.n_layers} layers x {facts.n_heads} heads"
    print_text(
        f"\n{facts.name}: {shape}, {len(tokens)} tokens in {milliseconds:.0f} ms on {result.device.label}"
    )
    return finish(options, result, lambda path: save_trace(result.trace, path))


def add_heads(add: Add) -> None:
    """Add the sub-command."""
    parser = add("heads", "print the measures of every head, and save them", _heads)
    add_reading(parser, "the sentence to encode", "write the table to FILE", TABLE_ENDINGS)
    parser.add_argument("--by", metavar="MEASURE", help="largest first by this measure, as entropy")


def _heads(options: argparse.Namespace) -> int:
    from bertviz_app.analysis.measure_table import heads_by, save_measures
    from bertviz_app.analysis.measures import KEYS, MEASURES, head_measures

    if options.by not in (None, *KEYS):
        raise AppError(f"There is no measure “{options.by}”.", f"There are: {', '.join(KEYS)}.")
    _, result = encoded(options)
    measures = head_measures(result.trace)
    heads = heads_by(measures, options.by)
    special = result.trace.tokens.special_names
    columns = ((one.words(special).column, one.unit) for one in MEASURES)
    titles = ("head", *(name if unit == "weight" else f"{name} ({unit})" for name, unit in columns))
    rows = [
        (f"{layer}.{head}", *(f"{measures[one.key][layer, head]:.4f}" for one in MEASURES))
        for layer, head in heads
    ]
    print_text(table(titles, rows, right=range(1, len(titles))))
    return finish(options, result, lambda path: save_measures(measures, path, heads))
