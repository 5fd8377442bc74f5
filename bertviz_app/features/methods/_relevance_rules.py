"""The rules of AttnLRP, one operation of torch at a time; imported, it loads torch, which others put off."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import Function
from torch.overrides import TorchFunctionMode

from bertviz_app.errors import AnalysisError, Message

Rule = Callable[["Rules", Callable[..., Any], Sequence[Any], Mapping[str, Any]], Any]

ACTIVATIONS = frozenset(
    {"gelu", "relu", "relu6", "leaky_relu", "silu", "hardswish", "mish", "tanh", "hardtanh"}
)
"""Of one number each, 0 for 0: the relevance of a number is that of what it becomes."""

LINEAR = frozenset(
    {
        *("view", "view_as", "reshape", "transpose", "permute", "movedim", "flatten", "unflatten", "squeeze"),
        *("unsqueeze", "expand", "expand_as", "contiguous", "clone", "to", "cpu", "float", "double"),
        *("type_as", "split", "chunk", "unbind", "select", "narrow", "__getitem__", "index_select", "gather"),
        *("index_fill", "masked_fill", "unfold", "cat", "stack", "pad", "flip", "roll", "where", "neg"),
        *("repeat_interleave", "__neg__", "sum", "mean", "einsum", "amax", "square"),
    }
)
"""What is linear in what it reads, or picks one of several: the gradient carries relevance as it is.

The square occurs in a norm by the root mean square alone, whose root is frozen; of an activation it is
refused.
"""

FROZEN = frozenset({"rsqrt", "std", "log"})
"""What norms divide by, and the log-sum-exp, on which no outcome depends: taken as numbers of this run."""


class _Scaled(Function):
    """Returns a tensor as it is; its gradient is multiplied by `factor`, a number or a tensor."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, factor: float | Tensor) -> Tensor:
        ctx.factor = factor
        return tensor.view_as(tensor)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return gradient * ctx.factor, None


