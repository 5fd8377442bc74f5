"""Large checkpoints, and what it takes to open one: resident memory, mapped pages included."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import BertConfig, BertModel

from tests.support.checkpoints import vocabulary, write_bert

_WIDTH, _N_LAYERS = 256, 2


def write_large(folder: Path, n_bytes: int, ending: str) -> Path:
    """Write a BERT of about `n_bytes`, half of them its embeddings of tokens, half its layers."""
    write_bert(folder)
    width = _WIDTH * max(1, round((n_bytes / 2e8) ** 0.5))
    expanded = max(width, n_bytes // 2 // (8 * width * _N_LAYERS) - 2 * width)
    settings = json.loads((folder / "config.json").read_text("utf-8"))
    sizes = {
        "hidden_size": width,
        "intermediate_size": expanded,
        "num_hidden_layers": _N_LAYERS,
        "vocab_size": max(len(vocabulary()), n_bytes // 2 // (4 * width)),
    }
    settings |= sizes
    (folder / "config.json").write_text(json.dumps(settings), "utf-8")
    with torch.device("meta"):
        shapes = {
            name: tensor.shape for name, tensor in BertModel(BertConfig(**settings)).state_dict().items()
        }
    tensors = {name: torch.full(shape, 0.01) for name, shape in shapes.items()}
    (folder / "model.safetensors").unlink()
    if ending == ".bin":
        torch.save(tensors, folder / "pytorch_model.bin")
    else:
        save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    return folder


_PROGRAM = """
import json, resource, sys, time
from bertviz_app.checkpoint.loader import open_checkpoint
from bertviz_app.checkpoint.sources.source import find
def peak():
    line = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024
open_checkpoint(find(sys.argv[1]))
before, start = peak(), time.perf_counter()
checkpoint = open_checkpoint(find(sys.argv[2]))
seconds = time.perf_counter() - start
print(json.dumps([checkpoint.facts.n_bytes, peak() - before, seconds]))
"""


def measured(folder: Path) -> tuple[int, int, float]:
    """Return the bytes of the checkpoint's files, the bytes that its opening took at most, and seconds."""
    with tempfile.TemporaryDirectory() as made:
        small = write_bert(Path(made) / "small")
        command = [sys.executable, "-c", _PROGRAM, str(small), str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    size, peak, seconds = json.loads(done.stdout)
    return size, peak, seconds
