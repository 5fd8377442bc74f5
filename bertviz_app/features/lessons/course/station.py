"""The stations that a teacher makes: what their tasks can ask for, and what is written into a lesson file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

from bertviz_app.errors import Message
from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.course.reading import Json, key_of, scene_as_json
from bertviz_app.features.lessons.course.tasks import CONDITIONS, TYPED
from bertviz_app.json_store import decode
from bertviz_app.learning.words import Words, resource, typed_number
from bertviz_app.values import dataclass, replace

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


@dataclass(frozen=True)
class StationRule:
    """What a task asks for.

    `words`: what the list of rules says, with the pinned tokens that it is `of`: the query, the key, or both.
    `value`: what it needs besides. `ask`: how it can be asked; None where only the teacher knows.
    """

    words: Words | None = None
    value: Value = ""
    of: Literal["", "query", "key", "pair"] = ""
    ask: Words | None = None

    def words_in(self, language: str, scene: Scene) -> str:
        """Return what the list of rules says of a scene."""
        pair = f"“{scene.query or ''}” → “{scene.key or ''}”"
        pinned = {"query": scene.query or "", "key": scene.key or "", "pair": pair, "": ""}[self.of]
        return "" if self.words is None else self.words.in_language(language).format(pinned=pinned)

    def suggestion(self, scene: Scene, value: str, language: str) -> str:
        """Return how it can be asked, "" where only the teacher knows."""
        words = "" if self.ask is None else self.ask.in_language(language)
        return words.format(query=scene.query, key=scene.key, value=value or "…")


@cache
def station_rules() -> Mapping[str, Mapping[str, StationRule]]:
    """Return the rules of each kind of task, by their keys; they are read once.

    “trained” and “drawn” are not there: what is shown has no training to start and no dice; nor are “a claim”
    and “text makes”, whose claims are written into the file by hand. A rule that needs an analysis or a class
    is offered where the window shows an analysis with a number for each token, or a model with a classifier.
    """
    kinds = resource("stations", "rules.json").items()
    return {kind: {key: decode(StationRule, rule) for key, rule in of.items()} for kind, of in kinds}


def rules_of(kind: str, scene: Scene) -> tuple[str, ...]:
    """Return the rules of a kind that the scene has the pinned tokens for."""
    lacking = {"pair"} if scene.query is None or scene.key is None else set()
    lacking |= {name for name in ("query", "key") if getattr(scene, name) is None}
    return tuple(key for key, rule in station_rules()[kind].items() if rule.of not in lacking)


def station_json(scene: Scene, question: Question, texts: Mapping[str, Texts]) -> Json:
    """Return a station as a lesson file has it.

    `texts` are in both languages by the names of the fields: title, text, notes and, for the question, ask,
    hint, why and options, one a line. Of the options of a choice the first is right; those of an order stand
    in it. Raises ValueError for bad options and values.
    """
    target, is_typed = scene, question.kind == "do" and question.rule in TYPED
    if question.kind == "do" and question.rule.startswith("pinned"):
        scene = replace(scene, query=None, key=None)  # else it would be pinned already
    station: Json = {
        "key": key_of(texts["title"]["en"]),
        "title": dict(texts["title"]),
        "text": dict(texts["text"]),
        "scene": scene_as_json(scene),
        "points_at": "overview" if question.kind == "head" else "text" if is_typed else "panel",
    }
    if texts["notes"]["en"]:
        station["notes"] = dict(texts["notes"])
    if question.kind != "none":
        station["task"] = {
            "kind": question.kind,
            **_task(target, question, texts),
            **{name: dict(texts[name]) for name in ("ask", "hint", "why")},
        }
    if is_typed:
        station["own_text"] = True
    return station


def _task(scene: Scene, question: Question, texts: Mapping[str, Texts]) -> Json:
    """Return what the task asks for, as a lesson file has it."""
    rule, value = question.rule, question.value
    pair = {"query": scene.query, "key": scene.key}
    match question.kind:
        case "token":
            name = {"looks most": "key", "largest value": "analysis", "named": "token"}.get(rule, "query")
            return {"answer": {"of": rule, name: pair.get(name, value)}}
        case "head":
            measure = {"measure": value, **({"least": True} if rule == "smallest" else {})}
            return {"answer": pair if rule == "pair" else measure}
        case "numbers":
            parts = value.replace(";", " ").split()
            typed: list[Json] = [{"of": "number", "value": _number(part)} for part in parts]
            return {"answers": [{"of": "weight", **pair}] if rule == "weight" else typed, "within": 0.01}
        case "choice":
            options = _lines(texts)
            right = len(options) // 2  # not always the first on the card
            return {"options": [*options[1 : right + 1], *options[:1], *options[right + 1 :]], "right": right}
        case "order":
            return {"items": _lines(texts)}
    needed, _ = CONDITIONS[rule]
    done: Json = {name: pair.get(name, value) for name in needed}
    if "number" in done:
        number = _number(value)
        if number != int(number):
            raise ValueError(Message("“{0}” is not a whole number.", value))
        done["number"] = int(number)
    return {"done": {"of": rule, **done}}


def _number(text: str) -> float:
    number = typed_number(text)
    if number is None:
        raise ValueError(Message("“{0}” is not a number.", text))
    return number


def _lines(texts: Mapping[str, Texts]) -> list[dict[str, str]]:
    lines = {
        key: [line.strip() for line in text.splitlines() if line.strip()]
        for key, text in texts["options"].items()
    }
    if len({len(each) for each in lines.values()}) > 1:
        raise ValueError(Message("The two languages have different numbers of answers."))
    return [dict(zip(lines, each, strict=True)) for each in zip(*lines.values(), strict=False)]
