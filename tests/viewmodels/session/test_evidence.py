"""A session without numbers and without a fingerprint refuses what contradicts it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bertviz_app.checkpoint.sources.find import find
from bertviz_app.errors import CheckpointError
from bertviz_app.inference.finding import SavedCheckpoint
from bertviz_app.text.edits import Edits
from bertviz_app.viewmodels.session.archive import Session
from bertviz_app.viewmodels.session.evidence import refuse_contradicted
from bertviz_app.viewmodels.session.snapshot import Snapshot


def _refuse(folder: Path, checkpoint: SavedCheckpoint, edits: Edits) -> None:
    session = Session(Snapshot("the cat", edits=edits), None, checkpoint)
    refuse_contradicted(find(str(folder)), session, lambda: None)


@pytest.mark.parametrize(
    ("checkpoint", "edits"),
    [
        (SavedCheckpoint(), Edits()),
        (SavedCheckpoint("toy", n_layers=2, n_heads=4, width=32), Edits(((1, 3),), ((1, "cat"),))),
    ],
)
def test_what_fits_is_not_refused(tiny_bert: Path, checkpoint: SavedCheckpoint, edits: Edits) -> None:
    _refuse(tiny_bert, checkpoint, edits)


@pytest.mark.parametrize(
    ("checkpoint", "edits", "words"),
    [
        (
            SavedCheckpoint("toy", n_layers=6),
            Edits(),
            "its 2 layers, 4 heads and width of 32 are not",
        ),
        (SavedCheckpoint("toy", width=33), Edits(), "width of 32 are not those"),
        (SavedCheckpoint("toy"), Edits(((2, 0),)), "it lacks heads that are muted"),
        (SavedCheckpoint("toy"), Edits((), ((1, "zebra"),)), "its tokenizer lacks tokens that are replaced"),
        (SavedCheckpoint("toy"), Edits((), ((9, "cat"),)), "its tokenizer lacks tokens that are replaced"),
    ],
)
def test_what_does_not_fit_is_refused(
    tiny_bert: Path, checkpoint: SavedCheckpoint, edits: Edits, words: str
) -> None:
    with pytest.raises(CheckpointError, match="is not the checkpoint that this session") as raised:
        _refuse(tiny_bert, checkpoint, edits)
    assert words in raised.value.message
    assert raised.value.hint
