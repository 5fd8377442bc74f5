"""What a session says of its checkpoint: what contradicts another one, and what cannot be checked."""

from __future__ import annotations

from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.errors import CheckpointError, Message
from bertviz_app.inference.fetching import SavedCheckpoint, contradiction
from bertviz_app.types import Check
from bertviz_app.viewmodels.session.archive import Session

_ANOTHER = Message("Choose another folder, or encode the text again.")


def can_be_checked(session: Session) -> bool:
    """Return whether the file holds what recognises the checkpoint of run A: a fingerprint or numbers."""
    return bool(session.checkpoint.identity.fingerprint) or session.trace is not None


def of_another(source: Source, saved: SavedCheckpoint) -> CheckpointError:
    message = Message(
        "{0} is another checkpoint than the saved {1}: weights, configuration or tokenizer differ.",
        source.name,
        saved.name,
    )
    return CheckpointError(message, _ANOTHER)


def refuse_contradicted(source: Source, session: Session, check: Check) -> None:
    """Raise CheckpointError if the session says something that is not so of the checkpoint at `source`.

    Raises what opening the checkpoint raises, too.
    """
    snapshot = session.snapshot
    why = contradiction(source, session.checkpoint, (snapshot.text, snapshot.pair), snapshot.edits, check)
    if why is not None:
        message = Message(
            "{0} is not the checkpoint that this session was saved with: {1}.", source.name, why
        )
        raise CheckpointError(message, _ANOTHER)


def remarks_about(session: Session, facts: ModelFacts) -> tuple[str, ...]:
    """Return what to know where a session's text is encoded with the checkpoint of `facts`.

    A session whose numbers or fingerprint were compared needs no remark.
    """
    saved, other, found = session.checkpoint, session.other, []
    if saved.identity.fingerprint:
        if not facts.identity.is_same(saved.identity):
            found.append(_changed(facts.name))
    elif not can_be_checked(session):
        found.append(_unknown(facts.name))
    if other is not None and not other.identity.fingerprint:
        found.append(_unknown_of_b(other.name or other.ref))
    return tuple(found)


def _changed(name: str) -> Message:
    return Message(
        "{0} has changed since this session was saved: weights, configuration or tokenizer differ.", name
    )


def _unknown(name: str) -> Message:
    return Message(
        "This session holds neither numbers nor a fingerprint: whether it was saved with {0}, which is used "
        "now, cannot be checked.",
        name,
    )


def _unknown_of_b(name: str) -> Message:
    return Message(
        "This session holds no fingerprint of the checkpoint of run B: whether that was {0}, which is used "
        "now, cannot be checked.",
        name,
    )
