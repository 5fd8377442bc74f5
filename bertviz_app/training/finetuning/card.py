"""The model card of a fine-tuning."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from bertviz_app.training.base import Base
from bertviz_app.training.card import (
    LICENCE,
    LINEAR,
    RunTotals,
    card_text,
    command_part,
    shared_settings,
    table,
)
from bertviz_app.training.finetuning.entities import SpanCounts
from bertviz_app.training.finetuning.gathering import Gathered
from bertviz_app.training.finetuning.settings import (
    ScoreEvaluation,
    TagEvaluation,
    TuningEvaluation,
    TuningSettings,
    TuningVerdict,
)

_RULES = MappingProxyType(
    {
        "words": "The label of a word is learnt, and predicted, at its first token.",
        "characters": (
            "A token has the label of the character that it begins with; in the evaluation the rest of its "
            "characters continue that label (I- after B-), and blanks are not counted, as in KLUE's baseline "
            "(Park et al. 2021, arXiv:2105.09680)."
        ),
    }
)


def tuning_card(  # noqa: PLR0913 - each is named by its callers
    name: str,
    base: Base,
    settings: TuningSettings,
    sources: tuple[str, str | None],
    gathered: Gathered,
    result: TuningVerdict,
    totals: RunTotals,
) -> str:
    """Return the card of a fine-tuned model; `sources` name the training file and the test file."""
    data, test = sources
    is_of_tokens = isinstance(result, TagEvaluation)
    unit = "sentences" if is_of_tokens else "rows"
    rows = f"held-out {unit} of {data}" if test is None else f"{unit} of {test}"
    if isinstance(result, ScoreEvaluation):
        head, counts = f"an output that predicts the number `{gathered.target.labels[0]}`", ""
        evaluated = _scores(result, rows)
    elif isinstance(result, TagEvaluation):
        head = f"a classifier of tokens with {len(result.labels)} labels"
        counts = (
            f"\n\n{_counts(gathered, result.labels, result.confusion, result.unit)}\n\n{_RULES[result.unit]}"
        )
        evaluated = _tags(result, rows)
    else:
        head = f"a classifier of {len(result.labels)} labels"
        counts = f"\n\n{_counts(gathered, result.labels, result.confusion, 'rows')}"
        evaluated = _classes(result, rows)
    section = "5.3" if is_of_tokens else "4.1"
    return card_text(
        "token-classification" if is_of_tokens else "text-classification",
        name,
        f"A BERT encoder with {head} ({totals.n_parameters:,} numbers), "
        f"fine-tuned from {base.name} (Devlin et al. 2019, arXiv:1810.04805, section {section}).",
        ("Training data", f"{len(gathered.trained_on):,} {unit} of {data}. Licence: {LICENCE}.{counts}"),
        (
            "Settings",
            table(("setting", "value"), _tuning_settings(base, settings, totals, is_of_tokens=is_of_tokens)),
        ),
        ("Evaluation", evaluated),
        *command_part(totals),
    )


def _counts(gathered: Gathered, labels: Sequence[str], confusion: Sequence[Sequence[int]], unit: str) -> str:
    n_evaluated = [sum(row) for row in confusion]
    counts = [
        (f"`{label}`", f"{trained:,}", f"{evaluated:,}")
        for label, trained, evaluated in zip(labels, gathered.counts.tolist(), n_evaluated, strict=True)
    ]
    return table(("label", f"{unit} trained on", f"{unit} evaluated on"), counts)


def _classes(result: TuningEvaluation, rows: str) -> str:
    return (
        f"On {result.n_rows:,} {rows}: **{result.accuracy:.1%}** correct (loss {result.loss:.3f} nats; "
        f"always the most frequent label: {result.baseline:.1%}).\n\n"
        "Rows are the correct labels, columns the predicted ones.\n\n"
        + _confusion(result.labels, result.confusion)
    )


def _tags(result: TagEvaluation, sentences: str) -> str:
    n_sentences, n_units = f"{result.n_rows:,}", f"{result.n_units:,} {result.unit}"
    parts = [
        f"On {n_units} of {n_sentences} {sentences}: **{result.accuracy:.1%}** have the correct label "
        f"(loss {result.loss:.3f} nats; always the most frequent label: {result.baseline:.1%}; "
        f"mean F1 of the labels: {result.label_f1:.1%})."
    ]
    if result.spans is not None and result.all_spans is not None and result.macro_f1 is not None:
        rows = [(f"`{one.type}`", *_span_numbers(one)) for one in result.spans]
        titles = ("type", "precision", "recall", "F1", "spans", "predicted", "right")
        parts += [
            "A span is found where its beginning, its end and its type are right (CoNLL 2000). "
            f"Mean F1 of the types: {result.macro_f1:.1%}.",
            table(titles, [*rows, ("all", *_span_numbers(result.all_spans))]),
        ]
    parts.append("Rows are the correct labels, columns the predicted ones.")
    parts.append(_confusion(result.labels, result.confusion))
    return "\n\n".join(parts)


def _span_numbers(one: SpanCounts) -> tuple[str, ...]:
    shares = (one.precision, one.recall, one.f1)
    counts = (one.n_true, one.n_predicted, one.n_right)
    return (*(f"{share:.1%}" for share in shares), *(f"{count:,}" for count in counts))


def _scores(result: ScoreEvaluation, rows: str) -> str:
    numbers = (("Pearson", result.pearson), ("Spearman", result.spearman))
    found = [(name, "–" if value is None else f"{value:.3f}") for name, value in numbers]
    error = ("mean squared error", f"{result.loss:.3f}")
    mean = ("the same, of always answering the mean of the training rows", f"{result.baseline:.3f}")
    return f"On {result.n_rows:,} {rows}.\n\n" + table(("measure", "value"), [*found, error, mean])


def _tuning_settings(
    base: Base, settings: TuningSettings, totals: RunTotals, *, is_of_tokens: bool
) -> list[tuple[str, str]]:
    parts = "the classifier" if is_of_tokens else "the pooler and the classifier"
    trained = parts if settings.freezes_encoder else "everything"
    return [
        ("starts from", base.name),
        ("what is trained", trained),
        ("epochs", f"{settings.epochs}"),
        ("rows of a batch", f"{settings.batch}"),
        ("tokens of a row, at most", f"{settings.length}"),
        (
            "dropout of the vectors of the tokens" if is_of_tokens else "dropout of the pooled vector",
            f"{settings.dropout:g}",
        ),
        *shared_settings(settings, LINEAR, totals),
    ]


def _confusion(names: Sequence[str], confusion: Sequence[Sequence[int]]) -> str:
    labels = [f"`{label}`" for label in names]
    rows = [
        (label, *(f"{count:,}" for count in counts), f"{counts[index] / max(1, sum(counts)):.1%}")
        for index, (label, counts) in enumerate(zip(labels, confusion, strict=True))
    ]
    return table(("", *labels, "correct"), rows)
