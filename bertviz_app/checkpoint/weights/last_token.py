"""`last_token_vector`: the sentence vector of a family whose own code reads the last token, such as CLIP."""

from __future__ import annotations

from torch import Tensor

from bertviz_app.checkpoint.weights.empty_module import blank_sentence_vector
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.output import DenseLayer, Pooling, SentenceConfig, SentenceVector
from bertviz_app.errors import CheckpointError, Message

VECTOR_WEIGHT = "sentence.steps.0.linear.weight"
"""The key of the projection among the parameters of a checkpoint."""


def last_token_vector(encoder: EncoderConfig, projection: Tensor | None) -> SentenceVector:
    """Return what computes it: the last hidden state of the last token, times the `projection` [S, D] if any.

    Raises CheckpointError for one of another shape.
    """
    steps = []
    if projection is not None:
        if projection.ndim != 2 or projection.shape[1] != encoder.width:
            shape = list(projection.shape)
            message = Message("The projection of the sentence vector has shape {0}.", shape)
            raise CheckpointError(message, Message("The file is damaged; fetch it again."))
        steps.append(DenseLayer(encoder.width, len(projection), "Identity", has_bias=False))
    config = SentenceConfig(encoder.width, Pooling(("lasttoken",)), tuple(steps))
    vector = blank_sentence_vector(config)
    if projection is not None:
        vector.load_state_dict({VECTOR_WEIGHT.removeprefix("sentence."): projection}, assign=True)
    return vector.eval()
