"""From the name of a checkpoint to its files on this computer, downloaded if necessary."""

from __future__ import annotations

from collections.abc import Callable

from bertviz_app.checkpoint.sources.source import Source, default_source, find, is_hub_id, split_revision
from bertviz_app.errors import CheckpointError, HubError, Message


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
