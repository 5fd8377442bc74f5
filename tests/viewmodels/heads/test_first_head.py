"""The head that a window opens with: of known checkpoints the one that looks at the token before."""

from __future__ import annotations

from pathlib import Path

import pytest

from bertviz_app import paths
from bertviz_app.analysis.measures import head_measures
from bertviz_app.api import open_model
from bertviz_app.viewmodels.heads.first_head import PREVIOUS_TOKEN, first_head

_EVERY = 8  # sentences: a dozen in each language


def _sentences(*languages: str) -> list[str]:
    found: list[str] = []
    for language in languages:
        text = (paths.resources() / "examples" / f"sentences_{language}.txt").read_text(encoding="utf-8")
        found += [line for line in text.splitlines() if line.strip()][::_EVERY]
    return found


@pytest.mark.parametrize("name", PREVIOUS_TOKEN)
def test_it_looks_at_the_token_before_in_every_example_sentence(name: str, minilm: Path) -> None:
    is_english = name == "all-MiniLM-L6-v2"
    model = open_model(str(minilm) if is_english else name)
    sentences = _sentences("en") if is_english else _sentences("en", "ko")
    assert len(sentences) >= 5
    layer, head = PREVIOUS_TOKEN[name]
    for sentence in sentences:
        trace = model.trace(sentence)
        assert first_head(name, trace.n_layers, trace.n_heads) == (layer, head)
        shares = head_measures(trace)["previous"]
        assert shares[layer, head] >= 0.9, sentence
        assert shares[layer, head] == shares.max(), sentence


def test_of_another_checkpoint_it_is_the_last_head() -> None:
    assert first_head("bert-base-uncased", 12, 12) == (11, 11)


def test_a_checkpoint_of_a_known_name_may_be_smaller() -> None:
    assert first_head("all-MiniLM-L6-v2", 1, 2) == (0, 1)
