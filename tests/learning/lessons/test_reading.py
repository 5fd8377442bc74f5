"""Lesson files: what is wrong is named with its line; nothing that is not known is let through."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.errors import FileError
from bertviz_app.json_store import lines_of
from bertviz_app.learning.lessons.reading import parse_lesson, read_lesson, shipped_lessons
from bertviz_app.learning.lessons.tasks import ChoiceTask, NumbersTask
from bertviz_app.paths import resources

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
LESSON: dict[str, Any] = {
    "key": "lesson",
    "title": WORDS,
    "summary": WORDS,
    "minutes": 5,
    "stations": [STATION],
}


def written(lesson: object) -> str:
    return json.dumps(lesson, ensure_ascii=False, indent=1)


def test_a_lesson_is_read() -> None:
    lesson = parse_lesson(written(LESSON), "a.json")
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
        ({"scene": {"views": ["map"]}}, '"map"', '"map" is not one of lines'),
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
    text = written(LESSON | {"stations": [STATION | station]})
    with pytest.raises(FileError) as raised:
        parse_lesson(text, "a.json")
    message = str(raised.value)
    assert words in message
    line = int(message.split("line ")[1].split(":")[0])
    assert abs(line - line_with(text, part)) <= 1


def test_the_second_station_of_a_key_is_named_with_its_line() -> None:
    text = written(LESSON | {"stations": [STATION, STATION | {"key": "two"}, STATION]})
    *_, line = (number for number, each in enumerate(text.splitlines(), start=1) if '"key": "one"' in each)
    with pytest.raises(FileError, match=f"line {line}: .*another station has the key “one” already"):
        parse_lesson(text, "a.json")


def test_a_key_that_is_there_twice_is_named_with_its_line() -> None:
    text = written(LESSON | {"stations": [STATION]}).replace('"key": "one"', '"key": "zero",\n"key": "one"')
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


def test_the_shipped_lessons_ask_in_several_ways() -> None:
    kinds = {station.task.kind for lesson in shipped_lessons() for station in lesson.stations if station.task}
    assert kinds >= {"token", "numbers", "choice", "order", "do"}
    assert any(isinstance(s.task, ChoiceTask) for lesson in shipped_lessons() for s in lesson.stations)
