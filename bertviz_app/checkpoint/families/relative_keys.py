"""Keys of config.json about positions and tasks that BERT and the families derived from it share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from bertviz_app.checkpoint.families.family import Family, patterns
from bertviz_app.checkpoint.families.jina import OF_JINA, with_names_of_v2, with_names_of_v3
from bertviz_app.encoder.config import EncoderConfig, RelativeKeys
from bertviz_app.errors import CheckpointError, Message, shown

_AGAIN = Message("Fetch config.json again; it comes with the checkpoint.")
_MOST_TASKS = 10_000
_KINDS: MappingProxyType[str, RelativeKeys | None] = MappingProxyType(
    {
        "absolute": None,
        "relative_key": RelativeKeys(),
        "relative_key_query": RelativeKeys(meets_keys=True),
    }
)


def bert_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return the fields of an EncoderConfig that follow from position_embedding_type.

    With vectors of distances in the scores, no position is added to the embeddings. Raises CheckpointError.
    """
    name = settings.get("position_embedding_type") or "absolute"
    if (of_jina := OF_JINA.get((settings.get("model_type"), str(name)))) is not None:
        return of_jina(settings, sizes)
    if not isinstance(name, str) or name not in _KINDS:
        message = Message(
            "This checkpoint has position_embedding_type = “{0}”, which is not known.", shown(str(name))
        )
        raise CheckpointError(message, Message("Known are {0}.", ", ".join(_KINDS)))
    kind = _KINDS[name]
    return {} if kind is None else {"relative_keys": kind, "has_position_table": False}


def without_unused_positions(
    family: Family, settings: Mapping[str, object], encoder: EncoderConfig
) -> Family:
    """Return the table of `family` for an encoder with vectors of distances, or for one of Jina's.

    `transformers` still made a table of position embeddings for it, and never read that.
    """
    if encoder.has_linear_biases:
        return with_names_of_v2(family)
    if encoder.rotary_bases:
        return with_names_of_v3(family, settings)
    if encoder.relative_keys is None:
        return family
    return replace(family, ignored=(*family.ignored, *patterns(r"^embeddings\.position_embeddings\.")))


def ernie_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return those of `bert_fields` and the number of tasks. Raises CheckpointError."""
    uses_tasks = settings.get("use_task_id", False)
    if not isinstance(uses_tasks, bool):
        raise CheckpointError(Message("{0} in config.json must be true or false.", "use_task_id"), _AGAIN)
    count = settings.get("task_type_vocab_size", 3)
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= _MOST_TASKS:
        message = Message(
            "{0} in config.json must be a whole number from 1 to {1}.",
            "task_type_vocab_size",
            f"{_MOST_TASKS:,}",
        )
        raise CheckpointError(message, _AGAIN)
    return bert_fields(settings, sizes) | ({"n_tasks": count} if uses_tasks else {})
