"""The memory and the time of opening a large checkpoint: `python -m tests.bench.loading`.

Each file is opened in a process of its own. What is counted is how far the resident memory, mapped
pages included, rises above what it was with everything imported and a small checkpoint opened before.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.support.checkpoint_folders import measured, write_large

N_BYTES = 2_000_000_000
BUDGET = 1.2


def main() -> None:
    """Print a line for each kind of file."""
    sys.stdout.write("opening a checkpoint of 2 GB, float32: peak of memory above the process's own\n")
    for ending in (".safetensors", ".bin"):
        with tempfile.TemporaryDirectory() as made:
            size, peak, seconds = measured(write_large(Path(made) / "large", N_BYTES, ending))
        line = f"{ending:>12}: {size / 1e9:.2f} GB, peak {peak / 1e9:.2f} GB = {peak / size:.2f} x"
        sys.stdout.write(f"{line} (budget {BUDGET}), {seconds:.1f} s\n")


if __name__ == "__main__":
    main()
