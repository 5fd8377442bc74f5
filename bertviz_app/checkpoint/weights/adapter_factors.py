"""The factors of adapters in a file of weights, by the names that PEFT and loralib give them.

What is done with them is decided in `checkpoint.adapters`. Loads no torch.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from bertviz_app.errors import CheckpointError, Message, shown

if TYPE_CHECKING:
    from torch import Tensor

MERGE = Message("Merge it where it was trained: {0}.", "model.merge_and_unload().save_pretrained(folder)")
UNMERGEABLE = Message(
    "It cannot be merged into weights. Open the checkpoint that it was trained on, without it."
)
"""The ways out where an adapter is not computed."""

PEFT_PREFIX = "base_model.model."
_FACTOR = re.compile(
    # Not of PyTorch's own parametrizations: Jina's have the adapters of several tasks in one tensor.
    r"(?P<module>(?:(?!\.parametrizations\.).)+)\.(?P<part>lora_(?:embedding_)?[AB]|lora_magnitude_vector)"
    r"(?:\.(?P<adapter>(?!weight$|bias$)[^.]+))?(?:\.(?P<kind>weight|bias))?"
)
_SAVED = re.compile(r"(?P<module>.+)\.modules_to_save\.(?:(?P<adapter>[^.]+)\.)?(?P<kind>[^.]+)")
_ORIGINAL = ".original_module."
_OTHERS = (
    (re.compile(r"\.ia3_l(\.|$)"), "IA3"),
    (re.compile(r"\.lora_E(\.|$)|\.ranknum(\.|$)"), "AdaLoRA"),
    (re.compile(r"\.hada_[wt]\d"), "LoHa"),
    (re.compile(r"\.lokr_[wt]\d"), "LoKr"),
    (re.compile(r"\.oft_[rR](\.|$)"), "OFT"),
    (re.compile(r"\.boft_[Rs](\.|$)"), "BOFT"),
    (re.compile(r"\.vera_(lambda|[AB])"), "VeRA"),
    (re.compile(r"\.fourierft_"), "FourierFT"),
    (re.compile(r"\.ln_tuning_layers\."), "LN tuning"),
    (re.compile(r"(^|\.)(prompt_embeddings|prompt_encoder|prefix_encoder)(\.|$)"), "prompt or prefix tuning"),
    (re.compile(r"\.trainable_tokens_(delta|original)"), "trainable tokens"),
    (re.compile(r"\.loras\."), "LoRA of AdapterHub"),
    (
        re.compile(r"\.(adapters|adapter_fusion_layer|invertible_adapters|prefix_tunings)\."),
        "AdapterHub",
    ),
)
"""What the parameters of adapters that are not computed are called by."""
_WAYS_OUT = MappingProxyType(
    {
        "LoRA of AdapterHub": Message(
            "Merge it where it was trained: {0}.", "model.merge_adapter(name); model.save_pretrained(folder)"
        ),
        "AdapterHub": UNMERGEABLE,
        "prompt or prefix tuning": UNMERGEABLE,
    }
)
"""For those kinds that PEFT cannot merge."""


@dataclass(frozen=True, eq=False)
class LowRank:
    """The factors A [rank, inputs] and B [outputs, rank] of one module, as they are in the file.

    `bias` [outputs] is added by B; `magnitude` is the length of each row of the adapted weights.
    """

    down: Tensor
    up: Tensor
    bias: Tensor | None = None
    magnitude: Tensor | None = None
    is_embedding: bool = False


@dataclass(frozen=True, eq=False)
class Contents:
    """The tensors of a file, and the factors of adapters beside them, by the names of their modules.

    `stored_names`: of the tensors whose name in the file is another one, that name. `prefix`: that of a
    training script, which all names in the file begin with.
    """

    tensors: Mapping[str, Tensor]
    factors: Mapping[str, LowRank] = field(default_factory=dict)
    stored_names: Mapping[str, str] = field(default_factory=dict)
    prefix: str = ""


def refuse_other_adapters(names: Mapping[str, Tensor]) -> None:
    """Raise CheckpointError if one of `names` is of an adapter that is not computed."""
    for name in names:
        for pattern, kind in _OTHERS:
            if pattern.search(name):
                message = Message(
                    "The weights have an adapter of the kind {0}, which is not supported: {1}.",
                    kind,
                    shown(name),
                )
                raise CheckpointError(message, _WAYS_OUT.get(kind, MERGE))


def separated(tensors: Mapping[str, Tensor]) -> Contents:
    """Return `tensors` as they would be without adapters, and the factors of those.

    What an adapter has trained as a whole takes the place of the original. Raises CheckpointError for other
    adapters than LoRA, for several ones, and for factors without their counterparts.
    """
    refuse_other_adapters(tensors)
    if not any(_is_of_adapter(name) for name in tensors):
        return Contents(tensors)
    factors: dict[str, dict[str, Tensor]] = {}
    plain: dict[str, Tensor] = {}
    saved: dict[str, Tensor] = {}
    adapters: set[str] = set()
    stored: dict[str, str] = {}
    for in_file, tensor in tensors.items():
        name = in_file.removeprefix(PEFT_PREFIX)
        if (factor := _FACTOR.fullmatch(name)) is not None:
            part = f"{factor['part']}.bias" if factor["kind"] == "bias" else factor["part"]
            factors.setdefault(factor["module"], {})[part] = tensor
            adapters.add(factor["adapter"] or "")
        elif (module := _SAVED.fullmatch(name)) is not None:
            saved[f"{module['module']}.{module['kind']}"] = tensor
            stored[f"{module['module']}.{module['kind']}"] = in_file
            adapters.add(module["adapter"] or "")
        elif _ORIGINAL not in name:
            plain[name.replace(".base_layer.", ".")] = tensor
            stored.setdefault(name.replace(".base_layer.", "."), in_file)
    if len(adapters) > 1:
        listed = ", ".join(shown(adapter) for adapter in sorted(adapters))
        message = Message("The weights have several adapters: {0}.", listed)
        raise CheckpointError(message, Message("Save the model with one of them."))
    low_rank = {module: _low_rank(module, parts) for module, parts in factors.items()}
    return Contents(saved | plain, low_rank, stored)


def _is_of_adapter(name: str) -> bool:
    return (
        name.startswith(PEFT_PREFIX)
        or ".lora_" in name
        or ".base_layer." in name
        or ".modules_to_save." in name
    )


def _low_rank(module: str, parts: Mapping[str, Tensor]) -> LowRank:
    is_embedding = "lora_embedding_A" in parts or "lora_embedding_B" in parts
    start = "lora_embedding_" if is_embedding else "lora_"
    down, up = parts.get(f"{start}A"), parts.get(f"{start}B")
    if down is None or up is None:
        message = Message("The adapter has only one of the two factors of {0}.", shown(module))
        raise CheckpointError(message, Message("Fetch the file again; it may have been cut short."))
    if down.ndim != 2 or up.ndim != 2 or down.shape[0] != up.shape[1]:
        message = Message(
            "The factors of {0} cannot be multiplied: their shapes are {1} and {2}.",
            shown(module),
            list(up.shape),
            list(down.shape),
        )
        raise CheckpointError(message, MERGE)
    return LowRank(down, up, parts.get("lora_B.bias"), parts.get("lora_magnitude_vector"), is_embedding)
