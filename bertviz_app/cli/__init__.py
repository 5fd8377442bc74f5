"""The command line, `bertviz-app`. Each sub-command imports what it needs, and nothing before it is run."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bertviz_app import __version__
from bertviz_app.cli.arguments import (
    Parser,
    add_answers,
    add_common,
    add_edits,
    add_other,
    answers_of,
    count,
    edits_of,
    judge_ending,
    judge_texts,
    number,
    numbers,
    other_of,
    setting,
    size,
    text_size,
)
from bertviz_app.cli.finetuning import add_finetuning
from bertviz_app.cli.pretraining import add_pretraining
from bertviz_app.cli.printing import (
    PROGRAM,
    accept_every_character,
    byte_count,
    complain,
    drop_output,
    progress,
    say,
    table,
)
from bertviz_app.errors import AppError
from bertviz_app.options import CARDS, LANGUAGES, PICTURES, THEMES, RenderOptions, WindowOptions
from bertviz_app.shell.process import logging_to_file, prepare_process
from bertviz_app.viewmodels.panel_kinds import PANEL_KINDS

if TYPE_CHECKING:
    from bertviz_app.api import Model

ENDINGS = (".npz", ".json", ".csv")
TABLE_ENDINGS = (".csv", ".json")
HEAD_MEASURES = ("entropy", "distance", "first", "separator", "previous", "same", "next", "largest")
_BAD_INPUT, _DEFECT, _INTERRUPTED, _NO_READER = 2, 1, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one sub-command and return the process's exit code.

    2 for what the user can put right, said in one line; 1 for a defect, with the details in a log file.
    """
    prepare_process()
    accept_every_character()
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except AppError as error:
        complain(str(error))
        return _BAD_INPUT
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        drop_output()
        return _NO_READER
    except Exception as error:
        with logging_to_file() as log:
            logging.exception("unexpected error")
        complain(f"an unexpected error, {type(error).__name__}: {error}. The details are in {log}.")
        return _DEFECT


def _run(arguments: Sequence[str]) -> int:
    given = _with_command(arguments)
    options = _parser().parse_args(given, argparse.Namespace(arguments=given))
    command: Callable[[argparse.Namespace], int] = options.command
    return command(options)


def _with_command(arguments: Sequence[str]) -> list[str]:
    """Return `arguments` with the sub-command that is meant when there is none: a window."""
    is_for_program = bool(arguments) and arguments[0] in {"-h", "--help", "--version"}
    has_command = bool(arguments) and not arguments[0].startswith("-")
    return list(arguments) if has_command or is_for_program else ["window", *arguments]


# The sub-commands


def _window(options: argparse.Namespace) -> int:
    from bertviz_app.shell.application import run

    _keep_answers(options)
    with logging_to_file():
        return run(WindowOptions(options.text, options.pair, options.model, options.device))


def _render(options: argparse.Namespace) -> int:
    judge_ending(options.out, PICTURES)
    from bertviz_app.shell.rendering.rendering import render

    _keep_answers(options)
    render(
        RenderOptions(
            text=options.text,
            view=options.view,
            out=options.out,
            pair=options.pair,
            model=options.model,
            device=options.device,
            layer=options.layer,
            head=options.head,
            size=options.size,
            theme=options.theme,
            edits=edits_of(options) or None,
            token=options.token,
            stage=options.stage,
            other=other_of(options),
            run=options.run,
            heads=tuple(sorted(set(options.heads))),
            page=options.page,
            state=options.state,
            settings=tuple(options.set),
            language=options.language,
            text_size=options.text_size,
            scale=options.scale,
            has_title=options.title,
        )
    )
    say(f"Wrote {options.out}.")
    return 0


def _keep_answers(options: argparse.Namespace) -> None:
    """Open the model with what was answered, so that it is kept and judged before anything is drawn."""
    if answers_of(options):
        _open_model(options)


def _open_model(options: argparse.Namespace) -> Model:
    from bertviz_app.api import open_model

    said = answers_of(options)
    return open_model(
        options.model,
        options.device,
        progress(options.model),
        n_heads=said.n_heads,
        norm_eps=said.norm_eps,
        lower_case=said.lower_case,
    )


