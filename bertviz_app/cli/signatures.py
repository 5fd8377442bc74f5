"""Sub-commands made of functions: their parameters are what is typed, and their docstrings are the help.

A parameter without a default is an argument, one with a default or behind the `*` an option. The docstring
describes it as NumPy's do: in `name : WORD` the word stands for the value in the help, or the values that
there are stand in braces; {NAME} stands for the texts of a constant of the module.

- Of a dataclass the fields that its docstring describes, or that are `explained`, are options; the function
  receives an instance, or, of `partial[D]`, the class with what was typed already bound.
- `Annotated[partial[R], Called("name")]` is a function of the API, bound in the same way: its own signature
  and docstring have the options, but for what the sub-command describes itself.
"""

from __future__ import annotations

import argparse
import builtins
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile
from operator import attrgetter
from pathlib import Path
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from bertviz_app.checkpoint.question_table import as_typed
from bertviz_app.checkpoint.questions import Answers
from bertviz_app.cli.arguments import (
    add_answers,
    answers_of,
    keys,
    minutes,
    number,
    numbers,
    share,
    text_size,
)


class Called(NamedTuple):
    """The function of the API that a parameter is; `options` are those with another name, "" for none."""

    function: str
    options: Mapping[str, str] = {}


class Titled(NamedTuple):
    """A part of the help: for the options of a parameter, or for these fields; `prefix` begins each."""

    title: str
    about: str | None = None
    fields: str = ""
    prefix: str = ""


class Typed(NamedTuple):
    """How a value is typed where its type does not say it; an `option` without dashes is an argument."""

    read: Callable[[str], Any] | None = None
    metavar: str | None = None
    option: str = ""


_SHARE = Typed(share, "SHARE")
_OF_THE_API = {
    "cool_down": _SHARE,
    "freezes_encoder": Typed(option="--freeze-encoder"),
    "heads": Typed(numbers, "N,…"),
    "initial_std": Typed(metavar="S"),
    "kind": Typed(metavar="VIEW", option="--as"),
    "long_from": _SHARE,
    "measures": Typed(keys, "KEY,…"),
    "minutes": Typed(minutes, "N"),
    "open_share": _SHARE,
    "scheduler": Typed(metavar="tcp://HOST:PORT"),
    "separator": Typed(metavar="CHAR"),
    "single_share": _SHARE,
    "snapshot_every": Typed(option="--snapshots"),
    "stores": Typed(option="--store"),
    "target": Typed(option="--task"),
    "text_size": Typed(text_size, "N"),
    "truncates": Typed(option="--truncate"),
    "vocabulary_size": Typed(option="--vocab"),
}
"""How parameters of the API are typed."""
_FOR_PYTHON = frozenset({"self", "listener", "progress", "reporter", "check", "command"})
"""Parameters of the API that nobody can type."""
_EXCLUSIVE = ("column is_prose", "n_workers scheduler", "scale dpi", "size width", "theme style")
"""Options that cannot be given together."""
_AFFIX = re.compile("^(?:n|is|has)_|_(?:tokens|share|lines|units)$")
_METAVARS = {int: "N", float: "R", Path: "FILE"}


class _Parameter(NamedTuple):
    """A parameter: how it is typed, or the parameters `below` of which it is `made`."""

    name: str
    option: str = ""
    argument: Mapping[str, Any] = {}
    titled: Titled = Titled("")
    made: Callable[..., Any] | None = None
    below: tuple[_Parameter, ...] = ()


def add_parameters(parser: argparse.ArgumentParser, function: Callable[..., int]) -> None:
    """Add the parameters of a function to its parser, and have it called with what is typed."""
    own = inspect.signature(function).parameters
    over = {name: about for name, about in _descriptions(function).items() if name not in own}
    parameters = tuple(_parameters(function, over))
    added, groups = set[str](), dict[str, Any]({"": parser})
    for one in _all(parameters):
        if one.made is not None or one.option in added:
            continue
        added.add(one.option)
        title, about, *_ = one.titled
        group = groups[title] = groups.get(title) or parser.add_argument_group(title, about)
        if together := next((names for names in _EXCLUSIVE if one.name in names.split()), ""):
            group = groups[together] = groups.get(together) or group.add_mutually_exclusive_group()
        group.add_argument(one.option, **one.argument)
    if any(one.made is answers_of for one in _all(parameters)):
        add_answers(parser, "--model-heads" if "--heads" in added else "--heads")
    parser.set_defaults(command=lambda options: function(**_given(parameters, options)))


