"""The model card of a fine-tuning."""

from __future__ import annotations

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
from bertviz_app.training.finetuning.gathering import Gathered
from bertviz_app.training.finetuning.settings import (
    ScoreEvaluation,
    TuningEvaluation,
    TuningSettings,
    TuningVerdict,
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
    rows = f"held-out rows of {data}" if test is None else f"rows of {test}"
    if isinstance(result, ScoreEvaluation):
        head, counts = f"an output that predicts the number `{gathered.labels[0]}`", ""
        evaluated = _scores(result, rows)
    else:
        head, counts = f"a classifier of {len(result.labels)} labels", "\n\n" + _counts(gathered, result)
        evaluated = _classes(result, rows)
    return card_text(
        "text-classification",
        name,
        f"A BERT encoder with {head} ({totals.n_parameters:,} numbers), "
        f"fine-tuned from {base.name} (Devlin et al. 2019, arXiv:1810.04805, section 4.1).",
        ("Training data", f"{len(gathered.trained_on):,} rows of {data}. Licence: {LICENCE}.{counts}"),
        ("Settings", table(("setting", "value"), _tuning_settings(base, settings, totals))),
        ("Evaluation", evaluated),
        *command_part(totals),
    )


def _counts(gathered: Gathered, result: TuningEvaluation) -> str:
    n_rows = [sum(row) for row in result.confusion]
    counts = [
        (f"`{label}`", f"{trained:,}", f"{evaluated:,}")
        for label, trained, evaluated in zip(result.labels, gathered.counts.tolist(), n_rows, strict=True)
    ]
    return table(("label", "rows trained on", "rows evaluated on"), counts)


def _classes(result: TuningEvaluation, rows: str) -> str:
    return (
        f"On {result.n_rows:,} {rows}: **{result.accuracy:.1%}** correct (loss {result.loss:.3f} nats; "
        f"always the most frequent label: {result.baseline:.1%}).\n\n"
        "Rows are the correct labels, columns the predicted ones.\n\n" + _confusion(result)
    )


def _scores(result: ScoreEvaluation, rows: str) -> str:
    numbers = (("Pearson", result.pearson), ("Spearman", result.spearman))
    found = [(name, "–" if value is None else f"{value:.3f}") for name, value in numbers]
    error = ("mean squared error", f"{result.loss:.3f}")
    mean = ("the same, of always answering the mean of the training rows", f"{result.baseline:.3f}")
    return f"On {result.n_rows:,} {rows}.\n\n" + table(("measure", "value"), [*found, error, mean])


def _tuning_settings(base: Base, settings: TuningSettings, totals: RunTotals) -> list[tuple[str, str]]:
    trained = "the pooler and the classifier" if settings.freezes_encoder else "everything"
    return [
        ("starts from", base.name),
        ("what is trained", trained),
        ("epochs", f"{settings.epochs}"),
        ("rows of a batch", f"{settings.batch}"),
        ("tokens of a row, at most", f"{settings.length}"),
        ("dropout of the pooled vector", f"{settings.dropout:g}"),
        *shared_settings(settings, LINEAR, totals),
    ]


def _confusion(result: TuningEvaluation) -> str:
    labels = [f"`{label}`" for label in result.labels]
    rows = [
        (label, *(f"{count:,}" for count in counts), f"{counts[index] / max(1, sum(counts)):.1%}")
        for index, (label, counts) in enumerate(zip(labels, result.confusion, strict=True))
    ]
    return table(("", *labels, "correct"), rows)
