"""The line of a lesson file that a mistake is in, for messages that lead its author there."""

from __future__ import annotations

import json
from collections.abc import Iterator

from bertviz_app.learning.lessons.checking import Mistake
from bertviz_app.learning.lessons.json_lines import JsonPath, line_at, lines_of


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
