"""Lessons: read from files, checked, and their conditions and tasks."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bertviz_app.analysis.pairs import specificity
from bertviz_app.errors import FileError
from bertviz_app.features.lessons.course.lesson import (
    Replaced,
    Scene,
    SceneRuns,
    check_lesson,
    following,
    head_of,
)
from bertviz_app.features.lessons.course.reading import parse_lesson, read_lesson
from bertviz_app.features.lessons.course.tasks import (
    CONDITIONS,
    QUANTITIES,
    AskedNumber,
    ChoiceTask,
    Claim,
    Condition,
    HeadRule,
    HeadTask,
    MissingError,
    NumbersTask,
    OrderTask,
    QuantityInputs,
    ShownWindow,
    TokenRule,
)
from bertviz_app.features.training.process.labels import train_labels
from bertviz_app.json_store import lines_of
from bertviz_app.learning.label_training import LabelResult
from bertviz_app.learning.words import TypedText, Words
from bertviz_app.paths import resources
from tests.support.factories import dense, make_trace
from tests.support.fakes import FakeEngine
from tests.support.lesson_scene import CHOICE, LESSON, station, words

WORDS = {"en": "Text", "ko": "글"}
TASK: dict[str, Any] = {
    "kind": "numbers",
    "ask": WORDS,
    "hint": WORDS,
    "why": WORDS,
    "answers": [{"of": "weight", "query": "it", "key": "cat"}],
}
STATION: dict[str, Any] = {
    "key": "one",
    "title": WORDS,
    "text": WORDS,
    "scene": {"text": WORDS},
    "task": TASK,
}
LESSON_FILE: dict[str, Any] = {
    "key": "lesson",
    "title": WORDS,
    "summary": WORDS,
    "minutes": 5,
    "stations": [STATION],
}


def written(lesson: object) -> str:
    return json.dumps(lesson, ensure_ascii=False, indent=1)


def test_a_lesson_is_read() -> None:
    lesson = parse_lesson(written(LESSON_FILE), "a.json")
    task = lesson.stations[0].task
    assert isinstance(task, NumbersTask)
    assert task.answers[0].query == "it"
    assert task.within == 0.01
    assert lesson.stations[0].scene.views == ()


def test_the_example_of_the_guide_is_a_lesson() -> None:
    guide = resources() / "docs" / "how-to" / "write_a_lesson.md"
    (block,) = re.findall(
        r"^```json\n(.*?)^```$", guide.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    lesson = parse_lesson(block, guide.name)
    assert lesson.key == json.loads(block)["key"]
    assert [station.key for station in lesson.stations] == [
        one["key"] for one in json.loads(block)["stations"]
    ]
    assert all(station.task for station in lesson.stations)


def line_with(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), start=1) if part in line)


@pytest.mark.parametrize(
    ("station", "part", "words"),
    [
        ({"points_at": "moon"}, '"points_at"', "“points_at” is “moon”, which is not one of text"),
        ({"colour": "red"}, '"colour"', '"colour" is not one of key'),
        ({"scene": {"layer": "5"}}, '"layer"', '"5" is not a whole number'),
        ({"scene": {"views": ["map"]}}, '"map"', '"map" is not one of words'),
        ({"task": TASK | {"kind": "sing"}}, '"sing"', '"sing" is not one of token'),
        (
            {"task": TASK | {"answers": [{"of": "weight", "query": "it"}]}},
            '"of"',
            "“weight” also needs “key”",
        ),
        ({"task": TASK | {"answers": [{"of": "colour"}]}}, '"of"', "which is not one of number"),
        (
            {"task": TASK | {"answers": [{"of": "n_tokens", "token": "it"}]}},
            '"of"',
            "“n_tokens” cannot have “token”",
        ),
        ({"task": TASK | {"answers": []}}, '"answers"', "“answers” has fewer than 1 items"),
        ({"task": TASK | {"within": -1}}, '"within"', "“within” must be greater than 0"),
        ({"scene": {"layer": -1}}, '"layer"', "“layer” must be at least 0"),
        ({"scene": {"state": -1}}, '"state"', "“state” must be at least 0"),
        ({"scene": {"muted": [[0, -1]]}}, '"muted"', "“muted” must be at least 0"),
        ({"title": {"en": "Only English"}}, '"Only English"', "“ko” is missing"),
        ({"text": {"en": "{n_tokens}", "ko": "글"}}, '"{n_tokens}"', "different fields"),
        *(
            ({"text": {"en": f"{{{field}}}", "ko": f"{{{field}}}"}}, '"text"', f"the field “{field}”")
            for field in ("weight:.2f", "weight!r", "weight.real", "0", "")
        ),
        *(
            ({"text": {"en": text, "ko": "글"}}, '"text"', f"or around no name: “{text}”")
            for text in ("a } b", "a { b", "{weight", "{weight!}")
        ),
        ({"task": TASK | {"kind": ["numbers"]}}, '"kind"', '["numbers"] is not one of token'),
        ({"task": TASK | {"within": 10**400}}, '"within"', "is not a number"),
        ({"task": TASK | {"within": float("nan")}}, '"within"', "NaN is not a number"),
    ],
)
def test_a_mistake_is_named_with_its_line(station: dict[str, Any], part: str, words: str) -> None:
    text = written(LESSON_FILE | {"stations": [STATION | station]})
    with pytest.raises(FileError) as raised:
        parse_lesson(text, "a.json")
    message = str(raised.value)
    assert words in message
    line = int(message.split("line ")[1].split(":")[0])
    assert abs(line - line_with(text, part)) <= 1


def test_the_second_station_of_a_key_is_named_with_its_line() -> None:
    text = written(LESSON_FILE | {"stations": [STATION, STATION | {"key": "two"}, STATION]})
    *_, line = (number for number, each in enumerate(text.splitlines(), start=1) if '"key": "one"' in each)
    with pytest.raises(FileError, match=f"line {line}: .*another station has the key “one” already"):
        parse_lesson(text, "a.json")


def test_a_key_that_is_there_twice_is_named_with_its_line() -> None:
    text = written(LESSON_FILE | {"stations": [STATION]}).replace(
        '"key": "one"', '"key": "zero",\n"key": "one"'
    )
    line = line_with(text, '"one"')
    with pytest.raises(FileError, match=f"line {line}: the key “key” is there twice"):
        parse_lesson(text, "a.json")


def test_what_is_not_json_is_named_with_its_line() -> None:
    with pytest.raises(FileError, match=r"a\.json, line 3: this is not JSON"):
        parse_lesson('{\n"key": 1,\n oops}', "a.json")
    with pytest.raises(FileError, match="line 1"):
        parse_lesson("[]", "a.json")
    with pytest.raises(FileError, match="5001 digits"):
        parse_lesson(f'{{"minutes": 1{"0" * 5000}}}', "a.json")


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        read_lesson(tmp_path / "none.json")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(FileError, match="not UTF-8"):
        read_lesson(tmp_path / "bytes.json")
    (tmp_path / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(FileError):
        read_lesson(tmp_path / "deep.json")
    (tmp_path / "large.json").write_text(" " * (5 << 20), encoding="utf-8")
    with pytest.raises(FileError, match="larger"):
        read_lesson(tmp_path / "large.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(JSON, st.sampled_from([None, 1, 3]))
def test_every_value_has_the_line_at_which_it_begins(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    lines = lines_of(text)
    paths = list(_paths(value, ()))
    assert list(lines) == paths
    if indent is not None:
        rows = text.splitlines()
        for path, line in lines.items():
            if path and isinstance(path[-1], str):
                assert rows[line - 1].strip().startswith(json.dumps(path[-1]))


def _paths(value: object, path: tuple[str | int, ...]) -> Any:
    yield path
    items = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for key, each in items:
        yield from _paths(each, (*path, key))


SCENE: dict[str, Any] = {"text": words("the cat sat"), "layer": 0, "head": 1}
SOUND = station("one", SCENE, CHOICE)


def mistakes(*stations: dict[str, Any]) -> list[str]:
    lesson = parse_lesson(json.dumps(LESSON | {"stations": list(stations)}), "lesson.json")
    return [mistake.words for mistake in check_lesson(lesson, SceneRuns(FakeEngine()), train_labels)]


DO = {"kind": "do", "done": {"of": "text has", "text": "dog"}}


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"scene": {"layer": 0}}, "there is no text yet"),
        ({"scene": SCENE | {"query": "dog"}}, "there is no token “dog”"),
        ({"scene": SCENE | {"hidden": "dog"}}, "there is no token “dog”"),
        ({"scene": SCENE | {"replaced": [{"token": "dog", "piece": "cat"}]}}, "there is no token “dog”"),
        ({"scene": SCENE | {"layer": 99}}, "“layer” is 99: this model has 0 to "),
        ({"scene": SCENE | {"head": 99}}, "“head” is 99: this model has 0 to "),
        ({"scene": SCENE | {"muted": [[0, 99]]}}, "“head” is 99: this model has 0 to "),
        ({"scene": SCENE | {"muted": [[99, 0]]}}, "“layer” is 99: this model has 0 to "),
        ({"scene": SCENE | {"state": 99}}, "“state” is 99: this model has 0 to "),
        ({"scene": SCENE | {"analyses": ["no-such-analysis"]}}, "no-such-analysis"),
        ({"text": words("It has {n_tokens} tokens and {n_wheels} wheels.")}, "n_wheels"),
        ({"text": words("The weight is {weight}.")}, "the run has nothing for the field “weight”"),
        (
            {"task": DO | {"ask": words("Ask"), "hint": words("Hint"), "why": words("Why")}},
            "",
        ),
        (
            {
                "scene": SCENE | {"text": words("the dog sat")},
                "task": DO | {"ask": words("Ask"), "hint": words("Hint"), "why": words("Why")},
            },
            "the task is done before the learner does anything",
        ),
        (
            {
                "claims": [
                    {
                        "left": {"of": "n_tokens"},
                        "is": ">",
                        "right": {"of": "number", "value": 99},
                    }
                ]
            },
            "the claim “n_tokens > number” is false: 5, 99",
        ),
    ],
)
def test_a_mistake_is_found_in_both_languages(changed: dict[str, Any], found: str) -> None:
    words_found = mistakes(SOUND | changed)
    assert len(words_found) == (2 if found else 0)
    assert all(found in each for each in words_found)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("bad", []),
        ("good", ["the task is done before the learner does anything"]),
        ("awful", ["“text” is “awful”, which is not one of “good”, “so so”, “bad”"]),
    ],
)
def test_the_class_that_a_task_asks_for_is_one_of_the_others_of_the_model(
    wanted: str, found: list[str]
) -> None:
    engine = FakeEngine()
    engine.task_heads = ("classes",)
    task = {"kind": "do", "done": {"of": "predicted class", "text": wanted}}
    task |= {"ask": words("Ask"), "hint": words("Hint"), "why": words("Why")}
    lesson = parse_lesson(json.dumps(LESSON | {"stations": [station("one", SCENE, task)]}), "lesson.json")
    for_both_languages = [each for each in found for _ in range(2)]
    assert [
        each.words for each in check_lesson(lesson, SceneRuns(engine), train_labels)
    ] == for_both_languages


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
    "others": (
        AskedNumber("others", query="w3", key="w5"),
        np.delete(WEIGHTS[1, 2, :, 5], 3).mean(dtype=np.float64),
    ),
    "entropy": (AskedNumber("entropy", query="w3"), -(ROW * np.log2(ROW)).sum()),
    "n_masked": (AskedNumber("n_masked"), 0),
    "n_repeated": (AskedNumber("n_repeated"), 7 - len(set(TRACE.tokens.ids[1:-1].tolist()))),
    "shown_query": (AskedNumber("shown_query", query="w3"), Q[3, 0]),
    "tried_weight": (AskedNumber("tried_weight", query="w3", key="w5"), ROW[5]),
    "tried_entropy": (AskedNumber("tried_entropy", query="w3"), -(ROW * np.log2(ROW)).sum()),
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


def test_every_number_follows_its_formula() -> None:
    assert set(EXPECTED) == set(QUANTITIES)
    found = {name: RUN.number(quantity) for name, (quantity, _) in EXPECTED.items()}
    expected = {name: float(number) for name, (_, number) in EXPECTED.items()}
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_what_a_run_does_not_have_is_missing_and_never_a_number() -> None:
    for quantity in (
        *(AskedNumber("id", token=token) for token in ("w9", "w1#2")),
        AskedNumber("weight", query="w1", key="w2", layer=TRACE.n_layers),
        AskedNumber("weight", query="w1", key="w2", head=TRACE.n_heads),
        AskedNumber("hidden", token="w1", state=99, index=0),
        *(AskedNumber("pooled", index=index) for index in (999, -1)),
    ):
        with pytest.raises(MissingError):
            RUN.number(quantity)


def test_a_divisor_that_is_tried_changes_the_row() -> None:
    powers = np.exp((Q[3] @ K.T) / 2)
    tried = replace(RUN, divisor=2.0)
    weight = AskedNumber("tried_weight", query="w3", key="w5")
    assert tried.number(weight) == pytest.approx(powers[5] / powers.sum(), rel=1e-4)
    assert tried.number(ENTROPY) == RUN.number(ENTROPY), "the model's own weights stay"
    shown = replace(RUN, output=3)
    assert shown.number(AskedNumber("shown_query", query="w3")) == pytest.approx(Q[3, 3])


def test_tokens_are_counted_by_what_is_read() -> None:
    tokens = TRACE.tokens
    pieces = (*tokens.pieces[:2], "[MASK]", "<mask>", *tokens.pieces[4:])
    ids = tokens.ids.copy()
    ids[2:5] = ids[1]
    read = QuantityInputs(replace(TRACE, tokens=replace(tokens, pieces=pieces, ids=ids)))
    assert read.number(AskedNumber("n_masked")) == 2
    assert read.number(AskedNumber("n_repeated")) == RUN.number(AskedNumber("n_repeated")) + 3


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
    assert TokenRule(of="scores least", query="w3").positions(RUN) == {int(row.argmin())}
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


ENTROPY = AskedNumber("entropy", query="w3")
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
    "drawn": (Condition("drawn", number=2), {"drawn": 2}),
    "trained": (Condition("trained"), {"run": RUN}),
    "view": (Condition("view", view="steps"), {"views": ("lines", "steps")}),
    "stage": (Condition("stage", stage="softmax"), {"stage": "softmax"}),
    "state": (Condition("state", number=2), {"state": 2}),
    "a claim": (
        Condition(
            "a claim",
            claim=Claim(left=AskedNumber("tried_entropy", query="w3"), is_="<", right=ENTROPY),
        ),
        {"run": replace(RUN, divisor=0.5 * math.sqrt(8))},
    ),
    "text makes": (
        Condition(
            "text makes",
            claim=Claim(left=AskedNumber("n_tokens"), is_="<", right=AskedNumber("number", value=9)),
        ),
        {"run": QuantityInputs(make_trace(5))},
    ),
}


def test_a_condition_is_met_by_what_it_asks_for_alone() -> None:
    assert [name for name, (condition, _) in MET.items() if condition.is_met(WINDOW)] == []
    changed = {name: replace(WINDOW, **change) for name, (_, change) in MET.items()}  # type: ignore[arg-type]
    assert [name for name, (condition, _) in MET.items() if not condition.is_met(changed[name])] == []


def test_a_pair_is_pinned_by_both_of_its_tokens() -> None:
    condition = Condition("pinned", query="w1", key="w2")
    assert not condition.is_met(replace(WINDOW, query=1, key=3))
    assert not condition.is_met(replace(WINDOW, query=3, key=2))
    assert not condition.is_met(replace(WINDOW, query=1))


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


def test_a_picture_stays_until_views_or_analyses_take_its_place() -> None:
    first = Scene(text=TypedText("a", "가"), picture="mask", part="loss", hidden=TypedText("a", "가"))
    assert (first.in_language("ko").hidden, first.in_language("en").hidden) == ("가", "a")
    after = following(first, Scene(query="a"))
    assert (after.picture, after.part, after.hidden) == ("mask", None, None)
    for other in (Scene(views=("steps",)), Scene(analyses=("occlusion",))):
        assert following(first, other).picture is None
    assert following(first, Scene(views=("steps",), picture="row")).picture == "row"


@pytest.mark.parametrize(
    ("scene", "wrong"),
    [
        ({"picture": "cat"}, "“cat” is not one of"),
        ({"part": 3}, "3 is not one of"),
        ({"output": -1}, "“output” must be at least 0"),
        ({"hidden": {"en": "cat"}}, "“ko” is missing"),
    ],
)
def test_what_a_picture_cannot_be_is_refused(scene: dict[str, Any], wrong: str) -> None:
    with pytest.raises(FileError) as caught:
        parse_lesson(json.dumps(LESSON | {"stations": [station("one", scene)]}), "lesson.json")
    assert wrong.replace("“cat”", '"cat"') in str(caught.value)


def test_the_head_of_a_scene_is_one_that_the_model_has() -> None:
    assert head_of(Scene(layer=99, head=99), TRACE) == (TRACE.n_layers - 1, TRACE.n_heads - 1)
    best = Scene(query="w3", key="w5", best_head=True)
    values = specificity(TRACE, "w3", "w5")
    assert head_of(best, TRACE) == divmod(int(values.argmax()), TRACE.n_heads)
    assert head_of(best, TRACE) != HeadRule(query="w3", key="w5").heads(RUN)[0]
    assert head_of(replace(best, key="gone"), TRACE) == (TRACE.n_layers - 1, TRACE.n_heads - 1)


TASK_RUN = QuantityInputs(TRACE, 1, 2)
TASK_LABELS = {"real": LabelResult(0.99, 0.7325, 0.5), "random": LabelResult(0.98, 0.46, 0.5)}
COMMON: dict[str, Any] = {name: Words("text", "글") for name in ("ask", "hint", "why")}
FIVE, SEVEN = AskedNumber("number", value=5), AskedNumber("number", value=7)


def numbers_task(*answers: AskedNumber, **settings: Any) -> NumbersTask:
    return NumbersTask(answers=answers, **COMMON, **settings)


def alike(*texts: str) -> tuple[Words, ...]:
    return tuple(Words(text, text) for text in texts)


def test_a_number_is_right_within_the_tolerance_of_the_task() -> None:
    task = numbers_task(FIVE, within=0.1)
    right = [typed for typed in (5.0, 5.1, 4.9, 5.11, 4.8) if task.is_right(TASK_RUN, (typed,))]
    assert right == [5.0, 5.1, 4.9]


def test_all_numbers_must_be_there_and_each_wrong_one_is_named() -> None:
    task = numbers_task(FIVE, SEVEN)
    assert task.is_right(TASK_RUN, (5, 7))
    assert not task.is_right(TASK_RUN, (5,))
    assert not task.is_right(TASK_RUN, (7, 5))
    assert task.wrong(TASK_RUN, (6, 8)) == (0, 1)
    assert task.wrong(TASK_RUN, (5, 8)) == (1,)


def test_a_share_is_typed_as_a_share_or_as_a_percentage() -> None:
    run = replace(TASK_RUN, trained=TASK_LABELS)  # type: ignore[arg-type]
    task = numbers_task(AskedNumber("held_out_accuracy", labels="real"), unit="%")
    typed = (0.7325, 73.3, 73, 0.75, 75, 7325)
    assert [number for number in typed if task.is_right(run, (number,))] == [0.7325, 73.3, 73]
    assert not replace(task, unit="").is_right(run, (73.3,))
    small = numbers_task(AskedNumber("number", value=0.005), unit="%")
    assert not small.is_right(run, (0.5,)), "up to 1 it is a share: 50 %"


def test_a_token_among_the_words_is_never_a_special_one() -> None:
    special = TRACE.tokens.is_special
    for query in ("w1", "w2", "w3", "w4", "w5"):
        row = dense(TRACE)[1, 2, TASK_RUN.find(query)].copy()
        assert TokenRule(of="looked at most", query=query).positions(TASK_RUN) == {int(row.argmax())}
        row[special] = -1
        assert TokenRule(of="looked at most", query=query, among="words").positions(TASK_RUN) == {
            int(row.argmax())
        }
    layers, heads, queries = np.nonzero(special[dense(TRACE).argmax(-1)])
    assert len(queries), "some row must look most at a special token"
    at = replace(TASK_RUN, layer=int(layers[0]), head=int(heads[0]))
    name = TRACE.tokens.labels[int(queries[0])]
    (found,) = TokenRule(of="looked at most", query=name, among="words").positions(at)
    assert not special[found]


def test_the_head_with_the_least_is_not_the_one_with_the_most() -> None:
    values = TASK_RUN.measure("entropy")
    most, least = HeadRule(measure="entropy"), HeadRule(measure="entropy", least=True)
    assert most.heads(TASK_RUN) == (tuple(map(int, divmod(int(values.argmax()), values.shape[1]))),)
    assert least.heads(TASK_RUN) == (tuple(map(int, divmod(int(values.argmin()), values.shape[1]))),)
    two = HeadTask(answer=HeadRule(measure="entropy", best=2), **COMMON)
    order = np.argsort(-values, axis=None)
    for rank, expected in enumerate((True, True, False)):
        assert two.is_right(TASK_RUN, tuple(map(int, divmod(int(order[rank]), values.shape[1])))) is expected  # type: ignore[arg-type]
    everyone = HeadTask(answer=HeadRule(measure="entropy", best=values.size), **COMMON)
    assert list(everyone.mistakes(TASK_RUN)) == ["every head is right"]


def test_an_order_is_right_only_as_it_is_in_the_file() -> None:
    task = OrderTask(items=alike("a", "b", "c", "d"), **COMMON)
    assert task.is_right(TASK_RUN, (0, 1, 2, 3))
    assert not task.is_right(TASK_RUN, (1, 0, 2, 3))
    assert sorted(task.shuffled) == [0, 1, 2, 3]
    for n_items in (3, 4, 5, 6):
        assert not replace(task, items=alike(*"abcdef"[:n_items])).is_right(
            TASK_RUN, replace(task, items=alike(*"abcdef"[:n_items])).shuffled
        )


def test_an_order_whose_values_do_not_grow_is_a_mistake() -> None:
    task = OrderTask(items=alike("a", "b", "c"), values=(FIVE, SEVEN, SEVEN), **COMMON)
    assert list(task.mistakes(TASK_RUN)) == []
    (mistake,) = replace(task, values=(SEVEN, FIVE, SEVEN)).mistakes(TASK_RUN)
    assert mistake == "the values do not grow: 7, 5, 7"


def test_a_choice_is_unsound_with_a_false_claim_or_two_equal_options() -> None:
    task = ChoiceTask(
        options=alike("a", "b"), right=0, claims=(Claim(left=FIVE, is_="<", right=SEVEN),), **COMMON
    )
    assert list(task.mistakes(TASK_RUN)) == []
    assert len(list(replace(task, claims=(Claim(left=FIVE, is_=">", right=SEVEN),)).mistakes(TASK_RUN))) == 1
    assert len(list(replace(task, options=alike("a", "a")).mistakes(TASK_RUN))) == 2  # in each language
    assert task.is_right(TASK_RUN, 0)
    assert not task.is_right(TASK_RUN, 1)


def test_a_claim_holds_to_the_last_digits() -> None:
    holding: dict[Any, float] = {"=": 5.0, "<": 5.001, ">": 4.999}
    for is_, expected in holding.items():
        numbers = {number: AskedNumber("number", value=number) for number in holding.values()}
        right = [
            at for at, number in numbers.items() if Claim(left=FIVE, is_=is_, right=number).holds(TASK_RUN)
        ]
        assert right == [expected]


def test_an_option_has_its_reason_and_the_right_one_has_none() -> None:
    task = ChoiceTask(options=alike("a", "b"), right=1, reasons=(*alike("no a"), None), **COMMON)
    assert task.reason(0) == Words("no a", "no a")
    assert task.reason(1) is None
    assert ChoiceTask(options=alike("a", "b"), right=1, **COMMON).reason(0) is None


def test_reasons_are_of_the_wrong_options_alone() -> None:
    for reasons in (alike("no a"), alike("no a", "no b"), (*alike("a", "b"), None)):
        with pytest.raises(ValueError, match="reasons"):
            ChoiceTask(options=alike("a", "b"), right=1, reasons=reasons, **COMMON)
