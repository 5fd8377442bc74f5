"""The notebooks that people copy, of their cells: scripts with `# %%` before each, in the folder `cells`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat

CELLS = Path(__file__).parent / "cells"
_CELL = re.compile(r"^# %%(.*)\n", re.M)


def notebook_of(script: Path) -> Any:
    """Return the notebook of a script; "# %% [markdown]" begins a cell of text, in comments."""
    _, *parts = _CELL.split(script.read_text(encoding="utf-8"))
    made = nbformat.v4.new_notebook()
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    for kind, source in zip(parts[::2], parts[1::2], strict=True):
        if "markdown" in kind:
            text = re.sub(r"^# ?", "", source.strip(), flags=re.M)
            made.cells.append(nbformat.v4.new_markdown_cell(text))
        else:
            made.cells.append(nbformat.v4.new_code_cell(source.strip()))
    return made


def write_notebooks(folder: Path) -> list[Path]:
    """Write every notebook to `folder`, not yet run; return their paths."""
    written = []
    for script in sorted(CELLS.glob("*.py")):
        path = folder / f"{script.stem}.ipynb"
        nbformat.write(notebook_of(script), path)
        written.append(path)
    return written
