"""`bertviz-app trace`, `heads`, `handout`, `lesson` and `parts`: what is printed or written of one text."""

from __future__ import annotations

import argparse
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bertviz_app.cli.arguments import Add, number
from bertviz_app.cli.reading import OR_FILE, add_reading, encoded, finish, saved_trace
from bertviz_app.cli.terminal import print_error, print_text, table
from bertviz_app.errors import AppError, Message
from bertviz_app.options import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bertviz_app.analysis.measures import Extras, HeadOverview, PairColumn
    from bertviz_app.analysis.pairs import PairHead
    from bertviz_app.trace import Trace


PAGE = ".html"
ENDINGS = (".npz", ".json", ".csv", PAGE)

TABLE_ENDINGS = (".csv", ".json")


def add_trace(add: Add) -> None:
    parser = add("trace", "print the tokens of a text, and save its attention", _trace)
    add_reading(parser, f"the sentence to encode; {OR_FILE}", "write all arrays, or a page, to FILE", ENDINGS)


def _trace(options: argparse.Namespace) -> int:
    trace = saved_trace(options)
    if trace is not None:
        notices: Sequence[str] = trace.remarks
        about, where = trace.model, f"from {options.text}"
    else:
        result = encoded(options).result
        trace, notices, about = result.trace, result.notices, result.facts.name
        where = f"in {result.seconds * 1000:.0f} ms on {result.device.label}"
    tokens = trace.tokens
    segments = tokens.segment_ids.tolist() if tokens.has_segments else ["-"] * len(tokens)
    columns = (tokens.ids.tolist(), segments, tokens.position_ids.tolist())
    rows = [(label, *map(str, ids)) for label, *ids in zip(tokens.labels, *columns, strict=True)]
    print_text(table(("token", "id", "segment", "position"), rows, right=(1, 2, 3)))
    vector = trace.sentence_vector
    if vector is not None:
        first = ", ".join(f"{number:.4f}" for number in vector[:4].tolist())
        print_text(f"\nSentence vector of {len(vector)} numbers: {first}, …")
    shape = f"{trace.n_layers} layers x {trace.n_heads} heads"
    print_text(f"\n{about}: {shape}, {len(tokens)} tokens {where}")
    return finish(options, notices, partial(_write, trace))


def _write(trace: Trace, path: Path) -> None:
    from bertviz_app.trace import save_trace

    if path.suffix.lower() == PAGE:
        trace.to_html(path)
    else:
        save_trace(trace, path)


def add_heads(add: Add) -> None:
    parser = add("heads", "print the measures of every head, and save them", _heads)
    add_reading(parser, f"the sentence to encode; {OR_FILE}", "write the table to FILE", TABLE_ENDINGS)
    parser.add_argument("--by", metavar="MEASURE", help="largest first by this measure, as entropy")
    pair = parser.add_argument_group("a pair of tokens", "how much weight each head gives it, largest first")
    token = "by position from 0, or by its text: 7, it, it#2 for the second"
    pair.add_argument("--query", metavar="TOKEN", help=f"the token that looks, {token}")
    pair.add_argument("--key", metavar="TOKEN", help="the token that it looks at, likewise")


def _heads(options: argparse.Namespace) -> int:
    from bertviz_app.analysis.attention.overview import overview_of_weights
    from bertviz_app.analysis.measures import KEYS, Extras, heads_by, names_of, save_measures
    from bertviz_app.text.edits import edits_text

    if options.by not in (None, *KEYS):
        raise AppError(f"There is no measure “{options.by}”.", f"There are: {', '.join(KEYS)}.")
    if (options.query is None) != (options.key is None):
        raise AppError("A pair has two tokens.", "Give both --query and --key.")
    trace = saved_trace(options)
    if trace is not None:
        notices: Sequence[str] = trace.remarks
    else:
        result = encoded(options).result
        trace, notices = result.trace, result.notices
    overview = overview_of_weights(trace)
    pair = None if options.query is None else _pair_column(trace, options.query, options.key)
    names, interventions = (
        names_of(overview.measures, overview.n_queries, overview.n_cross_keys),
        edits_text(trace.edits),
    )
    extras = Extras(names, pair, dtype=overview.dtype, interventions=interventions)
    if pair is not None and options.by is None:
        heads = [(one.layer, one.head) for one in _strongest(pair)]
    else:
        heads = heads_by(overview.measures, options.by)
    print_text(_head_table(overview, heads, extras))
    if pair is not None:  # which heads give it most weight above what the other tokens give its key
        found = ", ".join(
            f"{one.layer}.{one.head} ({one.weight:.4f}, others {one.others or 0:.4f})"
            for one in _strongest(pair, 3)
        )
        query, key = (
            f"{label} ({at})" for label, at in zip(pair.labels, (pair.query, pair.key), strict=True)
        )
        print_text(f"\n{query} → {key}: most above the other tokens in heads {found}")
    return finish(options, notices, lambda path: save_measures(overview.measures, path, heads, extras))


def _pair_column(trace: Trace, query: str, key: str) -> PairColumn:
    from bertviz_app.analysis.measures import PairColumn
    from bertviz_app.analysis.pairs import pair_others, pair_weights
    from bertviz_app.text.tokens import token_at

    at, column = (token_at(trace.tokens, int(one) if one.isdecimal() else one) for one in (query, key))
    labels = trace.tokens.labels
    weights, others = pair_weights(trace, at, column), pair_others(trace, at, column)
    return PairColumn(at, column, (labels[at], labels[column]), weights, others)


