"""An encoder without numbers costs neither memory nor time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import torch

from bertviz_app.checkpoint.weights.names import blank_encoder
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.encoder import Encoder

CONFIG = EncoderConfig(50, 16, 2, 2, 4, 32, 64)


def test_it_has_the_shapes_of_a_real_one_and_no_memory() -> None:
    blank, real = blank_encoder(CONFIG).state_dict(), Encoder(CONFIG).state_dict()
    assert {name: tensor.shape for name, tensor in blank.items()} == {
        name: tensor.shape for name, tensor in real.items()
    }
    assert {tensor.device.type for tensor in blank.values()} == {"meta"}


def test_modules_made_afterwards_start_as_ever() -> None:
    blank_encoder(CONFIG)
    linear = torch.nn.Linear(8, 8)
    assert linear.weight.device.type == "cpu"
    assert linear.weight.std() > 0


def test_opening_loads_none_of_torchs_compiler(tiny_bert: Path) -> None:
    program = (
        "import sys\n"
        "from bertviz_app.inference.engine import Engine\n"
        f"Engine().load({str(tiny_bert)!r})\n"
        "sys.exit('torch._dynamo' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
