"""The length of functions, names, first lines, and what is never called, in the program and in its tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.architecture import rules
from tests.support import function_lengths
from tests.support.module_facts import Module, modules_of, n_lines, parse

Rule = Callable[[Module], Iterator[str]]
EVERYWHERE: tuple[Rule, ...] = (rules.sizes, rules.docstring, rules.names)
PROGRAM_ONLY: tuple[Rule, ...] = (
    rules.calls,
    rules.words,
    rules.code_runners,
    rules.state,
    rules.overrides,
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
    record_property(function_lengths.PROPERTY, function_lengths.summary(functions))
    assert sum(n_lines(function) > function_lengths.SHORT for function in functions) < len(functions) / 5


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
        (rules.overrides, "class View(QWidget):\n    def sizeHint(self): ..."),
        (rules.overrides, "class View(QWidget):\n    def event(self, event): ..."),
        (rules.overrides, "class View(QWidget):\n    @Slot()\n    def paintEvent(self, event): ..."),
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
        (
            rules.overrides,
            "class View(QWidget):\n    @guarded(default=False)\n    def event(self, event): ...",
        ),
        (rules.overrides, "class View(QWidget):\n    @guarded\n    def paintEvent(self, event): ..."),
        (rules.overrides, "class View(QWidget):\n    def show_head(self, head): ..."),
        (rules.overrides, "class Trace:\n    def shape(self): ..."),
    ],
)
def test_what_is_allowed_is_left_alone(rule: Rule, text: str) -> None:
    assert list(rule(parse("bertviz_app.text.sample", text))) == []
