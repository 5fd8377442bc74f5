"""The length of functions, names, first lines, and what is never called, in the program and in its tests."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from types import FunctionType

import pytest
from shiboken6 import Shiboken

import bertviz_app
from bertviz_app.views.kit.canvas import OVERRIDES
from tests.architecture import rules
from tests.support import plugins
from tests.support.module_facts import Module, modules_of, n_lines, parse

Rule = Callable[[Module], Iterator[str]]
EVERYWHERE: tuple[Rule, ...] = (rules.sizes, rules.docstring, rules.names)
PROGRAM_ONLY: tuple[Rule, ...] = (
    rules.calls,
    rules.words,
    rules.code_runners,
    rules.state,
    rules.late_imports,
)


@pytest.mark.parametrize("rule", EVERYWHERE)
@pytest.mark.parametrize("folder", ["bertviz_app", "tests"])
def test_every_module_keeps(folder: str, rule: Rule) -> None:
    assert [fault for module in modules_of(folder) for fault in rule(module)] == []


@pytest.mark.parametrize("rule", PROGRAM_ONLY)
def test_every_module_of_the_program_keeps(rule: Rule) -> None:
    assert [fault for module in modules_of("bertviz_app") for fault in rule(module)] == []


def test_most_functions_are_short(record_property: Callable[[str, object], None]) -> None:
    functions = [function for module in modules_of("bertviz_app") for function in module.functions()]
    record_property(plugins.PROPERTY, plugins.summary(functions))
    assert sum(n_lines(function) > plugins.SHORT for function in functions) < len(functions) / 5


def _function(n_lines: int) -> str:
    return "def long():\n" + "    pass\n" * (n_lines - 1)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (rules.sizes, _function(61)),
        (rules.late_imports, "from bertviz_app import open_model"),
        (rules.late_imports, "import_module('bertviz_app.views')"),
        (rules.late_imports, "def later():\n    from bertviz_app.views import steps"),
        (rules.docstring, "import os"),
        (rules.docstring, '"""\nToo late."""'),
        (rules.names, "def helper(): ..."),
        (rules.names, "class ThemeManager: ..."),
        (rules.names, "def text_utils(): ..."),
        (rules.calls, "print('a')"),
        (rules.calls, "eval('a')"),
        (rules.calls, "torch.load(path)"),
        (rules.calls, "torch.load(path, weights_only=False)"),
        (rules.calls, "np.load(path, allow_pickle=True)"),
        (rules.words, "f'{self.tr(\"a\")} b'"),
        (rules.words, 'f\'{QCoreApplication.translate("A", "a")}\''),
        (rules.code_runners, "import pickle"),
        (rules.code_runners, "from pickle import loads"),
        (rules.code_runners, "from pickle import UnpicklingError, loads"),
        (rules.state, "seen = []"),
        (rules.state, "seen: dict[str, int] = {}"),
        (rules.state, "seen = defaultdict(list)"),
        (rules.state, "SEEN = {}\ndef note(a):\n    SEEN[a] = 1"),
        (rules.state, "SEEN = []\ndef note(a):\n    SEEN.append(a)"),
        (rules.state, "SEEN = {}\ndef forget(a):\n    del SEEN[a]"),
        (rules.state, "SEEN = set()\nSEEN |= {1}"),
        (rules.state, "count = 0\ndef note():\n    global count\n    count = 1"),
    ],
)
def test_a_breach_is_found(rule: Rule, text: str) -> None:
    assert list(rule(parse("bertviz_app.text.sample", text)))


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (rules.sizes, _function(60)),
        (rules.sizes, "class Long:\n" + "    a = 1\n" * 1_000),
        (rules.docstring, '"""What is here."""\nimport os'),
        (rules.docstring, ""),
        (rules.names, "def utility(): ..."),
        (rules.calls, "model.eval()"),
        (rules.calls, "application.exec()"),
        (rules.calls, "torch.load(path, weights_only=True)"),
        (rules.words, "words = self.tr('a')\nf'{words} b'"),
        (rules.code_runners, "from pickle import UnpicklingError"),
        (rules.state, "_TABLE = {'a': 1}\n__all__ = ['a']"),
        (rules.state, "def fresh():\n    seen = []\n    seen.append(1)"),
    ],
)
def test_what_is_allowed_is_left_alone(rule: Rule, text: str) -> None:
    assert list(rule(parse("bertviz_app.text.sample", text))) == []


def test_every_override_of_qt_is_guarded() -> None:
    """What a class of Qt calls by itself is caught and logged: no exception may leave it."""
    for found in pkgutil.walk_packages(bertviz_app.__path__, "bertviz_app."):
        if found.name.startswith(("bertviz_app.views", "bertviz_app.shell")):
            import_module(found.name)
    todo, seen = [Shiboken.Object], set[type]()
    while todo:
        for kind in todo.pop().__subclasses__():
            if kind not in seen:
                seen.add(kind)
                todo.append(kind)
    own = [kind for kind in seen if kind.__module__.startswith("bertviz_app.")]
    assert len(own) > 150
    assert [name for kind in own for name in _bare_overrides(kind)] == []


def _bare_overrides(kind: type) -> Iterator[str]:
    """Yield the methods of Qt or pyqtgraph that `kind` overrides without a guard."""
    for name, method in vars(kind).items():
        homes = [base for base in kind.__mro__[1:] if name in vars(base)]
        is_of_qt = any(not base.__module__.startswith(("bertviz_app.", "builtins")) for base in homes)
        is_virtual = name in OVERRIDES or any(letter.isupper() for letter in name)
        if (
            isinstance(method, FunctionType)
            and is_of_qt
            and is_virtual
            and not hasattr(method, "__wrapped__")
        ):
            yield f"{kind.__module__}.{kind.__qualname__}.{name}"
