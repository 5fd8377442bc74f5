"""Stations that a teacher makes of what the window shows: their question as a task of a lesson file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from bertviz_app.errors import Message
from bertviz_app.learning.lessons.conditions import CONDITIONS, TYPED
from bertviz_app.learning.lessons.lesson import Scene
from bertviz_app.learning.lessons.writing import Json, key_of, scene_as_json
from bertviz_app.learning.typed_number import typed_number

Texts = Mapping[str, str]
"""A text by language."""

Value = Literal["", "text", "number", "numbers", "token", "measure", "view", "stage", "analysis", "class"]
"""What a question needs besides the scene; "" for nothing."""


@dataclass(frozen=True)
class Question:
    """`kind`: of the task, "none" without one; `rule`: which of its rules; `value`: what the rule needs."""

    kind: str = "none"
    rule: str = ""
    value: str = ""


RULES: Mapping[str, Mapping[str, Value]] = MappingProxyType(
    {
        "none": {"": ""},
        "choice": {"": ""},
        "order": {"": ""},
        "numbers": {"weight": "", "typed": "numbers"},
        "token": {"looked at most": "", "looks most": "", "largest value": "analysis", "named": "token"},
        "head": {"pair": "", "largest": "measure", "smallest": "measure"},
        "do": {
            "text changed": "",
            "text has": "text",
            "a pair": "",
            "at least tokens": "number",
            "a word in pieces": "",
            "an unknown token": "",
            "pinned": "",
            "pinned query": "",
            "masked": "token",
            "a token hidden": "",
            "a head muted": "",
            "predicted class": "class",
            "compared": "",
            "view": "view",
            "stage": "stage",
        },
    }
)
"""Kind -> rule -> what it needs.

“trained” is not there: what is shown has no training to start. A rule that needs an analysis or a class is
offered where the window shows an analysis with a number for each token, or a model with a classifier.
"""

_NEEDS_KEY = {("numbers", "weight"), ("head", "pair"), ("do", "pinned"), ("token", "looks most")}
_NEEDS_QUERY = {*_NEEDS_KEY, ("token", "looked at most"), ("do", "pinned query")} - {("token", "looks most")}


def rules_of(kind: str, scene: Scene) -> tuple[str, ...]:
    """Return the rules of a kind that the scene has the pinned tokens for."""
    return tuple(
        rule
        for rule in RULES[kind]
        if (scene.query is not None or (kind, rule) not in _NEEDS_QUERY)
        and (scene.key is not None or (kind, rule) not in _NEEDS_KEY)
    )


def station_json(scene: Scene, question: Question, texts: Mapping[str, Texts]) -> Json:
    """Return a station as a lesson file has it.

    `texts` are in both languages by the names of the fields: title, text, notes and, for the question, ask,
    hint, why and options, one a line. Of the options of a choice the first is right; those of an order stand
    in it. Raises ValueError for bad options and values.
    """
    if question.kind == "do" and question.rule.startswith("pinned"):
        target, scene = scene, replace(scene, query=None, key=None)  # else it would be pinned already
    else:
        target = scene
    station: Json = {
        "key": key_of(texts["title"]["en"]),
        "title": dict(texts["title"]),
        "text": dict(texts["text"]),
        "scene": scene_as_json(scene),
        "points_at": _points_at(question),
    }
    if texts["notes"]["en"]:
        station["notes"] = dict(texts["notes"])
    if question.kind != "none":
        sentences = {name: dict(texts[name]) for name in ("ask", "hint", "why")}
        station["task"] = {
            "kind": question.kind,
            **_TASKS[question.kind](target, question, texts),
            **sentences,
        }
    if question.kind == "do" and question.rule in TYPED:
        station["own_text"] = True
    return station


def _points_at(question: Question) -> str:
    if question.kind == "head":
        return "overview"
    return "text" if question.kind == "do" and question.rule in TYPED else "panel"


def _token(scene: Scene, question: Question, texts: Mapping[str, Texts]) -> Json:
    named = {
        "looked at most": ("query", scene.query),
        "looks most": ("key", scene.key),
        "largest value": ("analysis", question.value),
    }
    name, token = named.get(question.rule, ("token", question.value))
    return {"answer": {"of": question.rule, name: token}}


def _head(scene: Scene, question: Question, texts: Mapping[str, Texts]) -> Json:
    if question.rule == "pair":
        return {"answer": {"query": scene.query, "key": scene.key}}
    least = {"least": True} if question.rule == "smallest" else {}
    return {"answer": {"measure": question.value, **least}}


def _numbers(scene: Scene, question: Question, texts: Mapping[str, Texts]) -> Json:
    if question.rule == "weight":
        answers: list[Json] = [{"of": "weight", "query": scene.query, "key": scene.key}]
    else:
        parts = question.value.replace(";", " ").split()
        answers = [{"of": "number", "value": _number(part)} for part in parts]
    return {"answers": answers, "within": 0.01}


def _number(text: str) -> float:
    number = typed_number(text)
    if number is None:
        raise ValueError(Message("“{0}” is not a number.", text))
    return number


def _choice(scene: Scene, question: Question, texts: Mapping[str, Texts]) -> Json:
    options = _lines(texts)
    right = len(options) // 2  # not always the first on the card
    return {"options": [*options[1 : right + 1], *options[:1], *options[right + 1 :]], "right": right}


def _order(scene: Scene, question: Question, texts: Mapping[str, Texts]) -> Json:
    return {"items": _lines(texts)}


def _lines(texts: Mapping[str, Texts]) -> list[dict[str, str]]:
    lines = {
        key: [line.strip() for line in text.splitlines() if line.strip()]
        for key, text in texts["options"].items()
    }
    if len({len(each) for each in lines.values()}) > 1:
        raise ValueError(Message("The two languages have different numbers of answers."))
    return [dict(zip(lines, each, strict=True)) for each in zip(*lines.values(), strict=False)]


def _do(scene: Scene, question: Question, texts: Mapping[str, Texts]) -> Json:
    known = {"query": scene.query, "key": scene.key}
    needed, _ = CONDITIONS[question.rule]
    given = {name: known.get(name, question.value) for name in needed}
    if "number" in given:
        number = _number(question.value)
        if number != int(number):
            raise ValueError(Message("“{0}” is not a whole number.", question.value))
        return {"done": {"of": question.rule, "number": int(number)}}
    return {"done": {"of": question.rule, **given}}


_TASKS: Mapping[str, Callable[[Scene, Question, Mapping[str, Texts]], Json]] = MappingProxyType(
    {"token": _token, "head": _head, "numbers": _numbers, "choice": _choice, "order": _order, "do": _do}
)
