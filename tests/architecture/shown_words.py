"""What is said to people below the window: errors, notices and remarks, read off the syntax trees."""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tests.support.module_facts import Function, Module

_ERROR = "AppError"
_LISTS = frozenset({"notices", "remarks", "sentences"})
"""Lists that are filled with sentences for people."""
_WORDS = frozenset({"problem", "remark"})
"""Arguments by name that are sentences for people."""
_SPEAKERS = frozenset(
    {
        ("bertviz_app.checkpoint.sources.source", "sentence"),
        ("bertviz_app.inference.engine", "_save"),
        ("bertviz_app.text.tokenizer", "_name"),
        ("bertviz_app.training.finetuning.rows", "_fault"),
    }
)
"""Functions that return words for people, by module and name."""
_COMMAND_LINE = ("bertviz_app.cli", "bertviz_app.shell.render")
"""What runs without a window, and speaks English."""
_NUMBERED = re.compile(r"\{\d+\}")
_MOST = 40
_DEPTH = 6


@dataclass(frozen=True)
class Field:
    """A place in a text that is filled in when the text is said."""


FIELD = Field()
Part = str | Field
Text = tuple[Part, ...]
ANYTHING: tuple[Text, ...] = ((FIELD,),)


@dataclass(frozen=True)
class Place:
    """Where an expression stands: its module and the functions around it, the innermost last."""

    module: Module
    around: tuple[Function, ...]
    seen: tuple[str, ...] = ()


@dataclass(frozen=True)
class Program:
    """All modules by name, and the names of the errors that people see."""

    modules: dict[str, Module] = field(default_factory=dict)
    errors: frozenset[str] = frozenset()


def templates(modules: Iterable[Module]) -> tuple[str, ...]:
    """Return each text that is said in such a place, once, in order: fields are {0}, {1} …"""
    known = {module.name: module for module in modules}
    program = Program(known, _errors(known.values()))
    found = {
        _numbered(text)
        for module in known.values()
        if not module.name.startswith(_COMMAND_LINE)
        for text in _said(program, module)
        if _says_something(text)
    }
    return tuple(sorted(found))


def _errors(modules: Iterable[Module]) -> frozenset[str]:
    parents = {
        definition.name: {ast.unparse(base) for base in definition.bases}
        for module in modules
        for definition in module.classes()
    }
    names = {_ERROR}
    while more := {name for name, bases in parents.items() if bases & names} - names:
        names |= more
    return frozenset(names)


def _said(program: Program, module: Module) -> Iterator[Text]:
    for node, around in _walk(module.tree, ()):
        place = Place(module, around)
        for expression in _spoken(program, node, place):
            yield from _texts(program, expression, place)


def _walk(node: ast.AST, around: tuple[Function, ...]) -> Iterator[tuple[ast.AST, tuple[Function, ...]]]:
    for child in ast.iter_child_nodes(node):
        inside = (*around, child) if isinstance(child, Function) else around
        yield child, inside
        yield from _walk(child, inside)


def _spoken(program: Program, node: ast.AST, place: Place) -> Iterator[ast.expr]:
    """Yield the expressions below `node` itself whose value people read."""
    if isinstance(node, ast.Return) and node.value is not None and place.around:
        if (place.module.name, place.around[-1].name) in _SPEAKERS:
            yield node.value
        return
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if isinstance(node.value, ast.List) and {ast.unparse(target) for target in targets} & _LISTS:
            yield from node.value.elts
    if not isinstance(node, ast.Call):
        return
    called = ast.unparse(node.func).split(".")
    if called == ["Message"]:
        yield node
    elif called[-1] in program.errors:
        yield from node.args[:2]
        yield from (word.value for word in node.keywords if word.arg in {"message", "hint"})
    elif called[-1] == "append" and called[0] in _LISTS:
        yield from node.args
    yield from (word.value for word in node.keywords if word.arg in _WORDS)


