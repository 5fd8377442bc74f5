"""The engine answers why a word was cut with the tokenizer of the checkpoint."""

from __future__ import annotations

from pathlib import Path

from bertviz_app.inference.engine import Engine


def test_the_steps_are_those_of_the_checkpoints_tokenizer(tiny_bert: Path) -> None:
    engine, ref = Engine(), str(tiny_bert)
    why = engine.why_cut(ref, engine.tokens(ref, "the cat"), 1)
    assert why is not None
    assert (why.typed, why.pieces) == ("the", ("the",))
