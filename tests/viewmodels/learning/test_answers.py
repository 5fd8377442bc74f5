"""Answers to the tasks of lessons: what a click answers, how far a wrong answer is off, the right answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bertviz_app.inference.training.labels import LabelResult
from bertviz_app.learning.lessons.quantities import Quantity, QuantityInputs
from bertviz_app.learning.lessons.tasks import (
    ChoiceTask,
    HeadRule,
    HeadTask,
    NumbersTask,
    TokenRule,
    TokenTask,
)
from bertviz_app.learning.words import Words
from bertviz_app.viewmodels.learning.answers import (
    Miss,
    miss_of_head,
    miss_of_order,
    miss_of_token,
    picked_token,
    right_answer,
)
from bertviz_app.viewmodels.selection import Pair
from tests.support.factories import make_trace

TRACE = make_trace(9)  # [CLS] w1 ... w7 [SEP]
RUN = QuantityInputs(TRACE, 1, 2)
COMMON: dict[str, Any] = {name: Words("text", "글") for name in ("ask", "hint", "why")}


def numbers_task(*answers: Quantity, **settings: Any) -> NumbersTask:
    return NumbersTask(answers=answers, **COMMON, **settings)


def test_the_answer_is_written_as_one_writes_numbers() -> None:
    task = numbers_task(
        Quantity("number", value=7), Quantity("number", value=-0.75), Quantity("number", value=0.12346)
    )
    assert right_answer(task, RUN, "en") == "7, −0.75, 0.1235"


def test_a_click_on_a_line_means_its_other_end_only_from_the_token_of_the_task() -> None:
    task = TokenTask(answer=TokenRule(of="looked at most", query="w2"), **COMMON)
    assert picked_token(task, RUN, Pair(2, 5)) == 5
    assert picked_token(task, RUN, Pair(3, 5)) is None
    assert picked_token(task, RUN, Pair(4, None)) == 4
    (right,) = task.answer.positions(RUN)
    assert picked_token(task, RUN, Pair(2, None)) == (2 if right == 2 else None)
    backwards = TokenTask(answer=TokenRule(of="looks most", key="w2"), **COMMON)
    assert picked_token(backwards, RUN, Pair(5, 2)) == 5
    assert picked_token(backwards, RUN, Pair(5, 3)) is None


def test_a_share_is_written_as_a_percentage() -> None:
    run = replace(RUN, trained={"real": LabelResult(0.99, 0.7325, 0.5)})
    task = numbers_task(Quantity("held_out_accuracy", labels="real"), unit="%")
    assert right_answer(task, run, "en") in ("73.2 %", "73.3 %")


def test_a_task_whose_run_has_no_answer_has_none_in_words() -> None:
    assert right_answer(numbers_task(Quantity("held_out_accuracy", labels="real")), RUN, "en") == ""


def test_the_right_option_is_written_in_the_language_of_the_window() -> None:
    task = ChoiceTask(options=(Words("one", "하나"), Words("two", "둘")), right=1, claims=(), **COMMON)
    assert (right_answer(task, RUN, "en"), right_answer(task, RUN, "ko")) == ("two", "둘")


def test_a_wrong_token_has_the_rank_of_its_weight() -> None:
    task = TokenTask(answer=TokenRule(of="looked at most", query="w2"), **COMMON)
    weights = TRACE.attention(1, 2)[2]
    third = int(np.argsort(weights)[-3])
    miss = miss_of_token(task, RUN, third)
    assert miss is not None
    assert (miss.rank, miss.count, miss.name) == (3, 9, TRACE.tokens.labels[third])
    assert abs(float(miss.value) - weights[third]) <= 0.00005


def test_a_wrong_head_has_the_rank_of_its_value_from_the_right_end() -> None:
    task = HeadTask(answer=HeadRule(measure="entropy"), **COMMON)
    values = task.answer.values(RUN)
    layer, head = divmod(int(values.argmin()), values.shape[1])
    miss = miss_of_head(task, RUN, (layer, head))
    assert (miss.rank, miss.count, miss.name) == (values.size, values.size, f"{layer} · {head}")
    backwards = replace(task, answer=HeadRule(measure="entropy", least=True))
    assert miss_of_head(backwards, RUN, (layer, head)).rank == 1


def test_a_wrong_order_has_the_number_of_items_where_they_belong() -> None:
    assert miss_of_order((0, 2, 1, 3)) == Miss(2, 4)
