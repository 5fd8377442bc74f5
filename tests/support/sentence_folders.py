"""Folders as sentence-transformers saves them: modules beside a checkpoint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

_PACKAGE = "sentence_transformers.models"


@dataclass(frozen=True)
class Module:
    """One entry of modules.json with the files in its folder."""

    kind: str
    settings: Mapping[str, object] | None = None
    tensors: Mapping[str, Tensor] = field(default_factory=dict)


def write_modules(folder: Path, *modules: Module, path: str = "", package: str = _PACKAGE) -> None:
    """Write modules.json with the transformer in `path` and the modules after it, and their files."""
    entries = [{"idx": 0, "name": "0", "path": path, "type": f"{package}.Transformer"}]
    for number, module in enumerate(modules, start=1):
        name = f"{number}_{module.kind}"
        entries.append({"idx": number, "name": str(number), "path": name, "type": f"{package}.{module.kind}"})
        (folder / name).mkdir(parents=True, exist_ok=True)
        if module.settings is not None:
            write_settings(folder / name / "config.json", **module.settings)
        if module.tensors:
            save_file(dict(module.tensors), folder / name / "model.safetensors")
    (folder / "modules.json").write_text(json.dumps(entries), "utf-8")


def write_settings(path: Path, **settings: object) -> None:
    """Write a JSON object."""
    path.write_text(json.dumps(settings), "utf-8")


def pooling(width: int, *modes: str) -> Module:
    """Return a pooling as files before version 5.3 have it: a key for each kind."""
    keys = {
        "cls": "cls_token",
        "max": "max_tokens",
        "mean": "mean_tokens",
        "mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
        "weightedmean": "weightedmean_tokens",
        "lasttoken": "lasttoken",
    }
    flags = {f"pooling_mode_{key}": name in modes for name, key in keys.items()}
    return Module("Pooling", {"word_embedding_dimension": width, **flags})


def dense(n_inputs: int, n_outputs: int, activation: str = "activation.Tanh", *, seed: int = 0) -> Module:
    """Return a dense layer with random weights."""
    generator = torch.Generator().manual_seed(seed)
    tensors = {
        "linear.weight": torch.randn(n_outputs, n_inputs, generator=generator) * n_inputs**-0.5,
        "linear.bias": torch.randn(n_outputs, generator=generator),
    }
    settings = {"in_features": n_inputs, "out_features": n_outputs, "bias": True}
    return Module("Dense", settings | {"activation_function": f"torch.nn.modules.{activation}"}, tensors)


NORMALISE = Module("Normalize")
