"""The model card: the README.md of a trained model, with its data, its settings and its evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from torch import nn

from bertviz_app.paths import replacing
from bertviz_app.training.finetuning.base import Base
from bertviz_app.training.finetuning.gathering import Gathered
from bertviz_app.training.finetuning.settings import TuningEvaluation, TuningSettings
from bertviz_app.training.pretraining.settings import CONSTANT, Evaluation, PretrainingSettings
from bertviz_app.training.pretraining.tokenised import Tokenised
from bertviz_app.training.state import RunPosition

CARD = "README.md"
_LICENCE = "to be filled in"
_MINUTE = 60.0
_LINEAR = "warms up, then falls to 0 in a line"


@dataclass(frozen=True)
class RunTotals:
    """The totals of a finished run."""

    steps: int
    n_tokens: int  # trained on, without padding
    seconds: float
    n_parameters: int
    command: str  # the line that started it; "" if it was started otherwise

    @classmethod
    def of(cls, position: RunPosition, network: nn.Module, command: str) -> RunTotals:
        """Return the totals of a run that ended at `position`."""
        n_parameters = sum(parameter.numel() for parameter in network.parameters())
        return cls(position.step, position.n_tokens, position.seconds, n_parameters, command)


@dataclass(frozen=True)
class Text:
    """A file that was trained on."""

    name: str
    n_bytes: int
    n_documents: int
    n_tokens: int

    @classmethod
    def of(cls, path: Path, corpus: Tokenised) -> Text:
        """Return the facts about the file at `path`, tokenised as `corpus`."""
        return cls(path.name, path.stat().st_size, corpus.n_documents, len(corpus.ids))


def write_card(folder: Path, text: str) -> None:
    """Write the model card into `folder`. Raises FileError."""
    with replacing(folder / CARD) as path:
        path.write_text(text, encoding="utf-8")


def pretraining_card(
    name: str, texts: Sequence[Text], settings: PretrainingSettings, result: Evaluation, totals: RunTotals
) -> str:
    """Return the card of a pre-trained model."""
    files = [
        (one.name, f"{one.n_bytes / 1e6:.1f} MB", f"{one.n_documents:,}", f"{one.n_tokens:,}", _LICENCE)
        for one in texts
    ]
    evaluated = [
        ("masked tokens predicted correctly", f"{result.masked_accuracy:.1%}", f"{result.baseline:.1%}"),
        ("loss of the masked tokens, nats", f"{result.masked_loss:.3f}", ""),
        ("pairs classified correctly, next or not", f"{result.next_accuracy:.1%}", "50.0%"),
        ("loss of the pairs, nats", f"{result.next_loss:.3f}", ""),
    ]
    sizes = (
        f"{settings.n_layers} layers x {settings.n_heads} heads, width {settings.width}, "
        f"{settings.n_positions} positions, {totals.n_parameters:,} parameters"
    )
    return _card(
        "fill-mask",
        name,
        f"A BERT encoder ({sizes}), trained to predict masked tokens and whether one segment follows "
        "another (Devlin et al. 2019, arXiv:1810.04805, section 3.1).",
        ("Training data", _table(("file", "size", "documents", "tokens", "licence"), files)),
        ("Settings", _table(("setting", "value"), _pretraining_settings(settings, totals))),
        (
            "Evaluation",
            f"On {result.n_tokens:,} tokens of held-out documents.\n\n"
            + _table(("", "this model", "baseline: the most frequent piece, a coin"), evaluated),
        ),
        *_command(totals),
    )


def tuning_card(
    name: str,
    base: Base,
    settings: TuningSettings,
    sources: tuple[str, str | None],
    gathered: Gathered,
    result: TuningEvaluation,
    totals: RunTotals,
) -> str:
    """Return the card of a fine-tuned model; `sources` name the training file and the test file."""
    data, test = sources
    rows = f"held-out rows of {data}" if test is None else f"rows of {test}"
    n_rows = [sum(row) for row in result.confusion]
    counts = [
        (f"`{label}`", f"{trained:,}", f"{evaluated:,}")
        for label, trained, evaluated in zip(result.labels, gathered.counts.tolist(), n_rows, strict=True)
    ]
    return _card(
        "text-classification",
        name,
        f"A BERT encoder with a classifier of {len(result.labels)} labels ({totals.n_parameters:,} numbers), "
        f"fine-tuned from {base.name} (Devlin et al. 2019, arXiv:1810.04805, section 4.1).",
        (
            "Training data",
            f"{len(gathered.trained_on):,} rows of {data}. Licence: {_LICENCE}.\n\n"
            + _table(("label", "rows trained on", "rows evaluated on"), counts),
        ),
        ("Settings", _table(("setting", "value"), _tuning_settings(base, settings, totals))),
        (
            "Evaluation",
            f"On {result.n_rows:,} {rows}: **{result.accuracy:.1%}** correct (loss {result.loss:.3f} nats; "
            f"always the most frequent label: {result.baseline:.1%}).\n\n"
            "Rows are the correct labels, columns the predicted ones.\n\n" + _confusion(result),
        ),
        *_command(totals),
    )


def _card(task: str, name: str, about: str, *parts: tuple[str, str]) -> str:
    head = f"---\nlibrary_name: transformers\npipeline_tag: {task}\n---\n\n# {name}\n\n{about}\n"
    return head + "".join(f"\n## {title}\n\n{content}\n" for title, content in parts)


def _command(totals: RunTotals) -> list[tuple[str, str]]:
    return [("The command", f"```sh\n{totals.command}\n```")] if totals.command else []


def _pretraining_settings(settings: PretrainingSettings, totals: RunTotals) -> list[tuple[str, str]]:
    return [
        ("pieces of the vocabulary, at most", f"{settings.vocabulary_size:,}"),
        (
            "tokens of an example",
            f"{settings.length}, from {settings.long_from:.0%} of the run on {settings.n_positions}",
        ),
        ("examples that are one text instead of a pair", f"{settings.single_share:.0%}"),
        ("segments without their final full stop", f"{settings.open_share:.0%}"),
        ("tokens of a batch, padding included", _batch(settings)),
        ("position embeddings before the training", settings.positions_start),
        *_shared(settings, _schedule(settings), totals),
    ]


def _tuning_settings(base: Base, settings: TuningSettings, totals: RunTotals) -> list[tuple[str, str]]:
    trained = "the pooler and the classifier" if settings.freezes_encoder else "everything"
    return [
        ("starts from", base.name),
        ("what is trained", trained),
        ("epochs", f"{settings.epochs}"),
        ("rows of a batch", f"{settings.batch}"),
        ("tokens of a row, at most", f"{settings.length}"),
        ("dropout of the pooled vector", f"{settings.dropout:g}"),
        *_shared(settings, _LINEAR, totals),
    ]


def _batch(settings: PretrainingSettings) -> str:
    if settings.first_batch_tokens is None:
        return f"{settings.batch_tokens:,}"
    growth = f"over the first {settings.growth_tokens:,} tokens"
    return f"{settings.first_batch_tokens:,}, growing to {settings.batch_tokens:,} {growth}"


def _schedule(settings: PretrainingSettings) -> str:
    if settings.schedule != CONSTANT:
        return _LINEAR
    fall = f"falls to 0 in the last {settings.cool_down:.0%} of the run"
    return f"warms up over {settings.warm_up_tokens:,} tokens, is constant, and {fall}"


def _shared(
    settings: PretrainingSettings | TuningSettings, schedule: str, totals: RunTotals
) -> list[tuple[str, str]]:
    warm_up = [("share of the run that warms up", f"{settings.warm_up:g}")] if schedule == _LINEAR else []
    return [
        ("highest rate (AdamW)", f"{settings.rate:g}"),
        ("the rate", schedule),
        *warm_up,
        ("weight decay", f"{settings.decay:g}"),
        ("norm of a gradient, at most", f"{settings.clip:g}"),
        ("seed", f"{settings.seed}"),
        ("precision of the steps", settings.precision),
        ("steps", f"{totals.steps:,}"),
        ("tokens seen", f"{totals.n_tokens:,}"),
        ("minutes of training", f"{totals.seconds / _MINUTE:.1f}"),
    ]


def _confusion(result: TuningEvaluation) -> str:
    labels = [f"`{label}`" for label in result.labels]
    rows = [
        (label, *(f"{count:,}" for count in counts), f"{counts[place] / max(1, sum(counts)):.1%}")
        for place, (label, counts) in enumerate(zip(labels, result.confusion, strict=True))
    ]
    return _table(("", *labels, "correct"), rows)


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
