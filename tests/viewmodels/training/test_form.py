"""The form of a training: what it makes a job of, what it refuses, and how files are put into it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bertviz_app.errors import AppError, Message
from bertviz_app.training.pretraining.settings import PretrainingSettings
from bertviz_app.viewmodels.training.form import TrainingForm, from_plain, job_of, to_plain, with_files

TUNED = TrainingForm(task="finetune", rows="rows.tsv", folder="model", text="the cat")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"rows": ""}, "no rows to learn from"),
        ({"epochs": 0}, "number for epochs is 0"),
        ({"rate": 0.0}, "rate cannot be 0"),
        ({"text": " "}, "sentence to watch is empty"),
        ({"folder": "~nobody-of-that-name/model"}, "home folder that ~nobody-of-that-name/model begins with"),
    ],
)
def test_a_fine_tuning_that_cannot_begin_is_refused_with_a_hint(values: dict[str, Any], words: str) -> None:
    assert job_of(TUNED, "cpu").is_tuning
    with pytest.raises(AppError, match=words) as caught:
        job_of(replace(TUNED, **values), "cpu")
    assert caught.value.hint


def test_what_is_wrong_with_the_sentence_to_watch_can_be_translated_whole() -> None:
    with pytest.raises(AppError) as caught:
        job_of(replace(TUNED, text=" "), "cpu")
    assert isinstance(caught.value.message, Message)
    assert all(isinstance(argument, Message) for argument in caught.value.message.arguments)


def test_a_checkpoint_is_trained_further_by_a_lower_rate_and_a_new_model_has_none() -> None:
    form = TrainingForm(files=("a.txt",), folder="model", text="the cat", base="mine", base_name="Mine")
    new, further = job_of(form, "cpu"), job_of(replace(form, begins_at_base=True), "cpu")
    assert (new.base, new.has_base) == (None, False)
    assert (further.base, further.base_name, further.has_base) == ("mine", "Mine", True)
    assert not further.is_tuning
    assert isinstance(new.settings, PretrainingSettings)
    assert isinstance(further.settings, PretrainingSettings)
    assert further.settings.rate < new.settings.rate
    assert not job_of(replace(TUNED, begins_at_base=True), "cpu").begins_at_base


def test_the_first_file_of_rows_is_for_training_and_the_second_for_evaluation() -> None:
    form = TrainingForm(task="finetune")
    first = with_files(form, ["a.tsv"])
    assert (first.rows, first.test) == ("a.tsv", "")
    second = with_files(first, ["b.tsv"])
    assert (second.rows, second.test) == ("a.tsv", "b.tsv")
    assert with_files(second, ["c.tsv"]).rows == "c.tsv"
    both = with_files(form, ["a.tsv", "b.tsv"])
    assert (both.rows, both.test, both.files) == ("a.tsv", "b.tsv", ())


def test_a_form_is_read_back_as_it_was_written() -> None:
    form = TrainingForm(task="finetune", rows="a.tsv", base="bert", rate=1e-4, freezes=True)
    assert from_plain(to_plain(form)) == form
    assert from_plain({**to_plain(form), "base": None}).base is None
    assert from_plain({**to_plain(form), "task": "guess"}) == TrainingForm()
