"""`worst`: how far an identity that an analysis promises is off, from several differences."""

from __future__ import annotations

import numpy as np


def worst(*differences: float) -> float:
    """Return the largest of some differences, for an `identity_error`; nan if one of them is nan.

    Python's `max` passes over a nan that is not its first argument.
    """
    return float(np.max(differences))
