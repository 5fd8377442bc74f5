"""An animation read back: its frames are those that were written, as far as 256 colours go."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from tests.pictures.animated_png import Frame, Pixels, write_animation


def _chunks(path: Path) -> list[tuple[bytes, bytes]]:
    data, at, found = path.read_bytes(), 8, []
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        (checksum,) = struct.unpack(">I", data[at + 8 + length : at + 12 + length])
        assert checksum == zlib.crc32(kind + body)
        found.append((kind, body))
        at += 12 + length
    return found


def _frames(path: Path) -> list[tuple[Pixels, int]]:
    """Return the frames as a player shows them, with the milliseconds of each."""
    palette, canvas, found = np.zeros((256, 3), np.uint8), np.zeros((0, 0), np.uint8), []
    rectangle, time = (0, 0, 0, 0), 0
    for kind, body in _chunks(path):
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
            canvas = np.zeros((height, width), np.uint8)
        elif kind == b"PLTE":
            palette = np.frombuffer(body, np.uint8).reshape(-1, 3)
        elif kind == b"fcTL":
            _, *rectangle_of, time, _, _, _ = struct.unpack(">IIIIIHHBB", body)
            rectangle = tuple(rectangle_of)
        elif kind in (b"IDAT", b"fdAT"):
            wide, high, left, top = rectangle
            rows = np.frombuffer(zlib.decompress(body[4:] if kind == b"fdAT" else body), np.uint8)
            canvas[top : top + high, left : left + wide] = rows.reshape(high, wide + 1)[:, 1:]
            found.append((palette[canvas], time))
    return found


def _picture(seed: int) -> Pixels:
    random = np.random.default_rng(seed)
    colours = random.integers(0, 256, (6, 3), np.uint8)
    return colours[random.integers(0, 6, (20, 30))]


def test_frames_come_back_and_like_ones_are_one(tmp_path: Path) -> None:
    first = _picture(0)
    second = first.copy()
    second[5:9, 7:12] = 255 - second[5:9, 7:12]
    path = tmp_path / "a.png"
    write_animation([Frame(first, 100), Frame(first, 50), Frame(second, 80), Frame(first, 70)], path)
    found = _frames(path)
    assert [time for _, time in found] == [150, 80, 70]
    for (pixels, _), expected in zip(found, (first, second, first), strict=True):
        assert np.abs(pixels.astype(int) - expected).max() <= 8
    sizes = [struct.unpack(">II", body[4:12]) for kind, body in _chunks(path) if kind == b"fcTL"]
    assert sizes == [(30, 20), (5, 4), (5, 4)], "only what changed is stored"


def test_a_reader_of_still_pictures_sees_the_first_frame(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    write_animation([Frame(_picture(0), 100), Frame(_picture(1), 100)], path)
    image = QImage(str(path))
    assert (image.width(), image.height()) == (30, 20)
    colour = image.pixelColor(3, 4)
    found = (colour.red(), colour.green(), colour.blue())
    assert found == pytest.approx(tuple(_picture(0)[4, 3]), abs=8)
