"""The loop stops where a number is lost, and saves and resumes any task."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from bertviz_app.errors import Cancelled
from bertviz_app.training.loop import Computed, DataPosition, Loop, RunPosition, StepFacts
from bertviz_app.training.settings import SNAPSHOTS, STATE, WORK, SilentListener, TrainingError, read_record


@dataclass(frozen=True)
class _Settings:
    seed: int = 0
    warm_up: float = 0.0
    rate: float = 0.1
    decay: float = 0.0
    clip: float = 1.0
    precision: str = "float32"
    stores: str = "float32"
    evaluate_every: int = 2
    save_every: float = 1e9
    snapshot_every: int | None = None


@dataclass(frozen=True)
class _Report:
    step: int
    share: float
    seconds: float
    n_tokens: int
    tokens_per_second: float
    rate: float
    loss: float


@dataclass(frozen=True)
class _Result:
    step: int
    loss: float
    is_last: bool


class _Line:
    """A line that is fitted to y = 3 x, one point a step."""

    def __init__(self, n_steps: int = 6, spoilt_loss: int = 0, spoilt_gradient: int = 0) -> None:
        torch.manual_seed(0)
        self.network = nn.Linear(1, 1)
        self.n_steps = n_steps
        self.spoilt_loss, self.spoilt_gradient = spoilt_loss, spoilt_gradient
        self.evaluation = 0.5

    def resumable_settings(self) -> dict[str, object]:
        return {"slope": 3}

    def share(self, position: RunPosition) -> float:
        return position.step / self.n_steps

    def rate(self, position: RunPosition) -> float:
        return 0.1

    def compute(self, position: RunPosition) -> Computed[_Report]:
        x = torch.tensor([[1.0 + position.data.batch]])
        loss = (self.network(x) - 3 * x).square().mean()
        torch.autograd.backward(loss)
        step = position.step + 1
        if step == self.spoilt_gradient:
            self.network.weight.grad = torch.full_like(self.network.weight, torch.inf)
        found = math.nan if step == self.spoilt_loss else float(loss.detach())

        def report(facts: StepFacts) -> _Report:
            return _Report(**vars(facts), loss=found)

        return Computed(found, 1, replace(position.data, batch=position.data.batch + 1), report)

    def evaluate(self, step: int, check: Callable[[], None], *, is_last: bool) -> _Result:
        check()
        return _Result(step, self.evaluation, is_last)

    def save_model(self, folder: Path, position: RunPosition) -> None:
        del position
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model").write_text("weights", "utf-8")

    def save_tokenizer(self, folder: Path) -> None:
        (folder / "tokenizer").write_text("pieces", "utf-8")


def _loop(task: _Line, out: Path, settings: _Settings | None = None) -> Loop[_Report, _Result, nn.Linear]:
    return Loop(task, settings or _Settings(), out, DataPosition(8))


def _weights(out: Path) -> dict[str, torch.Tensor]:
    weights: dict[str, torch.Tensor] = load_file(out / WORK / STATE)
    return weights


def _steps(out: Path) -> list[object]:
    return [line["step"] for line in read_record(out) if line["kind"] == "step"]


def test_it_evaluates_on_the_way_and_once_at_the_end(tmp_path: Path) -> None:
    result = _loop(_Line(), tmp_path).run(SilentListener())
    assert result == _Result(6, 0.5, is_last=True)
    assert _steps(tmp_path) == [1, 2, 3, 4, 5, 6]
    found = [(line["step"], line["is_last"]) for line in read_record(tmp_path) if line["kind"] == "held-out"]
    assert found == [(0, False), (2, False), (4, False), (6, True)]


def test_a_snapshot_has_the_model_and_the_tokenizer(tmp_path: Path) -> None:
    _loop(_Line(), tmp_path, _Settings(snapshot_every=3)).run(SilentListener())
    folders = sorted((tmp_path / SNAPSHOTS).iterdir())
    assert [folder.name for folder in folders] == ["step-000003", "step-000006"]
    assert {file.name for file in folders[0].iterdir()} == {"model", "tokenizer"}


@pytest.mark.parametrize("spoilt", [{"spoilt_loss": 4}, {"spoilt_gradient": 4}])
def test_a_number_that_is_lost_ends_the_run_with_the_state_before(
    tmp_path: Path, spoilt: dict[str, int]
) -> None:
    task = _Line(**spoilt)
    with pytest.raises(TrainingError, match="at step 4"):
        _loop(task, tmp_path, _Settings(save_every=0.0)).run(SilentListener())
    assert _steps(tmp_path) == [1, 2, 3]
    assert all(torch.isfinite(tensor).all() for tensor in _weights(tmp_path).values())
    assert all(torch.isfinite(parameter).all() for parameter in task.network.parameters())
    again = _Line()
    loop = _loop(again, tmp_path)
    loop.restore()
    assert loop.position.step == 3
    assert torch.equal(again.network.weight, task.network.weight), "the step changed nothing"
    loop.run(SilentListener())
    assert _steps(tmp_path) == [1, 2, 3, 4, 5, 6]


def test_an_evaluation_without_a_number_ends_the_run_and_is_not_logged(tmp_path: Path) -> None:
    task = _Line()
    task.evaluation = math.inf
    with pytest.raises(TrainingError, match="not a number any more at step"):
        _loop(task, tmp_path).run(SilentListener())
    assert read_record(tmp_path) == []


def test_a_run_that_is_stopped_gives_the_same_as_one_that_is_not(tmp_path: Path) -> None:
    class Stopper(SilentListener):
        n_steps = 0

        def on_step(self, report: object, network: object) -> None:
            self.n_steps += 1

        def check(self) -> None:
            if self.n_steps == 3:
                raise Cancelled

    for name in ("whole", "stopped"):
        (tmp_path / name).mkdir()
    _loop(_Line(), tmp_path / "whole").run(SilentListener())
    with pytest.raises(Cancelled):
        _loop(_Line(), tmp_path / "stopped").run(Stopper())
    rest = _loop(_Line(), tmp_path / "stopped")
    rest.restore()
    assert rest.position.data == DataPosition(8, 0, 3)
    rest.run(SilentListener())
    whole, stopped = (_weights(tmp_path / name) for name in ("whole", "stopped"))
    assert all(torch.equal(whole[name], stopped[name]) for name in whole)


def test_other_settings_do_not_resume_a_run(tmp_path: Path) -> None:
    class Other(_Line):
        def resumable_settings(self) -> dict[str, object]:
            return {"slope": 4}

    _loop(_Line(), tmp_path).run(SilentListener())
    with pytest.raises(TrainingError, match="slope"):
        _loop(Other(), tmp_path).restore()
