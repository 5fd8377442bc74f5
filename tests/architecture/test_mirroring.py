"""Tests lie as the modules do: a test file has the name of its module, or says which modules it crosses."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("views", "viewmodels", "shell")


def _names_modules(sentence: str, package: Path) -> bool:
    """Return whether a sentence names a module of the package, or `a.dotted.path` of another one."""
    names = [name.split(".") for name in re.findall("`([a-z_.]+)`", sentence)]
    paths = [ROOT / "bertviz_app" / Path(*name) if len(name) > 1 else package / name[0] for name in names]
    return bool(paths) and all(path.with_suffix(".py").exists() or path.is_dir() for path in paths)


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_test_file_has_a_module_or_names_those_it_crosses(folder: str) -> None:
    lost = []
    for path in sorted((ROOT / "tests" / folder).rglob("test_*.py")):
        package = ROOT / "bertviz_app" / path.parent.relative_to(ROOT / "tests")
        first_line = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n")[0]
        has_module = (package / path.name.removeprefix("test_")).exists()
        if not has_module and not _names_modules(first_line, package):
            lost.append(str(path.relative_to(ROOT)))
    assert lost == []
