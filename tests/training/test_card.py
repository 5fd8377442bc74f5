"""The model card says what the model learnt from, how, how well it does, and by which command."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bertviz_app.training.finetuning.run import finetune
from bertviz_app.training.pretraining.run import pretrain
from tests.support.reviews import TUNING, TuningFollower, base_of, of_classes, write_reviews
from tests.support.training_texts import TINY, Follower, write_texts


def _cells(card: str, first: str) -> list[str]:
    """Return the cells of the line of a table that begins with `first`."""
    lines = [line for line in card.splitlines() if line.startswith(f"| {first} |")]
    assert len(lines) == 1, first
    return [cell.strip() for cell in lines[0].strip("|").split("|")]


def test_of_a_pre_training(tmp_path: Path) -> None:
    texts = write_texts(tmp_path)
    follower = Follower()
    result = pretrain(texts, tmp_path / "out", TINY, follower, command="bertviz-app pretrain --steps 12")
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert card.startswith("---\nlibrary_name: transformers\npipeline_tag: fill-mask\n---\n\n# out\n")
    assert "2 layers x 2 heads, width 16, 48 positions" in card
    name, size, documents, _, licence = _cells(card, "english.txt")
    assert (name, size, documents) == (
        "english.txt",
        f"{texts[0].stat().st_size / 1e6:.1f} MB",
        "30",
    )
    assert licence
    assert _cells(card, "korean.txt")[2] == "60"
    assert _cells(card, "steps")[1] == "12"
    assert _cells(card, "tokens seen")[1] == f"{follower.reports[-1].n_tokens:,}"
    guessed = _cells(card, "masked tokens predicted correctly")
    assert guessed[1:] == [f"{result.masked_accuracy:.1%}", f"{result.baseline:.1%}"]
    assert _cells(card, "pairs classified correctly, next or not")[1] == f"{result.next_accuracy:.1%}"
    assert "```sh\nbertviz-app pretrain --steps 12\n```" in card


@pytest.mark.parametrize("has_test", [False, True])
def test_of_a_fine_tuning(tiny_bert: Path, tmp_path: Path, has_test: bool) -> None:
    data = write_reviews(tmp_path / "reviews.tsv")
    test = write_reviews(tmp_path / "others.tsv", 20, seed=2) if has_test else None
    settings = replace(TUNING, epochs=1, freezes_encoder=True)
    base, follower = base_of(tiny_bert), TuningFollower()
    result = of_classes(finetune(base, data, tmp_path / "out", settings, follower, test=test))
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert "fine-tuned from tiny-bert" in card
    assert _cells(card, "what is trained")[1] == "the pooler and the classifier"
    assert _cells(card, "epochs")[1] == "1"
    learnt, held_out = ("30", "10") if has_test else ("27", "3")
    tables = [line.split("|") for line in card.splitlines() if line.startswith("| `good` |")]
    counts, confusion = ([cell.strip() for cell in line[2:-1]] for line in tables)
    assert counts == [learnt, held_out]
    good = result.confusion[1]
    assert confusion == [*map(str, good), f"{good[1] / sum(good):.1%}"]
    evaluated_on = "rows of others.tsv" if has_test else "held-out rows of reviews.tsv"
    assert f"On {result.n_rows} {evaluated_on}: **{result.accuracy:.1%}** correct" in card
    assert "The command" not in card  # nobody gave one


def test_a_label_cannot_break_the_tables(tiny_bert: Path, tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text("".join(f"a|b\ta cat\nc\ta fish{'s' * n}\n" for n in range(4)), encoding="utf-8")
    finetune(base_of(tiny_bert), path, tmp_path / "out", replace(TUNING, epochs=1), TuningFollower())
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert "| `a\\|b` | 3 | 1 |" in card
