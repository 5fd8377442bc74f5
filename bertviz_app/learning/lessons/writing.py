"""Lesson files that the program writes: a new lesson, or a station more in one that there is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from bertviz_app.errors import FileError, Message
from bertviz_app.learning.lessons.lesson import Replaced, Scene
from bertviz_app.learning.lessons.reading import parse_lesson, read_lesson
from bertviz_app.learning.words import Words
from bertviz_app.paths import replacing

_WIDTH = 110
Json = dict[str, Any]


def words_as_json(words: Words) -> Json:
    """Return a text in both languages as a lesson file has it."""
    return {"en": words.en, "ko": words.ko}


def scene_as_json(scene: Scene) -> Json:
    """Return a scene as a lesson file has it; what is not set is left out."""
    found: Json = {}
    for field in fields(Scene):
        value = getattr(scene, field.name)
        if value != field.default:
            found[field.name] = _plain(value)
    return found


def _plain(value: object) -> object:
    if isinstance(value, Words):
        return words_as_json(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Replaced):
        return {"token": value.token, "piece": value.piece}
    return value


def new_lesson(title: Words, summary: Words, key: str) -> Json:
    """Return a lesson without stations, as its file has it."""
    return {
        "key": key,
        "title": words_as_json(title),
        "summary": words_as_json(summary),
        "minutes": 5,
        "stations": [],
    }


def lesson_in(path: Path) -> Json:
    """Return the content of a lesson file, which is a sound one. Raises FileError."""
    read_lesson(path)
    content: Json = json.loads(path.read_text(encoding="utf-8-sig"))
    return content


def with_station(lesson: Json, station: Json) -> Json:
    """Return the lesson with one more station at its end, whose key differs from those of the others."""
    keys = {each["key"] for each in lesson["stations"]}
    return {**lesson, "stations": [*lesson["stations"], {**station, "key": free_key(station["key"], keys)}]}


def free_key(key: str, keys: set[str]) -> str:
    """Return `key`, with a number behind it where it is taken."""
    numbers = (f"{key}-{number}" for number in range(2, len(keys) + 3))
    return key if key not in keys else next(each for each in numbers if each not in keys)


def key_of(title: str) -> str:
    """Return a key made of a title: small letters and digits with hyphens between."""
    return re.sub(r"\W+", "-", title.casefold()).strip("-_")[:40] or "station"


def lesson_text(lesson: Mapping[str, Any]) -> str:
    """Return a lesson as text to be read and edited: what fits stands on one line."""
    return _text(lesson, 0) + "\n"


def save_lesson(lesson: Mapping[str, Any], path: Path) -> None:
    """Write a lesson file, which is checked first: a mistake leaves the file as it was. Raises FileError."""
    text = lesson_text(lesson)
    parse_lesson(text, path.name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = Message("{0} could not be written: {1}.", path, error.strerror or error)
        raise FileError(message, Message("Choose another folder.")) from error
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")


def _text(value: object, depth: int) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + 2 * depth <= _WIDTH or not isinstance(value, dict | list):
        return line
    inner = "  " * (depth + 1)
    if isinstance(value, dict):
        parts = [
            f"{json.dumps(key, ensure_ascii=False)}: {_text(each, depth + 1)}" for key, each in value.items()
        ]
        opening, closing = "{", "}"
    else:
        parts = [_text(each, depth + 1) for each in value]
        opening, closing = "[", "]"
    body = f",\n{inner}".join(parts)
    return f"{opening}\n{inner}{body}\n{'  ' * depth}{closing}"
