"""Which token an analysis of predictions is about, and the error where a checkpoint predicts none."""

from __future__ import annotations

import numpy as np

from bertviz_app.analysis.entry import Inputs
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.text.tokens import token_at
from bertviz_app.trace.form import Form


def refuse_without_masked_head(form: Form, task_heads: tuple[str, ...]) -> AnalysisError | None:
    """Return the error for a checkpoint that does not predict masked tokens, else None."""
    if "masked" in task_heads:
        return None
    message = Message("This checkpoint does not predict masked tokens.")
    return AnalysisError(message, Message("Open one with a head for masked tokens."))


def predicted_token(inputs: Inputs, position: int | None) -> int | None:
    """Return a position that is given, else that of the first masked token; None where no token is masked.

    Raises SelectionError for a token that the text does not have.
    """
    if position is not None:
        return token_at(inputs.trace.tokens, position)
    masked = np.flatnonzero(inputs.trace.tokens.ids == inputs.opened.mask_id)
    return int(masked[0]) if len(masked) else None