def _strongest(pair: PairColumn, count: int | None = None) -> list[PairHead]:
    """Return the heads that give a pair most weight above the other tokens, or all of them, in that order."""
    from bertviz_app.analysis.pairs import strongest_heads

    return strongest_heads(pair.weights, pair.weights.size if count is None else count, pair.others)


def _head_table(overview: HeadOverview, heads: list[tuple[int, int]], extras: Extras) -> str:
    from bertviz_app.analysis.measures import MEASURES

    special, measures, pair, names = overview.special_names, overview.measures, extras.pair, extras.names
    columns = ((one.words(special).column, one.unit) for one in MEASURES)
    titles = ["head", *(name if unit == "weight" else f"{name} ({unit})" for name, unit in columns)]
    rows = [
        [f"{at[0]}.{at[1]}", *(f"{measures[measure.key][at]:.4f}" for measure in MEASURES)] for at in heads
    ]
    if pair is not None:
        titles[1:1] = " → ".join(pair.labels), "others"
        for at, row in zip(heads, rows, strict=True):
            row[1:1] = (
                f"{numbers[at]:.4f}" for numbers in (pair.weights, pair.others) if numbers is not None
            )
    for at, row in zip(heads, rows, strict=True):
        name = None if names is None else names.get(at)
        row.append("" if name is None else f"{name.rule.title(special)} {name.value:.2f}")
    return table((*titles, "name"), rows, right=range(1, len(titles)))


def add_handout(add: Add) -> None:
    parser = add("handout", "write the numbers of one head as a page for students, with answers", _run)
    add_reading(parser, "the sentence", "write the pages to FILE", (".pdf",))
    token = "by position from 0, or by its text: 7, it, it#2 for the second"
    parser.add_argument("--query", metavar="TOKEN", help=f"the token that is followed, {token}")
    parser.add_argument("--key", metavar="TOKEN", help="the token whose score is computed number by number")
    parser.add_argument(
        "--layer", type=number, metavar="N", help="from 0; default: where the key gets most beyond its share"
    )
    parser.add_argument("--head", type=number, metavar="N", help="from 0, likewise")
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="en unless given")


def _run(options: argparse.Namespace) -> int:
    from bertviz_app.learning.handouts import handout_numbers
    from bertviz_app.text.tokens import token_at

    if options.out is None:
        raise AppError("No file was given for the hand-out.", "Add --out FILE.pdf.")
    _, result = encoded(options)
    trace = result.trace
    query, key = (
        None if token is None else token_at(trace.tokens, int(token) if token.isdecimal() else token)
        for token in (options.query, options.key)
    )
    layer, head = _head(options, trace, query, key)
    numbers = handout_numbers(trace, layer, head, query, key)

    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from bertviz_app.shell.application import make_application
    from bertviz_app.shell.settings.appearance import Language
    from bertviz_app.views.handouts import handout_pdf, write_pdf

    language = Language(make_application())
    language.choose(options.language)
    content = handout_pdf(numbers)
    language.choose("en")  # what the terminal prints is English
    return finish(options, result.notices, lambda path: write_pdf(content, path))


def _head(options: argparse.Namespace, trace: Trace, query: int | None, key: int | None) -> tuple[int, int]:
    """Return the layer and the head that are given, or those that are most specific to the pair."""
    import numpy as np

    from bertviz_app.analysis.pairs import specificity

    if query is None or key is None:
        return options.layer or 0, options.head or 0
    weights = np.nan_to_num(specificity(trace, query, key), nan=-2)  # of heads that there are not
    if options.layer is None and options.head is None:
        layer, head = divmod(int(weights.argmax()), trace.n_heads)
        return layer, head
    if options.layer is None:
        return int(weights[:, options.head].argmax()) if options.head < trace.n_heads else 0, options.head
    if options.head is None:
        return options.layer, int(weights[options.layer].argmax()) if options.layer < trace.n_layers else 0
    return options.layer, options.head


_MISTAKES = 2


def add_lessons(add: Add) -> None:
    parser = add("lesson", "check a lesson file, or list the lessons that come with the program", _run_lesson)
    parser.add_argument("action", choices=("check", "list"), help="what to do")
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help="the lesson to check, JSON")


def _run_lesson(options: argparse.Namespace) -> int:
    if options.action == "list":
        from bertviz_app.learning.lessons.reading import shipped_lessons

        rows = [
            (lesson.key, str(len(lesson.stations)), f"{lesson.minutes} min", lesson.title.en)
            for lesson in shipped_lessons()
        ]
        print_text(table(("key", "stations", "time", "title"), rows, (1,)))
        return 0
    if options.file is None:
        raise AppError(Message("No lesson to check was given."), Message("Give it: lesson check FILE."))
    from bertviz_app.inference.engine import Engine
    from bertviz_app.learning.lessons.lesson import SceneRuns, check_lesson
    from bertviz_app.learning.lessons.reading import line_of_mistake, read_lesson

    lesson = read_lesson(options.file)
    mistakes = list(check_lesson(lesson, SceneRuns(Engine())))
    text = options.file.read_text(encoding="utf-8-sig")
    for mistake in mistakes:
        at = f"{options.file}, line {line_of_mistake(mistake, text)}"
        print_error(f"{at}: {mistake.station} ({mistake.language}): {mistake.words}")
    if not mistakes:
        n_stations = len(lesson.stations)
        words = "{0}: {1} station, no mistakes." if n_stations == 1 else "{0}: {1} stations, no mistakes."
        print_text(Message(words, options.file, n_stations))
    return _MISTAKES if mistakes else 0
