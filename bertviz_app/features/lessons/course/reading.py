"""Lesson files: read with mistakes named by line, and written from what a teacher makes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from bertviz_app import paths
from bertviz_app.errors import FileError, Message
from bertviz_app.features.lessons.course.lesson import Example, ExampleFile, Lesson, Mistake, Scene, following
from bertviz_app.features.lessons.course.tasks import KINDS, Task
from bertviz_app.json_store import JsonPath, RepeatedKeyError, UnfitError, decode, encode, line_at, lines_of
from bertviz_app.learning.words import Words
from bertviz_app.paths import replacing

_LARGEST = 4 << 20
_Kind = TypeVar("_Kind")


@cache
def shipped_lessons() -> tuple[Lesson, ...]:
    """Return the lessons that come with the program, in the order of their files; they are read once."""
    return tuple(read_lesson(path) for path in sorted((paths.resources() / "lessons").glob("*.json")))


@cache
def shipped_examples() -> tuple[Example, ...]:
    """Return the examples of the start page."""
    path = paths.resources() / "examples" / "examples.json"
    return _parsed(ExampleFile, path.read_text(encoding="utf-8"), path.name).examples


def read_lesson(path: Path) -> Lesson:
    """Read one lesson. Raises FileError that names the line of a mistake."""
    try:
        if path.stat().st_size > _LARGEST:
            raise FileError(Message("{0} is larger than a lesson can be.", path.name))
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FileError(Message("{0} cannot be read: {1}", path.name, error.strerror or error)) from error
    except UnicodeDecodeError as error:
        raise FileError(Message("{0} is not UTF-8 text.", path.name)) from error
    return parse_lesson(text, path.name)


def parse_lesson(text: str, name: str) -> Lesson:
    """Return the lesson in `text`, the content of a file called `name`. Raises FileError."""
    return _parsed(Lesson, text, name)


def duplicate_key(path: Path, key: str) -> FileError:
    """Return the error for a lesson file whose key another lesson has already."""
    try:
        lines = lines_of(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RepeatedKeyError, StopIteration):  # it was written again after it was read
        lines = {}
    words = Message("the key “{0}” is that of another lesson: give it one of its own", key)
    return FileError(Message("{0}, line {1}: {2}", path.name, line_at(lines, ("key",)), words))


def _parsed(kind: type[_Kind], text: str, name: str) -> _Kind:
    try:
        content = json.loads(text)
        lines = lines_of(text)
    except RepeatedKeyError as error:
        words = Message("the key “{0}” is there twice", error.key)
        raise FileError(Message("{0}, line {1}: {2}", name, error.line, words)) from error
    except RecursionError as error:
        raise FileError(Message("{0} is nested too deeply.", name)) from error
    except json.JSONDecodeError as error:
        raise FileError(
            Message("{0}, line {1}: this is not JSON ({2}).", name, error.lineno, error.msg)
        ) from error
    except ValueError as error:  # an integer of more digits than Python reads
        raise FileError(Message("{0} cannot be read: {1}", name, error)) from error
    try:
        return decode(kind, content, is_strict=True, kinds={Task: KINDS})
    except UnfitError as error:
        words = Message("{0}, line {1}: {2}", name, line_at(lines, error.path), error.words)
        raise FileError(words) from error


def line_of_mistake(mistake: Mistake, text: str) -> int:
    """Return the line, from 1, of what `mistake` is about, in the `text` of a lesson that could be read."""
    content = json.loads(text)
    keys = [station["key"] for station in content["stations"]]
    path: JsonPath = ("stations", keys.index(mistake.station), *mistake.path)
    lines = lines_of(text)
    part = content
    for step in path if path in lines else ():
        part = part[step]
    named = (where for where in _places(part, mistake.name) if mistake.name and path in lines)
    return line_at(lines, (*path, *next(named, ())))


def _places(value: object, name: str) -> Iterator[JsonPath]:
    """Yield the paths to what is called `name`, or is the text `name`."""
    if value == name:
        yield ()
    children = dict(enumerate(value)) if isinstance(value, list) else value
    for key, child in children.items() if isinstance(children, dict) else ():
        if key == name:
            yield (key,)
        for rest in _places(child, name):
            yield (key, *rest)


_WIDTH = 110
Json = dict[str, Any]


def scene_as_json(scene: Scene) -> Json:
    """Return a scene as a lesson file has it; what is not set is left out."""
    plain = encode(scene)
    return {
        each.name: plain[each.name] for each in fields(Scene) if getattr(scene, each.name) != each.default
    }


def new_lesson(title: Words, summary: Words, key: str) -> Json:
    """Return a lesson without stations, as its file has it."""
    return {"key": key, "title": encode(title), "summary": encode(summary), "minutes": 5, "stations": []}


def lesson_in(path: Path) -> Json:
    """Return the content of a lesson file, which is a sound one. Raises FileError."""
    read_lesson(path)
    content: Json = json.loads(path.read_text(encoding="utf-8-sig"))
    return content


def with_station(lesson: Json, station: Json) -> Json:
    """Return the lesson with one more station at its end, whose key differs from those of the others."""
    keys = {each["key"] for each in lesson["stations"]}
    return {**lesson, "stations": [*lesson["stations"], {**station, "key": free_key(station["key"], keys)}]}


def with_changed(lesson: Json, before: Json, station: Json) -> Json:
    """Return the lesson with `station` in the place of `before`. Raises FileError where that is not there."""
    if before not in lesson["stations"]:
        raise _changed()
    return {**lesson, "stations": [station if each == before else each for each in lesson["stations"]]}


_ALWAYS_SEEN = ("text", "pair", "model", "models", "layer", "head", "views", "analyses", "picture", "cards")


def arranged(lesson: Json, keys: Sequence[str], language: str = "en") -> Json:
    """Return the lesson with these of its stations, in this order.

    A station shows what it showed before, also where it took that over from one that now stands elsewhere.
    Raises FileError where a file cannot say that.
    """
    before = parse_lesson(lesson_text(lesson), "")
    scenes = {each.key: before.scene_of(each) for each in before.stations}
    stations = {each["key"]: each for each in lesson["stations"]}
    found: list[Json] = []
    at = Scene()
    for key in keys:
        station, scene = stations[key], decode(Scene, stations[key].get("scene", {}), is_strict=True)
        if following(at, scene) != scenes[key]:
            station = {**station, "scene": scene_as_json(scenes[key])}
        at = following(at, decode(Scene, station.get("scene", {}), is_strict=True))
        if any(getattr(at, name) != getattr(scenes[key], name) for name in _ALWAYS_SEEN):
            title = decode(Words, station["title"]).in_language(language)
            message = Message("The station “{0}” would show something else there.", title)
            raise FileError(message, Message("Leave it behind the station that it goes on from."))
        found.append(station)
    return {**lesson, "stations": found}


def check_unchanged(path: Path, before: Json) -> None:
    """Raise FileError where a lesson file does not have the content `before` any more."""
    if lesson_in(path) != before:
        raise _changed()


def _changed() -> FileError:
    return FileError(
        Message("The file of the lesson has changed meanwhile."), Message("Close this, and begin again.")
    )


def before_of(path: Path) -> Path:
    """Return where the content of a lesson file is that was written over last."""
    return path.with_name(f"{path.name}.before")


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
    """Write a lesson file, which is checked first: a mistake leaves the file as it was. Raises FileError.

    What the file had before is then in `before_of` it.
    """
    text = lesson_text(lesson)
    parse_lesson(text, path.name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = Message("{0} could not be written: {1}.", path, error.strerror or error)
        raise FileError(message, Message("Choose another folder.")) from error
    if path.exists():
        with replacing(before_of(path)) as beside:
            beside.write_bytes(path.read_bytes())
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