def _texts(program: Program, node: ast.expr, place: Place) -> tuple[Text, ...]:
    """Return the texts that an expression may be, with a field for what is not known before."""
    if isinstance(node, ast.Constant):
        return ((node.value,),) if isinstance(node.value, str) else ANYTHING
    if isinstance(node, ast.JoinedStr):
        return _composed(program, node, place)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        both = [_texts(program, side, place) for side in (node.left, node.right)]
        return ANYTHING if both == [ANYTHING, ANYTHING] else _joined(both)  # a sum of numbers
    if isinstance(node, ast.IfExp):
        return (*_texts(program, node.body, place), *_texts(program, node.orelse, place))
    if isinstance(node, ast.Name):
        return _named(program, node.id, place)
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "Message":
        return _template(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _returned(program, node.func.id, place)
    return ANYTHING


def _composed(program: Program, node: ast.JoinedStr, place: Place) -> tuple[Text, ...]:
    """Return the texts of an f-string; what occurs in it twice is the same both times."""
    names = [ast.unparse(value) for value in node.values]
    pieces = {name: _piece(program, value, place) for name, value in zip(names, node.values, strict=True)}
    if math.prod(map(len, pieces.values())) > _MOST:
        return ANYTHING
    choices = (dict(zip(pieces, choice, strict=True)) for choice in itertools.product(*pieces.values()))
    return tuple(tuple(itertools.chain(*(choice[name] for name in names))) for choice in choices)


def _piece(program: Program, node: ast.expr, place: Place) -> tuple[Text, ...]:
    if not isinstance(node, ast.FormattedValue):
        return _texts(program, node, place)
    if node.format_spec is not None or isinstance(node.value, ast.Call):
        return ANYTHING
    return _texts(program, node.value, place)


def _template(call: ast.Call) -> tuple[Text, ...]:
    """Return the text of a `Message(...)`; what fills it is a text of its own."""
    template = call.args[0]
    if not isinstance(template, ast.Constant):
        return ANYTHING
    parts = _NUMBERED.split(str(template.value))
    return (tuple(itertools.chain.from_iterable((part, FIELD) for part in parts))[:-1],)


def _joined(parts: list[tuple[Text, ...]]) -> tuple[Text, ...]:
    return tuple(tuple(itertools.chain(*choice)) for choice in itertools.product(*parts))


def _named(program: Program, name: str, place: Place) -> tuple[Text, ...]:
    """Return what a name may stand for: what it is assigned, or passed, or is of another module."""
    if name in place.seen or len(place.seen) > _DEPTH:
        return ANYTHING
    inside = Place(place.module, place.around, (*place.seen, name))
    for function in reversed(place.around):
        if values := _assigned(function, name):
            return tuple(text for value in values for text in _texts(program, value, inside))
        if name in _parameters(function):
            return _passed(program, function, name, inside)
    if values := _assigned(place.module.tree, name):
        return tuple(text for value in values for text in _texts(program, value, inside))
    return _imported(program, name, place)


def _assigned(scope: Function | ast.Module, name: str) -> list[ast.expr]:
    nodes = scope.body if isinstance(scope, ast.Module) else ast.walk(scope)
    found = []
    for node in nodes:
        if isinstance(node, ast.For):
            found += _looped(node, name)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                found.append(node.value)
    return found


def _looped(loop: ast.For, name: str) -> list[ast.expr]:
    """Return what `name` is in the rounds of a loop over a table that is written out."""
    names = [ast.unparse(target) for target in getattr(loop.target, "elts", [])]
    rows = getattr(loop.iter, "elts", [])
    if name not in names or not all(isinstance(row, ast.Tuple) for row in rows):
        return []
    return [row.elts[names.index(name)] for row in rows]


def _parameters(function: Function) -> list[str]:
    return [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]


def _passed(program: Program, function: Function, name: str, place: Place) -> tuple[Text, ...]:
    """Return what the callers within the module pass as `name`."""
    index = _parameters(function).index(name)
    found: list[Text] = []
    for node, around in _walk(place.module.tree, ()):
        if not isinstance(node, ast.Call) or ast.unparse(node.func).split(".")[-1] != function.name:
            continue
        by_name = [word.value for word in node.keywords if word.arg == name]
        given = by_name or node.args[index : index + 1]
        for value in given:
            found += _texts(program, value, Place(place.module, around, place.seen))
    return tuple(found) or ANYTHING


def _returned(program: Program, name: str, place: Place) -> tuple[Text, ...]:
    """Return what a function of the module returns, as far as that is text."""
    if name in place.seen or len(place.seen) > _DEPTH or (place.module.name, name) in _SPEAKERS:
        return ANYTHING
    found: list[Text] = []
    for node, around in _walk(place.module.tree, ()):
        if isinstance(node, ast.Return) and node.value is not None and around and around[-1].name == name:
            found += _texts(program, node.value, Place(place.module, around, (*place.seen, name)))
    return tuple(found) or ANYTHING


def _imported(program: Program, name: str, place: Place) -> tuple[Text, ...]:
    for node in place.module.tree.body:
        if isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names):
            module = program.modules.get(node.module or "")
            if module is not None:
                return _named(program, name, Place(module, (), place.seen))
    return ANYTHING


def _says_something(text: Text) -> bool:
    words = "".join(part for part in text if isinstance(part, str))
    return any(character.isalpha() for character in words)


def _numbered(text: Text) -> str:
    numbers = itertools.count()
    return "".join(part if isinstance(part, str) else f"{{{next(numbers)}}}" for part in text)
