"""The sub-commands of `bertviz-app`: their arguments and functions, which import what they need."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

from bertviz_app import __version__
from bertviz_app.cli.analyses import add_analyse, add_analyses, add_predict
from bertviz_app.cli.arguments import (
    Parser,
    add_answers,
    add_common,
    answers_of,
    check_ending,
    dots_per_inch,
    given_settings,
    number,
    numbers,
    setting,
    size,
    text_size,
    width,
)
from bertviz_app.cli.checkpoints import add_models, add_parameters, add_parts
from bertviz_app.cli.corpus import add_corpus, add_studies, add_study
from bertviz_app.cli.doctor import HELP, run_doctor
from bertviz_app.cli.history import add_history
from bertviz_app.cli.interventions import add_edits, add_other, edits_of, other_of
from bertviz_app.cli.reading import OR_FILE, SAVED, files_of, open_model
from bertviz_app.cli.terminal import PROGRAM, print_error, print_text
from bertviz_app.cli.traces import add_handout, add_heads, add_lessons, add_trace
from bertviz_app.cli.training import add_finetuning, add_pretraining
from bertviz_app.cli.window import open_window
from bertviz_app.errors import AppError
from bertviz_app.figures import COLUMNS, STYLES
from bertviz_app.inference.opened_checkpoint import device_name
from bertviz_app.options import (
    CARDS,
    LANGUAGES,
    PAGES,
    PICTURES,
    THEMES,
    RenderOptions,
    WindowOptions,
)
from bertviz_app.viewmodels.panel import PANEL_KINDS, PARAMETERS_PAGES


def run_command(arguments: Sequence[str]) -> int:
    """Run the sub-command of the arguments and return the process's exit code."""
    parser, commands = _parser()
    first = arguments[0] if arguments else ""
    if first in {"-h", "--help", "--version", *commands}:
        given = list(arguments)
    elif not first or first.startswith("-"):
        given = ["window", *arguments]
    else:
        if not _exists(first):
            hint = f"“{PROGRAM} window TEXT” shows a text. The commands are: {', '.join(commands)}."
            raise AppError(f"“{first}” is neither a command nor a file.", hint)
        given = ["window", str(Path(first).expanduser().absolute()), *arguments[1:]]
    options = parser.parse_args(given, argparse.Namespace(arguments=given))
    command: Callable[[argparse.Namespace], int] = options.command
    return command(options)


def _exists(name: str) -> bool:
    try:
        return Path(name).expanduser().exists()
    except (OSError, RuntimeError, ValueError):  # too long for a path, an unknown user, NUL
        return False


def _window(options: argparse.Namespace) -> int:
    _save_answers(options)
    text, path = options.text, None
    if text is not None and _exists(text):
        named = Path(text).expanduser()
        # A word that is the name of a folder without a checkpoint is a text.
        if named.name != text or not named.is_dir() or (named / "config.json").is_file():
            text, path = None, named.absolute()
    elif text is not None and text.endswith(SAVED) and len(text.split()) == 1:
        raise AppError(f"There is no file {text}.", "Check the name.")
    return open_window(WindowOptions(text, options.pair, options.model, _device(options), path))


def _device(options: argparse.Namespace) -> str:
    return device_name(options.device, options.dtype)


def _render(options: argparse.Namespace) -> int:
    check_ending(options.out, PICTURES)
    from bertviz_app.shell.rendering.render_settings import check_view

    check_view(options.view, options.kind)
    from bertviz_app.shell.rendering.rendering import render

    _save_answers(options)
    given = given_settings(options, RenderOptions) | {
        "device": _device(options),
        "edits": edits_of(options) or None,
        "other": other_of(options),
        "files": tuple(map(Path, files_of(options))),
        "heads": tuple(sorted(set(options.heads))),
        "settings": tuple(options.set),
        "scale": options.dpi or options.scale,
    }
    for remark in render(RenderOptions(**given)):
        print_error(remark)
    print_text(f"Wrote {options.out}.")
    return 0


def _save_answers(options: argparse.Namespace) -> None:
    """Open the model with the answers given, which validates and saves them before anything is drawn."""
    if answers_of(options):
        open_model(options)


