"""A worker that does what none should, by the seed of the case: for the test of what watches them."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path

from tests.fuzz.worker import Watch

CRASHES, HANGS, TRIES, SWELLS, ESCAPES = range(5)


def main() -> None:
    """Answer the lines on standard input, each in its own bad way; seeds beyond the last are good."""
    watch = Watch(Path(sys.argv[2]))
    sys.addaudithook(watch.hear)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        seed = int(line.split()[1])
        if seed == CRASHES:
            os.kill(os.getpid(), signal.SIGSEGV)
        if seed == HANGS:
            threading.Event().wait()
        watch.is_armed = True
        if seed == TRIES:
            os.system("true")
            Path("/etc/hostname").open().close()
        watch.is_armed = False
        answer = {
            "outcome": "loaded",
            "trouble": "ValueError" if seed == ESCAPES else "",
            "seconds": 0.1,
            "rise": 300_000_000 if seed == SWELLS else 0,
            "size": 1000,
            "tried": watch.tried,
        }
        watch.tried = []
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
