"""A saved checkpoint is found by what it computes, wherever it is now, and no other is taken for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bertviz_app.checkpoint.sources import source as sources
from bertviz_app.checkpoint.sources.source import Origin, cached_models
from bertviz_app.errors import Cancelled
from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.inference.fetching import SavedCheckpoint, find_saved
from bertviz_app.text.edits import Edits
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import NOT_KNOWN
from tests.support.checkpoints import random_bert, write_bert

EDITS = Edits(muted=((1, 0),), replaced=((1, "[MASK]"),))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty hub cache; no checkpoint comes with the program."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sources, "known_checkpoints", _cached)
    return tmp_path / "cache"


def _cached() -> list[tuple[str, Path, Origin]]:
    return [(name, folder, "cache") for name, folder in cached_models()]


@pytest.fixture
def trace(tiny_bert: Path) -> Trace:
    return Engine().trace(TraceRequest(str(tiny_bert), "cpu", "the cat ate the fish", edits=EDITS)).trace


@pytest.fixture
def saved(tiny_bert: Path) -> SavedCheckpoint:
    return SavedCheckpoint.of(Engine().load(str(tiny_bert)))


def _find(saved: SavedCheckpoint, *recent: Path, trace: Trace | None = None) -> str | None:
    return find_saved(saved, {}, map(str, recent), lambda: None, trace)


def test_it_is_found_where_it_was(saved: SavedCheckpoint, tiny_bert: Path) -> None:
    assert _find(saved) == saved.ref == str(tiny_bert.resolve())


def test_it_is_found_in_another_folder_among_others(saved: SavedCheckpoint, tmp_path: Path) -> None:
    other, moved = write_bert(tmp_path / "other", random_bert(5)), write_bert(tmp_path / "moved")
    gone = replace(saved, ref="/nowhere/it-was")
    assert _find(gone, other) is None
    assert _find(gone, other, tmp_path / "missing", moved) == str(moved.resolve())


def test_another_checkpoint_where_it_was_is_not_taken_for_it(saved: SavedCheckpoint, tmp_path: Path) -> None:
    here = write_bert(tmp_path / "tiny", random_bert(5))
    assert _find(replace(saved, ref=str(here.resolve()), name="tiny")) is None


def test_the_same_weights_with_another_tokenizer_are_not_it(saved: SavedCheckpoint, tmp_path: Path) -> None:
    cased = write_bert(tmp_path / "cased", lower_case=False)
    assert _find(replace(saved, ref=str(cased.resolve()))) is None


def test_it_is_found_in_the_cache_of_the_hub(saved: SavedCheckpoint, cache: Path) -> None:
    folder = write_bert(cache / "models--me--toy" / "snapshots" / "a1b2c3d")
    identity = replace(saved.identity, hub_id="me/toy", revision="a1b2c3d")
    found = _find(replace(saved, ref="/elsewhere/snapshots/a1b2c3d", identity=identity))
    assert found is not None
    assert Path(found).samefile(folder)


def test_an_open_one_is_found_without_reading_files(saved: SavedCheckpoint, tiny_bert: Path) -> None:
    facts = Engine().load(str(tiny_bert))
    assert find_saved(replace(saved, ref=""), {"mine": facts}, (), lambda: None) == "mine"
    nobody = replace(saved, identity=replace(saved.identity, fingerprint=""))
    assert find_saved(replace(nobody, ref=""), {"mine": facts}, (), lambda: None) is None


def test_an_open_one_that_was_moved_is_looked_for(
    saved: SavedCheckpoint, tiny_bert: Path, tmp_path: Path
) -> None:
    facts, gone = Engine().load(str(tiny_bert)), str(tmp_path / "gone")
    moved = replace(saved, ref=gone)
    assert find_saved(moved, {gone: facts}, (), lambda: None) is None
    assert find_saved(moved, {gone: facts}, (str(tiny_bert),), lambda: None) == str(tiny_bert.resolve())


def test_without_a_fingerprint_it_is_the_one_that_computes_the_same(
    trace: Trace, tiny_bert: Path, tmp_path: Path
) -> None:
    older = replace(trace, provenance=replace(NOT_KNOWN, replaced=EDITS.replaced))
    saved = SavedCheckpoint.of_trace(older)
    other = write_bert(tmp_path / "other", random_bert(5))
    assert saved.identity.fingerprint == ""
    assert _find(saved, other, tiny_bert, trace=older) == str(tiny_bert.resolve())
    assert _find(saved, other, trace=older) is None
    assert _find(saved, tiny_bert) is None, "there are no numbers to compare"


def test_damaged_ones_are_passed_over(saved: SavedCheckpoint, tmp_path: Path) -> None:
    damaged = write_bert(tmp_path / "damaged")
    (damaged / "model.safetensors").write_bytes(b"{}")
    assert _find(replace(saved, ref=""), damaged) is None


def test_looking_can_be_cancelled(saved: SavedCheckpoint) -> None:
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        find_saved(saved, {}, (), stop)


def test_a_checkpoint_of_the_hub_has_a_name_to_download_it_by(saved: SavedCheckpoint) -> None:
    assert saved.hub_ref == ""
    identity = replace(saved.identity, hub_id="me/toy", revision="a1b2c3d")
    assert replace(saved, identity=identity).hub_ref == "me/toy@a1b2c3d"
