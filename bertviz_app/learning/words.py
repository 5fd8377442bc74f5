"""Texts in both languages of the program, and the files that hold them: examples, corpora, reasons."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from types import MappingProxyType
from typing import Any

from bertviz_app import paths
from bertviz_app.errors import FileError, Message
from bertviz_app.json_store import decode
from bertviz_app.text_tables.items import FileKind
from bertviz_app.values import dataclass

LANGUAGES = ("en", "ko")


def resource(folder: str, name: str) -> Any:
    """Return the content of a file of JSON that comes with the program."""
    return json.loads((paths.resources() / folder / name).read_text(encoding="utf-8"))


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


_WITH_THOUSANDS = re.compile(r"-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")


def typed_number(text: str) -> float | None:
    """Return the number in `text`, None for anything else, for one that is infinite, and for none at all.

    The comma of "1,024" parts thousands, as lessons write them; that of "0,25" is the decimal one.
    """
    plain = text.strip().replace("−", "-")
    plain = plain.replace(",", "" if _WITH_THOUSANDS.fullmatch(plain) else ".")
    try:
        number = float(plain)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


@dataclass(frozen=True)
class ExampleWords:
    """The words of one example: its texts are one sentence, or two, or none where it opens a lesson."""

    key: str
    title: Words
    ask: Words
    texts: tuple[Words, ...]


def example_words() -> tuple[ExampleWords, ...]:
    """Return the words of the examples, in their order."""
    return tuple(
        ExampleWords(
            example["key"],
            Words(**example["title"]),
            Words(**example["ask"]),
            tuple(
                Words(**text) for name, text in example.get("scene", {}).items() if name in ("text", "pair")
            ),
        )
        for example in resource("examples", "examples.json")["examples"]
    )


FIRST_PICTURE = paths.resources() / "examples" / "first_picture.json"


@dataclass(frozen=True)
class FirstPicture:
    """What the first screen draws: one head on one sentence, as recorded, or on what is typed there.

    `example`: the key of the example with the same sentence, "" of one's own; `query`: the token that is
    looked from at first, `key`: what is then said of it, None: where it puts most. `weights`: [T, T], those
    of a recorded one rounded to 4 digits. `sees_all`: each token can look at all others.
    """

    text: str
    example: str
    model: str
    layer: int
    head: int
    query: int
    tokens: tuple[str, ...] = ()
    weights: tuple[tuple[float, ...], ...] = ()
    special: tuple[str, ...] = ("[CLS]", "[SEP]")
    sees_all: bool = True
    key: int | None = None


def first_picture(language: str) -> FirstPicture:
    """Return the picture with a sentence in a language; of one that has none, the English one."""
    content = json.loads(FIRST_PICTURE.read_text(encoding="utf-8"))
    return decode(FirstPicture, content.get(language, content["en"]))


@dataclass(frozen=True)
class RecordedRun:
    """A training that was done before, as the page of trainings shows it while there is none of one's own.

    It is that of the twelfth lesson on the real labels of `n_rows` film reviews: the loss and the accuracy of
    each step, and the accuracy on held-out reviews after it.
    """

    n_rows: int
    epochs: int
    held_out: float
    baseline: float
    losses: tuple[float, ...]
    accuracies: tuple[float, ...]


def recorded_run() -> RecordedRun:
    """Return the run that comes with the program."""
    return decode(RecordedRun, resource("examples", "recorded_run.json"))


@dataclass(frozen=True)
class ExampleCorpus:
    """The sentences of one language; `first` is the first of them."""

    language: str
    first: str
    n_sentences: int


def example_corpora() -> tuple[ExampleCorpus, ...]:
    """Return what the example corpora have, one for each language."""
    found = []
    for language in LANGUAGES:
        sentences = _shipped(language).read_text(encoding="utf-8").splitlines()
        found.append(ExampleCorpus(language, sentences[0], len(sentences)))
    return tuple(found)


EXAMPLE_FILES: Mapping[FileKind, str] = MappingProxyType(
    {
        "texts": "sentences_{0}.txt",
        "parsed": "parses_{0}.conllu",
        "words": "parses_{0}.conllu",
        "mentions": "mentions_{0}.txt",
    }
)
"""By what the units of a file are, the name of the example for a language."""


def copy_of_corpus(language: str, kind: FileKind = "texts") -> Path:
    """Return a copy of an example file in the user's folder, since its table is written beside the file.

    Raises FileError where the folder cannot be written to.
    """
    source = _shipped(language, kind)
    copy = paths.corpora() / source.name
    content = source.read_bytes()
    try:
        if not copy.is_file() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            with paths.replacing(copy) as beside:
                beside.write_bytes(content)
    except OSError as error:
        raise FileError(
            Message("The example cannot be copied to {0}: {1}", copy.parent, error.strerror or error),
            Message("Choose a text file of your own in a folder that can be written to."),
        ) from error
    return copy


def _shipped(language: str, kind: FileKind = "texts") -> Path:
    return paths.resources() / "examples" / EXAMPLE_FILES[kind].format(language)


CONDITIONS = (
    *("rotary", "sinusoids", "linear", "no_pooler", "scaling", "unshifted", "trigrams"),
    *("causal", "blocks"),
)


@dataclass(frozen=True)
class StageReason:
    """Why there is a stage, in two to four sentences; `example` has fields for numbers of the text shown.

    `term`: the key of the entry of the glossary that explains what the stage computes.
    """

    stage: str
    text: Words
    example: Words | None = None
    when: str = ""
    term: str = ""

    def __post_init__(self) -> None:
        if self.when and self.when not in CONDITIONS:
            raise ValueError(f"there is no condition {self.when!r}; there are {', '.join(CONDITIONS)}")


@dataclass(frozen=True)
class Reasons:
    """All reasons, in the order in which the stages are computed."""

    reasons: tuple[StageReason, ...]

    def of(self, stage: str, conditions: Collection[str] = ()) -> StageReason:
        """Return the reason for a stage in an encoder that meets `conditions`. Raises KeyError."""
        of_stage = [reason for reason in self.reasons if reason.stage == stage]
        met = [reason for reason in of_stage if reason.when in conditions]
        found = met or [reason for reason in of_stage if not reason.when]
        if not found:
            raise KeyError(stage)
        return found[0]


@cache
def reasons() -> Reasons:
    """Return the reasons that ship with the program; they are read once. Raises ValueError."""
    return decode(Reasons, resource("steps", "reasons.json"))
