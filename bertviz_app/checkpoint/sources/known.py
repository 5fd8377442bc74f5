"""Where checkpoints are on this computer: bundled, installed, trained here, or in the hub's cache."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from bertviz_app import paths
from bertviz_app.checkpoint.folder import CONFIG
from bertviz_app.checkpoint.sources.cache import cached_models
from bertviz_app.checkpoint.sources.source import MINILM, MINILM_PACKAGE, Origin


def known_checkpoints() -> Iterator[tuple[str, Path, Origin]]:
    """Yield name, folder and origin of all checkpoints, in the order of lists, without reading them."""
    for folder in _with_config(paths.bundled_models()):
        yield folder.name, folder, "bundled"
    for folder in _installed():
        yield MINILM, folder, "installed"
    for folder in _with_config(paths.trained_models()):
        yield folder.name, folder, "trained"
    for name, folder in cached_models():
        yield name, folder, "cache"


def _with_config(home: Path) -> Iterator[Path]:
    """Yield the folders in `home` that hold a checkpoint, by name."""
    if home.is_dir():
        yield from sorted(folder for folder in home.iterdir() if (folder / CONFIG).is_file())


def _installed() -> Iterator[Path]:
    """Yield the folder in the MiniLM package, without running the package."""
    spec = find_spec(MINILM_PACKAGE)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        if (Path(location) / "model").is_dir():
            yield Path(location) / "model"
