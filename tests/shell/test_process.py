"""What concerns the whole process: no source is read that only PySide's import hook would look at."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import linecache, sys
from bertviz_app.shell.process import skip_source_search
if sys.argv[1] == "skip":
    skip_source_search()
import bertviz_app.shell.application
lines = [len(linecache.cache.get(module.__file__ or "", ((),) * 3)[2]) for name, module in sys.modules.items()
         if name.startswith("bertviz_app.")]
print(len(lines), sum(lines))
"""


def _imported(how: str) -> tuple[int, int]:
    """Return how many of our modules the window imports, and how many lines of them stay in memory."""
    done = subprocess.run([sys.executable, "-c", _PROGRAM, how], capture_output=True, text=True, check=True)
    n_modules, n_lines = done.stdout.split()
    return int(n_modules), int(n_lines)


def test_no_source_is_read_for_the_import_hook_of_pyside() -> None:
    n_modules, n_lines = _imported("skip")
    assert n_modules > 100
    assert n_lines == 0


def test_pyside_would_read_them() -> None:
    """If this fails, PySide has another hook: see whether `skip_source_search` is still needed."""
    assert _imported("do not skip")[1] > 5_000
