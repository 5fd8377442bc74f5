"""The packages that the program needs, and which of them are missing; it loads none of them."""

from __future__ import annotations

from importlib.util import find_spec

NEEDED = {
    "torch": "torch",
    "PySide6": "PySide6-Essentials",
    "pyqtgraph": "pyqtgraph",
    "tokenizers": "tokenizers",
    "numpy": "numpy",
    "safetensors": "safetensors",
    "huggingface_hub": "huggingface_hub",
    "fsspec": "fsspec",
    "tqdm": "tqdm",
    "charset_normalizer": "charset-normalizer",
    "jinja2": "jinja2",
}
"""The modules that the program needs, and the packages that have them."""


def missing_packages() -> list[str]:
    """Return the packages that the program needs and that are not installed."""
    return [package for module, package in NEEDED.items() if find_spec(module) is None]
