"""`make walk`: the whole walk through the installed program; `--slice` is one of each kind."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.installed.place import make_place

_LONGEST_S = 7200.0


def main() -> int:
    """Print each step, and what went wrong; 1 if anything did."""
    with tempfile.TemporaryDirectory(prefix="installed-") as folder:
        code, said = make_place(Path(folder)).walk(*sys.argv[1:], timeout=_LONGEST_S)
    sys.stdout.write(said)
    return 1 if code else 0


if __name__ == "__main__":
    sys.exit(main())
