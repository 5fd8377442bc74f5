"""Stations that a teacher makes of what the window shows: their question as a task of a lesson file."""

from __future__ import annotations

from collections.abc import Mapping

from bertviz_app.errors import Message
from bertviz_app.learning.lessons.lesson import Scene
from bertviz_app.learning.lessons.writing import Json, key_of, scene_as_json

Texts = Mapping[str, str]
"""A text by language."""
QUESTIONS = ("none", "choice", "token", "weight", "head")


def station_json(scene: Scene, question: str, texts: Mapping[str, Texts]) -> Json:
    """Return a station as a lesson file has it.

    `texts` are in both languages by the names of the fields: title, text, notes and, for the question, ask,
    hint, why and options, one a line of which the first is right. Raises ValueError for bad options.
    """
    station: Json = {
        "key": key_of(texts["title"]["en"]),
        "title": dict(texts["title"]),
        "text": dict(texts["text"]),
        "scene": scene_as_json(scene),
        "points_at": "overview" if question == "head" else "panel",
    }
    if texts["notes"]["en"]:
        station["notes"] = dict(texts["notes"])
    if question != "none":
        asked = {name: dict(texts[name]) for name in ("ask", "hint", "why")}
        station["task"] = {**_task(scene, question, texts), **asked}
    return station


def _task(scene: Scene, question: str, texts: Mapping[str, Texts]) -> Json:
    pair = {"query": scene.query, "key": scene.key}
    if question == "token":
        return {"kind": "token", "answer": {"of": "looked at most", "query": scene.query}}
    if question == "weight":
        return {"kind": "numbers", "answers": [{"of": "weight", **pair}], "within": 0.01}
    if question == "head":
        return {"kind": "head", "answer": pair}
    lines = {
        key: [line.strip() for line in text.splitlines() if line.strip()]
        for key, text in texts["options"].items()
    }
    if len({len(each) for each in lines.values()}) > 1:
        raise ValueError(Message("The two languages have different numbers of answers."))
    options = [dict(zip(lines, each, strict=True)) for each in zip(*lines.values(), strict=False)]
    right = len(options) // 2  # not always the first on the card
    shown = [*options[1 : right + 1], *options[:1], *options[right + 1 :]]
    return {"kind": "choice", "options": shown, "right": right}
