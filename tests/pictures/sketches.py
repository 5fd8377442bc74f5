"""Computes the small results of the gallery of analyses, with the checkpoint that ships with the program."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

from bertviz_app import Model, open_model
from bertviz_app.analysis.catalogue import CATALOGUE
from bertviz_app.analysis.results import (
    HeadMatrices,
    HeadScalars,
    LayerRankings,
    Result,
    TokenMatrices,
    TokenScalars,
)
from bertviz_app.learning.gallery import ATTENTION, SketchKind
from bertviz_app.types import Floats

FILE = Path(__file__).parents[2] / "resources" / "gallery" / "sketches.json"
TEXT, OTHER = "A cat ate the fish because it was hungry", "A cat ate the fish because it was tasty"
_MOST = 12
_CHANGED = 9  # hungry | tasty
_SENTENCES = (
    *(TEXT, OTHER, "The dog slept because it was tired", "A bird sang in the old tree"),
    *(
        "She read the book to the children",
        "The fish swam away from the cat",
        "He was hungry and ate the bread",
    ),
)
_MASKED = "A cat [MASK] the fish because it was hungry"
Drawn = tuple[SketchKind, Floats]


def _sorted(values: Floats) -> Drawn:
    return "bars", np.sort(values.reshape(-1))[::-1][None, :_MOST]


def _extremes(values: Floats) -> Drawn:
    """Return the largest and the smallest numbers as bars."""
    ordered = np.sort(values.reshape(-1))[::-1]
    return "bars", np.concatenate([ordered[: _MOST // 2], ordered[-_MOST // 2 :]])[None]


def _checks(arrays: dict[str, Floats]) -> Drawn:
    return "checks", (arrays["values"] / arrays["limits"])[None]


_OF_KEY: dict[str, Callable[[dict[str, Floats]], Drawn]] = {
    "head-baselines": lambda arrays: ("cells", arrays["values"][0] - arrays["values"][2]),
    "head-circuit": lambda arrays: _sorted(arrays["pairs"]),
    "composition": lambda arrays: ("cells", arrays["values"][0, 8:32:2, :24:2]),
    "head-distance": lambda arrays: ("points", arrays["map"]),
    "query-key-map": lambda arrays: ("points", arrays["values"]),
    "score-parts": lambda arrays: ("bars", arrays["weights"][None]),
    "expansion-rate": lambda arrays: ("cells", arrays["heads"]),
    "layer-details": lambda arrays: ("bars", arrays["output"][1:2, :24]),
    "logits": lambda arrays: _sorted(arrays["masked"][3]),
    "predictions": lambda arrays: _sorted(arrays["values"]),
    "direct-logits": lambda arrays: ("cells", arrays["heads"]),
    "head-ranking": lambda arrays: _extremes(arrays["values"][0]),
    "similarity-heads": lambda arrays: ("cells", arrays["values"][0]),
    "text-cosines": lambda arrays: ("bars", arrays["values"][None]),
    "self-test": _checks,
    "word-cosines": lambda arrays: ("bars", arrays["cosine"][None]),
    "counterfactuals": lambda arrays: _sorted(arrays["values"]),
}


def _drawn(key: str, result: Result) -> Drawn:
    arrays = {name: np.asarray(array, np.float32) for name, array in result.arrays().items()}
    values = arrays["values"]
    if key in _OF_KEY:
        return _OF_KEY[key](arrays)
    if isinstance(result, HeadScalars | HeadMatrices):
        return "cells", values[0] if isinstance(result, HeadScalars) else values[-1, 0]
    if isinstance(result, TokenScalars):
        return ("bars", values[None]) if values.ndim == 1 else ("cells", values)
    if isinstance(result, TokenMatrices):
        return "cells", values[-1]
    return "cells", values[..., 0] if isinstance(result, LayerRankings) else values


def _scaled(drawn: Drawn) -> dict[str, object]:
    kind, values = drawn
    values = np.nan_to_num(values)
    if kind == "points":
        values = values - values.min(0)
    scaled = np.clip(values / max(float(np.abs(values).max()), 1e-12), -1, 1)
    if kind == "checks":
        scaled = np.clip(values, 0, 1)
    return {"kind": kind, "numbers": [[round(float(value), 2) for value in row] for row in scaled]}


def _lens(model: Model) -> Path:
    """Return the file of a tuned lens that is trained on a few sentences."""
    folder = Path(mkdtemp())
    texts, out = folder / "texts.txt", folder / "lens.npz"
    texts.write_text("\n".join(_SENTENCES), encoding="utf-8")
    kept = {name: os.environ.get(name) for name in ("XDG_DATA_HOME", "LOCALAPPDATA")}
    os.environ |= dict.fromkeys(kept, str(folder))
    try:
        model.study("tuned-lens", texts, out, steps=10, positions="tokens", per_text=4)
    finally:
        for name, value in kept.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
    return out


def computed() -> dict[str, dict[str, object]]:
    """Return the sketches as the file has them."""
    model = open_model("bert-mini-en-ko", "cpu")
    trace, other = model.trace(TEXT), model.trace(OTHER)
    weights = trace.attention(0, 1)
    found = {ATTENTION: _scaled(("cells", np.asarray(weights, np.float32)))}
    for entry in CATALOGUE:
        second = other if entry.reads_second_run(entry.parameters()) else None
        is_of_mask = entry.key in ("predictions", "logits")
        of_run = model.trace(_MASKED) if is_of_mask else trace
        if entry.key == "tuned-lens":
            result = model.analyse(entry.key, trace, lens=str(_lens(model)))
        elif entry.key == "counterfactuals":
            result = model.analyse(entry.key, trace, swaps="cat/dog, fish/bread, it/they, hungry/tired")
        elif entry.key == "word-cosines":
            result = model.analyse(entry.key, of_run, second, token=_CHANGED)
        else:
            result = model.analyse(entry.key, of_run, second)
        found[entry.key] = _scaled(_drawn(entry.key, result))
    return found


def write() -> None:
    """Write the file anew."""
    lines = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in computed().items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    write()
