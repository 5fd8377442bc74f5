"""From a file's tensors to an `Encoder`: renamed, compared with the configuration, copied once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from torch import Tensor

from bertviz_app.checkpoint.blank import blank_encoder
from bertviz_app.checkpoint.config import CheckpointConfig
from bertviz_app.checkpoint.copying import Check, Progress, copied, refuse_swollen, taken
from bertviz_app.checkpoint.families import Family
from bertviz_app.checkpoint.report import LoadReport, Mismatch, WeightsError, folded
from bertviz_app.checkpoint.shards import weight_files
from bertviz_app.checkpoint.tensors import is_mapped, judge, read_weights
from bertviz_app.checkpoint.wording import shown
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.errors import CheckpointError

__all__ = ["Check", "Progress", "load_encoder", "placed", "verify"]

_POOLER = "pooler."


def load_encoder(
    path: Path, config: CheckpointConfig, progress: Progress | None = None, check: Check | None = None
) -> tuple[Encoder, LoadReport]:
    """Return the encoder with the weights at `path`, a file or an index, in float32, and how they fitted.

    A checkpoint without a pooler gives an encoder without one. `progress` is told bytes copied and in
    all; `check` may raise. Raises CheckpointError, with a `report` where names or shapes do not fit.
    """
    tensors, remarks = _renamed(read_weights(path), config.family)
    has_pooler = any(name.startswith(_POOLER) for name in tensors)
    encoder = blank_encoder(replace(config.encoder, has_pooler=has_pooler))
    parameters = encoder.state_dict()
    report = _compare(parameters, tensors, remarks)
    if report.missing or report.mismatched:
        message = f"{path.name} does not fit config.json. {report.summary()}"
        raise WeightsError(message, "The two files are not of the same checkpoint.", report)
    wanted = {name: tensors[name] for name in parameters}
    del tensors  # what is not wanted need not stay mapped, or in memory
    refuse_swollen(wanted, sum(file.stat().st_size for file in weight_files(path)))
    encoder.load_state_dict(_owned(path, config.family, wanted, progress, check), assign=True)
    return encoder.eval(), report


def _owned(
    path: Path, family: Family, wanted: dict[str, Tensor], progress: Progress | None, check: Check | None
) -> dict[str, Tensor]:
    """Return the tensors in memory of our own, in float32."""
    if not is_mapped(path):
        return taken(wanted, progress, check)
    return copied(wanted, lambda: _renamed(read_weights(path), family)[0], progress, check)


def placed(encoder: Encoder, device: str) -> Encoder:
    """Return a copy of `encoder` on `device`; the numbers go there directly."""
    copy = blank_encoder(encoder.config)
    copy.load_state_dict(
        {name: tensor.to(device) for name, tensor in encoder.state_dict().items()}, assign=True
    )
    return copy.eval()


def verify(path: Path, sha256: str) -> None:
    """Raise CheckpointError unless the file at `path` has the SHA-256 `sha256`."""
    facts = path.stat()
    if _sha256(path, facts.st_size, facts.st_mtime_ns) != sha256:
        message = f"{path} is not the file that was published: its SHA-256 is another."
        raise CheckpointError(message, "Install the package again.")


@lru_cache(maxsize=8)
def _sha256(path: Path, size: int, mtime_ns: int) -> str:  # the last two only tell versions apart
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _renamed(tensors: Mapping[str, Tensor], family: Family) -> tuple[dict[str, Tensor], LoadReport]:
    """Return the encoder's tensors by our names, and a report of the task heads left behind."""
    ours: dict[str, Tensor] = {}
    heads: list[str] = []
    for theirs, tensor in tensors.items():
        name = family.strip(theirs)
        if any(pattern.search(name) for pattern in family.ignored):
            continue
        if any(pattern.search(name) for pattern in family.heads):
            heads.append(theirs)
            continue
        name = family.rename(name)
        if name in ours:
            message = f"Two tensors of the file stand for one parameter, {shown(name)}."
            raise CheckpointError(message, "Save the model again.")
        ours[name] = tensor
    return ours, LoadReport(heads=folded(heads))


def _compare(
    parameters: Mapping[str, Tensor], tensors: Mapping[str, Tensor], remarks: LoadReport
) -> LoadReport:
    there = [name for name in parameters if name in tensors]
    for name in there:
        judge(name, tensors[name])
    mismatched = [
        Mismatch(name, tuple(parameters[name].shape), tuple(tensors[name].shape))
        for name in there
        if parameters[name].shape != tensors[name].shape
    ]
    return replace(
        remarks,
        missing=folded(name for name in parameters if name not in tensors),
        unexpected=folded(name for name in tensors if name not in parameters),
        mismatched=tuple(mismatched),
    )
