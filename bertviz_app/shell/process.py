"""What concerns the whole process: how its threads wait, its log, what crashes leave, packages it lacks."""

from __future__ import annotations

import faulthandler
import gc
import logging
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path

from bertviz_app import paths

_GARBAGE_AFTER = 100_000
"""After how many new objects the garbage is collected; Python's own 700 cost a tenth of the start."""
_SEARCH = "_mod_uses_pyside"


def prepare_process() -> None:
    """Set how threads wait and switch; call it before numpy, torch or Qt is imported.

    Measured on two processors: while others use them too, torch's threads that spin are 4 to 8 times
    slower, and OpenBLAS with two threads makes the many small products of an overview 6 to 60 times
    slower; on a quiet machine one thread of OpenBLAS costs nothing here. With a switch interval of 0.5 ms
    the interface thread runs ten times as often. Qt would draw parts of each antialiased shape in a pool
    of threads and wait for them: 84 wide curves switch threads 13,000 times and take 1.4 to 4 times as much
    processor time, the busier the machine the more. What is imported at the start is never freed: Python's
    garbage collector, which would visit all of it at every collection, runs after many more new objects
    than by default. oneDNN compiles its operations for each shape. It would keep the last 1,024, of 0.15 MB,
    and torch's layer above it, for each thread, what it prepared for another 1,024, of 0.3 MB; with 128 and
    16, enough for 40 lengths of a text and for 5 on each thread, a pass is as fast.
    """
    for name, value in (
        ("OMP_WAIT_POLICY", "PASSIVE"),
        ("OPENBLAS_NUM_THREADS", "1"),
        ("QT_NO_GUI_THREADPOOL", "1"),
        ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "128"),
        ("LRU_CACHE_CAPACITY", "16"),
    ):
        os.environ.setdefault(name, value)
    sys.setswitchinterval(0.0005)
    gc.set_threshold(_GARBAGE_AFTER)


def skip_source_search() -> None:
    """Keep PySide from reading the source of every module that is imported; call it before all others are.

    PySide's import hook looks for its own name in each new module, torch's among them, to learn whether it
    may switch to names such as `set_window_title` (`from __feature__ import snake_case`): nothing here does.
    Reading the sources took a quarter of the time to import torch, and `linecache` kept them, 47 MB in all.
    The hook has no switch; where a later PySide has another hook, this does nothing.
    """
    from PySide6 import QtCore  # noqa: F401 - it installs the hook

    feature = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, _SEARCH):
        setattr(feature, _SEARCH, lambda module: False)


def log_file() -> Path:
    """Return the file in which errors and warnings are logged."""
    return paths.settings() / "bertviz-app.log"


@contextmanager
def logging_to_file() -> Iterator[Path]:
    """Send log records to the log file, whose path is yielded, else to standard error."""
    log = log_file()
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = logging.FileHandler(log, encoding="utf-8", errors="backslashreplace")
    except OSError:
        handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.getLogger().addHandler(handler)
    try:
        yield log
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()


NEEDED = {
    "torch": "torch",
    "PySide6": "PySide6-Essentials",
    "pyqtgraph": "pyqtgraph",
    "tokenizers": "tokenizers",
    "numpy": "numpy",
    "safetensors": "safetensors",
    "huggingface_hub": "huggingface_hub",
    "fsspec": "fsspec",
    "tqdm": "tqdm",
    "charset_normalizer": "charset-normalizer",
    "jinja2": "jinja2",
}
"""The modules that the program needs, and the packages that have them."""


def missing_packages() -> list[str]:
    """Return the packages that the program needs and that are not installed."""
    return [package for module, package in NEEDED.items() if find_spec(module) is None]


_MOST = 20_000
"""Of a file longer than this the end is shown: characters."""
_MESSAGE = re.compile(r"^(\S*(?:Error|Exception|Warning|Interrupt|Exit)\S*: )(.*)", re.DOTALL | re.MULTILINE)
_SHORTEST_WORD = 3
LEFT_OUT = "[left out]"


class CrashLog:
    """The file into which Python writes where each thread was when a fault ends the process.

    All windows share it. It is empty as long as none of them crashed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: TextIOWrapper | None = None

    def begin(self) -> str:
        """Return what an earlier process left, "" for nothing, and watch this one from now on."""
        with suppress(OSError):  # without the file there is no report: no reason not to start
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Opened to append: what another window that is still open writes later goes to the new end.
            self._file = self.path.open("a+", encoding="utf-8", errors="replace")
            self._file.seek(0)
            left = self._file.read()
            self._file.truncate(0)
            faulthandler.enable(self._file)
            return left.strip()[-_MOST:]
        return ""

    def end(self) -> None:
        """Stop watching: the process ends as it should."""
        if self._file is None:
            return
        faulthandler.disable()
        if sys.platform == "win32":  # there faults that a library handles itself are written, too
            self._file.truncate(0)
        self._file.close()
        self._file = None


def report(happened: str, facts: Sequence[str], texts: Sequence[str] = ()) -> str:
    """Return a report as a text that the user reads, changes and sends.

    `happened`: a traceback, or "". `texts`: what the user typed; messages of errors may quote it, so those
    that contain a word of it are left out.
    """
    words = {
        word
        for text in texts
        for word in re.findall(r"\w+", text)
        if len(word) >= _SHORTEST_WORD or not word.isascii()
    }

    def without_texts(found: re.Match[str]) -> str:
        return found[1] + (LEFT_OUT if any(word in found[2] for word in words) else found[2])

    lines = [
        "BertViz App: report of a problem",
        "",
        "What I did before it happened:",
        "",
        "",
        *([_MESSAGE.sub(without_texts, happened), ""] if happened else []),
        *facts,
    ]
    # Without the name of whoever is logged in, which the paths of their files contain.
    return "\n".join(lines).strip().replace(str(Path.home()), "~") + "\n"
