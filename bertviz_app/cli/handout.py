"""`bertviz-app handout TEXT`: the numbers of one head on paper, with blanks and a page of answers."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from bertviz_app.cli.arguments import number
from bertviz_app.cli.reading import add_reading, encoded, finish
from bertviz_app.cli.terminal import Add
from bertviz_app.errors import AppError
from bertviz_app.options import LANGUAGES

if TYPE_CHECKING:
    from bertviz_app.trace import Trace


def add_handout(add: Add) -> None:
    parser = add("handout", "write the numbers of one head as a page for students, with answers", _run)
    add_reading(parser, "the sentence", "write the pages to FILE", (".pdf",))
    token = "by position from 0, or by its text: 7, it, it#2 for the second"
    parser.add_argument("--query", metavar="TOKEN", help=f"the token that is followed, {token}")
    parser.add_argument("--key", metavar="TOKEN", help="the token whose score is computed number by number")
    parser.add_argument(
        "--layer", type=number, metavar="N", help="from 0; default: where the head puts most on the key"
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
    from bertviz_app.views.handouts import handout_html, handout_pdf, write_pdf

    language = Language(make_application())
    language.choose(options.language)
    content = handout_pdf(handout_html(numbers))
    language.choose("en")  # what the terminal prints is English
    return finish(options, result, lambda path: write_pdf(content, path))


def _head(options: argparse.Namespace, trace: Trace, query: int | None, key: int | None) -> tuple[int, int]:
    """Return the layer and the head that are given, or those that put most weight of the query on the key."""
    from bertviz_app.analysis.pairs import pair_weights

    if query is None or key is None:
        return options.layer or 0, options.head or 0
    weights = pair_weights(trace, query, key)
    if options.layer is None and options.head is None:
        layer, head = divmod(int(weights.argmax()), trace.n_heads)
        return layer, head
    if options.layer is None:
        return int(weights[:, options.head].argmax()) if options.head < trace.n_heads else 0, options.head
    if options.head is None:
        return options.layer, int(weights[options.layer].argmax()) if options.layer < trace.n_layers else 0
    return options.layer, options.head
