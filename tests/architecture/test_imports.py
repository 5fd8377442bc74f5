"""Who may import whom: import-linter's contracts in pyproject.toml, and the walls between Qt and torch."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.module_facts import ROOT


def _lint(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run import-linter on the checkout."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()"]
    return subprocess.run(
        [*command, "--no-cache", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_only_lower_layers_are_imported() -> None:
    done = _lint()
    assert done.returncode == 0, done.stdout + done.stderr


ALONE = {"bertviz_app.text.classes"}
"""Sub-packages without siblings: there is nothing that they could be ordered with."""


def test_every_sub_package_has_its_layer() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    named = {name.strip() for one in contracts for layer in one["layers"] for name in re.split("[|:]", layer)}
    folders = {path.parent for path in (ROOT / "bertviz_app").glob("*/*/__init__.py")}
    packages = {".".join(folder.relative_to(ROOT).parts) for folder in folders}
    assert packages - named == ALONE


def test_an_import_of_a_higher_layer_is_found(tmp_path: Path) -> None:
    upside_down = tmp_path / "contracts.toml"
    upside_down.write_text(
        """
[tool.importlinter]
root_package = "bertviz_app"
[[tool.importlinter.contracts]]
name = "upside down"
type = "layers"
layers = ["bertviz_app.text", "bertviz_app.trace"]
"""
    )
    done = _lint("--config", str(upside_down))
    assert done.returncode == 1
    assert "bertviz_app.trace is not allowed to import bertviz_app.text" in " ".join(done.stdout.split())


def _loaded(module: str, library: str) -> str:
    """Return which modules of a library or package a fresh interpreter has loaded with `module`."""
    program = (
        f"import sys, {module}\n"
        f"found = sorted(name for name in sys.modules if f'{{name}}.'.startswith({library + '.'!r}))\n"
        "sys.stdout.write(' '.join(found[:5]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("module", "library"),
    [
        ("bertviz_app.api", "PySide6"),
        ("bertviz_app.shell.application", "torch"),
        ("bertviz_app.shell.application", "pyqtgraph"),
        # What the first window does not show yet: it is loaded after the first paint, or when it is used.
        ("bertviz_app.shell.application", "tokenizers"),
        ("bertviz_app.shell.application", "bertviz_app.analysis.catalogue"),
        ("bertviz_app.shell.application", "bertviz_app.analysis.results"),
        ("bertviz_app.shell.application", "bertviz_app.checkpoint.loader"),
        ("bertviz_app.shell.application", "bertviz_app.training.pretraining"),
        ("bertviz_app.shell.application", "bertviz_app.viewmodels.runs.shown_runs"),
        ("bertviz_app.shell.application", "bertviz_app.viewmodels.training"),
        ("bertviz_app.shell.application", "bertviz_app.viewmodels.corpus"),
        ("bertviz_app.shell.application", "bertviz_app.inference.corpus"),
        ("bertviz_app.shell.application", "pyarrow"),
        ("bertviz_app.shell.application", "distributed"),
        ("bertviz_app.shell.application", "bertviz_app.shell.window.main_area"),
    ],
)
def test_the_walls_hold(module: str, library: str) -> None:
    assert _loaded(module, library) == ""


def test_a_breach_of_a_wall_would_be_seen() -> None:
    assert _loaded("PySide6.QtCore", "PySide6").startswith("PySide6")
    assert _loaded("bertviz_app.api", "bertviz_app.analysis.catalogue") == "bertviz_app.analysis.catalogue"
