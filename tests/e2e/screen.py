"""`Screen`: hands and eyes on an X server: xdotool to type, the server's own frame buffer to look."""

from __future__ import annotations

import os
import struct
import subprocess
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

_HEADER = struct.Struct(">25I")
"""The head of an X window dump (XWDFile.h): big-endian whatever the machine."""


_CELL = 16
"""Pixels a side: fewer than a cell of a short text has, more than a bar of 32 dimensions is wide."""


@dataclass(frozen=True)
class Screen:
    """The screen of the server on `display`, which keeps its picture in the file `picture`."""

    display: str
    picture: Path

    def do(self, *arguments: str, limit: float = 120.0) -> None:
        """Run xdotool."""
        environment = os.environ | {"DISPLAY": self.display}
        subprocess.run(
            ["xdotool", *arguments], env=environment, check=True, timeout=limit, stdout=subprocess.DEVNULL
        )

    def type(self, text: str, delay_ms: int = 4) -> None:
        """Press and let go the keys of `text`."""
        self.do("type", "--delay", str(delay_ms), text)

    def press(self, *keys: str) -> None:
        """Press keys by their X names, such as "ctrl+q"."""
        self.do("key", *keys)

    def pixels(self) -> NDArray[np.uint32]:
        """Return what is on the screen, [height, width], as 0xRRGGBB."""
        content = self.picture.read_bytes()
        fields = _HEADER.unpack_from(content)
        header, width, height, stride, n_colours = fields[0], fields[4], fields[5], fields[12], fields[19]
        start = header + 12 * n_colours
        words = np.frombuffer(content, np.uint32, height * stride // 4, start).reshape(height, -1)
        return words[:, :width] & np.uint32(0xFFFFFF)

    def save(self, folder: Path) -> Path:
        """Write a picture of the screen into `folder`, for whoever reads of a test that failed."""
        pixels = np.ascontiguousarray(self.pixels())
        height, width = pixels.shape
        picture = folder / "screen.png"
        QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32).save(str(picture))
        return picture

    def has(self, colour: str, at_least: int = 200) -> bool:
        """Return whether so many pixels have exactly this colour."""
        return int((self.pixels() == int(colour[1:], 16)).sum()) >= at_least

    def has_cell(self, colour: str) -> bool:
        """Return whether a rectangle of this colour is there, larger than the bars of a vector are wide."""
        rows = self.pixels() == int(colour[1:], 16)
        rows = rows[rows.sum(1) >= _CELL]
        return sum(1 for row in rows if max(_runs(row), default=0) >= _CELL) >= _CELL

    def has_frame(self, colour: str, rows: slice = slice(90)) -> bool:
        """Return whether a field in these rows, at the top of the window, has a frame of this colour."""
        framed = self.pixels()[rows] == int(colour[1:], 16)
        return sum(1 for row in framed if any(length >= 150 for length in _runs(row))) >= 4

    def n_bars(self, colour: str) -> int:
        """Return how many chips of the token strip have a bar of this colour.

        A bar is a run of the colour as wide as a chip, in the rows where the strip is, just below the
        fields; no other mark of the window makes more than one such run beside each other there.
        """
        rows = _is_nearly(self.pixels()[66:170], int(colour[1:], 16))
        return max(sum(1 for length in _runs(row) if 30 <= length <= 225) for row in rows)


def _is_nearly(pixels: NDArray[np.uint32], colour: int) -> NDArray[np.bool_]:
    """Return where each channel is within what rounding and blending may change."""
    found = np.ones(pixels.shape, np.bool_)
    for shift in (0, 8, 16):
        channel = (pixels >> np.uint32(shift)).astype(np.int64) & 255
        found &= np.abs(channel - (colour >> shift & 255)) <= 3
    return found


def _runs(row: NDArray[np.bool_]) -> list[int]:
    """Return the lengths of the runs of true."""
    return [sum(1 for _ in run) for is_colour, run in groupby(row.tolist()) if is_colour]
