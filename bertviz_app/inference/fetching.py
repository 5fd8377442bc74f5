"""Finding the files of a checkpoint by its name or its fingerprint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.checkpoint.sources.source import (
    Source,
    default_source,
    find,
    hub_snapshot,
    is_hub_id,
    list_sources,
    sources_at,
    split_revision,
)
from bertviz_app.errors import AppError, Check, CheckpointError, HubError, Message
from bertviz_app.inference.jobs import preload_torch
from bertviz_app.text.edits import Edits
from bertviz_app.trace import Trace
from bertviz_app.trace.interventions import validate_heads
from bertviz_app.trace.provenance import UNKNOWN, Identity
from bertviz_app.values import dataclass


def source_of(
    ref: str | None, progress: Callable[[int, int], None] | None, check: Callable[[], None] | None
) -> Source:
    """Return the checkpoint that `ref` names (None: the default one), downloaded if necessary.

    `progress` is called with the bytes fetched and the total. Raises CheckpointError, HubError, or whatever
    `check` raises.
    """
    if ref is None:
        return default_source()
    try:
        return find(ref)
    except CheckpointError:
        if not is_hub_id(ref.strip()):
            raise
    from bertviz_app.checkpoint.sources.hub import download

    repo_id, revision = split_revision(ref.strip())
    try:
        return download(repo_id, revision=revision, progress=progress, check=check)
    except HubError as error:  # "models/mine" may have been meant as a folder
        hint = Message("{0} There is no folder of that name either.", error.hint)
        raise HubError(error.message, hint) from error


_ALIKE = 1e-2
"""Share of the largest hidden state by which two runs of one checkpoint may differ, on two computers.

Runs of different checkpoints differ by far more.
"""
_ALIKE_OF_BFLOAT16 = 0.1
"""The same for a trace made with bfloat16, which is compared with one in float32."""


@dataclass(frozen=True)
class SavedCheckpoint:
    """The name of a checkpoint, where it was, and the data that identify it.

    `ref` is the folder, or the file of weights, that it was opened from. Sizes are 0 if not known.
    """

    name: str = ""
    ref: str = ""
    identity: Identity = UNKNOWN
    n_layers: int = 0
    n_heads: int = 0
    width: int = 0

    @classmethod
    def of(cls, facts: ModelFacts) -> SavedCheckpoint:
        """Return the data by which the open checkpoint with these facts can be found again."""
        return cls(facts.name, facts.ref, facts.identity, facts.n_layers, facts.n_heads, facts.width)

    @classmethod
    def of_trace(cls, trace: Trace, ref: str = "") -> SavedCheckpoint:
        """Return the data that identify the checkpoint of a trace; `ref` is where it may be."""
        sizes = trace.n_layers, trace.n_heads, trace.width
        return cls(trace.model, ref, trace.provenance.checkpoint, *sizes)

    @property
    def has_successor(self) -> bool:
        """Whether the path where it was exists."""
        return Path(self.ref).is_absolute() and Path(self.ref).exists()

    @property
    def hub_ref(self) -> str:
        """The name by which the hub has it, "org/name@commit"; "" if it was not from there."""
        identity = self.identity
        return f"{identity.hub_id}@{identity.revision}" if identity.hub_id and identity.revision else ""


NOT_KNOWN = SavedCheckpoint()


def find_saved(
    saved: SavedCheckpoint,
    opened: Mapping[str, ModelFacts],
    recent: Iterable[str],
    check: Check,
    trace: Trace | None = None,
) -> str | None:
    """Return the folder, or the file, of the checkpoint that was `saved`; None if it is not on this computer.

    Those that are `opened` are compared first, then the folder where it was, the `recent` ones, those that
    come with the program, and those in the hub's cache; nothing is downloaded. A file of an older version
    has no fingerprint: then a checkpoint is the one if it computes the numbers of `trace` again.
    """
    for ref, facts in opened.items():
        is_there = not Path(ref).is_absolute() or Path(ref).exists()  # it may have been moved since
        if is_there and facts.identity.is_same(saved.identity):
            return ref
    preload_torch()
    for source in _candidates(saved, recent):
        check()
        if is_saved_at(source, saved, check, trace):
            return source.ref
    return None


def is_saved_at(source: Source, saved: SavedCheckpoint, check: Check, trace: Trace | None = None) -> bool:
    """Return whether the checkpoint at `source` is the one that was `saved`."""
    from bertviz_app.checkpoint.loader import open_checkpoint
    from bertviz_app.encoder.recorder import record, references_of

    try:
        checkpoint = open_checkpoint(source, check=check)
        if saved.identity.fingerprint:
            return checkpoint.facts.identity.is_same(saved.identity)
        if trace is None:
            return False
        # Otherwise it is the one if it gives the same tokens, and from them the same hidden states.
        tokens, edits = trace.tokens, trace.edits
        if not np.array_equal(checkpoint.tokens(tokens.text, tokens.pair, edits).ids, tokens.ids):
            return False
        references = references_of(checkpoint.encoder, edits, checkpoint.tokens)
        found = record(checkpoint.encoder, tokens, trace.model, check, edits, references=references)
    except AppError:
        return False  # damaged, or of another kind
    if found.hidden.shape != trace.hidden.shape:
        return False
    alike = _ALIKE if trace.provenance.dtype == "float32" else _ALIKE_OF_BFLOAT16
    return bool(np.abs(found.hidden - trace.hidden).max() <= alike * np.abs(trace.hidden).max())


def contradiction(
    source: Source, saved: SavedCheckpoint, texts: tuple[str, str | None], edits: Edits, check: Check
) -> Message | None:
    """Return why the checkpoint at `source` cannot be the one that was `saved`, None if nothing says so.

    Compared are what is known of its sizes, the heads of `edits`, and the pieces that replace tokens of
    `texts`. Raises what opening the checkpoint raises.
    """
    from bertviz_app.checkpoint.loader import open_checkpoint

    checkpoint = open_checkpoint(source, check=check)
    facts = checkpoint.facts
    sizes = facts.n_layers, facts.n_heads, facts.width
    named = saved.n_layers, saved.n_heads, saved.width
    if any(0 != known != size for known, size in zip(named, sizes, strict=True)):
        return Message("its {0} layers, {1} heads and width of {2} are not those that were saved", *sizes)
    try:
        validate_heads(edits, facts.n_layers, facts.n_heads)
    except AppError:
        return Message("it lacks heads that are muted")
    if edits.replaced or edits.tokens:
        try:
            checkpoint.tokens(*texts, edits)
        except AppError:
            return Message("its tokenizer lacks tokens that are replaced, or what replaces them")
    return None


def _candidates(saved: SavedCheckpoint, recent: Iterable[str]) -> Iterator[Source]:
    """Yield the checkpoints of the same sizes, the likeliest first."""
    found = {source.ref: source for source in (*sources_at((saved.ref, *recent)), *list_sources())}
    sizes = saved.n_layers, saved.n_heads, saved.width

    def is_possible(source: Source) -> bool:
        pairs = zip((source.n_layers, source.n_heads, source.width), sizes, strict=True)
        return source.problem is None and all(a == b or 0 in (a, b) for a, b in pairs)

    def likelihood(source: Source) -> tuple[bool, bool, bool]:
        identity = saved.identity
        is_snapshot = bool(identity.hub_id) and hub_snapshot(source.folder)[0] == identity.hub_id
        return source.ref == saved.ref, is_snapshot, source.name == saved.name

    yield from sorted(filter(is_possible, found.values()), key=likelihood, reverse=True)
