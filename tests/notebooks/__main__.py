"""`python -m tests.notebooks FOLDER` writes the notebooks and their models, to be tried by hand."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.notebooks.made import write_models
from tests.notebooks.running import write_notebooks

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
write_models(folder)
write_notebooks(folder)
