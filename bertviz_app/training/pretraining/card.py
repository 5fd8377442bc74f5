"""The model card of a pre-training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

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
from bertviz_app.training.pretraining.settings import CONSTANT, Evaluation, PretrainingSettings
from bertviz_app.training.pretraining.tokenised import Tokenised


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


def pretraining_card(
    name: str,
    texts: Sequence[Text],
    settings: PretrainingSettings,
    result: Evaluation,
    totals: RunTotals,
    base: Base | None = None,
) -> str:
    """Return the card of a pre-trained model, which began with the weights of `base` or with random ones."""
    files = [
        (one.name, f"{one.n_bytes / 1e6:.1f} MB", f"{one.n_documents:,}", f"{one.n_tokens:,}", LICENCE)
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
    begun = f" Its training began with the weights of {base.name}." if base else ""
    return card_text(
        "fill-mask",
        name,
        f"A BERT encoder ({sizes}), trained to predict masked tokens and whether one segment follows "
        f"another (Devlin et al. 2019, arXiv:1810.04805, section 3.1).{begun}",
        ("Training data", table(("file", "size", "documents", "tokens", "licence"), files)),
        ("Settings", table(("setting", "value"), _pretraining_settings(settings, totals, base))),
        (
            "Evaluation",
            f"On {result.n_tokens:,} tokens of held-out documents.\n\n"
            + table(("", "this model", "baseline: the most frequent piece, a coin"), evaluated),
        ),
        *command_part(totals),
    )


def _pretraining_settings(
    settings: PretrainingSettings, totals: RunTotals, base: Base | None
) -> list[tuple[str, str]]:
    n_trained = None if base is None else base.n_trained_positions
    positions = settings.positions_start if base is None else ""
    if n_trained is not None and n_trained < settings.n_positions:
        positions = f"from {n_trained:,} on copies of those before, which the base had trained"
    start = [("position embeddings before the training", positions)] if positions else []
    return [
        ("pieces of the vocabulary, at most", f"{settings.vocabulary_size:,}"),
        (
            "tokens of an example",
            f"{settings.length}, from {settings.long_from:.0%} of the run on {settings.n_positions}",
        ),
        ("examples that are one text instead of a pair", f"{settings.single_share:.0%}"),
        ("segments without their final full stop", f"{settings.open_share:.0%}"),
        ("tokens of a batch, padding included", _batch(settings)),
        *start,
        *shared_settings(settings, _schedule(settings), totals),
    ]


def _batch(settings: PretrainingSettings) -> str:
    if settings.first_batch_tokens is None:
        return f"{settings.batch_tokens:,}"
    growth = f"over the first {settings.growth_tokens:,} tokens"
    return f"{settings.first_batch_tokens:,}, growing to {settings.batch_tokens:,} {growth}"


def _schedule(settings: PretrainingSettings) -> str:
    if settings.schedule != CONSTANT:
        return LINEAR
    fall = f"falls to 0 in the last {settings.cool_down:.0%} of the run"
    return f"warms up over {settings.warm_up_tokens:,} tokens, is constant, and {fall}"
