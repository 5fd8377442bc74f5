"""The activations of the feed-forward part: how papers write them, what they are, and what they do."""

from __future__ import annotations

from types import MappingProxyType

from bertviz_app.errors import Message
from bertviz_app.values import dataclass

_SMOOTH = Message("Large negative numbers become almost 0, large positive ones pass almost unchanged.")
_UNKNOWN = Message("The same function is applied to every number.")


@dataclass(frozen=True)
class Activation:
    """A function: its name in papers, PyTorch of {0}, its formula if the name does not say it, a sentence."""

    name: str
    code: str = ""
    definition: str = ""
    """Φ is the normal distribution, σ the sigmoid."""
    sentence: str = _UNKNOWN


_GELU = Activation("GELU", "nn.functional.gelu({0})", "u_i ⊙ Φ(u_i)", _SMOOTH)
_GELU_BY_TANH = Activation("GELU", 'nn.functional.gelu({0}, approximate="tanh")', "u_i ⊙ Φ(u_i)", _SMOOTH)
_SILU = Activation("SiLU", "nn.functional.silu({0})", "u_i ⊙ σ(u_i)", _SMOOTH)
ACTIVATIONS = MappingProxyType(
    {
        **dict.fromkeys(("gelu", "gelu_python"), _GELU),
        **dict.fromkeys(("gelu_new", "gelu_fast", "gelu_accurate"), _GELU_BY_TANH),
        **dict.fromkeys(("gelu_pytorch_tanh", "gelu_python_tanh"), _GELU_BY_TANH),
        "quick_gelu": Activation(
            "QuickGELU", "{0} * torch.sigmoid(1.702 * {0})", "u_i ⊙ σ(1.702 u_i)", _SMOOTH
        ),
        "gelu_10": Activation(
            "GELU10",
            "nn.functional.gelu({0}).clamp(-10, 10)",
            "\\t{min}(10, u_i ⊙ Φ(u_i))",  # GELU itself is nowhere below -0.17
            Message("Large negative numbers become almost 0; nothing becomes larger than 10."),
        ),
        "relu": Activation(
            "ReLU",
            "nn.functional.relu({0})",
            "\\t{max}(0, u_i)",
            Message("Negative numbers become 0, positive ones pass unchanged."),
        ),
        "relu2": Activation(
            "ReLU²",
            "nn.functional.relu({0}).square()",
            "\\t{max}(0, u_i)^2",
            Message("Negative numbers become 0, positive ones are squared."),
        ),
        "relu6": Activation(
            "ReLU6",
            "nn.functional.relu6({0})",
            "\\t{min}(6, \\t{max}(0, u_i))",
            Message("Negative numbers become 0, positive ones pass unchanged up to 6."),
        ),
        "leaky_relu": Activation(
            "LeakyReLU",
            "nn.functional.leaky_relu({0})",
            "\\t{max}(0.01 u_i, u_i)",
            Message("Negative numbers become a hundred times smaller, positive ones pass unchanged."),
        ),
        **dict.fromkeys(("silu", "swish"), _SILU),
        "hardswish": Activation(
            "Hardswish", "nn.functional.hardswish({0})", "u_i ⊙ \\t{ReLU6}(u_i + 3) / 6", _SMOOTH
        ),
        "mish": Activation(
            "Mish", "nn.functional.mish({0})", "u_i ⊙ \\t{tanh}(\\t{ln}(1 + e^{u_i}))", _SMOOTH
        ),
        "laplace": Activation(
            "Laplace",
            "0.5 * (1 + torch.erf(({0} - 0.707107) / (0.282095 * math.sqrt(2))))",
            "Φ((u_i − 0.707107) / 0.282095)",
            Message("Every number is brought between 0 and 1; those below 0 become almost 0."),
        ),
        "sigmoid": Activation(
            "sigmoid",
            "torch.sigmoid({0})",
            "σ(u_i)",
            Message("Every number is brought between 0 and 1; 0 becomes one half."),
        ),
        "tanh": Activation(
            "tanh",
            "torch.tanh({0})",
            sentence=Message("Every number is brought between −1 and 1 and keeps its sign."),
        ),
        "linear": Activation(
            "id", "{0}", "u_i", Message("Nothing changes: this model has no activation here.")
        ),
    }
)
"""Each activation by its name in configurations."""


def activation(name: str) -> Activation:
    """Return an activation by its name in configurations; of an unknown one the name is all there is."""
    return ACTIVATIONS.get(name) or Activation(name)
