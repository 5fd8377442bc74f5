"""The Python examples of the guides for developers."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

GUIDES = Path(__file__).resolve().parents[2] / "resources" / "docs" / "how-to"


def examples(page: str) -> list[str]:
    """Return the Python of a guide, block by block."""
    text = (GUIDES / page).read_text(encoding="utf-8")
    blocks: list[str] = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [dedent(block) for block in blocks]


def run_example(source: str, names: dict[str, object]) -> None:
    """Run an example; what it defines is added to `names`, which it may use."""
    flags = annotations.compiler_flag  # names in annotations need not be there
    exec(compile(source, "example.py", "exec", flags, dont_inherit=True), names)
