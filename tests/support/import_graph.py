"""Who imports whom: the ranks of the packages, and what a module's import statements ask for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import MappingProxyType

from tests.support.module_facts import Module

PROGRAM = "bertviz_app"
# The package itself hands out the API's names on first use.
FACADE = "api"
RANKS = MappingProxyType(
    {
        "errors": 0,
        "paths": 0,
        "text": 1,
        "trace": 2,
        "options": 2,
        "analysis": 3,
        "encoder": 3,
        "checkpoint": 4,
        "training": 4,
        "inference": 5,
        "api": 6,
        "viewmodels": 7,
        "views": 8,
        "shell": 9,
        "cli": 10,
        "__main__": 11,
    }
)


def package_of(name: str) -> str:
    """Return the ranked part of a module's dotted name; "" for the program's own package."""
    return name.split(".")[1] if "." in name else ""


def broken_ranks(module: Module) -> Iterator[str]:
    """Only lower ranks and the own package are imported, for type checking alone too."""
    own = package_of(module.name)
    if not own:
        return
    if own not in RANKS:
        yield f"{module.name} is in no ranked package"
        return
    for node, package in imports(module):
        if not _may(own, package):
            yield f"{module.where(node)} ({own}) imports {package}"


def _may(own: str, package: str) -> bool:
    if own == package or package not in RANKS:
        return own == package
    return RANKS[package] < RANKS[own] or RANKS[own] == RANKS[package] == 0


def imports(module: Module) -> Iterator[tuple[ast.stmt | ast.expr, str]]:
    """Yield every import of a part of the program, wherever it stands, with that part's package."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((node, _named(alias.name)) for alias in node.names if _is_ours(alias.name))
        elif isinstance(node, ast.ImportFrom):
            yield from ((node, package) for package in _from(module, node))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in {
            "import_module",
            "importlib.import_module",
        }:
            yield from ((node, _named(name)) for name in _literals(node) if _is_ours(name))


def _from(module: Module, node: ast.ImportFrom) -> Iterator[str]:
    source = _absolute(module, node)
    if source == PROGRAM:
        for alias in node.names:
            if alias.name != "__version__":
                yield alias.name if alias.name in RANKS else FACADE
    elif _is_ours(source):
        yield package_of(source)


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if node.level == 0:
        return node.module or ""
    parts = module.name.split(".")
    kept = parts[: len(parts) - node.level + module.is_package]
    return ".".join([*kept, node.module] if node.module else kept)


def _named(name: str) -> str:
    return package_of(name) or FACADE


def _is_ours(name: str) -> bool:
    return name == PROGRAM or name.startswith(f"{PROGRAM}.")


def _literals(call: ast.Call) -> list[str]:
    return [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
