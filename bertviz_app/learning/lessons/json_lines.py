"""The lines of a JSON text at which its values begin, for messages about what a value should have been."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

JsonPath = tuple[str | int, ...]
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


class RepeatedKeyError(Exception):
    """An object has the same `key` twice, of which a reader of JSON takes the last; `line` is that one's."""

    def __init__(self, key: str, line: int) -> None:
        super().__init__(key, line)
        self.key = key
        self.line = line


def lines_of(text: str) -> dict[JsonPath, int]:
    """Return the line, from 1, of each value of a valid JSON text, by the keys and indices to it.

    Raises `RepeatedKeyError` where two values have the same path.
    """
    found: dict[JsonPath, int] = {}
    _walk(_tokens(text), (), found)
    return found


def line_at(lines: dict[JsonPath, int], path: JsonPath) -> int:
    """Return the line of a value, or of the nearest one around it that is in the file."""
    while path not in lines and path:
        path = path[:-1]
    return lines.get(path, 1)


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    line, seen = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        yield match.group(), line


def _walk(tokens: Iterator[tuple[str, int]], path: JsonPath, found: dict[JsonPath, int]) -> str:
    """Read one value; return the token that ended it if it was the end of a list around it, else ""."""
    token, line = next(tokens)
    if token in ("]", "}"):
        return token
    found[path] = line
    if token == "[":
        index = 0
        while _walk(tokens, (*path, index), found) != "]":
            index += 1
            if next(tokens)[0] == "]":
                break
    elif token == "{":
        while (token := next(tokens)[0]) != "}":
            if token == ",":
                continue
            key, (_, line) = str(json.loads(token)), next(tokens)  # the colon
            if (*path, key) in found:
                raise RepeatedKeyError(key, line)
            _walk(tokens, (*path, key), found)
    return ""
