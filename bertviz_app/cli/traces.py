"""`bertviz-app trace`, `heads`, `handout` and `lesson`: what is printed or written of one text."""

from __future__ import annotations

import os
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from bertviz_app.analysis.attention.overview import overview_of_weights
from bertviz_app.analysis.measures import (
    KEYS,
    MEASURES,
    Extras,
    HeadOverview,
    PairColumn,
    heads_by,
    names_of,
    save_measures,
)
from bertviz_app.analysis.pairs import PairHead, pair_others, pair_weights, specificity, strongest_heads
from bertviz_app.cli.reading import Encoding, file, finish
from bertviz_app.cli.signatures import Titled, Typed
from bertviz_app.cli.terminal import print_error, print_text, table
from bertviz_app.errors import AppError, Message
from bertviz_app.text.edits import edits_text
from bertviz_app.text.tokens import token_at
from bertviz_app.trace import Trace, save_trace

PAGE = ".html"


def trace(
    text: str, encoding: Encoding, out: Annotated[Path | None, file(".npz", ".json", ".csv", PAGE)] = None
) -> int:
    """Print the tokens of a text, and save its attention.

    Parameters
    ----------
    text : TEXT
        The sentence to encode; or an .npz file of a trace or of attention weights.
    out
        Write all arrays, or a page, to FILE.
    """
    trace, notices, result = encoding.read(text)
    about, where = trace.model, f"from {text}"
    if result is not None:
        about, where = result.facts.name, f"in {result.seconds * 1000:.0f} ms on {result.device.label}"
    tokens = trace.tokens
    segments = tokens.segment_ids.tolist() if tokens.has_segments else ["-"] * len(tokens)
    columns = (tokens.ids.tolist(), segments, tokens.position_ids.tolist())
    rows = [(label, *map(str, ids)) for label, *ids in zip(tokens.labels, *columns, strict=True)]
    print_text(table(("token", "id", "segment", "position"), rows, right=(1, 2, 3)))
    if (vector := trace.sentence_vector) is not None:
        first = ", ".join(f"{number:.4f}" for number in vector[:4].tolist())
        print_text(f"\nSentence vector of {len(vector)} numbers: {first}, …")
    shape = f"{trace.n_layers} layers x {trace.n_heads} heads"
    print_text(f"\n{about}: {shape}, {len(tokens)} tokens {where}")
    is_page = out is not None and out.suffix.lower() == PAGE
    return finish(out, trace.to_html if is_page else partial(save_trace, trace), notices)


_PAIR = Titled("a pair of tokens", "how much weight each head gives it, largest first")


def heads(
    text: str,
    encoding: Encoding,
    out: Annotated[Path | None, file(".csv", ".json")] = None,
    by: str | None = None,
    query: Annotated[str | None, _PAIR] = None,
    key: Annotated[str | None, _PAIR] = None,
) -> int:
    """Print the measures of every head, and save them.

    Parameters
    ----------
    text : TEXT
        The sentence to encode; or an .npz file of a trace or of attention weights.
    out
        Write the table to FILE.
    by : MEASURE
        Largest first by this measure, as entropy.
    query : TOKEN
        The token that looks, by position from 0, or by its text: 7, it, it#2 for the second.
    key : TOKEN
        The token that it looks at, likewise.
    """
    if by not in (None, *KEYS):
        raise AppError(f"There is no measure “{by}”.", f"There are: {', '.join(KEYS)}.")
    if (query is None) != (key is None):
        raise AppError("A pair has two tokens.", "Give both --query and --key.")
    trace, notices, _ = encoding.read(text)
    overview = overview_of_weights(trace)
    pair = None if query is None or key is None else _pair_column(trace, query, key)
    names = names_of(overview.measures, overview.n_queries, overview.n_cross_keys)
    extras = Extras(names, pair, dtype=overview.dtype, interventions=edits_text(trace.edits))
    if pair is not None and by is None:
        heads = [(one.layer, one.head) for one in _strongest(pair)]
    else:
        heads = heads_by(overview.measures, by)
    print_text(_head_table(overview, heads, extras))
    if pair is not None:  # which heads give it most weight above what the other tokens give its key
        found = ", ".join(
            f"{one.layer}.{one.head} ({one.weight:.4f}, others {one.others or 0:.4f})"
            for one in _strongest(pair, 3)
        )
        which = f"{pair.labels[0]} ({pair.query}) → {pair.labels[1]} ({pair.key})"
        print_text(f"\n{which}: most above the other tokens in heads {found}")
    return finish(out, lambda path: save_measures(overview.measures, path, heads, extras), notices)


