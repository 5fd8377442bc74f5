"""What a user can do, a line each: `python -m tests.inventory` compares `inventory.txt` with the program.

Read from the program's own tables, and from a window that is built off screen. Differences are printed; the
exit status is 1 if the program lacks a line of the file. `--write` writes the file anew.
"""

from __future__ import annotations

import argparse
import inspect
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import FunctionType, UnionType
from typing import Literal, Union, get_args, get_origin, get_type_hints

import bertviz_app
from bertviz_app import api, figures, options
from bertviz_app.analysis import vectors
from bertviz_app.analysis.attention.stamp import NUMBERS_KINDS, SPECIAL_TOKENS
from bertviz_app.analysis.catalogue import CATALOGUE
from bertviz_app.analysis.measures import KEYS
from bertviz_app.analysis.parameters import Choice, parameters_of
from bertviz_app.checkpoint import folder
from bertviz_app.checkpoint.families.registry import FAMILIES
from bertviz_app.cli.commands import COMMANDS, parser_of
from bertviz_app.features.corpora.process import measuring, studies
from bertviz_app.features.corpora.process.studies import READERS
from bertviz_app.features.corpora.studies.catalogue import STUDIES
from bertviz_app.features.lessons.course.reading import shipped_examples, shipped_lessons
from bertviz_app.inference.engine import Engine
from bertviz_app.learning.documents import documents
from bertviz_app.learning.glossary import glossary
from bertviz_app.shell.application import make_application
from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.feature import features
from bertviz_app.shell.settings import Settings, SettingsStore, Theme, language_of, read_palette
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text.edits import HEAD_KINDS, TOKEN_KINDS, Edits
from bertviz_app.text_tables import packages, table
from bertviz_app.viewmodels import panel as panels
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.session import archive
from bertviz_app.viewmodels.stages.stops import STAGES
from bertviz_app.viewmodels.state import DrawOptions, OverviewChoice
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import Translated

FILE = Path(__file__).with_suffix(".txt")
Lines = Iterable[str]
_ENDING = re.compile(r"(?<![\w*])\.[a-z]{2,7}\b")


def inventory() -> dict[str, list[str]]:
    """Return the lines under each heading, sorted."""
    commands = _commands()
    found: dict[str, Lines] = {
        "Commands of the palette": (f"{_english(each.group)}: {_english(each.text)}" for each in commands),
        "Keys": (f"{keys}: {_english(each.text)}" for each in commands for keys in _keys(each)),
        "Options": _options(),
        "Views of panels": _views(),
        "Analyses": _analyses(),
        "Studies": _studies(),
        "Command line": _command_line(),
        "Checkpoints": _checkpoints(),
        "Files": _files(),
        "Lessons": _lessons(),
        "Documents": _documents(),
        "Python": _python(),
    }
    return {heading: sorted(lines) for heading, lines in found.items()}


# ---- the window


def _commands() -> list[Command]:
    """Return the commands of a window, in English."""
    application = make_application()
    language_of(application).choose("en")
    with tempfile.TemporaryDirectory() as place:
        look, app_state = Look(read_palette("light")), AppState(Engine())
        theme = Theme(application, look)
        window = MainWindow(app_state, look, theme, SettingsStore(Path(place, "settings.json")), features())
        commands = window.commands()
        window.close()
        app_state.close()
    return commands


def _english(text: str) -> str:
    return text.english if isinstance(text, Translated) else text


def _keys(command: Command) -> tuple[str, ...]:
    return tuple(keys for keys in (command.keys, *command.more_keys) if keys)


