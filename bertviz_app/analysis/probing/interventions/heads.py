"""Which heads an outcome depends on: each replaced in turn, and the gradient by a factor on each output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import numpy as np

from bertviz_app.analysis.axes import Quantity
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Choice
from bertviz_app.analysis.probing.attribution.targets import Target, TargetParameters, compares_runs
from bertviz_app.analysis.probing.passes import Leaf, batches
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import HeadScalars, Scalar
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.trace.form import Capture, Form, Point, Taps

if TYPE_CHECKING:
    from torch import Tensor

Flavour = Literal["zero", "mean", "uniform"]
"""What the output of an ablated head is replaced by."""

FLAVOURS: tuple[Flavour, ...] = get_args(Flavour)


@dataclass(frozen=True)
class AblationParameters(TargetParameters):
    """`flavour`: what stands for a head's output: zeros, its mean over tokens, or that of its values."""

    flavour: Annotated[str, Choice(FLAVOURS), Message("Replace the head's output by")] = "zero"


class _Ablated:
    """A tap that replaces, in input b of a batch, the output of head `heads`[b] of one layer."""

    def __init__(self, layer: int, heads: range, flavour: str) -> None:
        self._layer, self._heads, self._flavour = layer, heads, flavour
        self._values: Tensor | None = None

    def wants(self, point: Point, layer: int) -> bool:
        return layer == self._layer and point in (Point.VALUES, Point.MIXED)

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        """Return the outputs [B, H, T, E] with those of the ablated heads replaced; values as they are."""
        if point is Point.VALUES:
            self._values = tensor
            return tensor
        found = tensor.clone()
        for at, head in enumerate(self._heads):
            found[at, head] = self._replacement(found[at, head], at, head)
        return found

    def _replacement(self, output: Tensor, at: int, head: int) -> Tensor:
        """Return what stands for the output [T, E] of a head."""
        import torch

        if self._flavour == "zero":
            return torch.zeros_like(output)
        if self._flavour == "mean":
            return output.mean(0, keepdim=True).expand_as(output)
        assert self._values is not None
        return self._values[at, head].mean(0, keepdim=True).expand_as(output)  # all weights 1 / T


def _refuse_global(form: Form, task_heads: tuple[str, ...]) -> AnalysisError | None:
    """Return why the heads of a model cannot be replaced by equal weights, or None."""
    if not form.has_global_tokens:
        return None
    message = Message(
        "With global attention a token has two value vectors, so that no one mean stands for both."
    )
    return AnalysisError(message, Message("Open a checkpoint without global attention."))


@analysis(
    key="head-ablation",
    title=Message("Head ablation"),
    summary=Message(
        "How the chosen outcome changes when the output of a head is replaced, one head at a time."
    ),
    limits=Message("The ranks of heads depend on what replaces them, and heads can stand in for each other."),
    paper="Michel et al. 2019, arXiv:1905.10650, section 3; Kovaleva et al. 2019, arXiv:1908.08593",
    needs=Needs.MODEL,
    refuses=_refuse_global,
    compares=compares_runs,
)
def head_ablation(inputs: Inputs, parameters: AblationParameters, reporter: Reporter) -> HeadScalars:
    """Return how the outcome changes when each head is replaced, one at a time.

    "zero": by zeros; "mean": by the mean of its output over the tokens of this text; "uniform": by what it
    would return if it attended to all tokens alike. Rankings of heads by two of these hardly agree, so a
    number means little without its flavour.

    "change" [L, H]: the outcome with the head replaced minus that with all heads, below 0 where the outcome
    needs the head; 0 for a head that is muted. `outcome` is that with all heads.

    Equal weights are those of Kovaleva et al., section 4.5.
    """
    trace = inputs.trace
    target = Target(inputs, parameters)
    whole = target.of([trace.tokens])[0]
    found = np.zeros((1, trace.n_layers, trace.n_heads), np.float32)
    for layer in range(trace.n_layers):
        for heads in batches(trace.n_heads, trace.n_tokens):
            reporter.check()
            tap = _Ablated(layer, heads, parameters.flavour)
            found[0, layer, heads.start : heads.stop] = target.of([trace.tokens] * len(heads), tap) - whole
        reporter.progress((layer + 1) / trace.n_layers)
    for layer, head in trace.muted:
        found[0, layer, head] = 0
    return HeadScalars((Scalar("change", Quantity("")),), found, outcome=float(whole))


@analysis(
    key="head-importance",
    title=Message("Head importance by gradients"),
    summary=Message("How fast the chosen outcome changes when the output of a head is scaled."),
    limits=Message("It says what a small change does; removing the head may do something else."),
    paper="Michel et al. 2019, arXiv:1905.10650, section 4.1",
    needs=Needs.MODEL | Needs.GRADIENT,
    compares=compares_runs,
)
def head_importance(inputs: Inputs, parameters: TargetParameters, reporter: Reporter) -> HeadScalars:
    """Return |dy/ds| of each head at s = 1: how fast the outcome changes as its output is scaled by s.

    "importance" [L, H], 0 or more, of this text alone; 0 for a head that is muted.

    Equation 2 of the paper for one text, not divided by layer.
    """
    import torch

    trace = inputs.trace
    capture = Capture({Point.MIXED})
    output = inputs.opened.forward([trace.tokens], Taps(Leaf(Point.EMBEDDINGS), capture), grad=True)
    value = Target(inputs, parameters).values(output, grad=True).sum()
    reporter.check()
    mixed = [capture.tensors[Point.MIXED, layer] for layer in range(trace.n_layers)]
    gradients = torch.autograd.grad(value, mixed, allow_unused=True)
    found = np.zeros((1, trace.n_layers, trace.n_heads), np.float32)
    for layer, (output_of, gradient) in enumerate(zip(mixed, gradients, strict=True)):
        if gradient is not None:
            found[0, layer] = (output_of * gradient)[0].sum((-1, -2)).abs().detach().cpu().numpy()
    reporter.progress(1)
    return HeadScalars((Scalar("importance", Quantity("", 0)),), found)
