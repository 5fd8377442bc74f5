"""What users of the library call is documented in full: every parameter, what is returned, what is raised."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
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