def _all(parameters: Iterable[_Parameter]) -> Iterator[_Parameter]:
    for one in parameters:
        yield one
        yield from _all(one.below)


def _given(parameters: Iterable[_Parameter], options: argparse.Namespace) -> dict[str, Any]:
    """Return what was typed, by the names of the parameters; one that was not keeps its own default."""
    found = dict[str, Any]()
    for one in parameters:
        if one.made is not None:
            found[one.name] = one.made(**_given(one.below, options)) if one.below else one.made(options)
        elif (dest := _dest(one.option)) in options:
            value = vars(options)[dest]
            found[one.name] = tuple(value) if isinstance(value, list) else value
    return found


def _dest(option: str) -> str:
    return option.lstrip("-").replace("-", "_")


def _parameters(
    owner: Callable[..., Any],
    over: Mapping[str, _Described],
    options: Mapping[str, str] = {},
    titles: tuple[Titled, ...] = (),
) -> Iterator[_Parameter]:
    """Yield the parameters of a function, or the fields of a dataclass, that can be typed."""
    described, scope = _descriptions(owner), _Names(_scope(owner))
    for name, one in inspect.signature(owner).parameters.items():
        is_hidden = isinstance(owner, type) and bool(described) and name not in described
        is_for_python = name in _FOR_PYTHON or one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        if is_hidden or is_for_python or options.get(name) == "":
            continue
        hints = SimpleNamespace(__annotations__={name: one.annotation})
        hint = get_type_hints(hints, {}, scope, include_extras=True)[name]
        kind, notes = _plain(hint)
        made = get_args(kind)[0] if get_origin(kind) is partial else kind
        inner = (*(one for one in notes if isinstance(one, Titled)), *titles)
        called = next((one for one in notes if isinstance(one, Called)), None)
        if kind in _MADE:
            yield _Parameter(name, made=_MADE[kind])
        elif called is not None:
            import bertviz_app.api

            function = attrgetter(called.function)(bertviz_app.api)
            below = tuple(_parameters(function, over, called.options, inner))
            yield _Parameter(name, made=partial(partial, function), below=below)
        elif hasattr(made, "__dataclass_fields__"):
            below = tuple(_parameters(made, over, options, inner))
            yield _Parameter(name, made=made if made is kind else partial(partial, made), below=below)
        else:
            titled = next((one for one in inner if not one.fields or name in one.fields.split()), Titled(""))
            typed = next((one for one in notes if isinstance(one, Typed)), _OF_THE_API.get(name, Typed()))
            dashes = "" if one.default is one.empty and one.kind is not one.KEYWORD_ONLY else "--"
            option = options.get(name) or typed.option or dashes + _AFFIX.sub("", name)
            option = option.replace("--", f"--{titled.prefix}", 1).replace("_", "-")
            words, instead = described.get(name, _Described()), over.get(name, _Described())
            words = _Described(instead.word or words.word, instead.about or words.about)
            argument = _argument(option, kind, words, typed, one.default)
            if NoneType in get_args(hint) and one.default is one.empty:
                argument |= {"required": False, "default": None}
            yield _Parameter(name, option, argument, titled)


def _scope(owner: Callable[..., Any]) -> Any:
    """Return the names of the module that defines a function or a class."""
    if isinstance(owner, type):
        return vars(sys.modules[owner.__module__])
    return inspect.unwrap(owner).__globals__


class _Names(dict[str, Any]):
    """The names of a module; `Any` for those that it imports for type checkers alone."""

    def __missing__(self, name: str) -> object:
        return getattr(builtins, name, Any)


_MADE: Mapping[Any, Callable[[argparse.Namespace], Any]] = {
    Answers: answers_of,
    argparse.Namespace: lambda options: options,
}


