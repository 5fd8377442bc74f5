"""What an outcome owes to each head: the head's output replaced, or its gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import numpy as np

from bertviz_app.analysis.entry import Inputs, Needs, Refusal, analysis
from bertviz_app.analysis.parameters import Choice, Reporter
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.probing.passes import Leaf, batches
from bertviz_app.analysis.probing.targets import Target, TargetParameters, compares_runs
from bertviz_app.analysis.results import HeadScalars, Scalar
from bertviz_app.errors import Check, Message
from bertviz_app.text import Tokens
from bertviz_app.trace.form import Capture, Point, Tap, TapAt, Taps
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from torch import Tensor

    from bertviz_app.analysis.model_access import ModelAccess, ModelOutput

Flavour = Literal["zero", "mean", "uniform"]
"""What the output of an ablated head is replaced by."""

FLAVOURS: tuple[Flavour, ...] = get_args(Flavour)


@dataclass(frozen=True)
class AblationParameters(TargetParameters):
    """`flavour`: what stands for a head's output: zeros, its mean over tokens, or that of its values."""

    flavour: Annotated[str, Choice(FLAVOURS), Message("Replace the head's output by")] = "zero"


def _ablated(layer: int, heads: range, flavour: str) -> Tap:
    """Return a tap that replaces, in input b of a batch, the output of head `heads`[b] of one layer."""
    values: list[Tensor] = []

    def replaced(point: Point, _: int, tensor: Tensor) -> Tensor:
        """Return the outputs [B, H, T, E] with those of the ablated heads replaced; values as they are."""
        if point is Point.VALUES:
            values[:] = [tensor]
            return tensor
        found = tensor.clone()
        averaged = found if flavour == "mean" else values[0]  # of values: all weights are 1 / T
        for at, head in enumerate(heads):
            found[at, head] = 0 if flavour == "zero" else averaged[at, head].mean(0)
        return found

    return TapAt({Point.VALUES, Point.MIXED}, replaced, {layer})


@analysis(
    key="head-ablation",
    place=("replaced", 2),
    title=Message("Head ablation"),
    summary=Message(
        "How the chosen outcome changes when the output of a head is replaced, one head at a time."
    ),
    limits=Message("The ranks of heads depend on what replaces them, and heads can stand in for each other."),
    paper="Michel et al. 2019, arXiv:1905.10650, section 3; Kovaleva et al. 2019, arXiv:1908.08593",
    needs=Needs.MODEL,
    refuses=Refusal(
        lambda form, task_heads: form.has_global_tokens,
        Message("With global attention a token has two value vectors, so that no one mean stands for both."),
        Message("Open a checkpoint without global attention."),
    ),
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
    whole, changes = changes_without(
        lambda inputs, tap: target.of(inputs, tap)[None],
        trace.tokens,
        (trace.n_layers, trace.n_heads),
        parameters.flavour,
        reporter.check,
        reporter.progress,
    )
    found = changes.astype(np.float32)
    for layer, head in trace.muted:
        found[0, layer, head] = 0
    return HeadScalars((Scalar("change", Quantity("", noise=target.noise)),), found, outcome=float(whole[0]))


def changes_without(
    outcomes: Callable[[Sequence[Tokens], Tap | None], Doubles],
    tokens: Tokens,
    shape: tuple[int, int],
    flavour: str,
    check: Check,
    progress: Callable[[float], None] = lambda share: None,
) -> tuple[Doubles, Doubles]:
    """Return C outcomes [C] of a text, and how they change when each head is replaced, [C, L, H].

    `outcomes` returns them [C, B] for B inputs, which go through the model with a tap; `shape` is that of the
    heads, (L, H).
    """
    whole = outcomes([tokens], None)[:, 0]
    found = np.zeros((len(whole), *shape))
    n_layers, n_heads = shape
    for layer in range(n_layers):
        for heads in batches(n_heads, len(tokens)):
            check()
            of_heads = outcomes([tokens] * len(heads), _ablated(layer, heads, flavour))
            found[:, layer, heads.start : heads.stop] = of_heads - whole[:, None]
        progress((layer + 1) / n_layers)
    return whole, found


@analysis(
    key="head-importance",
    place=("replaced", 3),
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
    target = Target(inputs, parameters)
    found = head_gradients(target.model, inputs.trace.tokens, lambda output: target.values(output, grad=True))
    reporter.progress(1)
    return HeadScalars((Scalar("importance", Quantity("", 0)),), found[None])


def head_gradients(model: ModelAccess, tokens: Tokens, value: Callable[[ModelOutput], Tensor]) -> Floats:
    """Return |dy/ds| [L, H] at s = 1, s being a factor of a head's output, and y the `value` of the pass."""
    import torch

    n_layers = model.config.n_layers
    capture = Capture({Point.MIXED})
    output = model.forward([tokens], Taps(Leaf(Point.EMBEDDINGS), capture), grad=True)
    mixed = [capture.tensors[Point.MIXED, layer] for layer in range(n_layers)]
    gradients = torch.autograd.grad(value(output).sum(), mixed, allow_unused=True)
    found = np.zeros((n_layers, model.config.n_heads), np.float32)
    for layer, (output_of, gradient) in enumerate(zip(mixed, gradients, strict=True)):
        if gradient is not None:
            found[layer] = (output_of * gradient)[0].sum((-1, -2)).abs().detach().cpu().numpy()
    return found
