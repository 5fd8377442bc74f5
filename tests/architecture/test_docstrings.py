"""What users of the library call is documented in full: every parameter, what is returned, what is raised."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cached_property
from importlib import import_module
from typing import Any

import pytest

import bertviz_app
from bertviz_app.analysis.catalogue import CATALOGUE
from bertviz_app.analysis.entry import Analysis
from bertviz_app.api import Model


def _public() -> Iterator[Callable[..., Any]]:
    """Yield the functions of the API, and the methods of a model."""
    for name in bertviz_app.__all__:
        found = getattr(bertviz_app, name)
        if inspect.isfunction(found):
            yield found
    for name, member in inspect.getmembers(Model, inspect.isfunction):
        if not name.startswith("_"):
            yield member


def _lacks(function: Callable[..., Any]) -> Iterator[str]:
    """Yield what the docstring of a function does not have."""
    text = inspect.getdoc(function) or ""
    described = text.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    names = re.findall(r"^\*{0,2}(\w+(?:, \w+)*)(?: :|$)", described, re.MULTILINE)
    known = {name for line in names for name in line.split(", ")}
    signature = inspect.signature(function)
    yield from (name for name in signature.parameters if name not in known | {"self"})
    returns = signature.return_annotation not in (None, "None")
    if returns and not re.search("^(Returns|Yields)\n-+$", text, re.MULTILINE):
        yield "Returns"
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    if any(isinstance(node, ast.Raise) for node in ast.walk(tree)) and "Raises\n------\n" not in text:
        yield "Raises"


@pytest.mark.parametrize("function", list(_public()), ids=lambda function: function.__qualname__)
def test_every_public_function_is_documented_in_full(function: Callable[..., Any]) -> None:
    assert list(_lacks(function)) == []


def test_every_analysis_says_the_shape_of_its_result_and_what_it_raises() -> None:
    """What all analyses have in common is in the help of the decorator."""
    assert [(one.key, fault) for one in CATALOGUE for fault in _lacks_of_its_own(one)] == []


def _lacks_of_its_own(analysis: Analysis[Any, Any]) -> Iterator[str]:
    text = inspect.getdoc(analysis.run) or ""
    if not re.search(r"\[[A-Z0-9][^]]*\]", text):
        yield "the shape of the result"
    tree = ast.parse(textwrap.dedent(inspect.getsource(analysis.run)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            name = ast.unparse(node.exc.func)
            if name not in text:
                yield name


PACKAGES = ("api", "trace", "text", "analysis")
"""Those that users of the library import from."""


def test_every_public_method_of_the_library_is_described_by_its_class_or_a_base() -> None:
    """Elsewhere a docstring stands where the name does not say it all."""
    assert [f"{kind.__qualname__}.{name}" for kind, name in _methods() if not _described(kind, name)] == []


def _methods() -> Iterator[tuple[type, str]]:
    """Yield the public methods and properties of the public classes of PACKAGES."""
    for package in PACKAGES:
        top = import_module(f"bertviz_app.{package}")
        below = [info.name for info in pkgutil.walk_packages(top.__path__, f"{top.__name__}.")]
        for module in (top.__name__, *below):
            for kind in vars(import_module(module)).values():
                if inspect.isclass(kind) and kind.__module__ == module and kind.__name__[0] != "_":
                    members = (name for name, one in vars(kind).items() if _is_method(name, one))
                    yield from ((kind, name) for name in members if not name.startswith("_"))


def _is_method(name: str, member: object) -> bool:
    """Return whether it is defined in the class: the default of a field is a function of another name."""
    kinds = (property, cached_property, classmethod, staticmethod)
    return getattr(member, "__name__", "") == name or isinstance(member, kinds)


def _described(kind: type, name: str) -> bool:
    own = (vars(base).get(name) for base in kind.__mro__)
    return any(getattr(one, "__doc__", None) for one in own if one is not None)