def _trace(options: argparse.Namespace) -> int:
    if options.out is not None:
        judge_ending(options.out, ENDINGS)
    judge_texts(options.text, options.pair)
    from bertviz_app.trace import save_trace

    model = _open_model(options)
    edits = edits_of(options)
    result = model.encode(options.text, options.pair, muted=edits.muted, replaced=dict(edits.replaced))
    tokens = result.trace.tokens
    segments = tokens.segment_ids.tolist() if tokens.has_segments else ["-"] * len(tokens)
    columns = (tokens.ids.tolist(), segments, tokens.position_ids.tolist())
    rows = [(label, *map(str, ids)) for label, *ids in zip(tokens.labels, *columns, strict=True)]
    say(table(("token", "id", "segment", "position"), rows, right=(1, 2, 3)))
    facts, milliseconds = result.facts, result.seconds * 1000
    shape = f"{facts.n_layers} layers x {facts.n_heads} heads"
    say(f"\n{facts.name}: {shape}, {len(tokens)} tokens in {milliseconds:.0f} ms on {result.device.label}")
    for notice in result.notices:
        complain(notice)
    if options.out is not None:
        save_trace(result.trace, options.out)
        say(f"Wrote {options.out}.")
    return 0


def _heads(options: argparse.Namespace) -> int:
    if options.out is not None:
        judge_ending(options.out, TABLE_ENDINGS)
    judge_texts(options.text, options.pair)
    from bertviz_app.analysis.measure_table import heads_by, save_measures
    from bertviz_app.analysis.measures import MEASURES
    from bertviz_app.api import head_measures

    model = _open_model(options)
    edits = edits_of(options)
    result = model.encode(options.text, options.pair, muted=edits.muted, replaced=dict(edits.replaced))
    measures = head_measures(result.trace)
    heads = heads_by(measures, options.by)
    special = result.trace.tokens.special_names
    names = ((one.name_in(special), one.unit) for one in MEASURES)
    titles = ("head", *(name if unit == "weight" else f"{name} ({unit})" for name, unit in names))
    rows = [
        (f"{layer}.{head}", *(f"{measures[one.key][layer, head]:.4f}" for one in MEASURES))
        for layer, head in heads
    ]
    say(table(titles, rows, right=range(1, len(titles))))
    for notice in result.notices:
        complain(notice)
    if options.out is not None:
        save_measures(measures, options.out, heads)
        say(f"\nWrote {options.out}.")
    return 0


def _predict(options: argparse.Namespace) -> int:
    if options.out is not None:
        judge_ending(options.out, TABLE_ENDINGS)
    judge_texts(options.text, options.pair)
    from bertviz_app.analysis.prediction_table import save_predictions
    from bertviz_app.cli.predict import judge_said, said

    model = _open_model(options)
    edits = edits_of(options)
    texts = model.with_own_mask(options.text, options.pair)
    result = model.encode(*texts, muted=edits.muted, replaced=dict(edits.replaced))
    found = model.predict(result.trace, top=options.top)
    judge_said(found, model.facts.name, model.facts.task_heads)
    say(said(found, result.trace.tokens))
    for notice in result.notices:
        complain(notice)
    if options.out is not None:
        save_predictions(found, options.out)
        say(f"\nWrote {options.out}.")
    return 0


def _models(options: argparse.Namespace) -> int:
    from bertviz_app.checkpoint.sources.find import list_sources

    rows = []
    for source in list_sources():
        shape = f"{source.n_layers} x {source.n_heads} x {source.width}" if source.family else ""
        remark = source.sentence if source.problem is None else f"{source.sentence} Damaged: {source.problem}"
        pieces = f"{source.vocabulary_size:,}" if source.family else ""
        day = date.fromtimestamp(source.modified).isoformat() if source.modified else ""
        rows.append((source.name, source.family, shape, pieces, byte_count(source.n_bytes), day, remark))
    if rows:
        titles = ("name", "family", "layers x heads x width", "vocabulary", "size", "date", "where from")
        say(table(titles, rows, right=(3, 4)))
    else:
        say("There is no checkpoint on this computer yet. Give a folder, or org/name, after --model.")
    return 0


