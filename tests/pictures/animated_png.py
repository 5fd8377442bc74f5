"""An animated PNG of frames that differ little: of each frame only the rectangle that changed is stored.

Written with the standard library alone; every browser plays such a file, and shows its first frame if it is
told not to move. The colours are the 256 that occur most, the same for all frames.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture [height, width, 3], and for how long it is seen."""

    pixels: Pixels
    milliseconds: int


def write_animation(frames: Sequence[Frame], path: Path) -> None:
    """Write frames of one size, which are played again and again."""
    joined = _joined(frames)
    palette = _palette([frame.pixels for frame in joined])
    nearest = _nearest(palette)
    height, width, _ = joined[0].pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = [_chunk(b"IHDR", header), _chunk(b"acTL", struct.pack(">II", len(joined), 0))]
    parts.append(_chunk(b"PLTE", palette.tobytes()))
    number, before = 0, None
    for frame in joined:
        indices = nearest[_coarse(frame.pixels)]
        top, bottom, left, right = _changed(before, indices)
        at = (right - left, bottom - top, left, top)
        control = struct.pack(">IIIIIHHBB", number, *at, frame.milliseconds, 1000, 0, 0)
        parts.append(_chunk(b"fcTL", control))
        number += 1
        data = _compressed(indices[top:bottom, left:right])
        if before is None:
            parts.append(_chunk(b"IDAT", data))
        else:
            parts.append(_chunk(b"fdAT", struct.pack(">I", number) + data))
            number += 1
        before = indices
    path.write_bytes(_SIGNATURE + b"".join(parts) + _chunk(b"IEND", b""))


def _joined(frames: Sequence[Frame]) -> list[Frame]:
    """Return the frames, those that are alike as one that is seen longer."""
    found: list[Frame] = []
    for frame in frames:
        if found and np.array_equal(found[-1].pixels, frame.pixels):
            found[-1] = Frame(frame.pixels, found[-1].milliseconds + frame.milliseconds)
        else:
            found.append(frame)
    return found


def _coarse(pixels: Pixels) -> NDArray[np.uint16]:
    """Return colours of 5, 6 and 5 bits."""
    red, green, blue = (pixels[..., channel].astype(np.uint16) for channel in range(3))
    return ((red >> 3) << 11 | (green >> 2) << 5 | blue >> 3).astype(np.uint16)


def _palette(pictures: Sequence[Pixels]) -> Pixels:
    """Return the 256 colours that occur most [256, 3]: of each coarse colour the mean."""
    counts = np.zeros(1 << 16, np.int64)
    sums = np.zeros((1 << 16, 3), np.float64)
    for pixels in pictures:
        coarse = _coarse(pixels).ravel()
        counts += np.bincount(coarse, minlength=1 << 16)
        for channel in range(3):
            sums[:, channel] += np.bincount(coarse, pixels[..., channel].ravel(), 1 << 16)
    most = np.argsort(-counts, kind="stable")[:256]
    palette: Pixels = np.rint(sums[most] / np.maximum(counts[most], 1)[:, None]).astype(np.uint8)
    return palette


def _nearest(palette: Pixels) -> Pixels:
    """Return the nearest colour of the palette for each coarse colour [65536]."""
    coarse = np.arange(1 << 16)
    levels = np.stack([(coarse >> 11) << 3 | 4, (coarse >> 5 & 63) << 2 | 2, (coarse & 31) << 3 | 4], 1)
    nearest = np.empty(1 << 16, np.uint8)
    for first in range(0, 1 << 16, 4096):
        away = levels[first : first + 4096, None].astype(np.int32) - palette[None].astype(np.int32)
        nearest[first : first + 4096] = (away**2).sum(-1).argmin(1)
    return nearest


def _changed(before: Pixels | None, now: Pixels) -> tuple[int, int, int, int]:
    """Return the rectangle (top, bottom, left, right) in which two frames differ."""
    if before is None:
        return 0, now.shape[0], 0, now.shape[1]
    rows, columns = np.nonzero((before != now).any(1))[0], np.nonzero((before != now).any(0))[0]
    if not len(rows):
        return 0, 1, 0, 1  # too little for a change of the palette's colours: one pixel
    return int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1


def _compressed(indices: Pixels) -> bytes:
    """Return rows of indices as PNG stores them, without a filter: best for few colours."""
    rows = np.concatenate([np.zeros((len(indices), 1), np.uint8), indices], axis=1)
    return zlib.compress(rows.tobytes(), 9)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
