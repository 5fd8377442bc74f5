"""Tasks on a small trace: which answers are right, which are wrong, and which tasks are unsound."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bertviz_app.inference.training.labels import LabelResult
from bertviz_app.learning.lessons.tasks import (
    AskedNumber,
    ChoiceTask,
    Claim,
    HeadRule,
    HeadTask,
    NumbersTask,
    OrderTask,
    QuantityInputs,
    TokenRule,
)
from bertviz_app.learning.words import Words
from tests.support.factories import dense, make_trace

TRACE = make_trace(9)  # [CLS] w1 ... w7 [SEP]
RUN = QuantityInputs(TRACE, 1, 2)
TRAINED = {"real": LabelResult(0.99, 0.7325, 0.5), "random": LabelResult(0.98, 0.46, 0.5)}
COMMON: dict[str, Any] = {name: Words("text", "글") for name in ("ask", "hint", "why")}
FIVE, SEVEN = AskedNumber("number", value=5), AskedNumber("number", value=7)


def numbers_task(*answers: AskedNumber, **settings: Any) -> NumbersTask:
    return NumbersTask(answers=answers, **COMMON, **settings)


def words(*texts: str) -> tuple[Words, ...]:
    return tuple(Words(text, text) for text in texts)


@pytest.mark.parametrize(
    ("typed", "is_right"), [(5.0, True), (5.1, True), (4.9, True), (5.11, False), (4.8, False)]
)
def test_a_number_is_right_within_the_tolerance_of_the_task(typed: float, is_right: bool) -> None:
    assert numbers_task(FIVE, within=0.1).is_right(RUN, (typed,)) is is_right


def test_all_numbers_must_be_there_and_each_wrong_one_is_named() -> None:
    task = numbers_task(FIVE, SEVEN)
    assert task.is_right(RUN, (5, 7))
    assert not task.is_right(RUN, (5,))
    assert not task.is_right(RUN, (7, 5))
    assert task.wrong(RUN, (6, 8)) == (0, 1)
    assert task.wrong(RUN, (5, 8)) == (1,)


@pytest.mark.parametrize(
    ("typed", "is_right"),
    [(0.7325, True), (73.3, True), (73, True), (0.75, False), (75, False), (7325, False)],
)
def test_a_share_is_typed_as_a_share_or_as_a_percentage(typed: float, is_right: bool) -> None:
    run = replace(RUN, trained=TRAINED)  # type: ignore[arg-type]
    task = numbers_task(AskedNumber("held_out_accuracy", labels="real"), unit="%")
    assert task.is_right(run, (typed,)) is is_right
    assert not replace(task, unit="").is_right(run, (73.3,))
    small = numbers_task(AskedNumber("number", value=0.005), unit="%")
    assert not small.is_right(run, (0.5,)), "up to 1 it is a share: 50 %"


def test_a_token_among_the_words_is_never_a_special_one() -> None:
    special = TRACE.tokens.is_special
    for query in ("w1", "w2", "w3", "w4", "w5"):
        row = dense(TRACE)[1, 2, RUN.find(query)].copy()
        assert TokenRule(of="looked at most", query=query).positions(RUN) == {int(row.argmax())}
        row[special] = -1
        assert TokenRule(of="looked at most", query=query, among="words").positions(RUN) == {
            int(row.argmax())
        }
    layers, heads, queries = np.nonzero(special[dense(TRACE).argmax(-1)])
    assert len(queries), "some row must look most at a special token"
    at = replace(RUN, layer=int(layers[0]), head=int(heads[0]))
    name = TRACE.tokens.labels[int(queries[0])]
    (found,) = TokenRule(of="looked at most", query=name, among="words").positions(at)
    assert not special[found]


def test_the_head_with_the_least_is_not_the_one_with_the_most() -> None:
    values = RUN.measure("entropy")
    most, least = HeadRule(measure="entropy"), HeadRule(measure="entropy", least=True)
    assert most.heads(RUN) == (tuple(map(int, divmod(int(values.argmax()), values.shape[1]))),)
    assert least.heads(RUN) == (tuple(map(int, divmod(int(values.argmin()), values.shape[1]))),)
    two = HeadTask(answer=HeadRule(measure="entropy", best=2), **COMMON)
    order = np.argsort(-values, axis=None)
    for rank, expected in enumerate((True, True, False)):
        assert two.is_right(RUN, tuple(map(int, divmod(int(order[rank]), values.shape[1])))) is expected  # type: ignore[arg-type]
    everyone = HeadTask(answer=HeadRule(measure="entropy", best=values.size), **COMMON)
    assert list(everyone.mistakes(RUN)) == ["every head is right"]


def test_an_order_is_right_only_as_it_is_in_the_file() -> None:
    task = OrderTask(items=words("a", "b", "c", "d"), **COMMON)
    assert task.is_right(RUN, (0, 1, 2, 3))
    assert not task.is_right(RUN, (1, 0, 2, 3))
    assert sorted(task.shuffled) == [0, 1, 2, 3]
    for n_items in (3, 4, 5, 6):
        assert not replace(task, items=words(*"abcdef"[:n_items])).is_right(
            RUN, replace(task, items=words(*"abcdef"[:n_items])).shuffled
        )


def test_an_order_whose_values_do_not_grow_is_a_mistake() -> None:
    task = OrderTask(items=words("a", "b", "c"), values=(FIVE, SEVEN, SEVEN), **COMMON)
    assert list(task.mistakes(RUN)) == []
    (mistake,) = replace(task, values=(SEVEN, FIVE, SEVEN)).mistakes(RUN)
    assert mistake == "the values do not grow: 7, 5, 7"


def test_a_choice_is_unsound_with_a_false_claim_or_two_equal_options() -> None:
    task = ChoiceTask(
        options=words("a", "b"), right=0, claims=(Claim(left=FIVE, is_="<", right=SEVEN),), **COMMON
    )
    assert list(task.mistakes(RUN)) == []
    assert len(list(replace(task, claims=(Claim(left=FIVE, is_=">", right=SEVEN),)).mistakes(RUN))) == 1
    assert len(list(replace(task, options=words("a", "a")).mistakes(RUN))) == 2  # in each language
    assert task.is_right(RUN, 0)
    assert not task.is_right(RUN, 1)


@pytest.mark.parametrize(
    ("is_", "right", "holds"),
    [
        ("=", 5.0, True),
        ("=", 5.001, False),
        ("<", 5.001, True),
        ("<", 5.0, False),
        (">", 4.999, True),
        (">", 5.0, False),
    ],
)
def test_a_claim_holds_to_the_last_digits(is_: Any, right: float, holds: bool) -> None:
    claim = Claim(left=FIVE, is_=is_, right=AskedNumber("number", value=right))
    assert claim.holds(RUN) is holds


def test_an_option_has_its_reason_and_the_right_one_has_none() -> None:
    task = ChoiceTask(options=words("a", "b"), right=1, reasons=(*words("no a"), None), **COMMON)
    assert task.reason(0) == Words("no a", "no a")
    assert task.reason(1) is None
    assert ChoiceTask(options=words("a", "b"), right=1, **COMMON).reason(0) is None


@pytest.mark.parametrize("reasons", [words("no a"), words("no a", "no b"), (*words("a", "b"), None)])
def test_reasons_are_of_the_wrong_options_alone(reasons: tuple[Words | None, ...]) -> None:
    with pytest.raises(ValueError, match="reasons"):
        ChoiceTask(options=words("a", "b"), right=1, reasons=reasons, **COMMON)
