"""What is known of the modules of the program without importing them, and the examples of the guides."""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from textwrap import dedent
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[2]
Function = ast.FunctionDef | ast.AsyncFunctionDef
Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True)
class Module:
    """One file: its dotted name, its text and its tree."""

    name: str
    is_package: bool
    text: str
    tree: ast.Module

    @cached_property
    def _nodes(self) -> Mapping[type[ast.AST], Sequence[ast.AST]]:
        """The nodes of the tree by their type: a dozen rules share one walk."""
        found: dict[type[ast.AST], list[ast.AST]] = {}
        waiting: list[ast.AST] = [self.tree]
        for node in waiting:
            found.setdefault(type(node), []).append(node)
            for name in node._fields:
                value = getattr(node, name, None)
                if type(value) is list:
                    waiting += [item for item in value if isinstance(item, ast.AST)]
                elif isinstance(value, ast.AST):
                    waiting.append(value)
        return found

    def where(self, node: ast.stmt | ast.expr) -> str:
        """Return the module and the line of a node."""
        return f"{self.name}:{node.lineno}"

    def nodes(self, kind: type[Node]) -> Iterator[Node]:
        """Yield every node of exactly this type, nested ones too."""
        return (node for node in self._nodes.get(kind, ()) if isinstance(node, kind))

    def functions(self) -> Iterator[Function]:
        """Yield every function and method, nested ones too."""
        yield from self.nodes(ast.FunctionDef)
        yield from self.nodes(ast.AsyncFunctionDef)

    def classes(self) -> Iterator[ast.ClassDef]:
        """Yield every class, nested ones too."""
        return self.nodes(ast.ClassDef)


def called_name(call: ast.Call) -> str:
    """Return what is called as it is written, `torch.load`; only the end of it where a value comes before."""
    parts: list[str] = []
    node = call.func
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "")
    return ".".join(reversed(parts))


def n_lines(node: Function) -> int:
    """Return how many lines a function takes, without its decorators."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def parse(name: str, text: str, is_package: bool = False) -> Module:
    """Return a module made from its text."""
    return Module(name, is_package, text, ast.parse(text))


@cache
def modules_of(folder: str) -> tuple[Module, ...]:
    """Return every module under a top-level folder, in the order of their names."""
    modules = tuple(_read(path) for path in sorted((ROOT / folder).rglob("*.py")))
    gc.freeze()  # no collection is to look at all trees
    return modules


def _read(path: Path) -> Module:
    parts = path.relative_to(ROOT).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    name = ".".join(parts[:-1] if is_package else parts)
    return parse(name, path.read_text(encoding="utf-8"), is_package)


GUIDES = Path(__file__).resolve().parents[2] / "resources" / "docs" / "how-to"


def examples(page: str) -> list[str]:
    """Return the Python of a guide, block by block."""
    text = (GUIDES / page).read_text(encoding="utf-8")
    blocks: list[str] = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [dedent(block) for block in blocks]


def run_example(source: str, names: dict[str, object]) -> None:
    """Run an example; what it defines is added to `names`, which it may use."""
    flags = annotations.compiler_flag  # names in annotations need not be there
    exec(compile(source, "example.py", "exec", flags, dont_inherit=True), names)
