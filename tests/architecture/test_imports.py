"""Who may import whom: import-linter's contracts in pyproject.toml, and the walls between Qt and torch."""

from __future__ import annotations

import os
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
    named = {
        name.strip()
        for one in contracts
        for layer in one.get("layers", one.get("modules", ()))
        for name in re.split("[|:]", layer)
    }
    folders = {path.parent for path in (ROOT / "bertviz_app").glob("*/*/__init__.py")}
    packages = {".".join(folder.relative_to(ROOT).parts) for folder in folders}
    assert packages - named == ALONE


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_circle_of_imports_is_found(tmp_path: Path) -> None:
    without_exceptions = tmp_path / "contracts.toml"
    without_exceptions.write_text(
        """
[tool.importlinter]
root_package = "bertviz_app"
[[tool.importlinter.contracts]]
name = "circles"
type = "acyclic_siblings"
ancestors = ["bertviz_app.trace"]
"""
    )
    done = _lint("--config", str(without_exceptions))
    assert done.returncode == 1
    assert "No cycles are allowed in bertviz_app.trace" in " ".join(done.stdout.split())


_FIRST_WINDOW = """
from pathlib import Path
from bertviz_app.shell import application
made = application.make_application()
look = application.Look(application.read_palette("light"))
theme = application.Theme(made, look)
store = application.SettingsStore(Path("no such folder") / "settings.json")
state = application.AppState(application.Engine())
window = application.MainWindow(state, look, theme, store, application.features())
window.show()
made.processEvents()
"""


def _loaded(program: str) -> list[str]:
    """Return the modules that a fresh interpreter has loaded after a program."""
    program += "\nimport sys\nsys.stdout.write(' '.join(sorted(sys.modules)))"
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def _of(library: str, modules: list[str]) -> list[str]:
    """Return the modules of a library or package."""
    return [name for name in modules if f"{name}.".startswith(f"{library}.")]


@pytest.fixture(scope="module")
def with_window() -> list[str]:
    """The modules that are loaded when the first window is painted."""
    return _loaded(_FIRST_WINDOW)


def test_the_api_loads_no_qt() -> None:
    modules = _loaded("import bertviz_app.api")
    assert _of("PySide6", modules) == []
    assert _of("bertviz_app.analysis.catalogue", modules)


def test_a_hand_out_is_printed_without_the_pictures_of_lessons() -> None:
    """`bertviz-app handout` would wait a second for pyqtgraph, which draws them."""
    modules = _loaded("import bertviz_app.features.lessons.views.printed")
    assert _of("pyqtgraph", modules) == []
    assert _of("jinja2", modules)


def test_the_catalogue_of_analyses_loads_no_torch() -> None:
    """The window asks for it after its first paint, while torch is still loading: it would wait for that."""
    modules = _loaded("import bertviz_app.analysis.catalogue")
    assert _of("torch", modules) == []
    assert _of("bertviz_app.features.methods.attribution", modules)


@pytest.mark.parametrize(
    "library",
    [
        "torch",
        "tokenizers",
        "pyqtgraph",
        "bertviz_app.analysis.catalogue",
        "bertviz_app.checkpoint.loader",
        "bertviz_app.features.training.pretraining",
        "bertviz_app.features.training.state",
        "bertviz_app.features.corpora.state.corpus",
        "bertviz_app.features.corpora.process",
        "jinja2",
        "pyarrow",
        "distributed",
        "bertviz_app.shell.window.main_area",
    ],
)
def test_the_first_window_is_painted_without(library: str, with_window: list[str]) -> None:
    assert _of(library, with_window) == []
    assert _of("bertviz_app.shell.window.window", with_window)
