"""The ranks of the packages, and the two walls: no Qt behind the API, no torch in front of the window."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.import_graph import PROGRAM, broken_ranks
from tests.support.module_facts import modules_of, parse


def test_only_lower_ranks_are_imported() -> None:
    assert [fault for module in modules_of(PROGRAM) for fault in broken_ranks(module)] == []


@pytest.mark.parametrize(
    "line",
    [
        "from bertviz_app.views.attention.matrix import Matrix",
        "import bertviz_app.views.attention.matrix",
        "from bertviz_app import views",
        "from bertviz_app import open_model",
        "from ..views import matrix",
        "from .. import views",
        "if TYPE_CHECKING:\n    from bertviz_app.views import matrix",
        "def later():\n    from bertviz_app.training import corpus",
        "import_module('bertviz_app.views')",
        "from bertviz_app.unknown import thing",
    ],
)
def test_an_import_of_a_higher_or_equal_rank_is_found(line: str) -> None:
    assert list(broken_ranks(parse("bertviz_app.checkpoint.loader", line)))


@pytest.mark.parametrize(
    "line",
    [
        "from bertviz_app.trace import Trace",
        "from bertviz_app import __version__",
        "from bertviz_app.checkpoint.model_facts import ModelFacts",
        "from . import facts",
        "from .facts import ModelFacts",
        "import torch.views",
    ],
)
def test_an_import_of_a_lower_rank_is_left_alone(line: str) -> None:
    assert list(broken_ranks(parse("bertviz_app.checkpoint.loader", line))) == []


def test_a_module_outside_the_ranks_is_found() -> None:
    assert list(broken_ranks(parse("bertviz_app.extras.thing", "")))


def _loaded(module: str, library: str) -> str:
    """Return which modules of a library a fresh interpreter has loaded after importing `module`."""
    program = (
        f"import sys, {module}\n"
        f"found = sorted(name for name in sys.modules if name.split('.')[0] == {library!r})\n"
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
    ],
)
def test_the_walls_hold(module: str, library: str) -> None:
    assert _loaded(module, library) == ""


def test_a_breach_of_a_wall_would_be_seen() -> None:
    assert _loaded("PySide6.QtCore", "PySide6").startswith("PySide6")
