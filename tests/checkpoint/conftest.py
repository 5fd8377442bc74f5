"""What tests of checkpoints share: a folder to spoil."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.checkpoint_folders import copy_of


@pytest.fixture
def folder(tiny_bert: Path, tmp_path: Path) -> Path:
    """A copy of the small BERT that the test may spoil."""
    return copy_of(tiny_bert, tmp_path)
