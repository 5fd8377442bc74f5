"""The public names, as an editor and a notebook offer them behind the dot."""

from __future__ import annotations

import ast
import gc
import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

import bertviz_app
from bertviz_app import api
from bertviz_app.analysis.catalogue import CATALOGUE
from bertviz_app.api.analysis_keys import AnalysisKey, StudyKey
from bertviz_app.features.corpora.studies.catalogue import STUDIES
from tests.support.keys import PATH, content


@pytest.mark.parametrize("module", [bertviz_app, api], ids=lambda module: module.__name__)
@pytest.mark.parametrize("uses_jedi", [True, False], ids=["jedi", "plain"])
def test_a_notebook_completes_every_public_name_and_nothing_else(
    module: ModuleType, *, uses_jedi: bool
) -> None:
    shell = InteractiveShell()
    shell.user_ns["module"] = module
    shell.Completer.use_jedi = uses_jedi
    with provisionalcompleter():
        found = {one.text.lstrip(".") for one in shell.Completer.completions("module.", len("module."))}
    gc.disable()  # jedi's parser turns the collector on when it has read its cache
    assert found - {"__version__"} == set(module.__all__)
    assert all(hasattr(module, name) for name in dir(module))


def test_what_type_checkers_read_has_the_same_names() -> None:
    """The stub is what editors complete from: the module itself loads a name on its first use."""
    stub = Path(bertviz_app.__file__).with_suffix(".pyi")
    tree = ast.parse(stub.read_text("utf-8"))
    homes = {
        str(alias.asname): str(node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert homes.pop("__version__") == "bertviz_app.version"
    assert sorted(homes) == sorted(bertviz_app.__all__)
    for name, module in homes.items():
        assert getattr(bertviz_app, name) is getattr(import_module(module), name)


def test_keys_are_those_of_the_catalogues() -> None:
    assert PATH.read_text("utf-8") == content(), "write it anew: python -m tests.support.keys"
    assert get_args(AnalysisKey) == tuple(one.key for one in CATALOGUE)
    assert get_args(StudyKey) == tuple(one.key for one in STUDIES)


_PUBLIC = [getattr(owner, name) for owner in (api, api.Model) for name in dir(owner) if name[0] != "_"]


@pytest.mark.parametrize(
    "function", list(filter(inspect.isfunction, _PUBLIC)), ids=lambda function: function.__qualname__
)
def test_help_shows_plain_defaults(function: Callable[..., object]) -> None:
    defaults = [one.default for one in inspect.signature(function).parameters.values()]
    given = [one for one in defaults if one is not inspect.Parameter.empty]
    assert all(isinstance(one, str | int | float | bool | tuple | None) for one in given), given
