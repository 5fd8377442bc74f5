"""The activations of the feed-forward part: how papers write them, what they are, and what they do."""

from __future__ import annotations

from types import MappingProxyType

from bertviz_app.errors import Message

_ACTIVATIONS = MappingProxyType(
    {
        "gelu": "GELU",
        "gelu_python": "GELU",
        "gelu_new": "GELU",
        "gelu_fast": "GELU",
        "gelu_accurate": "GELU",
        "gelu_pytorch_tanh": "GELU",
        "gelu_python_tanh": "GELU",
        "quick_gelu": "QuickGELU",
        "gelu_10": "GELU10",
        "relu": "ReLU",
        "relu2": "ReLU²",
        "relu6": "ReLU6",
        "leaky_relu": "LeakyReLU",
        "silu": "SiLU",
        "swish": "SiLU",
        "hardswish": "Hardswish",
        "mish": "Mish",
        "laplace": "Laplace",
        "sigmoid": "sigmoid",
        "tanh": "tanh",
        "linear": "id",
    }
)
DEFINITIONS = MappingProxyType(
    {
        "GELU": "u_i ⊙ Φ(u_i)",
        "QuickGELU": "u_i ⊙ σ(1.702 u_i)",
        "GELU10": "\\t{min}(10, u_i ⊙ Φ(u_i))",  # GELU itself is nowhere below -0.17
        "ReLU": "\\t{max}(0, u_i)",
        "ReLU²": "\\t{max}(0, u_i)^2",
        "ReLU6": "\\t{min}(6, \\t{max}(0, u_i))",
        "LeakyReLU": "\\t{max}(0.01 u_i, u_i)",
        "SiLU": "u_i ⊙ σ(u_i)",
        "Hardswish": "u_i ⊙ \\t{ReLU6}(u_i + 3) / 6",
        "Mish": "u_i ⊙ \\t{tanh}(\\t{ln}(1 + e^{u_i}))",
        "Laplace": "Φ((u_i − 0.707107) / 0.282095)",
        "sigmoid": "σ(u_i)",
        "id": "u_i",
    }
)
"""What an activation is, where its name does not say it: Φ is the normal distribution, σ the sigmoid."""

_GELU_BY_TANH = 'nn.functional.gelu({0}, approximate="tanh")'
PYTORCH = MappingProxyType(
    {
        "gelu": "nn.functional.gelu({0})",
        "gelu_python": "nn.functional.gelu({0})",
        "gelu_new": _GELU_BY_TANH,
        "gelu_fast": _GELU_BY_TANH,
        "gelu_accurate": _GELU_BY_TANH,
        "gelu_pytorch_tanh": _GELU_BY_TANH,
        "gelu_python_tanh": _GELU_BY_TANH,
        "quick_gelu": "{0} * torch.sigmoid(1.702 * {0})",
        "gelu_10": "nn.functional.gelu({0}).clamp(-10, 10)",
        "relu": "nn.functional.relu({0})",
        "relu2": "nn.functional.relu({0}).square()",
        "relu6": "nn.functional.relu6({0})",
        "leaky_relu": "nn.functional.leaky_relu({0})",
        "silu": "nn.functional.silu({0})",
        "swish": "nn.functional.silu({0})",
        "hardswish": "nn.functional.hardswish({0})",
        "mish": "nn.functional.mish({0})",
        "laplace": "0.5 * (1 + torch.erf(({0} - 0.707107) / (0.282095 * math.sqrt(2))))",
        "sigmoid": "torch.sigmoid({0})",
        "tanh": "torch.tanh({0})",
        "linear": "{0}",
    }
)
"""Each activation, as configurations name it, in PyTorch; {0} is its input."""


def activation_name(name: str) -> str:
    """Return an activation as papers write it."""
    return _ACTIVATIONS.get(name, name)


def activation_sentence(name: str) -> str:
    """Return what an activation does with a number, in one sentence that is true of this one."""
    written = activation_name(name)
    smooth = Message("Large negative numbers become almost 0, large positive ones pass almost unchanged.")
    sentences = {
        "GELU10": Message("Large negative numbers become almost 0; nothing becomes larger than 10."),
        "ReLU": Message("Negative numbers become 0, positive ones pass unchanged."),
        "ReLU²": Message("Negative numbers become 0, positive ones are squared."),
        "ReLU6": Message("Negative numbers become 0, positive ones pass unchanged up to 6."),
        "LeakyReLU": Message(
            "Negative numbers become a hundred times smaller, positive ones pass unchanged."
        ),
        "tanh": Message("Every number is brought between −1 and 1 and keeps its sign."),
        "sigmoid": Message("Every number is brought between 0 and 1; 0 becomes one half."),
        "Laplace": Message("Every number is brought between 0 and 1; those below 0 become almost 0."),
        "id": Message("Nothing changes: this model has no activation here."),
    }
    unknown = Message("The same function is applied to every number.")
    return smooth if written in _SMOOTH else sentences.get(written, unknown)


_SMOOTH = ("GELU", "QuickGELU", "SiLU", "Hardswish", "Mish")
