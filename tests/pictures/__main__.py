"""Draws the pictures of README into resources/docs/pictures; names of pictures as arguments: only these."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from tests.pictures.animated_png import write_animation
from tests.pictures.scenes import STILLS, TOUR, tour
from tests.pictures.studio import MINILM, Studio

_FOLDER = Path(__file__).parents[2] / "resources" / "docs" / "pictures"


def main(names: list[str]) -> None:
    """Draw all pictures, or those with these names."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CONFIG_HOME"] = os.environ["XDG_DATA_HOME"] = folder
        for name in names or [*STILLS, TOUR]:
            studio = Studio(Path(folder) / name)
            try:
                studio.open(MINILM)
                _draw(studio, name, Path(folder))
            finally:
                studio.close()


def _draw(studio: Studio, name: str, folder: Path) -> None:
    path = _FOLDER / f"{name}.png"
    if name == TOUR:
        tour(studio, folder)
        write_animation(studio.frames, path)
    else:
        STILLS[name](studio)
        studio.picture().save(str(path), "PNG")
    print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")  # noqa: T201 - a command


main(sys.argv[1:])
