"""What a checkpoint's files leave open: what is asked, what is offered, and what its vocabulary tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from bertviz_app.checkpoint.config import seems_lower_case
from bertviz_app.checkpoint.questions import Answers, AnswersError, Questions
from tests.support.checkpoint_folders import change_config, opened
from tests.support.notebooks import N_HEADS, random_notebook, write_notebook


def _questions_of(folder: Path) -> Questions:
    with pytest.raises(AnswersError) as raised:
        opened(folder)
    return raised.value.questions


def test_questions_without_an_answer_are_unanswered() -> None:
    assert Questions(768).unanswered == ("n_heads", "norm_eps", "lower_case")
    assert Questions(768, names=("n_heads", "norm_eps")).unanswered == ("n_heads", "norm_eps")
    assert Questions(768, Answers(12, 1e-12, False)).unanswered == ()


def test_the_counts_that_are_offered_make_heads_of_usual_widths() -> None:
    counts = Questions(768).head_counts()
    assert counts[0] == 12
    assert set(counts) == {6, 8, 12, 16, 24, 32, 48, 64, 96}
    assert Questions(32).head_counts() == (1, 2, 4)
    assert Questions(7).head_counts() == (1, 7), "none is usual: all that there are"


def test_the_facts_of_an_opened_notebook_have_the_answers_in_force(tmp_path: Path) -> None:
    facts = opened(write_notebook(tmp_path, random_notebook("a"))).facts
    assert facts.questions is not None
    assert facts.questions.in_force == Answers(N_HEADS, 1e-6, True)
    assert facts.questions.n_shared == 24


def test_a_family_has_no_questions(tiny_bert: Path) -> None:
    assert opened(tiny_bert).facts.questions is None


def test_an_impossible_count_of_heads_opens_the_questions_again(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook("c"))
    change_config(folder, n_heads=7)
    questions = _questions_of(folder)
    assert questions.in_force.n_heads == 7
    assert questions.unanswered == ()


def test_a_tokenizer_config_with_the_letter_case_leaves_no_question_of_it(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook("c"), config={"eps": 1e-5})
    assert _questions_of(folder).unanswered == ("n_heads", "lower_case")
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": false}', encoding="utf-8")
    assert _questions_of(folder).unanswered == ("n_heads",)


@pytest.mark.parametrize(
    ("pieces", "seems"),
    [
        (("[PAD]", "[UNK]", "<S>", "the", "##s"), True),
        (("[UNK]", "the", "The"), False),
        (("[UNK]", "고양이"), False),
        (("[UNK]", "\u1100\u1161"), True),
        (("[UNK]", "고양이", "\u1100\u1161"), None),
        (("[PAD]", "1", "猫"), None),
    ],
)
def test_the_letter_case_of_a_vocabulary_is_found_in_its_pieces(
    tmp_path: Path, pieces: tuple[str, ...], seems: bool | None
) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(pieces), encoding="utf-8")
    assert seems_lower_case(path) is seems


def test_a_vocabulary_that_cannot_be_read_has_no_letter_case(tmp_path: Path) -> None:
    assert seems_lower_case(tmp_path / "vocab.txt") is None


def test_an_impossible_answer_is_named_without_its_control_characters() -> None:
    questions = Questions(32, choices={"activation": ("relu", "gelu")}, names=("activation",))
    with pytest.raises(AnswersError, match="--activation cannot be") as raised:
        questions.validate(Answers(activation="\x00"))
    assert raised.value.message.isprintable()
