"""`Logits`: what the task heads of a checkpoint say to one input, before any softmax."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Logits:
    """Float32, read-only; None where the checkpoint has no such head. V pieces, N classes.

    `next_sentence`: BERT's "follows", "does not"; ALBERT's "in order", "swapped". `labels` are the
    checkpoint's names of its classes, as many as there are classes, or none.
    """

    masked: Floats | None  # [T, V], which piece stands at each place
    next_sentence: Floats | None  # [2]
    replaced: Floats | None  # [T], above 0 for a token that was replaced
    classes: Floats | None  # [N]
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.masked, self.next_sentence, self.replaced, self.classes):
            if array is not None:
                array.flags.writeable = False
