"""Making an encoder and task heads of a file's tensors: renamed, compared with config.json, copied once."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import torch
from torch import Tensor

from bertviz_app.checkpoint.adapters.adaptation import UNADAPTED, Adaptation
from bertviz_app.checkpoint.config.config import CheckpointConfig
from bertviz_app.checkpoint.families.family import Family
from bertviz_app.checkpoint.questions import Questions
from bertviz_app.checkpoint.weights.bounded_copy import copied, refuse_swollen, taken
from bertviz_app.checkpoint.weights.empty_module import blank_encoder, blank_heads
from bertviz_app.checkpoint.weights.grouped import as_in_file, written_out
from bertviz_app.checkpoint.weights.last_token import VECTOR_WEIGHT, last_token_vector
from bertviz_app.checkpoint.weights.names import OUTSIDE, renamed
from bertviz_app.checkpoint.weights.prefixes import with_outer
from bertviz_app.checkpoint.weights.report import LoadReport, Mismatch, WeightsError, folded
from bertviz_app.checkpoint.weights.shards import weight_files
from bertviz_app.checkpoint.weights.task_heads import (
    DECODER,
    MASKED,
    PREFIX,
    is_tied,
    whole_heads,
)
from bertviz_app.checkpoint.weights.tensors import is_mapped, read_contents, read_weights, validate
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.output import SentenceVector, TaskHeads
from bertviz_app.errors import CheckpointError, Message
from bertviz_app.types import Check, Progress

__all__ = ["Check", "Loaded", "Progress", "load_weights", "placed", "verify"]

_POOLER = "pooler."
_FREQUENCIES = "rotary."


@dataclass(frozen=True, eq=False)
class Loaded:
    """The encoder and task heads of a file of weights, the load report, and the questions about the file.

    `names`: the names in the file of their parameters, by ours. `adapted`: those that an adapter changed.
    """

    encoder: Encoder
    task_heads: TaskHeads
    report: LoadReport
    questions: Questions | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    adapted: frozenset[str] = frozenset()
    sentence: SentenceVector | None = None  # where the family's own code has one


def load_weights(
    path: Path,
    config: CheckpointConfig,
    progress: Progress | None = None,
    check: Check | None = None,
    adaptation: Adaptation = UNADAPTED,
) -> Loaded:
    """Return the encoder and the task heads of the weights at `path`, a file or an index, in float32.

    A checkpoint without a pooler gives an encoder without one; the task heads are those of which the file has
    all parameters. `progress` gets the bytes copied and the total; `check` may raise. `adaptation` is the
    LoRA that is added. Raises CheckpointError, with a `report` if names or shapes do not fit.
    """
    contents = read_contents(path)
    config = replace(config, family=with_outer(config.family, contents.tensors))
    tensors, names = renamed(contents.tensors, config)
    stored = {name: contents.stored_names.get(theirs, theirs) for name, theirs in names.items()}
    questions = adaptation.questions(contents)
    lora = adaptation.lora(path, contents, config, blank_encoder(config.encoder).state_dict())
    if lora is not None:
        tensors, names = lora.over(tensors), {**names, **lora.names}
        stored |= lora.names
    has_pooler = any(name.startswith(_POOLER) for name in tensors)
    own_frequencies = any(name.startswith(_FREQUENCIES) for name in tensors)
    stated = replace(config.encoder, has_pooler=has_pooler, has_own_frequencies=own_frequencies)
    encoder = blank_encoder(stated)
    heads = blank_heads(encoder.config, whole_heads(config, encoder.config, tensors))
    own = {PREFIX + name for name in heads.state_dict()}
    if is_tied(config, tensors):
        own.discard(PREFIX + DECODER)
    parameters = encoder.state_dict()
    projection = PREFIX + config.family.vector_projection
    more = {projection} & tensors.keys()
    for name in more:
        validate(name, tensors[name])
    in_file = as_in_file(config.family, parameters)
    report = _compare(config.family, in_file, tensors, names, own | more)
    report = replace(report, prefix=contents.prefix + report.prefix)
    _refuse_misfits(path, report)
    replaced = {} if lora is None else lora.replaced_of({*parameters, *own})
    used = {name: tensors[name] for name in (*parameters, *sorted(own | more)) if name not in replaced}
    del contents, tensors  # release the tensors that are not used
    refuse_swollen(used, sum(file.stat().st_size for file in weight_files(path)))
    numbers = written_out(config.family, _owned(path, config, used, progress, check)) | replaced
    adapted = frozenset(replaced)
    if lora is not None:
        adapted |= lora.add_to(numbers)
        report = replace(report, adapter=lora.summary())
    encoder.load_state_dict({name: numbers[name] for name in parameters}, assign=True)
    _fill(heads, {name.removeprefix(PREFIX): numbers[name] for name in own}, encoder)
    of_vector = {VECTOR_WEIGHT: stored[projection]} if more else {}
    stored = {name: stored[name] for name in (*parameters, *sorted(own))} | of_vector
    sentence = last_token_vector(encoder.config, numbers.get(projection)) if projection != PREFIX else None
    return Loaded(encoder.eval(), heads.eval(), report, questions, stored, adapted, sentence)


def _fill(heads: TaskHeads, numbers: dict[str, Tensor], encoder: Encoder) -> None:
    if heads.masked is not None:
        numbers.setdefault(DECODER, encoder.embeddings.token.weight.detach())
    heads.load_state_dict(numbers, assign=True)


def _owned(
    path: Path,
    config: CheckpointConfig,
    used: dict[str, Tensor],
    progress: Progress | None,
    check: Check | None,
) -> dict[str, Tensor]:
    """Return the tensors in float32, so that they do not depend on the file any more."""
    if not is_mapped(path):
        return taken(used, progress, check)
    return copied(used, lambda: renamed(read_weights(path), config)[0], progress, check)


def placed(encoder: Encoder, device: str, *, in_bfloat16: bool = False) -> Encoder:
    """Return a copy of `encoder` on `device`, without a second copy on the CPU.

    `in_bfloat16`: the weights that the layers multiply with have 16 bits, see `Encoder.multiplied`.
    """
    low = encoder.multiplied() if in_bfloat16 else frozenset()
    copy = blank_encoder(encoder.config)
    copy.load_state_dict(
        {
            name: tensor.to(device, torch.bfloat16 if name in low else tensor.dtype)
            for name, tensor in encoder.state_dict().items()
        },
        assign=True,
    )
    return copy.eval()


def verify(path: Path, sha256: str) -> None:
    """Raise CheckpointError unless the file at `path` has the SHA-256 `sha256`."""
    facts = path.stat()
    if _sha256(path, facts.st_size, facts.st_mtime_ns) != sha256:
        message = Message("{0} is not the file that was published: its SHA-256 is another.", path)
        raise CheckpointError(message, Message("Install the package again."))


@lru_cache(maxsize=8)
def _sha256(path: Path, size: int, mtime_ns: int) -> str:  # size and time are part of the cache key only
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _refuse_misfits(path: Path, report: LoadReport) -> None:
    """Raise WeightsError if the encoder lacks tensors, or would leave out a part of the model."""
    if report.missing or report.mismatched:
        message = Message("{0} does not fit config.json. {1}", path.name, report.summary())
        raise WeightsError(message, _on_misfit(report), report)
    if report.not_computed:
        message = Message("{0} holds more than the encoder computes. {1}", path.name, report.summary())
        hint = Message("Merge these parts into the weights with the program that trained them.")
        raise WeightsError(message, hint, report)


def _on_misfit(report: LoadReport) -> Message:
    """Return the way out; a table of positions alone of another length was made longer by the training."""
    names = [mismatch.name for mismatch in report.mismatched]
    if names == ["embeddings.position.weight"] and not report.missing:
        (found, width), (_, expected) = report.mismatched[0].found, report.mismatched[0].expected
        if width == expected:
            return Message(
                "If its training changed that length, let “max_position_embeddings” in {0} be {1}.",
                "config.json",
                found,
            )
    return Message("The two files are not of the same checkpoint.")


def _compare(
    family: Family,
    parameters: Mapping[str, Tensor],
    tensors: Mapping[str, Tensor],
    names: Mapping[str, str],
    own: Collection[str],
) -> LoadReport:
    """Return how `tensors` fit the encoder's `parameters`; `own`: the names in task heads that are used."""
    there = [name for name in parameters if name in tensors]
    for name in there:
        validate(names.get(name, name), tensors[name])
    mismatched = [
        Mismatch(name, tuple(parameters[name].shape), tuple(tensors[name].shape))
        for name in there
        if parameters[name].shape != tensors[name].shape
    ]
    # Some files store a tied table twice: it counts as used.
    used = {*own, PREFIX + DECODER} if PREFIX + MASKED in own else own
    heads = [theirs for name, theirs in names.items() if name.startswith(PREFIX) and name not in used]
    unknown = [name for name in tensors if name not in parameters and not name.startswith(PREFIX)]
    outside = [name for name in unknown if name.startswith(OUTSIDE)]
    unknown = [name for name in unknown if name not in outside]
    unknown = [name for name in unknown if not any(pattern.search(name) for pattern in family.unused)]
    inside = unknown if family.is_exact else _inside(family, parameters, names, unknown)
    return LoadReport(
        missing=folded(name for name in parameters if name not in tensors),
        unexpected=folded(names[name] for name in (*unknown, *outside) if name not in inside),
        mismatched=tuple(mismatched),
        task_heads=folded(heads),
        not_computed=folded(names[name] for name in inside),
        prefix=family.outer,
    )


def _inside(
    family: Family, parameters: Collection[str], names: Mapping[str, str], unknown: Sequence[str]
) -> list[str]:
    """Return which of the `unknown` names are in the modules that hold the encoder's `parameters`."""

    def root(name: str) -> str:
        return name.partition(".")[0]

    ours = {root(name) for name in parameters}
    theirs = {root(family.strip(names[name])) for name in parameters if name in names}
    return [name for name in unknown if root(name) in ours or root(family.strip(names[name])) in theirs]
