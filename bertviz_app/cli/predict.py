"""`bertviz-app predict`: the predictions of a checkpoint's task heads for a text, printed and written."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bertviz_app.cli.arguments import count
from bertviz_app.cli.printing import print_text, table
from bertviz_app.cli.reading import add_reading, encoded, finish
from bertviz_app.cli.terminal import Add
from bertviz_app.errors import CheckpointError, TextError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bertviz_app.analysis.predictions import (
        Answer,
        Classes,
        Filling,
        LabelledToken,
        NextSentence,
        Predictions,
        Suspect,
    )
    from bertviz_app.text import Tokens


TABLE_ENDINGS = (".csv", ".json")


def add_predict(add: Add) -> None:
    parser = add("predict", "print what the task heads expect of a text", _predict)
    text = "the sentence, with [MASK] where a word is hidden"
    add_reading(parser, text, "write them to FILE", TABLE_ENDINGS)
    of_each = "how many pieces for a masked token, labels of a token, and answers (10)"
    parser.add_argument("--top", type=count, default=10, metavar="N", help=of_each)


def _predict(options: argparse.Namespace) -> int:
    from bertviz_app.analysis.predictions import save_predictions
    from bertviz_app.text.edits import edits_text

    model, result = encoded(options, with_own_mask=True, says_masks=True)
    found = model.predict(result.trace, top=options.top)
    _validate(found, model.facts.name, model.facts.task_heads)
    print_text(_tables(found, result.trace.tokens))
    interventions = edits_text(result.trace.edits)
    return finish(options, result, lambda path: save_predictions(found, path, interventions))


def _validate(found: Predictions, model: str, task_heads: Sequence[str]) -> None:
    """Raise AppError, with a hint, if no task head of `model` predicts anything for the text."""
    if not task_heads:
        hint = "Open one that was saved with one, as a BertForMaskedLM or a BertForSequenceClassification."
        raise CheckpointError(f"{model} has no task head.", hint)
    if found.fillings or found.next_sentence or found.classes or found.replaced:
        return
    if found.token_labels or found.answer:
        return
    ways = {
        "masked": "mask a token (--mask N, or [MASK] in the text)",
        "next_sentence": "give a second text (--pair TEXT)",
    }
    hint = " or ".join(way for head, way in ways.items() if head in task_heads)
    message = f"The heads of {model} are not asked for anything."
    raise TextError(message, f"{hint[:1].upper()}{hint[1:]}.")


def _tables(found: Predictions, tokens: Tokens) -> str:
    """Return the predictions of each task head as tables, one below the other."""
    parts = [_filling(filling, tokens) for filling in found.fillings]
    if found.next_sentence is not None:
        parts.append(_next_sentence(found.next_sentence))
    if found.classes is not None:
        parts.append(_classes(found.classes))
    if found.replaced:
        parts.append(_replaced(found.replaced, tokens))
    if found.token_labels:
        parts.append(_labelled(found.token_labels, tokens))
    if found.answer is not None:
        parts.append(_answer(found.answer))
    return "\n\n".join(parts)


def _filling(filling: Filling, tokens: Tokens) -> str:
    state = "masked" if filling.is_masked else "not masked"
    lines = [f"Token {filling.position}, {tokens.labels[filling.position]} ({state}):"]
    rows = [(str(one.rank), tokens.label_of(one.piece), _share(one.probability)) for one in filling.fillers]
    written = filling.written
    if written is not None and written.rank > len(rows):
        rows.append((f"{written.rank:,}", tokens.label_of(written.piece), _share(written.probability)))
    lines.append(table(("rank", "piece", "probability"), rows, right=(0, 2)))
    if written is not None:
        lines.append(f"Written there: {tokens.label_of(written.piece)}, rank {written.rank:,}.")
    return "\n".join(lines)


def _next_sentence(found: NextSentence) -> str:
    what = "The two texts stand in their order" if found.is_order else "The second text follows the first"
    return f"{what}: {_share(found.probability)}"


def _classes(found: Classes) -> str:
    kinds = {
        "regression": ("number", "value"),
        "multi_label_classification": ("label, each by itself", "probability"),
    }
    titles = kinds.get(found.problem, ("label", "probability"))
    return table(titles, [(label.name, _share(label.value)) for label in found.labels], right=(1,))


def _replaced(found: tuple[Suspect, ...], tokens: Tokens) -> str:
    rows = list(_suspects(found, tokens))
    return table(("position", "token", "replaced"), rows, right=(0, 2))


def _suspects(found: tuple[Suspect, ...], tokens: Tokens) -> Iterator[tuple[str, str, str]]:
    for suspect in found:
        yield str(suspect.position), tokens.labels[suspect.position], _share(suspect.probability)


def _labelled(found: tuple[LabelledToken, ...], tokens: Tokens) -> str:
    rows = [
        (str(token.position), tokens.labels[token.position], label.name, _share(label.value))
        for token in found
        for label in token.labels[:1]
    ]
    return table(("position", "token", "label", "probability"), rows, right=(0, 3))


def _answer(found: Answer) -> str:
    rows = [
        (str(rank), f"{span.first}..{span.last}", span.text, _share(span.probability))
        for rank, span in enumerate(found.spans, start=1)
    ]
    answers = table(("rank", "tokens", "answer", "probability"), rows, right=(0, 3))
    return f"{answers}\nNo answer: {_share(found.nothing)}"


def _share(value: float) -> str:
    """Return a share with four decimals, or two digits if these would be 0."""
    return f"{value:.4f}" if value == 0 or abs(value) >= 1e-4 else f"{value:.1e}"
