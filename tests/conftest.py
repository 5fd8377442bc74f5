"""What every test may use: two checkpoints, one small and random, one real."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.support.checkpoints import real_checkpoint, write_bert

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtWidgets import QApplication

    from bertviz_app.trace import Trace
    from tests.support.patience import PatientBot

# Read when torch, numpy and tokenizers load: idle threads sleep, and forked children need no warning. Numpy
# computes on one thread, as in the program: several spin while they wait, which delays a busy machine.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
# Read when the first window is made: no test opens one on the screen it is run from.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Two test processes side by side (pytest-xdist) have one processor each.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
# The language and the messages of the system are an input as any other: the tests speak English, wherever
# they run, and those about Korean choose it. `tests/e2e` starts the program with this environment, too.
os.environ |= {"LC_ALL": "C.UTF-8", "LANG": "C.UTF-8", "LANGUAGE": "en"}
# So is the desktop: an empty address is that of no session bus, so that its portal is not asked.
os.environ["DBUS_SESSION_BUS_ADDRESS"] = ""
# A busy machine is no fault of the program, and a build machine tries the same examples each time.
settings.register_profile("steady", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("steady")

pytest_plugins = ("tests.support.plugins",)

# Their tests start processes, train, open whole windows or run a second library beside ours.
SLOW_FOLDERS = ("cli", "e2e", "features", "fuzz", "parity", "window")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the slow folders, and analyses of a real checkpoint, which take up to a second."""
    here = Path(__file__).parent
    folders = [here / name for name in SLOW_FOLDERS]
    for item in items:
        uses_real = isinstance(item, pytest.Function) and "minilm" in item.fixturenames
        analyses_real = uses_real and item.path.is_relative_to(here / "analysis")
        if analyses_real or any(item.path.is_relative_to(folder) for folder in folders):
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def korean(qapp: QApplication) -> Iterator[None]:
    """The program's words in Korean."""
    from shiboken6 import delete

    from bertviz_app.shell.settings import Language

    language = Language(qapp)
    language.choose("ko")
    yield
    language.choose("en")
    delete(language)  # at once: the next window would find it, and lose it in a turn of the event loop


@pytest.fixture(scope="session")
def frozen_imports() -> None:
    """What was imported before the first window need not be looked at again by each collection.

    Nothing is frozen while a window is open: it would never be collected, and seem to be left in memory.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> PatientBot:
    """In place of pytest-qt's own: it waits longer."""
    from tests.support.patience import PatientBot  # a machine with a GPU may have no Qt

    return PatientBot(request)


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random uncased BERT, 2 layers x 4 heads x width 32 with a pooler, in a folder of its own.

    Read-only by agreement: a test that spoils files copies the folder first.
    """
    return write_bert(tmp_path_factory.mktemp("checkpoints") / "tiny-bert")


@pytest.fixture
def plain_lenses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every checkpoint has a tuned lens, which changes nothing: what it reads is the logit lens's."""
    import numpy as np

    from bertviz_app.features.corpora.studies import lenses

    def plain(trace: Trace, path: str | None) -> lenses.Lens:
        shape = trace.n_layers, trace.width, trace.width
        matrices = np.broadcast_to(np.eye(trace.width, dtype=np.float32), shape).copy()
        biases = np.zeros(shape[:2], np.float32)
        return lenses.Lens(trace.fingerprint, trace.model, matrices, biases)

    monkeypatch.setattr(lenses, "lens_for", plain)


@pytest.fixture(scope="session")
def minilm() -> Path:
    """The folder of the real all-MiniLM-L6-v2 (6 layers x 12 heads x width 384)."""
    return real_checkpoint()