class _Sloped(Function):
    """Returns `values`; the gradient by `tensor` is multiplied by `slope`."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, values: Tensor, slope: Tensor) -> Tensor:
        ctx.slope = slope
        return values.view_as(values)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return gradient * ctx.slope, None, None


class Rules(TorchFunctionMode):
    """While it is entered, gradients are those of AttnLRP: a tensor times its gradient is its relevance.

    Values stay what they are. `absorbed` is, after the backward pass, the relevance that ended in biases, in
    constants that are added, and in the softmax, whose Taylor expansion has a constant part. Operations
    without a rule that a gradient would go through raise AnalysisError. Other threads are not affected.
    """

    def __init__(self) -> None:
        super().__init__()
        self.absorbed = 0.0

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the result of `func`, computed by the rule for its name."""
        named = kwargs or {}
        name = getattr(func, "__name__", "")
        if not torch.is_grad_enabled() or not _follows((*args, *named.values())):
            return func(*args, **named)
        rule = _RULES.get(name.rstrip("_") if name.endswith("_") and name[0] != "_" else name)
        if rule is not None:
            return rule(self, func, args, named)
        found = func(*args, **named)
        if _follows((found,)) and name not in LINEAR and name != "__get__":
            message = Message("AttnLRP has no rule for an operation of this model, “{0}”.", name)
            raise AnalysisError(message, Message("Choose integrated gradients or occlusion."), "checkpoint")
        if name == "square" and type(args[0].grad_fn).__name__ == "_SlopedBackward":
            message = Message("AttnLRP has no rule for the activation of this model.")
            raise AnalysisError(message, Message("Choose integrated gradients or occlusion."), "checkpoint")
        if name == "where":
            condition, taken, otherwise = args
            self._absorb(found, torch.where(condition, _constant(taken), _constant(otherwise)))
        return found

    def _absorb(self, output: Tensor, constant: Tensor | float, sign: float = 1.0) -> None:
        """Add the relevance of a `constant` that was added to an `output`, once its gradient is there."""

        def add(gradient: Tensor) -> None:
            relevance = torch.where(gradient == 0, 0.0, gradient * constant)
            self.absorbed += sign * float(relevance.sum(dtype=torch.float64))

        if isinstance(output, Tensor) and output.requires_grad:
            output.register_hook(add)  # type: ignore[no-untyped-call]

    # the rules

    def linear(self, func: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
        """Return a dense layer or a convolution: the epsilon rule, with an epsilon of 0."""
        found: Tensor = func(*args, **named)
        bias = args[2] if len(args) > 2 else named.get("bias")
        if bias is not None:
            shape = (-1, *(1,) * (found.ndim - 2)) if "conv" in func.__name__ else (-1,)
            self._absorb(found, bias.detach().reshape(shape))
        return found

    def norm(self, func: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
        """Return a layer norm: what it divides by is a number of this run, and the rest is linear."""
        given = dict(zip(_NORM, args, strict=False)) | dict(named)
        x, weight, bias, eps = (given[name] for name in ("input", "weight", "bias", "eps"))
        values: Tensor = func(*args, **named).detach()
        centred = x - x.mean(-1, keepdim=True)
        scaled = centred / (centred.detach().square().mean(-1, keepdim=True) + eps).sqrt()
        scaled = scaled if weight is None else scaled * weight
        found: Tensor = scaled + (values - scaled.detach())
        if bias is not None:
            self._absorb(found, bias.detach())
        return found

    def activation(self, func: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
        """Return an activation, whose slope is that of the line from 0 to it."""
        values: Tensor = func(*args, **named).detach()
        x = args[0]
        given = x.detach()
        slope = torch.where(given == 0, 0.0, values / torch.where(given == 0, 1.0, given))
        found: Tensor = _Sloped.apply(x, values, slope)  # type: ignore[no-untyped-call]
        return found

    def softmax(self, func: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
        """Return the softmax, with its own gradient: the constant of its Taylor expansion absorbs."""
        given = _scaled(args[0], 1.0)
        found: Tensor = func(given, *args[1:], **named)
        self._absorb(found, found.detach())
        self._absorb(given, given.detach(), -1.0)
        return found

    def product(self, func: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Return a product; of two tensors that both carry relevance each gets one half."""
        if all(isinstance(one, Tensor) and one.requires_grad for one in args[:2]):
            args = (*(_scaled(one, 0.5) for one in args[:2]), *args[2:])
        return func(*args, **named)

    def added(self, func: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Return a sum: each gets its part, a constant too."""
        found = func(*args, **named)
        for at, sign in enumerate((1.0, -1.0 if "sub" in func.__name__ else 1.0)):
            if isinstance(args[at], Tensor) and not args[at].requires_grad:
                self._absorb(found, args[at], sign)
        return found

    def quotient(self, func: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Return a quotient; what it divides by is a number of this run."""
        if isinstance(args[1], Tensor) and args[1].requires_grad:
            args = (args[0], args[1].detach(), *args[2:])
        return func(*args, **named)

    def frozen(self, func: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Return the result detached: a constant of this run."""
        return func(*args, **named).detach()

    def cosine(self, func: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
        """Return a cosine: lengths are numbers of this run, as what a norm divides by is."""
        vectors, direction = args[:2]
        unit = direction / direction.norm(dim=-1, keepdim=True)
        along: Tensor = (vectors * unit).sum(-1) / vectors.detach().norm(dim=-1)
        return along


_NORM = ("input", "normalized_shape", "weight", "bias", "eps")
_RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("linear", "conv1d"), Rules.linear),
    "layer_norm": Rules.norm,
    **dict.fromkeys(ACTIVATIONS, Rules.activation),
    "softmax": Rules.softmax,
    **dict.fromkeys(("matmul", "__matmul__", "__rmatmul__", "bmm"), Rules.product),
    **dict.fromkeys(("mul", "__mul__", "__rmul__"), Rules.product),
    **dict.fromkeys(("add", "__add__", "__radd__", "sub", "__sub__"), Rules.added),
    **dict.fromkeys(("div", "truediv", "__truediv__"), Rules.quotient),
    **dict.fromkeys(FROZEN, Rules.frozen),
    "cosine_similarity": Rules.cosine,
}


def _scaled(tensor: Tensor, factor: float) -> Tensor:
    found: Tensor = _Scaled.apply(tensor, factor)  # type: ignore[no-untyped-call]
    return found


def _follows(values: Sequence[Any]) -> bool:
    """Return whether a gradient would go through one of some arguments."""
    for value in values:
        if isinstance(value, Tensor) and value.requires_grad:
            return True
        if isinstance(value, list | tuple) and _follows(value):
            return True
    return False


def _constant(part: Tensor | float) -> Tensor | float:
    """Return a part of a choice that carries no relevance; 0 in the place of one that does."""
    if not isinstance(part, Tensor):
        return part
    return torch.zeros_like(part) if part.requires_grad else part
