"""What sub-commands with a text share: its arguments, opening the model, encoding, and writing the file."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bertviz_app.cli.arguments import add_answers, add_common, answers_of, check_ending
from bertviz_app.cli.interventions import add_edits, edits_of
from bertviz_app.cli.terminal import print_error, print_text, progress
from bertviz_app.text.edits import TokenIntervention

if TYPE_CHECKING:
    from bertviz_app.api import Model
    from bertviz_app.inference.engine import TraceResult


def check_texts(text: str, pair: str | None) -> None:
    """Raise TextError before a checkpoint is opened, which takes longer."""
    from bertviz_app.text.tokens import validate

    validate(text, "text", "The text" if pair is None else "Sentence 1")
    if pair is not None:
        validate(pair, "pair", "Sentence 2")


class Encoded(NamedTuple):
    """A model, and the result of encoding a text."""

    model: Model
    result: TraceResult


def add_reading(parser: argparse.ArgumentParser, text: str, out: str, endings: Sequence[str]) -> None:
    """Add the text, its model and edits, and the file to write; `text` and `out` are help texts."""
    parser.add_argument("text", metavar="TEXT", help=text)
    add_common(parser)
    add_answers(parser)
    add_edits(parser)
    prompt = "one of the checkpoint's prompts, written before the text"
    parser.add_argument("--prompt", metavar="NAME", help=prompt)
    parser.add_argument("--out", type=Path, metavar="FILE", help=f"{out} ({', '.join(endings)})")
    parser.set_defaults(endings=endings)


def encoded(options: argparse.Namespace, *, with_own_mask: bool = False, says_masks: bool = False) -> Encoded:
    """Return the model and the encoded text that the options name.

    Bad file names and texts are refused before the model is opened, which takes longer. `with_own_mask`:
    [MASK] in the text stands for the mask token of the model's own tokenizer. Interventions are named on
    standard error, without masks if the output of the command `says_masks`.
    """
    from bertviz_app.text.edits import Edits, edits_text

    if options.out is not None:
        check_ending(options.out, options.endings)
    check_texts(options.text, options.pair)
    model = open_model(options)
    edits = edits_of(options)
    texts = options.text, options.pair
    if with_own_mask:
        texts = model.with_own_mask(*texts)
    result = model.encode(*texts, interventions=edits.interventions, prompt=options.prompt)
    named = [
        one
        for one in edits.interventions
        if not (says_masks and isinstance(one, TokenIntervention) and one.kind == "mask")
    ]
    if named:
        print_error(f"With interventions: {edits_text(Edits.of(named))}.")
    return Encoded(model, result)


def open_model(options: argparse.Namespace) -> Model:
    """Return the model that the options name, opened with the answers among them.

    Remarks about it are printed on standard error.
    """
    from bertviz_app.api import open_model

    answers = answers_of(options)
    model = open_model(
        options.model, options.device, progress(options.model), dtype=options.dtype, **answers.given()
    )
    for remark in model.facts.remarks:
        print_error(remark)
    return model


def finish(options: argparse.Namespace, notices: Sequence[str], save: Callable[[Path], None]) -> int:
    """Print the notices of a run, write its file if one is named, and return the exit code."""
    for notice in notices:
        print_error(notice)
    if options.out is not None:
        save(options.out)
        print_text(f"Wrote {options.out}.")
    return 0
