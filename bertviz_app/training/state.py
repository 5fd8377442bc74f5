"""The state of a run, from which it can be resumed: weights, optimiser and position, in one file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from bertviz_app.errors import Message
from bertviz_app.training.settings import TrainingError
from bertviz_app.training.tensor_file import write_tensors

_MOMENTS = ("step", "exp_avg", "exp_avg_sq")


@dataclass(frozen=True)
class DataPosition:
    """How far a run is in its data: `turn` whole passes over examples of `length`, then `batch` batches."""

    length: int  # tokens of an example, special tokens included
    turn: int = 0
    batch: int = 0


@dataclass(frozen=True)
class RunPosition:
    """How far a run is."""

    data: DataPosition  # of the next batch
    step: int = 0
    n_tokens: int = 0  # trained on, without padding
    seconds: float = 0.0  # of training, over all parts of the run
    longest: int = 0  # tokens of the longest examples so far


def check_settings(saved: Mapping[str, object], settings: Mapping[str, object]) -> None:
    """Raise TrainingError if a run with the settings `saved` cannot be resumed with `settings`."""
    other = [name for name, value in settings.items() if saved.get(name) != value]
    if other:
        message = Message("The run was begun with other settings: {0}.", ", ".join(sorted(other)))
        raise TrainingError(
            message, Message("Give the settings it was begun with; only its end may be changed.")
        )


def save_state(
    path: Path,
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    position: RunPosition,
    settings: Mapping[str, object],
) -> None:
    """Write the run to `path`: a kill at any moment leaves the old file or the new one. Raises FileError.

    `settings` are those that must be the same when the run is resumed.
    """
    tensors: dict[str, Tensor] = {}
    for name, parameter in network.named_parameters():
        tensors[f"number.{name}"] = parameter.detach().cpu().contiguous()
        for moment in _MOMENTS:
            if parameter in optimizer.state:
                tensors[f"{moment}.{name}"] = optimizer.state[parameter][moment].detach().cpu().contiguous()
    content = {
        "step": position.step,
        "seconds": position.seconds,
        "n_tokens": position.n_tokens,
        "longest": position.longest,
        "place": asdict(position.data),
        "course": dict(settings),
    }
    write_tensors(path, tensors, {"progress": json.dumps(content)})


def load_state(
    path: Path, network: nn.Module, optimizer: torch.optim.Optimizer
) -> tuple[RunPosition, Mapping[str, object]]:
    """Give `network` and `optimizer` the state at `path`; return the run's position and its settings.

    Raises TrainingError for a file that is missing, damaged, or of another model.
    """
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
            found = _decoded(json.loads((file.metadata() or {})["progress"]))
        _fill(network, optimizer, tensors)
    except (OSError, SafetensorError, KeyError, TypeError, ValueError, RuntimeError) as error:
        message = Message("{0} holds no run of this model that can be continued.", path.name)
        raise TrainingError(message, Message("Start again in another folder.")) from error
    return found


def _fill(network: nn.Module, optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            found = tensors[f"number.{name}"]
            if found.shape != parameter.shape:
                raise ValueError(name)
            parameter.copy_(found)
            moments = {
                moment: tensors[f"{moment}.{name}"] for moment in _MOMENTS if f"step.{name}" in tensors
            }
            if moments:  # a parameter that was never updated has none
                # A fused AdamW needs the count of steps on the device, too.
                optimizer.state[parameter] = {name: one.to(parameter.device) for name, one in moments.items()}


def _decoded(found: object) -> tuple[RunPosition, Mapping[str, object]]:
    """Return what `save_state` wrote as JSON. Raises TypeError, KeyError or ValueError for anything else."""
    if not isinstance(found, dict) or not isinstance(found["place"], dict):
        raise TypeError("progress")
    data = found["place"]
    position = RunPosition(
        data=DataPosition(int(data["length"]), int(data["turn"]), int(data["batch"])),
        step=int(found["step"]),
        n_tokens=int(found["n_tokens"]),
        seconds=float(found["seconds"]),
        longest=int(found["longest"] if "longest" in found else data["length"]),  # not in older files
    )
    return position, dict(found["course"])
