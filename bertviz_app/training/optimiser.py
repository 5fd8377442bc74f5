"""How the parameters are updated: AdamW, its learning rate over the run, and gradient clipping."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

BETAS, EPS = (0.9, 0.98), 1e-6


def optimiser(network: nn.Module, rate: float, decay: float) -> torch.optim.AdamW:
    """Return AdamW (Loshchilov and Hutter 2019, arXiv:1711.05101); biases and norms do not decay."""
    own = [parameter for parameter in network.parameters() if parameter.requires_grad]
    groups = [
        {"params": [one for one in own if one.ndim > 1], "weight_decay": decay},
        {"params": [one for one in own if one.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=rate, betas=BETAS, eps=EPS, fused=own[0].device.type != "mps")


def linear_rate(share: float, warm_up: float) -> float:
    """Return the part of the highest rate at `share` of the run, 0 to 1: up in a line, then down to 0."""
    if share < warm_up:
        return share / warm_up
    return max(0.0, (1.0 - share) / (1.0 - warm_up))


def constant_rate(share: float, warmed: float, cool_down: float) -> float:
    """Return the part of the highest rate: up in a line, constant, and down to 0 in the last `cool_down`.

    `share` and `cool_down` are shares of the run, `warmed` is one of the warm-up; all are 0 to 1. Before the
    last part nothing depends on where the end is (Zhai et al. 2022, arXiv:2106.04560, section 3.5).
    """
    return min(1.0, warmed, max(0.0, (1.0 - share) / cool_down))


def change(
    optimizer: torch.optim.Optimizer, parameters: list[nn.Parameter], rate: float, largest: float
) -> float:
    """Do one step at `rate` and clear the gradients; return their norm before it was clipped to `largest`.

    Raises FloatingPointError, and changes no parameter, if the norm is infinite or no number.
    """
    for group in optimizer.param_groups:
        group["lr"] = rate
    norm = float(clip_grad_norm_(parameters, largest))
    if not math.isfinite(norm):
        raise FloatingPointError(norm)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return norm