# What they take


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog=PROGRAM, description="Look inside BERT-style encoders.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    window = _command(commands, "window", "open the window (what happens without a command, too)", _window)
    window.add_argument("text", metavar="TEXT", nargs="?", help="the sentence it starts with")
    add_common(window)
    add_answers(window)
    trace = _command(commands, "trace", "print the tokens of a text, and save its attention", _trace)
    trace.add_argument("text", metavar="TEXT", help="the sentence to encode")
    add_common(trace)
    add_answers(trace)
    add_edits(trace)
    trace.add_argument(
        "--out", type=Path, metavar="FILE", help=f"write all arrays to FILE ({', '.join(ENDINGS)})"
    )
    heads = _command(commands, "heads", "print the measures of every head, and save them", _heads)
    heads.add_argument("text", metavar="TEXT", help="the sentence to encode")
    add_common(heads)
    add_answers(heads)
    add_edits(heads)
    heads.add_argument("--by", choices=HEAD_MEASURES, help="largest first by this measure")
    heads.add_argument(
        "--out", type=Path, metavar="FILE", help=f"write the table to FILE ({', '.join(TABLE_ENDINGS)})"
    )
    _add_predict(_command(commands, "predict", "print what the task heads expect of a text", _predict))
    _add_render(_command(commands, "render", "draw a view into a picture, without a screen", _render))
    _command(commands, "models", "list the checkpoints on this computer", _models)
    add_pretraining(partial(_command, commands))
    add_finetuning(partial(_command, commands))
    return parser


def _add_predict(predict: argparse.ArgumentParser) -> None:
    predict.add_argument("text", metavar="TEXT", help="the sentence, with [MASK] where a word is hidden")
    add_common(predict)
    add_answers(predict)
    add_edits(predict)
    predict.add_argument(
        "--top", type=count, default=10, metavar="N", help="how many pieces for a masked token (10)"
    )
    predict.add_argument(
        "--out", type=Path, metavar="FILE", help=f"write them to FILE ({', '.join(TABLE_ENDINGS)})"
    )


def _add_render(render: argparse.ArgumentParser) -> None:
    render.add_argument("text", metavar="TEXT", help="the sentence to encode")
    render.add_argument("--view", choices=(*CARDS, *PANEL_KINDS), required=True, help="what to draw")
    add_common(render)
    add_answers(render, "--model-heads")
    add_edits(render)
    add_other(render)
    render.add_argument("--layer", type=number, metavar="N", help="the layer, from 0")
    render.add_argument("--head", type=number, metavar="N", help="the head, from 0")
    render.add_argument("--token", type=number, metavar="N", help="the token to light as query, from 0")
    render.add_argument("--stage", metavar="NAME", help="where the steps stand: queries, softmax, pooled …")
    render.add_argument("--heads", type=numbers, default=(), metavar="N,…", help="all heads of the lines")
    render.add_argument("--page", metavar="NAME", help="of the vectors: cls, tokens, map, similar")
    render.add_argument(
        "--state", type=number, metavar="N", help="hidden state of the vectors, 0: embeddings"
    )
    about = "an option of the drawing or of the overview, as colours=magma, hides_special, shows=entropy"
    render.add_argument(
        "--set", type=setting, action="append", default=[], metavar="NAME=VALUE", help=f"{about}; repeatable"
    )
    out = f"the picture to write ({', '.join(PICTURES)})"
    render.add_argument("--out", type=Path, metavar="FILE", required=True, help=out)
    render.add_argument("--scale", type=int, choices=(1, 2, 3, 4), default=1, help="pixels of a PNG for each")
    render.add_argument("--title", action="store_true", help="write checkpoint and sentence above it")
    render.add_argument("--language", choices=LANGUAGES, default="en", help="en unless given")
    render.add_argument("--text-size", type=text_size, default=1.0, metavar="N", help="1 is normal")
    render.add_argument("--size", type=size, default=(1600, 1000), metavar="WxH", help="1600x1000, in pixels")
    render.add_argument("--theme", choices=THEMES, default="light", help="light unless given")


def _command(
    commands: argparse._SubParsersAction[Parser],
    name: str,
    help_text: str,
    run: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    description = f"{help_text[:1].upper()}{help_text[1:]}."
    command = commands.add_parser(name, help=help_text, description=description, allow_abbrev=False)
    command.set_defaults(command=run)
    return command