def _options() -> Iterator[str]:
    for kind, name in (
        (DrawOptions, "drawing"),
        (OverviewChoice, "overview"),
        (Settings, "setting"),
        (panels.StepsChoice, "steps"),
        (panels.VectorsChoice, "vectors"),
        (panels.ParametersChoice, "parameters"),
        (options.RenderOptions, "picture"),
        (options.WindowOptions, "window"),
        (options.OtherOptions, "run B"),
        (table.TableChoices, "table"),
    ):
        yield from (f"{name} {field}" for field in _fields(kind))
    for name, values in (
        ("numbers of attention", NUMBERS_KINDS),
        ("special tokens", SPECIAL_TOKENS),
        ("measure of heads", KEYS),
        ("intervention on a head", HEAD_KINDS),
        ("intervention on a token", TOKEN_KINDS),
        ("vector of a text", vectors.KINDS),
        ("style of a figure", figures.STYLES),
        ("width of a figure", figures.COLUMNS),
        ("stage of Steps", STAGES),
    ):
        yield from (f"{name} = {value}" for value in values)


def _fields(kind: type) -> Iterator[str]:
    """Yield each field of a dataclass, and each value of a field that has one of several."""
    hints = get_type_hints(kind, localns={"Edits": Edits})  # which `options` imports for type checkers alone
    for field in fields(kind):
        yield field.name
        yield from (f"{field.name} = {value}" for value in _values(hints[field.name]) if value)


def _values(hint: object) -> Iterator[object]:
    if get_origin(hint) is Literal:
        yield from get_args(hint)
    elif get_origin(hint) in (Union, UnionType):
        for part in get_args(hint):
            yield from _values(part)


def _views() -> Iterator[str]:
    for key, kind in panels.ALL_KINDS.items():
        yield f"panel {key}"
        if key in panels.PANEL_KINDS:
            yield f"panel {key} shows attention"
        flags = ("has_difference", "is_of_head", "draws_many_heads", "has_options")
        yield from (f"panel {key} {flag}" for flag in flags if getattr(kind, flag))
    for name, values in (
        ("page of vectors", options.PAGES),
        ("page of parameters", panels.PARAMETERS_PAGES),
        ("picture of the command line", options.CARDS),
    ):
        yield from (f"{name}: {value}" for value in values)


# ---- analyses and studies


def _analyses() -> Iterator[str]:
    for analysis in CATALOGUE:
        yield analysis.key
        yield from _parameters(analysis.key, analysis.parameters)
        shown = panels.views_of(analysis.result)
        yield from (f"{analysis.key} drawn as {kind.key}" for kind in shown)


def _studies() -> Iterator[str]:
    for study in STUDIES:
        yield study.key
        yield f"{study.key} reads {study.reads}"
        yield from _parameters(study.key, study.parameters)


def _parameters(key: str, kind: type) -> Iterator[str]:
    for parameter in parameters_of(kind):
        yield f"{key} {parameter.name}"
        if isinstance(parameter.bound, Choice):
            yield from (f"{key} {parameter.name} = {value}" for value in parameter.bound.options)


# ---- the command line


def _command_line() -> Iterator[str]:
    yield from _of_parser(parser_of(COMMANDS))