def _pair_column(trace: Trace, query: str, key: str) -> PairColumn:
    at, column = (token_at(trace.tokens, int(one) if one.isdecimal() else one) for one in (query, key))
    labels = trace.tokens.labels
    weights, others = pair_weights(trace, at, column), pair_others(trace, at, column)
    return PairColumn(at, column, (labels[at], labels[column]), weights, others)


def _strongest(pair: PairColumn, count: int | None = None) -> list[PairHead]:
    """Return the heads that give a pair most weight above the other tokens, or all of them, in that order."""
    return strongest_heads(pair.weights, pair.weights.size if count is None else count, pair.others)


def _head_table(overview: HeadOverview, heads: list[tuple[int, int]], extras: Extras) -> str:
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


def handout(  # noqa: PLR0913 - each is an option
    text: str,
    encoding: Encoding,
    out: Annotated[Path | None, file(".pdf")] = None,
    query: str | None = None,
    key: str | None = None,
    layer: int | None = None,
    head: int | None = None,
    language: Literal["en", "ko"] = "en",
) -> int:
    """Write the numbers of one head as a page for students, with answers.

    Parameters
    ----------
    text : TEXT
        The sentence.
    out
        Write the pages to FILE.
    query : TOKEN
        The token that is followed, by position from 0, or by its text: 7, it, it#2 for the second.
    key : TOKEN
        The token whose score is computed number by number.
    layer
        From 0; default: where the key gets most beyond its share.
    head
        From 0, likewise.
    """
    from bertviz_app.features.lessons.handouts import handout_numbers

    if out is None:
        raise AppError("No file was given for the hand-out.", "Add --out FILE.pdf.")
    _, result = encoding.encoded(text)
    trace = result.trace
    first, second = (
        None if token is None else token_at(trace.tokens, int(token) if token.isdecimal() else token)
        for token in (query, key)
    )
    numbers = handout_numbers(trace, *_head(trace, first, second, layer, head), first, second)

    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from bertviz_app.features.lessons.views.printed import handout_pdf, write_pdf
    from bertviz_app.shell.application import make_application
    from bertviz_app.shell.settings import Language

    chosen = Language(make_application())
    chosen.choose(language)
    content = handout_pdf(numbers)
    chosen.choose("en")  # what the terminal prints is English
    return finish(out, lambda path: write_pdf(content, path), result.notices)


def _head(
    trace: Trace, query: int | None, key: int | None, layer: int | None, head: int | None
) -> tuple[int, int]:
    """Return the layer and the head that are given, or those that are most specific to the pair."""
    given = layer or 0, head or 0
    if query is None or key is None:
        return given
    weights = np.nan_to_num(specificity(trace, query, key), nan=-2)  # of heads that there are not
    layers, heads = range(trace.n_layers), range(trace.n_heads)
    there = [at for at in product(layers, heads) if layer in (None, at[0]) and head in (None, at[1])]
    return max(there, key=lambda at: float(weights[at]), default=given)


def lesson(
    action: Literal["check", "list"],
    file: Annotated[Path | None, Typed(metavar="FILE", option="file")] = None,
) -> int:
    """Check a lesson file, or list the lessons that come with the program.

    Parameters
    ----------
    action
        What to do.
    file
        The lesson to check, JSON.
    """
    if action == "list":
        from bertviz_app.features.lessons.course.reading import shipped_lessons

        rows = [
            (lesson.key, str(len(lesson.stations)), f"{lesson.minutes} min", lesson.title.en)
            for lesson in shipped_lessons()
        ]
        print_text(table(("key", "stations", "time", "title"), rows, (1,)))
        return 0
    if file is None:
        raise AppError(Message("No lesson to check was given."), Message("Give it: lesson check FILE."))
    from bertviz_app.features.lessons.course.lesson import SceneRuns, check_lesson
    from bertviz_app.features.lessons.course.reading import line_of_mistake, read_lesson
    from bertviz_app.features.training.process.labels import train_labels
    from bertviz_app.inference.engine import Engine

    lesson = read_lesson(file)
    mistakes = list(check_lesson(lesson, SceneRuns(Engine()), train_labels))
    text = file.read_text(encoding="utf-8-sig")
    for mistake in mistakes:
        at = f"{file}, line {line_of_mistake(mistake, text)}"
        print_error(f"{at}: {mistake.station} ({mistake.language}): {mistake.words}")
    if not mistakes:
        n_stations = len(lesson.stations)
        words = "{0}: {1} station, no mistakes." if n_stations == 1 else "{0}: {1} stations, no mistakes."
        print_text(Message(words, file, n_stations))
    return 2 if mistakes else 0
