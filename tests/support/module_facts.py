"""The program's modules as syntax trees; nothing here imports them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One file: its dotted name, its text and its tree."""

    name: str
    is_package: bool
    text: str
    tree: ast.Module

    def where(self, node: ast.stmt | ast.expr) -> str:
        """Return the place of a node as people name it."""
        return f"{self.name}:{node.lineno}"

    def functions(self) -> Iterator[Function]:
        """Yield every function and method, nested ones too."""
        return (node for node in ast.walk(self.tree) if isinstance(node, Function))

    def classes(self) -> Iterator[ast.ClassDef]:
        """Yield every class, nested ones too."""
        return (node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef))


def n_lines(node: Function | ast.ClassDef) -> int:
    """Return how many lines a definition takes, without its decorators."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def parse(name: str, text: str, is_package: bool = False) -> Module:
    """Return a module made from its text."""
    return Module(name, is_package, text, ast.parse(text))


@cache
def modules_of(folder: str) -> tuple[Module, ...]:
    """Return every module under a top-level folder, in the order of their names."""
    return tuple(_read(path) for path in sorted((ROOT / folder).rglob("*.py")))


def _read(path: Path) -> Module:
    parts = path.relative_to(ROOT).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    name = ".".join(parts[:-1] if is_package else parts)
    return parse(name, path.read_text(encoding="utf-8"), is_package)
