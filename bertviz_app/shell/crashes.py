"""What is left after a crash: where in the program it was, for a report that the user reads and sends."""

from __future__ import annotations

import faulthandler
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

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
