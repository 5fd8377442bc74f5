"""What concerns the whole process: imports, memory, garbage, and what a crash leaves behind."""

from __future__ import annotations

import gc
import os
import platform
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.shell.collector import Collector
from bertviz_app.shell.process import LEFT_OUT, CrashLog, report
from bertviz_app.torch_operations import has_onednn_product

_SOURCES = """
import linecache, sys
from bertviz_app.shell.process import skip_source_search
skip_source_search()
import bertviz_app.shell.application
lines = [len(linecache.cache.get(module.__file__ or "", ((),) * 3)[2]) for name, module in sys.modules.items()
         if name.startswith("bertviz_app.")]
print(len(lines), sum(lines))
"""


def test_no_source_is_read_for_the_import_hook_of_pyside() -> None:
    """Of some 300 modules of ours that the window imports, no line stays in memory."""
    done = subprocess.run([sys.executable, "-c", _SOURCES], capture_output=True, text=True, check=True)
    n_modules, n_lines = map(int, done.stdout.split())
    assert n_modules > 100
    assert n_lines == 0


_PRODUCTS = """
import ctypes, re
from bertviz_app.shell.process import prepare_process
prepare_process()
import torch
from bertviz_app.torch_operations import onednn_product

def resident():
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/status") as status:
        return int(re.search(r"VmRSS:\\s+(\\d+)", status.read())[1]) / 1024

weights = [torch.zeros(wide, narrow) for wide, narrow in ((64, 64), (256, 64), (64, 256))]

@torch.inference_mode()
def multiply(lengths):
    for n_tokens in lengths:
        for weight in weights:
            onednn_product(torch.zeros(1, n_tokens, weight.shape[1]), weight, None)
"""

_LENGTHS = """
multiply(range(1, 51))
before = resident()
multiply(range(51, 251))
print(resident() - before)
"""

_THREADS = """
from concurrent.futures import ThreadPoolExecutor

threads = [ThreadPoolExecutor(1) for _ in range(4)]
held = [thread.submit(multiply, range(1, 51)).result() or resident() for thread in threads]
print((held[-1] - held[0]) / 3)
"""


_COMPILES = has_onednn_product() and sys.platform == "linux" and platform.machine() == "x86_64"


@pytest.mark.skipif(not _COMPILES, reason="whether oneDNN compiles products here is not known")
@pytest.mark.parametrize(("program", "most_mb"), [(_LENGTHS, 20), (_THREADS, 10)])
def test_products_of_many_lengths_keep_little_memory(program: str, most_mb: float) -> None:
    """In MB, of 200 more lengths, and of each further thread.

    Without what `prepare_process` sets, torch keeps more than 60 of the lengths; of 64 products, 20 a thread.
    """
    environment = {name: value for name, value in os.environ.items() if "CACHE_CAPACITY" not in name}
    command = [sys.executable, "-c", _PRODUCTS + program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert float(done.stdout) < most_mb


_CRASH = """
import ctypes, sys
from pathlib import Path
from bertviz_app.shell.process import CrashLog
log = CrashLog(Path(sys.argv[1]))
print(repr(log.begin()))
def where_it_ends():
    ctypes.string_at(0)
if sys.argv[2] == "crash":
    where_it_ends()
log.end()
"""


def _run(path: Path, how: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", _CRASH, str(path), how]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.skipif(sys.platform == "win32", reason="the signal has another name")
def test_a_fault_leaves_where_it_was_for_the_next_start_and_only_for_that(tmp_path: Path) -> None:
    path = tmp_path / "settings" / "crash.txt"
    assert _run(path, "crash").returncode < 0
    left = path.read_text(encoding="utf-8")
    assert "Segmentation fault" in left
    assert "where_it_ends" in left
    next_start = _run(path, "end")
    assert "where_it_ends" in next_start.stdout
    assert _run(path, "end").stdout.strip() == "''"


def test_a_folder_that_cannot_be_written_to_does_not_stop_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log = CrashLog(tmp_path / "file" / "crash.txt")
    assert log.begin() == ""
    log.end()


_TRACEBACK = """Traceback (most recent call last):
  File "{home}/bertviz_app/text/tokens.py", line 12, in cut
    raise KeyError(word)
KeyError: 'Geheimnis'
"""


def test_a_report_has_the_place_in_the_program_and_not_what_was_typed() -> None:
    happened = _TRACEBACK.format(home=Path.home())
    text = report(happened, ["Python: 3.11"], ["Das ist mein Geheimnis"])
    assert "Geheimnis" not in text
    assert f"KeyError: {LEFT_OUT}" in text
    assert "line 12, in cut" in text
    assert "Python: 3.11" in text
    assert str(Path.home()) not in text


def test_a_message_without_what_was_typed_stays() -> None:
    text = report("ValueError: 3 is not 4\n", [], ["나는 학교에 간다", "so it is"])
    assert "ValueError: 3 is not 4" in text
    assert f"ValueError: {LEFT_OUT}" in report("ValueError: 학교에 was not found", [], ["나는 학교에 간다"])


class Cycle:
    """Something that only a collection can free, and that notes where it died."""

    def __init__(self, died_on: list[threading.Thread]) -> None:
        self.itself = self
        self.died_on = died_on

    def __del__(self) -> None:
        self.died_on.append(threading.current_thread())


@pytest.fixture
def parent(qapp: QApplication) -> Iterator[QObject]:
    parent = QObject()
    yield parent
    parent.deleteLater()


@pytest.fixture(autouse=True)
def _frozen_again() -> Iterator[None]:
    """Leave what is imported out of the collections after later tests, as it was before."""
    yield
    gc.collect()
    gc.freeze()


def test_a_workers_garbage_dies_on_the_interface_thread(qtbot: QtBot, parent: QObject) -> None:
    Collector(parent).freeze()
    died_on: list[threading.Thread] = []

    def work() -> None:
        Cycle(died_on)
        objects = [[number] for number in range(20_000)]  # would set off an automatic collection
        assert len(objects) == 20_000

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    assert died_on == []
    qtbot.waitUntil(lambda: bool(died_on))
    gc.unfreeze()
    assert died_on == [threading.main_thread()]


def test_nothing_is_collected_while_the_program_starts(
    qtbot: QtBot, parent: QObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A collection of all that is imported by then would stop the window for 90 ms."""
    monkeypatch.setattr("bertviz_app.shell.collector._EVERY_MS", 1)
    collector = Collector(parent)
    collections: list[str] = []
    gc.callbacks.append(lambda phase, _: collections.append(phase))
    try:
        qtbot.wait(50)
        assert collections == []
        collector.freeze()
        qtbot.waitUntil(lambda: "stop" in collections)
    finally:
        gc.callbacks.pop()
        gc.unfreeze()
