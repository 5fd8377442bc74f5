"""A run that can be gone on with: all its numbers in one file, written beside and renamed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from bertviz_app.paths import replacing
from bertviz_app.training.pretraining.plan import Place
from bertviz_app.training.pretraining.settings import TrainingError

STATE = "state.safetensors"
_MOMENTS = ("step", "exp_avg", "exp_avg_sq")


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    step: int
    seconds: float
    n_tokens: int
    place: Place
    course: dict[str, object]  # the settings that must not change

    def judge(self, course: dict[str, object]) -> None:
        """Raise TrainingError if the run goes by other settings than `course`."""
        other = [name for name, value in course.items() if self.course.get(name) != value]
        if other:
            message = f"The run was begun with other settings: {', '.join(sorted(other))}."
            raise TrainingError(message, "Give the same as then; only its end may be another.")


def judge_place(out: Path, state: Path, *, is_resumed: bool) -> None:
    """Raise TrainingError if there is no run in `out` to go on with, or one that would be lost."""
    if is_resumed and not state.exists():
        raise TrainingError(f"There is no run in {out} to go on with.", "Leave out --resume to start one.")
    if not is_resumed and state.exists():
        raise TrainingError(
            f"There is a run in {out} already.", "Go on with it by --resume, or give another folder."
        )


def save_state(path: Path, network: nn.Module, optimizer: torch.optim.Optimizer, progress: Progress) -> None:
    """Write the run to `path`: a kill at any moment leaves the old file or the new one. Raises FileError."""
    tensors: dict[str, Tensor] = {}
    for name, parameter in network.named_parameters():
        tensors[f"number.{name}"] = parameter.detach().cpu().contiguous()
        for moment in _MOMENTS:
            if parameter in optimizer.state:
                tensors[f"{moment}.{name}"] = optimizer.state[parameter][moment].detach().cpu().contiguous()
    metadata = {"progress": json.dumps(asdict(progress))}
    with replacing(path) as beside:
        save_file(tensors, beside, metadata=metadata)


def load_state(path: Path, network: nn.Module, optimizer: torch.optim.Optimizer) -> Progress:
    """Give `network` and `optimizer` the numbers of the run at `path`, and return how far it is.

    Raises TrainingError for a file that is missing, damaged, or of another model.
    """
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
            progress = _progress(json.loads((file.metadata() or {})["progress"]))
        _fill(network, optimizer, tensors)
    except (OSError, SafetensorError, KeyError, TypeError, ValueError, RuntimeError) as error:
        message = f"{path.name} holds no run of this model that can be gone on with."
        raise TrainingError(message, "Start anew, in another folder.") from error
    return progress


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
            if moments:  # a parameter that never learnt has none
                # The count of steps stands where AdamW wants it when it is fused: on the device.
                optimizer.state[parameter] = {name: one.to(parameter.device) for name, one in moments.items()}


def _progress(found: object) -> Progress:
    """Return the progress written as JSON. Raises TypeError, KeyError or ValueError for anything else."""
    if not isinstance(found, dict) or not isinstance(found["place"], dict):
        raise TypeError("progress")
    place = found["place"]
    return Progress(
        step=int(found["step"]),
        seconds=float(found["seconds"]),
        n_tokens=int(found["n_tokens"]),
        place=Place(int(place["length"]), int(place["turn"]), int(place["batch"])),
        course=dict(found["course"]),
    )
