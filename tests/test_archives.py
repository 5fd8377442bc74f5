"""Archives that unfold to far more than they have are refused before anything of them is unpacked."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest

from bertviz_app.errors import FileError
from bertviz_app.trace import load_trace
from bertviz_app.training.pretraining.vocabulary import load_tokenised
from bertviz_app.viewmodels.session.archive import load_session

_N_ZEROS = 100_000_000


def _bomb(path: Path, name: str) -> Path:
    """Write an archive of a few hundred kilobytes with a part of 100 MB."""
    with ZipFile(path, "w", ZIP_DEFLATED) as archive, archive.open(name, "w") as member:
        for _ in range(100):
            member.write(bytes(_N_ZEROS // 100))
    assert path.stat().st_size < 1_000_000
    return path


@pytest.mark.parametrize("read", [load_trace, load_tokenised, load_session])
@pytest.mark.parametrize("name", ["hidden.npy", "session.json"])
def test_a_bomb_is_refused_by_what_its_directory_declares(read: object, name: str, tmp_path: Path) -> None:
    assert callable(read)
    path = _bomb(tmp_path / "trace.npz", name)
    tracemalloc.start()
    try:
        with pytest.raises(FileError, match="would unfold to 100 MB"):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_packed_numbers_are_read(tmp_path: Path) -> None:
    path = tmp_path / "corpus.npz"
    starts = np.zeros(1, np.int64)
    np.savez_compressed(path, ids=np.arange(9), sentence_starts=starts, document_starts=starts)
    assert len(load_tokenised(path).ids) == 9


def test_a_part_that_is_longer_than_declared_is_not_read_on(tmp_path: Path) -> None:
    """The directory is what is believed: a reader must stop where it says that a part ends."""
    path = _bomb(tmp_path / "x.bva", "session.json")
    content = bytearray(path.read_bytes())
    size = _N_ZEROS.to_bytes(4, "little")
    assert size in content
    path.write_bytes(content.replace(size, (100).to_bytes(4, "little")))
    tracemalloc.start()
    try:
        with pytest.raises(FileError, match="no session"):
            load_session(path)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