def _of_parser(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the arguments of a parser, and of its sub-commands; argparse has no public list of them."""
    for action in vars(parser)["_actions"]:
        if action.dest == "help":
            continue
        parsers = action.choices if isinstance(action.choices, dict) else {}
        if parsers:
            for sub_parser in parsers.values():
                yield sub_parser.prog
                yield from _of_parser(sub_parser)
            continue
        for name in action.option_strings or [str(action.metavar or action.dest)]:
            line = f"{parser.prog} {name}"
            yield line
            yield from (f"{line} = {value}" for value in action.choices or ())
            yield from (f"{line} as {ending}" for ending in sorted(set(_ENDING.findall(action.help or ""))))


# ---- files and texts


def _checkpoints() -> Iterator[str]:
    yield from (f"model {family.model_type}" for family in FAMILIES)
    yield from (f"weights as {kind}" for kind in folder.WEIGHTS_KINDS)
    yield from (f"weights named {ending}" for ending in folder.WEIGHT_ENDINGS)
    yield from (f"file {name}" for name in folder.FILES)


def _files() -> Iterator[str]:
    for name, values in (
        ("read: session", (archive.ENDING,)),
        ("read: trace", (archive.TRACE_ENDING,)),
        ("read: text", archive.TEXT_ENDINGS),
        ("read: texts that are", READERS),
        ("read: table as", packages.NAMES),
        ("read: packed as", table.PACKED.values()),
        ("read: target of a training", table.TARGETS),
        ("written: picture", figures.PICTURES),
        ("written: figure", figures.PICTURES),
        ("written: result of a study", studies.ENDINGS),
        ("written: measures of a corpus", measuring.ENDINGS),
        ("written: session", (archive.ENDING,)),
    ):
        yield from (f"{name} {value}" for value in values)


def _lessons() -> Iterator[str]:
    for lesson in shipped_lessons():
        yield lesson.key
        yield from (f"{lesson.key}: {station.key}" for station in lesson.stations)
    yield from (f"example: {example.title.in_language('en')}" for example in shipped_examples())


def _documents() -> Iterator[str]:
    for document in documents():
        yield from (f"{document.kind}/{document.path.stem} in {language}" for language in document.titles)
    yield from (f"glossary: {term.key}" for term in glossary())


# ---- Python


def _python() -> Iterator[str]:
    for name in {*api.__all__, *bertviz_app.__all__}:
        homes = [module for module in (bertviz_app, api) if name in module.__all__]
        yield from (f"{home.__name__}.{name}" for home in homes)
        thing = getattr(homes[0], name)
        if isinstance(thing, type):
            yield from _of_class(name, thing)
        elif callable(thing):
            yield from _of_function(name, thing)


def _of_function(name: str, function: Callable[..., object]) -> Iterator[str]:
    for each in inspect.signature(function).parameters:
        if each not in ("self", "cls") and not each.startswith("_"):
            yield f"{name}({each})"


def _of_class(name: str, kind: type) -> Iterator[str]:
    """Yield the public members that the program's own classes give it, and the arguments of its methods."""
    own = [base for base in kind.__mro__ if base.__module__.startswith("bertviz_app.")]
    members = {member: value for base in reversed(own) for member, value in vars(base).items()}
    if is_dataclass(kind):
        members |= {field.name: None for field in fields(kind)}
    for member, value in members.items():
        if member.startswith("_"):
            continue
        yield f"{name}.{member}"
        function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if isinstance(function, FunctionType):
            yield from _of_function(f"{name}.{member}", function)


# ---- the file


def as_text(found: dict[str, list[str]]) -> str:
    """Return the lines under their headings."""
    return "\n".join(
        f"# {heading}\n" + "".join(f"{line}\n" for line in lines) for heading, lines in found.items()
    )


def read(text: str) -> Counter[tuple[str, str]]:
    """Return the lines of a file with their headings."""
    found, heading = Counter[tuple[str, str]](), ""
    for line in text.splitlines():
        if line.startswith("# "):
            heading = line[2:]
        elif line:
            found[heading, line] += 1
    return found


def differences(before: str, now: str) -> tuple[list[str], list[str]]:
    """Return what the program no longer has, and what the file lacks, each line with its heading."""
    old, new = read(before), read(now)
    lost, added = ((a - b).elements() for a, b in ((old, new), (new, old)))
    return [f"{heading}: {line}" for heading, line in lost], [f"{heading}: {line}" for heading, line in added]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the differences, or write the file; 1 if the program lacks what the file has."""
    parser = argparse.ArgumentParser(prog="python -m tests.inventory", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {FILE.name} anew")
    is_written = parser.parse_args(arguments).write
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    now = as_text(inventory())
    before = ""
    with suppress(FileNotFoundError):
        before = FILE.read_text(encoding="utf-8")
    lost, added = differences(before, now)
    for sign, lines in (("-", lost), ("+", added)):
        sys.stdout.writelines(f"{sign} {line}\n" for line in lines)
    sys.stdout.write(f"{sum(read(now).values()):,} lines, {len(lost)} are missing, {len(added)} are new\n")
    if is_written:
        FILE.write_text(now, encoding="utf-8")
        return 0
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
