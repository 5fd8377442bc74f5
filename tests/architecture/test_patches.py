"""What tests put in the place of the program's own functions: fakes belong at its seams."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.support.module_facts import modules_of, parse

SEAMS = {
    *("available_devices", "list_sources", "preload_torch", "ask_where_to_save"),  # the machine and its user
    *("bundled_models", "corpora", "dossiers", "resources", "settings", "trained_models"),  # its folders
}
"""Where a fake stands for what is outside of the program. Constants, as block sizes, may be others."""
MOST = 100
"""How often something else may be patched: 97 times in November 2026. Less is better."""


def patched(tree: ast.Module) -> Iterator[str]:
    """Yield what `monkeypatch.setattr` replaces of the program, but for constants and seams."""
    own = {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom | ast.Import)
        for alias in node.names
        if (getattr(node, "module", None) or alias.name).startswith("bertviz_app")
    }
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) > 1)
    for call in calls:
        if not isinstance(call.func, ast.Attribute) or call.func.attr != "setattr":
            continue
        root, name = call.args[0], ast.unparse(call.args[1]).strip("'")
        if isinstance(root, ast.Constant):
            place, _, name = str(root.value).rpartition(".")
        else:
            place = ast.unparse(root)
        is_own = place.partition(".")[0] in {*own, "bertviz_app"}
        if is_own and name not in SEAMS and not name.isupper():
            yield f"{place}.{name}"


@pytest.mark.slow
def test_few_functions_of_the_program_are_patched() -> None:
    found = Counter({module.name: len([*patched(module.tree)]) for module in modules_of("tests")})
    assert found.total() <= MOST, found.most_common(20)


def test_constants_seams_and_other_peoples_names_do_not_count() -> None:
    text = """
from bertviz_app import paths
from bertviz_app.encoder import dense
import os
monkeypatch.setattr(paths, "settings", folder)
monkeypatch.setattr(dense, "_ROWS", 3)
monkeypatch.setattr(os, "replace", fail)
monkeypatch.setattr(dense, "packs", fail)
monkeypatch.setattr("bertviz_app.text.tokenizer.read", fail)
"""
    assert [*patched(parse("tests.sample", text).tree)] == ["dense.packs", "bertviz_app.text.tokenizer.read"]
