"""What the task heads predict for one run, as lines to be drawn: titles, sentences, bars."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication

from bertviz_app.analysis.predictions import (
    TOP,
    Answer,
    Classes,
    Filler,
    Filling,
    LabelledToken,
    NextSentence,
    Suspect,
)
from bertviz_app.text import Tokens
from bertviz_app.text.edits import MASK
from bertviz_app.trace.provenance import MANY_LABELS, REGRESSION
from bertviz_app.viewmodels.runs.shown import RunPrediction
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.kit.numbers import probability

LineKind = Literal["run", "title", "sentence", "bar", "number", "gap"]
LEAST = 1
"""The number of rows of a list that are shown in however little room."""


@dataclass(frozen=True)
class Line:
    """A line of the predictions. A "gap" is half a line high.

    `note` stands at the right end of a title, and beside the text of a bar. `value` is a probability, or the
    number that a regression predicts. A click on a line with a `position` puts its `piece` there, or without
    one pins the token. `is_faint`: the head read the token that it predicts, or the token is special. `more`
    is the tool tip where it says more than the text and the value. One that `wraps` is as many lines high as
    its text needs beside the value.
    """

    kind: LineKind
    text: str = ""
    note: str = ""
    value: float | None = None
    position: int | None = None
    piece: str | None = None
    is_marked: bool = False
    is_faint: bool = False
    more: str = ""
    wraps: bool = False

    @property
    def shown_value(self) -> str:
        """The value as it is written at the end of the line."""
        return "" if self.value is None else probability(self.value)

    @property
    def description(self) -> str:
        return " ".join(part for part in (self.text, self.note, self.shown_value) if part)


def lines_of(
    prediction: RunPrediction,
    highlighted: int | None,
    most: int = TOP,
    first: int = 0,
    *,
    has_hints: bool = True,
) -> list[Line]:
    """Return the lines of one run, lists at most `most` rows long.

    A text's own mask has one piece more, in the row of what else was written there. `highlighted` is the
    token pointed at, `first` that from which on labels of tokens are listed. With `has_hints` a line says
    what a second sentence would show.
    """
    sentence = why_nothing(prediction)
    if sentence:
        return [Line("sentence", sentence)]
    found = prediction.found
    if found is None:
        return []
    lines: list[Line] = []
    if "masked" in prediction.task_heads:
        lines += _fillings(prediction, found.fillings, most)
    if "next_sentence" in prediction.task_heads and (has_hints or found.next_sentence is not None):
        lines += [Line("gap"), _next_sentence(found.next_sentence)]
    if found.classes is not None:
        lines += [Line("gap"), *_classes(found.classes, most)]
    if found.replaced:
        lines += [Line("gap"), *_suspects(prediction, found.replaced, highlighted, most)]
    if found.token_labels:
        lines += [Line("gap"), *_labels(prediction, found.token_labels[first : first + most], highlighted)]
    if found.answer is not None:
        lines += [Line("gap"), *_answer(prediction.tokens, found.answer, most, has_hints=has_hints)]
    return lines[1:] if lines and lines[0].kind == "gap" else lines


def n_fixed(prediction: RunPrediction, *, has_hints: bool = True) -> float:
    """Return how many lines there are beside the rows of lists."""
    is_pair = prediction.tokens.pair is not None
    fixed = 2.0 if "masked" in prediction.task_heads else 0.0  # title and what is written there
    if "next_sentence" in prediction.task_heads and (has_hints or is_pair):
        fixed += 1.5
    if "answer" in prediction.task_heads and has_hints and not is_pair:
        fixed += 1
    lists = ("classes", "replaced", "token_labels", "answer")
    return fixed + sum(1.5 for head in lists if head in prediction.task_heads)


def can_do_without_hints(prediction: RunPrediction) -> bool:
    """Return whether what one could do may be left unsaid: there is a list, and it makes sense without."""
    return n_listed(prediction) > 0 and "answer" not in prediction.task_heads


def n_listed(prediction: RunPrediction) -> int:
    """Return how many rows the lists have if there is room."""
    classes = None if prediction.found is None else prediction.found.classes
    listed = TOP if {"masked", "replaced", "answer"} & set(prediction.task_heads) else 0
    return min(TOP, max(listed, n_labelled(prediction), 0 if classes is None else len(classes.labels)))


def n_labelled(prediction: RunPrediction) -> int:
    """Return how many tokens have labels."""
    return 0 if prediction.found is None else len(prediction.found.token_labels)


def first_listed(first: int, count: int, most: int, into_view: int | None = None) -> int:
    """Return from which of `count` tokens on `most` are listed: from `first` on, or near it.

    The list ends with the last token, and has the token `into_view`.
    """
    if into_view is not None:
        first = min(max(first, into_view - most + 1), into_view)
    return max(0, min(first, count - most))


def why_nothing(prediction: RunPrediction) -> str:
    """Return the sentence that stands in the place of predictions, "" where there are some."""
    translate = QCoreApplication.translate
    if prediction.is_saved:
        return translate("Predictions", "A saved trace: encode its text to see predictions.")
    if not prediction.task_heads:
        return translate("Predictions", "No task head: nothing is predicted.")
    return "" if prediction.problem is None else error_text(prediction.problem)


def _fillings(prediction: RunPrediction, fillings: tuple[Filling, ...], most: int) -> Iterator[Line]:
    translate = QCoreApplication.translate
    if not fillings:
        yield Line(
            "sentence", translate("Predictions", "Click a token to see which pieces are expected there.")
        )
    for filling in fillings:
        written = filling.written
        name = prediction.tokens.labels[filling.position]
        if filling.is_masked:
            name = MASK if written is None else prediction.tokens.label_of(written.piece)
        masked = translate("Predictions", "masked")
        seen = translate("Predictions", "not masked")
        yield Line("title", name, masked if filling.is_masked else seen)
        for filler in filling.fillers[: most + (written is None)]:
            yield _filler(filling, filler, prediction.tokens.label_of(filler.piece))
        if written is not None:
            words = translate("Predictions", "original “{1}”: rank {0}").format(
                f"{written.rank:,}", prediction.tokens.label_of(written.piece)
            )
            yield Line("number", words, value=written.probability, wraps=True)


def _filler(filling: Filling, filler: Filler, name: str) -> Line:
    return Line(
        "bar",
        name,
        value=filler.probability,
        position=filling.position,
        piece=filler.piece,
        is_marked=filling.written is not None and filler.id == filling.written.id,
        is_faint=not filling.is_masked,
    )


def _next_sentence(found: NextSentence | None) -> Line:
    translate = QCoreApplication.translate
    if found is None:
        return Line("number", translate("Predictions", "Does 2 follow 1? Add sentence 2"), wraps=True)
    follows = translate("Predictions", "Sentence 2 follows 1")
    in_order = translate("Predictions", "Sentences 1 and 2 in order")
    return Line("bar", in_order if found.is_order else follows, value=found.probability, wraps=True)


def _classes(found: Classes, most: int) -> Iterator[Line]:
    translate = QCoreApplication.translate
    kind: LineKind = "number" if found.problem == REGRESSION else "bar"
    title = translate("Predictions", "Class")
    note = translate("Predictions", "one of {0}").format(len(found.labels))
    if found.problem == MANY_LABELS:
        title, note = translate("Predictions", "Classes"), translate("Predictions", "each by itself")
    if found.problem == REGRESSION:
        title, note = translate("Predictions", "Predicted number"), ""
    yield Line("title", title, note)
    for index, one in enumerate(found.labels[:most]):
        yield Line(kind, one.name, value=one.value, is_marked=index == 0 and kind == "bar")


def _suspects(
    prediction: RunPrediction, found: tuple[Suspect, ...], highlighted: int | None, most: int
) -> Iterator[Line]:
    """Yield the tokens that are likeliest to be replaced, the one that is pointed at among them."""
    translate = QCoreApplication.translate
    yield Line(
        "title", translate("Predictions", "Replaced tokens"), translate("Predictions", "likeliest first")
    )
    ordered = sorted(found, key=lambda one: -one.probability)
    listed = ordered[:most]
    if highlighted is not None and highlighted < len(found) and found[highlighted] not in listed:
        listed[-1] = found[highlighted]
    for one in listed:
        name, at = prediction.tokens.labels[one.position], one.position
        yield Line("bar", name, value=one.probability, position=at, is_marked=at == highlighted)


def _labels(
    prediction: RunPrediction, listed: tuple[LabelledToken, ...], highlighted: int | None
) -> Iterator[Line]:
    """Yield the tokens with their likeliest labels; those of special tokens mean nothing."""
    translate = QCoreApplication.translate
    count, tokens = n_labelled(prediction), prediction.tokens
    all_shown = translate("Predictions", "likeliest of each")
    part = translate("Predictions", "tokens {0} to {1} of {2}")
    is_part = len(listed) < count
    note = part.format(listed[0].position, listed[-1].position, count) if is_part else all_shown
    yield Line("title", translate("Predictions", "Labels"), note)
    for token in listed:
        at = token.position
        yield Line(
            "bar",
            tokens.labels[at],
            note=token.labels[0].name,
            value=token.labels[0].value,
            position=at,
            is_marked=at == highlighted,
            is_faint=bool(tokens.is_special[at]),
            more="\n".join(f"{label.name}  {label.value:.6g}" for label in token.labels),
        )


def _answer(tokens: Tokens, found: Answer, most: int, *, has_hints: bool) -> Iterator[Line]:
    translate = QCoreApplication.translate
    if tokens.pair is None and has_hints:
        words = translate("Predictions", "The question in 1, its text in 2: add sentence 2")
        yield Line("number", words, wraps=True)
    nothing = translate("Predictions", "none: {0}").format(probability(found.nothing))
    yield Line("title", translate("Predictions", "Answers"), nothing)
    for index, span in enumerate(found.spans[:most]):
        where = translate("Predictions", "tokens {0} to {1}").format(span.first, span.last)
        yield Line(
            "bar",
            " ".join(span.text.split()),
            value=span.probability,
            position=span.first,
            is_marked=index == 0,
            more=f"{span.text}\n{where}: {span.probability:.6g}",
        )
