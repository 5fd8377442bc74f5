"""Weights that were rounded to a few bits: whose method it was, by the names of the tensors. No torch."""

from __future__ import annotations

from collections.abc import Collection

from bertviz_app.errors import CheckpointError, Message, shown

_METHODS: tuple[tuple[tuple[str, ...], str], ...] = (
    ((".SCB",), "bitsandbytes, 8 bits"),
    ((".quant_state.bitsandbytes__nf4",), "bitsandbytes, 4 bits (nf4)"),
    ((".quant_state.bitsandbytes__fp4",), "bitsandbytes, 4 bits (fp4)"),
    ((".qweight", ".g_idx"), "GPTQ"),
    ((".qweight", ".qzeros"), "AWQ"),
    ((".weight_packed", ".weight_scale"), "compressed-tensors"),
    ((".weight_scale_inv",), "blocks of 8-bit floating-point numbers"),
)
"""By what names end in: the method; all endings of a row are there. GPTQ has AWQ's endings, and one more."""


def refuse_quantised(file: str, names: Collection[str]) -> None:
    """Raise CheckpointError if tensors of these `names`, in the file `file`, are quantised ones."""
    for endings, method in _METHODS:
        found = [next((name for name in names if name.endswith(end)), None) for end in endings]
        if all(found):
            message = Message(
                "The weights in {0} are quantised ({1}): {2} says so. Rounded weights are not computed with.",
                file,
                method,
                shown(str(found[0])),
            )
            raise CheckpointError(
                message, Message("Open the checkpoint that was quantised, in full precision.")
            )
