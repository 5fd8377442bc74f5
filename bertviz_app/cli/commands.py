"""The sub-commands of `bertviz-app`, all of them functions; `window` and `render` are here."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from bertviz_app import __version__
from bertviz_app.cli.analyses import SET, analyse, analyses, predict
from bertviz_app.cli.arguments import Parser, dots_per_inch, size, width
from bertviz_app.cli.checkpoints import models, parameters, parts
from bertviz_app.cli.corpus import corpus, history, studies, study
from bertviz_app.cli.reading import RUN_B, SAVED, Checkpoint, Interventions, Other, file, files_of
from bertviz_app.cli.signatures import Typed, add_parameters
from bertviz_app.cli.terminal import PROGRAM, print_error, print_text
from bertviz_app.cli.traces import handout, heads, lesson, trace
from bertviz_app.cli.training import finetune, pretrain
from bertviz_app.cli.window import doctor, open_window
from bertviz_app.errors import AppError
from bertviz_app.figures import COLUMNS, PICTURES  # noqa: F401 - one in a docstring
from bertviz_app.options import (
    CARDS,
    PAGES,  # noqa: F401 - in a docstring
    PictureSize,
    RenderOptions,
    Run,
    WindowOptions,
)
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.panel import (
    PANEL_KINDS,
    PARAMETERS_PAGES,  # noqa: F401 - in a docstring
)


def run_command(arguments: Sequence[str]) -> int:
    """Run the sub-command of the arguments and return the process's exit code."""
    commands = {function.__name__: function for function in COMMANDS}
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
    chosen = [commands[given[0]]] if given[0] in commands else []
    options = parser_of(chosen).parse_args(given, argparse.Namespace(arguments=given))
    command: Callable[[argparse.Namespace], int] = options.command
    return command(options)


def _exists(name: str) -> bool:
    try:
        return Path(name).expanduser().exists()
    except (OSError, RuntimeError, ValueError):  # too long for a path, an unknown user, NUL
        return False


def window(
    checkpoint: Checkpoint,
    text: Annotated[str | None, Typed(metavar="TEXT|FILE", option="text")] = None,
    pair: str | None = None,
    *,
    safe: bool = False,
) -> int:
    """Open the window (what happens without a command, too).

    Parameters
    ----------
    text
        The sentence it starts with, or a file to open.
    pair : TEXT
        A second sentence, read together with the first.
    safe
        Without lessons, training, corpora, Steps, vectors, parameters, models without names and most
        analyses, in case one of them keeps the window from opening.
    """
    checkpoint.save_answers()
    path = None
    if text is not None and _exists(text):
        named = Path(text).expanduser()
        # A word that is the name of a folder without a checkpoint is a text.
        if named.name != text or not named.is_dir() or (named / "config.json").is_file():
            text, path = None, named.absolute()
    elif text is not None and text.endswith(SAVED) and len(text.split()) == 1:
        raise AppError(f"There is no file {text}.", "Check the name.")
    given = WindowOptions(text, pair, checkpoint.model, checkpoint.device_name, path, is_safe=safe)
    return open_window(given)


VIEWS = (*CARDS, *PANEL_KINDS)


@dataclass(frozen=True)
class Paper:
    """What a picture is drawn on.

    Parameters
    ----------
    scale
        Pixels of a PNG for each of its size.
    dpi
        Pixels of a PNG to an inch, as 300; an inch is 96 pixels of its size.
    size
        In pixels of a screen, as 1600x1000 (unless given), where Steps, Parameters and grids of heads grow
        higher, to show all rows; or as --width with a height, as 16x10cm, that the figure has at most.
    width
        Of a figure in print, in mm, cm, in or pt, as 7.7cm, or one of {COLUMNS}: as high as it needs, with
        every label, or refused.
    theme
        Its colours.
    style
        As --theme, or paper: black on white with thin lines, for print.
    """

    scale: Literal[1, 2, 3, 4] = 1
    dpi: Annotated[float | None, Typed(dots_per_inch, "N")] = None
    size: Annotated[PictureSize | tuple[int, int], Typed(size, "WxH")] = (1600, 1000)
    width: Annotated[PictureSize | None, Typed(width, "W")] = None
    theme: Literal["light", "dark"] = "light"
    style: Literal["paper", "light", "dark"] | None = None


def render(  # noqa: PLR0913 - each is an option
    text: str,
    checkpoint: Checkpoint,
    interventions: Interventions,
    other: Annotated[Other, RUN_B],
    drawing: partial[RenderOptions],
    paper: Paper,
    *,
    view: str,
    out: Annotated[Path, file(*PICTURES)],
    pair: str | None = None,
    run: Annotated[Run, RUN_B._replace(prefix="")] = "A",
    settings: Annotated[Sequence[tuple[str, str]], SET] = (),
) -> int:
    """Draw a view into a picture, without a screen.

    Parameters
    ----------
    text : TEXT
        The sentence to encode; or an .npz file of a trace or of attention weights.
    view : VIEW
        What to draw: {VIEWS}, or an analysis of the text, by its key as “analyses” lists them.
    out
        The picture to write.
    pair : TEXT
        A second sentence, read together with the first.
    page : NAME
        Of the vectors: {PAGES}; of the parameters: {PARAMETERS_PAGES}.
    run
        Which run is drawn.
    settings
        An option of the drawing or of the overview, as colours=magma, hides_special, shows=entropy, or a
        parameter of the analysis, as residual=0.4; repeatable.
    """
    from bertviz_app.features.rendering.render_settings import check_view

    check_view(view, drawing.keywords.get("kind", ""))
    from bertviz_app.features.rendering.rendering import render as draw

    checkpoint.save_answers()
    edits, second = interventions.edits, other.options()
    if second is None and (run != "A" or view == "divergence"):
        raise AppError("There is no run B to compare with.", "Say what is other in it: --other-text, …")
    of_texts = (pair, edits, other.pair, other.model, other.interventions.edits)
    files = files_of((text, other.text), checkpoint.model, *of_texts)
    made = (text, view, out, pair, checkpoint.model, checkpoint.device_name)
    options = drawing(*made, edits=edits or None, other=second, run=run, settings=settings)
    options = replace(
        options,
        files=tuple(map(Path, files)),
        heads=tuple(sorted(set(options.heads))),
        scale=paper.dpi or paper.scale,
        size=paper.width or paper.size,
        theme=paper.style or paper.theme,
    )
    for remark in draw(options):
        print_error(remark)
    print_text(f"Wrote {out}.")
    return 0


COMMANDS: tuple[Callable[..., int], ...] = (
    *(window, trace, heads, predict, parameters, parts, analyse, analyses, lesson, handout, corpus, study),
    *(history, studies, render, models, doctor, pretrain, finetune),
)


def parser_of(chosen: Collection[Callable[..., int]]) -> argparse.ArgumentParser:
    """Return the parser of all sub-commands, with the parameters of the chosen ones."""
    parser = Parser(prog=PROGRAM, description="Look inside BERT-style encoders.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for function in COMMANDS:
        summary = (function.__doc__ or "").partition("\n")[0]
        words = summary[:1].lower() + summary[1:].removesuffix(".")
        command = commands.add_parser(function.__name__, help=words, description=summary, allow_abbrev=False)
        if function in chosen:
            add_parameters(command, function)
    return parser
