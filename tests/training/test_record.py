"""`read_record`: the lines of a log, also of one that a failing disk has damaged."""

from __future__ import annotations

from pathlib import Path

from bertviz_app.training.settings import LOG, read_record


def test_damaged_lines_are_left_out(tmp_path: Path) -> None:
    assert read_record(tmp_path) == []
    lines = [b'{"step": 1}', b"\xff\xfe\x00{", b"\x00" * 40, b"[2]", b'{"step": 3}', b'{"st']
    (tmp_path / LOG).write_bytes(b"\n".join(lines))
    assert read_record(tmp_path) == [{"step": 1}, {"step": 3}]