def _parser() -> tuple[argparse.ArgumentParser, Collection[str]]:
    """Return the parser, and the names of its sub-commands."""
    parser = Parser(prog=PROGRAM, description="Look inside BERT-style encoders.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    window = _command(commands, "window", "open the window (what happens without a command, too)", _window)
    window.add_argument(
        "text", metavar="TEXT|FILE", nargs="?", help="the sentence it starts with, or a file to open"
    )
    add_common(window)
    add_answers(window)
    add = partial(_command, commands)
    for add_command in (
        add_trace,
        add_heads,
        add_predict,
        add_parameters,
        add_parts,
        add_analyse,
        add_analyses,
        add_lessons,
        add_handout,
        add_corpus,
        add_study,
        add_history,
        add_studies,
    ):
        add_command(add)
    _add_render(_command(commands, "render", "draw a view into a picture, without a screen", _render))
    add_models(add)
    add("doctor", HELP, lambda _: run_doctor())
    add_pretraining(add)
    add_finetuning(add)
    return parser, tuple(commands.choices)


def _add_render(render: argparse.ArgumentParser) -> None:
    render.add_argument("text", metavar="TEXT", help=f"the sentence to encode; {OR_FILE}")
    views = ", ".join((*CARDS, *PANEL_KINDS))
    about = f"what to draw: {views}, or an analysis of the text, by its key as “analyses” lists them"
    render.add_argument("--view", metavar="VIEW", required=True, help=about)
    kind = (
        "the view that an analysis is drawn as: matrix, lines, grid, bars … (its first picture unless given)"
    )
    render.add_argument("--as", dest="kind", metavar="VIEW", default="", help=kind)
    part = "of an analysis with several numbers of each head the one that is drawn, as entropy"
    render.add_argument("--part", metavar="NAME", default="", help=part)
    add_common(render)
    add_answers(render, "--model-heads")
    add_edits(render)
    add_other(render)
    render.add_argument("--layer", type=number, metavar="N", help="the layer, from 0")
    render.add_argument("--head", type=number, metavar="N", help="the head, from 0")
    render.add_argument("--token", type=number, metavar="N", help="the token to light as query, from 0")
    about = "the token to light as key: with --token a pair, of which the overview shows every head's weight"
    render.add_argument("--key", type=number, metavar="N", help=about)
    render.add_argument("--stage", metavar="NAME", help="where the steps stand: queries, softmax, pooled …")
    about = "at the stage “scores”: the products of query and key in every dimension"
    render.add_argument("--products", action="store_true", help=about)
    render.add_argument("--heads", type=numbers, default=(), metavar="N,…", help="all heads of the lines")
    about = f"of the vectors: {', '.join(PAGES)}; of the parameters: {', '.join(PARAMETERS_PAGES)}"
    render.add_argument("--page", metavar="NAME", help=about)
    render.add_argument(
        "--state", type=number, metavar="N", help="hidden state of the vectors, 0: embeddings"
    )
    about = "one of the parameters, as bert.pooler.dense.weight: “bertviz-app parameters” lists them"
    render.add_argument("--parameter", metavar="NAME", help=about)
    render.add_argument("--output", type=number, metavar="N", help="a row of that parameter, from 0")
    about = (
        "an option of the drawing or of the overview, as colours=magma, hides_special, shows=entropy, or a "
        "parameter of the analysis, as residual=0.4"
    )
    render.add_argument(
        "--set", type=setting, action="append", default=[], metavar="NAME=VALUE", help=f"{about}; repeatable"
    )
    out = f"the picture to write ({', '.join(PICTURES)})"
    render.add_argument("--out", type=Path, metavar="FILE", required=True, help=out)
    finer = render.add_mutually_exclusive_group()
    scale_help = "pixels of a PNG for each of its size"
    finer.add_argument("--scale", type=int, choices=(1, 2, 3, 4), default=1, help=scale_help)
    dpi_help = "pixels of a PNG to an inch, as 300; an inch is 96 pixels of its size"
    finer.add_argument("--dpi", type=dots_per_inch, metavar="N", help=dpi_help)
    render.add_argument(
        "--title", dest="has_title", action="store_true", help="write checkpoint and sentence above it"
    )
    render.add_argument("--language", choices=LANGUAGES, default="en", help="en unless given")
    render.add_argument("--text-size", type=text_size, default=1.0, metavar="N", help="1 is normal")
    _add_sizes(render)
    theme = render.add_mutually_exclusive_group()
    theme.add_argument("--theme", choices=THEMES, default="light", help="light unless given")
    style = "as --theme, or paper: black on white with thin lines, for print"
    theme.add_argument("--style", choices=STYLES, dest="theme", default="light", help=style)


def _add_sizes(render: argparse.ArgumentParser) -> None:
    """Add the sizes of a picture: of a screen, in pixels, or of a figure in print."""
    sizes = render.add_mutually_exclusive_group()
    size_help = (
        "in pixels of a screen, as 1600x1000 (unless given), where Steps, Parameters and grids of heads grow "
        "higher, to show all rows; or as --width with a height, as 16x10cm, that the figure has at most"
    )
    sizes.add_argument("--size", type=size, default=(1600, 1000), metavar="WxH", help=size_help)
    width_help = (
        f"of a figure in print, in mm, cm, in or pt, as 7.7cm, or one of {', '.join(COLUMNS)}: as high as it "
        "needs, with every label, or refused"
    )
    sizes.add_argument("--width", type=width, dest="size", metavar="W", help=width_help)


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
