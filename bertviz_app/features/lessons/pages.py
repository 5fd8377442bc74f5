"""Pages that are printed: their texts in both languages, and the templates that lay them out as HTML."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from bertviz_app.json_store import decode
from bertviz_app.learning.words import Words, resource
from bertviz_app.paths import resources


@cache
def _templates() -> Environment:
    folder = FileSystemLoader(resources() / "handouts")
    return Environment(loader=folder, autoescape=True, trim_blocks=True, undefined=StrictUndefined)


def rendered(template: str, **fields: object) -> str:
    """Return the page of HTML that a template makes of these fields."""
    return _templates().get_template(template).render(**fields)


def page_words(page: str, language: str, facts: Mapping[str, object]) -> dict[str, str]:
    """Return the texts of a page that is printed, filled with `facts`, by their names in its template."""
    found = resource("handouts", "words.json")[page].items()
    return {key: decode(Words, each).in_language(language).format_map(facts) for key, each in found}
