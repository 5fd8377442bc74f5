"""What README and CONTRIBUTING tell people to type exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ["README.md", "CONTRIBUTING.md"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_make_command_is_in_the_makefile(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    commands = set(re.findall(r"(?:^    |`)make ([a-z-]+)", text, re.MULTILINE))
    goals = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert commands - goals == set()
    assert {"test", "lock"} <= commands


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_file_and_folder_is_there(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    linked = re.findall(r"\]\(([^)#:]+)\)", text)
    written = re.findall(r"(?:bertviz_app|tests|resources)/[\w/]*\w\.(?:py|md|txt|sh|ts)\b", text)
    locks = {"resources/setup/constraints-3.X.txt"}
    assert [each for each in {*linked, *written} - locks if not (ROOT / each).exists()] == []
    assert linked
