"""The mutants of a source file: one small change each, found in its syntax tree and made in its text.

Why own code: mutmut 3 writes a copy of each function for each change beside the original, into the checkout,
and chooses tests by function; cosmic-ray needs a web client and a database, and removes no statement.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_PAIRS: tuple[tuple[type[ast.AST], type[ast.AST]], ...] = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn), (ast.Is, ast.IsNot)),
    *((ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.BitAnd, ast.BitOr), (ast.And, ast.Or)),
)
_OTHERS = {ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult}
_SWAPPED: dict[type[ast.AST], type[ast.AST]] = dict(_PAIRS) | {b: a for a, b in _PAIRS} | _OTHERS
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_LEFT_OUT = (ast.stmt, ast.ExceptHandler, ast.match_case, ast.JoinedStr)  # in f-strings places are not known
_Change = tuple[ast.stmt | ast.expr, str, str]
"""What is replaced, what takes its place, and how that is described."""


@dataclass(frozen=True)
class Mutant:
    """A change of one statement of a function; where it is in the text does not count for `==`."""

    file: str
    function: str  # qualified, without the module
    nth: int  # of equal changes of equal statements in the function, from 0
    change: str
    statement: str  # its first line where it has a block
    group: str = field(compare=False, default="")
    outcome: str = field(compare=False, default="")
    line: int = field(compare=False, default=0)  # 0: it is gone
    span: tuple[int, int] = field(compare=False, default=(0, 0))  # bytes
    text: str = field(compare=False, default="")

    def applied(self, source: bytes) -> bytes:
        """Return the source with the change."""
        return source[: self.span[0]] + self.text.encode() + source[self.span[1] :]


def mutants_of(file: str, source: bytes) -> Iterator[Mutant]:
    """Yield every mutant of the statements in functions, in their order.

    What runs when a module is imported is not changed: no single test covers it.
    """
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    counts = Counter[tuple[str, ...]]()
    for function, statement in _statements(ast.parse(source).body, ()):
        for node, new, change in _changes(statement):
            first = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            key = function, change, _first_line(statement)
            yield Mutant(file, function, counts[key], *key[1:], line=node.lineno, span=(first, end), text=new)
            counts[key] += 1


def _statements(body: list[ast.stmt], names: tuple[str, ...], *, is_run: bool = False) -> Iterator[Any]:
    """Yield each statement of a function, after the function's name."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            is_function = not isinstance(node, ast.ClassDef)
            yield from _statements(node.body, (*names, node.name), is_run=is_function)
            continue
        if is_run:
            yield ".".join(names), node
        for block in (part for name in _BLOCKS for part in getattr(node, name, ())):
            inner = block.body if isinstance(block, ast.ExceptHandler | ast.match_case) else [block]
            yield from _statements(inner, names, is_run=is_run)


def _first_line(statement: ast.stmt) -> str:
    shallow = copy.copy(statement)
    for name in _BLOCKS:
        if hasattr(shallow, name):
            setattr(shallow, name, [])
    return " ".join(ast.unparse(shallow).split())


def _changes(statement: ast.stmt) -> Iterator[_Change]:
    match statement:
        case ast.Expr(value=ast.Constant()) | ast.Assert():  # a docstring, or what a type checker is told
            return
        case ast.If(test=test) | ast.While(test=test) if not isinstance(test, ast.UnaryOp | ast.Compare):
            yield _replaced(test, ast.UnaryOp(ast.Not(), test))
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield _replaced(value, ast.Constant(None))
        case ast.Break() | ast.Continue():
            new = "continue" if isinstance(statement, ast.Break) else "break"
            yield statement, new, f"{ast.unparse(statement)} -> {new}"
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Delete():
            yield statement, "pass", "removed"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield statement, "pass", "removed"
    if isinstance(statement, ast.AugAssign) and type(statement.op) in _SWAPPED:
        new = ast.unparse(ast.AugAssign(statement.target, _swapped(statement.op), statement.value))
        yield statement, new, f"-> {new}"
    for node in _expressions(statement):
        yield from (_replaced(node, new) for new in _replacements(node))


def _replaced(old: ast.expr, new: ast.expr) -> _Change:
    return old, f"({ast.unparse(new)})", f"{ast.unparse(old)} -> {ast.unparse(new)}"


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions of a statement, without those of its block, of annotations and in f-strings."""
    skipped = node.annotation if isinstance(node, ast.AnnAssign) else None
    for child in ast.iter_child_nodes(node):
        if child is not skipped and not isinstance(child, _LEFT_OUT):
            yield from [child] if isinstance(child, ast.expr) else []
            yield from _expressions(child)


def _replacements(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Compare(left, operators, others):
            for at, operator in enumerate(operators):
                yield ast.Compare(left, [*operators[:at], _swapped(operator), *operators[at + 1 :]], others)
        case ast.BinOp(left, operator, right) if type(operator) in _SWAPPED:
            yield ast.BinOp(left, _swapped(operator), right)
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(_swapped(operator), values)
        case ast.UnaryOp(ast.Not() | ast.USub() | ast.Invert(), operand):
            yield operand
        case ast.IfExp(test, body, otherwise):
            yield ast.IfExp(ast.UnaryOp(ast.Not(), test), body, otherwise)
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))


def _swapped(operator: ast.AST) -> Any:
    return _SWAPPED[type(operator)]()
