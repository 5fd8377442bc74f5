"""What sub-commands with a text share: arguments, opening the model, encoding, and writing the file."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bertviz_app.cli.arguments import add_answers, add_common, answers_of, check_ending
from bertviz_app.cli.interventions import add_edits, edits_of
from bertviz_app.cli.terminal import print_error, print_text, progress
from bertviz_app.errors import AppError
from bertviz_app.text.edits import TokenIntervention

if TYPE_CHECKING:
    from bertviz_app.api import Model
    from bertviz_app.inference.engine import TraceResult
    from bertviz_app.trace import Trace

SAVED = (".npz", ".bva")
"""The endings of traces and sessions."""

OR_FILE = "or an .npz file of a trace or of attention weights"


_OF_TEXTS = (
    "prompt",
    "other_pair",
    "other_model",
    "other_mute",
    "other_mask",
    "other_replace",
    "other_intervene",
)
"""The options, beside the pair and the interventions, that apply to a text alone."""


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
    from bertviz_app.text.tokens import validate

    if options.out is not None:
        check_ending(options.out, options.endings)
    validate(options.text, "text", "The text" if options.pair is None else "Sentence 1")
    if options.pair is not None:
        validate(options.pair, "pair", "Sentence 2")
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


def files_of(options: argparse.Namespace) -> tuple[str, ...]:
    """Return the files that are named in the place of texts, of run A and of run B; none for texts.

    Raises AppError for what applies to a text alone.
    """
    names = [name for name in (options.text, getattr(options, "other_text", None)) if name is not None]
    files = tuple(name for name in names if name.endswith(SAVED) and len(name.split()) == 1)
    if not files:
        return ()
    if len(files) < len(names):
        raise AppError("A file is compared with a file.", "Give two .npz files, or two sentences.")
    alone = [options.pair, *(getattr(options, name, None) for name in _OF_TEXTS)]
    if edits_of(options) or any(each for each in alone):
        hint = "Give the sentence to have it encoded so."
        raise AppError(
            "What is in a file is not encoded: pairs, prompts and interventions do not apply.", hint
        )
    if options.model is not None:
        raise AppError("What is in a file is not encoded: no model applies.", "Leave out --model.")
    return files


def saved_trace(options: argparse.Namespace) -> Trace | None:
    """Return the trace of the file that is named in the place of the text; None where a text is given."""
    files = files_of(options)
    if not files:
        return None
    if options.out is not None:
        check_ending(options.out, options.endings)
    from bertviz_app.trace import load_trace

    return load_trace(files[0])


def open_model(options: argparse.Namespace) -> Model:
    """Return the model that the options name, opened with the answers among them.

    Remarks about it are printed on standard error.
    """
    from bertviz_app.api import model as of_python

    given = answers_of(options).given()
    model = of_python.open_model(
        options.model, options.device, progress(options.model), dtype=options.dtype, **given
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
