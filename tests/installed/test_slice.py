"""One of each kind of the walk through the installed program, from a wheel of this checkout."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.installed.place import make_place


@pytest.mark.slow
def test_the_installed_program_does_one_of_each_kind(tmp_path: Path) -> None:
    code, said = make_place(tmp_path).walk("--slice", timeout=1200)
    assert code == 0, said
    found = re.search(r"^(\d+) steps, 0 faults$", said, re.MULTILINE)
    assert found is not None, said
    assert int(found[1]) >= 20
