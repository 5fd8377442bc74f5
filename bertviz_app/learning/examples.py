"""`ExampleWords`: what the start page writes of its examples; the lessons' own reader has their scenes.

The start page is on the screen before anything else, so this reads the file without what lessons need.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from bertviz_app import paths
from bertviz_app.learning.words import Words


@dataclass(frozen=True)
class ExampleWords:
    """The words of one example: its texts are one sentence, or two."""

    title: Words
    ask: Words
    texts: tuple[Words, ...]


def example_words() -> tuple[ExampleWords, ...]:
    """Return the words of the examples, in their order."""
    path = paths.resources() / "examples" / "examples.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    return tuple(
        ExampleWords(
            Words(**example["title"]),
            Words(**example["ask"]),
            tuple(Words(**example["scene"][name]) for name in ("text", "pair") if name in example["scene"]),
        )
        for example in content["examples"]
    )
