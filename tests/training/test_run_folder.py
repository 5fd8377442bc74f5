"""The folder of a run: what may be begun or resumed in it, and one that may not be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from bertviz_app.errors import FileError
from bertviz_app.training.settings import STATE, WORK, TrainingError, check_folder


def test_a_run_is_begun_where_there_is_none_and_resumed_where_there_is_one(tmp_path: Path) -> None:
    check_folder(tmp_path, is_resumed=False)
    with pytest.raises(TrainingError, match="no run"):
        check_folder(tmp_path, is_resumed=True)
    (tmp_path / WORK).mkdir()
    (tmp_path / WORK / STATE).touch()
    check_folder(tmp_path, is_resumed=True)
    with pytest.raises(TrainingError, match=r"a run .* already"):
        check_folder(tmp_path, is_resumed=False)


@pytest.mark.parametrize("is_resumed", [False, True])
def test_a_folder_that_may_not_be_read_is_an_error_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_resumed: bool
) -> None:
    def refused(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refused)
    with pytest.raises(FileError, match="could not be read: Permission denied") as caught:
        check_folder(tmp_path, is_resumed=is_resumed)
    assert str(tmp_path) in caught.value.message
    assert caught.value.hint
