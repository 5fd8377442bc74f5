"""Numbers, conditions and rules of lessons, each against its formula written out on a small trace."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from bertviz_app.inference.training.labels import LabelResult
from bertviz_app.learning.lessons.lesson import Replaced, Scene, Stage, following, head_of
from bertviz_app.learning.lessons.tasks import (
    CONDITIONS,
    QUANTITIES,
    AskedNumber,
    Condition,
    HeadRule,
    MissingError,
    QuantityInputs,
    ShownWindow,
    TokenRule,
)
from bertviz_app.learning.words import TypedText
from bertviz_app.viewmodels.steps.stops import STAGES
from tests.support.factories import dense, make_trace

TRACE = make_trace(9)  # [CLS] w1 ... w7 [SEP]
TRAINED = {"real": LabelResult(0.99, 0.72, 0.5), "random": LabelResult(0.98, 0.46, 0.5)}
RUN = QuantityInputs(TRACE, 1, 2, 1234, None, TRAINED)  # type: ignore[arg-type]
WEIGHTS = dense(TRACE)
Q, K, V = (array[1, 2].astype(np.float64) for array in (TRACE.queries, TRACE.keys, TRACE.values))
ROW = WEIGHTS[1, 2, 3].astype(np.float64)


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / math.sqrt(a @ a) / math.sqrt(b @ b))


EXPECTED = {
    "number": (AskedNumber("number", value=2.5), 2.5),
    "n_tokens": (AskedNumber("n_tokens"), 9),
    "n_unknown": (AskedNumber("n_unknown"), 0),
    "n_layers": (AskedNumber("n_layers"), TRACE.n_layers),
    "n_heads": (AskedNumber("n_heads"), TRACE.n_heads),
    "width": (AskedNumber("width"), TRACE.width),
    "head_width": (AskedNumber("head_width"), 8),
    "root_of_head_width": (AskedNumber("root_of_head_width"), math.sqrt(8)),
    "n_parameters": (AskedNumber("n_parameters"), 1234),
    "id": (AskedNumber("id", token="w4"), int(TRACE.tokens.ids[4])),
    "segment": (AskedNumber("segment", token="[SEP]"), 0),
    "position": (AskedNumber("position", token="w4"), 4),
    "query": (AskedNumber("query", query="w3", index=1), Q[3, 1]),
    "key": (AskedNumber("key", key="w5", index=2), K[5, 2]),
    "value": (AskedNumber("value", key="w5", index=2), V[5, 2]),
    "product": (AskedNumber("product", query="w3", key="w5", index=2), Q[3, 2] * K[5, 2]),
    "sum_of_products": (AskedNumber("sum_of_products", query="w3", key="w5"), Q[3] @ K[5]),
    "score": (AskedNumber("score", query="w3", key="w5"), Q[3] @ K[5] / math.sqrt(8)),
    "weight": (AskedNumber("weight", query="w3", key="w5"), ROW[5]),
    "entropy": (AskedNumber("entropy", query="w3"), -(ROW * np.log2(ROW)).sum()),
    "measure": (AskedNumber("measure", measure="largest"), WEIGHTS[1, 2].max(-1).mean()),
    "softmax": (AskedNumber("softmax", numbers=(1.0, 2.0), index=1), 1 / (1 + math.exp(-1))),
    "layer_norm": (AskedNumber("layer_norm", numbers=(1.0, 2.0, 3.0, 4.0), index=0), -1.5 / math.sqrt(1.25)),
    "hidden": (AskedNumber("hidden", token="w4", state=1, index=3), TRACE.hidden[1, 4, 3]),
    "length": (AskedNumber("length", token="w4", state=1), math.sqrt((TRACE.hidden[1, 4] ** 2).sum())),
    "cosine": (
        AskedNumber("cosine", token="w4", other="w6", state=1),
        cosine(TRACE.hidden[1, 4], TRACE.hidden[1, 6]),
    ),
    "training_accuracy": (AskedNumber("training_accuracy", labels="random"), 0.98),
    "held_out_accuracy": (AskedNumber("held_out_accuracy", labels="real"), 0.72),
    "baseline": (AskedNumber("baseline", labels="random"), 0.5),
    "pooled": (AskedNumber("pooled", index=5), 0.0 if TRACE.pooled is None else TRACE.pooled[5]),
}


@pytest.mark.parametrize("name", QUANTITIES)
def test_a_number_follows_its_formula(name: str) -> None:
    quantity, expected = EXPECTED[name]
    assert RUN.number(quantity) == pytest.approx(float(expected), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(
    "quantity",
    [
        AskedNumber("id", token="w9"),
        AskedNumber("id", token="w1#2"),
        AskedNumber("weight", query="w1", key="w2", layer=TRACE.n_layers),
        AskedNumber("weight", query="w1", key="w2", head=TRACE.n_heads),
        AskedNumber("hidden", token="w1", state=99, index=0),
        AskedNumber("pooled", index=999),
        AskedNumber("pooled", index=-1),
    ],
)
def test_what_a_run_does_not_have_is_missing_and_never_a_number(quantity: AskedNumber) -> None:
    with pytest.raises(MissingError):
        RUN.number(quantity)


def test_the_softmax_of_large_numbers_is_a_number() -> None:
    quantity = AskedNumber("softmax", numbers=(1000.0, 1001.0, -1000.0), index=1)
    assert RUN.number(quantity) == pytest.approx(1 / (1 + math.exp(-1)))


def test_a_run_is_of_the_first_head_where_none_is_named() -> None:
    quantity = AskedNumber("weight", query="w3", key="w5")
    assert QuantityInputs(TRACE).number(quantity) == pytest.approx(float(WEIGHTS[0, 0, 3, 5]), abs=1e-6)


def test_what_is_not_trained_yet_has_no_number() -> None:
    with pytest.raises(MissingError, match="nothing has been trained yet"):
        replace(RUN, trained=None).number(AskedNumber("held_out_accuracy", labels="real"))


def test_another_head_than_the_stations_can_be_named() -> None:
    quantity = AskedNumber("weight", query="w3", key="w5", layer=0, head=1)
    assert RUN.number(quantity) == pytest.approx(float(WEIGHTS[0, 1, 3, 5]), abs=1e-6)


def test_tokens_that_are_right() -> None:
    row = WEIGHTS[1, 2, 3]
    assert TokenRule(of="looked at most", query="w3").positions(RUN) == {int(row.argmax())}
    words = np.where(TRACE.tokens.is_special, 0, row)
    assert TokenRule(of="looked at most", query="w3", among="words").positions(RUN) == {int(words.argmax())}
    column = WEIGHTS[1, 2, :, 3]
    assert TokenRule(of="looks most", key="w3").positions(RUN) == {int(column.argmax())}
    assert TokenRule(of="named", token="w2").positions(RUN) == {2}


def test_heads_that_are_right_are_the_best_in_order() -> None:
    values = WEIGHTS[:, :, 3, 5]
    order = [divmod(int(index), TRACE.n_heads) for index in np.argsort(-values, axis=None)]
    assert HeadRule(query="w3", key="w5", best=3).heads(RUN) == tuple(order[:3])
    assert HeadRule(query="w3", key="w5", least=True).heads(RUN) == (order[-1],)
    given = replace(RUN, measures={"entropy": np.eye(TRACE.n_layers, TRACE.n_heads, dtype=np.float32)})
    assert HeadRule(measure="entropy").heads(given) == ((0, 0),)  # the measures that are there are used


TEXTS = ("a cat", None)
WINDOW = ShownWindow(replace(RUN, trained=None), TEXTS, TEXTS)
MET = {
    "text changed": (Condition("text changed"), {"texts": ("a dog", None)}),
    "text has": (Condition("text has", text="A DOG"), {"texts": ("see a  dog", None)}),
    "a pair": (Condition("a pair"), {"texts": ("a cat", "a dog")}),
    "pinned": (Condition("pinned", query="w1", key="w2"), {"query": 1, "key": 2}),
    "pinned query": (Condition("pinned query", query="w1"), {"query": 1}),
    "masked": (Condition("masked", token="w1"), {"replaced": ((1, "[MASK]"),)}),
    "a token hidden": (Condition("a token hidden"), {"replaced": ((1, "<mask>"),)}),
    "a head muted": (Condition("a head muted"), {"muted": ((0, 1),)}),
    "compared": (Condition("compared"), {"is_compared": True}),
    "predicted class": (Condition("predicted class", text="Bad"), {"predicted_class": "bad"}),
    "trained": (Condition("trained"), {"run": RUN}),
    "view": (Condition("view", view="steps"), {"views": ("lines", "steps")}),
    "stage": (Condition("stage", stage="softmax"), {"stage": "softmax"}),
}


@pytest.mark.parametrize("name", MET)
def test_a_condition_is_met_by_what_it_asks_for_alone(name: str) -> None:
    condition, change = MET[name]
    assert not condition.is_met(WINDOW)
    assert condition.is_met(replace(WINDOW, **change))  # type: ignore[arg-type]


def test_a_pair_is_pinned_by_both_of_its_tokens() -> None:
    condition = Condition("pinned", query="w1", key="w2")
    assert not condition.is_met(replace(WINDOW, query=1, key=3))
    assert not condition.is_met(replace(WINDOW, query=3, key=2))
    assert not condition.is_met(replace(WINDOW, query=1))


def test_a_text_is_found_in_either_sentence() -> None:
    assert Condition("text has", text="a dog").is_met(replace(WINDOW, texts=("a cat", "see a dog")))


def test_conditions_on_tokens() -> None:
    assert Condition("at least tokens", number=9).is_met(WINDOW)
    assert not Condition("at least tokens", number=10).is_met(WINDOW)
    assert not Condition("a word in pieces").is_met(WINDOW)
    assert not Condition("an unknown token").is_met(WINDOW)
    tokens = TRACE.tokens
    pieces = ("[CLS]", "[UNK]", *tokens.pieces[2:])
    unknown = replace(TRACE, tokens=replace(tokens, pieces=pieces))
    assert Condition("an unknown token").is_met(replace(WINDOW, run=QuantityInputs(unknown)))
    words = tokens.words.copy()
    words[2] = words[1]
    joined = replace(TRACE, tokens=replace(tokens, words=words))
    assert Condition("a word in pieces").is_met(replace(WINDOW, run=QuantityInputs(joined)))
    assert set(MET) | {"at least tokens", "a word in pieces", "an unknown token"} == set(CONDITIONS)


def test_a_scene_takes_over_what_it_leaves_out_but_not_what_was_done_to_the_run() -> None:
    first = Scene(
        text=TypedText("a", "가"),
        pair=TypedText("b", "나"),
        layer=3,
        head=2,
        views=("steps",),
        query="x",
        hidden="y",
    )
    first = replace(first, muted=((0, 1),), replaced=(Replaced(token="x", piece="z"),))
    first = replace(first, analyses=("rollout",), best_head=True)
    after = following(first, Scene(layer=0, cards=()))
    assert (after.layer, after.head, after.views, after.cards) == (0, 2, ("steps",), ())
    assert (after.pair, after.query, after.hidden) == (TypedText("b", "나"), None, None)
    assert (after.muted, after.replaced, after.analyses, after.best_head) == ((), (), (), False)
    assert following(first, Scene(text=TypedText("c", "다"))).pair is None


def test_the_head_of_a_scene_is_one_that_the_model_has() -> None:
    assert head_of(Scene(layer=99, head=99), TRACE) == (TRACE.n_layers - 1, TRACE.n_heads - 1)
    best = Scene(query="w3", key="w5", best_head=True)
    assert head_of(best, TRACE) == HeadRule(query="w3", key="w5").heads(RUN)[0]
    assert head_of(replace(best, key="gone"), TRACE) == (TRACE.n_layers - 1, TRACE.n_heads - 1)


def test_the_stages_that_a_lesson_can_name_are_those_of_the_window() -> None:
    assert set(get_args(Stage)) == {key for key, stage in STAGES.items() if stage.is_stop}
