"""Lesson files: read with mistakes named by line, and written, with the stations that a teacher makes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

from bertviz_app import paths
from bertviz_app.errors import FileError, Message
from bertviz_app.features.lessons.course.lesson import (
    Example,
    ExampleFile,
    Lesson,
    Mistake,
    Picture,
    Scene,
    Stage,
    following,
)
from bertviz_app.features.lessons.course.tasks import CONDITIONS, KINDS, TYPED, Task
from bertviz_app.json_store import JsonPath, RepeatedKeyError, UnfitError, decode, encode, line_at, lines_of
from bertviz_app.learning.words import LANGUAGES, Words, resource, typed_number
from bertviz_app.paths import replacing
from bertviz_app.values import dataclass, replace

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


Texts = Mapping[str, str]
"""A text by language."""

Value = Literal["", "text", "number", "numbers", "token", "measure", "view", "stage", "analysis", "class"]
"""What a question needs besides the scene; "" for nothing."""


@dataclass(frozen=True)
class Question:
    """`kind`: of the task, "none" without one, "kept" for that of the file.

    `rule`: which of its rules; `value`: what the rule needs.
    """

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


PICTURES: Mapping[Picture, tuple[Message, str]] = {
    "arcs": (Message("Picture: arcs above the words"), ""),
    "row": (Message("Picture: what a word looks at, as bars"), "query"),
    "both_ways": (Message("Picture: the matrix, with both weights of the pair"), "pair"),
    "steps": (Message("Picture: from the scores to the softmax"), "query"),
    "added": (Message("Picture: what each word adds to the query"), "query"),
    "heads": (Message("Picture: all heads"), ""),
    "joined": (Message("Picture: how the outputs of the heads are joined"), "query"),
    "chips": (Message("Picture: tokens with their three numbers"), ""),
    "cut": (Message("Picture: how a word is cut into pieces"), ""),
    "lookup": (Message("Picture: the row of the table that a token picks"), ""),
    "sum": (Message("Picture: the three embeddings and their sum"), ""),
    "same_word": (Message("Picture: the embeddings of the pair side by side"), "pair"),
    "roles": (Message("Picture: query, key and value of a word"), "query"),
    "scores": (Message("Picture: how far the scores spread"), ""),
    "lines": (Message("Picture: what the norm does to the numbers of a word"), "query"),
    "detector": (Message("Picture: a detector of the feed-forward part"), "query"),
    "alike": (Message("Picture: how alike the pair becomes, layer by layer"), "pair"),
    "states": (Message("Picture: the vectors of the words after each layer"), ""),
    "dropout": (Message("Picture: what dropout drops"), "query"),
    "pooler": (Message("Picture: the way of the first token to the output"), ""),
    "mask": (Message("Picture: what is expected at the hidden word"), "hidden"),
    "answer": (Message("Picture: what the classifier answers"), "class"),
}
"""The large pictures that a station of one's own can have, in words, and what the scene needs for them."""
_ANSWER_TOKENS = ("arcs", "chips", "added")
_SCORES: tuple[Stage, ...] = ("scores", "scaled", "softmax", "mixed")


def scenes_of(scene: Scene, active: Scene, *, has_classes: bool) -> dict[str, tuple[Message, Scene]]:
    """Return what a station of a scene can show, by a key, in words and as a scene.

    `active` is the same scene with the active panel alone.
    """
    lacking = {name for name in ("query", "key", "hidden") if getattr(scene, name) is None}
    lacking |= {"pair"} if lacking & {"query", "key"} else set()
    lacking |= set() if has_classes else {"class"}
    stage = scene.stage if scene.stage in _SCORES else "softmax"
    return {
        "": (Message("Panels and cards as they are now"), scene),
        "panels": (Message("The panels, without the cards around them"), replace(scene, cards=())),
        "panel": (Message("The active panel alone"), active),
        **{
            name: (
                words,
                replace(scene, picture=name, views=(), analyses=(), cards=(), stage=stage),
            )
            for name, (words, needs) in PICTURES.items()
            if needs not in lacking
        },
    }