class _Described(NamedTuple):
    """What a docstring says of a parameter: the word for a value, or its type, and the description."""

    word: str = ""
    about: str = ""


def _descriptions(owner: Callable[..., Any]) -> dict[str, _Described]:
    """Return what a docstring says of parameters, by their names."""
    section = (inspect.getdoc(owner) or "").partition("Parameters\n----------\n")[2]
    section = re.sub(r"\{([A-Z_]+)\}", lambda found: ", ".join(_scope(owner)[found[1]]), section)
    found, names = dict[str, _Described](), list[str]()
    for line in re.split(r"\n\n\w+\n-+\n", section)[0].splitlines():
        if line.startswith(" "):
            for name in names:
                found[name] = found[name]._replace(about=f"{found[name].about} {line.strip()}".strip())
        elif line:
            together, _, word = line.partition(" : ")
            names = together.replace("*", "").split(", ")
            found |= dict.fromkeys(names, _Described(word))
    for one in getattr(owner, "__dataclass_fields__", {}).values():
        if "about" in one.metadata:
            found[one.name] = _Described(str(one.metadata["choices"] or "str"), one.metadata["about"])
    for name, (word, about) in found.items():
        other = re.fullmatch(r"As for `(\w+)`\.", about)
        if other is not None and other[1] in _scope(owner):
            inner = _descriptions(_scope(owner)[other[1]])[name]
            found[name] = _Described(word or inner.word, inner.about)
    return found


def _plain(hint: Any) -> tuple[Any, list[object]]:
    """Return a type without None, and its notes: `Sequence` of several values, text where text will do."""
    notes = list[object]()
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
    is_union = get_origin(hint) in (Union, UnionType)
    kinds = [one for one in get_args(hint) if one is not NoneType] if is_union else [hint]
    if any(get_origin(one) in (Sequence, Iterable) for one in kinds):
        return Sequence, notes
    return str if str in kinds else kinds[0], notes


def _argument(option: str, kind: Any, words: _Described, typed: Typed, default: Any) -> dict[str, Any]:
    """Return what argparse has to know of a parameter."""
    choices = re.findall(r"[\"'](\w+)[\"']", words.word) or (
        get_args(kind) if get_origin(kind) is Literal else ()
    )
    found: dict[str, Any] = {"help": _help(words.about, choices, typed, default)}
    if kind is bool:
        found["action"] = "store_true"
    elif choices:
        found |= {"type": type(choices[0]), "choices": choices}
    else:
        metavar = typed.metavar or (words.word if words.word.isupper() else _METAVARS.get(kind))
        if words.word and metavar is None:
            named = words.word.lower()
            metavar = "DIR" if "folder" in named else "FILE" if "path" in named else "NAME"
        found |= {"type": typed.read or {int: number, Sequence: str}.get(kind, kind), "metavar": metavar}
        if metavar and " " in metavar:
            found |= {"metavar": tuple(metavar.split()), "nargs": len(metavar.split())}
    is_needed = default is inspect.Parameter.empty
    if not option.startswith("-"):
        return found | {"nargs": "?" if not is_needed else "+" if kind is Sequence else None}
    if kind is Sequence:
        found |= {"nargs": "+"} if is_needed else {"action": "append"}
    return found | {"dest": _dest(option), "default": argparse.SUPPRESS, "required": is_needed}


def _help(about: str, choices: Sequence[Any], typed: Typed, default: Any) -> str | None:
    """Return a description as it stands in the help: without what is Python's, and with the default."""
    sentences = re.split(r"(?<=\.) (?=[A-Z`])", about)
    about = " ".join(takewhile(lambda sentence: "`" not in sentence, sentences)).removesuffix(".")
    if about[1:2].islower() or about[1:2] == " ":
        about = about[:1].lower() + about[1:]
    endings = getattr(typed.read, "endings", ())
    if endings and endings[0] not in about:
        about += f" ({', '.join(endings)})"
    is_number = isinstance(default, int | float) and not isinstance(default, bool)
    if (is_number or default in choices) and "unless given" not in about:
        about += f"; {as_typed(default)} unless given"
    return about.removeprefix("; ").replace("%", "%%") or None
