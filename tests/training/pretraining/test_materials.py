"""The vocabulary and the tokens of a pre-training, cached in its folder: when they are used again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bertviz_app.training.pretraining.vocabulary import gather
from tests.support.training_texts import TINY, Follower, write_texts


def _stages(files: list[Path], out: Path, size: int = 300, *, has_tokenizer: bool = False) -> list[str]:
    """Return the stages of gathering what a run learns from, whose vocabulary has at most `size` pieces."""
    follower = Follower()
    settings = replace(TINY, vocabulary_size=size)
    found = gather(files, out, settings, follower, has_tokenizer=has_tokenizer)
    if "vocabulary" in follower.stages:
        assert found.n_pieces <= size
    return follower.stages


def test_what_the_same_texts_gave_is_used_again(tmp_path: Path) -> None:
    texts = write_texts(tmp_path)
    assert _stages(texts, tmp_path / "out") == ["vocabulary", "tokens", "tokens"]
    assert _stages(texts, tmp_path / "out") == []


def test_a_vocabulary_of_another_size_or_of_other_texts_is_made_anew(tmp_path: Path) -> None:
    texts = write_texts(tmp_path)
    _stages(texts, tmp_path / "out")
    assert _stages(texts, tmp_path / "out", 200)[0] == "vocabulary"
    assert _stages(texts[:1], tmp_path / "out", 200)[0] == "vocabulary"
    texts[0].write_text(texts[0].read_text("utf-8") * 2, "utf-8")
    assert _stages(texts[:1], tmp_path / "out", 200)[0] == "vocabulary"


def test_the_tokenizer_of_the_run_is_used_whatever_it_was_made_from(tmp_path: Path) -> None:
    texts = write_texts(tmp_path)
    _stages(texts, tmp_path / "out")
    assert _stages(texts[:1], tmp_path / "out", 200, has_tokenizer=True) == []
