"""`PatchImage`: the image whose patches are tokens, read from a file, an array or Pillow."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from bertviz_app.errors import ArgumentError, FileError, Message, SelectionError, lacks_package
from bertviz_app.trace.indexing import as_number, described
from bertviz_app.types import Bytes
from bertviz_app.values import dataclass

MOST_AHEAD = 32
"""So many tokens at most may be ahead of the patches: more are no special tokens, but other patches."""

FIRST = "[CLS]"
"""The name of a special token ahead of the patches where it is the only one."""

_GIVE = Message("Give an array [h, w, 3] of 0 to 255 or of 0 to 1, a file, or an image of Pillow.")


@dataclass(frozen=True, eq=False)
class PatchImage:
    """An image, cut into `rows` x `columns` patches, which are tokens row by row, after `n_ahead` others.

    `pixels` uint8 [h, w, 3]. Raises ValueError for others.
    """

    pixels: Bytes
    rows: int
    columns: int
    n_ahead: int = 0

    def __post_init__(self) -> None:
        if self.pixels.dtype != np.uint8 or self.pixels.ndim != 3 or self.pixels.shape[2] != 3:
            raise ValueError(f"pixels must be uint8 [h, w, 3], not {self.pixels.dtype} {self.pixels.shape}")
        if not self.pixels.size or min(self.rows, self.columns) < 1 or self.n_ahead < 0:
            raise ValueError("an image has pixels and patches")
        self.pixels.flags.writeable = False

    @property
    def n_tokens(self) -> int:
        """The number of tokens, those ahead of the patches among them."""
        return self.n_ahead + self.rows * self.columns

    def patch_of(self, token: int) -> tuple[int, int] | None:
        """Return the row and the column of a token's patch; None for a token that is none."""
        at = token - self.n_ahead
        return divmod(at, self.columns) if 0 <= at < self.rows * self.columns else None

    def token_of(self, row: int, column: int) -> int:
        """Return the token of a patch."""
        return self.n_ahead + row * self.columns + column

    def smaller(self, side: int) -> Bytes:
        """Return the pixels with at most `side` of them across and down, each the mean of a square."""
        return _shrunk(self.pixels, side)


def image_of(given: Any, patches: object, n_tokens: int) -> PatchImage:
    """Return an image whose patches are tokens. Raises ArgumentError, SelectionError and FileError."""
    rows, columns, n_ahead = patches_of(patches, n_tokens)
    if isinstance(given, str | PathLike):
        given = _opened(Path(given))
    if hasattr(given, "convert") and hasattr(given, "mode"):  # of Pillow
        given = np.asarray(given.convert("RGB"))
    if type(given).__module__.partition(".")[0] == "torch":
        given = given.detach().cpu().numpy()
    try:
        array = np.asarray(given)
    except (ValueError, TypeError):
        array = np.asarray(None)
    if array.dtype.kind not in "uif" or array.ndim not in (2, 3) or not array.size:
        raise ArgumentError(Message("An image is pixels, not {0}.", described(given)), _GIVE)
    if array.ndim == 3 and array.shape[2] not in (1, 3, 4):
        shape = " × ".join(map(str, array.shape))
        hint = Message("Give [h, w, 3]: {0} puts the colours last.", "image.permute(1, 2, 0)")
        raise SelectionError(Message("The image is {0}, not [h, w, 3].", shape), hint)
    array = array[..., None] if array.ndim == 2 else array
    colours = np.repeat(array, 3, axis=2) if array.shape[2] == 1 else array[..., :3]
    lowest, highest = float(colours.min()), float(colours.max())
    if not (np.isfinite(lowest) and np.isfinite(highest)) or lowest < 0 or highest > 255:
        ends = f"{lowest:.3g}", f"{highest:.3g}"
        raise SelectionError(
            Message("The numbers of the image go from {0} to {1}.", *ends),
            Message("Give it as it was before it was normalised: 0 to 255, or 0 to 1."),
        )
    if array.dtype.kind == "f":
        colours = np.rint(colours * (255 if highest <= 1 else 1))
    # Larger images are reduced: they are looked at, not computed with.
    return PatchImage(_shrunk(np.ascontiguousarray(colours, np.uint8), 512), rows, columns, n_ahead)


def patches_of(patches: object, n_tokens: int) -> tuple[int, int, int]:
    """Return the rows and columns of patches, and how many of `n_tokens` are ahead of them.

    Raises ArgumentError for what are no two numbers, SelectionError for too many or too few patches.
    """
    if not isinstance(patches, tuple | list) or len(patches) != 2:
        message = Message("{0} are two numbers, not {1}.", "patches", described(patches))
        raise ArgumentError(message, Message("Give the rows and the columns, as patches=(14, 14)."))
    rows, columns = (as_number(number, "patches") for number in patches)
    n_ahead = n_tokens - rows * columns
    if rows < 1 or columns < 1 or not 0 <= n_ahead <= MOST_AHEAD:
        sizes = rows, columns, rows * columns, n_tokens
        message = Message("{0} × {1} patches are {2}, but there is attention of {3}.", *sizes)
        hint = Message("Up to {0} special tokens may be ahead of the patches, such as [CLS].", MOST_AHEAD)
        raise SelectionError(message, hint)
    return rows, columns, n_ahead


def patch_names(patches: object, n_tokens: int) -> list[str]:
    """Return the names of patches, and of the tokens ahead of them. Raises as `patches_of`."""
    rows, columns, n_ahead = patches_of(patches, n_tokens)
    ahead = [FIRST] if n_ahead == 1 else [f"[S{number}]" for number in range(n_ahead)]
    return [*ahead, *(f"{row},{column}" for row in range(rows) for column in range(columns))]


def _opened(path: Path) -> object:
    """Return the image in a file, read by Pillow. Raises FileError, and PackageError without Pillow."""
    try:
        from PIL import Image
    except ImportError as error:
        raise lacks_package("pillow") from error
    try:
        with Image.open(path) as image:
            return image.convert("RGB")
    except FileNotFoundError as error:
        raise FileError(Message("There is no file {0}.", path), Message("Check the name.")) from error
    except Exception as error:  # whatever a file may hold
        message = Message("{0} is no image that can be read.", path)
        raise FileError(message, Message("Give a PNG or a JPEG file.")) from error


def _shrunk(pixels: Bytes, side: int) -> Bytes:
    """Return `pixels` [h, w, 3] with at most `side` of them down and across: means of squares."""
    block = -(-max(pixels.shape[:2]) // side)
    if block == 1:
        return pixels.copy()
    starts = [np.arange(0, length, block) for length in pixels.shape[:2]]
    sums = np.add.reduceat(np.add.reduceat(pixels, starts[0], axis=0, dtype=np.uint32), starts[1], axis=1)
    sizes = [np.diff(np.append(at, length)) for at, length in zip(starts, pixels.shape[:2], strict=True)]
    return np.rint(sums / np.multiply.outer(*sizes)[..., None]).astype(np.uint8)
