"""MPNet's config.json: the size of its table of relative position biases."""

from __future__ import annotations

from collections.abc import Mapping

from bertviz_app.encoder.config import N_BUCKETS
from bertviz_app.errors import CheckpointError, Message

_MOST = 1_000_000


def mpnet_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return `n_distance_buckets` of an EncoderConfig. Raises CheckpointError.

    MPNet's own code, and `transformers`, use the first 32 rows of the table whatever its size, and fail with
    fewer.
    """
    key = "relative_attention_num_buckets"
    n_rows = settings.get(key, N_BUCKETS)
    if isinstance(n_rows, bool) or not isinstance(n_rows, int) or not N_BUCKETS <= n_rows <= _MOST:
        message = Message(
            "{0} in config.json must be a whole number from {1} to {2}.", key, N_BUCKETS, f"{_MOST:,}"
        )
        raise CheckpointError(message, Message("MPNet's own code computes with {0} buckets.", N_BUCKETS))
    return {"n_distance_buckets": n_rows}