def station_json(scene: Scene, question: Question, texts: Mapping[str, Texts]) -> Json:
    """Return a station as a lesson file has it.

    `texts` are in both languages by the names of the fields: title, text, notes and, for the question, ask,
    hint, why and options, one a line. Of the options of a choice the first is right; those of an order stand
    in it. Raises ValueError for bad options and values.
    """
    target, is_typed = scene, question.kind == "do" and question.rule in TYPED
    if question.kind == "head" and scene.cards is not None:  # it is clicked in the overview
        scene = replace(scene, cards=tuple(dict.fromkeys((*scene.cards, "overview"))))
    if question.kind == "do" and question.rule.startswith("pinned"):
        scene = replace(scene, query=None, key=None)  # else it would be pinned already
    part = "panel" if scene.picture is None else ""  # of the window that the station is about
    if question.kind == "head":
        part = "overview"
    elif is_typed:
        part = "text"
    station: Json = {
        "key": key_of(texts["title"]["en"]),
        "title": dict(texts["title"]),
        "text": dict(texts["text"]),
        "scene": scene_as_json(scene),
        "points_at": part,
    }
    if texts["notes"]["en"]:
        station["notes"] = dict(texts["notes"])
    if question.kind != "none":
        station["task"] = {
            "kind": question.kind,
            **({} if question.kind == "kept" else _task(target, question, texts)),
            **{name: dict(texts[name]) for name in ("ask", "hint", "why")},
        }
    if is_typed:
        station["own_text"] = True
    return station


def texts_of(station: Json) -> dict[str, dict[str, str]]:
    """Return the texts of a station by language and name, as `station_json` takes them, of the tasks too."""
    task = station.get("task", {})
    found = {name: station.get(name, {}) for name in ("title", "text", "notes")}
    found |= {name: task.get(name, {}) for name in ("ask", "hint", "why")}
    options: list[Texts] = list(task.get("options", task.get("items", ())))
    if "options" in task:  # the right one first
        options.insert(0, options.pop(task["right"]))
    texts = {key: {name: str(words.get(key, "")) for name, words in found.items()} for key in LANGUAGES}
    for key, of_language in texts.items():
        of_language["options"] = "\n".join(option[key] for option in options)
    return texts


def question_of(station: Json, scene: Scene) -> Question:
    """Return what a station asks, of the kind "kept" where only its file can say it."""
    task = station.get("task")
    if task is None:
        return Question()
    texts = texts_of(station)
    of_names = {name: {key: texts[key][name] for key in texts} for name in texts["en"]}
    asked = {name: value for name, value in task.items() if name not in ("kind", "ask", "hint", "why")}
    answer: Json = {**task.get("answer", {}), **task.get("done", {})}
    names = ("analysis", "token", "measure", "text", "number", "view", "stage")
    needed = next((str(answer[name]) for name in names if name in answer), "")  # besides the scene
    for rule in station_rules()[task["kind"]]:
        if rule == "typed":
            needed = " ".join(f"{each.get('value', '')}" for each in task["answers"])
        question = Question(task["kind"], rule, needed)
        with suppress(ValueError, KeyError, IndexError):
            if _task(scene, question, of_names) in (asked, {"within": 0.01, **asked}):
                return question
    return Question("kept")


def changed_station(before: Json, now: Json, *, keeps_scene: bool) -> Json:
    """Return a station with the texts and the task of `now`; `keeps_scene`: it shows what it showed before.

    What no form has stays, such as its key; where it shows something else, its claims do not.
    """
    task, task_before = now.get("task", {}), before.get("task", {})
    if task.get("kind") == "kept":
        task = {**task_before, **{name: task[name] for name in ("ask", "hint", "why")}}
        now = {**now, "task": task}
    if not keeps_scene:
        return {**now, "key": before["key"]}
    left = {name for name in ("task", "notes") if name not in now}
    if task.get("kind") == task_before.get("kind"):
        now = {name: part for name, part in now.items() if name != "points_at"}
    return {**{name: part for name, part in before.items() if name not in left}, **now, "key": before["key"]}


def check_picture(scene: Scene, question: Question) -> None:
    """Raise ValueError where a question is answered in the panels, which a picture hides."""
    is_token = question.kind == "token" and scene.picture not in _ANSWER_TOKENS
    is_done = question.kind == "do" and question.rule not in (*TYPED, "a pair", "a head muted")
    is_muted = question.rule == "a head muted" and scene.picture != "heads"
    if scene.picture is not None and (is_token or is_done or is_muted):
        words = Message("This question is answered in a panel, which the picture would hide.")
        raise ValueError(Message.joined((words, Message("Choose the panels, or another question."))))


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
        case "choice" | "vote":
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
