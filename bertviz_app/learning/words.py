"""`Words`: a text in both languages of the program, as the files of the glossary and the lessons have it."""

from __future__ import annotations

from dataclasses import dataclass
from string import Formatter

from bertviz_app.errors import Message

LANGUAGES = ("en", "ko")


@dataclass(frozen=True)
class Words:
    """The same text in English and Korean. It may have fields such as `{query}` for numbers of a run."""

    en: str
    ko: str

    def __post_init__(self) -> None:
        for language in LANGUAGES:
            if not getattr(self, language).strip():
                raise ValueError(Message("the text in “{0}” is empty", language))
        if self.fields("en") != self.fields("ko"):
            raise ValueError(
                Message("the two languages have different fields in braces: “{0}”, “{1}”", self.en, self.ko)
            )

    def in_language(self, language: str) -> str:
        """Return the text in "en" or "ko"; any other language reads English."""
        return self.ko if language == "ko" else self.en

    def fields(self, language: str = "en") -> frozenset[str]:
        """Return the names of its fields. Raises ValueError for braces that hold anything but a name.

        What fills the fields is text already: a format such as `{weight:.2f}` would fail when it is shown.
        """
        found, text = set(), getattr(self, language)
        try:
            parts = list(Formatter().parse(text))
        except ValueError as error:  # in words of Python, which nothing translates
            raise ValueError(
                Message("the text has a brace without its other half, or around no name: “{0}”", text)
            ) from error
        for _, name, spec, conversion in parts:
            if name is None:
                continue
            if spec or conversion or not name.isidentifier():
                field = name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
                raise ValueError(
                    Message("the text has the field “{0}”, which is not one of {1}", field, "{name}")
                )
            found.add(name)
        return frozenset(found)


@dataclass(frozen=True)
class TypedText(Words):
    """A text that is typed into the window: braces are letters in it, not fields."""

    def fields(self, language: str = "en") -> frozenset[str]:
        """Return no names."""
        return frozenset()
